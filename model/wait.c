// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Wait queues and the one place where tasks go to sleep.
 *
 * A task hangs an entry on a queue, looks at its condition and calls
 * m_schedule(). A wakeup in between is remembered in task->woken, so none is
 * lost; the flag is forgotten when the sleep is over or a new entry is added.
 * Entries go to the head of the queue, so the youngest is woken first.
 * Exclusive ones wait behind all others, are woken one at a time, oldest
 * first, and leave the queue when woken.
 *
 * Left out: priorities, wake flags (sync), sleeping uninterruptibly with a
 * fatal signal.
 *
 * Mirrors kernel/sched/wait.c, include/linux/wait.h.
 */
#include "model/wait.h"

const char *const m_sleep_name[M_SLEEP_COUNT] = {
	[M_SLEEP_LOCK_SOCK] = "lock_sock",
	[M_SLEEP_SK_WAIT] = "sk_wait",
	[M_SLEEP_READER] = "reader",
	[M_SLEEP_PIPE_MUTEX] = "pipe_mutex",
	[M_SLEEP_PIPE_SPACE] = "pipe_space",
	[M_SLEEP_PIPE_DATA] = "pipe_data",
	[M_SLEEP_POLL] = "poll",
};

void init_waitqueue_head(struct wait_queue_head *wq)
{
	INIT_LIST_HEAD(&wq->list);
}

void init_wait_entry(struct wait_queue_entry *e, struct m_task *task)
{
	INIT_LIST_HEAD(&e->list);
	e->task = task;
	e->func = NULL;
	e->priv = NULL;
	e->exclusive = false;
}

void add_wait_queue(struct wait_queue_head *wq, struct wait_queue_entry *e)
{
	if (e->task)
		e->task->woken = false;
	if (e->exclusive)
		list_add_tail(&e->list, &wq->list);
	else
		list_add(&e->list, &wq->list);
}

void add_wait_queue_exclusive(struct wait_queue_head *wq,
			      struct wait_queue_entry *e)
{
	e->exclusive = true;
	add_wait_queue(wq, e);
}

void remove_wait_queue(struct wait_queue_entry *e)
{
	list_del_init(&e->list);
}

bool wq_has_sleeper(const struct wait_queue_head *wq)
{
	return !list_empty(&wq->list);
}

/* Wakes or calls one entry. */
static void wake_entry(struct m_kernel *k, struct wait_queue_entry *e, u32 mask)
{
	if (e->func) {
		e->func(e, mask);
		return;
	}
	if (e->exclusive)
		list_del_init(&e->list);
	e->task->woken = true;
	k->ops->wake(k, e->task);
}

static void wake_up_common(struct m_kernel *k, struct wait_queue_head *wq,
			   u32 mask, bool all)
{
	struct wait_queue_entry *e, *next;
	bool woke_exclusive = false;

	/* A callback may take its own entry off, no other one. */
	list_for_each_entry_safe(e, next, &wq->list, list) {
		if (e->exclusive && woke_exclusive && !all)
			continue;
		woke_exclusive |= e->exclusive;
		wake_entry(k, e, mask);
	}
}

void wake_up_poll(struct m_kernel *k, struct wait_queue_head *wq, u32 mask)
{
	wake_up_common(k, wq, mask, false);
}

void wake_up_all(struct m_kernel *k, struct wait_queue_head *wq)
{
	wake_up_common(k, wq, 0, true);
}

/* As the log writes times: -1 stands for "for ever". */
static s64 timeo_for_log(s64 timeo_ns)
{
	return timeo_ns == MAX_SCHEDULE_TIMEOUT ? -1 : timeo_ns;
}

s64 m_schedule(struct m_kernel *k, enum m_sleep where, s64 timeo_ns,
	       bool interruptible)
{
	s64 left;

	M_ASSERT(!k->in_softirq && k->current, "sleep (%s) in softirq",
		 m_sleep_name[where]);
	m_event(k, EV_SLEEP, where, timeo_for_log(timeo_ns), 0);
	left = k->ops->schedule(k, timeo_ns, interruptible);
	k->current->woken = false;
	m_event(k, EV_SLEPT, timeo_for_log(left), 0, 0);
	return left;
}

s64 wait_woken(struct m_kernel *k, enum m_sleep where, s64 timeo_ns)
{
	M_ASSERT(!k->in_softirq && k->current, "wait (%s) in softirq",
		 m_sleep_name[where]);
	if (k->current->woken) {
		k->current->woken = false;
		return timeo_ns;
	}
	/* MODEL: the kernel sleeps to the next tick here, which only gives
	 * others a chance to run; the caller's named points do that. */
	if (timeo_ns <= 0)
		return 0;
	return m_schedule(k, where, timeo_ns, true);
}

/* One sleep of a waiting loop; @wait says whether it is exclusive. */
static int wait_event_turn(struct m_kernel *k, struct wait_queue_head *wq,
			   struct wait_queue_entry *wait, enum m_sleep where,
			   bool interruptible)
{
	if (interruptible && k->ops->signal_pending(k))
		return -ERESTARTSYS;
	/* A wakeup takes an exclusive entry off; it starts again at the end. */
	if (list_empty(&wait->list))
		add_wait_queue(wq, wait);
	m_schedule(k, where, MAX_SCHEDULE_TIMEOUT, interruptible);
	return 0;
}

int wait_exclusive(struct m_kernel *k, struct wait_queue_head *wq,
		   enum m_sleep where, bool interruptible,
		   bool (*cond)(const void *arg), const void *arg)
{
	struct wait_queue_entry wait;
	int ret = 0;

	if (cond(arg))
		return 0;
	init_wait_entry(&wait, k->current);
	wait.exclusive = true;
	do
		ret = wait_event_turn(k, wq, &wait, where, interruptible);
	while (!ret && !cond(arg));
	remove_wait_queue(&wait);
	return ret;
}

int wait_event_interruptible(struct m_kernel *k, struct wait_queue_head *wq,
			     enum m_sleep where, bool (*cond)(const void *arg),
			     const void *arg)
{
	struct wait_queue_entry wait;
	int ret = 0;

	init_wait_entry(&wait, k->current);
	while (!ret && !cond(arg))
		ret = wait_event_turn(k, wq, &wait, where, true);
	remove_wait_queue(&wait);
	return ret;
}
