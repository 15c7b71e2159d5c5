// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * E2: the errno is the one documented for the cause.
 * How: of a call that hands out bytes, each errno needs what it stands for to
 * have happened during the call; of any other call it must be one its manual
 * has. A record that the peer sealed well must open, and a header must be
 * refused with the errno that says what is wrong with it. When SO_RCVTIMEO has
 * run out, EAGAIN is right whatever came in the same instant.
 * Left out: why an option call failed (tests compare those with real kernels).
 */
#include "sim/inv/local.h"

static const u16 setsockopt_errnos[] = {
	EINVAL, EBUSY,	  EFAULT, ENOMEM, ENOENT,     ENOPROTOOPT,
	EEXIST, ENOTCONN, EDOM,	  EBADF,  EOPNOTSUPP, 0,
};
static const u16 getsockopt_errnos[] = {
	EINVAL, EBUSY, EFAULT, ENOPROTOOPT, EOPNOTSUPP, EBADF, 0,
};
static const u16 pipe_errnos[] = {
	EAGAIN, EINTR, EFAULT, EPIPE, ENOMEM, EBUSY, EINVAL, EBADF, 0,
};
static const u16 poll_errnos[] = { EINTR, EBADF, 0 };
static const u16 shutdown_errnos[] = { ENOTCONN, EINVAL, EBADF, 0 };
static const u16 disconnect_errnos[] = { EOPNOTSUPP, EBADF, 0 };
static const u16 fionread_errnos[] = { EINVAL, EBADF, 0 };
static const u16 close_errnos[] = { EBADF, 0 };

static const u16 *const errnos[CALL_COUNT] = {
	[CALL_POLL] = poll_errnos,
	[CALL_EPOLL] = poll_errnos,
	[CALL_FIONREAD] = fionread_errnos,
	[CALL_SETSOCKOPT] = setsockopt_errnos,
	[CALL_GETSOCKOPT] = getsockopt_errnos,
	[CALL_NONBLOCK] = close_errnos,
	[CALL_SHUTDOWN] = shutdown_errnos,
	[CALL_CLOSE] = close_errnos,
	[CALL_DISCONNECT] = disconnect_errnos,
	[CALL_PREAD] = pipe_errnos,
	[CALL_PWRITE] = pipe_errnos,
	[CALL_PIONREAD] = pipe_errnos,
	[CALL_PPOLL] = pipe_errnos,
	[CALL_PRESIZE] = pipe_errnos,
	[CALL_PCLOSE] = pipe_errnos,
};

static bool in_manual(const struct sim_task *t, int err)
{
	const u16 *p = errnos[t->call->kind];

	for (; p && *p; p++) {
		if (*p == err)
			return true;
	}
	return !p;
}

static bool has_bad_buffer(const struct trace_call *c)
{
	return inv_bad_from(c) != UINT64_MAX;
}

/* Type of the record that was next when the call gave the role up; -1 if that
 * is not known or the call never had the role. */
static int next_type(const struct sim *s, const struct sim_task *t)
{
	const struct ledger_call *c = ledger_call(s, t->t.id);

	return c->msg_n && c->msg.closed ? c->msg.next_type : -1;
}

static bool pipe_without_reader(const struct sim *s, const struct sim_task *t)
{
	return t->call->kind == CALL_SPLICE &&
	       !s->pipes[t->call->pipe]->readers;
}

static bool pipe_end_closed(const struct sim *s, const struct trace_call *c)
{
	return c->kind == CALL_SPLICE &&
	       s->pipe_closed[c->pipe] & SIM_FD_CLOSED(1);
}

static bool may_eagain(const struct sim_task *t, const struct ledger_call *c)
{
	if (c->nonblock || c->unsure || c->met & MET_TIMED_OUT)
		return true;
	return call_is_recv(t->call->kind) &&
	       t->call->flags & (M_MSG_ERRQUEUE | M_MSG_OOB | M_MSG_WAITFORONE);
}

/* The consumer of read_sock said so itself. */
static bool actor_errno(const struct trace_call *c, int err)
{
	u32 i;

	for (i = 0; c->kind == CALL_READ_SOCK && i < c->take_n; i++) {
		if (c->take[i] == -err)
			return true;
	}
	return false;
}

static bool may_einval(const struct sim *s, const struct sim_task *t)
{
	if (call_is_recv(t->call->kind))
		return t->call->flags & M_MSG_OOB;
	return next_type(s, t) != TLS_RECORD_TYPE_DATA;
}

/* Did the call meet what @err stands for? */
static bool met_cause(const struct sim *s, const struct sim_task *t, int err)
{
	const struct ledger_call *c = ledger_call(s, t->t.id);
	const struct sock *sk = s->conn.sk;

	if (t->res.reason == REASON_ZERO_READ)
		return err == EBADF; /* recvmmsg of no message on 6.1 */
	switch (err) {
	case EAGAIN:
		return may_eagain(t, c);
	case EINTR:
		return c->met & MET_SIGNAL || t->killed;
	case EBADMSG:
		return c->met & MET_DECRYPT_BAD || !next_type(s, t) ||
		       s->ledger->state != LEDGER_TLS;
	case EKEYEXPIRED:
		return c->met & MET_REKEY;
	case EIO:
		return call_is_recv(t->call->kind) &&
		       t->call->ctl < CMSG_LEN_1 &&
		       next_type(s, t) != TLS_RECORD_TYPE_DATA;
	case EFAULT:
		return has_bad_buffer(t->call);
	case ENOMEM:
		return c->met & MET_NOMEM;
	case EINVAL:
		return may_einval(s, t);
	case EPIPE:
		return pipe_without_reader(s, t) ||
		       t->res.reason == REASON_TLS_DISCONNECTED ||
		       t->res.reason == REASON_TCP_DISCONNECTED;
	case ENOTCONN:
		return c->plain && (sk->sk_state == TCP_CLOSE ||
				    sk->sk_state == TCP_LISTEN);
	case EBADF:
		return t->res.reason == REASON_BAD_FD &&
		       (s->conn.closed || pipe_end_closed(s, t->call));
	default:
		return false;
	}
}

static void on_return(struct sim *s, void *state, struct sim_task *t)
{
	const struct ledger_call *c = ledger_call(s, t->t.id);
	int err = t->res.ret < 0 ? (int)-t->res.ret : 0;
	bool ok;

	(void)state;
	if (!err) {
		inv_checked(s, INV_E2);
		return;
	}
	if (!call_takes_data(t->call->kind))
		ok = in_manual(t, err);
	else
		ok = c->err_taken == err || actor_errno(t->call, err) ||
		     met_cause(s, t, err);
	INV_CHECK(
		s, E2, ok, "no-cause",
		"%s returned errno %d (%s) and met nothing that stands for it",
		call_name[t->call->kind], err, m_reason_name[t->res.reason]);
}

/* A decryption failed; was the record really bad? */
static void refused(struct sim *s, const struct sim_event *e)
{
	if (!e->c || e->c == -EFAULT || e->c == -ENOMEM)
		return;
	INV_CHECK(s, E2,
		  !ledger_front_good(s->ledger) || !ledger_front_intact(s),
		  "good-record-refused",
		  "record %lld is good and was refused with %lld",
		  (long long)e->a, (long long)e->c);
}

static void header(struct sim *s, const struct sim_event *e)
{
	int want = ledger_header_errno(s);

	if (want < 0)
		return;
	INV_CHECK(s, E2, want == -e->b,
		  want ? "header-errno" : "good-header-refused",
		  "the header was refused with %lld, due is %d",
		  (long long)-e->b, want);
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	(void)state;
	if (e->kind == EV_DECRYPT)
		refused(s, e);
	else
		header(s, e);
}

static const enum m_event_kind events[] = {
	EV_DECRYPT,
	EV_PARSE_ERR,
	M_EVENT_COUNT,
};

const struct inv_ops inv_E2 = {
	.id = INV_E2,
	.events = events,
	.on_event = on_event,
	.every_return = true,
	.on_return = on_return,
};
