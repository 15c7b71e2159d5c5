// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * X1: nothing sleeps in softirq.
 * How: no sleep is logged in softirq or without a task.
 * Left out: what only might sleep (locks, the pipe mutex), which the model
 * asserts itself; allocations, since none of the model's sleeps.
 */
#include "sim/inv/local.h"

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	(void)state;
	INV_CHECK(s, X1, !e->softirq && e->task != LOG_NO_TASK, "sleeps",
		  "%s in softirq", m_event_name[e->kind]);
}

static const enum m_event_kind events[] = { EV_SLEEP, M_EVENT_COUNT };

const struct inv_ops inv_X1 = {
	.id = INV_X1,
	.events = events,
	.on_event = on_event,
};
