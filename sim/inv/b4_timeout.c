// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * B4: no sleep is longer than its timeout, and a signal ends it.
 * How: a sleep for the socket may take SO_RCVTIMEO, poll its own timeout; the
 * clock at the end of a sleep against its start; when nothing can run, nobody
 * who can be interrupted sleeps with a signal pending.
 * Left out: the sum of a call's sleeps: the kernel starts SO_RCVTIMEO again
 * for every record, on purpose.
 */
#include "sim/inv/local.h"

/* Tasks whose sleeps are looked at; more are not checked for length. */
#define TASKS_MAX 16

/**
 * struct b4 - state
 * @until: when each task's sleep must be over, 0: no limit or not asleep
 */
struct b4 {
	s64 until[TASKS_MAX];
};

/* Longest the call may sleep here, -1 no limit. */
static s64 limit(const struct sim *s, const struct sim_event *e)
{
	const struct sock *sk = s->conn.sk;

	switch (e->a) {
	case M_SLEEP_SK_WAIT:
	case M_SLEEP_READER:
		return sk->sk_rcvtimeo == MAX_SCHEDULE_TIMEOUT ?
			       -1 :
			       sk->sk_rcvtimeo;
	case M_SLEEP_POLL:
		return inv_call(s, e)->timeout_ns;
	default:
		return -1;
	}
}

/* SO_RCVTIMEO may have been lowered since the call looked at it. */
static bool timeo_moves(const struct sim *s)
{
	u32 i;

	for (i = 0; i < s->tr->stmt_n; i++) {
		if (s->tr->stmts[i].kind == ST_CALL &&
		    s->tr->stmts[i].call->kind == CALL_SETSOCKOPT &&
		    s->tr->stmts[i].call->opt == SO_RCVTIMEO_M)
			return true;
	}
	return false;
}

static void sleeps(struct sim *s, struct b4 *st, const struct sim_event *e)
{
	s64 max = limit(s, e);

	if (max >= 0 && (e->b < 0 || e->b > max) && !timeo_moves(s))
		inv_fail(s, INV_B4, "timeout",
			 "%s sleeps (%s) for %lld ns, allowed are %lld",
			 s->tasks[e->task].t.name, m_sleep_name[e->a],
			 (long long)e->b, (long long)max);
	if (e->task < TASKS_MAX)
		st->until[e->task] = e->b < 0 ? 0 : e->t_ns + e->b + 1;
}

static void slept(struct sim *s, struct b4 *st, const struct sim_event *e)
{
	if (e->task >= TASKS_MAX || !st->until[e->task])
		return;
	INV_CHECK(s, B4, e->t_ns < st->until[e->task], "overslept",
		  "%s slept %lld ns too long", s->tasks[e->task].t.name,
		  (long long)(e->t_ns + 1 - st->until[e->task]));
	st->until[e->task] = 0;
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	if (!s->tasks[e->task].call)
		return;
	if (e->kind == EV_SLEEP)
		sleeps(s, state, e);
	else
		slept(s, state, e);
}

static void on_quiet(struct sim *s, void *state)
{
	const struct sim_task *t;
	u32 i;

	(void)state;
	for (i = 0; i < s->task_n; i++) {
		t = &s->tasks[i];
		if (t->state != TASK_SLEEPING || !t->interruptible)
			continue;
		INV_CHECK(s, B4, !t->signalled, "signal",
			  "%s sleeps with a signal pending", t->t.name);
	}
}

static const enum m_event_kind events[] = { EV_SLEEP, EV_SLEPT, M_EVENT_COUNT };

const struct inv_ops inv_B4 = {
	.id = INV_B4,
	.state_size = sizeof(struct b4),
	.events = events,
	.on_event = on_event,
	.on_quiet = on_quiet,
};
