// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events as they happen: written to the log, counted, shown to the invariants.
 * How: a table says what is to do for each kind, which for most is nothing, so
 * that writing forty bytes is all that is done for them.
 * Left out: text and hash of the log (log.c).
 */
#include <stdlib.h>

#include "sim/inv/inv.h"

#define EVENTS_FIRST 256u
/* Events one call may cause before it counts as running for ever, plus some
 * per stream byte. B5 is stricter; this one stops the coroutine. */
#define CALL_EVENTS_MAX (1u << 20)
#define CALL_EVENTS_PER_BYTE 64u

static void grow_log(struct sim *s)
{
	struct sim_event *bigger;

	bigger = realloc(s->events, 2 * s->event_size * sizeof(*bigger));
	if (!bigger)
		abort();
	s->events = bigger;
	s->event_size *= 2;
}

/* What is to do when an event was logged; nothing for most kinds. */
enum event_todo {
	TODO_COUNT = 1 << 0, /* a counter shows it */
	TODO_CHECK = 1 << 1, /* ledger or invariants want it */
	TODO_STILL = 1 << 2, /* nothing happened, nothing needs a new look */
	TODO_RARE = 1 << 3, /* room, budget, a test that wants to tamper */
};

static const u16 event_counter[M_EVENT_COUNT] = {
	[EV_ANNOUNCE] = CNT_ANNOUNCES + 1,    [EV_WAKE_SK] = CNT_WAKES + 1,
	[EV_DATA_READY] = CNT_DATA_READY + 1, [EV_CALL] = CNT_CALLS + 1,
	[EV_PARSED] = CNT_PARSED + 1,	      [EV_DECRYPT] = CNT_DECRYPTS + 1,
	[EV_SEG_DROP] = CNT_DROPS + 1,	      [EV_DECRYPTED_TYPE] = CNT_ZC + 1,
	[EV_COPY_MODE] = CNT_COPY_MODE + 1,
};

static void count_event(struct sim *s, const struct sim_event *e)
{
	if (e->kind == EV_DECRYPTED_TYPE)
		s->counters[CNT_ZC] += e->c & 1;
	else if (e->kind == EV_COPY_MODE)
		s->counters[CNT_COPY_MODE] += !!e->b;
	else
		s->counters[event_counter[e->kind] - 1]++;
}

static void list_todo(struct sim *s)
{
	u32 kind;

	for (kind = 0; kind < M_EVENT_COUNT; kind++) {
		if (event_counter[kind])
			s->event_todo[kind] |= TODO_COUNT;
		if (inv_wants(s->inv, kind))
			s->event_todo[kind] |= TODO_CHECK;
	}
	s->event_todo[EV_STMT] |= TODO_STILL;
	s->event_todo[EV_PEER_RECORD] |= TODO_STILL;
}

/* The parser's worker tries again at once while there is no memory. So does a
 * kernel's; but there memory comes back. */
static void never_ends(struct sim *s)
{
	struct sim_err err = { .col = 1 };

	snprintf(err.msg, sizeof(err.msg),
		 "a worker tries again for ever, expected a 'fail alloc' with a"
		 " number instead of '*'");
	sim_fail_input(s, s->next_stmt, &err);
	sim_leave(s);
}

/* A call that causes more events than all the data there is can explain will
 * never end: give up on it. */
static void runaway(struct sim *s, struct sim_task *t)
{
	u64 max = CALL_EVENTS_MAX + CALL_EVENTS_PER_BYTE * s->conn.peer.size;

	if (t->call_budget <= max || s->verdict.kind == VERDICT_BUG)
		return;
	if (t == s->kworker)
		never_ends(s);
	m_bug(__FILE__, __LINE__, "%s runs for ever: %llu events in one call",
	      t->t.name, (unsigned long long)t->call_budget);
}

static struct sim_event *event_rare(struct sim *s, struct sim_event *e)
{
	struct sim_task *t = sim_current(s);

	if (s->event_n == s->event_size) {
		grow_log(s);
		e = &s->events[s->event_n - 1];
	}
	if (t && t->call_budget > CALL_EVENTS_MAX)
		runaway(s, t);
	return s->tamper ? s->tamper(s, e) : e;
}

static __noinline void event_logged(struct sim *s, struct sim_event *e,
				    u32 todo)
{
	if (todo & TODO_COUNT)
		count_event(s, e);
	if (unlikely(todo & TODO_RARE))
		e = event_rare(s, e);
	if (todo & TODO_CHECK)
		inv_event(s, e);
}

void events_new(struct sim *s)
{
	s->event_size = EVENTS_FIRST;
	s->events = malloc(s->event_size * sizeof(*s->events));
	if (!s->events)
		abort();
	list_todo(s);
}

/* There is always room for one more. Most events are written and no more. */
void sim_event(struct sim *s, enum m_event_kind kind, s64 a, s64 b, s64 c)
{
	struct sim_event *e = &s->events[s->event_n++];
	struct sim_task *t = sim_current(s);
	u32 todo = s->event_todo[kind];

	e->t_ns = s->now_ns;
	e->a = a;
	e->b = b;
	e->c = c;
	e->kind = (u16)kind;
	e->task = LOG_NO_TASK;
	e->softirq = s->k.in_softirq;
	if (t) {
		e->task = (u16)t->t.id;
		if (unlikely(++t->call_budget > CALL_EVENTS_MAX))
			todo |= TODO_RARE;
	}
	if (unlikely(s->event_n == s->event_size || s->tamper))
		todo |= TODO_RARE;
	if (!(todo & TODO_STILL))
		s->dirty = true;
	if (todo)
		event_logged(s, e, todo);
}
