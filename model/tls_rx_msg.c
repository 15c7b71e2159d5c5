// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A record seen from the parser: is this a header, and who has to hear of it?
 *
 * The first check that fails decides the error, because a program sees which
 * one it is. A record is announced at most once; "announced" is kept with the
 * record, so that every exit of every reader may ask again.
 *
 * Left out: the resync request to a device.
 *
 * Upstream: net/tls/tls_sw.c (Linux 7.2.13): tls_rx_msg_size,
 * tls_rx_msg_maybe_announce.
 */
#include "model/tls.h"

/* Longest header with explicit nonce that the scratch buffer takes. */
#define PREPEND_MAX 21

static int tls_rx_check_header(const struct tls_prot_info *prot,
			       const u8 *header)
{
	u32 body = (u32)header[3] << 8 | header[4];
	u32 overhead = prot->tag_size;

	if (prot->version != TLS_1_3_VERSION &&
	    prot->cipher_type != TLS_CIPHER_CHACHA20_POLY1305)
		overhead += prot->iv_size;
	if (body > TLS_MAX_PAYLOAD_SIZE + overhead + prot->tail_size)
		return -EMSGSIZE;
	if (body < overhead)
		return -EBADMSG;
	if (header[1] != 3 || header[2] != 3)
		return -EINVAL;
	return (int)body + TLS_HEADER_SIZE;
}

int tls_rx_msg_size(struct tls_strparser *strp, struct sk_buff *skb)
{
	const struct tls_prot_info *prot = &tls_get_ctx(strp->sk)->prot_info;
	u8 header[PREPEND_MAX];
	int ret;

	if (skb->len < strp->stm.offset + prot->prepend_size)
		return 0;
	M_ASSERT(prot->prepend_size <= PREPEND_MAX, "prepend too long");
	ret = skb_copy_bits(skb, strp->stm.offset, header, prot->prepend_size);
	if (!ret) {
		strp->mark = header[0];
		ret = tls_rx_check_header(prot, header);
	}
	if (ret < 0 && strp->copy_mode &&
	    m_has(strp->sk->k, CHANGE_KB_BOGUS_HEADER_RETRY))
		tls_err_abort(strp->sk, ret);
	else if (ret < 0)
		tls_strp_abort_strp(strp, ret);
	return ret;
}

void tls_rx_msg_maybe_announce(struct tls_strparser *strp)
{
	struct tls_sw_context_rx *ctx = tls_sw_ctx_rx(tls_get_ctx(strp->sk));
	struct sock *sk = strp->sk;

	if (!strp->msg_ready || strp->msg_announced)
		return;
	strp->msg_announced = true;
	if (m_has(sk->k, CHANGE_KB_RECORD_READY_WRONG_CALLBACK)) {
		sk->sk_state_change(sk);
		return;
	}
	m_event(sk->k, EV_ANNOUNCE, sk->id, (s64)strp->recno - 1, 0);
	ctx->saved_data_ready(sk);
}

void tls_rx_list_announce(struct tls_sw_context_rx *ctx)
{
	struct sock *sk = ctx->strp.sk;
	const struct sk_buff *rest;

	rest = skb_peek(&ctx->rx_list);
	if (!rest)
		return;
	m_event(sk->k, EV_ANNOUNCE, sk->id, (s64)rest->cb.recno, 0);
	ctx->saved_data_ready(sk);
}
