// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * B3: no call sleeps while a complete record, an error, end of stream or a
 * pending rekey it would report is there.
 * How: at the moment a task goes to sleep, unless it was already woken and
 * will come straight back. What it sleeps for must not be there: by the place
 * of the sleep.
 * Left out: a whole record that TCP has and nobody parsed: a parse may be on
 * its way then; W1 looks when nothing is.
 */
#include "sim/inv/local.h"

/* Sleeping for TLS records, or for bytes. */
static const char *sk_wait(const struct sim *s, const struct ledger_call *c)
{
	const struct tls_sw_context_rx *ctx = ledger_rx(s);
	const struct sock *sk = s->conn.sk;

	if (sk->sk_err)
		return "error";
	if (sk->sk_shutdown & RCV_SHUTDOWN || sk->sk_done)
		return "end-of-stream";
	if (c->plain)
		return sk->sk_state == TCP_CLOSE ? "closed" : NULL;
	if (ctx && ctx->strp.msg_ready)
		return "record";
	return ctx && ctx->key_update_pending ? "rekey" : NULL;
}

static const char *pipe_space(const struct pipe_inode_info *p)
{
	if (!p->readers)
		return "no-pipe-reader";
	return pipe_full(p) ? NULL : "pipe-space";
}

static const char *pipe_data(const struct pipe_inode_info *p)
{
	if (!p->writers)
		return "no-pipe-writer";
	return pipe_occupancy(p) ? "pipe-data" : NULL;
}

/* What the sleeper could have, NULL nothing. */
static const char *there(const struct sim *s, const struct sim_event *e)
{
	const struct tls_sw_context_rx *ctx = ledger_rx(s);
	const struct trace_call *call = inv_call(s, e);

	switch (e->a) {
	case M_SLEEP_SK_WAIT:
		return sk_wait(s, ledger_call(s, e->task));
	case M_SLEEP_READER:
		return ctx && !ctx->reader_present ? "reader-role" : NULL;
	case M_SLEEP_LOCK_SOCK:
		return s->conn.sk->owned ? NULL : "socket-lock";
	case M_SLEEP_PIPE_MUTEX:
		return s->pipes[call->pipe]->mutex_owner ? NULL : "pipe-mutex";
	case M_SLEEP_PIPE_SPACE:
		return pipe_space(s->pipes[call->pipe]);
	case M_SLEEP_PIPE_DATA:
		return pipe_data(s->pipes[call->pipe]);
	default:
		return NULL;
	}
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	const struct sim_task *t = &s->tasks[e->task];
	const char *what;

	(void)state;
	if (t->t.woken || t->signalled || !t->call)
		return;
	what = there(s, e);
	INV_CHECK(s, B3, !what, what,
		  "%s goes to sleep (%s) beside what it waits for: %s",
		  t->t.name, m_sleep_name[e->a], what);
}

static const enum m_event_kind events[] = { EV_SLEEP, M_EVENT_COUNT };

const struct inv_ops inv_B3 = {
	.id = INV_B3,
	.events = events,
	.on_event = on_event,
};
