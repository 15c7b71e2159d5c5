// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Comparing traces field by field, following every pointer.
 *
 * Structures without pointers are compared as bytes: all of them are zeroed
 * when made.
 *
 * Left out: line numbers and the file's name, which a generated trace lacks.
 */
#include "tests/unit/trace_eq.h"

static bool str_eq(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool opts_eq(const struct trace_opts *a, const struct trace_opts *b)
{
	return a->version == b->version && a->cipher == b->cipher &&
	       str_eq(a->profile, b->profile) && a->rcvbuf == b->rcvbuf &&
	       a->mss == b->mss && a->rcvlowat == b->rcvlowat &&
	       a->rcvtimeo_ns == b->rcvtimeo_ns && a->seq == b->seq &&
	       a->layout == b->layout && a->held == b->held &&
	       a->nopad == b->nopad && a->nonblock == b->nonblock &&
	       a->ulp == b->ulp && a->rx == b->rx && a->openssl == b->openssl &&
	       a->finish == b->finish;
}

static bool rec_eq(const struct trace_rec *a, const struct trace_rec *b)
{
	return str_eq(a->name, b->name) && a->index == b->index &&
	       a->of == b->of && a->kind == b->kind && a->type == b->type &&
	       a->len == b->len && a->pad == b->pad && a->mods == b->mods &&
	       a->ver == b->ver && a->hdr_len == b->hdr_len &&
	       a->dlen == b->dlen && a->outer == b->outer && a->seq == b->seq &&
	       a->ossl == b->ossl && !a->raw == !b->raw &&
	       (!a->raw || !memcmp(a->raw, b->raw, a->len));
}

static bool range_eq(const struct trace_range *a, const struct trace_range *b)
{
	return a->rec == b->rec && a->count == b->count && a->from == b->from &&
	       a->to == b->to;
}

static bool data_eq(const struct trace_data *a, const struct trace_data *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case DATA_RANGE:
		return range_eq(&a->range, &b->range);
	case DATA_STREAM:
		return a->range.from == b->range.from &&
		       a->range.to == b->range.to;
	case DATA_FILL:
		return a->fill == b->fill && a->fill_n == b->fill_n;
	}
	return false;
}

/* All but the messages. */
static bool result_part_eq(const struct trace_result *a,
			   const struct trace_result *b)
{
	if (a->what != b->what || a->ret != b->ret || a->type != b->type ||
	    a->flags != b->flags || a->mask != b->mask ||
	    a->reason != b->reason || a->past != b->past ||
	    a->outlen != b->outlen || a->value != b->value ||
	    a->ctllen != b->ctllen || a->data_n != b->data_n ||
	    a->hex_n != b->hex_n || a->msg_n != b->msg_n)
		return false;
	for (u32 i = 0; i < a->data_n; i++) {
		if (!data_eq(&a->data[i], &b->data[i]))
			return false;
	}
	return !a->hex_n || !memcmp(a->hex, b->hex, a->hex_n);
}

static bool result_eq(const struct trace_result *a,
		      const struct trace_result *b)
{
	if (!result_part_eq(a, b))
		return false;
	for (u32 i = 0; i < a->msg_n; i++) {
		if (!result_part_eq(&a->msgs[i], &b->msgs[i]))
			return false;
	}
	return true;
}

static bool wire_eq(const struct stmt_wire *a, const struct stmt_wire *b)
{
	if (a->range_n != b->range_n || a->cut != b->cut ||
	    a->layout != b->layout || a->held != b->held || a->urg != b->urg ||
	    a->flip_off != b->flip_off || a->flip != b->flip)
		return false;
	for (u32 i = 0; i < a->range_n; i++) {
		if (!range_eq(&a->range[i], &b->range[i]))
			return false;
	}
	return true;
}

static bool stmt_args_eq(const struct trace_stmt *a, const struct trace_stmt *b)
{
	switch (a->kind) {
	case ST_PEER_RECORD:
		return a->peer.first == b->peer.first &&
		       a->peer.count == b->peer.count;
	case ST_PEER_KEY:
		return a->key.gen == b->key.gen && a->key.seq == b->key.seq &&
		       a->key.seq_set == b->key.seq_set;
	case ST_WIRE:
	case ST_SEND:
		return wire_eq(&a->wire, &b->wire);
	case ST_FIN:
	case ST_RST:
		return a->fin.send == b->fin.send &&
		       a->fin.after == b->fin.after &&
		       range_eq(&a->fin.range, &b->fin.range);
	case ST_CALL:
		return !memcmp(a->call, b->call, sizeof(*a->call));
	case ST_PIPE:
		return a->pipe.pipe == b->pipe.pipe;
	case ST_FAIL:
		return a->fail.site == b->fail.site &&
		       a->fail.nth == b->fail.nth;
	case ST_AT:
		return a->at.point == b->at.point && a->at.nth == b->at.nth &&
		       a->at.what == b->at.what;
	case ST_SIGNAL:
		return a->signal.restart == b->signal.restart;
	case ST_EXPECT:
		return a->expect.counter == b->expect.counter &&
		       a->expect.value == b->expect.value &&
		       a->expect.more == b->expect.more;
	case ST_END:
		return a->end.consumed == b->end.consumed &&
		       a->end.left == b->end.left;
	case ST_RETURNS:
	case ST_KIND_COUNT:
		break;
	}
	return true;
}

static bool stmt_eq(const struct trace_stmt *a, const struct trace_stmt *b)
{
	return a->kind == b->kind && a->dt_ns == b->dt_ns &&
	       a->timed == b->timed && a->task == b->task &&
	       result_eq(&a->result, &b->result) && stmt_args_eq(a, b);
}

static bool comment_eq(const struct trace_comment *a,
		       const struct trace_comment *b)
{
	return a->place == b->place && a->before_stmt == b->before_stmt &&
	       a->trailing == b->trailing && str_eq(a->text, b->text);
}

static const char *names_difference(const struct trace *a,
				    const struct trace *b, u32 *at)
{
	for (*at = 0; *at < a->task_n; ++*at) {
		if (!str_eq(a->tasks[*at], b->tasks[*at]))
			return "task";
	}
	for (*at = 0; *at < a->pipe_n; ++*at) {
		const struct trace_pipe *p = &a->pipes[*at];
		const struct trace_pipe *q = &b->pipes[*at];

		if (!str_eq(p->name, q->name) || p->size != q->size ||
		    p->nonblock != q->nonblock)
			return "pipe";
	}
	return NULL;
}

const char *trace_difference(const struct trace *a, const struct trace *b,
			     u32 *at)
{
	*at = 0;
	if (a->rec_n != b->rec_n || a->task_n != b->task_n ||
	    a->pipe_n != b->pipe_n || a->stmt_n != b->stmt_n ||
	    a->comment_n != b->comment_n)
		return "number of something";
	if (!opts_eq(&a->opts, &b->opts))
		return "options";
	for (; *at < a->rec_n; ++*at) {
		if (!rec_eq(&a->recs[*at], &b->recs[*at]))
			return "record";
	}
	for (*at = 0; *at < a->stmt_n; ++*at) {
		if (!stmt_eq(&a->stmts[*at], &b->stmts[*at]))
			return "statement";
	}
	for (*at = 0; *at < a->comment_n; ++*at) {
		if (!comment_eq(&a->comments[*at], &b->comments[*at]))
			return "comment";
	}
	return names_difference(a, b, at);
}
