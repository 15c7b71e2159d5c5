// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * S3: MSG_WAITALL and SO_RCVLOWAT are honoured.
 * How: a call that returns fewer bytes than its target must have ended for a
 * reason that allows any number of them (table in s1_short.c), and one that
 * ended because it had its target must have it. Both say for how many bytes a
 * call waits (POSIX: "blocking receive calls"), so one that may not wait
 * returns what there is; S1 sees to it that it does.
 * Left out: messages of recvmmsg, whose reasons are not kept apart.
 */
#include "sim/inv/local.h"

static void on_return(struct sim *s, void *state, struct sim_task *t)
{
	const struct ledger_call *c = ledger_call(s, t->t.id);
	u32 target = c->plain ? c->target : c->msg.target;

	(void)state;
	if (!call_is_recv(t->call->kind) || t->res.ret <= 0 ||
	    t->call->kind == CALL_RECVMMSG || c->unsure)
		return;
	if (t->res.ret >= target || short_rule_of(t->res.reason) != RULE_TARGET)
		inv_checked(s, INV_S3);
	else
		inv_fail(
			s, INV_S3, "below-target",
			"%lld bytes were returned as enough (%s), the target is %u",
			(long long)t->res.ret, m_reason_name[t->res.reason],
			target);
}

const struct inv_ops inv_S3 = {
	.id = INV_S3,
	.on_return = on_return,
};
