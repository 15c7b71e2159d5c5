// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Segments behind a hole in the sequence space.
 *
 *   receive queue ....... rcv_nxt | hole | [a  b) [b  c) | hole | [d  e)
 *                                          out_of_order_queue, by seq
 *
 * Entries may overlap; a new one is never put inside its neighbour. Merging
 * may make an entry cover later ones, as in the kernel; those are dropped when
 * the hole in front of them closes.
 *
 * MODEL: a list instead of an rbtree. A search starts at the end, and at the
 * front for a segment in front of all, and looks at one neighbour. The
 * kernel's way down its tree may meet an earlier entry and use that one; this
 * needs partly overlapping entries and only moves bytes between skbs.
 * Left out: D-SACK and SACK blocks, skb_condense().
 *
 * Mirrors net/ipv4/tcp_input.c tcp_data_queue_ofo(), tcp_ofo_queue(),
 * tcp_ooo_try_coalesce().
 */
#include "model/tcp_rcv.h"

/* The last entry that does not start behind @seq; NULL: all do. */
static struct sk_buff *tcp_ofo_before(const struct tcp_sock *tp, u32 seq)
{
	struct sk_buff *skb = skb_peek_tail(&tp->out_of_order_queue);

	if (skb && before(seq, skb_peek(&tp->out_of_order_queue)->seq))
		return NULL;
	while (skb && before(seq, skb->seq))
		skb = skb->prev;
	return skb;
}

static void tcp_ofo_unlink_drop(struct sock *sk, struct sk_buff *skb,
				enum tcp_drop why)
{
	__skb_unlink(skb, &tcp_sk(sk)->out_of_order_queue);
	tcp_drop(sk, skb, why);
}

/* Entries behind @skb that it covers. */
static void tcp_ofo_drop_covered(struct sock *sk, struct sk_buff *skb)
{
	struct sk_buff *next;

	while ((next = skb->next)) {
		if (!after(skb->end_seq, next->seq) ||
		    before(skb->end_seq, next->end_seq))
			break;
		tcp_ofo_unlink_drop(sk, next, TCP_DROP_OFOMERGE);
	}
}

/* True: nothing of @skb is left to insert; merged or dropped, and freed. */
static bool tcp_ofo_absorb(struct sock *sk, struct sk_buff *prev,
			   struct sk_buff *skb, const struct tcp_seg *seg)
{
	bool fragstolen;

	if (!after(skb->end_seq, prev->end_seq)) {
		tcp_drop(sk, skb, TCP_DROP_OFOMERGE);
		return true;
	}
	if (!tcp_try_coalesce(sk, prev, skb, &fragstolen))
		return false;
	tcp_grow_window(sk, seg, true);
	kfree_skb_partial(skb, fragstolen);
	return true;
}

static void tcp_ofo_insert(struct sock *sk, struct sk_buff *skb,
			   const struct tcp_seg *seg)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct sk_buff *prev = tcp_ofo_before(tp, skb->seq);
	struct sk_buff *next;

	if (prev && tcp_ofo_absorb(sk, prev, skb, seg))
		return;
	next = prev ? prev->next : skb_peek(&tp->out_of_order_queue);
	__skb_queue_before(&tp->out_of_order_queue, next, skb);
	if (prev && prev->seq == skb->seq)
		tcp_ofo_unlink_drop(sk, prev, TCP_DROP_OFOMERGE);
	tcp_ofo_drop_covered(sk, skb);
	tcp_grow_window(sk, seg, false);
	skb_set_owner_r(skb, sk);
}

void tcp_data_queue_ofo(struct sock *sk, struct sk_buff *skb)
{
	struct tcp_seg seg = tcp_seg_of(skb);
	struct tcp_sock *tp = tcp_sk(sk);

	if (!tcp_try_rmem_schedule(sk, skb)) {
		tcp_call_data_ready(sk);
		tcp_drop(sk, skb, TCP_DROP_PROTO_MEM);
		return;
	}
	tcp_measure_rcv_mss(sk, &seg);
	inet_csk_schedule_ack(sk);
	m_event(sk->k, EV_SEG_OFO, tcp_rel(tp, skb->seq), skb->len, 0);
	tcp_ofo_insert(sk, skb, &seg);
	if (!sk->sk_dead && !m_has(sk->k, CHANGE_RCVBUF_GROWS_ON_READ))
		tcp_rcvbuf_grow(sk, tp->rcvq_space_space);
}

void tcp_ofo_queue(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct sk_buff *skb;
	bool fin;

	while ((skb = skb_peek(&tp->out_of_order_queue))) {
		if (after(skb->seq, tp->rcv_nxt))
			break;
		__skb_unlink(skb, &tp->out_of_order_queue);
		if (!after(skb->end_seq, tp->rcv_nxt)) {
			tcp_drop(sk, skb, TCP_DROP_OFO_DROP);
			continue;
		}
		fin = skb->fin;
		tcp_queue_rcv(sk, skb);
		/* Which purges the rest of this queue. */
		if (fin) {
			tcp_fin(sk);
			break;
		}
	}
}
