// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ULP itself: attach, entry points, errors, close; and the cipher table.
 *
 * Attaching only swaps the protocol entry points; reads stay plain TCP until
 * TLS_RX swaps them again (tls_main_opt.c has the options).
 *
 * Left out: device offload, TX entry points (MODEL: TLS_TX keys are stored
 * only), socket diagnostics, PSP and sockmap (MODEL: neither exists here).
 *
 * Upstream: net/tls/tls_main.c (Linux 7.2.13): tls_cipher_desc, tls_init,
 * update_sk_prot, tls_sk_proto_close, tls_sk_proto_cleanup, tls_disconnect;
 * net/tls/tls_sw.c: tls_err_abort.
 */
#include "model/tls.h"

static const struct tls_cipher_desc tls_cipher_desc[] = {
	{ TLS_CIPHER_AES_GCM_128, 8, 8, 16, 4, 40 },
	{ TLS_CIPHER_AES_GCM_256, 8, 8, 32, 4, 56 },
	{ TLS_CIPHER_AES_CCM_128, 8, 8, 16, 4, 40 },
	{ TLS_CIPHER_CHACHA20_POLY1305, 0, 12, 32, 0, 56 },
	{ TLS_CIPHER_SM4_GCM, 8, 8, 16, 4, 40 },
	{ TLS_CIPHER_SM4_CCM, 8, 8, 16, 4, 40 },
	{ TLS_CIPHER_ARIA_GCM_128, 8, 8, 16, 4, 40 },
	{ TLS_CIPHER_ARIA_GCM_256, 8, 8, 32, 4, 56 },
};

const struct tls_cipher_desc *get_cipher_desc(u16 cipher_type)
{
	u32 i = (u32)cipher_type - TLS_CIPHER_AES_GCM_128;

	return i < ARRAY_SIZE(tls_cipher_desc) ? &tls_cipher_desc[i] : NULL;
}

static u8 *put_bytes(u8 *p, const void *from, u32 len)
{
	memcpy(p, from, len);
	return p + len;
}

static const u8 *get_bytes(const u8 *p, void *to, u32 len)
{
	memcpy(to, p, len);
	return p + len;
}

u32 tls_crypto_info_pack(const struct tls_crypto_info_m *info, u8 *out)
{
	const struct tls_cipher_desc *desc = get_cipher_desc(info->cipher_type);
	u8 *p = out;

	p = put_bytes(p, &info->version, sizeof(info->version));
	p = put_bytes(p, &info->cipher_type, sizeof(info->cipher_type));
	p = put_bytes(p, info->iv, desc->iv);
	p = put_bytes(p, info->key, desc->key);
	p = put_bytes(p, info->salt, desc->salt);
	p = put_bytes(p, info->rec_seq, sizeof(info->rec_seq));
	return (u32)(p - out);
}

void tls_crypto_info_unpack(struct tls_crypto_info_m *info, const u8 *in)
{
	const struct tls_cipher_desc *desc;

	in = get_bytes(in, &info->version, sizeof(info->version));
	in = get_bytes(in, &info->cipher_type, sizeof(info->cipher_type));
	desc = get_cipher_desc(info->cipher_type);
	in = get_bytes(in, info->iv, desc->iv);
	in = get_bytes(in, info->key, desc->key);
	in = get_bytes(in, info->salt, desc->salt);
	get_bytes(in, info->rec_seq, sizeof(info->rec_seq));
}

void tls_err_abort(struct sock *sk, int err)
{
	M_ASSERT(err < 0, "tls_err_abort(%d)", err);
	if (m_has(sk->k, CHANGE_KB_ERRNO_SIGN_FLIP))
		err = -err;
	sk_set_err(sk, -err);
	sk_error_report(sk);
}

/* Entry points by receive configuration. */
static const struct proto tls_prots[] = {
	[TLS_BASE] = {
		.name = "TCP",
		.recvmsg = tcp_recvmsg,
		.close = tls_sk_proto_close,
		.setsockopt = tls_setsockopt,
		.getsockopt = tls_getsockopt,
		.disconnect = tls_disconnect,
	},
	[TLS_SW] = {
		.name = "TCP",
		.recvmsg = tls_sw_recvmsg,
		.sock_is_readable = tls_sw_sock_is_readable,
		.close = tls_sk_proto_close,
		.setsockopt = tls_setsockopt,
		.getsockopt = tls_getsockopt,
		.disconnect = tls_disconnect,
	},
};

static const struct proto_ops tls_sw_proto_ops = {
	.poll = tls_sk_poll,
	.splice_read = tls_sw_splice_read,
	.read_sock = tls_sw_read_sock,
};

void tls_update_sk_prot(struct sock *sk, struct tls_context *ctx)
{
	sk->sk_prot = &tls_prots[ctx->rx_conf];
	sk->ops = ctx->rx_conf == TLS_SW ? &tls_sw_proto_ops : ctx->sk_ops;
}

int tls_init(struct sock *sk)
{
	struct m_kernel *k = sk->k;
	struct tls_context *ctx;

	M_ASSERT(!sk->icsk_ulp_data, "sk %u: attached twice", sk->id);
	if (sk->sk_state != TCP_ESTABLISHED) {
		m_reason(k, REASON_TLS_ATTACH_NOT_CONNECTED);
		return -ENOTCONN;
	}
	ctx = m_alloc(k, SITE_TLS_CTX, sizeof(*ctx));
	if (!ctx) {
		m_reason(k, REASON_TLS_ATTACH_NOMEM);
		return -ENOMEM;
	}
	memset(ctx, 0, sizeof(*ctx));
	ctx->sk = sk;
	ctx->sk_proto = sk->sk_prot;
	ctx->sk_ops = sk->ops;
	ctx->tx_max_payload_len = TLS_MAX_PAYLOAD_SIZE;
	ctx->tx_conf = TLS_BASE;
	ctx->rx_conf = TLS_BASE;
	sk->icsk_ulp_data = ctx;
	sk->icsk_ulp_name = "tls";
	tls_update_sk_prot(sk, ctx);
	m_reason(k, REASON_TLS_ATTACHED);
	return 0;
}

int tls_disconnect(struct sock *sk)
{
	if (m_has(sk->k, CHANGE_KB_DISCONNECT_ON_TLS))
		return tcp_disconnect(sk);
	m_reason(sk->k, REASON_TLS_DISCONNECT);
	return -EOPNOTSUPP;
}

/* Gauges go down without a log entry of their own kind. */
static void tls_dec_stat(struct m_kernel *k, enum m_mib mib)
{
	k->mib[mib]--;
	m_event(k, EV_MIB, mib, (s64)k->mib[mib], 0);
}

static void tls_sk_proto_cleanup(struct sock *sk, struct tls_context *ctx)
{
	if (ctx->tx_conf == TLS_SW)
		tls_dec_stat(sk->k, MIB_TlsCurrTxSw);
	if (ctx->rx_conf == TLS_SW) {
		tls_sw_release_resources_rx(sk);
		tls_dec_stat(sk->k, MIB_TlsCurrRxSw);
	}
}

void tls_sk_proto_close(struct sock *sk)
{
	struct tls_context *ctx = tls_get_ctx(sk);
	const struct proto *below = ctx->sk_proto;

	lock_sock(sk);
	tls_sk_proto_cleanup(sk, ctx);
	sk->icsk_ulp_data = NULL;
	sk->icsk_ulp_name = NULL;
	sk->sk_prot = below;
	/* MODEL: upstream the ops go with the file, which nobody has now. */
	sk->ops = ctx->sk_ops;
	release_sock(sk);

	if (ctx->rx_conf == TLS_SW) {
		tls_sw_strparser_done(ctx);
		tls_sw_free_ctx_rx(ctx);
	}
	below->close(sk);
	m_free(sk->k, ctx, sizeof(*ctx));
}
