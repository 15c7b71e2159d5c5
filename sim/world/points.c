// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Named points: what happens where the model may be interrupted.
 * How: each point is counted; `at` lines of the trace name one by point and
 * count. With a random schedule the choice stream decides, and what it decided
 * is kept as `at` lines, so that the run replays as text.
 * A watch that chooses is asked for every action, one after the other.
 * Left out: random actions at points that are reached while another point's
 * action runs; nothing at all happens there in softirq.
 */
#include "sim/inv/inv.h"

/* Actions on top of actions. */
#define POINT_DEPTH_MAX 8u
/* A random schedule interrupts one in so many points, on average. */
#define POINT_ODDS 12

static bool task_can_run(const struct sim *s, u32 id)
{
	const struct sim_task *t = &s->tasks[id];

	if (t->state == TASK_IDLE)
		return stmt_next_call(s, id) != UINT32_MAX;
	return t->state == TASK_RUNNABLE;
}

/* The current task runs on top of that one and can give way to it. */
static bool is_below(struct sim *s, u32 id)
{
	struct sim_task *cur = sim_current(s);

	return cur && cur->below == &s->tasks[id] && !s->k.in_softirq;
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
	t->below = sim_current(s);
	sched_run_task(s, t);
	t->below = NULL;
}

static bool possible(struct sim *s, enum at_what what, u32 task)
{
	switch (what) {
	case AT_WIRE:
		return stmt_next_wire(s) != UINT32_MAX;
	case AT_TASK:
		return task_can_run(s, task) || is_below(s, task);
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
	if (what == AT_TASK && is_below(s, task)) {
		sched_yield_below(s);
		return true;
	}
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

/* --- a watch that chooses ------------------------------------------------ */

static void add_option(struct at_line *opt, u32 *n, enum at_what what, u32 task)
{
	opt[*n].what = what;
	opt[(*n)++].task = task;
}

/* In front of a statement, what it does itself is no choice. */
static bool is_next_stmt(const struct sim *s, enum m_point point, u32 stmt)
{
	return point == POINT_STMT && stmt == s->next_stmt;
}

static u32 options(struct sim *s, enum m_point point, struct at_line *opt)
{
	u32 i, n = 0;

	if (possible(s, AT_WIRE, 0) &&
	    !is_next_stmt(s, point, stmt_next_wire(s)))
		add_option(opt, &n, AT_WIRE, 0);
	for (i = 0; i < s->task_n; i++) {
		if (possible(s, AT_TASK, i) &&
		    !(s->tasks[i].state == TASK_IDLE &&
		      is_next_stmt(s, point, stmt_next_call(s, i))))
			add_option(opt, &n, AT_TASK, i);
	}
	if (possible(s, AT_WORK, 0))
		add_option(opt, &n, AT_WORK, 0);
	return n;
}

static void ask_watch(struct sim *s, enum m_point point)
{
	const struct sim_watch *w = s->opts.watch;
	struct at_line opt[TRACE_TASKS_MAX + 2];
	u32 n, k, nth = s->point_count[point];
	bool yields;

	do {
		n = s->stopped ? 0 : options(s, point, opt);
		k = n ? w->choose(w->arg, s, point, opt, n) : 0;
		if (!k)
			return;
		k--;
		yields = opt[k].what == AT_TASK && is_below(s, opt[k].task);
		record(s, point, nth, opt[k].what, opt[k].task);
		perform(s, point, opt[k].what, opt[k].task);
	} while (!yields); /* or the two would give way for ever */
}

static bool watch_chooses(const struct sim *s)
{
	return s->opts.watch && s->opts.watch->choose && !s->finishing &&
	       !s->teardown;
}

void point_reached(struct sim *s, enum m_point point)
{
	u32 i, n = ++s->point_count[point];

	if (s->stopped || s->point_depth == POINT_DEPTH_MAX ||
	    (s->point_depth && s->k.in_softirq))
		return;
	for (i = 0; i < s->at_n; i++) {
		if (s->ats[i].point == point && s->ats[i].nth == n)
			perform(s, point, s->ats[i].what, s->ats[i].task);
	}
	if (unlikely(watch_chooses(s)) && !s->k.in_softirq)
		ask_watch(s, point);
	if (!s->opts.random_schedule || s->teardown || s->point_depth ||
	    point == POINT_STMT)
		return;
	if (s->point_skip) {
		s->point_skip--;
		return;
	}
	s->point_skip = sim_choose(&s->choice, 2 * POINT_ODDS);
	random_action(s, point);
}

/* Which of several runnable tasks; the kworker is never put first. */
static struct sim_task *ask_first(struct sim *s, struct sim_task *first)
{
	const struct sim_watch *w = s->opts.watch;
	struct at_line opt[TRACE_TASKS_MAX + 2];
	struct sim_task *t;
	u32 k, n = 0;

	list_for_each_entry(t, &s->runq, run_link) {
		if (t != first && t->t.id < s->task_n)
			add_option(opt, &n, AT_TASK, t->t.id);
	}
	k = n ? w->choose(w->arg, s, POINT_SCHED, opt, n) : 0;
	if (!k)
		return first;
	record(s, POINT_SCHED, s->point_count[POINT_SCHED], AT_TASK,
	       opt[k - 1].task);
	return &s->tasks[opt[k - 1].task];
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
	if (unlikely(watch_chooses(s)))
		return ask_first(s, first);
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
