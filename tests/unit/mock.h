/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The smallest world that the model runs in, for unit tests.
 *
 * Memory is malloc() with a count of what is live and a failure plan by site.
 * Events and transmitted segments are kept in arrays. There is one thread and
 * no coroutine: a task that sleeps runs the hooks which the test queued, as
 * another task or as a softirq, until one of them wakes it.
 */
#ifndef TESTS_UNIT_MOCK_H
#define TESTS_UNIT_MOCK_H

#include <check.h>

#include "model/pipe.h"

enum {
	MOCK_TASKS = 4,
	MOCK_HOOKS = 32,
	MOCK_EVENTS = 16384,
	MOCK_XMITS = 1024,
};

struct mock;

/* Runs while a task sleeps, with k->current set to the task "other". */
typedef void (*mock_hook_fn)(struct mock *m, void *arg);

/**
 * struct mock_event - one event of the model
 * @kind: which
 * @a: first argument, see model/events.def
 * @b: second argument
 * @c: third argument
 */
struct mock_event {
	enum m_event_kind kind;
	s64 a, b, c;
};

/**
 * struct mock_xmit - one segment that left
 * @flags: TCPHDR_*
 * @ack: acknowledgement number
 * @win: window in bytes
 */
struct mock_xmit {
	u32 flags, ack, win;
};

/**
 * struct mock - a world
 * @k: the kernel
 * @tasks: tasks[0] runs the test, tasks[1] ("other") the hooks and works
 * @live: allocations not yet given back
 * @live_bytes: their bytes
 * @allocs: allocations tried so far, by site
 * @fail_nth: which of them fail from now on, by site: bit n-1 for the n-th
 * @hooks: queue of what happens in sleeps
 * @hook_args: their arguments
 * @hook_first: the next one to run
 * @hook_count: how many were queued
 * @point_fn: called at named points when set
 * @point_arg: for it
 * @signal: the running task has a signal pending
 * @sigpipes: SIGPIPEs raised
 * @slept_ns: how long sleeps took so far; hooks add to it
 * @works: queued work items
 * @events: what was logged
 * @event_count: how many
 * @xmits: what was sent
 * @xmit_count: how many
 */
struct mock {
	struct m_kernel k;
	struct m_task tasks[MOCK_TASKS];
	u32 live;
	size_t live_bytes;
	u32 allocs[M_SITE_COUNT];
	u64 fail_nth[M_SITE_COUNT];
	mock_hook_fn hooks[MOCK_HOOKS];
	void *hook_args[MOCK_HOOKS];
	u32 hook_first;
	u32 hook_count;
	void (*point_fn)(struct mock *m, enum m_point point, void *arg);
	void *point_arg;
	bool signal;
	u32 sigpipes;
	s64 slept_ns;
	struct list_head works;
	struct mock_event events[MOCK_EVENTS];
	u32 event_count;
	struct mock_xmit xmits[MOCK_XMITS];
	u32 xmit_count;
};

/* A world in which tasks[0] runs; profile v7.2. Owns: caller. */
struct mock *mock_new(void);
/* Fails the test when an allocation is live or a hook did not run. */
void mock_free(struct mock *m);

static inline struct mock *mock_of(struct m_kernel *k)
{
	return container_of(k, struct mock, k);
}

/* Turns a change on. */
void mock_change(struct mock *m, enum m_change change);
/* The @n-th allocation of @site, counted from now, fails; n from 1 to 64. */
void mock_fail(struct mock *m, enum m_site site, u32 n);
/* Queues something to happen in the next sleep. */
void mock_hook(struct mock *m, mock_hook_fn fn, void *arg);
/* Calls @fn at every named point; NULL: at none. */
void mock_points(struct mock *m,
		 void (*fn)(struct mock *m, enum m_point point, void *arg),
		 void *arg);
/* Runs queued work items as task "other" until none is left. */
void mock_run_works(struct mock *m);

/* Forgets the events so far. */
void mock_events_clear(struct mock *m);
/* How many events of @kind were logged. */
u32 mock_event_count(const struct mock *m, enum m_event_kind kind);
/* The @n-th one of them, from 0; NULL when there are fewer. */
const struct mock_event *mock_event(const struct mock *m,
				    enum m_event_kind kind, u32 n);

/* The byte that builders put at sequence number @seq. */
static inline u8 mock_byte(u32 seq)
{
	return (u8)(seq * 7 + 3);
}

/* Payload [seq, seq+len) in one page frag, truesize as on loopback. */
struct sk_buff *mock_skb(struct mock *m, u32 seq, u32 len);
/* The same in a linear head with @room bytes behind. */
struct sk_buff *mock_skb_head(struct mock *m, u32 seq, u32 len, u32 room,
			      enum m_head_kind kind);
/* True when @buf holds the payload [seq, seq+len). */
bool mock_bytes_ok(const u8 *buf, u32 seq, u32 len);

#endif
