// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers and words of a trace, one by one.
 * How: a walk over the trace calls each byte count, length and count a number;
 * the n-th one can be read and set. Words are what a statement may say or not:
 * parts of a result, ranges, buffers.
 * Left out: times, record numbers, key generations and option values, which
 * are not smaller for being less.
 */
#include "sim/check/shrink.h"

/**
 * struct walk - a search for the n-th number
 * @left: numbers still to be passed
 * @set: change it
 * @value: its value, or what it becomes
 * @min: the least it can be
 * @found: it was met
 */
struct walk {
	u32 left;
	bool set;
	u32 value;
	u32 min;
	bool found;
};

/* One number. True: it is the one. */
static bool number(struct walk *w, u32 *at, u32 min)
{
	if (w->found || w->left--)
		return w->found;
	w->found = true;
	w->min = min;
	if (w->set)
		*at = w->value;
	else
		w->value = *at;
	return true;
}

static void number_s64(struct walk *w, s64 *at, u32 min)
{
	u32 v = (u32)min_t(s64, *at, UINT32_MAX - 1);

	if (*at > 0 && number(w, &v, min) && w->set)
		*at = v;
}

static void record_numbers(struct walk *w, struct trace *tr,
			   struct trace_stmt *st)
{
	struct trace_rec *r = &tr->recs[st->peer.first];
	u32 i, len = r->len, pad = r->pad, hdr_len = r->hdr_len;

	if (st->peer.count > 1)
		number(w, &st->peer.count, 1);
	if (r->kind != REC_OPENSSL || r->ossl == OSSL_DATA)
		number(w, &len, 0);
	if (pad)
		number(w, &pad, 0);
	if (r->mods & MOD_LEN)
		number(w, &hdr_len, 0);
	for (i = 0; i < st->peer.count && w->set; i++) {
		r[i].len = len;
		r[i].pad = pad;
		r[i].hdr_len = (u16)hdr_len;
	}
}

static void range_numbers(struct walk *w, struct trace_range *r)
{
	if (r->from)
		number(w, &r->from, 0);
	if (r->to != RANGE_END)
		number(w, &r->to, r->from + 1);
}

static void wire_numbers(struct walk *w, struct stmt_wire *wire)
{
	u32 i;

	for (i = 0; i < wire->range_n; i++)
		range_numbers(w, (struct trace_range *)&wire->range[i]);
	if (wire->cut)
		number(w, &wire->cut, 1);
	if (wire->flip)
		number(w, &wire->flip_off, 0);
}

static bool has_bytes(enum call_kind k)
{
	return k == CALL_PREAD || k == CALL_PWRITE;
}

static void call_numbers(struct walk *w, struct trace_call *c)
{
	u32 i, take;

	for (i = 0; i < c->iov_n; i++)
		number(w, &c->iov[i].len, 0);
	if (c->ctl && c->ctl != 64)
		number(w, &c->ctl, 1);
	if (c->count)
		number(w, &c->count, 0);
	for (i = 0; i < c->take_n; i++) {
		take = c->take[i] > 0 ? (u32)c->take[i] : 0;
		if (take && number(w, &take, 0) && w->set)
			c->take[i] = (s32)take;
	}
	if (has_bytes(c->kind))
		number_s64(w, &c->val, 0);
}

static void stmt_numbers(struct walk *w, struct trace *tr,
			 struct trace_stmt *st)
{
	switch (st->kind) {
	case ST_PEER_RECORD:
		record_numbers(w, tr, st);
		break;
	case ST_WIRE:
	case ST_SEND:
		wire_numbers(w, &st->wire);
		break;
	case ST_CALL:
		call_numbers(w, st->call);
		break;
	case ST_FAIL:
		if (st->fail.nth)
			number(w, &st->fail.nth, 1);
		break;
	case ST_AT:
		number(w, &st->at.nth, 1);
		break;
	case ST_PIPE:
		number(w, &tr->pipes[st->pipe.pipe].size, 4096);
		break;
	default:
		break;
	}
}

static bool walk(struct trace *tr, struct walk *w)
{
	u32 i;

	if (tr->opts.rcvbuf)
		number(w, &tr->opts.rcvbuf, 1);
	if (tr->opts.rcvlowat)
		number(w, &tr->opts.rcvlowat, 1);
	for (i = 0; i < tr->stmt_n && !w->found; i++)
		stmt_numbers(w, tr, &tr->stmts[i]);
	return w->found;
}

bool shrink_number(struct trace *tr, u32 n, u32 *value, u32 *min)
{
	struct walk w = { .left = n };

	if (!walk(tr, &w))
		return false;
	*value = w.value;
	*min = w.min;
	return true;
}

bool shrink_set_number(struct trace *tr, u32 n, u32 v)
{
	struct walk w = { .left = n, .set = true, .value = v };

	return walk(tr, &w);
}

/* --- words --------------------------------------------------------------- */

#define RESULT_WORDS 14u /* enum expect_bits */

static bool drop_range(struct trace_stmt *st)
{
	if ((st->kind != ST_WIRE && st->kind != ST_SEND) ||
	    st->wire.range_n < 2)
		return false;
	st->wire.range_n--;
	return true;
}

static bool drop_first_range(struct trace_stmt *st)
{
	if ((st->kind != ST_WIRE && st->kind != ST_SEND) ||
	    st->wire.range_n < 2)
		return false;
	st->wire.range++;
	st->wire.range_n--;
	return true;
}

static bool drop_buffer(struct trace_stmt *st)
{
	struct trace_call *c = st->call;

	if (st->kind != ST_CALL || c->iov_n < 2)
		return false;
	c->iov[--c->iov_n] = (struct trace_iov){ 0 };
	return true;
}

static bool drop_restart(struct trace_stmt *st)
{
	bool was = st->kind == ST_SIGNAL && st->signal.restart;

	if (was)
		st->signal.restart = false;
	return was;
}

static bool drop_seq(struct trace_stmt *st)
{
	if (st->kind != ST_CALL || !st->call->key_seq_set)
		return false;
	st->call->key_seq_set = false;
	st->call->key_seq = 0;
	return true;
}

bool shrink_drop_word(struct trace *tr, u32 at, u32 v)
{
	struct trace_stmt *st = &tr->stmts[at];

	if (v < RESULT_WORDS) {
		if (!(st->result.what & 1u << v) || st->kind != ST_CALL)
			return false;
		st->result.what &= ~(1u << v);
		/* nothing is left to stand behind */
		if (1u << v & (EXP_RET | EXP_MASK))
			st->result.what = 0;
		return true;
	}
	switch (v - RESULT_WORDS) {
	case 0:
		return drop_range(st);
	case 1:
		return drop_first_range(st);
	case 2:
		return drop_buffer(st);
	case 3:
		return drop_restart(st);
	case 4:
		return drop_seq(st);
	default:
		return false;
	}
}
