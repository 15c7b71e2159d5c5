// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Segments behind a hole in the sequence space.
 *
 *   receive queue ....... rcv_nxt | hole | [a  b) [b  c) | hole | [d  e)
 *                                          out_of_order_queue, by seq
 *
 * Entries may overlap. A new segment goes down a tree from its root and acts on
 * what it meets: dropped inside an entry, merged behind one, put in place of one
 * it covers. So which of several overlapping entries it meets first depends on
 * the tree's shape. Merging may make an entry cover later ones; those are
 * dropped when the hole in front of them closes.
 *
 * Left out: D-SACK and SACK blocks, skb_condense().
 *
 * Mirrors net/ipv4/tcp_input.c tcp_data_queue_ofo(), tcp_ofo_queue(),
 * tcp_ooo_try_coalesce(); tcp_rbtree_insert() in part.
 */
#include "model/tcp_rcv.h"

/**
 * struct ofo_place - where a new segment goes
 * @parent: entry it hangs under, NULL in an empty queue
 * @left: in front of @parent, else behind
 * @covered: entry of the same start that it takes the place of, or NULL
 */
struct ofo_place {
	struct sk_buff *parent;
	bool left;
	struct sk_buff *covered;
};

static struct sk_buff *rb_to_skb(struct rb_node *node)
{
	return container_of(node, struct sk_buff, rbnode);
}

static void tcp_ofo_link(struct tcp_sock *tp, const struct ofo_place *at,
			 struct sk_buff *skb)
{
	struct sk_buff_head *queue = &tp->out_of_order_queue;
	struct rb_node **link = &tp->ooo_tree.rb_node, *parent = NULL;
	struct sk_buff *next = NULL;

	if (at->parent) {
		parent = &at->parent->rbnode;
		link = at->left ? &parent->rb_left : &parent->rb_right;
		next = at->left ? at->parent : at->parent->next;
	}
	M_ASSERT(!*link, "out-of-order queue: two entries in one place");
	rb_link_node(&skb->rbnode, parent, link);
	rb_insert_color(&skb->rbnode, &tp->ooo_tree);
	__skb_queue_before(queue, next, skb);
}

void tcp_ofo_unlink(struct tcp_sock *tp, struct sk_buff *skb)
{
	rb_erase(&skb->rbnode, &tp->ooo_tree);
	__skb_unlink(skb, &tp->out_of_order_queue);
}

void tcp_ofo_replant(struct tcp_sock *tp)
{
	struct sk_buff *skb = skb_peek(&tp->out_of_order_queue);
	struct rb_node *last = NULL;

	tp->ooo_tree.rb_node = NULL;
	for (; skb; skb = skb->next) {
		rb_link_node(&skb->rbnode, last,
			     last ? &last->rb_right : &tp->ooo_tree.rb_node);
		rb_insert_color(&skb->rbnode, &tp->ooo_tree);
		last = &skb->rbnode;
	}
}

void __tcp_ofo_purge(struct tcp_sock *tp)
{
	__skb_queue_purge(&tp->out_of_order_queue);
	tp->ooo_tree.rb_node = NULL;
}

static void tcp_ofo_unlink_drop(struct sock *sk, struct sk_buff *skb,
				enum tcp_drop why)
{
	tcp_ofo_unlink(tcp_sk(sk), skb);
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

/* True: @skb is part of @to now, and freed. */
static bool tcp_ooo_try_coalesce(struct sock *sk, struct sk_buff *to,
				 struct sk_buff *skb, const struct tcp_seg *seg)
{
	bool fragstolen;

	if (skb->seq != to->end_seq ||
	    !tcp_try_coalesce(sk, to, skb, &fragstolen))
		return false;
	tcp_grow_window(sk, seg, true);
	kfree_skb_partial(skb, fragstolen);
	return true;
}

/* Where @skb goes. True: nowhere, nothing of it is left, and it is freed. */
static bool tcp_ofo_find(struct sock *sk, struct sk_buff *skb,
			 const struct tcp_seg *seg, struct ofo_place *at)
{
	struct rb_node *node = tcp_sk(sk)->ooo_tree.rb_node;
	struct sk_buff *skb1;

	while (node) {
		skb1 = rb_to_skb(node);
		at->parent = skb1;
		at->left = before(skb->seq, skb1->seq);
		if (at->left) {
			node = node->rb_left;
			continue;
		}
		if (before(skb->seq, skb1->end_seq)) {
			if (!after(skb->end_seq, skb1->end_seq)) {
				tcp_drop(sk, skb, TCP_DROP_OFOMERGE);
				return true;
			}
			if (skb->seq == skb1->seq) {
				at->covered = skb1;
				return false;
			}
		} else if (tcp_ooo_try_coalesce(sk, skb1, skb, seg)) {
			return true;
		}
		node = node->rb_right;
	}
	return false;
}

static void tcp_ofo_replace(struct sock *sk, struct sk_buff *skb1,
			    struct sk_buff *skb)
{
	struct tcp_sock *tp = tcp_sk(sk);

	rb_replace_node(&skb1->rbnode, &skb->rbnode, &tp->ooo_tree);
	__skb_queue_before(&tp->out_of_order_queue, skb1, skb);
	__skb_unlink(skb1, &tp->out_of_order_queue);
	tcp_drop(sk, skb1, TCP_DROP_OFOMERGE);
}

static void tcp_ofo_insert(struct sock *sk, struct sk_buff *skb,
			   const struct tcp_seg *seg)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct sk_buff *last = skb_peek_tail(&tp->out_of_order_queue);
	struct ofo_place at = { .parent = last };

	if (last && tcp_ooo_try_coalesce(sk, last, skb, seg))
		return;
	if (last && before(skb->seq, last->end_seq) &&
	    tcp_ofo_find(sk, skb, seg, &at))
		return;
	if (at.covered)
		tcp_ofo_replace(sk, at.covered, skb);
	else
		tcp_ofo_link(tp, &at, skb);
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
		tcp_ofo_unlink(tp, skb);
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
