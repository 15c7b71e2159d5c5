// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recvmsg on a TLS socket.
 *
 * A call first takes from rx_list, then decrypts record after record until it
 * has its target and none is ready: straight to user memory where it can (zero
 * copy), else to an skb that is copied out. What cannot be handed out in this
 * call (rest of a record, another type, a peek) is parked on rx_list.
 *
 * Left out: asynchronous decryption (MODEL: no transform is asynchronous yet,
 * so the list is never drained a second time at the end); the error queue has
 * no entries.
 *
 * Upstream: net/tls/tls_sw.c (Linux 7.2.13): tls_sw_recvmsg.
 */
#include "model/tls.h"

/**
 * struct tls_recv - one recvmsg under way
 * @sk: socket
 * @ctx: its receive state
 * @msg: destination
 * @len: bytes still wanted
 * @flags: M_MSG_*
 * @zc_capable: this call may decrypt to user memory
 * @peek: MSG_PEEK
 * @part: the last record was taken in part
 * @released: the lock was dropped since the parser last looked
 * @control: type of the call's records, 0 before the first
 * @copied: bytes taken from rx_list
 * @decrypted: bytes taken from records decrypted by this call
 * @flushed_at: for tls_read_flush_backlog()
 */
struct tls_recv {
	struct sock *sk;
	struct tls_sw_context_rx *ctx;
	struct msghdr *msg;
	size_t len;
	int flags;
	bool zc_capable;
	bool peek;
	bool part;
	bool released;
	u8 control;
	ssize_t copied;
	ssize_t decrypted;
	size_t flushed_at;
};

static bool tls_recv_is_data(const struct tls_recv *r)
{
	return r->control == TLS_RECORD_TYPE_DATA;
}

static ssize_t tls_recv_taken(const struct tls_recv *r)
{
	return r->copied + r->decrypted;
}

static void tls_recv_count(struct tls_recv *r, u32 chunk)
{
	r->decrypted += chunk;
	r->len -= chunk;
}

/* A control record ends the call. 1 to go on, 0 to stop. */
static int tls_recv_goes_on(const struct tls_recv *r, u32 chunk)
{
	const struct m_kernel *k = r->sk->k;

	if (r->peek && m_has(k, CHANGE_KB_PEEK_MULTI_RECORD)) {
		m_reason(r->sk->k, REASON_TLS_PEEK_TARGET);
		return 0;
	}
	if (tls_recv_is_data(r) ||
	    m_has(k, CHANGE_KB_CONTROL_THEN_DATA_MERGED) ||
	    (r->peek && m_has(k, CHANGE_KB_PEEK_MERGES_CONTROL)))
		return 1;
	m_reason(r->sk->k, r->part ? REASON_TLS_CONTROL_PART :
			   chunk   ? REASON_TLS_CONTROL :
				     REASON_TLS_CONTROL_EMPTY);
	return 0;
}

/* Hands out a record that was decrypted to @skb; takes @skb over. */
static int tls_recv_copy(struct tls_recv *r, struct sk_buff *skb)
{
	u32 whole = skb->cb.full_len;
	u32 chunk = (u32)min_t(size_t, whole, r->len);
	int err;

	r->part = chunk < whole;
	err = tls_recv_put(r->sk, skb, 0, r->msg, chunk);
	if (err < 0) {
		m_reason(r->sk->k, REASON_TLS_COPY_FAULT);
		tls_rx_list_add(r->ctx, skb, false);
		return err;
	}
	tls_recv_count(r, chunk);
	while (r->peek && r->len && chunk &&
	       m_has(r->sk->k, CHANGE_KB_PEEK_REPEATS_CURRENT_RECORD)) {
		chunk = (u32)min_t(size_t, whole, r->len);
		if (tls_recv_put(r->sk, skb, 0, r->msg, chunk) < 0)
			break;
		tls_recv_count(r, chunk);
	}
	if (r->peek || r->part) {
		if (!r->peek) {
			skb->cb.offset += chunk;
			skb->cb.full_len -= chunk;
		}
		tls_rx_list_add(r->ctx, skb, false);
		return tls_recv_goes_on(r, chunk);
	}
	tls_rx_list_free(skb, false);
	r->msg->msg_flags |= M_MSG_EOR;
	return tls_recv_goes_on(r, chunk);
}

/* A record that went straight to user memory. */
static int tls_recv_zc(struct tls_recv *r, u64 recno, u32 chunk)
{
	r->part = false;
	m_event(r->sk->k, EV_PUT_USER, (s64)recno, 0, chunk);
	tls_recv_count(r, chunk);
	r->msg->msg_flags |= M_MSG_EOR;
	return tls_recv_goes_on(r, chunk);
}

/* Decrypts the record in front and decides what becomes of it. */
static int tls_recv_record(struct tls_recv *r)
{
	struct tls_prot_info *prot = &tls_get_ctx(r->sk)->prot_info;
	struct tls_decrypt_arg darg = { .peek = r->peek };
	const struct tls_skb_cb *cb = &tls_strp_msg(r->ctx)->cb;
	int err, to_decrypt;
	u64 recno;
	u32 chunk;

	to_decrypt = (int)cb->full_len - prot->overhead_size;
	recno = cb->recno;
	if (cb->control == TLS_RECORD_TYPE_DATA) {
		/* A length of -1 (TLS 1.3, not even a type) never fits. */
		darg.zc = r->zc_capable && (size_t)to_decrypt <= r->len;
		darg.async = r->ctx->async_capable;
	}
	err = tls_rx_one_record(r->sk, r->msg, &darg);
	if (err < 0)
		return err;

	err = tls_record_content_type(r->msg, darg.skb, &r->control);
	if (err <= 0) {
		tls_rx_rec_done(r->ctx, false);
		if (!m_has(r->sk->k, CHANGE_KB_CONTROL_THEN_DATA_MERGED))
			M_ASSERT(!darg.zc, "zero copy of another type");
		if (!darg.zc)
			tls_rx_list_add(r->ctx, darg.skb, false);
		tls_recv_refused(r->sk, err, tls_recv_taken(r));
		return err;
	}
	r->released = tls_read_flush_backlog(r->sk, prot, r->len,
					     (size_t)to_decrypt,
					     tls_recv_taken(r), &r->flushed_at);
	chunk = darg.skb->cb.full_len;
	tls_rx_rec_done(r->ctx, true);
	if (darg.zc)
		return tls_recv_zc(r, recno, chunk);
	return tls_recv_copy(r, darg.skb);
}

/* Left the loop by its condition: the buffer is full or the target is met. */
static void tls_recv_satisfied(const struct tls_recv *r)
{
	struct m_kernel *k = r->sk->k;

	if (r->peek)
		m_reason(k, r->len ? REASON_TLS_PEEK_TARGET :
				     REASON_TLS_PEEK_FULL);
	else if (r->len)
		m_reason(k, REASON_TLS_RECV_TARGET);
	else
		m_reason(k,
			 r->part ? REASON_TLS_RECV_PART : REASON_TLS_RECV_FULL);
}

static bool tls_recv_waits_for_all(const struct tls_recv *r)
{
	if (m_has(r->sk->k, CHANGE_KB_RECV_WAITS_FOR_FULL_BUFFER))
		return true;
	return r->flags & M_MSG_WAITALL;
}

/* Decrypts until the target is met and no record is ready. */
static int tls_recv_loop(struct tls_recv *r)
{
	bool nonblock = r->flags & M_MSG_DONTWAIT;
	int target, err = 0;

	target = sock_rcvlowat(r->sk, tls_recv_waits_for_all(r),
			       (int)(r->len + (size_t)r->copied));
	while (r->len &&
	       (tls_recv_taken(r) < target || tls_strp_msg_ready(r->ctx))) {
		softirq_point(r->sk->k, POINT_RECVMSG_LOOP);
		err = tls_rx_rec_wait(r->sk, nonblock, r->released,
				      tls_recv_taken(r) > 0);
		if (err <= 0)
			return err;
		err = tls_recv_record(r);
		if (err == -EBADMSG && tls_recv_taken(r))
			m_reason(r->sk->k, REASON_TLS_DEFERRED_DECRYPT);
		if (err <= 0)
			return err;
	}
	tls_recv_satisfied(r);
	return 0;
}

/* What is on rx_list comes first. True when that ends the call. */
static bool tls_recv_from_list(struct tls_recv *r, int *err)
{
	struct tls_rx_list_arg arg = {
		.msg = r->msg,
		.control = &r->control,
		.len = r->len,
		.peek = r->peek,
	};
	struct m_kernel *k = r->sk->k;
	ssize_t n;

	n = process_rx_list(r->sk, r->ctx, &arg);
	*err = n < 0 ? (int)n : 0;
	if (n < 0)
		return true;
	r->copied = n;
	if (!r->len)
		m_reason(k, REASON_TLS_RECV_NOTHING_ASKED);
	else if (r->control && !tls_recv_is_data(r) &&
		 !m_has(k, CHANGE_KB_RXLIST_CONTROL_MERGED))
		m_reason(k, REASON_TLS_LIST_CONTROL);
	else if (r->len <= (size_t)n)
		m_reason(k,
			 r->peek ? REASON_TLS_PEEK_LIST : REASON_TLS_LIST_FULL);
	else if (!arg.more)
		return false;
	return true;
}

int tls_sw_recvmsg(struct sock *sk, struct msghdr *msg, size_t len, int flags)
{
	struct tls_sw_context_rx *ctx = tls_sw_ctx_rx(tls_get_ctx(sk));
	struct tls_recv r = {
		.sk = sk,
		.ctx = ctx,
		.msg = msg,
		.len = len,
		.flags = flags,
		.peek = flags & M_MSG_PEEK,
		.released = true,
	};
	int err;

	if (unlikely(flags & M_MSG_ERRQUEUE)) {
		/* MODEL: nothing ever puts an entry there. */
		m_reason(sk->k, REASON_TLS_ERRQUEUE);
		return -EAGAIN;
	}
	err = tls_rx_reader_lock(sk, ctx, flags & M_MSG_DONTWAIT);
	if (err < 0)
		return err;

	err = ctx->async_wait_err;
	if (err)
		goto end;
	if (tls_recv_from_list(&r, &err))
		goto end;
	r.len -= (size_t)r.copied;
	r.zc_capable = ctx->zc_capable && msg->iter.type != ITER_KVEC &&
		       !r.peek;
	err = tls_recv_loop(&r);
end:
	tls_rx_reader_unlock(sk, ctx);
	return tls_recv_taken(&r) ? (int)tls_recv_taken(&r) : err;
}
