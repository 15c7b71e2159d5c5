// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Named points: what happens where the model may be interrupted.
 * How: each point is counted; `at` lines of the trace name one by point and
 * count. With a random schedule the choice stream decides, and what it decided
 * is kept as `at` lines, so that the run replays as text.
 * Left out: points reached while another point's action runs do nothing more.
 */
#include "sim/inv.h"

/* A random schedule interrupts one in so many points, on average. */
#define POINT_ODDS 12

static bool task_can_run(const struct sim *s, u32 id)
{
	const struct sim_task *t = &s->tasks[id];

	if (t->state == TASK_IDLE)
		return stmt_next_call(s, id) != UINT32_MAX;
	return t->state == TASK_RUNNABLE;
}

/* Lets another task run on top of the current one. */
static void run_task(struct sim *s, u32 id)
{
	struct sim_task *t = &s->tasks[id];
	u32 stmt;

	if (t->state == TASK_IDLE) {
		stmt = stmt_next_call(s, id);
		s->stmt_done[stmt] = 1;
		sched_start_call(s, t, s->tr->stmts[stmt].call, stmt);
	}
	sched_run_task(s, t);
}

static bool possible(const struct sim *s, enum at_what what, u32 task)
{
	switch (what) {
	case AT_WIRE:
		return stmt_next_wire(s) != UINT32_MAX;
	case AT_TASK:
		return task_can_run(s, task);
	case AT_WORK:
		return !list_empty(&s->works) && s->kworker->state == TASK_IDLE;
	case AT_TIMER:
		return s->conn.peer.sender.timer_ns >= 0;
	}
	return false;
}

static void act(struct sim *s, enum at_what what, u32 task)
{
	switch (what) {
	case AT_WIRE:
		stmt_run_next_wire(s);
		break;
	case AT_TASK:
		run_task(s, task);
		break;
	case AT_WORK:
		sched_run_works(s);
		break;
	case AT_TIMER:
		sender_timer(&s->conn.peer);
		sender_push(&s->conn.peer);
		break;
	}
}

/* False when there is nothing of that kind to run. */
static bool perform(struct sim *s, enum m_point point, enum at_what what,
		    u32 task)
{
	struct sim_task *cur = sim_current(s);

	if (!possible(s, what, task))
		return false;
	sim_event(s, EV_POINT, point, s->point_count[point], what);
	s->point_depth++;
	if (cur)
		cur->state = TASK_PREEMPTED;
	act(s, what, task);
	if (cur)
		cur->state = TASK_RUNNING;
	s->point_depth--;
	return true;
}

static void record(struct sim *s, enum m_point point, u32 nth,
		   enum at_what what, u32 task)
{
	struct at_line *at = pool_push(s->pool, s->recorded, s->recorded_n);

	at->point = point;
	at->nth = nth;
	at->what = what;
	at->task = task;
}

static void random_action(struct sim *s, enum m_point point)
{
	u32 nth = s->point_count[point]; /* what runs may pass it, too */
	u32 what = sim_choose(&s->choice, 8);
	u32 task = 0;

	/* mostly segments, sometimes another task, rarely the rest */
	if (what < 5) {
		what = AT_WIRE;
	} else if (what < 7) {
		what = AT_TASK;
		task = sim_choose(&s->choice, s->task_n);
	} else {
		what = AT_WORK;
	}
	if (perform(s, point, what, task))
		record(s, point, nth, what, task);
}

void point_reached(struct sim *s, enum m_point point)
{
	u32 i, n = ++s->point_count[point];

	if (s->point_depth || s->stopped)
		return;
	for (i = 0; i < s->at_n; i++) {
		if (s->ats[i].point == point && s->ats[i].nth == n)
			perform(s, point, s->ats[i].what, s->ats[i].task);
	}
	if (!s->opts.random_schedule || s->teardown)
		return;
	if (s->point_skip) {
		s->point_skip--;
		return;
	}
	s->point_skip = sim_choose(&s->choice, 2 * POINT_ODDS);
	random_action(s, point);
}

struct sim_task *point_pick_task(struct sim *s)
{
	struct sim_task *first, *t;
	u32 i, n = 0, want;

	first = list_entry(s->runq.next, struct sim_task, run_link);
	if (s->runq.next == s->runq.prev)
		return first;
	s->point_count[POINT_SCHED]++;
	for (i = 0; i < s->at_n; i++) {
		t = &s->tasks[s->ats[i].task];
		if (s->ats[i].point == POINT_SCHED &&
		    s->ats[i].nth == s->point_count[POINT_SCHED] &&
		    s->ats[i].what == AT_TASK && t->state == TASK_RUNNABLE)
			return t;
	}
	if (!s->opts.random_schedule || s->teardown)
		return first;
	list_for_each_entry(t, &s->runq, run_link)
		n++;
	want = sim_choose(&s->choice, n);
	list_for_each_entry(t, &s->runq, run_link) {
		if (!want--)
			break;
	}
	if (t != first && t->t.id < s->task_n)
		record(s, POINT_SCHED, s->point_count[POINT_SCHED], AT_TASK,
		       t->t.id);
	return t->t.id < s->task_n ? t : first;
}
