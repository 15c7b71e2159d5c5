// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How simulated time becomes time of a real kernel.
 *
 * Most traces let time pass and nothing comes of it: then none passes. Where
 * the model's timeouts fire, the agent waits until the kernel's did; as long as
 * only one call at a time has a timeout, its length does not matter, and a
 * short one is taken. Several at a time, or the sender's timer, need time as
 * the trace has it, stretched until everything lies so far apart that a kernel
 * of 100 ticks a second can tell it.
 * Left out: how exact a timeout is.
 */
#include "sim/judge/judge.h"

#include <stdio.h>

/* A timeout that has to fire, one that must not. */
#define SHORT_NS (100 * NSEC_PER_MSEC)
#define PATIENT_NS (400 * NSEC_PER_MSEC) /* see needs_patience() */
#define LONG_NS (20 * NSEC_PER_SEC)
/* What a kernel can tell apart for sure, on a busy machine. */
#define APART_NS (60 * NSEC_PER_MSEC)
#define TOTAL_MAX_NS (6 * NSEC_PER_SEC)
#define SCALE_ONE 1000u

/* All instants at which something is due. */
struct instants {
	s64 *t;
	u32 n;
};

static s64 timeout_of(const struct judge_case *c, u32 stmt, s64 rcvtimeo)
{
	const struct trace_call *call = c->tr.stmts[stmt].call;

	switch (call->kind) {
	case CALL_POLL:
	case CALL_EPOLL:
		return call->timeout_ns;
	case CALL_RECVMSG:
	case CALL_RECV:
	case CALL_READ:
	case CALL_READV:
	case CALL_RECVMMSG:
	case CALL_SPLICE:
		return rcvtimeo;
	default:
		return 0;
	}
}

static bool sets_timeo(const struct trace_call *call)
{
	return call->level == SOL_SOCKET_M && call->opt == SO_RCVTIMEO_M;
}

static s64 start_of(const struct judge_case *c, u32 stmt)
{
	s64 t = 0;
	u32 i;

	for (i = 0; i <= stmt; i++)
		t += c->tr.stmts[i].dt_ns;
	return t;
}

/* A call that slept over a later statement, or never returned. */
static bool slept(const struct judge_seen *seen, u32 stmt)
{
	return seen->state == SEEN_ASLEEP ||
	       (seen->state == SEEN_RETURNED && seen->ans.done != stmt);
}

static void add(struct instants *in, s64 t)
{
	in->t[in->n++] = t;
}

/* Deadlines and times of statements; counts calls whose timeouts overlap. */
static bool collect(struct judge_case *c, struct instants *in)
{
	s64 rcvtimeo = c->tr.opts.rcvtimeo_ns, now = 0, timeout;
	bool overlap = false;
	u32 i, until = 0;

	for (i = 0; i < c->stmt_n; i++) {
		const struct trace_stmt *st = &c->tr.stmts[i];
		const struct judge_seen *seen = &c->model.call[i];

		now += st->dt_ns;
		add(in, now);
		if (st->kind != ST_CALL)
			continue;
		if (st->call->kind == CALL_SETSOCKOPT && sets_timeo(st->call))
			rcvtimeo = st->call->val;
		timeout = timeout_of(c, i, rcvtimeo);
		if (timeout <= 0 || !slept(seen, i))
			continue;
		add(in, now + timeout);
		overlap |= i < until;
		until = max_t(u32, until,
			      seen->state == SEEN_ASLEEP ? c->stmt_n :
							   seen->ans.done);
	}
	return overlap;
}

static s64 smallest_gap(const struct instants *in)
{
	s64 gap = INT64_MAX, d;
	u32 i, k;

	for (i = 0; i < in->n; i++) {
		for (k = i + 1; k < in->n; k++) {
			d = in->t[i] - in->t[k];
			d = d < 0 ? -d : d;
			if (d && d < gap)
				gap = d;
		}
	}
	return gap;
}

static bool reads_timeo(const struct judge_case *c)
{
	u32 i;

	for (i = 0; i < c->stmt_n; i++) {
		if (c->tr.stmts[i].kind == ST_CALL &&
		    c->tr.stmts[i].call->kind == CALL_GETSOCKOPT &&
		    sets_timeo(c->tr.stmts[i].call))
			return true;
	}
	return false;
}

/* A recvmmsg of several messages may run into a timeout and go on. */
static bool times_out_within(const struct judge_case *c, u32 stmt)
{
	return c->tr.stmts[stmt].call->kind == CALL_RECVMMSG &&
	       c->model.call[stmt].ans.part_n > 1;
}

/* O_NONBLOCK, or any flag that may say so. */
static bool may_not_wait(const struct judge_case *c,
			 const struct trace_call *call)
{
	u32 i;

	if (c->tr.opts.nonblock || call->flags)
		return true;
	if (call->kind == CALL_SPLICE && c->tr.pipes[call->pipe].nonblock)
		return true;
	for (i = 0; i < c->stmt_n; i++) {
		if (c->tr.stmts[i].kind == ST_CALL &&
		    c->tr.stmts[i].call->kind == CALL_NONBLOCK)
			return true;
	}
	return false;
}

/* The agent looks for a while whether a call sleeps for good that must not wait
 * but may do so for a tick. */
static bool needs_patience(const struct judge_case *c, u32 stmt)
{
	const struct trace_call *call = c->tr.stmts[stmt].call;

	if (c->model.call[stmt].reason == REASON_TLS_READER_BUSY)
		return true;
	return slept(&c->model.call[stmt], stmt) &&
	       timeout_of(c, stmt, 1) == 1 && may_not_wait(c, call);
}

/* Looks at calls that sleep; false: they cannot be judged. */
static bool plan_sleepers(struct judge_case *c)
{
	s64 rcvtimeo = c->tr.opts.rcvtimeo_ns;
	const struct trace_call *call;
	u32 i;

	for (i = 0; i < c->stmt_n; i++) {
		if (c->tr.stmts[i].kind != ST_CALL)
			continue;
		call = c->tr.stmts[i].call;
		if (call->kind == CALL_SETSOCKOPT && sets_timeo(call))
			rcvtimeo = call->val;
		c->patient |= needs_patience(c, i);
		if (rcvtimeo && slept(&c->model.call[i], i) &&
		    times_out_within(c, i)) {
			snprintf(c->no, sizeof(c->no),
				 "timeouts within a recvmmsg");
			return false;
		}
	}
	return true;
}

/* Time as in the trace: how far has it to be stretched? */
static void plan_real(struct judge_case *c, const struct instants *in,
		      bool sender)
{
	s64 gap = smallest_gap(in), total = start_of(c, c->stmt_n - 1);
	s64 apart = c->patient ? PATIENT_NS : APART_NS;

	c->time = JUDGE_TIME_REAL;
	c->scale = SCALE_ONE;
	if (gap < apart && !sender && !c->exact)
		c->scale = (u32)(apart * SCALE_ONE / gap);
	if (gap < APART_NS / 4 && c->scale == SCALE_ONE)
		snprintf(c->no, sizeof(c->no),
			 "timers of the kernel and of the trace lie too close "
			 "together");
	else if (total > TOTAL_MAX_NS * SCALE_ONE / c->scale)
		snprintf(c->no, sizeof(c->no), "it takes too long: %lld ms",
			 (long long)(total / NSEC_PER_MSEC * c->scale /
				     SCALE_ONE));
}

void judge_time_plan(struct judge_case *c)
{
	bool fired = false, sender = false, overlap;
	struct instants in = { 0 };
	u32 i;

	for (i = 0; i < c->stmt_n; i++) {
		fired |= !!c->fired[i];
		sender |= c->sender[i];
	}
	c->scale = SCALE_ONE;
	c->time = JUDGE_TIME_NONE;
	c->exact = reads_timeo(c);
	if (!plan_sleepers(c) || (!fired && !sender))
		return;
	in.t = mem_pool_alloc_raw(c->tr.pool,
				  (2 * c->stmt_n + 1) * sizeof(*in.t));
	overlap = collect(c, &in);
	if (sender && c->tun) {
		snprintf(c->no, sizeof(c->no),
			 "a sender beside raw segments: it sends again");
		return;
	}
	c->time = JUDGE_TIME_WAIT;
	if (sender || overlap || c->exact)
		plan_real(c, &in, sender);
}

s64 judge_time_timeout(const struct judge_case *c, s64 ns)
{
	if (ns <= 0 || c->exact)
		return ns;
	switch (c->time) {
	case JUDGE_TIME_NONE:
		return LONG_NS;
	case JUDGE_TIME_WAIT:
		return c->patient ? PATIENT_NS : SHORT_NS;
	case JUDGE_TIME_REAL:
		return ns / SCALE_ONE * c->scale;
	}
	return ns;
}
