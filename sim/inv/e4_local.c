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

/* recvmmsg stores the error of its last message: no cause is logged in front,
 * and it has given the reader role up. */
static bool by_recvmmsg(const struct sim *s, const struct sim_event *e)
{
	const struct ledger_call *c = ledger_call(s, e->task);
	u16 before = s->event_n > 1 ? s->events[s->event_n - 2].kind : 0;

	return inv_call(s, e) && inv_call(s, e)->kind == CALL_RECVMMSG &&
	       !e->softirq && before != EV_RST_RCVD && before != EV_PARSE_ERR &&
	       (!c->msg_n || c->msg.closed);
}

/* Nobody is told of it; W1 knows. */
static void kept_by_recvmmsg(struct sim *s, const struct sim_event *e)
{
	s->ledger->sick = (int)-e->b;
	if (ledger_call(s, e->task)->err_taken == -e->b || !local_errno(-e->b))
		inv_checked(s, INV_E4);
	else
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
	if (err == EFAULT || err == ENOMEM)
		inv_fail(s, INV_E4, "fault-aborts",
			 "%s set the socket's error to %lld",
			 err == EFAULT ? "a bad buffer" : "a failed allocation",
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
