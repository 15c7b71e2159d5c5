// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What every reader does around decryption: take the reader role, wait for a
 * record, let the backlog in, consume, give the role up.
 *
 * One reader at a time has the role; it may sleep with the socket lock dropped
 * while it has it. Records that it parses itself are not announced until it
 * gives the role up, and then only if it did not take them.
 *
 * Left out: waiting for records that a device decrypts out of band.
 *
 * Upstream: net/tls/tls_sw.c (Linux 7.2.13): tls_rx_reader_acquire,
 * tls_rx_reader_lock,
 * tls_rx_reader_release, tls_rx_reader_unlock, tls_rx_rec_wait,
 * tls_rx_rec_done, tls_read_flush_backlog.
 */
#include "model/tls.h"

/* Bytes returned between two looks at the backlog. */
#define FLUSH_EVERY (128u * 1024)

static bool tls_rx_reader_gone(void *arg)
{
	const struct tls_sw_context_rx *ctx = arg;

	return !ctx->reader_present;
}

/* One sleep until the other reader is gone; the order of tests matters. */
static int tls_rx_reader_wait(struct sock *sk, struct tls_sw_context_rx *ctx,
			      s64 *timeo, bool nonblock)
{
	struct wait_queue_entry wait;
	int ret;

	ctx->reader_contended = true;
	init_wait_entry(&wait, sk->k->current);
	add_wait_queue(&ctx->wq, &wait);
	ret = sk_wait_event(sk, M_SLEEP_READER, timeo, tls_rx_reader_gone, ctx);
	remove_wait_queue(&wait);

	if (*timeo <= 0) {
		m_reason(sk->k, nonblock ? REASON_TLS_READER_BUSY :
					   REASON_TLS_READER_TIMEOUT);
		return -EAGAIN;
	}
	if (sk->k->ops->signal_pending(sk->k)) {
		m_reason(sk->k, REASON_TLS_READER_SIGNAL);
		return sock_intr_errno(*timeo);
	}
	if (ret < 0)
		m_reason(sk->k, REASON_TLS_DISCONNECTED);
	return ret < 0 ? ret : 0;
}

int tls_rx_reader_acquire(struct sock *sk, struct tls_sw_context_rx *ctx,
			  bool nonblock)
{
	s64 timeo = sock_rcvtimeo(sk, nonblock);
	int err;

	softirq_point(sk->k, POINT_READER_ACQUIRE);
	while (unlikely(ctx->reader_present)) {
		err = tls_rx_reader_wait(sk, ctx, &timeo, nonblock);
		if (err)
			return err;
	}
	ctx->reader_present = true;
	m_event(sk->k, EV_READER_ON, sk->id, 0, 0);
	return 0;
}

int tls_rx_reader_lock(struct sock *sk, struct tls_sw_context_rx *ctx,
		       bool nonblock)
{
	int err;

	lock_sock(sk);
	err = tls_rx_reader_acquire(sk, ctx, nonblock);
	if (unlikely(err))
		release_sock(sk);
	return err;
}

/* What is ready when a call ends: the next record, unless told of before. */
static void tls_rx_exit_announce(struct sock *sk, struct tls_sw_context_rx *ctx)
{
	struct tls_strparser *strp = &ctx->strp;
	struct m_kernel *k = sk->k;

	if (m_has(k, CHANGE_PARSE_LAZY) || m_has(k, CHANGE_PARSE_V7))
		tls_strp_check_rcv(strp, false);
	if (m_has(k, CHANGE_ANNOUNCE_EACH_EXIT) && !strp->stopped)
		strp->msg_announced = false;
	if (!m_has(k, CHANGE_ANNOUNCE_NEVER_OWN))
		tls_rx_msg_maybe_announce(strp);
	if (m_has(k, CHANGE_ANNOUNCE_LIST))
		tls_rx_list_announce(ctx);
}

void tls_rx_reader_release(struct sock *sk, struct tls_sw_context_rx *ctx)
{
	softirq_point(sk->k, POINT_READER_RELEASE);
	M_ASSERT(ctx->reader_present, "sk %u: no reader to release", sk->id);
	tls_rx_exit_announce(sk, ctx);
	if (unlikely(ctx->reader_contended)) {
		if (wq_has_sleeper(&ctx->wq))
			wake_up_poll(sk->k, &ctx->wq, 0);
		else
			ctx->reader_contended = false;
	}
	ctx->reader_present = false;
	m_event(sk->k, EV_READER_OFF, sk->id, 0, 0);
}

void tls_rx_reader_unlock(struct sock *sk, struct tls_sw_context_rx *ctx)
{
	tls_rx_reader_release(sk, ctx);
	release_sock(sk);
}

static enum m_reason tls_rx_sk_err_reason(const struct sock *sk)
{
	if (sk->sk_err == ECONNRESET || sk->sk_err == EPIPE)
		return REASON_TLS_RESET;
	if (tls_sw_ctx_rx(tls_get_ctx(sk))->strp.stopped)
		return REASON_TLS_FRAMING;
	return REASON_TLS_ABORTED;
}

/* A pending error ends the wait; it is taken only by a call without bytes. */
static int tls_rx_sk_err(struct sock *sk, bool has_copied)
{
	bool keep = has_copied && !m_has(sk->k, CHANGE_NO_SK_ERR_KEPT);

	if (keep)
		m_reason(sk->k, REASON_TLS_SK_ERR_KEPT);
	else
		m_reason(sk->k, has_copied ? REASON_TLS_SK_ERR_DROPPED :
					     tls_rx_sk_err_reason(sk));
	return keep ? -sk->sk_err : sock_error(sk);
}

static bool tls_rx_ended(const struct sock *sk)
{
	return sk->sk_shutdown & RCV_SHUTDOWN || sk->sk_done;
}

/* Nothing more will come; says which end this is. */
static int tls_rx_eof(struct sock *sk)
{
	const struct tls_sw_context_rx *ctx = tls_sw_ctx_rx(tls_get_ctx(sk));

	if (ctx->strp.stopped)
		m_reason(sk->k, REASON_TLS_EOF_FRAMING);
	else if (tcp_inq(sk) > 0 || ctx->strp.copy_mode)
		m_reason(sk->k, REASON_TLS_EOF_TRUNCATED);
	else if (sk->sk_done)
		m_reason(sk->k, REASON_TLS_EOF);
	else if (sk->sk_state == TCP_CLOSE)
		m_reason(sk->k, REASON_TLS_EOF_RESET);
	else
		m_reason(sk->k, REASON_TLS_EOF_SHUTDOWN);
	return 0;
}

/* No time left to wait; says what is missing. */
static int tls_rx_again(struct sock *sk, bool nonblock)
{
	const struct tls_sw_context_rx *ctx = tls_sw_ctx_rx(tls_get_ctx(sk));

	if (!nonblock)
		m_reason(sk->k, REASON_TLS_TIMEOUT);
	else if (ctx->strp.stopped)
		m_reason(sk->k, REASON_TLS_AGAIN_FRAMING);
	else if (tcp_inq(sk) > 0 || ctx->strp.copy_mode)
		m_reason(sk->k, REASON_TLS_AGAIN_PARTIAL);
	else
		m_reason(sk->k, REASON_TLS_AGAIN_EMPTY);
	return -EAGAIN;
}

static bool tls_rx_rec_is_ready(void *arg)
{
	return tls_strp_msg_ready(arg);
}

/* Drops the lock and sleeps until a record is ready. */
static int tls_rx_rec_sleep(struct sock *sk, struct tls_sw_context_rx *ctx,
			    s64 *timeo)
{
	struct wait_queue_entry wait;
	int ret;

	softirq_point(sk->k, POINT_REC_WAIT_SLEEP);
	init_wait_entry(&wait, sk->k->current);
	add_wait_queue(&sk->sk_wq, &wait);
	sk->async_waitdata = true;
	ret = sk_wait_event(sk, M_SLEEP_SK_WAIT, timeo, tls_rx_rec_is_ready,
			    ctx);
	sk->async_waitdata = false;
	remove_wait_queue(&wait);
	return ret;
}

/* 1 when a record is ready, else what the call returns. */
static int tls_rx_wait_ready(struct sock *sk, struct tls_sw_context_rx *ctx,
			     bool nonblock, bool *released, bool has_copied)
{
	bool no_flush = m_has(sk->k, CHANGE_NO_REC_WAIT_FLUSH) ||
			m_has(sk->k, CHANGE_KB_READ_SOCK_WINDOW_FULL);
	s64 timeo = sock_rcvtimeo(sk, nonblock);
	struct m_kernel *k = sk->k;
	int ret = 0;

	while (!tls_strp_msg_ready(ctx)) {
		softirq_point(k, POINT_REC_WAIT_CHECK);
		if (sk->sk_err)
			return tls_rx_sk_err(sk, has_copied);
		if (ret < 0) {
			m_reason(k, REASON_TLS_DISCONNECTED);
			return ret;
		}
		if (tls_rx_ended(sk) &&
		    m_has(k, CHANGE_KB_FAST_CLOSE_LOSES_DATA))
			return tls_rx_eof(sk);
		if (!no_flush && sk_flush_backlog(sk))
			*released = true;
		if (!skb_queue_empty(&sk->sk_receive_queue)) {
			softirq_point(k, POINT_REC_WAIT_PARSE);
			tls_strp_check_rcv(&ctx->strp, false);
			if (tls_strp_msg_ready(ctx))
				break;
		}
		/* The flush or the parser may just have met one. */
		if (!no_flush && sk->sk_err)
			return tls_rx_sk_err(sk, has_copied);
		if (tls_rx_ended(sk) &&
		    !m_has(k, CHANGE_KB_HANG_AFTER_SHUTDOWN))
			return tls_rx_eof(sk);
		if (!timeo)
			return tls_rx_again(sk, nonblock);

		*released = true;
		ret = tls_rx_rec_sleep(sk, ctx, &timeo);
		if (k->ops->signal_pending(k)) {
			m_reason(k, REASON_TLS_SIGNAL);
			return sock_intr_errno(timeo);
		}
	}
	return 1;
}

int tls_rx_rec_wait(struct sock *sk, bool nonblock, bool released,
		    bool has_copied)
{
	struct tls_sw_context_rx *ctx = tls_sw_ctx_rx(tls_get_ctx(sk));
	int ret;

	softirq_point(sk->k, POINT_REC_WAIT_ENTER);
	for (;;) {
		if (ctx->key_update_pending) {
			m_reason(sk->k, REASON_TLS_KEY_EXPIRED);
			return -EKEYEXPIRED;
		}
		ret = tls_rx_wait_ready(sk, ctx, nonblock, &released,
					has_copied);
		if (ret <= 0)
			return ret;
		if (likely(tls_strp_msg_load(&ctx->strp, released)))
			return 1;
		/* Somebody else took the bytes: all over again. */
		released = false;
	}
}

void tls_rx_rec_done(struct tls_sw_context_rx *ctx, bool eager_in_v7)
{
	struct m_kernel *k = ctx->strp.sk->k;

	softirq_point(k, POINT_REC_DONE);
	tls_strp_msg_consume(&ctx->strp);
	if (m_has(k, CHANGE_PARSE_LAZY) || m_has(k, CHANGE_PARSE_ON_WAIT) ||
	    (m_has(k, CHANGE_PARSE_V7) && !eager_in_v7))
		return;
	tls_strp_check_rcv(&ctx->strp, false);
}

bool tls_read_flush_backlog(struct sock *sk, struct tls_prot_info *prot,
			    size_t len_left, size_t decrypted, ssize_t done,
			    size_t *flushed_at)
{
	int max_rec;

	if (len_left <= decrypted)
		return false;
	max_rec = prot->overhead_size - prot->tail_size + TLS_MAX_PAYLOAD_SIZE;
	if ((size_t)done - *flushed_at < FLUSH_EVERY && tcp_inq(sk) > max_rec)
		return false;
	*flushed_at = (size_t)done;
	return sk_flush_backlog(sk);
}
