// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A call's result, message by message.
 * How: recvmmsg has several, all others one; the ledger has an entry for each
 * that had the reader role.
 * Left out: calls that hand out no bytes.
 */
#include "sim/inv/local.h"

/* recvmmsg failed before it looked at any message. */
static bool no_part(const struct sim_task *t)
{
	return !t->res.part || t->call->kind != CALL_RECVMMSG;
}

u32 inv_part_count(const struct sim_task *t)
{
	if (t->call->kind != CALL_RECVMMSG)
		return 1;
	if (no_part(t))
		return 0;
	return t->res.part_n + (t->res.part[t->res.part_n].ret < 0);
}

static void fill(const struct sim *s, const struct sim_task *t, u32 i,
		 struct inv_part *p)
{
	const struct ledger_call *c = ledger_call(s, t->t.id);

	p->res = no_part(t) ? &t->res : &t->res.part[i];
	p->ret = p->res->ret;
	p->asked = call_asked(t->call);
	/* A call that began before the keys may have had both kinds. */
	p->msg = i < c->msg_n && !c->plain ? ledger_msg(c, i) : NULL;
	p->at = s->event_n;
	p->i = i;
}

/* Several invariants ask for the same one in a row. */
const struct inv_part *inv_part(const struct sim *s, const struct sim_task *t,
				u32 i)
{
	struct inv_part *p = ((struct inv_head *)s->inv)->part;

	if (p->at != s->event_n || p->i != i)
		fill(s, t, i, p);
	return p;
}

u64 inv_bad_from(const struct trace_call *c)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < c->iov_n; i++) {
		if (c->iov[i].bad && c->iov[i].len)
			return n;
		n += c->iov[i].len;
	}
	return UINT64_MAX;
}
