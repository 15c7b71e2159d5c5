// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The peer's TCP sender, with TCP_NODELAY: window, segment cutting, ACKs,
 * retransmission and window probes.
 *
 *   stream:  | acknowledged | in flight | queued, no window | not queued
 *            0          snd_una      snd_nxt              queued
 *
 * A write leaves at once as segments of its own. What the window holds back is
 * joined by later writes up to the segment size, as in a send queue whose last
 * skb is not yet sent. A segment goes out whole or waits; when nothing is in
 * flight, a timer sends what fits, or a probe that provokes an ACK.
 *
 * MODEL: no congestion window, no fast retransmit, SACK, RACK or tail loss
 * probe: a lost segment waits for the timeout, then the sender goes back to it
 * and on from there, because drops on loopback come from the receiver's memory
 * only. No RTT estimate: the timeout is 200 ms, doubled up to 120 s. Segments
 * keep their borders when sent again, and one skb is at most one MSS (no GSO).
 * The receiver's FIN is acknowledged by the next segment, or at once by a peer
 * that has closed, too; there is no timer that would do it without either.
 * The receiver acknowledges each segment at once (model/tcp_input.c), so a copy
 * the sender keeps is gone before the next write, unless the trace says held=on.
 * A real receiver stops that after up to 16 segments: then the window of a small
 * receive buffer moves later, and what arrives stays in more pieces.
 */
#include "sim/peer/sender_int.h"

/* Bounds of a window-limited segment size (TCP_MSS_DEFAULT; 68 - 20). */
enum {
	HALF_WINDOW_FROM = 536,
	CUT_MIN = 48
};

/* net/ipv4/tcp_output.c tcp_bound_to_half_wnd(). */
static void offer_window(struct sim_peer *p, u32 win)
{
	struct sim_sender *s = &p->sender;
	u32 half;

	if (win <= s->max_win)
		return;
	s->max_win = win;
	half = win > HALF_WINDOW_FROM ? win / 2 : win;
	s->cut = min_t(u32, p->tr->opts.mss, max_t(u32, half, CUT_MIN));
}

void sender_start(struct sim_peer *p)
{
	const struct tcp_sock *tp = tcp_sk(p->conn->sk);
	struct sim_sender *s = &p->sender;
	u32 win = tcp_receive_window(tp);

	s->rto_ns = RTO_MIN_NS;
	s->win_edge = (u32)(tp->rcv_nxt - p->conn->irs) + win;
	s->cut = min_t(u32, p->tr->opts.mss, CUT_MIN);
	offer_window(p, max_t(u32, win, 1));
}

/* Room left in the last segment if part of it was never sent. */
static u32 tail_room(const struct sim_sender *s)
{
	const struct sender_seg *tail;
	u64 len;

	if (!s->seg_n)
		return 0;
	tail = &s->segs[s->seg_n - 1];
	if (s->snd_max >= tail->to || tail->to != s->queued || tail->urg)
		return 0;
	len = tail->to - max_t(u64, tail->from, s->snd_max);
	return len < s->cut ? s->cut - (u32)len : 0;
}

/* Queues stream bytes up to @to as one write like @like. */
static void queue_write(struct sim_peer *p, u64 to,
			const struct sender_seg *like)
{
	struct sim_sender *s = &p->sender;
	struct sender_seg *seg = NULL;
	u32 n = tail_room(s);

	if (s->queued == to)
		return;
	if (n) {
		seg = &s->segs[s->seg_n - 1];
		s->queued = min_t(u64, s->queued + n, to);
		seg->to = s->queued;
	}
	while (s->queued < to) {
		seg = pool_push(p->conn->s->pool, s->segs, s->seg_n);
		*seg = *like;
		seg->from = s->queued;
		s->queued = min_t(u64, s->queued + s->cut, to);
		seg->to = s->queued;
		seg->urg = false;
		/* A write of more than half the window pushes on its way. */
		seg->psh = s->queued - s->pushed > s->max_win / 2;
		if (seg->psh)
			s->pushed = s->queued;
	}
	M_ASSERT(seg, "write without a segment");
	seg->psh = true;
	seg->urg = like->urg;
	s->pushed = to;
}

/* Raw bytes in front of @from count as sent, and are sent again if need be. */
static void skip_wired(struct sim_peer *p, u64 from)
{
	struct sim_sender *s = &p->sender;
	bool idle = !unsent(s);

	if (from <= s->queued)
		return;
	s->queued = from;
	if (!idle)
		return;
	s->snd_nxt = from;
	s->snd_max = max_t(u64, s->snd_max, from);
	if (in_flight(s) && s->timer_ns < 0)
		arm_timer(p);
}

static int queue_err(const struct sim_peer *p, u64 from, struct sim_err *err)
{
	*err = (struct sim_err){ 0 };
	snprintf(err->msg, sizeof(err->msg),
		 "send from stream byte %llu, expected adjacent records from "
		 "byte %llu on, and no fin before",
		 (unsigned long long)from,
		 (unsigned long long)p->sender.queued);
	return -1;
}

/* The bytes of the statement, and whether the sender can take them. */
static int queue_range(const struct sim_peer *p, const struct stmt_wire *w,
		       u64 *from, u64 *to, struct sim_err *err)
{
	const struct sim_sender *s = &p->sender;
	u32 next = 0;

	if (wire_run(p, w, &next, from, to, err))
		return -1;
	if (next != w->range_n || w->flip)
		return queue_err(p, *to, err);
	if (*from < s->queued || *from > max_t(u64, s->queued, s->wire_end) ||
	    s->fin_queued)
		return queue_err(p, *from, err);
	return 0;
}

int sender_queue(struct sim_peer *p, const struct trace *tr,
		 const struct stmt_wire *w, struct sim_err *err)
{
	const struct trace_opts *opts = &p->tr->opts;
	struct sim_sender *s = &p->sender;
	struct sender_seg like = {
		.layout = w->layout < 0 ? opts->layout :
					  (enum skb_layout)w->layout,
		.held = w->held < 0 ? opts->held : w->held,
	};
	u64 from, to, end;

	M_ASSERT(tr == p->tr, "statement of another trace");
	if (is_over(p))
		return 0;
	if (!s->max_win)
		sender_start(p);
	if (queue_range(p, w, &from, &to, err))
		return -1;
	skip_wired(p, from);
	for (; from < to; from = end) {
		end = w->cut ? min_t(u64, from + w->cut, to) : to;
		like.urg = w->urg && end == to;
		queue_write(p, end, &like);
		sender_push(p);
	}
	return 0;
}

void sender_queue_rest(struct sim_peer *p)
{
	struct sender_seg like = {
		.layout = p->tr->opts.layout,
		.held = p->tr->opts.held,
	};
	struct sim_sender *s = &p->sender;

	if (is_over(p) || s->fin_queued || s->fin_wired)
		return;
	if (!s->max_win)
		sender_start(p);
	skip_wired(p, s->wire_end);
	queue_write(p, p->size, &like);
}

void sender_fin(struct sim_peer *p)
{
	if (is_over(p))
		return;
	if (!p->sender.max_win)
		sender_start(p);
	skip_wired(p, p->sender.wire_end);
	p->sender.fin_queued = true;
	sender_push(p);
}

void sender_rst(struct sim_peer *p)
{
	if (!is_over(p))
		wire_rst(p);
}

/* The clone of the last received skb goes when its bytes are acknowledged;
 * those in front of it can never be merged into (facts R14). */
static void drop_clones(struct sim_peer *p)
{
	struct sk_buff *tail = skb_peek_tail(&p->conn->sk->sk_receive_queue);

	if (tail)
		tail->cloned = false;
}

static void ack_new(struct sim_peer *p, u64 ack_off)
{
	struct sim_sender *s = &p->sender;
	u64 data = min_t(u64, ack_off, s->wire_end);

	s->snd_una = ack_off;
	s->loss = false;
	s->retransmit = false;
	s->rto_ns = RTO_MIN_NS;
	/* Raw bytes are acknowledged without ever having been queued. */
	if (!s->fin_queued)
		s->queued = max_t(u64, s->queued, data);
	s->snd_nxt = max_t(u64, s->snd_nxt, min_t(u64, data, s->queued));
	s->snd_max = max_t(u64, s->snd_max, s->snd_nxt);
	s->fin_sent |= s->fin_queued && ack_off > s->queued;
	s->timer_ns = -1;
	if (in_flight(s))
		arm_timer(p);
}

void sender_ack(struct sim_peer *p, u32 flags, u64 ack_off, u32 win)
{
	struct sim_sender *s = &p->sender;

	if (flags & TCPHDR_RST) {
		p->rx_closed = 2;
		s->dead = true;
		s->timer_ns = -1;
		return;
	}
	if (s->dead) {
		s->rst_due = p->rx_closed != 2;
		s->rst_off = ack_off;
		return;
	}
	if (flags & TCPHDR_FIN) {
		p->rx_closed = 1;
		s->ack_due = s->fin_sent || s->fin_wired;
	}
	if (ack_off < s->snd_una)
		return;
	drop_clones(p);
	/* net/ipv4/tcp_input.c tcp_may_update_window(). */
	if (ack_off > s->snd_una || ack_off + win > s->win_edge || !win)
		s->win_edge = ack_off + win;
	offer_window(p, win);
	if (ack_off > s->snd_una)
		ack_new(p, ack_off);
}

bool sender_done(const struct sim_peer *p)
{
	const struct sim_sender *s = &p->sender;

	if (is_over(p))
		return true;
	if (s->queued < p->size && !s->fin_queued && !s->fin_wired)
		return false;
	return s->snd_una >= s->queued + s->fin_queued;
}
