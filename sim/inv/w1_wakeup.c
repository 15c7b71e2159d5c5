// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * W1: no lost wakeup: nobody sleeps beside data it could take, and poll says
 * readable exactly when a non-blocking read would not say EAGAIN.
 * How: when nothing can run any more, what a non-blocking read would find is
 * computed from the state of socket, parser and rx_list, and compared with
 * poll and with everybody who sleeps. SO_RCVLOWAT keeps poll silent and a read
 * asleep about fewer bytes than that, as socket(7) says, and about nothing
 * else. An edge-triggered waiter is told once of what arrives (epoll(7)).
 * Left out: reads that would meet another reader (it sleeps itself, and is
 * looked at); poll beside an urgent byte.
 */
#include "sim/inv/local.h"

/* What a non-blocking read would find first. */
enum found {
	FOUND_NOTHING, /* EAGAIN */
	FOUND_LIST, /* on rx_list */
	FOUND_REKEY, /* EKEYEXPIRED */
	FOUND_RECORD, /* ready in the parser */
	FOUND_ERROR, /* sk_err */
	FOUND_UNPARSED, /* whole in TCP, found by the read's own parse */
	FOUND_END, /* end of stream */
	FOUND_BYTES, /* plain TCP */
	FOUND_EMPTY, /* empty data records and nothing behind: EAGAIN */
};

static const char *const found_name[] = {
	[FOUND_NOTHING] = "nothing",
	[FOUND_LIST] = "decrypted bytes",
	[FOUND_REKEY] = "a pending rekey",
	[FOUND_RECORD] = "a record",
	[FOUND_ERROR] = "an error",
	[FOUND_UNPARSED] = "a record that nobody parsed",
	[FOUND_END] = "end of stream",
	[FOUND_BYTES] = "bytes",
	[FOUND_EMPTY] = "an empty record",
};

static bool at_end(const struct sock *sk)
{
	return sk->sk_done || sk->sk_shutdown & RCV_SHUTDOWN;
}

static enum found found_plain(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	if (tcp_inq(sk) > 0)
		return FOUND_BYTES;
	if (at_end(sk) || sk->sk_state == TCP_CLOSE)
		return FOUND_END;
	if (sk->sk_err)
		return FOUND_ERROR;
	/* the urgent byte alone is none to read, behind it there are some */
	return unlikely(tp->urg_data) && tp->rcv_nxt - tp->copied_seq > 1 ?
		       FOUND_BYTES :
		       FOUND_NOTHING;
}

/* The same for a reader that is past rx_list. */
static enum found found_behind(struct sim *s,
			       const struct tls_sw_context_rx *ctx)
{
	const struct sock *sk = s->conn.sk;
	bool ready = ctx->strp.msg_ready;
	bool answers;

	if (ctx->key_update_pending)
		return FOUND_REKEY;
	answers = ledger_read_answers(s, 1);
	if (ready && answers)
		return FOUND_RECORD;
	if (sk->sk_err)
		return FOUND_ERROR;
	if (answers)
		return FOUND_UNPARSED;
	if (at_end(sk))
		return FOUND_END;
	return ready || !skb_queue_empty(&ctx->rx_list) ? FOUND_EMPTY :
							  FOUND_NOTHING;
}

static enum found found_tls(struct sim *s, const struct tls_sw_context_rx *ctx)
{
	return ledger_listed(s) ? FOUND_LIST : found_behind(s, ctx);
}

/**
 * struct w1 - state
 * @told: receiver's number of the last record announced, plus one
 * @untold: of the last one that was consumed without, plus one, while somebody
 *	waited for edges
 */
struct w1 {
	u64 told;
	u64 untold;
};

/* Bytes below SO_RCVLOWAT are not parsed and not announced. What the parser
 * has moved out of TCP does not count for it. */
static bool below_lowat(const struct sock *sk)
{
	return tcp_inq(sk) < sk->sk_rcvlowat;
}

/* What is there is less than SO_RCVLOWAT, and nothing but bytes of data: who
 * waits for @want of them need not be told. */
static bool lowat_hides(struct sim *s, enum found f, u64 want)
{
	const struct sock *sk = s->conn.sk;

	if (f == FOUND_BYTES)
		return below_lowat(sk);
	return f == FOUND_UNPARSED && below_lowat(sk) && !at_end(sk) &&
	       !ledger_read_answers(s, want);
}

/* Asking poll must not change why some call ended. */
static u32 poll_mask(struct sim *s)
{
	struct m_task *saved = s->k.current;
	u32 mask;

	s->k.current = NULL;
	mask = s->conn.sk->ops->poll(s->conn.sk);
	s->k.current = saved;
	return mask;
}

/* poll is silent although a read would have an answer. */
static const char *silent_slug(const struct sim *s, enum found f)
{
	switch (f) {
	case FOUND_REKEY:
		return "poll-hides-rekey";
	case FOUND_LIST:
		if (!ledger_rx(s)->key_update_pending)
			return "poll-silent";
		return ledger_listed_ahead(s) ? "poll-hides-ahead" :
						"poll-hides-rekey";
	case FOUND_UNPARSED:
		return below_lowat(s->conn.sk) ? "lowat-unparsed" :
						 "poll-unparsed";
	default:
		return "poll-silent";
	}
}

/* poll says readable although a read would say EAGAIN. */
static const char *spurious_slug(const struct sim *s, enum found f)
{
	const struct sock *sk = s->conn.sk;

	if (f == FOUND_EMPTY)
		return "poll-empty-record";
	/* half closed, poll is TCP's and counts bytes */
	if (ledger_rx(s) && sk->sk_state != TCP_ESTABLISHED &&
	    tcp_epollin_ready(sk, sk->sk_rcvlowat))
		return "poll-half-closed";
	return "poll-spurious";
}

static u64 lowat(const struct sim *s)
{
	return (u64)max_t(int, s->conn.sk->sk_rcvlowat, 1);
}

static void poll_agrees(struct sim *s, enum found f)
{
	u32 mask = poll_mask(s);
	bool says = mask & (M_POLLIN | M_POLLERR | M_POLLHUP | M_POLLRDHUP);
	bool reads = f != FOUND_NOTHING && f != FOUND_EMPTY;

	if (tcp_sk(s->conn.sk)->urg_data)
		return; /* an urgent byte counts in one place, not in the other */
	if (says == reads || (!says && lowat_hides(s, f, lowat(s))))
		inv_checked(s, INV_W1);
	else if (reads)
		inv_fail(s, INV_W1, silent_slug(s, f),
			 "poll says 0x%x, a non-blocking read would find %s",
			 mask, found_name[f]);
	else
		inv_fail(s, INV_W1, spurious_slug(s, f),
			 "poll says 0x%x, a non-blocking read would find %s",
			 mask, found_name[f]);
}

/* A reader sleeps beside it. */
static const char *reader_slug(const struct sim *s, enum found f)
{
	if (f == FOUND_UNPARSED && below_lowat(s->conn.sk))
		return "lowat-unparsed";
	return f == FOUND_UNPARSED ? "reader-unparsed" : "reader-asleep";
}

/* recvmmsg left the error that is there and told nobody, see E4. */
static bool told_nobody(const struct sim *s)
{
	return s->conn.sk->sk_err && s->conn.sk->sk_err == s->ledger->sick;
}

/* Bytes that a read of TLS waits for. */
static u64 missing(const struct sim *s, const struct sim_task *t)
{
	const struct ledger_msg *m = &ledger_call(s, t->t.id)->msg;

	return m->target > m->put ? m->target - m->put : 1;
}

/* What is queued is part of a record and the rest of it cannot come. */
static bool window_is_shut(const struct sim *s)
{
	const struct tls_sw_context_rx *ctx = ledger_rx(s);
	const struct sock *sk = s->conn.sk;

	return ctx && !ctx->strp.stopped && !at_end(sk) && tcp_inq(sk) > 0 &&
	       !tcp_receive_window(tcp_sk(sk));
}

static void reader(struct sim *s, const struct sim_task *t, enum found f)
{
	bool plain = ledger_call(s, t->t.id)->plain;

	/* With bytes in hand it waits for its target, which TCP counts; what
	 * it would do with keys set meanwhile is theft. */
	if (plain && (f == FOUND_BYTES || ledger_rx(s)))
		f = FOUND_NOTHING;
	/* A peek has put on rx_list what it shows, and wants more. */
	if (f == FOUND_LIST && inv_is_peek(t->call))
		f = found_behind(s, ledger_rx(s));
	if (f == FOUND_NOTHING && window_is_shut(s))
		inv_fail(s, INV_W1, "window-shut",
			 "%s sleeps in a %s, nothing is to be read, and the "
			 "window is shut",
			 t->t.name, call_name[t->call->kind]);
	else if (f == FOUND_NOTHING || f == FOUND_EMPTY ||
		 (f == FOUND_ERROR && told_nobody(s)) ||
		 (f == FOUND_UNPARSED && lowat_hides(s, f, missing(s, t))))
		inv_checked(s, INV_W1);
	else
		inv_fail(s, INV_W1, reader_slug(s, f),
			 "%s sleeps in a %s beside %s", t->t.name,
			 call_name[t->call->kind], found_name[f]);
}

static bool edge_was_given(const struct sim *s)
{
	const struct tls_sw_context_rx *ctx = ledger_rx(s);

	return !ctx || !ctx->strp.msg_ready || ctx->strp.msg_announced;
}

/* Of what this is about, what the call waits for. A registration may have been
 * changed by another task. */
static u32 poll_asked(const struct sim *s, const struct trace_call *c)
{
	u32 asked = c->flags;

	if (c->kind == CALL_EPOLL)
		asked = c->edge ? s->conn.ep_et.asked : s->conn.ep_lt.asked;
	return asked ? asked & (M_POLLIN | M_POLLRDHUP) : M_POLLIN;
}

/* Some record on rx_list was never announced to those who wait for edges. */
static bool untold(const struct sim *s, const struct w1 *st)
{
	struct ledger *l = s->ledger;
	s64 head = (s64)ledger_solid(l) - l->delta;

	return st->untold &&
	       (l->state != LEDGER_TLS || !l->mapped || (s64)st->untold > head);
}

/* Sleeps beside what a reader parsed itself and left. */
static void list_poller(struct sim *s, const struct w1 *st,
			const struct sim_task *t)
{
	bool edge = t->call->kind == CALL_EPOLL && t->call->edge;

	INV_CHECK(s, W1, edge && !untold(s, st),
		  ledger_listed_ahead(s) ? "poller-ahead" : "poller-list",
		  "%s sleeps in %s beside decrypted bytes", t->t.name,
		  call_name[t->call->kind]);
}

/* A poller sleeps, and poll says readable: for an empty record on rx_list, if
 * what a read would find is below SO_RCVLOWAT. */
static const char *asleep_slug(const struct sim *s, enum found f)
{
	if (f == FOUND_REKEY)
		return "poll-hides-rekey";
	return f == FOUND_UNPARSED && below_lowat(s->conn.sk) ?
		       "lowat-unparsed" :
		       "poller-asleep";
}

static void poller(struct sim *s, const struct w1 *st, const struct sim_task *t,
		   enum found f)
{
	bool edge = t->call->kind == CALL_EPOLL && t->call->edge;
	u32 mask = poll_mask(s) &
		   (M_POLLERR | M_POLLHUP | poll_asked(s, t->call));

	if (mask == M_POLLERR && told_nobody(s))
		return;
	if (f == FOUND_EMPTY || f == FOUND_NOTHING)
		inv_checked(s, INV_W1); /* a read would say EAGAIN */
	else if (mask && f == FOUND_LIST && !ledger_rx(s)->strp.msg_ready)
		list_poller(s, st, t);
	else if (lowat_hides(s, f, lowat(s)))
		inv_checked(s, INV_W1); /* what poll says is an empty record */
	else if (!edge)
		INV_CHECK(s, W1, !mask, asleep_slug(s, f),
			  "%s sleeps in %s, poll says 0x%x", t->t.name,
			  call_name[t->call->kind], mask);
	else
		INV_CHECK(s, W1, edge_was_given(s), "edge-lost",
			  "%s sleeps for an edge, a record was never announced",
			  t->t.name);
}

static void pipe_sleeper(struct sim *s, const struct sim_task *t)
{
	const struct pipe_inode_info *p = s->pipes[t->call->pipe];
	u32 where = ledger_call(s, t->t.id)->sleep_where;
	bool can = false;

	if (where == M_SLEEP_PIPE_SPACE)
		can = !pipe_full(p) || !p->readers;
	else if (where == M_SLEEP_PIPE_DATA)
		can = pipe_occupancy(p) || !p->writers;
	else
		can = !p->mutex_owner;
	INV_CHECK(s, W1, !can, "pipe-sleeper", "%s sleeps (%s) and could go on",
		  t->t.name, m_sleep_name[where]);
}

static void sleeper(struct sim *s, const struct w1 *st,
		    const struct sim_task *t, enum found f)
{
	const struct tls_sw_context_rx *ctx = ledger_rx(s);

	switch (ledger_call(s, t->t.id)->sleep_where) {
	case M_SLEEP_SK_WAIT:
		reader(s, t, f);
		break;
	case M_SLEEP_READER:
		INV_CHECK(s, W1, !ctx || ctx->reader_present, "role-free",
			  "%s waits for the reader role, which is free",
			  t->t.name);
		break;
	case M_SLEEP_LOCK_SOCK:
		INV_CHECK(s, W1, s->conn.sk->owned, "lock-free",
			  "%s waits for the socket lock, which is free",
			  t->t.name);
		break;
	case M_SLEEP_POLL:
		if (!s->conn.closed) /* else its registration went */
			poller(s, st, t, f);
		break;
	default:
		pipe_sleeper(s, t);
		break;
	}
}

static void on_quiet(struct sim *s, void *state)
{
	const struct tls_sw_context_rx *ctx = ledger_rx(s);
	enum found f;
	u32 i;

	if (s->ledger->closing || !s->conn.sk ||
	    s->conn.sk->sk_state == TCP_LISTEN)
		return;
	f = ctx ? found_tls(s, ctx) : found_plain(s->conn.sk);
	for (i = 0; i < s->task_n; i++) {
		if (s->tasks[i].state == TASK_SLEEPING)
			sleeper(s, state, &s->tasks[i], f);
	}
	poll_agrees(s, f);
}

/* New keys: everybody is woken, whatever there is. */
static void told_all(const struct sim *s, struct w1 *st)
{
	const struct tls_sw_context_rx *ctx = ledger_rx(s);

	st->untold = 0;
	if (ctx && ctx->strp.msg_ready)
		st->told = s->ledger->front_recno + 1;
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	struct w1 *st = state;

	if (e->kind == EV_ANNOUNCE && e->b < 0)
		told_all(s, st);
	else if (e->kind == EV_ANNOUNCE)
		st->told = (u64)e->b + 1;
	else if (st->told != (u64)e->a + 1 && s->conn.ep_et.registered)
		st->untold = (u64)e->a + 1;
}

static const enum m_event_kind events[] = {
	EV_ANNOUNCE,
	EV_CONSUMED,
	M_EVENT_COUNT,
};

const struct inv_ops inv_W1 = {
	.id = INV_W1,
	.state_size = sizeof(struct w1),
	.events = events,
	.on_event = on_event,
	.on_quiet = on_quiet,
};
