// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SOL_TLS socket options.
 *
 * Each option checks its arguments in the kernel's order, because that order
 * decides which error a program sees; the first failure wins.
 *
 * Left out: device offload attempts; transmission (MODEL: TLS_TX validates and
 * stores keys, and there is never an open record, so TLS_TX_MAX_PAYLOAD_LEN
 * is never busy and a transmit rekey always succeeds); sockmap and PSP.
 *
 * Upstream: net/tls/tls_main.c (Linux 7.2.13): validate_crypto_info,
 * do_tls_setsockopt_conf, do_tls_setsockopt_no_pad, do_tls_setsockopt_tx_zc,
 * do_tls_setsockopt_tx_payload_len, do_tls_getsockopt_conf and friends,
 * tls_setsockopt, tls_getsockopt.
 */
#include "model/tls.h"

#define TLS_MIN_PAYLOAD_SIZE 64

/* Version and cipher at the front of every keys structure. */
#define INFO_HEAD 4

/* Longest keys structure. */
#define INFO_MAX 56

static int opt_fail(struct sock *sk, enum m_reason reason, int err)
{
	m_reason(sk->k, reason);
	return err;
}

static int opt_done(struct sock *sk)
{
	m_reason(sk->k, REASON_OPT_DONE);
	return 0;
}

/* -EFAULT when [off, off+len) of the value is not accessible. */
static int opt_copy_in(struct sock *sk, const struct sockopt_arg *arg, u32 off,
		       void *to, u32 len)
{
	if (!arg->val || arg->size < off + len)
		return opt_fail(sk, REASON_OPT_FAULT, -EFAULT);
	memcpy(to, arg->val + off, len);
	return 0;
}

static int opt_copy_out(struct sock *sk, struct sockopt_arg *arg,
			const void *from, u32 len)
{
	if (!arg->val || arg->size < len)
		return opt_fail(sk, REASON_OPT_FAULT, -EFAULT);
	memcpy(arg->val, from, len);
	return opt_done(sk);
}

/* First keys of a direction; @alt: those of the other direction. */
static int validate_crypto_info(struct sock *sk,
				const struct tls_crypto_info_m *info,
				const struct tls_crypto_info_m *alt)
{
	if (info->version != TLS_1_2_VERSION &&
	    info->version != TLS_1_3_VERSION)
		return opt_fail(sk, REASON_TLS_KEYS_VERSION, -EINVAL);
	if (info->version == TLS_1_3_VERSION &&
	    (info->cipher_type == TLS_CIPHER_ARIA_GCM_128 ||
	     info->cipher_type == TLS_CIPHER_ARIA_GCM_256))
		return opt_fail(sk, REASON_TLS_KEYS_ARIA, -EINVAL);
	if (alt->version && (alt->version != info->version ||
			     alt->cipher_type != info->cipher_type))
		return opt_fail(sk, REASON_TLS_KEYS_DIRECTIONS, -EINVAL);
	return 0;
}

/* The structure's first bytes, then all of it, into @info. */
static int tls_read_crypto_info(struct sock *sk, const struct sockopt_arg *arg,
				const struct tls_crypto_info_m *old,
				const struct tls_crypto_info_m *alt,
				struct tls_crypto_info_m *info)
{
	const struct tls_cipher_desc *desc;
	u8 raw[INFO_MAX];
	int err;

	err = opt_copy_in(sk, arg, 0, raw, INFO_HEAD);
	if (err)
		return err;
	memcpy(&info->version, raw, sizeof(info->version));
	memcpy(&info->cipher_type, raw + 2, sizeof(info->cipher_type));
	if (!old)
		err = validate_crypto_info(sk, info, alt);
	else if (info->version != old->version ||
		 info->cipher_type != old->cipher_type)
		err = opt_fail(sk, REASON_TLS_REKEY_MISMATCH, -EINVAL);
	if (err)
		return err;

	desc = get_cipher_desc(info->cipher_type);
	if (!desc)
		return opt_fail(sk, REASON_TLS_KEYS_CIPHER, -EINVAL);
	if (arg->len != (int)desc->crypto_info)
		return opt_fail(sk, REASON_TLS_KEYS_SIZE, -EINVAL);
	err = opt_copy_in(sk, arg, INFO_HEAD, raw + INFO_HEAD,
			  desc->crypto_info - INFO_HEAD);
	if (err)
		return err;
	tls_crypto_info_unpack(info, raw);
	return 0;
}

/* MODEL: the transform is built and keyed to give its errors, not kept. */
static int tls_store_tx(struct sock *sk, struct tls_context *ctx,
			const struct tls_crypto_info_m *info, bool update)
{
	const struct tls_cipher_desc *desc = get_cipher_desc(info->cipher_type);
	struct crypto_pool *pool = sk->k->aead_pool;
	struct crypto_aead *aead;
	int err;

	if (!update) {
		tls_init_prot_info(&ctx->prot_info, info->version, desc);
		err = crypto_alloc_aead(pool, sk->k, desc->cipher_type, &aead);
		if (err)
			return err;
		err = crypto_aead_setkey(aead, info->key, desc->key);
		crypto_free_aead(pool, aead);
		if (err)
			return err;
		ctx->tx_conf = TLS_SW;
		m_count(sk->k, MIB_TlsTxSw);
		m_count(sk->k, MIB_TlsCurrTxSw);
	} else {
		tls_count_rekey(sk->k, MIB_TlsTxRekeyOk);
	}
	ctx->crypto_send = *info;
	return 0;
}

static int tls_install_rx(struct sock *sk, struct tls_context *ctx,
			  const struct tls_crypto_info_m *info, bool update)
{
	int err;

	err = tls_set_sw_offload(sk, info, update);
	if (err)
		return err;
	if (update) {
		tls_count_rekey(sk->k, MIB_TlsRxRekeyOk);
		return 0;
	}
	m_count(sk->k, MIB_TlsRxSw);
	m_count(sk->k, MIB_TlsCurrRxSw);
	tls_sw_strparser_arm(sk, ctx);
	ctx->rx_conf = TLS_SW;
	tls_update_sk_prot(sk, ctx);
	if (!m_has(sk->k, CHANGE_KB_FAST_CLOSE_LOSES_DATA))
		tls_strp_check_rcv(&tls_sw_ctx_rx(ctx)->strp, true);
	return 0;
}

static void tls_keys_set(struct sock *sk, const struct tls_context *ctx,
			 bool tx, bool update)
{
	if (update)
		m_reason(sk->k, REASON_TLS_REKEYED);
	else if (!tx && tls_sw_ctx_rx(ctx)->strp.stopped)
		m_reason(sk->k, REASON_TLS_KEYS_BAD_HEADER);
	else
		m_reason(sk->k, REASON_TLS_KEYS_SET);
}

/* TLS_TX and TLS_RX. */
static int do_tls_setsockopt_conf(struct sock *sk, struct sockopt_arg *arg,
				  bool tx)
{
	struct tls_context *ctx = tls_get_ctx(sk);
	enum m_mib rekey_error = tx ? MIB_TlsTxRekeyError : MIB_TlsRxRekeyError;
	const struct tls_crypto_info_m *old, *alt;
	struct tls_crypto_info_m info = { 0 };
	bool update;
	int err;

	if (!arg->val || arg->len < INFO_HEAD)
		return opt_fail(sk, REASON_OPT_LENGTH, -EINVAL);
	old = tx ? &ctx->crypto_send : &ctx->crypto_recv;
	alt = tx ? &ctx->crypto_recv : &ctx->crypto_send;
	update = old->version;
	if (update && m_has(sk->k, CHANGE_NO_REKEY_ALLOWED)) {
		tls_count_rekey(sk->k, rekey_error);
		return opt_fail(sk, REASON_TLS_KEYS_NO_REKEY, -EBUSY);
	}
	if (update && old->version != TLS_1_3_VERSION) {
		tls_count_rekey(sk->k, rekey_error);
		return opt_fail(sk, REASON_TLS_KEYS_BUSY, -EBUSY);
	}

	err = tls_read_crypto_info(sk, arg, update ? old : NULL, alt, &info);
	if (err)
		goto err_count;
	if (tx)
		err = tls_store_tx(sk, ctx, &info, update);
	else
		err = tls_install_rx(sk, ctx, &info, update);
	if (err) {
		m_reason(sk->k, err == -ENOMEM ? REASON_TLS_KEYS_NOMEM :
						 REASON_TLS_KEYS_NO_MODULE);
		goto err_count;
	}
	tls_keys_set(sk, ctx, tx, update);
	return 0;

err_count:
	if (update)
		tls_count_rekey(sk->k, rekey_error);
	return err;
}

static int tls_set_flag(struct sock *sk, const struct sockopt_arg *arg,
			u32 *val)
{
	int err = opt_copy_in(sk, arg, 0, val, sizeof(*val));

	if (err)
		return err;
	return *val > 1 ? opt_fail(sk, REASON_OPT_VALUE, -EINVAL) : 0;
}

static int do_tls_setsockopt_no_pad(struct sock *sk, struct sockopt_arg *arg)
{
	struct tls_context *ctx = tls_get_ctx(sk);
	int i, err;
	u32 val;

	if (ctx->prot_info.version != TLS_1_3_VERSION)
		return opt_fail(sk, REASON_TLS_NO_PAD_VERSION, -EINVAL);
	if (!arg->val || arg->len < (int)sizeof(val))
		return opt_fail(sk, REASON_OPT_LENGTH, -EINVAL);
	err = tls_set_flag(sk, arg, &val);
	if (err)
		return err;
	for (i = sizeof(val); i < arg->len; i++) {
		if ((u32)i >= arg->size)
			return opt_fail(sk, REASON_OPT_FAULT, -EFAULT);
		if (arg->val[i])
			return opt_fail(sk, REASON_TLS_OPT_TRAILING, -EINVAL);
	}

	lock_sock(sk);
	err = -EINVAL;
	m_reason(sk->k, REASON_TLS_NO_PAD_NO_KEYS);
	if (ctx->rx_conf == TLS_SW) {
		ctx->rx_no_pad = val;
		tls_update_rx_zc_capable(ctx);
		err = opt_done(sk);
	}
	release_sock(sk);
	return err;
}

static int do_tls_setsockopt_tx_zc(struct sock *sk, struct sockopt_arg *arg)
{
	u32 val;
	int err;

	if (!arg->val || arg->len != (int)sizeof(val))
		return opt_fail(sk, REASON_OPT_LENGTH, -EINVAL);
	err = tls_set_flag(sk, arg, &val);
	if (err)
		return err;
	tls_get_ctx(sk)->zerocopy_sendfile = val;
	return opt_done(sk);
}

static int do_tls_setsockopt_tx_payload_len(struct sock *sk,
					    struct sockopt_arg *arg)
{
	struct tls_context *ctx = tls_get_ctx(sk);
	u32 min = TLS_MIN_PAYLOAD_SIZE;
	u16 val;
	int err;

	if (!arg->val || arg->len != (int)sizeof(val))
		return opt_fail(sk, REASON_OPT_LENGTH, -EINVAL);
	err = opt_copy_in(sk, arg, 0, &val, sizeof(val));
	if (err)
		return err;
	if (ctx->prot_info.version == TLS_1_3_VERSION)
		min--;
	if (val < min || val > TLS_MAX_PAYLOAD_SIZE)
		return opt_fail(sk, REASON_OPT_VALUE, -EINVAL);
	ctx->tx_max_payload_len = val;
	return opt_done(sk);
}

int tls_setsockopt(struct sock *sk, int level, int opt, struct sockopt_arg *arg)
{
	int err;

	if (level != SOL_TLS_M)
		return tls_get_ctx(sk)->sk_proto->setsockopt(sk, level, opt,
							     arg);
	if (opt == TLS_RX_EXPECT_NO_PAD)
		return do_tls_setsockopt_no_pad(sk, arg);

	lock_sock(sk);
	if (opt == TLS_TX || opt == TLS_RX)
		err = do_tls_setsockopt_conf(sk, arg, opt == TLS_TX);
	else if (opt == TLS_TX_ZEROCOPY_RO)
		err = do_tls_setsockopt_tx_zc(sk, arg);
	else if (opt == TLS_TX_MAX_PAYLOAD_LEN &&
		 !m_has(sk->k, CHANGE_NO_TX_MAX_PAYLOAD_OPT))
		err = do_tls_setsockopt_tx_payload_len(sk, arg);
	else
		err = opt_fail(sk, REASON_OPT_UNKNOWN, -ENOPROTOOPT);
	release_sock(sk);
	return err;
}

/* Keys as they are now: nonce and number of the next record. */
static int do_tls_getsockopt_conf(struct sock *sk, struct sockopt_arg *arg,
				  bool tx)
{
	struct tls_context *ctx = tls_get_ctx(sk);
	const struct tls_cipher_desc *desc;
	struct tls_crypto_info_m info;
	u8 raw[INFO_MAX];

	if (!arg->val || arg->len < INFO_HEAD)
		return opt_fail(sk, REASON_OPT_LENGTH, -EINVAL);
	info = tx ? ctx->crypto_send : ctx->crypto_recv;
	if (!info.version)
		return opt_fail(sk, REASON_TLS_KEYS_NOT_SET, -EBUSY);
	desc = get_cipher_desc(info.cipher_type);
	if (arg->len != INFO_HEAD && arg->len != (int)desc->crypto_info)
		return opt_fail(sk, REASON_TLS_KEYS_SIZE, -EINVAL);
	if (!tx) {
		memcpy(info.iv, ctx->rx.iv + desc->salt, desc->iv);
		memcpy(info.rec_seq, ctx->rx.rec_seq, sizeof(info.rec_seq));
	}
	tls_crypto_info_pack(&info, raw);
	return opt_copy_out(sk, arg, raw, (u32)arg->len);
}

static int do_tls_getsockopt_no_pad(struct sock *sk, struct sockopt_arg *arg)
{
	struct tls_context *ctx = tls_get_ctx(sk);
	u32 val;

	if (ctx->prot_info.version != TLS_1_3_VERSION)
		return opt_fail(sk, REASON_TLS_NO_PAD_VERSION, -EINVAL);
	if (arg->len < (int)sizeof(val))
		return opt_fail(sk, REASON_OPT_LENGTH, -EINVAL);
	if (ctx->rx_conf != TLS_SW)
		return opt_fail(sk, REASON_TLS_NO_PAD_NO_KEYS, -EINVAL);
	val = ctx->rx_no_pad;
	arg->out_len = sizeof(val);
	return opt_copy_out(sk, arg, &val, sizeof(val));
}

static int do_tls_getsockopt_tx_zc(struct sock *sk, struct sockopt_arg *arg)
{
	u32 val = tls_get_ctx(sk)->zerocopy_sendfile;

	if (arg->len != (int)sizeof(val))
		return opt_fail(sk, REASON_OPT_LENGTH, -EINVAL);
	return opt_copy_out(sk, arg, &val, sizeof(val));
}

static int do_tls_getsockopt_tx_payload_len(struct sock *sk,
					    struct sockopt_arg *arg)
{
	u16 val = tls_get_ctx(sk)->tx_max_payload_len;

	if (arg->len < (int)sizeof(val))
		return opt_fail(sk, REASON_OPT_LENGTH, -EINVAL);
	arg->out_len = sizeof(val);
	return opt_copy_out(sk, arg, &val, sizeof(val));
}

int tls_getsockopt(struct sock *sk, int level, int opt, struct sockopt_arg *arg)
{
	int err;

	if (level != SOL_TLS_M)
		return tls_get_ctx(sk)->sk_proto->getsockopt(sk, level, opt,
							     arg);
	lock_sock(sk);
	if (opt == TLS_TX || opt == TLS_RX)
		err = do_tls_getsockopt_conf(sk, arg, opt == TLS_TX);
	else if (opt == TLS_TX_ZEROCOPY_RO)
		err = do_tls_getsockopt_tx_zc(sk, arg);
	else if (opt == TLS_RX_EXPECT_NO_PAD)
		err = do_tls_getsockopt_no_pad(sk, arg);
	else if (opt == TLS_TX_MAX_PAYLOAD_LEN &&
		 !m_has(sk->k, CHANGE_NO_TX_MAX_PAYLOAD_OPT))
		err = do_tls_getsockopt_tx_payload_len(sk, arg);
	else
		err = opt_fail(sk, REASON_OPT_UNKNOWN, -ENOPROTOOPT);
	release_sock(sk);
	return err;
}
