// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * D4: what a call reports (length, type, MSG_EOR, MSG_CTRUNC) matches the
 * bytes it delivered.
 * How: lengths against what was handed out; MSG_EOR must be there if and only
 * if the last byte delivered ends a record; MSG_CTRUNC if and only if the type
 * did not fit; decryption must give the length and type the peer sealed.
 * Left out: MSG_EOR of calls without bytes; messages of plain TCP.
 */
#include "sim/inv/local.h"

static void decrypted(struct sim *s, const struct sim_event *e)
{
	const struct peer_rec *r = ledger_rec(s->ledger, (u64)e->a);

	if (!r)
		return;
	if (e->kind == EV_DECRYPTED_TYPE)
		INV_CHECK(s, D4, r->type == e->b, "decrypted-type",
			  "record %lld has type %u, decrypted was %lld",
			  (long long)e->a, r->type, (long long)e->b);
	else if (!e->c)
		INV_CHECK(s, D4, r->plain_len == e->b, "decrypted-length",
			  "record %lld has %u bytes, decrypted were %lld",
			  (long long)e->a, r->plain_len, (long long)e->b);
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	(void)state;
	if (s->ledger->state == LEDGER_TLS)
		decrypted(s, e);
}

static void length(struct sim *s, const struct inv_part *p)
{
	u64 got = p->ret > 0 ? (u64)p->ret : 0;

	INV_CHECK(s, D4, got <= p->asked, "too-long",
		  "asked were %llu bytes, returned %llu",
		  (unsigned long long)p->asked, (unsigned long long)got);
	if (p->msg)
		INV_CHECK(s, D4, got == p->msg->put, "length",
			  "returned was %lld, handed out were %llu bytes",
			  (long long)p->ret, (unsigned long long)p->msg->put);
}

/* MSG_EOR without a record's end. */
static const char *eor_slug(const struct inv_part *p, bool peek)
{
	if (peek && !p->msg->whole && p->msg->last < p->msg->opened)
		return "eor-peek-prefix";
	return p->msg->whole ? "eor-inside-record" : "eor-without-end";
}

static void eor(struct sim *s, const struct inv_part *p, bool peek)
{
	const struct ledger_msg *m = p->msg;
	bool flag = p->res->msg_flags & M_MSG_EOR;
	bool ends;

	if (s->ledger->state != LEDGER_TLS || !m->typed)
		return;
	ends = m->last_off == s->ledger->peer->recs[m->last].plain_len;
	if (flag == ends)
		inv_checked(s, INV_D4);
	else if (flag)
		inv_fail(
			s, INV_D4, eor_slug(p, peek),
			"MSG_EOR is set, the bytes end at byte %u of record %u",
			m->last_off, m->last);
	else
		inv_fail(s, INV_D4,
			 peek && m->last >= m->opened ? "no-eor-first-peek" :
							"no-eor",
			 "MSG_EOR is missing, the bytes end with record %u",
			 m->last);
}

static void type(struct sim *s, const struct inv_part *p, u32 ctl)
{
	bool fits = ctl >= CMSG_LEN_1;

	INV_CHECK(s, D4, !(p->res->msg_flags & M_MSG_CTRUNC) == fits, "ctrunc",
		  "MSG_CTRUNC is %s with %u control bytes offered",
		  fits ? "set" : "missing", ctl);
	INV_CHECK(s, D4, p->res->cmsg_count == fits, "cmsg-count",
		  "%u record types were reported in %u control bytes",
		  p->res->cmsg_count, ctl);
	if (p->msg->typed && p->res->cmsg_count)
		INV_CHECK(s, D4, p->res->cmsg_type == p->msg->type, "cmsg-type",
			  "reported was type %u, the bytes are of type %u",
			  p->res->cmsg_type, p->msg->type);
}

static void on_return(struct sim *s, void *state, struct sim_task *t)
{
	enum call_kind kind = t->call->kind;
	bool tls = inv_tls_call(s, t);
	const struct inv_part *p;
	u32 i;

	(void)state;
	if (!call_takes_data(kind))
		return;
	for (i = 0; i < inv_part_count(t); i++) {
		p = inv_part(s, t, i);
		length(s, p);
		if (!tls || !p->msg || p->ret <= 0 ||
		    (kind != CALL_RECVMSG && kind != CALL_RECVMMSG))
			continue;
		eor(s, p, inv_is_peek(t->call));
		type(s, p, t->call->ctl);
	}
}

static const enum m_event_kind events[] = {
	EV_DECRYPT,
	EV_DECRYPTED_TYPE,
	M_EVENT_COUNT,
};

const struct inv_ops inv_D4 = {
	.id = INV_D4,
	.events = events,
	.on_event = on_event,
	.on_return = on_return,
};
