// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The end of a world: the second phase of random runs, and teardown.
 * How: in the second phase faults stop, the peer builds and sends all it has
 * and closes, pipes are drained, and every task must come out of its call
 * (W1, B5). Teardown ends what still sleeps with a signal, closes everything,
 * and hands the memory account to the invariants (R2).
 * Left out: unwinding after an assertion failed; that world is abandoned.
 */
#include "sim/inv/inv.h"
#include "sim/inv/ledger.h"

/* Rounds of "advance to the next timer, drain" before we stop waiting. */
#define FINISH_ROUNDS 2000
/* The same with nothing but a sender that knocks at a full buffer. */
#define FINISH_IDLE_ROUNDS 16

static bool somebody_is_in_a_call(const struct sim *s)
{
	u32 i;

	for (i = 0; i < s->task_n + 2; i++) {
		if (s->tasks[i].state != TASK_IDLE)
			return true;
	}
	return false;
}

static void reap(struct sim *s, struct trace_call *call)
{
	if (s->reaper->state != TASK_IDLE || s->stopped)
		return;
	call->opt_len = -1;
	sched_start_call(s, s->reaper, call, UINT32_MAX);
	sched_settle(s);
}

/* True if anything was taken from a pipe. */
static bool drain_pipes(struct sim *s)
{
	struct trace_call *call;
	bool any = false;
	u32 i;

	for (i = 0; i < s->pipe_n && !s->stopped; i++) {
		if (!s->pipes[i] || !pipe_occupancy(s->pipes[i]) ||
		    s->pipe_closed[i] & SIM_FD_CLOSED(0) ||
		    s->pipes[i]->mutex_owner)
			continue;
		call = mem_pool_alloc(s->pool, sizeof(*call));
		call->kind = CALL_PREAD;
		call->pipe = i;
		call->val = 65536;
		reap(s, call);
		any = true;
	}
	return any;
}

static void build_rest(struct sim *s)
{
	const struct trace_stmt *st;
	u32 i;

	for (i = 0; i < s->tr->stmt_n && !s->stopped; i++) {
		st = &s->tr->stmts[i];
		if (!s->stmt_done[i] &&
		    (st->kind == ST_PEER_RECORD || st->kind == ST_PEER_KEY))
			stmt_perform(s, i);
	}
}

/* Grows when a byte is accepted, a pipe is drained or a task goes on. */
static u64 progress(const struct sim *s)
{
	return (u64)tcp_sk(s->conn.sk)->rcv_nxt + s->counters[CNT_CALLS] +
	       s->counters[CNT_SLEEPS];
}

void finish_world(struct sim *s)
{
	int i, idle = 0;
	u64 before;
	s64 timer;

	s->fault_n = 0;
	s->finishing = true;
	build_rest(s);
	sender_queue_rest(&s->conn.peer);
	sender_fin(&s->conn.peer);
	sched_settle(s);
	for (i = 0; i < FINISH_ROUNDS && !s->stopped; i++) {
		before = progress(s);
		if (!somebody_is_in_a_call(s) && sender_done(&s->conn.peer))
			break;
		timer = sched_next_timer(s);
		if (!drain_pipes(s) && timer < 0)
			break;
		if (timer >= 0)
			sched_advance(s, timer);
		idle = progress(s) == before ? idle + 1 : 0;
		if (idle == FINISH_IDLE_ROUNDS)
			break;
	}
	if (!s->stopped)
		inv_finished(s);
}

/* Ends every sleep that a fatal signal would end. */
static void kill_tasks(struct sim *s)
{
	struct sim_task *t;
	u32 i;

	for (i = 0; i < s->task_n + 2; i++) {
		t = &s->tasks[i];
		if (t->state == TASK_IDLE || t->state == TASK_DEAD)
			continue;
		t->killed = true;
		t->signalled = true;
		t->sig_restart = false;
		if (t->state == TASK_SLEEPING && t->interruptible)
			sched_wake(s, t);
	}
}

static void close_all(struct sim *s)
{
	struct trace_call *call;
	u32 i;

	if (!s->conn.closed) {
		call = mem_pool_alloc(s->pool, sizeof(*call));
		call->kind = CALL_CLOSE;
		call->opt_len = -1;
		sched_start_call(s, s->reaper, call, UINT32_MAX);
		sched_settle(s);
	}
	for (i = 0; i < s->pipe_n; i++) {
		if (s->pipes[i])
			free_pipe_info(s->pipes[i]);
	}
}

void abandon_world(struct sim *s)
{
	u32 i;

	for (i = 0; i < s->task_n + 2; i++) {
		if (s->tasks[i].co)
			coro_abandon(s->tasks[i].co);
		s->tasks[i].co = NULL;
		s->tasks[i].state = TASK_IDLE;
	}
	peer_abandon(&s->conn.peer);
}

void teardown_world(struct sim *s)
{
	s->teardown = true;
	s->fault_n = 0;
	kill_tasks(s);
	sched_settle(s);
	if (s->verdict.kind == VERDICT_BUG || somebody_is_in_a_call(s)) {
		if (s->verdict.kind == VERDICT_OK)
			inv_fail(s, INV_R1, "stuck",
				 "a task does not come out "
				 "of its call when killed");
		abandon_world(s);
		return;
	}
	close_all(s);
	if (s->verdict.kind == VERDICT_BUG) {
		abandon_world(s);
		return;
	}
	peer_release(&s->conn.peer);
	if (s->conn.sk)
		tcp_sock_free(s->conn.sk);
	s->conn.sk = NULL;
	inv_end(s);
}
