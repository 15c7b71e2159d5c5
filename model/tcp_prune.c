// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Receive memory is short: make the buffer larger, make queued data smaller,
 * throw out-of-order data away; in this order.
 *
 *   before:  [====......832] [==.......832] [=.......832]    len, truesize
 *   after:   [====================.]                         one linear page
 *
 * Collapsing copies the bytes of small or overlapping skbs into fresh linear
 * ones of at most a page. Whoever remembers an skb across this must look it up
 * again by sequence number; TLS points its anchor at the queue anew.
 *
 * Left out: unreadable frags, SYN in the queue. MODEL: after collapsing, the
 * out-of-order tree is built anew, where the kernel puts in only what is new;
 * this can change which of several overlapping entries a later segment meets
 * first. MODEL: charging itself never
 * fails; memory pressure is a switch of the world (k->memory_pressure).
 *
 * Mirrors net/ipv4/tcp_input.c tcp_try_rmem_schedule(), tcp_can_ingest(),
 * tcp_prune_queue(), tcp_prune_ofo_queue(), tcp_collapse(),
 * tcp_collapse_one(), tcp_collapse_ofo_queue().
 */
#include "model/tcp_rcv.h"

/* Bytes a linear skb of one page can hold (SKB_MAX_ORDER(0, 0)), and what the
 * kernel's allocator puts behind any linear head. */
enum {
	M_COLLAPSE_MAX = 3776,
	M_SHINFO = 320,
	M_SMALL_HEAD = 576
};

static bool tcp_can_ingest(const struct sock *sk)
{
	return sk->sk_rmem_alloc <= sk->sk_rcvbuf;
}

/* Size class of the head that alloc_skb(@len) takes. */
static u32 tcp_collapse_head(u32 len)
{
	u32 size = M_SMALL_HEAD;

	if (len + M_SHINFO > size)
		size = 1024;
	while (size < len + M_SHINFO)
		size *= 2;
	return size;
}

/* Linear skb for @len bytes; NULL when the fault plan says so. */
static struct sk_buff *tcp_collapse_alloc(struct sock *sk, u32 len)
{
	struct sk_buff *skb = alloc_skb(sk->k, SITE_COLLAPSE);
	u32 size = tcp_collapse_head(len);
	struct page *page;

	if (!skb)
		return NULL;
	page = alloc_pages(sk->k, SITE_COLLAPSE, 0);
	if (!page) {
		kfree_skb(skb);
		return NULL;
	}
	/* What rounding up left over is tail room: small segments that follow
	 * are copied there and cost nothing. */
	skb_set_head(skb, page, 0, size - M_SHINFO, M_HEAD_SLAB);
	skb->truesize = size + M_SKB_SHELL;
	return skb;
}

static struct sk_buff *tcp_collapse_one(struct sk_buff *skb,
					struct sk_buff_head *list)
{
	struct sk_buff *next = skb->next;

	__skb_unlink(skb, list);
	kfree_skb(skb);
	return next;
}

/* Whether collapsing can begin at @skb: bloated, or with bytes from before
 * @start, or overlapping the next one. */
static bool tcp_collapse_starts(const struct sock *sk,
				const struct sk_buff *skb,
				const struct sk_buff *tail, u32 start)
{
	const struct sk_buff *next = skb->next;

	if (!skb->fin &&
	    (tcp_win_from_space(sk, (s32)skb->truesize) > (s32)skb->len ||
	     before(skb->seq, start)))
		return true;
	return next && next != tail && skb->decrypted == next->decrypted &&
	       skb->end_seq != next->seq;
}

/* The first skb worth it, @start moved up to it; NULL: none. */
static struct sk_buff *tcp_collapse_find(struct sock *sk,
					 struct sk_buff_head *list,
					 struct sk_buff *skb,
					 const struct sk_buff *tail, u32 *start)
{
	while (skb && skb != tail) {
		if (!before(*start, skb->end_seq)) {
			skb = tcp_collapse_one(skb, list);
			continue;
		}
		if (tcp_collapse_starts(sk, skb, tail, *start))
			return skb->fin ? NULL : skb;
		*start = skb->end_seq;
		skb = skb->next;
	}
	return NULL;
}

/* Fills @nskb from @skb on; used-up ones are freed. The skb to go on with, NULL
 * when collapsing ends here. */
static struct sk_buff *tcp_collapse_fill(struct sk_buff_head *list,
					 struct sk_buff *nskb,
					 struct sk_buff *skb,
					 const struct sk_buff *tail, u32 copy)
{
	u32 size;
	int ret;

	while (copy) {
		u32 start = nskb->end_seq;

		if (before(start, skb->end_seq)) {
			size = min_t(u32, copy, skb->end_seq - start);
			ret = skb_copy_bits(skb, start - skb->seq,
					    skb_put(nskb, size), size);
			M_ASSERT(!ret, "collapse of skb %u", skb->id);
			nskb->end_seq += size;
			copy -= size;
		}
		if (before(nskb->end_seq, skb->end_seq))
			continue;
		skb = tcp_collapse_one(skb, list);
		if (!skb || skb == tail || skb->fin ||
		    skb->decrypted != nskb->decrypted)
			return NULL;
	}
	return skb;
}

/* Collapses [@start, @end) of @list from @head up to @tail. */
static void tcp_collapse(struct sock *sk, struct sk_buff_head *list,
			 struct sk_buff *head, const struct sk_buff *tail,
			 u32 start, u32 end)
{
	struct sk_buff *skb = tcp_collapse_find(sk, list, head, tail, &start);
	struct sk_buff *nskb;
	u32 copy;

	if (skb)
		m_event(sk->k, EV_COLLAPSE, sk->id, 0, 0);
	while (skb && before(start, end)) {
		copy = min_t(u32, M_COLLAPSE_MAX, end - start);
		nskb = tcp_collapse_alloc(sk, copy);
		if (!nskb)
			return;
		nskb->cb = skb->cb;
		nskb->decrypted = skb->decrypted;
		nskb->seq = start;
		nskb->end_seq = start;
		__skb_queue_before(list, skb, nskb);
		skb_set_owner_r(nskb, sk);
		skb = tcp_collapse_fill(list, nskb, skb, tail, copy);
		start = nskb->end_seq;
	}
}

/* The end of the run of abutting or overlapping entries that begins at @head:
 * the entry behind it, NULL at the end of the queue. */
static struct sk_buff *tcp_ofo_run(struct sk_buff *head, u32 *end,
				   u32 *truesize)
{
	struct sk_buff *skb = head;

	*end = head->end_seq;
	*truesize = head->truesize;
	while ((skb = skb->next) && !after(skb->seq, *end)) {
		*truesize += skb->truesize;
		if (after(skb->end_seq, *end))
			*end = skb->end_seq;
	}
	return skb;
}

static void tcp_collapse_ofo_queue(struct sock *sk)
{
	struct sk_buff_head *list = &tcp_sk(sk)->out_of_order_queue;
	struct sk_buff *head = skb_peek(list);
	u32 end, truesize, sum_tiny = 0;
	struct sk_buff *next;

	for (; head; head = next) {
		next = tcp_ofo_run(head, &end, &truesize);
		if (truesize != head->truesize ||
		    end - head->seq >= M_COLLAPSE_MAX) {
			tcp_collapse(sk, list, head, next, head->seq, end);
			continue;
		}
		sum_tiny += truesize;
		if (sum_tiny > (u32)sk->sk_rcvbuf >> 3)
			return;
	}
}

/* Drops entries from the highest sequence number downward, in steps of an
 * eighth of the buffer; never one in front of @in_skb. */
static void tcp_prune_ofo_queue(struct sock *sk, const struct sk_buff *in_skb)
{
	struct sk_buff_head *list = &tcp_sk(sk)->out_of_order_queue;
	s32 goal = sk->sk_rcvbuf >> 3;
	struct sk_buff *skb;

	while ((skb = skb_peek_tail(list)) && !after(in_skb->seq, skb->seq)) {
		goal -= (s32)skb->truesize;
		tcp_ofo_unlink(tcp_sk(sk), skb);
		tcp_drop(sk, skb, TCP_DROP_OFO_QUEUE_PRUNE);
		if (goal > 0 && !skb_queue_empty(list))
			continue;
		if (tcp_can_ingest(sk) && !tcp_under_memory_pressure(sk))
			break;
		goal = sk->sk_rcvbuf >> 3;
	}
}

/* False: nothing helped (facts R21). */
static bool tcp_prune_queue(struct sock *sk, const struct sk_buff *in_skb)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!sk->sk_rmem_alloc)
		return false;
	tcp_clamp_window(sk);
	if (tcp_can_ingest(sk))
		return true;
	tcp_collapse_ofo_queue(sk);
	tcp_ofo_replant(tp);
	tcp_collapse(sk, &sk->sk_receive_queue, skb_peek(&sk->sk_receive_queue),
		     NULL, tp->copied_seq, tp->rcv_nxt);
	if (tcp_can_ingest(sk))
		return true;
	tcp_prune_ofo_queue(sk, in_skb);
	return tcp_can_ingest(sk);
}

bool tcp_try_rmem_schedule(struct sock *sk, const struct sk_buff *skb)
{
	return tcp_can_ingest(sk) || tcp_prune_queue(sk, skb);
}
