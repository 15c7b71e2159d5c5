// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * L1: user memory behind the returned length is untouched.
 * How: the world fills it beforehand and measures the last changed byte. Each
 * way in which the real kernel is known to write there has its own slug, and a
 * bound for how far it may reach.
 * Left out: bytes that happen to equal the fill.
 */
#include "sim/inv/local.h"

/* How the bytes behind the returned ones, up to @end, were touched. */
static const char *slug_of(const struct sim_task *t, const struct inv_part *p,
			   u64 end)
{
	const struct ledger_msg *m = p->msg;
	u64 bad = inv_bad_from(t->call);

	if (m && end <= m->zc_reach && m->zc_met & MET_ZC_BAD_TAG)
		return "zc-bad-tag";
	if (m && end <= m->zc_reach && m->zc_met & MET_ZC_PADDED)
		return "zc-padding";
	if (m && end <= m->zc_reach && m->zc_met & MET_ZC_TYPE)
		return "zc-other-type";
	if (bad != UINT64_MAX && end <= bad)
		return "fault-partial-copy";
	return "touched";
}

static void on_return(struct sim *s, void *state, struct sim_task *t)
{
	const struct inv_part *p;
	u64 got;
	u32 i;

	(void)state;
	if (!call_is_recv(t->call->kind) && t->call->kind != CALL_PREAD)
		return;
	if (ledger_call(s, t->t.id)->plain && ledger_call(s, t->t.id)->msg_n)
		return; /* recvmmsg of both kinds, see inv_part() */
	for (i = 0; i < inv_part_count(t); i++) {
		p = inv_part(s, t, i);
		got = p->ret > 0 ? (u64)p->ret : 0;
		if (!p->res->past)
			inv_checked(s, INV_L1);
		else
			inv_fail(
				s, INV_L1, slug_of(t, p, got + p->res->past),
				"%lld was returned, memory is changed up to %u bytes behind that",
				(long long)p->ret, p->res->past);
	}
}

const struct inv_ops inv_L1 = {
	.id = INV_L1,
	.on_return = on_return,
};
