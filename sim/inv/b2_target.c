// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * B2: a call that has delivered its target never sleeps; splice and read_sock
 * never sleep once they have moved a byte.
 * How: at every sleep for data, what the message has against what it must not
 * sleep with (SO_RCVLOWAT, or all of it with MSG_WAITALL).
 * Left out: peeks of plain TCP; taking the socket lock again.
 */
#include "sim/inv/local.h"

static u64 target(const struct ledger_call *c, enum call_kind kind)
{
	if (!c->plain)
		return c->msg.target;
	return call_is_recv(kind) ? c->target : 1;
}

/* Nothing while it waits for the reader role. What a plain call took may have
 * been an urgent byte. */
static u64 moved(struct sim *s, const struct ledger_call *c,
		 enum call_kind kind)
{
	if (!c->plain)
		return c->msg_n && !c->msg.closed ? c->msg.put : 0;
	if (kind == CALL_RECVMMSG || c->unsure || !ledger_no_urgent(s))
		return 0;
	return c->took;
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	const struct ledger_call *c = ledger_call(s, e->task);
	const struct trace_call *call = inv_call(s, e);
	u64 has, want;

	(void)state;
	if ((e->a != M_SLEEP_SK_WAIT && e->a != M_SLEEP_READER) || !call ||
	    !call_takes_data(call->kind))
		return;
	has = moved(s, c, call->kind);
	want = has ? target(c, call->kind) : 1;
	INV_CHECK(s, B2, has < want,
		  c->met & MET_THEFT ? "sleeps-after-theft" : "sleeps",
		  "%s sleeps with %llu bytes taken, it must not with %llu",
		  s->tasks[e->task].t.name, (unsigned long long)has,
		  (unsigned long long)want);
}

static const enum m_event_kind events[] = { EV_SLEEP, M_EVENT_COUNT };

const struct inv_ops inv_B2 = {
	.id = INV_B2,
	.events = events,
	.on_event = on_event,
};
