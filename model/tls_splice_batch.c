// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * splice of several records in one call: a patch that was posted, and the same
 * idea without what it breaks (docs/claims.md).
 *
 * Both go on after the first record while records are ready, never sleep once
 * a byte is in the pipe, and return what they have.
 *
 *                 splice-coalesce           splice-coalesce-fixed
 *  room is asked  behind the decryption     before it: a slot is free
 *  what for       all of the record, as     a part of the record will do, the
 *                 pages of plaintext        rest is announced
 *  of other type  stays on rx_list          stays in the parser, not decrypted
 *  signals        are not looked at         end the call
 *
 * Left out: nothing of the posted diff. MODEL: its base does not yet look at a
 * failed asynchronous decryption, 7.2 does, and so does this.
 *
 * Upstream: none; "[PATCH RFC net-next] tls: sw: coalesce records in
 * tls_sw_splice_read()", over net/tls/tls_sw.c of Linux 7.2.13.
 */
#include "model/tls.h"

/**
 * struct tls_batch - one splice under way
 * @sk: socket
 * @ctx: its receive state
 * @pipe: where the bytes go
 * @len: bytes wanted
 * @nonblock: SPLICE_F_NONBLOCK
 * @fixed: splice-coalesce-fixed
 * @released: the lock was dropped since the parser last looked
 * @listed: the record at hand was on rx_list
 * @records: taken so far, empty ones counted
 * @copied: bytes in the pipe
 * @flushed_at: for tls_read_flush_backlog()
 */
struct tls_batch {
	struct sock *sk;
	struct tls_sw_context_rx *ctx;
	struct pipe_inode_info *pipe;
	size_t len;
	bool nonblock;
	bool fixed;
	bool released;
	bool listed;
	u32 records;
	ssize_t copied;
	size_t flushed_at;
};

/* The record in front cannot join bytes that are in the pipe already. */
static struct sk_buff *batch_ends(struct tls_batch *b, int *err)
{
	m_reason(b->sk->k, REASON_TLS_SPLICE_THEN_CONTROL);
	*err = -EINVAL;
	return NULL;
}

/* The next record, decrypted and off the parser; NULL and *err otherwise. */
static struct sk_buff *batch_next(struct tls_batch *b, int *err)
{
	struct tls_prot_info *prot = &tls_get_ctx(b->sk)->prot_info;
	struct tls_decrypt_arg darg = { 0 };
	struct sk_buff *skb;
	bool more = b->copied;

	skb = __skb_dequeue(&b->ctx->rx_list);
	b->listed = skb;
	if (skb)
		return skb;
	*err = tls_rx_rec_wait(b->sk, more || b->nonblock, b->released, more);
	if (*err <= 0)
		return NULL;
	if (b->fixed && more &&
	    tls_strp_msg(b->ctx)->cb.control != TLS_RECORD_TYPE_DATA)
		return batch_ends(b, err);
	darg.data_only = b->fixed && more;
	*err = tls_rx_one_record(b->sk, NULL, &darg);
	if (*err == -EBADMSG && more)
		m_reason(b->sk->k, REASON_TLS_DEFERRED_DECRYPT);
	if (*err < 0)
		return NULL;
	if (!darg.skb)
		return batch_ends(b, err);
	b->released = tls_read_flush_backlog(b->sk, prot,
					     b->len - (size_t)b->copied, 0,
					     b->copied, &b->flushed_at);
	tls_rx_rec_done(b->ctx, false);
	return darg.skb;
}

/* The rest of a record is readable, and nobody was told of the record. */
static void batch_announce_rest(struct tls_batch *b)
{
	struct sk_buff *skb = skb_peek(&b->ctx->rx_list);

	if (!b->fixed || b->listed)
		return;
	m_event(b->sk->k, EV_ANNOUNCE, b->sk->id, (s64)skb->cb.recno, 0);
	b->ctx->saved_data_ready(b->sk);
}

/* The posted patch: does all of @skb fit, in pages of plaintext? */
static bool batch_fits(const struct tls_batch *b, const struct sk_buff *skb)
{
	u32 need = (skb->cb.full_len + PAGE_SIZE - 1) / PAGE_SIZE;

	return b->fixed || !b->copied ||
	       pipe_occupancy(b->pipe) + need <= b->pipe->max_usage;
}

/* Moves one record or part of it; 1 to go on. Takes @skb over. */
static int batch_record(struct tls_batch *b, struct sk_buff *skb)
{
	struct sock *sk = b->sk;
	u32 chunk;
	int moved;

	if (skb->cb.control != TLS_RECORD_TYPE_DATA) {
		m_reason(sk->k, b->copied ? REASON_TLS_SPLICE_THEN_CONTROL :
					    REASON_TLS_SPLICE_CONTROL);
		tls_put_back(b->ctx, skb, 0);
		return -EINVAL;
	}
	if (!batch_fits(b, skb)) {
		m_reason(sk->k, REASON_TLS_SPLICE_NO_ROOM);
		tls_put_back(b->ctx, skb, 0);
		return 0;
	}
	chunk = (u32)min_t(size_t, skb->cb.full_len,
			   b->len - (size_t)b->copied);
	softirq_point(sk->k, POINT_SPLICE_BITS);
	moved = skb_splice_bits(skb, sk, skb->cb.offset, b->pipe, chunk);
	if (moved < 0) {
		tls_put_back(b->ctx, skb, 0);
		return moved;
	}
	b->copied += moved;
	tls_spliced(sk, skb, (u32)moved, chunk);
	if ((u32)moved < skb->cb.full_len) {
		tls_put_back(b->ctx, skb, (u32)moved);
		batch_announce_rest(b);
		return 0;
	}
	tls_rx_list_free(skb, b->listed);
	return 1;
}

/* A reason of the fixed one not to begin another record; *err is set. */
static bool batch_stops(struct tls_batch *b, int *err)
{
	struct m_kernel *k = b->sk->k;

	if (!b->fixed || !b->records)
		return false;
	if (k->ops->signal_pending(k)) {
		m_reason(k, REASON_TLS_SIGNAL);
		*err = sock_intr_errno(sock_rcvtimeo(b->sk, b->nonblock));
		return true;
	}
	if (pipe_full(b->pipe)) {
		m_reason(k, REASON_TLS_SPLICE_NO_ROOM);
		return true;
	}
	return false;
}

static int batch_loop(struct tls_batch *b)
{
	struct sk_buff *skb;
	int err = 0;

	while ((size_t)b->copied < b->len) {
		if (batch_stops(b, &err))
			return err;
		skb = batch_next(b, &err);
		if (!skb)
			return err;
		b->records++;
		err = batch_record(b, skb);
		if (err <= 0)
			return err;
		err = 0;
	}
	m_reason(b->sk->k, REASON_TLS_SPLICE_FULL);
	return 0;
}

int tls_splice_batch(struct sock *sk, struct pipe_inode_info *pipe, size_t len,
		     unsigned int flags)
{
	struct tls_batch b = {
		.sk = sk,
		.ctx = tls_sw_ctx_rx(tls_get_ctx(sk)),
		.pipe = pipe,
		.len = len,
		.nonblock = flags & M_SPLICE_F_NONBLOCK,
		.fixed = m_has(sk->k, CHANGE_SPLICE_COALESCE_FIXED),
		.released = true,
	};
	int err;

	err = tls_rx_reader_lock(sk, b.ctx, b.nonblock);
	if (err < 0)
		return err;
	err = b.ctx->async_wait_err;
	if (!err)
		err = batch_loop(&b);
	tls_rx_reader_unlock(sk, b.ctx);
	return b.copied ? (int)b.copied : err;
}
