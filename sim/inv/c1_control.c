// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * C1: control records are never given to splice or read_sock; they stay in
 * place for recvmsg.
 * How: the type of whatever those calls hand out; and when they refuse because
 * of a control record, it must be the first thing on rx_list afterwards.
 * Left out: what recvmsg makes of it (C2).
 */
#include "sim/inv/local.h"

static bool refuses_control(enum call_kind kind)
{
	return kind == CALL_SPLICE || kind == CALL_READ_SOCK;
}

static void handed_out(struct sim *s, const struct sim_event *e)
{
	const struct ledger_put *p = &s->ledger->put;
	u8 type;

	if (!p->known)
		return;
	type = s->ledger->peer->recs[p->rec].type;
	INV_CHECK(s, C1, type == TLS_RECORD_TYPE_DATA, "handed-out",
		  "%s got %u bytes of type %u", call_name[inv_call(s, e)->kind],
		  p->len, type);
}

static void kept(struct sim *s)
{
	const struct sk_buff *head = ledger_rx(s)->rx_list.first;
	struct ledger *l = s->ledger;
	u32 next;

	if (l->state != LEDGER_TLS || !l->mapped)
		return;
	next = ledger_solid(l);
	if (next >= l->opened ||
	    l->peer->recs[next].type == TLS_RECORD_TYPE_DATA)
		return;
	INV_CHECK(s, C1,
		  head && (s64)head->cb.recno + l->delta <= next &&
			  (head->cb.control != TLS_RECORD_TYPE_DATA ||
			   !head->cb.full_len),
		  "moved", "control record %u is not in front of rx_list",
		  next);
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	(void)state;
	if (!refuses_control(inv_call(s, e)->kind))
		return;
	if (e->kind == EV_PUT_USER)
		handed_out(s, e);
	else
		kept(s);
}

static const enum m_event_kind events[] = {
	EV_PUT_USER,
	EV_READER_OFF,
	M_EVENT_COUNT,
};

const struct inv_ops inv_C1 = {
	.id = INV_C1,
	.events = events,
	.on_event = on_event,
};
