// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The record parser: says when a whole record is in the TCP queue, and where.
 *
 *   sk_receive_queue:  [skb]->[skb]->[skb]->...     copied_seq is in the first
 *                         ^ stm.offset
 *   anchor->frag_list ----+   no bytes are taken from TCP until the record is
 *                             consumed
 *
 * The anchor is an empty skb that borrows the queue through its frag_list; it
 * is pointed at the queue again whenever the socket lock was dropped. When TCP
 * cannot hold the record, or holds parts of it twice, the bytes move into pages
 * of the anchor instead (copy mode, tls_strp_copy.c).
 *
 * Left out: skbs decrypted by a device, and with them tls_strp_msg_detach and
 * tls_strp_msg_cow (MODEL: there is no device).
 *
 * Upstream: net/tls/tls_strp.c (Linux 7.2.13): tls_strp_abort_strp,
 * tls_strp_load_anchor_with_queue, tls_strp_check_queue_ok,
 * tls_strp_read_sock, tls_strp_check_rcv, tls_strp_data_ready, tls_strp_work,
 * tls_strp_msg_load, tls_strp_msg_consume, tls_strp_msg_hold, tls_strp_init,
 * tls_strp_stop, tls_strp_done.
 */
#include "model/tls.h"

void tls_strp_abort_strp(struct tls_strparser *strp, int err)
{
	struct sock *sk = strp->sk;

	if (strp->stopped)
		return;
	strp->stopped = true;
	m_event(sk->k, EV_PARSE_ERR, sk->id, err, 0);
	sk_set_err(sk, -err);
	sk_error_report(sk);
}

void tls_strp_mark_ready(struct tls_strparser *strp)
{
	strp->msg_ready = true;
	m_event(strp->sk->k, EV_PARSED, (s64)strp->recno, strp->stm.full_len,
		strp->mark);
	strp->recno++;
	if (m_has(strp->sk->k, CHANGE_NO_ANNOUNCE_DEFERRED))
		tls_rx_msg_maybe_announce(strp);
}

static void tls_strp_load_anchor_with_queue(struct tls_strparser *strp, u32 len)
{
	struct sk_buff *anchor = strp->anchor;
	struct sk_buff *first;
	u32 offset;

	first = tcp_recv_skb(strp->sk, tcp_sk(strp->sk)->copied_seq, &offset);
	M_ASSERT(first, "sk %u: parser finds no skb at copied_seq",
		 strp->sk->id);
	anchor->len = offset + len;
	anchor->data_len = offset + len;
	anchor->truesize = offset + len;
	anchor->frag_list = first;
	strp->stm.offset = offset;
}

/* No byte of the first @full_len is there twice. */
static bool tls_strp_check_queue_ok(const struct tls_strparser *strp,
				    u32 full_len)
{
	const struct sk_buff *skb = strp->anchor->frag_list;
	u32 len = strp->stm.offset + full_len;
	u32 seq = skb->seq;

	if (m_has(strp->sk->k, CHANGE_KB_OVERLAPPING_TCP_SKBS))
		return true;
	while (skb->len < len) {
		seq += skb->len;
		len -= skb->len;
		skb = skb->next;
		M_ASSERT(skb, "sk %u: queue ends inside a record",
			 strp->sk->id);
		if (skb->seq != seq)
			return false;
	}
	return true;
}

/* The bugs that leave the anchor as it was are told here, for what follows
 * would read memory that is not the queue's. */
static void tls_strp_refresh_anchor(struct tls_strparser *strp, u32 inq)
{
	struct m_kernel *k = strp->sk->k;
	u32 offset;

	M_ASSERT(strp->anchor, "the parser has no anchor");
	if (strp->stm.full_len && (m_has(k, CHANGE_KB_STALE_ANCHOR) ||
				   m_has(k, CHANGE_KB_COPY_PAGE_ALLOC_FAIL))) {
		M_ASSERT(strp->anchor->frag_list, "the anchor has no queue");
		M_ASSERT(strp->anchor->frag_list ==
				 tcp_recv_skb(strp->sk,
					      tcp_sk(strp->sk)->copied_seq,
					      &offset),
			 "the anchor points at an skb that was freed");
	}
	tls_strp_load_anchor_with_queue(strp, inq);
}

static int tls_strp_read_sock(struct tls_strparser *strp)
{
	int inq = tcp_inq(strp->sk);
	int sz;

	if (inq < 1)
		return 0;
	if (unlikely(strp->copy_mode))
		return tls_strp_read_copyin(strp);
	if ((u32)inq < strp->stm.full_len)
		return tls_strp_read_copy(strp, true);

	tls_strp_refresh_anchor(strp, (u32)inq);
	if (!strp->stm.full_len) {
		if (inq < TLS_HEADER_SIZE)
			return tls_strp_read_copy(strp, true);
		if (!m_has(strp->sk->k, CHANGE_HEADER_OVER_OVERLAP) &&
		    !tls_strp_check_queue_ok(strp, TLS_HEADER_SIZE))
			return tls_strp_read_copy(strp, false);
		sz = tls_rx_msg_size(strp, strp->anchor);
		if (sz < 0)
			return sz;
		strp->stm.full_len = (u32)sz;
		if (!sz || sz > inq)
			return tls_strp_read_copy(strp, true);
	}
	if (!tls_strp_check_queue_ok(strp, strp->stm.full_len))
		return tls_strp_read_copy(strp, false);
	tls_strp_mark_ready(strp);
	return 0;
}

static void tls_strp_queue_work(struct tls_strparser *strp)
{
	struct m_kernel *k = strp->sk->k;

	k->ops->queue_work(k, &strp->work);
}

void tls_strp_check_rcv(struct tls_strparser *strp, bool announce)
{
	if (unlikely(strp->stopped) || strp->msg_ready)
		return;
	strp->looks++;
	if (tls_strp_read_sock(strp) == -ENOMEM) {
		tls_strp_queue_work(strp);
		return;
	}
	if (announce)
		tls_rx_msg_maybe_announce(strp);
}

void tls_strp_data_ready(struct tls_strparser *strp)
{
	if (sock_owned_by_user(strp->sk)) {
		tls_strp_queue_work(strp);
		return;
	}
	tls_strp_check_rcv(strp, true);
}

static void tls_strp_work(struct m_work *work)
{
	struct tls_strparser *strp =
		container_of(work, struct tls_strparser, work);

	lock_sock(strp->sk);
	tls_strp_check_rcv(strp, true);
	release_sock(strp->sk);
}

static void tls_strp_forget_msg(struct tls_strparser *strp)
{
	strp->msg_ready = false;
	strp->msg_announced = false;
	strp->stm.offset = 0;
	strp->stm.full_len = 0;
}

bool tls_strp_msg_load(struct tls_strparser *strp, bool force_refresh)
{
	struct sock *sk = strp->sk;
	struct tls_skb_cb *cb;

	M_ASSERT(strp->msg_ready && strp->stm.full_len, "sk %u: no record",
		 sk->id);
	if (!strp->copy_mode && force_refresh) {
		if (unlikely(tcp_inq(sk) < (int)strp->stm.full_len)) {
			M_ASSERT(!m_has(sk->k, CHANGE_DATA_STOLEN),
				 "the bytes of a parsed record are gone: a "
				 "kernel with data-stolen reads freed memory "
				 "here");
			m_event(sk->k, EV_UNPARSED, sk->id,
				(s64)strp->recno - 1, 0);
			tls_strp_forget_msg(strp);
			return false;
		}
		tls_strp_load_anchor_with_queue(strp, strp->stm.full_len);
	}

	cb = &strp->anchor->cb;
	cb->offset = strp->stm.offset;
	cb->full_len = strp->stm.full_len;
	cb->control = strp->mark;
	cb->recno = strp->recno - 1;
	return true;
}

void tls_strp_msg_consume(struct tls_strparser *strp)
{
	struct sock *sk = strp->sk;

	M_ASSERT(strp->msg_ready, "sk %u: consumes no record", sk->id);
	m_event(sk->k, EV_CONSUMED, (s64)strp->recno - 1, 0, 0);
	if (likely(!strp->copy_mode)) {
		strp->anchor->frag_list = NULL;
		tcp_read_done(sk, strp->stm.full_len);
	} else {
		tls_strp_flush_anchor_copy(strp);
	}
	tls_strp_forget_msg(strp);
}

static int tls_strp_hold_anchor(struct tls_strparser *strp,
				struct sk_buff_head *dst)
{
	struct sk_buff *fresh = alloc_skb(strp->sk->k, SITE_STRP_HOLD);

	if (!fresh)
		return -ENOMEM;
	fresh->cb = strp->anchor->cb;
	__skb_queue_tail(dst, strp->anchor);
	strp->anchor = fresh;
	return 0;
}

int tls_strp_msg_hold(struct tls_strparser *strp, struct sk_buff_head *dst)
{
	u32 left = strp->stm.offset + strp->stm.full_len;
	u32 offset = strp->stm.offset;
	struct sk_buff *skb, *clone;

	if (strp->copy_mode)
		return tls_strp_hold_anchor(strp, dst);

	for (skb = strp->anchor->frag_list; left; skb = skb->next) {
		if (offset >= skb->len) {
			offset -= skb->len;
			left -= skb->len;
			continue;
		}
		offset = 0;
		clone = skb_clone(skb, SITE_STRP_HOLD);
		if (!clone)
			return -ENOMEM;
		__skb_queue_tail(dst, clone);
		left -= min_t(u32, left, skb->len);
	}
	return 0;
}

int tls_strp_init(struct tls_strparser *strp, struct sock *sk)
{
	memset(strp, 0, sizeof(*strp));
	strp->sk = sk;
	strp->anchor = alloc_skb(sk->k, SITE_STRP_ANCHOR);
	if (!strp->anchor)
		return -ENOMEM;
	strp->work.fn = tls_strp_work;
	INIT_LIST_HEAD(&strp->work.list);
	return 0;
}

void tls_strp_stop(struct tls_strparser *strp)
{
	strp->stopped = true;
}

void tls_strp_done(struct tls_strparser *strp)
{
	struct m_kernel *k = strp->sk->k;

	M_ASSERT(strp->stopped, "sk %u: parser still runs", strp->sk->id);
	k->ops->cancel_work(k, &strp->work);
	M_ASSERT(strp->anchor, "the parser has no anchor");
	if (!strp->copy_mode)
		strp->anchor->frag_list = NULL;
	kfree_skb(strp->anchor);
	strp->anchor = NULL;
}
