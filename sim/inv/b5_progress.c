// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * B5: no call runs forever.
 * How: every loop of the model sleeps, parses, decrypts, takes bytes or hands
 * them out; a call that does so far more often than all the
 * data and all the arrivals of the world can explain is in a loop.
 * Left out: loops without any event, which the world's own budget (or a hung
 * test) shows.
 */
#include "sim/inv/local.h"

/* Tasks counted. */
#define TASKS_MAX 16
/* Events a call may cause for nothing, for each record and each byte of the
 * peer (a consumer may take them one by one), and for each event that others
 * caused meanwhile. */
#define FREE 2000u
#define PER_RECORD 64u
#define PER_BYTE 2u
#define PER_OTHER 16u

/**
 * struct b5 - state
 * @n: events counted in each task's call
 * @start: length of the log when it began
 */
struct b5 {
	u32 n[TASKS_MAX];
	u32 start[TASKS_MAX];
};

static u64 bound(const struct sim *s, const struct b5 *st, u32 task)
{
	u64 others = s->event_n - st->start[task];
	u64 own = s->tasks[task].call_budget;

	others -= min_t(u64, others, own);
	return FREE + PER_RECORD * (u64)s->tr->rec_n +
	       PER_BYTE * s->conn.peer.size + PER_OTHER * others;
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	struct b5 *st = state;

	if (e->task >= min_t(u32, s->task_n, TASKS_MAX))
		return;
	if (e->kind == EV_CALL) {
		st->n[e->task] = 0;
		st->start[e->task] = s->event_n;
		inv_checked(s, INV_B5); /* of the call before, if any */
		return;
	}
	if (likely(++st->n[e->task] < FREE))
		return;
	INV_CHECK(s, B5, st->n[e->task] < bound(s, st, e->task), "endless",
		  "%s has caused %u events in one %s", s->tasks[e->task].t.name,
		  st->n[e->task], call_name[inv_call(s, e)->kind]);
}

static const enum m_event_kind events[] = {
	EV_CALL,	EV_SLEEP,    EV_DECRYPT,    EV_PARSED,
	EV_CONSUME_TCP, EV_PUT_USER, M_EVENT_COUNT,
};

const struct inv_ops inv_B5 = {
	.id = INV_B5,
	.state_size = sizeof(struct b5),
	.events = events,
	.on_event = on_event,
};
