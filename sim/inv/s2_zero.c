// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * S2: 0 is returned only for end of stream or a zero-length request.
 * How: at the return of 0 by a call that asked for something: the receive side
 * must be shut, and no record may have been left. An empty record that turns
 * into a 0 is a breach of its own kind for each way it happens.
 * Left out: 0 of read_sock when the consumer took nothing: it said so itself.
 */
#include "sim/inv/local.h"

static bool at_end(const struct sim *s)
{
	const struct sock *sk = s->conn.sk;

	return sk->sk_shutdown & RCV_SHUTDOWN || sk->sk_done ||
	       sk->sk_state == TCP_CLOSE;
}

/**
 * struct front - the records a message without bytes began with
 * @empty: empty data records
 * @next: the record behind those was decrypted, too
 * @control: and is no data
 * @control_empty: and is empty
 */
struct front {
	u32 empty;
	bool next;
	bool control;
	bool control_empty;
};

static struct front front_of(const struct ledger *l, const struct inv_part *p)
{
	struct front f = { 0 };
	const struct peer_rec *r;
	u32 i;

	if (l->state != LEDGER_TLS || !p->msg)
		return f;
	for (i = p->msg->rec; i < l->opened; i++) {
		r = &l->peer->recs[i];
		f.control = r->type != TLS_RECORD_TYPE_DATA;
		f.control_empty = f.control && !r->plain_len;
		f.next = r->plain_len || f.control;
		if (f.next)
			return f;
		f.empty++;
	}
	return f;
}

static const char *slug_of(const struct sim *s, const struct sim_task *t,
			   const struct inv_part *p)
{
	const struct ledger_call *c = ledger_call(s, t->t.id);
	const struct front f = front_of(s->ledger, p);

	if (t->call->kind == CALL_SPLICE && c->plain)
		return c->met & MET_NOMEM ? "tcp-splice-no-memory" :
		       t->res.reason == REASON_TCP_URG_MARK ?
					    "tcp-splice-urgent" :
					    "zero";
	if (t->call->kind == CALL_SPLICE)
		return f.empty ? "splice-empty-record" : "zero";
	if (!call_is_recv(t->call->kind))
		return "zero";
	if (!f.empty && f.control_empty)
		return "empty-control";
	return f.empty && f.control ? "empty-then-control" : "zero";
}

static void part(struct sim *s, struct sim_task *t, const struct inv_part *p)
{
	bool left = p->msg && p->msg->ready_left;

	if (p->ret)
		return;
	if (at_end(s) && !left) {
		inv_checked(s, INV_S2);
		return;
	}
	if (s->ledger->state == LEDGER_LOST)
		return; /* an empty record, for all we know */
	inv_fail(s, INV_S2, slug_of(s, t, p),
		 "0 was returned for %llu bytes; the stream %s",
		 (unsigned long long)p->asked,
		 !at_end(s) ? "has not ended" : "has records left");
}

/* The consumer of read_sock stopped it, TCP's has no EAGAIN, or the call is
 * about the urgent byte. */
static bool says_nothing(const struct trace_call *c, bool plain)
{
	if (c->kind == CALL_READ_SOCK)
		return c->take_n || plain;
	return call_is_recv(c->kind) && c->flags & M_MSG_OOB;
}

static void on_return(struct sim *s, void *state, struct sim_task *t)
{
	const struct inv_part *p;
	u32 i;

	(void)state;
	if (!call_takes_data(t->call->kind) || s->ledger->closing ||
	    says_nothing(t->call, ledger_call(s, t->t.id)->plain))
		return;
	for (i = 0; i < inv_part_count(t); i++) {
		p = inv_part(s, t, i);
		if (p->asked)
			part(s, t, p);
	}
}

const struct inv_ops inv_S2 = {
	.id = INV_S2,
	.on_return = on_return,
};
