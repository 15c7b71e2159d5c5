// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The list of records that were decrypted and not (fully) taken, and the rule
 * of which records one call may join.
 *
 * Each entry keeps its own offset and rest. recvmsg takes from the head before
 * it decrypts anything; splice and read_sock put back at the head what they do
 * not take.
 *
 * Left out: nothing. The skip phase is for peeks of asynchronous decryption.
 *
 * Upstream: net/tls/tls_sw.c (Linux 7.2.13): tls_record_content_type,
 * process_rx_list.
 */
#include "model/tls.h"

int tls_record_content_type(struct msghdr *msg, const struct sk_buff *skb,
			    u8 *control)
{
	int err;

	if (*control)
		return *control == skb->cb.control;

	*control = skb->cb.control;
	if (!*control)
		return -EBADMSG;
	err = put_cmsg_record_type(msg, *control);
	if (*control != TLS_RECORD_TYPE_DATA &&
	    (err || msg->msg_flags & M_MSG_CTRUNC))
		return -EIO;
	return 1;
}

void tls_rx_list_add(struct tls_sw_context_rx *ctx, struct sk_buff *skb,
		     bool head)
{
	m_event(ctx->strp.sk->k, EV_RX_LIST_ADD, (s64)skb->cb.recno,
		skb->cb.full_len, head);
	if (head)
		__skb_queue_head(&ctx->rx_list, skb);
	else
		__skb_queue_tail(&ctx->rx_list, skb);
}

void tls_rx_list_free(struct sk_buff *skb, bool listed)
{
	if (listed)
		m_event(skb->k, EV_RX_LIST_DEL, (s64)skb->cb.recno, 0, 0);
	kfree_skb(skb);
}

void tls_recv_refused(struct sock *sk, int err, ssize_t taken)
{
	if (err == -EIO)
		m_reason(sk->k, REASON_TLS_CONTROL_NO_ROOM);
	else if (err == -EBADMSG)
		m_reason(sk->k, REASON_TLS_TYPE_ZERO);
	else
		m_reason(sk->k, taken ? REASON_TLS_TYPE_CHANGE :
					REASON_TLS_EMPTY_THEN_CONTROL);
}

int tls_recv_put(struct sock *sk, struct sk_buff *skb, u32 skip,
		 struct msghdr *msg, u32 len)
{
	int err;

	err = skb_copy_datagram_iter(skb, skb->cb.offset + skip, &msg->iter,
				     len);
	if (err < 0)
		return err;
	m_event(sk->k, EV_PUT_USER, (s64)skb->cb.recno,
		tls_plain_off(sk, skb) + skip, len);
	return 0;
}

/* Steps over what the call has taken from the list before. */
static int tls_rx_list_skip(struct tls_rx_list_arg *arg, struct sk_buff **skbp,
			    size_t *skip)
{
	struct sk_buff *skb = *skbp;
	int err;

	while (*skip && skb) {
		err = tls_record_content_type(arg->msg, skb, arg->control);
		if (err <= 0)
			return err;
		if (*skip < skb->cb.full_len)
			break;
		*skip -= skb->cb.full_len;
		skb = skb->next;
	}
	*skbp = skb;
	return 1;
}

ssize_t process_rx_list(struct sock *sk, struct tls_sw_context_rx *ctx,
			struct tls_rx_list_arg *arg)
{
	struct sk_buff *skb = skb_peek(&ctx->rx_list), *next;
	size_t skip = arg->skip, len = arg->len;
	ssize_t copied = 0;
	u32 chunk;
	int err;

	err = tls_rx_list_skip(arg, &skb, &skip);
	if (err <= 0)
		goto more;

	for (; len && skb; skb = next) {
		struct tls_skb_cb *cb = &skb->cb;

		err = m_has(sk->k, CHANGE_KB_PEEK_HIDES_RECORD_TYPE) ?
			      1 :
			      tls_record_content_type(arg->msg, skb,
						      arg->control);
		if (err <= 0)
			goto more;
		chunk = (u32)min_t(size_t, cb->full_len - skip, len);
		err = tls_recv_put(sk, skb, (u32)skip, arg->msg, chunk);
		if (err < 0) {
			m_reason(sk->k, REASON_TLS_COPY_FAULT);
			arg->more = true;
			return copied ? copied : err;
		}
		len -= chunk;
		copied += chunk;
		if (!arg->peek) {
			cb->offset += chunk;
			cb->full_len -= chunk;
			if (cb->full_len - skip)
				break;
		}
		skip = 0;
		arg->msg->msg_flags |= M_MSG_EOR;
		next = skb->next;
		if (!arg->peek) {
			__skb_unlink(skb, &ctx->rx_list);
			tls_rx_list_free(skb, true);
		}
	}
	return copied;

more:
	tls_recv_refused(sk, err, copied);
	arg->more = true;
	return copied ? copied : err;
}
