// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decryption of one record, from the anchor to user memory or to a new skb.
 *
 *   record     | header | explicit nonce | ciphertext         | tag |
 *   new skb    | garbage (prepend)       | plaintext [type 0] | garbage |
 *   zero copy                 user pages | plaintext |, [type] in darg->tail
 *
 * The new skb keeps the geometry of the record, so plaintext starts behind the
 * prepend. Scatter lists live on the stack while they are short.
 *
 * Left out: asynchronous completion (MODEL: the transforms finish at once, so
 * a request is never outstanding when a call returns); device decryption.
 *
 * Upstream: net/tls/tls_sw.c (Linux 7.2.13): tls_padding_length,
 * tls_alloc_clrtxt_skb, tls_decrypt_sg, tls_do_decryption, tls_decrypt_sw,
 * tls_check_pending_rekey, tls_rx_one_record, tls_decrypt_async_wait,
 * tls_advance_record_sn, tls_make_aad, tls_xor_iv_with_seq.
 */
#include "model/tls.h"

/* Highest page order tried for plaintext. */
#define TLS_PAGE_ORDER 3

/* Pieces of input and of output that need no allocation. */
#define SG_STACK 32

/**
 * struct tls_decrypt_ctx - memory of one request
 * @aad: additional data
 * @tail: TLS 1.3 type byte of a zero-copy record
 * @tag: the record's tag, when it lies in pieces
 * @sg: scatter lists too long for the stack
 */
struct tls_decrypt_ctx {
	u8 aad[TLS_AAD_SPACE_SIZE];
	u8 tail;
	u8 tag[TLS_TAG_SIZE];
	struct scatterlist sg[];
};

/* Where input and output of one request are. */
struct tls_sgs {
	struct scatterlist *in;
	struct scatterlist *out;
	int n_in;
	int n_out;
	struct scatterlist in_stack[SG_STACK];
	struct scatterlist out_stack[SG_STACK];
};

static bool tls_bigint_increment(u8 *seq, int len)
{
	int i;

	for (i = len - 1; i >= 0; i--) {
		if (++seq[i])
			return false;
	}
	return true;
}

static bool tls_has_explicit_nonce(const struct tls_prot_info *prot)
{
	return prot->prepend_size > TLS_HEADER_SIZE;
}

static void tls_advance_record_sn(struct sock *sk, struct tls_context *tls)
{
	const struct tls_prot_info *prot = &tls->prot_info;

	if (tls_bigint_increment(tls->rx.rec_seq, sizeof(tls->rx.rec_seq)))
		tls_err_abort(sk, -EBADMSG);
	if (tls_has_explicit_nonce(prot))
		tls_bigint_increment(tls->rx.iv + prot->salt_size,
				     prot->iv_size);
}

/* @size: plaintext bytes, the TLS 1.3 type byte included. Returns the length
 * of the additional data. */
static u32 tls_make_aad(const struct tls_context *tls, u8 *aad, u32 size,
			u8 type)
{
	const struct tls_prot_info *prot = &tls->prot_info;
	u8 *p = aad;

	if (prot->version == TLS_1_3_VERSION) {
		/* The header's own type byte does not count here. */
		type = TLS_RECORD_TYPE_DATA;
		size += prot->tag_size;
	} else {
		memcpy(p, tls->rx.rec_seq, sizeof(tls->rx.rec_seq));
		p += sizeof(tls->rx.rec_seq);
	}
	*p++ = type;
	*p++ = 3;
	*p++ = 3;
	*p++ = (u8)(size >> 8);
	*p++ = (u8)size;
	return (u32)(p - aad);
}

static int tls_make_nonce(const struct tls_context *tls,
			  const struct sk_buff *skb, u8 *nonce)
{
	const struct tls_prot_info *prot = &tls->prot_info;
	u32 i, at = 4;

	memcpy(nonce, tls->rx.iv, (size_t)prot->salt_size + prot->iv_size);
	if (tls_has_explicit_nonce(prot))
		return skb_copy_bits(skb, skb->cb.offset + TLS_HEADER_SIZE,
				     nonce + prot->salt_size, prot->iv_size);
	if (prot->cipher_type == TLS_CIPHER_AES_CCM_128 &&
	    m_has(tls->sk->k, CHANGE_KB_CCM_NONCE))
		at = 3;
	for (i = 0; i < sizeof(tls->rx.rec_seq); i++)
		nonce[i + at] ^= tls->rx.rec_seq[i];
	return 0;
}

/* Empty skb with room for the whole record. */
static struct sk_buff *tls_alloc_clrtxt_skb(struct m_kernel *k,
					    const struct sk_buff *record)
{
	struct sk_buff *clear_skb;
	int err;

	clear_skb = alloc_skb_with_frags(k, record->cb.full_len, TLS_PAGE_ORDER,
					 &err);
	if (!clear_skb)
		return NULL;
	clear_skb->cb = record->cb;
	clear_skb->cb.offset = 0;
	return clear_skb;
}

/* Ciphertext and tag; into @sg, or only counted when it is NULL. */
static int tls_map_in(const struct tls_context *tls, const struct sk_buff *skb,
		      struct scatterlist *sg, int max)
{
	u32 prepend = tls->prot_info.prepend_size;
	u32 offset = skb->cb.offset + prepend;
	u32 len = skb->cb.full_len - prepend;

	return sg ? skb_to_sgvec(skb, sg, max, offset, len) :
		    skb_nsg(skb, offset, len);
}

/* Maps the input if the stack has room, else says how much it takes. */
static int tls_map_in_stack(const struct tls_context *tls, struct tls_sgs *sgs,
			    const struct sk_buff *skb)
{
	int n;

	n = tls_map_in(tls, skb, sgs->in_stack, SG_STACK);
	if (unlikely(n == -EMSGSIZE))
		n = tls_map_in(tls, skb, NULL, 0);
	if (n < 1)
		return n ? n : -EBADMSG;
	sgs->n_in = n;
	return 0;
}

/* The request, with the scatter lists that the stack cannot hold. */
static struct tls_decrypt_ctx *tls_alloc_dctx(struct m_kernel *k,
					      struct tls_sgs *sgs, size_t *size)
{
	size_t n_in = sgs->n_in > SG_STACK ? (size_t)sgs->n_in : 0;
	size_t n_out = sgs->n_out > SG_STACK ? (size_t)sgs->n_out : 0;
	struct tls_decrypt_ctx *dctx;

	*size = sizeof(*dctx) + (n_in + n_out) * sizeof(dctx->sg[0]);
	dctx = m_alloc(k, SITE_DECRYPT_REQ, *size);
	if (!dctx)
		return NULL;
	sgs->in = n_in ? dctx->sg : sgs->in_stack;
	sgs->out = n_out ? dctx->sg + n_in : sgs->out_stack;
	return dctx;
}

/* @clear_skb, or the iterator and the tail byte. Fills sgs->out. */
static int tls_map_out(struct iov_iter *iter, const struct sk_buff *clear_skb,
		       const struct tls_prot_info *prot, u32 data_len,
		       struct tls_decrypt_ctx *dctx, struct tls_sgs *sgs)
{
	struct iov_iter saved;
	int n = 0;

	if (clear_skb) {
		if (!(data_len + prot->tail_size))
			return 0;
		return skb_to_sgvec(clear_skb, sgs->out, sgs->n_out,
				    prot->prepend_size,
				    data_len + prot->tail_size);
	}
	if (data_len) {
		saved = *iter;
		n = iov_iter_get_sg(iter, data_len, sgs->out,
				    sgs->n_out - prot->tail_size);
		if (n < 0) {
			*iter = saved;
			return n;
		}
	}
	if (prot->tail_size) {
		sgs->out[n].base = &dctx->tail;
		sgs->out[n].len = prot->tail_size;
		n++;
	}
	return n;
}

static int tls_do_decryption(struct tls_sw_context_rx *ctx,
			     const struct aead_request *req,
			     struct tls_decrypt_arg *darg)
{
	bool async = darg->async;
	int ret;

	if (async)
		ctx->decrypt_pending++;
	ret = crypto_aead_decrypt(ctx->aead_recv, req);
	/* Finished at once: no completion will ever count it down. */
	if (async)
		ctx->decrypt_pending--;
	darg->async = false;
	return ret;
}

/* The tag, where it lies or gathered in @dctx. */
static int tls_find_tag(const struct tls_sgs *sgs, const struct sk_buff *skb,
			u32 offset, struct tls_decrypt_ctx *dctx, u8 **tag)
{
	const struct scatterlist *last = &sgs->in[sgs->n_in - 1];

	if (likely(last->len >= TLS_TAG_SIZE)) {
		*tag = last->base + last->len - TLS_TAG_SIZE;
		return 0;
	}
	*tag = dctx->tag;
	return skb_copy_bits(skb, offset, dctx->tag, TLS_TAG_SIZE);
}

/* Nonce, additional data, input and tag of the record; then the cipher. */
static int tls_decrypt_mapped(struct tls_context *tls, struct sk_buff *skb,
			      struct tls_decrypt_ctx *dctx, struct tls_sgs *sgs,
			      struct tls_decrypt_arg *darg)
{
	const struct tls_prot_info *prot = &tls->prot_info;
	u32 start = skb->cb.offset + prot->prepend_size;
	struct aead_request req;
	int err;

	req.len = skb->cb.full_len - prot->prepend_size - prot->tag_size;
	err = tls_make_nonce(tls, skb, req.nonce);
	if (err < 0)
		return err;
	req.aad_len = tls_make_aad(tls, dctx->aad, req.len, skb->cb.control);
	req.aad = dctx->aad;
	if (unlikely(sgs->in != sgs->in_stack)) {
		err = tls_map_in(tls, skb, sgs->in, sgs->n_in);
		if (err < 0)
			return err;
	}
	err = tls_find_tag(sgs, skb, start + req.len, dctx, &req.tag);
	if (err < 0)
		return err;
	req.in = sgs->in;
	req.in_n = (u32)sgs->n_in;
	req.out = sgs->out;
	req.out_n = (u32)sgs->n_out;
	return tls_do_decryption(tls_sw_ctx_rx(tls), &req, darg);
}

/* One attempt; darg->skb is set on success. */
static int tls_decrypt_sg(struct sock *sk, struct iov_iter *out_iov,
			  struct tls_decrypt_arg *darg)
{
	struct tls_context *tls = tls_get_ctx(sk);
	const struct tls_prot_info *prot = &tls->prot_info;
	struct sk_buff *skb = tls_strp_msg(tls_sw_ctx_rx(tls));
	u32 data_len = skb->cb.full_len - prot->overhead_size;
	struct sk_buff *clear_skb = NULL;
	struct tls_decrypt_ctx *dctx;
	struct tls_sgs sgs;
	size_t size;
	int err;

	err = tls_map_in_stack(tls, &sgs, skb);
	if (err < 0)
		return err;
	if (darg->zc) {
		sgs.n_out = (int)(out_iov->nr_segs - out_iov->seg) +
			    prot->tail_size;
	} else {
		clear_skb = tls_alloc_clrtxt_skb(sk->k, skb);
		if (!clear_skb)
			return -ENOMEM;
		sgs.n_out = (int)clear_skb->nr_frags;
	}
	err = -ENOMEM;
	dctx = tls_alloc_dctx(sk->k, &sgs, &size);
	if (!dctx)
		goto err_free_skb;
	err = tls_map_out(out_iov, clear_skb, prot, data_len, dctx, &sgs);
	if (err < 0)
		goto err_free_dctx;
	sgs.n_out = err;
	err = tls_decrypt_mapped(tls, skb, dctx, &sgs, darg);
	if (err < 0)
		goto err_free_dctx;
	if (prot->tail_size && darg->zc)
		darg->tail = dctx->tail;
	m_free(sk->k, dctx, size);
	darg->skb = clear_skb ? clear_skb : skb;
	return 0;

err_free_dctx:
	m_free(sk->k, dctx, size);
err_free_skb:
	kfree_skb(clear_skb);
	return err;
}

/* Zeros at the end of [start, end) of @skb; -EBADMSG when all of it is zero. */
static int tls_count_zeros(const struct sk_buff *skb, u32 start, u32 end)
{
	u8 chunk[64];
	u32 n, i, pos;
	int err;

	for (pos = end; pos > start; pos -= n) {
		n = min_t(u32, pos - start, pos == end ? 1 : sizeof(chunk));
		err = skb_copy_bits(skb, pos - n, chunk, n);
		if (err)
			return err;
		for (i = n; i > 0; i--) {
			if (chunk[i - 1])
				return (int)(end - (pos - n + i));
		}
	}
	return -EBADMSG;
}

/* TLS 1.3: finds the content type; returns the padding behind it. */
static int tls_padding_length(struct sock *sk, struct sk_buff *skb,
			      const struct tls_decrypt_arg *darg)
{
	const struct tls_prot_info *prot = &tls_get_ctx(sk)->prot_info;
	u32 start = skb->cb.offset + prot->prepend_size;
	u32 end = skb->cb.offset + skb->cb.full_len - prot->tag_size;
	int pad;

	if (prot->version != TLS_1_3_VERSION)
		return 0;
	if (darg->zc) {
		skb->cb.control = darg->tail;
		return 0;
	}
	pad = tls_count_zeros(skb, start, end);
	if (pad < 0) {
		m_reason(sk->k, start == end ? REASON_TLS_NO_INNER_TYPE :
					       REASON_TLS_ALL_PADDING);
		return pad;
	}
	return skb_copy_bits(skb, end - (u32)pad - 1, &skb->cb.control, 1) ?:
									     pad;
}

/* Why tls_decrypt_sg() failed on the record in front. */
static void tls_decrypt_failed(struct sock *sk, u64 recno, int err)
{
	struct tls_sw_context_rx *ctx = tls_sw_ctx_rx(tls_get_ctx(sk));

	if (err == -ENOMEM) {
		m_reason(sk->k, REASON_TLS_DECRYPT_NOMEM);
	} else if (err == -EFAULT) {
		m_reason(sk->k, REASON_TLS_ZC_FAULT);
	} else {
		m_reason(sk->k, ctx->failed_recno == recno + 1 ?
					REASON_TLS_BAD_TAG_AGAIN :
					REASON_TLS_BAD_TAG);
		ctx->failed_recno = recno + 1;
	}
	if (err == -EBADMSG)
		m_count(sk->k, MIB_TlsDecryptError);
}

/* The optimistic attempt met padding or a control record: back out of it. */
static void tls_zc_retry(struct sock *sk, struct tls_decrypt_arg *darg)
{
	darg->zc = false;
	if (!darg->tail)
		m_count(sk->k, MIB_TlsRxNoPadViolation);
	m_count(sk->k, MIB_TlsDecryptRetry);
}

static int tls_decrypt_sw(struct sock *sk, struct msghdr *msg,
			  struct tls_decrypt_arg *darg)
{
	struct tls_context *tls = tls_get_ctx(sk);
	struct sk_buff *record = tls_strp_msg(tls_sw_ctx_rx(tls));
	u64 recno = record->cb.recno;
	struct iov_iter saved;
	int err;

	if (darg->zc)
		saved = msg->iter;
	err = tls_decrypt_sg(sk, darg->zc ? &msg->iter : NULL, darg);
	if (err < 0)
		goto err_count;
	if (unlikely(darg->zc && tls->prot_info.version == TLS_1_3_VERSION &&
		     darg->tail != TLS_RECORD_TYPE_DATA)) {
		if (!m_has(sk->k, CHANGE_NOPAD_RETRY_ITER))
			msg->iter = saved;
		tls_zc_retry(sk, darg);
		err = tls_decrypt_sg(sk, NULL, darg);
		if (err < 0)
			goto err_count;
	}

	if (darg->zc && m_has(sk->k, CHANGE_KB_ZEROCOPY_ITER_NOT_REWOUND))
		msg->iter = saved;

	err = tls_padding_length(sk, darg->skb, darg);
	if (err < 0) {
		if (darg->skb != record)
			kfree_skb(darg->skb);
		return err;
	}
	darg->skb->cb.full_len -= (u32)err;
	return 0;

err_count:
	tls_decrypt_failed(sk, recno, err);
	return err;
}

/* A handshake record that starts with KeyUpdate stops decryption. */
static int tls_check_pending_rekey(struct sock *sk, const struct sk_buff *skb)
{
	struct tls_sw_context_rx *ctx = tls_sw_ctx_rx(tls_get_ctx(sk));
	u8 hs_type;
	int err;

	if (likely(skb->cb.control != TLS_RECORD_TYPE_HANDSHAKE))
		return 0;
	if (skb->cb.full_len < 1)
		return 0;
	err = skb_copy_bits(skb, skb->cb.offset, &hs_type, 1);
	if (err < 0)
		return err;
	if (hs_type == TLS_HANDSHAKE_KEYUPDATE &&
	    !m_has(sk->k, CHANGE_NO_KEYUPDATE_PAUSES)) {
		ctx->key_update_pending = true;
		m_event(sk->k, EV_KEY_UPDATE, (s64)skb->cb.recno, 0, 0);
		tls_count_rekey(sk->k, MIB_TlsRxRekeyReceived);
	}
	return 0;
}

int tls_rx_one_record(struct sock *sk, struct msghdr *msg,
		      struct tls_decrypt_arg *darg)
{
	struct tls_context *tls = tls_get_ctx(sk);
	const struct tls_prot_info *prot = &tls->prot_info;
	const struct tls_skb_cb *record;
	struct tls_skb_cb *cb;
	int err;

	softirq_point(sk->k, POINT_ONE_RECORD);
	record = &tls_strp_msg(tls_sw_ctx_rx(tls))->cb;
	err = tls_decrypt_sw(sk, msg, darg);
	if (err < 0) {
		m_event(sk->k, EV_DECRYPT, (s64)record->recno,
			(s64)record->full_len - prot->overhead_size, err);
		tls_err_abort(sk, -EBADMSG);
		return err;
	}

	cb = &darg->skb->cb;
	cb->offset += prot->prepend_size;
	cb->full_len -= prot->overhead_size;
	if (unlikely(darg->data_only && cb->control != TLS_RECORD_TYPE_DATA)) {
		m_event(sk->k, EV_DECRYPT_UNDONE, (s64)cb->recno, cb->control,
			0);
		kfree_skb(darg->skb);
		darg->skb = NULL;
		return 0;
	}
	m_event(sk->k, EV_DECRYPT, (s64)cb->recno, cb->full_len, 0);
	m_event(sk->k, EV_DECRYPTED_TYPE, (s64)cb->recno, cb->control,
		darg->zc | darg->peek << 1);
	tls_advance_record_sn(sk, tls);
	err = tls_check_pending_rekey(sk, darg->skb);
	softirq_point(sk->k, POINT_DECRYPTED);
	return err;
}

int tls_decrypt_async_wait(struct tls_sw_context_rx *ctx)
{
	M_ASSERT(ctx->decrypt_pending == 1, "%d decryptions outstanding",
		 ctx->decrypt_pending - 1);
	__skb_queue_purge(&ctx->async_hold);
	return ctx->async_wait_err;
}
