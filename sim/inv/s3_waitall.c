// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * S3: MSG_WAITALL and SO_RCVLOWAT are honoured.
 * How: a call that returns fewer bytes than its target must have ended for a
 * reason that allows any number of them (table in s1_short.c), and one that
 * ended because it had its target must have it. What SO_RCVLOWAT promises does
 * not stop at non-blocking calls: that the kernel does is a finding.
 * Left out: MSG_WAITALL with MSG_DONTWAIT, where the second wins; messages of
 * recvmmsg, whose reasons are not kept apart.
 */
#include "sim/inv/local.h"

/* The call may not wait, so it returned what there was. */
static bool nowait(enum m_reason r)
{
	return r == REASON_TLS_AGAIN_EMPTY || r == REASON_TLS_AGAIN_PARTIAL ||
	       r == REASON_TLS_AGAIN_FRAMING || r == REASON_TCP_SHORT_NOWAIT;
}

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
	if (t->res.ret < target && nowait(t->res.reason) && c->nonblock &&
	    !(t->call->flags & M_MSG_WAITALL))
		inv_fail(
			s, INV_S3, "lowat-nonblock",
			"a non-blocking call returned %lld bytes, SO_RCVLOWAT asks for %u",
			(long long)t->res.ret, target);
}

const struct inv_ops inv_S3 = {
	.id = INV_S3,
	.on_return = on_return,
};
