/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wait queues: tasks sleep on them, pollers hang a callback on them.
 * Mirrors include/linux/wait.h, as far as sockets and pipes use it.
 */
#ifndef MODEL_WAIT_H
#define MODEL_WAIT_H

#include "model/kernel.h"

#define POLLIN_SET (0x001 | 0x040) /* EPOLLIN | EPOLLRDNORM */
#define POLLOUT_SET (0x004 | 0x100) /* EPOLLOUT | EPOLLWRNORM */

/* Values as in uapi/asm-generic/poll.h. */
enum m_poll {
	M_POLLIN = 0x001,
	M_POLLPRI = 0x002,
	M_POLLOUT = 0x004,
	M_POLLERR = 0x008,
	M_POLLHUP = 0x010,
	M_POLLRDNORM = 0x040,
	M_POLLRDBAND = 0x080,
	M_POLLWRNORM = 0x100,
	M_POLLWRBAND = 0x200,
	M_POLLRDHUP = 0x2000,
};

/**
 * enum m_sleep - where a task sleeps
 * @M_SLEEP_LOCK_SOCK: for socket ownership; no signal ends it
 * @M_SLEEP_SK_WAIT: for data or a state change on a socket
 * @M_SLEEP_READER: for the TLS reader role
 * @M_SLEEP_PIPE_MUTEX: for the pipe mutex; no signal ends it
 * @M_SLEEP_PIPE_SPACE: for a free slot
 * @M_SLEEP_PIPE_DATA: for a slot to read
 * @M_SLEEP_POLL: in poll or epoll, by the world
 * @M_SLEEP_COUNT: how many there are
 */
enum m_sleep {
	M_SLEEP_LOCK_SOCK,
	M_SLEEP_SK_WAIT,
	M_SLEEP_READER,
	M_SLEEP_PIPE_MUTEX,
	M_SLEEP_PIPE_SPACE,
	M_SLEEP_PIPE_DATA,
	M_SLEEP_POLL,
	M_SLEEP_COUNT
};

extern const char *const m_sleep_name[M_SLEEP_COUNT];

/**
 * struct wait_queue_head - who wants to hear of something
 * @list: struct wait_queue_entry, oldest first
 */
struct wait_queue_head {
	struct list_head list;
};

/**
 * struct wait_queue_entry - one sleeper or poller
 * @list: position in the queue
 * @task: the sleeper, or NULL for a callback entry
 * @func: called with the event mask instead of waking @task, when set
 * @priv: for @func
 * @exclusive: one wakeup wakes only the oldest of these, and takes it off the
 *	queue; init_wait_entry() clears it
 */
struct wait_queue_entry {
	struct list_head list;
	struct m_task *task;
	void (*func)(struct wait_queue_entry *wqe, u32 mask);
	void *priv;
	bool exclusive;
};

void init_waitqueue_head(struct wait_queue_head *wq);
/* An entry for @task (NULL: set func and priv), on no queue. */
void init_wait_entry(struct wait_queue_entry *e, struct m_task *task);
/* Forgets a wakeup that @e->task got earlier: a fresh entry was not woken. */
void add_wait_queue(struct wait_queue_head *wq, struct wait_queue_entry *e);
void add_wait_queue_exclusive(struct wait_queue_head *wq,
			      struct wait_queue_entry *e);
/* Harmless on an entry that hangs on no queue. */
void remove_wait_queue(struct wait_queue_entry *e);
bool wq_has_sleeper(const struct wait_queue_head *wq);

/**
 * wake_up_poll() - wake sleepers and call pollers, youngest first
 * @k: kernel
 * @wq: queue
 * @mask: events, enum m_poll bits; 0 means "unspecified" (wakes everybody)
 *
 * Wakes all entries that are not exclusive, and one that is. Context: any.
 */
void wake_up_poll(struct m_kernel *k, struct wait_queue_head *wq, u32 mask);
/* The same, and every exclusive entry too. */
void wake_up_all(struct m_kernel *k, struct wait_queue_head *wq);

/**
 * m_schedule() - announce a sleep and sleep
 * @k: kernel
 * @where: what for
 * @timeo_ns: how long at most, MAX_SCHEDULE_TIMEOUT for ever
 * @interruptible: a signal ends it
 *
 * Returns the time left. Context: process (X1). Yields: task sleeps.
 */
s64 m_schedule(struct m_kernel *k, enum m_sleep where, s64 timeo_ns,
	       bool interruptible);

/**
 * wait_woken() - sleep until woken, signalled or timed out
 * @k: kernel
 * @where: what for
 * @timeo_ns: how long at most; 0 returns at once
 *
 * The current task must hang on a queue. Returns the time left.
 * Yields: task sleeps.
 */
s64 wait_woken(struct m_kernel *k, enum m_sleep where, s64 timeo_ns);

/**
 * wait_exclusive() - wait_event() with an exclusive entry
 * @k: kernel
 * @wq: queue to hang on
 * @where: what for
 * @interruptible: a signal ends it
 * @cond: tested before each sleep
 * @arg: for @cond
 *
 * 0 when @cond holds, -ERESTARTSYS on a signal. Yields: task sleeps.
 */
int wait_exclusive(struct m_kernel *k, struct wait_queue_head *wq,
		   enum m_sleep where, bool interruptible,
		   bool (*cond)(const void *arg), const void *arg);

/* The same with an entry that every wakeup wakes; a signal ends it. */
int wait_event_interruptible(struct m_kernel *k, struct wait_queue_head *wq,
			     enum m_sleep where, bool (*cond)(const void *arg),
			     const void *arg);

#endif
