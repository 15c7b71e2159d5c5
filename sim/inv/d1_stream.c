// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * D1: bytes out are plaintext in, in order, once, over any mix of calls; a
 * peek consumes nothing.
 * How: every hand-out must start where the last one ended (ledger_put); when
 * the reader role is given up, every record decrypted and not handed out must
 * be on rx_list; the caller's memory, the pipe's slots and what is read from a
 * pipe must hold the right bytes.
 * Left out: bytes behind a theft by a plain read; raw bytes that two plain
 * calls took at the same time.
 */
#include "sim/inv/d1_pipe.h"
#include "sim/inv/local.h"

/**
 * struct d1 - state
 * @pipes: what should be in each pipe
 */
struct d1 {
	struct d1_pipe *pipes;
};

static void due(struct sim *s, const struct ledger_put *p)
{
	const char *slug;

	if (p->rec == p->want_rec && p->off == p->want_off) {
		inv_checked(s, INV_D1);
		return;
	}
	slug = p->rec < p->want_rec ||
			       (p->rec == p->want_rec && p->off < p->want_off) ?
		       "repeated" :
		       "skipped";
	inv_fail(s, INV_D1, slug,
		 "%s byte %u of record %u, due was byte %u of record %u",
		 p->peek ? "a peek shows" : "handed out was", p->off, p->rec,
		 p->want_off, p->want_rec);
}

/* Splice: the pipe's mutex is held, so its newest bytes are the call's. */
static void into_pipe(struct sim *s, struct d1 *st, const struct sim_event *e)
{
	const struct ledger_put *p = &s->ledger->put;
	u32 i = inv_call(s, e)->pipe;

	if (!p->len)
		return;
	if (!d1_newest_match(s, i, p->rec, p->off, p->len))
		inv_fail(s, INV_D1, "pipe-bytes",
			 "the pipe does not hold bytes [%u,%u) of record %u",
			 p->off, p->off + p->len, p->rec);
	d1_push(s, &st->pipes, i, D1_RECORD, p->rec, p->off, p->len);
}

static void handed_out(struct sim *s, struct d1 *st, const struct sim_event *e)
{
	if (!s->ledger->put.known) {
		s->ledger->lost_checks++;
		if (inv_call(s, e)->kind == CALL_SPLICE)
			d1_push(s, &st->pipes, inv_call(s, e)->pipe, D1_UNKNOWN,
				0, 0, (u64)e->c);
		return;
	}
	due(s, &s->ledger->put);
	if (inv_call(s, e)->kind == CALL_SPLICE)
		into_pipe(s, st, e);
}

static bool list_is_complete(const struct ledger *l,
			     const struct tls_sw_context_rx *ctx, u32 first)
{
	const struct sk_buff *head = ctx->rx_list.first;
	const struct sk_buff *tail = ctx->rx_list.last;

	return head && (s64)head->cb.recno + l->delta <= first &&
	       (s64)tail->cb.recno + l->delta == (s64)l->opened - 1 &&
	       tail->cb.recno - head->cb.recno + 1 == ctx->rx_list.qlen;
}

static void nothing_dropped(struct sim *s)
{
	struct tls_sw_context_rx *ctx = ledger_rx(s);
	struct ledger *l = s->ledger;
	u32 first;

	if (l->state != LEDGER_TLS || !l->mapped)
		return;
	first = ledger_solid(l);
	if (first >= l->opened || list_is_complete(l, ctx, first)) {
		inv_checked(s, INV_D1);
		return;
	}
	inv_fail(
		s, INV_D1, "dropped",
		"record %u was decrypted and neither handed out nor put on rx_list (%u there)",
		first, ctx->rx_list.qlen);
}

/* Bytes went into a pipe from elsewhere than a TLS record. */
static void pipe_filled(struct sim *s, struct d1 *st, const struct sim_event *e)
{
	const struct trace_call *call = inv_call(s, e);
	const struct ledger_call *c = ledger_call(s, e->task);
	struct ledger *l = s->ledger;
	u64 pos = l->raw_pos + c->raw - (u64)e->b;

	if (call->kind == CALL_PWRITE) {
		d1_push(s, &st->pipes, call->pipe, D1_WRITTEN, 0, 0, (u64)e->b);
		return;
	}
	if (!c->plain)
		return;
	if (l->raw_lost || c->overlapped || l->state != LEDGER_PLAIN ||
	    !ledger_no_urgent(s)) {
		d1_push(s, &st->pipes, call->pipe, D1_UNKNOWN, 0, 0, (u64)e->b);
		return;
	}
	d1_push(s, &st->pipes, call->pipe, D1_RAW, 0, pos, (u64)e->b);
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	struct d1 *st = state;

	if (e->kind == EV_PUT_USER)
		handed_out(s, st, e);
	else if (e->kind == EV_READER_OFF)
		nothing_dropped(s);
	else if (e->kind == EV_PIPE_ADD)
		pipe_filled(s, st, e);
	else
		d1_read(s, st->pipes, e);
}

static void record_bytes(struct sim *s, const struct inv_part *p)
{
	struct ledger *l = s->ledger;
	u64 n = min_t(u64, (u64)p->ret, p->res->buf_size);
	s64 bad;

	if (l->state != LEDGER_TLS || !p->msg) {
		l->lost_checks++;
		return;
	}
	bad = ledger_compare(l, p->msg->rec, p->msg->off, p->res->buf, n);
	INV_CHECK(
		s, D1, bad < 0, "bytes",
		"byte %lld of the %lld returned is wrong; due was byte %u of record %u",
		(long long)bad, (long long)p->ret, p->msg->off, p->msg->rec);
}

/* @pos: where in the raw stream the message should start. */
static void raw_bytes(struct sim *s, const struct inv_part *p, u64 pos)
{
	struct ledger *l = s->ledger;
	s64 bad;

	bad = ledger_compare_raw(l, pos, p->res->buf,
				 min_t(u64, (u64)p->ret, p->res->buf_size));
	if (bad >= 0 && !ledger_wire_clean(s)) {
		l->raw_lost = true;
		return;
	}
	INV_CHECK(
		s, D1, bad < 0, "raw-bytes",
		"byte %lld of the %lld returned is wrong; due was stream byte %llu",
		(long long)bad, (long long)p->ret, (unsigned long long)pos);
}

static bool raw_known(struct sim *s, const struct sim_task *t)
{
	const struct ledger_call *c = ledger_call(s, t->t.id);
	u32 odd = M_MSG_TRUNC | M_MSG_OOB | M_MSG_ERRQUEUE;

	if (!c->plain || c->overlapped || s->ledger->raw_lost ||
	    s->ledger->state != LEDGER_PLAIN || !ledger_no_urgent(s))
		return false;
	return t->call->kind == CALL_READ_SOCK ||
	       !(t->call->flags & odd || s->conn.sk->sk_peek_off >= 0);
}

static void on_return(struct sim *s, void *state, struct sim_task *t)
{
	bool raw = ledger_call(s, t->t.id)->plain;
	u64 pos = s->ledger->raw_pos;
	const struct inv_part *p;
	u32 i;

	(void)state;
	if (!call_takes_data(t->call->kind) || t->call->kind == CALL_SPLICE ||
	    t->res.ret <= 0 || (raw && !raw_known(s, t)))
		return;
	for (i = 0; i < inv_part_count(t); i++) {
		p = inv_part(s, t, i);
		if (p->ret <= 0)
			continue;
		if (raw)
			raw_bytes(s, p, pos);
		else
			record_bytes(s, p);
		if (!inv_is_peek(t->call))
			pos += (u64)p->ret;
	}
}

static const enum m_event_kind events[] = {
	EV_PUT_USER, EV_READER_OFF, EV_PIPE_ADD, EV_PIPE_DEL, M_EVENT_COUNT,
};

const struct inv_ops inv_D1 = {
	.id = INV_D1,
	.state_size = sizeof(struct d1),
	.events = events,
	.on_event = on_event,
	.on_return = on_return,
};
