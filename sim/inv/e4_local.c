// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * E4: a local fault (bad pointer, no memory) harms no other call.
 * How: the socket's error must not be set because of one: not by a decryption
 * that failed with EFAULT or ENOMEM, not by recvmmsg that keeps the error of
 * its last message, and a refused disconnect must not end a read.
 * Left out: what is lost with a fault shows as D1.
 */
#include "sim/inv/local.h"

/* The event before this one, if it is a failed decryption. */
static s64 decrypt_errno(const struct sim *s)
{
	const struct sim_event *p = &s->events[s->event_n - 2];

	return s->event_n > 1 && p->kind == EV_DECRYPT ? -p->c : 0;
}

static bool local_errno(s64 err)
{
	return err == EFAULT || err == ENOMEM || err == EINTR || err == EIO ||
	       err == EKEYEXPIRED || err == ERESTARTSYS;
}

/* Outside the reader role nobody else of recvmmsg sets it. */
static bool by_recvmmsg(const struct sim *s, const struct sim_event *e)
{
	const struct ledger_call *c = ledger_call(s, e->task);

	return inv_call(s, e) && inv_call(s, e)->kind == CALL_RECVMMSG &&
	       c->err_taken != -e->b && local_errno(-e->b);
}

/* Nobody is told of it either; W1 need not say so again. */
static void kept_by_recvmmsg(struct sim *s, const struct sim_event *e)
{
	s->ledger->sick = (int)-e->b;
	inv_fail(s, INV_E4, "recvmmsg-keeps-error",
		 "recvmmsg left its own error %lld for the next call",
		 (long long)-e->b);
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	s64 err = decrypt_errno(s);

	(void)state;
	if (e->task == LOG_NO_TASK)
		return;
	if (err == EFAULT)
		inv_fail(s, INV_E4, "fault-aborts",
			 "a bad buffer set the socket's error to %lld",
			 (long long)-e->b);
	else if (err == ENOMEM)
		inv_fail(s, INV_E4, "no-memory-aborts",
			 "a failed allocation set the socket's error to %lld",
			 (long long)-e->b);
	else if (by_recvmmsg(s, e))
		kept_by_recvmmsg(s, e);
	else
		inv_checked(s, INV_E4);
}

static void on_return(struct sim *s, void *state, struct sim_task *t)
{
	(void)state;
	if (t->res.reason == REASON_TLS_DISCONNECTED)
		inv_fail(
			s, INV_E4, "disconnect-ends-read",
			"a disconnect that was refused ended the call with %lld",
			(long long)t->res.ret);
}

static const enum m_event_kind events[] = { EV_SK_ERR_SET, M_EVENT_COUNT };

const struct inv_ops inv_E4 = {
	.id = INV_E4,
	.events = events,
	.on_event = on_event,
	.on_return = on_return,
};
