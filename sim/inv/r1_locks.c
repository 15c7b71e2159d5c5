// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * R1: reader role, socket ownership and pipe mutex are balanced and never held
 * over a sleep the kernel would not hold them over.
 * How: who holds what, from the events; at a sleep, at the end of a call and
 * when nothing can run. A sleep for data keeps the reader role, and in splice
 * also the pipe mutex; no sleep keeps the socket.
 * Left out: the order in which they are taken.
 */
#include "sim/inv/local.h"

/* Holders, as task id plus one; 0 nobody. */
struct r1 {
	u32 owner;
	u32 reader;
};

static void taken(struct sim *s, u32 *who, const struct sim_event *e)
{
	INV_CHECK(s, R1, !*who, "taken-twice", "%s: task %u has it already",
		  m_event_name[e->kind], *who - 1);
	*who = e->task + 1u;
}

static void given_up(struct sim *s, u32 *who, const struct sim_event *e)
{
	INV_CHECK(s, R1, *who == e->task + 1u, "not-the-holder",
		  "%s by a task that does not have it", m_event_name[e->kind]);
	*who = 0;
}

static bool has_pipe(const struct sim *s, const struct m_task *t)
{
	u32 i;

	for (i = 0; i < s->pipe_n; i++) {
		if (s->pipes[i] && s->pipes[i]->mutex_owner == t)
			return true;
	}
	return false;
}

static void sleeps(struct sim *s, const struct r1 *st,
		   const struct sim_event *e)
{
	const struct sim_task *t = &s->tasks[e->task];
	bool socket = e->a == M_SLEEP_SK_WAIT || e->a == M_SLEEP_LOCK_SOCK;
	bool splice = t->call && t->call->kind == CALL_SPLICE;

	INV_CHECK(s, R1, st->owner != e->task + 1u, "sleeps-with-socket",
		  "%s sleeps (%s) and owns the socket", t->t.name,
		  m_sleep_name[e->a]);
	INV_CHECK(s, R1, st->reader != e->task + 1u || socket,
		  "sleeps-with-role", "%s sleeps (%s) in the reader role",
		  t->t.name, m_sleep_name[e->a]);
	if (splice && (socket || e->a == M_SLEEP_READER))
		return;
	INV_CHECK(s, R1, !has_pipe(s, &t->t), "sleeps-with-pipe",
		  "%s sleeps (%s) and holds a pipe's mutex", t->t.name,
		  m_sleep_name[e->a]);
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	struct r1 *st = state;

	switch (e->kind) {
	case EV_LOCK:
		taken(s, &st->owner, e);
		break;
	case EV_UNLOCK:
		given_up(s, &st->owner, e);
		break;
	case EV_READER_ON:
		taken(s, &st->reader, e);
		break;
	case EV_READER_OFF:
		given_up(s, &st->reader, e);
		break;
	default:
		sleeps(s, st, e);
		break;
	}
}

static void on_return(struct sim *s, void *state, struct sim_task *t)
{
	const struct r1 *st = state;
	u32 me = t->t.id + 1;

	INV_CHECK(s, R1, st->owner != me, "returns-with-socket",
		  "%s returned and owns the socket", t->t.name);
	INV_CHECK(s, R1, st->reader != me, "returns-with-role",
		  "%s returned in the reader role", t->t.name);
	if (s->pipe_n)
		INV_CHECK(s, R1, !has_pipe(s, &t->t), "returns-with-pipe",
			  "%s returned and holds a pipe's mutex", t->t.name);
}

static void on_quiet(struct sim *s, void *state)
{
	const struct r1 *st = state;

	INV_CHECK(s, R1, !st->owner, "owned-at-rest",
		  "nothing can run, and "
		  "task %u owns the socket",
		  st->owner - 1);
}

static const enum m_event_kind events[] = {
	EV_LOCK,       EV_UNLOCK, EV_READER_ON,
	EV_READER_OFF, EV_SLEEP,  M_EVENT_COUNT,
};

const struct inv_ops inv_R1 = {
	.id = INV_R1,
	.state_size = sizeof(struct r1),
	.events = events,
	.on_event = on_event,
	.on_return = on_return,
	.on_quiet = on_quiet,
};
