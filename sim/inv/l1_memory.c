// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * L1: user memory behind the returned length is untouched.
 * How: the world fills it beforehand and measures the last changed byte. Each
 * way in which the real kernel is known to write there has its own slug, and a
 * bound for how far it may reach. A call with a buffer that is no memory may
 * have filled what lies in front of that.
 * Left out: bytes that happen to equal the fill.
 */
#include "sim/inv/local.h"

/* A buffer of the call is no memory. What was copied in front of it is what the
 * next call gets, as with every copy of the kernel to user memory. */
static bool up_to_fault(const struct sim_task *t, u64 end)
{
	u64 bad = inv_bad_from(t->call);

	return bad != UINT64_MAX && end <= bad;
}

/* How the bytes behind the returned ones, up to @end, were touched; NULL: as
 * they may be. */
static const char *slug_of(const struct sim_task *t, const struct inv_part *p,
			   u64 end)
{
	const struct ledger_msg *m = p->msg;

	if (m && end <= m->zc_reach && m->zc_met & MET_ZC_BAD_TAG)
		return "zc-bad-tag";
	if (m && end <= m->zc_reach &&
	    m->zc_met & (MET_ZC_PADDED | MET_ZC_TYPE))
		return "zc-before-type";
	return up_to_fault(t, end) ? NULL : "touched";
}

static void on_return(struct sim *s, void *state, struct sim_task *t)
{
	const struct inv_part *p;
	const char *slug;
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
		slug = NULL;
		if (p->res->past)
			slug = slug_of(t, p, got + p->res->past);
		INV_CHECK(
			s, L1, !slug, slug,
			"%lld was returned, memory is changed up to %u bytes behind that",
			(long long)p->ret, p->res->past);
	}
}

const struct inv_ops inv_L1 = {
	.id = INV_L1,
	.on_return = on_return,
};
