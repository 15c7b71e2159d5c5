// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Statements of a trace, performed one at a time.
 * How: run.c walks through them in order; a point may perform the next wire
 * statement or a task's next call before its turn, which stmt_done remembers.
 * Left out: the calls themselves (syscall.c) and expectations (expect.c).
 */
#include "sim/inv/inv.h"
#include "sim/inv/ledger.h"

static bool is_wire(const struct trace_stmt *st)
{
	return st->kind == ST_WIRE || st->kind == ST_SEND ||
	       st->kind == ST_FIN || st->kind == ST_RST;
}

u32 stmt_next_wire(const struct sim *s)
{
	u32 i;

	for (i = s->next_stmt; i < s->tr->stmt_n; i++) {
		if (!s->stmt_done[i] && is_wire(&s->tr->stmts[i]))
			return i;
	}
	return UINT32_MAX;
}

u32 stmt_next_call(const struct sim *s, u32 task)
{
	const struct trace_stmt *st;
	u32 i;

	for (i = s->next_stmt; i < s->tr->stmt_n; i++) {
		st = &s->tr->stmts[i];
		if (!s->stmt_done[i] && st->kind == ST_CALL && st->task == task)
			return i;
	}
	return UINT32_MAX;
}

void stmt_run_next_wire(struct sim *s)
{
	u32 i, wire = stmt_next_wire(s);
	enum stmt_kind kind;

	for (i = s->next_stmt; i < wire; i++) {
		kind = s->tr->stmts[i].kind;
		if (!s->stmt_done[i] &&
		    (kind == ST_PEER_RECORD || kind == ST_PEER_KEY))
			stmt_perform(s, i);
	}
	stmt_perform(s, wire);
	if (s->tr->stmts[wire].kind != ST_WIRE)
		sender_push(&s->conn.peer);
}

static void peer_records(struct sim *s, u32 stmt)
{
	const struct trace_stmt *st = &s->tr->stmts[stmt];
	struct peer_rec *rec = s->conn.peer.recs;
	struct sim_err err;
	u32 i;

	for (i = st->peer.first; i < st->peer.first + st->peer.count; i++) {
		if (peer_build(&s->conn.peer, i, &err)) {
			sim_fail_input(s, stmt, &err);
			return;
		}
		sim_event(s, EV_PEER_RECORD, i, rec[i].type, rec[i].plain_len);
	}
}

static void wire_bytes(struct sim *s, u32 stmt)
{
	const struct trace_stmt *st = &s->tr->stmts[stmt];
	struct sim_peer *p = &s->conn.peer;
	struct sim_err err;
	int ret;

	if (st->kind == ST_WIRE)
		ret = wire_deliver(p, s->tr, &st->wire, &err);
	else
		ret = sender_queue(p, s->tr, &st->wire, &err);
	if (ret)
		sim_fail_input(s, stmt, &err);
}

/* FIN or RST with a sequence number of the trace's choice. */
static void wire_control_after(struct sim *s, u32 stmt)
{
	const struct trace_stmt *st = &s->tr->stmts[stmt];
	struct sim_err err;
	u64 from, to;

	if (peer_range(&s->conn.peer, &st->fin.range, &from, &to, &err)) {
		sim_fail_input(s, stmt, &err);
		return;
	}
	if (st->kind == ST_FIN)
		wire_fin_at(&s->conn.peer, to);
	else
		wire_rst_at(&s->conn.peer, to);
}

static void fault(struct sim *s, const struct trace_stmt *st)
{
	struct fault *f = pool_push(s->pool, s->faults, s->fault_n);

	f->site = st->fail.site;
	f->nth = st->fail.nth ? s->site_count[f->site] + st->fail.nth : 0;
	f->forever = !st->fail.nth;
}

void stmt_make_pipe(struct sim *s, u32 i)
{
	const struct trace_pipe *tp = &s->tr->pipes[i];
	struct pipe_inode_info *pipe;

	if (s->pipes[i])
		return;
	pipe = alloc_pipe_info(&s->k, tp->size);
	pipe->rd_nonblock = tp->nonblock;
	pipe->wr_nonblock = tp->nonblock;
	s->pipes[i] = pipe;
}

static void end_of_trace(struct sim *s, u32 stmt)
{
	const struct trace_stmt *st = &s->tr->stmts[stmt];
	char want[64], got[64];
	u64 left = ledger_left(s);

	if (left == (st->end.consumed ? 0 : st->end.left))
		return;
	snprintf(want, sizeof(want), "%u bytes of plaintext left",
		 st->end.consumed ? 0 : st->end.left);
	snprintf(got, sizeof(got), "%llu bytes left", (unsigned long long)left);
	sim_fail_expect(s, stmt, want, got);
}

/* A call by a task that is still inside an earlier one. */
static void busy(struct sim *s, u32 stmt)
{
	struct sim_task *t = &s->tasks[s->tr->stmts[stmt].task];
	struct sim_err err = { 0 };

	if (s->tr->opts.finish)
		return; /* random traces cannot know; the call is skipped */
	snprintf(err.msg, sizeof(err.msg),
		 "%s is still in its %s of line %u, expected a task that can "
		 "make a call",
		 t->t.name, call_name[t->call->kind],
		 s->tr->stmts[t->stmt].line);
	sim_fail_input(s, stmt, &err);
}

static void call(struct sim *s, u32 stmt)
{
	const struct trace_stmt *st = &s->tr->stmts[stmt];
	struct sim_task *t = &s->tasks[st->task];

	if (t->state != TASK_IDLE)
		busy(s, stmt);
	else
		sched_start_call(s, t, st->call, stmt);
}

void stmt_perform(struct sim *s, u32 stmt)
{
	const struct trace_stmt *st = &s->tr->stmts[stmt];
	struct sim_peer *p = &s->conn.peer;

	s->stmt_done[stmt] = 1;
	if (st->kind != ST_AT) /* in force since the start */
		sim_event(s, EV_STMT, stmt, st->kind, 0);
	switch (st->kind) {
	case ST_PEER_RECORD:
		peer_records(s, stmt);
		break;
	case ST_PEER_KEY:
		peer_set_key(p, st->key.gen, st->key.seq);
		break;
	case ST_WIRE:
	case ST_SEND:
		wire_bytes(s, stmt);
		break;
	case ST_FIN:
		if (st->fin.after)
			wire_control_after(s, stmt);
		else if (st->fin.send)
			sender_fin(p);
		else
			wire_fin(p);
		break;
	case ST_RST:
		if (st->fin.after)
			wire_control_after(s, stmt);
		else if (st->fin.send)
			sender_rst(p);
		else
			wire_rst(p);
		break;
	case ST_CALL:
		call(s, stmt);
		break;
	case ST_AT:
	case ST_RETURNS: /* looked at after everything ran */
		break;
	case ST_PIPE:
		stmt_make_pipe(s, st->pipe.pipe);
		break;
	case ST_FAIL:
		fault(s, st);
		break;
	case ST_SIGNAL:
		sched_signal(s, &s->tasks[st->task], st->signal.restart);
		break;
	case ST_EXPECT:
		expect_counter(s, stmt);
		break;
	case ST_END:
		end_of_trace(s, stmt);
		break;
	case ST_KIND_COUNT:
		break;
	}
}
