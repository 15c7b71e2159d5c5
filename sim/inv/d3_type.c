// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * D3: one call never joins two record types.
 * How: the type of every record handed out is compared with that of the first
 * one in the same message.
 * Left out: empty records, which hand out no byte of their type.
 */
#include "sim/inv/local.h"

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	const struct ledger_msg *m = &ledger_call(s, e->task)->msg;
	const struct ledger_put *p = &s->ledger->put;
	u8 type;

	(void)state;
	if (!p->known || !p->len)
		return;
	type = s->ledger->peer->recs[p->rec].type;
	INV_CHECK(s, D3, type == m->type, "joined",
		  "the call has bytes of type %u and got some of type %u",
		  m->type, type);
}

static const enum m_event_kind events[] = { EV_PUT_USER, M_EVENT_COUNT };

const struct inv_ops inv_D3 = {
	.id = INV_D3,
	.events = events,
	.on_event = on_event,
};
