// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Segments: makes skbs out of stream bytes and hands them to the socket.
 *
 * A loopback segment references the stream's pages; the other layouts copy,
 * as a driver would. Raw segments go out as the trace says, whatever the
 * window; the bytes' place in the stream is their sequence number.
 *
 * MODEL: no IP and TCP headers, checksums and options; the sender's urgent
 * pointer is only on the segment that has the urgent byte; a linear head has
 * no tail room, so that nothing is ever copied into it by coalescing.
 */
#include "sim/world/world.h"

/* Payload of the largest loopback segment; also fits MAX_SKB_FRAGS pages. */
#define WIRE_SEG_MAX 65483u

static struct sk_buff *empty_skb(struct sim_peer *p, u64 off)
{
	struct sk_buff *skb = alloc_skb(&p->conn->s->k, SITE_WIRE_SKB);

	M_ASSERT(skb, "no skb for a segment");
	skb->seq = p->conn->irs + (u32)off;
	skb->end_seq = skb->seq;
	return skb;
}

/* A page that holds @len bytes. */
static struct page *page_for(struct sim_peer *p, u32 len)
{
	struct page *page;
	u32 order = 0;

	while (PAGE_SIZE << order < len)
		order++;
	page = alloc_pages(&p->conn->s->k, SITE_WIRE_PAGE, order);
	M_ASSERT(page, "no page for a segment");
	return page;
}

static void add_stream_pages(struct sim_peer *p, struct sk_buff *skb, u64 from,
			     u64 to)
{
	struct page *page;
	u32 offset, n;

	for (; from < to; from += n) {
		page = p->pages[from / PEER_PAGE_SIZE];
		offset = (u32)(from % PEER_PAGE_SIZE);
		n = (u32)min_t(u64, PEER_PAGE_SIZE - offset, to - from);
		get_page(page);
		skb_add_rx_frag(skb, page, offset, n, n);
	}
}

/* A driver that receives into whole pages charges whole pages. */
static void add_copied_pages(struct sim_peer *p, struct sk_buff *skb, u64 from,
			     u64 to)
{
	struct page *page;
	u32 n;

	for (; from < to; from += n) {
		n = (u32)min_t(u64, PAGE_SIZE, to - from);
		page = page_for(p, n);
		peer_copy(p, from, page->data, n);
		skb_add_rx_frag(skb, page, 0, n, PAGE_SIZE);
	}
}

static void set_copied_head(struct sim_peer *p, struct sk_buff *skb, u64 from,
			    u32 len, enum m_head_kind kind)
{
	skb_set_head(skb, page_for(p, len), 0, len, kind);
	peer_copy(p, from, skb_put(skb, len), len);
	skb->truesize += len;
}

struct sk_buff *wire_skb(struct sim_peer *p, u64 from, u64 to,
			 enum skb_layout layout, bool held)
{
	struct sk_buff *skb = empty_skb(p, from);
	u32 len = (u32)(to - from);

	M_ASSERT(from <= to && to <= p->size && to - from <= WIRE_SEG_MAX,
		 "segment of stream bytes %llu to %llu",
		 (unsigned long long)from, (unsigned long long)to);
	skb->end_seq += len;
	skb->cloned = held;
	switch (layout) {
	case LAYOUT_FRAG:
	case LAYOUT_COUNT:
		add_stream_pages(p, skb, from, to);
		break;
	case LAYOUT_PAGES:
		add_copied_pages(p, skb, from, to);
		break;
	case LAYOUT_HEAD_FRAG:
		set_copied_head(p, skb, from, len, M_HEAD_FRAG);
		break;
	case LAYOUT_HEAD_SLAB:
		set_copied_head(p, skb, from, len, M_HEAD_SLAB);
		break;
	}
	return skb;
}

/* As wire_skb(), but byte @off of the segment is changed: in memory that
 * nobody else references. */
static struct sk_buff *spoilt_skb(struct sim_peer *p, u64 from, u64 to,
				  enum skb_layout layout, u32 off, u8 bits)
{
	u32 len = (u32)(to - from);
	struct sk_buff *skb;
	struct page *page;
	u8 byte;

	if (layout == LAYOUT_FRAG) {
		skb = empty_skb(p, from);
		page = page_for(p, len);
		peer_copy(p, from, page->data, len);
		skb_add_rx_frag(skb, page, 0, len, len);
		skb->end_seq += len;
	} else {
		skb = wire_skb(p, from, to, layout, false);
	}
	if (skb_copy_bits(skb, off, &byte, 1))
		m_bug(__FILE__, __LINE__, "segment without byte %u", off);
	byte ^= bits;
	if (skb_store_bits(skb, off, &byte, 1))
		m_bug(__FILE__, __LINE__, "segment without byte %u", off);
	return skb;
}

void wire_xmit(struct sim_peer *p, struct sk_buff *skb, u32 flags)
{
	struct sim_conn *conn = p->conn;
	u64 end;

	/* MODEL: nobody is left to look at what a closed socket receives. */
	if (!conn->sk || conn->sk->sk_dead) {
		kfree_skb(skb);
		return;
	}
	if (!p->sender.max_win)
		sender_start(p);
	/* A stream is shorter than 4 GiB, so offsets need no unwrapping. */
	end = (u32)(skb->seq - conn->irs) + skb->len;
	if (skb->len && end > p->sender.wire_end)
		p->sender.wire_end = end;
	end += skb->fin;
	if (skb->end_seq != skb->seq && end > p->sender.seq_next)
		p->sender.seq_next = end;
	if (p->rx_closed)
		flags |= TCPHDR_ACK;
	tcp_v4_rcv(conn->sk, skb, flags);
}

void wire_control(struct sim_peer *p, u64 off, u32 flags)
{
	struct sk_buff *skb = empty_skb(p, off);

	skb->fin = flags & TCPHDR_FIN;
	skb->end_seq += skb->fin;
	wire_xmit(p, skb, flags & ~(u32)TCPHDR_FIN);
}

int wire_run(const struct sim_peer *p, const struct stmt_wire *w, u32 *next,
	     u64 *from, u64 *to, struct sim_err *err)
{
	u64 start, end;

	if (peer_range(p, &w->range[*next], from, to, err))
		return -1;
	while (++*next < w->range_n) {
		if (peer_range(p, &w->range[*next], &start, &end, err))
			return -1;
		if (start != *to)
			break;
		*to = end;
	}
	return 0;
}

/* Delivers [from, to) in segments; @done bytes of the statement went before. */
static void deliver_run(struct sim_peer *p, const struct stmt_wire *w, u64 from,
			u64 to, u32 done, bool last)
{
	const struct trace_opts *opts = &p->tr->opts;
	enum skb_layout layout = w->layout < 0 ? opts->layout :
						 (enum skb_layout)w->layout;
	bool held = w->held < 0 ? opts->held : w->held;
	u32 max = WIRE_SEG_MAX;
	struct sk_buff *skb;
	u32 flags, n;

	if (w->cut && w->cut < max)
		max = w->cut;
	for (; from < to; from += n, done += n) {
		n = (u32)min_t(u64, max, to - from);
		flags = from + n == to ? TCPHDR_PSH : 0;
		if (w->flip != 0 && w->flip_off - done < n)
			skb = spoilt_skb(p, from, from + n, layout,
					 w->flip_off - done, w->flip);
		else
			skb = wire_skb(p, from, from + n, layout, held);
		skb->cloned = held;
		if (w->urg && last) {
			skb->urg = true;
			skb->urg_seq = p->conn->irs + (u32)to - 1;
			flags |= TCPHDR_URG;
		}
		wire_xmit(p, skb, flags);
	}
}

int wire_deliver(struct sim_peer *p, const struct trace *tr,
		 const struct stmt_wire *w, struct sim_err *err)
{
	u32 i = 0, done = 0;
	u64 from, to;

	M_ASSERT(tr == p->tr, "statement of another trace");
	while (i < w->range_n) {
		if (wire_run(p, w, &i, &from, &to, err))
			return -1;
	}
	for (i = 0; i < w->range_n; done += (u32)(to - from)) {
		if (wire_run(p, w, &i, &from, &to, err))
			return -1;
		deliver_run(p, w, from, to, done, i == w->range_n);
	}
	return 0;
}

void wire_fin_at(struct sim_peer *p, u64 off)
{
	p->sender.fin_wired = true;
	wire_control(p, off, TCPHDR_FIN);
}

void wire_fin(struct sim_peer *p)
{
	wire_fin_at(p, p->sender.wire_end);
}

void wire_rst_at(struct sim_peer *p, u64 off)
{
	wire_control(p, off, TCPHDR_RST);
}

void wire_rst(struct sim_peer *p)
{
	const struct sim_sender *s = &p->sender;
	u64 off = s->wire_end + (s->fin_wired || s->fin_sent);

	p->sender.dead = true;
	p->sender.timer_ns = -1;
	wire_rst_at(p, off);
}
