// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The other consumers of decrypted records: splice, read_sock, and poll.
 *
 * Both take records from rx_list first and put back what they do not take at
 * its head, so that the order of the stream holds over any mix of calls. They
 * refuse control records and leave them for recvmsg.
 *
 * A posted patch that splices several records in one call, and a mended version
 * of it, are in tls_splice_batch.c.
 *
 * Left out: the refusal of read_sock on a socket in a sockmap (MODEL: there is
 * no BPF).
 *
 * Upstream: net/tls/tls_sw.c (Linux 7.2.13): tls_sw_splice_read,
 * tls_sw_read_sock, tls_sw_sock_is_readable; net/tls/tls_main.c: tls_sk_poll.
 */
#include "model/tls.h"

static void tls_took(const struct sock *sk, const struct sk_buff *skb, u32 len)
{
	m_event(sk->k, EV_PUT_USER, (s64)skb->cb.recno, tls_plain_off(sk, skb),
		len);
}

void tls_put_back(struct tls_sw_context_rx *ctx, struct sk_buff *skb, u32 len)
{
	skb->cb.offset += len;
	skb->cb.full_len -= len;
	tls_rx_list_add(ctx, skb, true);
}

/* The next record, decrypted and off the parser; NULL and *err otherwise. */
static struct sk_buff *tls_splice_next(struct sock *sk,
				       struct tls_sw_context_rx *ctx,
				       bool nonblock, bool *listed, int *err)
{
	struct tls_decrypt_arg darg = { 0 };
	struct sk_buff *skb;

	skb = m_has(sk->k, CHANGE_KB_SPLICE_SKIPS_RX_LIST) ?
		      NULL :
		      __skb_dequeue(&ctx->rx_list);
	*listed = skb;
	if (skb)
		return skb;
	*err = tls_rx_rec_wait(sk, nonblock, true, false);
	if (*err <= 0)
		return NULL;
	*err = tls_rx_one_record(sk, NULL, &darg);
	if (*err < 0)
		return NULL;
	tls_rx_rec_done(ctx, false);
	return darg.skb;
}

void tls_spliced(struct sock *sk, const struct sk_buff *skb, u32 len, u32 asked)
{
	tls_took(sk, skb, len);
	if (len < asked)
		m_reason(sk->k, REASON_TLS_SPLICE_PIPE_SHORT);
	else if (asked < skb->cb.full_len)
		m_reason(sk->k, REASON_TLS_SPLICE_PART);
	else
		m_reason(sk->k, len ? REASON_TLS_SPLICE_RECORD :
				      REASON_TLS_SPLICE_EMPTY);
}

/* Moves one record, or part of it, to the pipe; takes @skb over. */
static int tls_splice_record(struct sock *sk, struct tls_sw_context_rx *ctx,
			     struct sk_buff *skb, bool listed,
			     struct pipe_inode_info *pipe, size_t len,
			     bool nonblock)
{
	u32 chunk, gone;
	int moved;

	if (skb->cb.control != TLS_RECORD_TYPE_DATA) {
		m_reason(sk->k, REASON_TLS_SPLICE_CONTROL);
		tls_put_back(ctx, skb, 0);
		return -EINVAL;
	}
	chunk = (u32)min_t(size_t, skb->cb.full_len, len);
	softirq_point(sk->k, POINT_SPLICE_BITS);
	moved = skb_splice_bits(skb, sk, skb->cb.offset, pipe, chunk);
	if (moved < 0) {
		tls_put_back(ctx, skb, 0);
		return moved;
	}
	tls_spliced(sk, skb, (u32)moved, chunk);
	gone = m_has(sk->k, CHANGE_SPLICE_SMALL_PIPE_LOSS) ? chunk : (u32)moved;
	if (nonblock && m_has(sk->k, CHANGE_KB_SPLICE_NONBLOCK_FLAG_AS_PEEK))
		tls_put_back(ctx, skb, 0);
	else if (gone < skb->cb.full_len)
		tls_put_back(ctx, skb, gone);
	else
		tls_rx_list_free(skb, listed);
	return moved;
}

int tls_sw_splice_read(struct sock *sk, struct pipe_inode_info *pipe,
		       size_t len, unsigned int flags)
{
	struct tls_sw_context_rx *ctx = tls_sw_ctx_rx(tls_get_ctx(sk));
	bool nonblock = flags & M_SPLICE_F_NONBLOCK;
	struct sk_buff *skb;
	bool listed;
	int ret;

	if (m_has(sk->k, CHANGE_SPLICE_COALESCE) ||
	    m_has(sk->k, CHANGE_SPLICE_COALESCE_FIXED))
		return tls_splice_batch(sk, pipe, len, flags);
	ret = tls_rx_reader_lock(sk, ctx, nonblock);
	if (ret < 0)
		return ret;
	ret = ctx->async_wait_err;
	if (ret && !m_has(sk->k, CHANGE_SPLICE_AFTER_ASYNC_FAILURE))
		goto out;
	skb = tls_splice_next(sk, ctx, nonblock, &listed, &ret);
	if (skb)
		ret = tls_splice_record(sk, ctx, skb, listed, pipe, len,
					nonblock);
out:
	tls_rx_reader_unlock(sk, ctx);
	return ret;
}

/**
 * struct tls_read - one read_sock under way
 * @sk: socket
 * @ctx: its receive state
 * @desc: the consumer's wish
 * @actor: the consumer
 * @released: the lock was dropped since the parser last looked
 * @again: another record is offered whatever desc->count says
 * @copied: bytes the actor took
 * @decrypted: bytes decrypted by this call
 * @flushed_at: for tls_read_flush_backlog()
 */
struct tls_read {
	struct sock *sk;
	struct tls_sw_context_rx *ctx;
	read_descriptor_t *desc;
	sk_read_actor_t actor;
	bool released;
	bool again;
	ssize_t copied;
	ssize_t decrypted;
	size_t flushed_at;
};

/* As tls_splice_next(); never sleeps and lets the backlog in. */
static struct sk_buff *tls_read_next(struct tls_read *r, bool *listed, int *err)
{
	struct tls_prot_info *prot = &tls_get_ctx(r->sk)->prot_info;
	struct tls_decrypt_arg darg = { 0 };
	struct sk_buff *skb;

	skb = __skb_dequeue(&r->ctx->rx_list);
	*listed = skb;
	if (skb)
		return skb;
	*err = tls_rx_rec_wait(r->sk, true, r->released, r->copied > 0);
	if (*err <= 0)
		return NULL;
	*err = tls_rx_one_record(r->sk, NULL, &darg);
	if (*err == -EBADMSG && r->copied)
		m_reason(r->sk->k, REASON_TLS_DEFERRED_DECRYPT);
	if (*err < 0)
		return NULL;
	r->released = !m_has(r->sk->k, CHANGE_KB_READ_SOCK_WINDOW_FULL) &&
		      tls_read_flush_backlog(r->sk, prot, INT32_MAX, 0,
					     r->decrypted, &r->flushed_at);
	r->decrypted += darg.skb->cb.full_len;
	tls_rx_rec_done(r->ctx, false);
	return darg.skb;
}

/* Offers one record; 1 to go on, else what ends the call. Takes @skb over. */
static int tls_read_record(struct tls_read *r, struct sk_buff *skb, bool listed)
{
	struct m_kernel *k = r->sk->k;
	bool lost;
	int used;

	if (skb->cb.control != TLS_RECORD_TYPE_DATA) {
		m_reason(k, r->copied ? REASON_TLS_READ_SOCK_THEN_CONTROL :
					REASON_TLS_READ_SOCK_CONTROL);
		tls_put_back(r->ctx, skb, 0);
		return -EINVAL;
	}
	if (!skb->cb.full_len && !m_has(k, CHANGE_KB_READ_SOCK_EMPTY_RECORD)) {
		tls_took(r->sk, skb, 0);
		tls_rx_list_free(skb, listed);
		r->again = m_has(k, CHANGE_READ_SOCK_EMPTY_IGNORES_COUNT);
		return 1;
	}
	softirq_point(k, POINT_READ_SOCK_ACTOR);
	used = r->actor(r->desc, skb, skb->cb.offset, skb->cb.full_len);
	if (used <= 0) {
		m_reason(k, REASON_TLS_READ_SOCK_STOPPED);
		tls_put_back(r->ctx, skb, 0);
		return used;
	}
	tls_took(r->sk, skb, (u32)used);
	r->copied += used;
	/* MODEL: where the rest is lost it is never freed, either; a simulated
	 * world has to end without a leak. */
	lost = r->desc->count && m_has(k, CHANGE_NO_READ_SOCK_REQUEUE);
	if ((u32)used < skb->cb.full_len && !lost)
		tls_put_back(r->ctx, skb, (u32)used);
	else
		tls_rx_list_free(skb, listed);
	return 1;
}

int tls_sw_read_sock(struct sock *sk, read_descriptor_t *desc,
		     sk_read_actor_t actor)
{
	struct tls_read r = {
		.sk = sk,
		.ctx = tls_sw_ctx_rx(tls_get_ctx(sk)),
		.desc = desc,
		.actor = actor,
		.released = true,
		.again = m_has(sk->k, CHANGE_NO_READ_SOCK_COUNT_FIRST),
	};
	struct sk_buff *skb;
	bool listed;
	int err;

	if (m_has(sk->k, CHANGE_NO_READ_SOCK_OP)) {
		m_reason(sk->k, REASON_TLS_READ_SOCK_CIPHERTEXT);
		return tcp_read_sock(sk, desc, actor);
	}
	err = tls_rx_reader_acquire(sk, r.ctx, true);
	if (err < 0)
		return err;
	err = r.ctx->async_wait_err;
	if (err)
		goto out;
	m_reason(sk->k, REASON_TLS_READ_SOCK_NOTHING_ASKED);
	while (desc->count || r.again) {
		r.again = false;
		skb = tls_read_next(&r, &listed, &err);
		if (!skb)
			goto out;
		err = tls_read_record(&r, skb, listed);
		if (err <= 0)
			goto out;
		err = 0;
		m_reason(sk->k, REASON_TLS_READ_SOCK_COUNT);
	}
out:
	tls_rx_reader_release(sk, r.ctx);
	return r.copied ? (int)r.copied : err;
}

bool tls_sw_sock_is_readable(struct sock *sk)
{
	struct tls_sw_context_rx *ctx = tls_sw_ctx_rx(tls_get_ctx(sk));

	return tls_strp_msg_ready(ctx) ||
	       (!skb_queue_empty(&ctx->rx_list) &&
		!m_has(sk->k, CHANGE_KB_POLL_IGNORES_RX_LIST));
}

u32 tls_sk_poll(struct sock *sk)
{
	struct tls_sw_context_rx *ctx = tls_sw_ctx_rx(tls_get_ctx(sk));
	u32 mask = tcp_poll(sk);

	if (m_has(sk->k, CHANGE_NO_POLL_FULL_RECORD)) {
		m_reason(sk->k, tls_sw_sock_is_readable(sk) ?
					REASON_TLS_POLL_RECORD :
					REASON_TLS_POLL_BYTES);
		return mask;
	}
	if (unlikely(sk->sk_state != TCP_ESTABLISHED ||
		     sk->sk_shutdown & RCV_SHUTDOWN)) {
		m_reason(sk->k, REASON_TLS_POLL_AS_TCP);
		return mask;
	}
	if (ctx->key_update_pending) {
		m_reason(sk->k, REASON_TLS_POLL_REKEY);
		return mask & ~(u32)POLLIN_SET;
	}
	if (!tls_sw_sock_is_readable(sk)) {
		m_reason(sk->k, REASON_TLS_POLL_NO_RECORD);
		return mask & ~(u32)POLLIN_SET;
	}
	m_reason(sk->k, REASON_TLS_POLL_RECORD);
	return mask;
}
