// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tasks, work items and the clock.
 * How: a call runs on a coroutine until it sleeps or ends. sched_settle() runs
 * everything that can run at one instant; sched_advance() moves the clock to
 * the next timer. The order of same-time events is written in world.h.
 * Left out: preemption, which happens only at named points (points.c).
 */
#include "model/tcp.h"
#include "sim/inv/inv.h"

const char *sim_task_name(const struct sim *s, u32 id)
{
	return id < s->task_n + 2 ? s->tasks[id].t.name : "-";
}

void sched_make_runnable(struct sim *s, struct sim_task *t)
{
	t->state = TASK_RUNNABLE;
	list_add_tail(&t->run_link, &s->runq);
}

/* First function on a task's coroutine. */
static void task_main(void *arg)
{
	struct sim_task *t = arg;

	sim_syscall(t->s, t);
}

void sched_start_fn(struct sim *s, struct sim_task *t, void (*fn)(void *arg),
		    void *arg)
{
	M_ASSERT(t->state == TASK_IDLE, "%s is busy", t->t.name);
	t->returned = false;
	t->call_budget = 0;
	t->signalled = false;
	t->t.reason = REASON_NONE;
	t->t.sigpipe = false;
	t->t.woken = false;
	memset(&t->res, 0, sizeof(t->res));
	t->co = coro_get(s->coros, fn, arg);
	sched_make_runnable(s, t);
}

void sched_start_call(struct sim *s, struct sim_task *t,
		      const struct trace_call *call, u32 stmt)
{
	t->call = call;
	t->stmt = stmt;
	sched_start_fn(s, t, task_main, t);
}

void sched_run_task(struct sim *s, struct sim_task *t)
{
	struct m_task *saved = s->k.current;
	u32 softirq = s->k.in_softirq;

	list_del_init(&t->run_link);
	t->state = TASK_RUNNING;
	s->k.current = &t->t;
	s->k.in_softirq = 0;
	if (coro_resume(t->co)) {
		t->co = NULL;
		t->state = TASK_IDLE;
		t->returned = true;
	}
	s->k.current = saved;
	s->k.in_softirq = softirq;
}

void sched_yield_below(struct sim *s)
{
	struct sim_task *t = sim_current(s);

	sched_make_runnable(s, t);
	coro_suspend(t->co);
}

static void kworker_main(void *arg)
{
	struct sim *s = arg;
	struct m_work *work;

	while (!list_empty(&s->works)) {
		work = list_entry(s->works.next, struct m_work, list);
		list_del_init(&work->list);
		work->pending = false;
		s->running_work = work;
		work->fn(work);
		s->running_work = NULL;
		if (s->work_waiter)
			sched_wake(s, s->work_waiter);
	}
}

void sched_run_works(struct sim *s)
{
	struct sim_task *t = s->kworker;

	if (t->state != TASK_IDLE || list_empty(&s->works))
		return;
	t->call = NULL;
	sched_start_fn(s, t, kworker_main, s);
	sched_run_task(s, t);
}

/* One round of points 1 to 3 of the order; false when nothing happened. */
static bool settle_round(struct sim *s)
{
	if (!list_empty(&s->runq)) {
		sched_run_task(s, point_pick_task(s));
		return true;
	}
	if (!list_empty(&s->works) && s->kworker->state == TASK_IDLE) {
		sched_run_works(s);
		return true;
	}
	return sender_push(&s->conn.peer);
}

void sched_settle(struct sim *s)
{
	while (s->verdict.kind != VERDICT_BUG && settle_round(s))
		;
	if (s->dirty && s->verdict.kind != VERDICT_BUG)
		inv_quiet(s);
	s->dirty = false;
}

/* Earliest sleeper with a deadline; ties go to the smaller id. */
static struct sim_task *next_sleeper(const struct sim *s)
{
	struct sim_task *t, *best = NULL;
	u32 i;

	if (!s->timed_sleepers)
		return NULL;
	for (i = 0; i < s->task_n + 2; i++) {
		t = &s->tasks[i];
		if (t->state != TASK_SLEEPING || t->sleep_deadline < 0)
			continue;
		if (!best || t->sleep_deadline < best->sleep_deadline)
			best = t;
	}
	return best;
}

s64 sched_next_timer(const struct sim *s)
{
	struct sim_task *t = next_sleeper(s);
	s64 sender = s->conn.peer.sender.timer_ns;

	if (!t)
		return sender;
	if (sender < 0 || t->sleep_deadline <= sender)
		return t->sleep_deadline;
	return sender;
}

/* Fires the one timer that is due at @s->now_ns. */
static void fire_timer(struct sim *s)
{
	struct sim_task *t = next_sleeper(s);

	if (t && t->sleep_deadline <= s->now_ns) {
		sim_event(s, EV_TIMER, t->t.id, 0, 0);
		sched_wake(s, t);
		return;
	}
	sim_event(s, EV_TIMER, -1, 0, 0);
	sender_timer(&s->conn.peer);
}

void sched_advance(struct sim *s, s64 t_ns)
{
	s64 due;

	while (s->verdict.kind != VERDICT_BUG) {
		due = sched_next_timer(s);
		if (due < 0 || due > t_ns)
			break;
		if (due > s->now_ns)
			s->now_ns = due;
		fire_timer(s);
		sched_settle(s);
	}
	if (t_ns > s->now_ns)
		s->now_ns = t_ns;
	s->dirty = true;
}

void sched_signal(struct sim *s, struct sim_task *t, bool restart)
{
	sim_event(s, EV_SIGNAL, t->t.id, 0, 0);
	if (t->state == TASK_IDLE)
		return; /* its handler ran and is over */
	/* MODEL: one that is pending has the lower number, so its handler is
	 * the one that decides; another one with SA_RESTART changes nothing. */
	t->sig_restart = restart && (!t->signalled || t->sig_restart);
	t->signalled = true;
	if (t->state == TASK_SLEEPING && t->interruptible)
		sched_wake(s, t);
}

static s64 time_left(const struct sim *s, s64 deadline, s64 timeout_ns)
{
	if (timeout_ns == MAX_SCHEDULE_TIMEOUT)
		return timeout_ns;
	return deadline > s->now_ns ? deadline - s->now_ns : 0;
}

s64 sched_sleep(struct sim *s, s64 timeout_ns, bool interruptible)
{
	struct sim_task *t = sim_current(s);
	bool timed = timeout_ns != MAX_SCHEDULE_TIMEOUT;
	s64 deadline = timed ? s->now_ns + timeout_ns : -1;

	if (t->t.woken || (interruptible && t->signalled))
		return timeout_ns;
	t->state = TASK_SLEEPING;
	t->sleep_deadline = deadline;
	t->interruptible = interruptible;
	s->timed_sleepers += timed;
	s->counters[CNT_SLEEPS]++;
	coro_suspend(t->co);
	s->timed_sleepers -= timed;
	return time_left(s, deadline, timeout_ns);
}

void sched_wake(struct sim *s, struct sim_task *t)
{
	if (t->state == TASK_SLEEPING)
		sched_make_runnable(s, t);
}

void sched_queue_work(struct sim *s, struct m_work *work)
{
	if (work->pending)
		return;
	work->pending = true;
	list_add_tail(&work->list, &s->works);
}

void sched_cancel_work(struct sim *s, struct m_work *work)
{
	struct sim_task *t = sim_current(s);

	if (work->pending)
		list_del_init(&work->list);
	work->pending = false;
	while (s->running_work == work) {
		M_ASSERT(t && t != s->kworker, "work cancels itself");
		s->work_waiter = t;
		t->t.woken = false;
		sched_sleep(s, MAX_SCHEDULE_TIMEOUT, false);
		s->work_waiter = NULL;
	}
}
