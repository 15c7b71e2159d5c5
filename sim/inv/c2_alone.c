// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * C2: a control record is delivered alone with its type, or refused with EIO
 * and kept.
 * How: behind the first byte of a control record no other record may be handed
 * out in the same message; bytes of one go out only with the type beside them.
 * Left out: that a refused record is kept shows as D1 (dropped), that nothing
 * of it went out as D4 (length).
 */
#include "sim/inv/local.h"

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	const struct ledger_msg *m = &ledger_call(s, e->task)->msg;
	const struct ledger_put *p = &s->ledger->put;

	(void)state;
	if (!p->known || !p->len || m->type == TLS_RECORD_TYPE_DATA)
		return;
	INV_CHECK(s, C2, m->put == p->len, "joined",
		  "record %u joins %llu bytes of a control record", p->rec,
		  (unsigned long long)(m->put - p->len));
}

static void part(struct sim *s, const struct sim_task *t,
		 const struct inv_part *p)
{
	bool typed;

	if (!p->msg || !p->msg->typed || p->msg->type == TLS_RECORD_TYPE_DATA)
		return;
	typed = p->res->cmsg_count == 1 && p->res->cmsg_type == p->msg->type;
	INV_CHECK(s, C2, p->ret > 0 && typed, "untyped",
		  "%lld bytes of type %u went to a %s without their type",
		  (long long)p->ret, p->msg->type, call_name[t->call->kind]);
}

static void on_return(struct sim *s, void *state, struct sim_task *t)
{
	const struct inv_part *p;
	u32 i;

	(void)state;
	if (!call_is_recv(t->call->kind) || !inv_tls_call(s, t))
		return;
	for (i = 0; i < inv_part_count(t); i++) {
		p = inv_part(s, t, i);
		part(s, t, p);
	}
}

static const enum m_event_kind events[] = { EV_PUT_USER, M_EVENT_COUNT };

const struct inv_ops inv_C2 = {
	.id = INV_C2,
	.events = events,
	.on_event = on_event,
	.on_return = on_return,
};
