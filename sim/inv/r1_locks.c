// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * R1: reader role, socket ownership and pipe mutex are balanced and never held
 * over a sleep the kernel would not hold them over.
 * How: who has the reader role, from the events, and who owns socket and
 * pipes, from the model, at a sleep, at the end of a call and when nothing can
 * run. A sleep for data keeps the reader role, and in splice also the pipe
 * mutex; no sleep keeps the socket.
 * Left out: the order in which they are taken. That nobody takes the socket or
 * a pipe twice, or gives up what he does not have, the model asserts itself.
 */
#include "sim/inv/local.h"

/**
 * struct r1 - state
 * @reader: who has the reader role, as task id plus one; 0 nobody
 */
struct r1 {
	u32 reader;
};

static void role_taken(struct sim *s, struct r1 *st, const struct sim_event *e)
{
	INV_CHECK(s, R1, !st->reader, "taken-twice",
		  "task %u has the reader role already", st->reader - 1);
	st->reader = e->task + 1u;
}

static void role_given_up(struct sim *s, struct r1 *st,
			  const struct sim_event *e)
{
	INV_CHECK(s, R1, st->reader == e->task + 1u, "not-the-holder",
		  "task %u gives up the reader role and does not have it",
		  e->task);
	st->reader = 0;
}

static bool owns_socket(const struct sim *s, const struct m_task *t)
{
	return s->conn.sk && s->conn.sk->owned && s->conn.sk->owner == t;
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

	INV_CHECK(s, R1, !owns_socket(s, &t->t), "sleeps-with-socket",
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
	if (e->kind == EV_READER_ON)
		role_taken(s, state, e);
	else if (e->kind == EV_READER_OFF)
		role_given_up(s, state, e);
	else
		sleeps(s, state, e);
}

static void on_return(struct sim *s, void *state, struct sim_task *t)
{
	const struct r1 *st = state;

	INV_CHECK(s, R1, !owns_socket(s, &t->t), "returns-with-socket",
		  "%s returned and owns the socket", t->t.name);
	INV_CHECK(s, R1, st->reader != t->t.id + 1, "returns-with-role",
		  "%s returned in the reader role", t->t.name);
	if (s->pipe_n)
		INV_CHECK(s, R1, !has_pipe(s, &t->t), "returns-with-pipe",
			  "%s returned and holds a pipe's mutex", t->t.name);
}

static void on_quiet(struct sim *s, void *state)
{
	(void)state;
	INV_CHECK(s, R1, !s->conn.sk || !s->conn.sk->owned, "owned-at-rest",
		  "nothing can run, and somebody owns the socket");
}

static const enum m_event_kind events[] = {
	EV_READER_ON,
	EV_READER_OFF,
	EV_SLEEP,
	M_EVENT_COUNT,
};

const struct inv_ops inv_R1 = {
	.id = INV_R1,
	.state_size = sizeof(struct r1),
	.events = events,
	.on_event = on_event,
	.every_return = true,
	.on_return = on_return,
	.on_quiet = on_quiet,
};
