// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * X1: nothing sleeps in softirq.
 * How: no sleep, and nothing that may sleep (socket lock, pipe mutex), is
 * logged in softirq or without a task.
 * Left out: allocations that would have to be atomic; the model has no
 * sleeping allocation.
 */
#include "sim/inv/local.h"

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	(void)state;
	INV_CHECK(s, X1, !e->softirq && e->task != LOG_NO_TASK, "sleeps",
		  "%s in softirq", m_event_name[e->kind]);
}

static const enum m_event_kind events[] = {
	EV_SLEEP,
	EV_LOCK,
	EV_PIPE_LOCK,
	M_EVENT_COUNT,
};

const struct inv_ops inv_X1 = {
	.id = INV_X1,
	.events = events,
	.on_event = on_event,
};
