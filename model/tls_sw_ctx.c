// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Receive state: made when TLS_RX is set, given new keys, taken down at close.
 *
 * Everything that can fail comes first and the socket sees the new keys only
 * when all of it succeeded, so a failed rekey leaves the old keys in force.
 *
 * Left out: the transmit context (MODEL: TLS_TX keys are stored only), device
 * offload and its fallback.
 *
 * Upstream: net/tls/tls_sw.c (Linux 7.2.13): tls_data_ready,
 * tls_set_sw_offload, init_prot_info, init_ctx_rx, tls_finish_key_update,
 * tls_sw_strparser_arm, tls_update_rx_zc_capable, tls_sw_release_resources_rx,
 * tls_sw_strparser_done, tls_sw_free_ctx_rx.
 */
#include "model/tls.h"

/* sk_data_ready while TLS_RX is set; parsing here must not sleep. */
static void tls_data_ready(struct sock *sk)
{
	struct tls_sw_context_rx *ctx = tls_sw_ctx_rx(tls_get_ctx(sk));

	u32 atomic = !m_has(sk->k, CHANGE_KB_SLEEP_IN_SOFTIRQ);

	sk->k->gfp_atomic += atomic;
	tls_strp_data_ready(&ctx->strp);
	sk->k->gfp_atomic -= atomic;
}

void tls_init_prot_info(struct tls_prot_info *prot, u16 version,
			const struct tls_cipher_desc *desc)
{
	bool v13 = version == TLS_1_3_VERSION;
	u32 nonce = v13 ? 0 : desc->nonce;

	prot->version = version;
	prot->cipher_type = (u16)desc->cipher_type;
	prot->prepend_size = (u16)(TLS_HEADER_SIZE + nonce);
	prot->tag_size = TLS_TAG_SIZE;
	prot->tail_size = v13 ? 1 : 0;
	prot->overhead_size =
		prot->prepend_size + prot->tag_size + prot->tail_size;
	prot->aad_size = v13 ? TLS_HEADER_SIZE : TLS_AAD_SPACE_SIZE;
	prot->iv_size = (u16)desc->iv;
	prot->salt_size = (u16)desc->salt;
}

void tls_update_rx_zc_capable(struct tls_context *ctx)
{
	tls_sw_ctx_rx(ctx)->zc_capable =
		ctx->rx_no_pad || ctx->prot_info.version != TLS_1_3_VERSION;
}

static struct tls_sw_context_rx *init_ctx_rx(struct m_kernel *k)
{
	struct tls_sw_context_rx *rx;

	rx = m_alloc(k, SITE_TLS_RX_CTX, sizeof(*rx));
	if (!rx)
		return NULL;
	memset(rx, 0, sizeof(*rx));
	rx->decrypt_pending = 1;
	init_waitqueue_head(&rx->wq);
	skb_queue_head_init(&rx->rx_list);
	skb_queue_head_init(&rx->async_hold);
	return rx;
}

static void tls_set_rx_nonce(struct tls_context *ctx,
			     const struct tls_crypto_info_m *info)
{
	const struct tls_prot_info *prot = &ctx->prot_info;

	memcpy(ctx->rx.iv, info->salt, prot->salt_size);
	memcpy(ctx->rx.iv + prot->salt_size, info->iv, prot->iv_size);
	memcpy(ctx->rx.rec_seq, info->rec_seq, sizeof(ctx->rx.rec_seq));
	ctx->crypto_recv = *info;
}

/* The rekey that a KeyUpdate asked for, or any other, is done. */
static void tls_finish_key_update(struct sock *sk, struct tls_context *ctx)
{
	struct tls_sw_context_rx *rx = tls_sw_ctx_rx(ctx);

	rx->key_update_pending = false;
	m_event(sk->k, EV_ANNOUNCE, sk->id, -1, 0);
	rx->saved_data_ready(sk);
}

static int tls_rekey_rx(struct sock *sk, struct tls_context *ctx,
			const struct tls_crypto_info_m *info, u32 keylen)
{
	int err;

	err = crypto_aead_setkey(tls_sw_ctx_rx(ctx)->aead_recv, info->key,
				 keylen);
	if (err)
		return err;
	tls_set_rx_nonce(ctx, info);
	m_event(sk->k, EV_KEYS, sk->id, 1, 0);
	tls_finish_key_update(sk, ctx);
	return 0;
}

/* MODEL: nonce and number lie in the context here; what is left of kernels
 * that allocate them is that this can fail. */
static bool tls_rx_buffers_fit(struct m_kernel *k)
{
	static const enum m_site sites[] = { SITE_TLS_RX_IV,
					     SITE_TLS_RX_REC_SEQ };
	void *buf;
	u32 i;

	if (!m_has(k, CHANGE_NO_CTX_BUFFERS_INLINE))
		return true;
	for (i = 0; i < ARRAY_SIZE(sites); i++) {
		buf = m_alloc(k, sites[i], 1);
		if (!buf)
			return false;
		m_free(k, buf, 1);
	}
	return true;
}

int tls_set_sw_offload(struct sock *sk, const struct tls_crypto_info_m *info,
		       bool update)
{
	struct tls_context *ctx = tls_get_ctx(sk);
	const struct tls_cipher_desc *desc;
	struct tls_sw_context_rx *rx;
	struct m_kernel *k = sk->k;
	int err;

	desc = get_cipher_desc(info->cipher_type);
	if (update)
		return tls_rekey_rx(sk, ctx, info, desc->key);

	rx = init_ctx_rx(k);
	if (!rx)
		return -ENOMEM;
	tls_init_prot_info(&ctx->prot_info, info->version, desc);
	err = -ENOMEM;
	if (!tls_rx_buffers_fit(k))
		goto err_free_ctx;
	err = crypto_alloc_aead(k->aead_pool, k, desc->cipher_type,
				&rx->aead_recv);
	if (err)
		goto err_free_ctx;
	err = crypto_aead_setkey(rx->aead_recv, info->key, desc->key);
	if (err)
		goto err_free_aead;
	err = tls_strp_init(&rx->strp, sk);
	if (err && !m_has(k, CHANGE_KB_STRP_INIT_FAILURE_IGNORED))
		goto err_free_aead;

	ctx->rx_ctx = rx;
	tls_update_rx_zc_capable(ctx);
	/* MODEL: no transform is asynchronous yet. */
	rx->async_capable = false;
	tls_set_rx_nonce(ctx, info);
	m_event(k, EV_KEYS, sk->id, 0, 0);
	return 0;

err_free_aead:
	crypto_free_aead(k->aead_pool, rx->aead_recv);
err_free_ctx:
	m_free(k, rx, sizeof(*rx));
	return err;
}

void tls_sw_strparser_arm(struct sock *sk, struct tls_context *ctx)
{
	struct tls_sw_context_rx *rx = tls_sw_ctx_rx(ctx);

	rx->saved_data_ready = sk->sk_data_ready;
	sk->sk_data_ready = tls_data_ready;
}

void tls_sw_release_resources_rx(struct sock *sk)
{
	struct tls_sw_context_rx *rx = tls_sw_ctx_rx(tls_get_ctx(sk));
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(&rx->rx_list)))
		tls_rx_list_free(skb, true);
	crypto_free_aead(sk->k->aead_pool, rx->aead_recv);
	rx->aead_recv = NULL;
	tls_strp_stop(&rx->strp);
	sk->sk_data_ready = rx->saved_data_ready;
}

void tls_sw_strparser_done(struct tls_context *ctx)
{
	tls_strp_done(&tls_sw_ctx_rx(ctx)->strp);
}

void tls_sw_free_ctx_rx(struct tls_context *ctx)
{
	m_free(ctx->sk->k, ctx->rx_ctx, sizeof(*ctx->rx_ctx));
	ctx->rx_ctx = NULL;
}
