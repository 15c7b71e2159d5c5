// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * B1: a non-blocking call never sleeps.
 * How: at every sleep of a call that asked not to (MSG_DONTWAIT, O_NONBLOCK,
 * SPLICE_F_NONBLOCK, timeout 0). Waiting for the socket lock or the pipe mutex
 * is no such sleep: their holders are on their way.
 * Left out: recvmmsg while somebody changes O_NONBLOCK. splice from plain TCP
 * looks at O_NONBLOCK of the socket only, as its manual says.
 */
#include "sim/inv/local.h"

static bool socket_sleep(s64 where)
{
	return where == M_SLEEP_SK_WAIT || where == M_SLEEP_READER;
}

static bool forbidden(const struct sim *s, const struct sim_event *e)
{
	const struct ledger_call *c = ledger_call(s, e->task);
	const struct trace_call *call = inv_call(s, e);
	const struct pipe_inode_info *pipe;

	switch (e->a) {
	case M_SLEEP_SK_WAIT:
	case M_SLEEP_READER:
		if (call->kind == CALL_SPLICE && c->plain)
			return s->conn.sk->sk_nonblock && !c->unsure;
		if (call->kind == CALL_RECVMMSG && c->msg_n > 1 &&
		    call->flags & M_MSG_WAITFORONE)
			return true;
		return c->nonblock && !c->unsure;
	case M_SLEEP_PIPE_SPACE:
		pipe = s->pipes[call->pipe];
		return pipe->wr_nonblock || (call->kind == CALL_SPLICE &&
					     call->flags & M_SPLICE_F_NONBLOCK);
	case M_SLEEP_PIPE_DATA:
		return s->pipes[call->pipe]->rd_nonblock;
	case M_SLEEP_POLL:
		return !call->timeout_ns;
	default:
		return false;
	}
}

/* Splice that only the socket's O_NONBLOCK tells not to wait. */
static const char *slug_of(const struct sim *s, const struct sim_event *e)
{
	const struct trace_call *call = inv_call(s, e);

	if (call->kind == CALL_SPLICE && socket_sleep(e->a) &&
	    !ledger_call(s, e->task)->plain &&
	    !(call->flags & M_SPLICE_F_NONBLOCK) &&
	    !s->pipes[call->pipe]->wr_nonblock && s->conn.sk->sk_nonblock)
		return "splice-o-nonblock";
	return "sleeps";
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	(void)state;
	if (e->task >= s->task_n)
		return;
	if (!forbidden(s, e))
		inv_checked(s, INV_B1);
	else
		inv_fail(s, INV_B1, slug_of(s, e),
			 "%s sleeps (%s) in a %s that must not wait",
			 s->tasks[e->task].t.name, m_sleep_name[e->a],
			 call_name[inv_call(s, e)->kind]);
}

static const enum m_event_kind events[] = { EV_SLEEP, M_EVENT_COUNT };

const struct inv_ops inv_B1 = {
	.id = INV_B1,
	.events = events,
	.on_event = on_event,
};
