// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The receive window: how large it is, how it grows, when it is announced.
 *
 *        rcv_wup                 rcv_nxt          rcv_wup + rcv_wnd
 *           |-- received since -----|-- receive window -->|
 *
 * A window once advertised is never taken back: while the reader is slow its
 * right edge stays and rcv_nxt moves up to it. Memory is counted in truesize,
 * the window in payload; scaling_ratio, learned from arriving segments, is the
 * payload's share. rcv_ssthresh limits how far an empty buffer is offered and
 * grows with arriving data.
 *
 * MODEL: there is no round-trip time, for the model has no clock. One receive
 * window of arrived data stands for one round trip, which is the kernel's own
 * estimate without timestamps; the time it took counts as zero, so the buffer
 * grows by twice of what was read, without the extra for a faster sender.
 * Left out: MPTCP, reserved memory, sysctls away from their defaults.
 *
 * Mirrors net/ipv4/tcp_output.c __tcp_select_window(), tcp_select_window(),
 * tcp_select_initial_window(), tcp_send_ack(), tcp_send_fin(),
 * tcp_send_active_reset(), tcp_release_cb(); net/ipv4/tcp_input.c
 * tcp_measure_rcv_mss(), tcp_grow_window(), tcp_init_buffer_space(),
 * tcp_clamp_window(), tcp_rcvbuf_grow(), tcp_rcv_space_adjust();
 * net/ipv4/tcp.c __tcp_cleanup_rbuf(), tcp_set_window_clamp();
 * include/net/tcp.h tcp_receive_window(), tcp_adjust_rcv_ssthresh().
 */
#include "model/tcp_rcv.h"

/* Headers of a segment with a timestamp option: all, and TCP's alone. */
enum {
	M_TCP_HEADER_LEN = 32,
	M_TCPHDR_LEN = 20
};

static u32 round_down(u32 val, u32 unit)
{
	return val / unit * unit;
}

static u32 round_up(u32 val, u32 unit)
{
	return round_down(val + unit - 1, unit);
}

u32 tcp_receive_window(const struct tcp_sock *tp)
{
	s32 win = (s32)(tp->rcv_wup + tp->rcv_wnd - tp->rcv_nxt);

	return win < 0 ? 0 : (u32)win;
}

static void tcp_update_max_rcv_wnd_seq(struct tcp_sock *tp)
{
	u32 edge = tp->rcv_wup + tp->rcv_wnd;

	if (after(edge, tp->rcv_mwnd_seq))
		tp->rcv_mwnd_seq = edge;
}

/* @free rounded so that a sender with full segments can use all of it. */
static s32 tcp_round_window(const struct tcp_sock *tp, s32 free, s32 mss,
			    s32 full_space)
{
	s32 window = (s32)tp->rcv_wnd;

	if (tp->rcv_wscale)
		return (s32)round_up((u32)free, 1u << tp->rcv_wscale);
	if (window <= free - mss || window > free)
		return (s32)round_down((u32)free, (u32)mss);
	if (mss == full_space && free > window + (full_space >> 1))
		return free;
	return window;
}

u32 __tcp_select_window(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	s32 allowed = tcp_full_space(sk);
	s32 full_space = min_t(s32, tp->window_clamp, allowed);
	s32 mss = (s32)tp->rcv_mss;
	s32 free = tcp_space(sk);

	if (mss > full_space)
		mss = full_space;
	if (mss <= 0)
		return 0;
	if (free < full_space >> 1) {
		if (tcp_under_memory_pressure(sk))
			tcp_adjust_rcv_ssthresh(sk);
		if (free < 0)
			return 0;
		free = (s32)round_down((u32)free, 1u << tp->rcv_wscale);
		if (free < allowed >> 4 || free < mss)
			return 0;
	}
	free = min_t(s32, free, tp->rcv_ssthresh);
	return (u32)tcp_round_window(tp, free, mss, full_space);
}

/* The window of a segment that leaves now; remembers it. */
static u32 tcp_select_window(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 cur_win, new_win;

	if (tp->ack_pending & ICSK_ACK_NOMEM) {
		tp->rcv_wnd = 0;
		tp->rcv_wup = tp->rcv_nxt;
		return 0;
	}
	cur_win = tcp_receive_window(tp);
	new_win = __tcp_select_window(sk);
	if (new_win < cur_win)
		new_win = round_up(cur_win, 1u << tp->rcv_wscale);
	tp->rcv_wnd = new_win;
	tp->rcv_wup = tp->rcv_nxt;
	tcp_update_max_rcv_wnd_seq(tp);
	new_win = min_t(u32, new_win, 65535u << tp->rcv_wscale);
	return new_win >> tp->rcv_wscale << tp->rcv_wscale;
}

static void tcp_transmit(struct sock *sk, u32 flags)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 win = tcp_select_window(sk);

	tp->ack_pending = 0;
	m_event(sk->k, EV_ACK, tcp_rel(tp, tp->rcv_nxt), win, flags);
	sk->k->ops->xmit(sk, flags, tp->rcv_nxt, win);
}

void tcp_send_ack(struct sock *sk)
{
	if (sk->sk_state == TCP_CLOSE)
		return;
	tcp_transmit(sk, TCPHDR_ACK);
}

void tcp_send_fin(struct sock *sk)
{
	tcp_sk(sk)->snd_closed = true;
	tcp_transmit(sk, TCPHDR_FIN | TCPHDR_ACK);
}

void tcp_send_active_reset(struct sock *sk)
{
	tcp_transmit(sk, TCPHDR_RST | TCPHDR_ACK);
}

void tcp_release_cb(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!tp->ack_deferred)
		return;
	tp->ack_deferred = false;
	if (tp->ack_pending & ICSK_ACK_SCHED)
		tcp_send_ack(sk);
}

/* Whether @copied bytes read make the window at least twice as large. */
static bool tcp_window_update_due(struct sock *sk, int copied)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 now, then;

	if (copied <= 0 || (sk->sk_shutdown & RCV_SHUTDOWN))
		return false;
	now = tcp_receive_window(tp);
	if (2 * now > tp->window_clamp)
		return false;
	then = __tcp_select_window(sk);
	return then && then >= 2 * now;
}

void tcp_cleanup_rbuf(struct sock *sk, int copied)
{
	struct tcp_sock *tp = tcp_sk(sk);
	bool due = false;

	/* MODEL: pushed segments need no rule of their own, they were
	 * acknowledged on arrival. */
	if (tp->ack_pending & ICSK_ACK_SCHED)
		due = tp->rcv_nxt - tp->rcv_wup > tp->rcv_mss ||
		      (copied > 0 && !sk->sk_rmem_alloc);
	if (due || tcp_window_update_due(sk, copied))
		tcp_send_ack(sk);
}

static void __tcp_adjust_rcv_ssthresh(struct tcp_sock *tp, u32 limit)
{
	tp->rcv_ssthresh = min_t(u32, tp->rcv_ssthresh, limit);
}

void tcp_adjust_rcv_ssthresh(struct sock *sk)
{
	__tcp_adjust_rcv_ssthresh(tcp_sk(sk), 4 * tcp_sk(sk)->advmss);
}

static void tcp_set_window_clamp(struct tcp_sock *tp, u32 val)
{
	u32 old = tp->window_clamp;

	tp->window_clamp = max_t(u32, SOCK_MIN_RCVBUF / 2, val);
	if (tp->window_clamp < old)
		__tcp_adjust_rcv_ssthresh(tp, tp->window_clamp);
	else if (tp->window_clamp > old)
		tp->rcv_ssthresh =
			max_t(u32, tp->rcv_ssthresh,
			      min_t(u32, tp->rcv_wnd, tp->window_clamp));
}

/* A segment larger than any before shows how much memory payload costs. */
static void tcp_update_scaling_ratio(struct sock *sk, const struct tcp_seg *seg)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u64 val = ((u64)seg->len << TCP_RMEM_TO_WIN_SCALE) / seg->truesize;
	u32 old = tp->scaling_ratio;

	if (m_has(sk->k, CHANGE_WINDOW_FROM_HALF_SPACE))
		return;
	tp->scaling_ratio = val ? (u32)val : 1;
	if (old == tp->scaling_ratio)
		return;
	tcp_set_window_clamp(tp, (u32)tcp_full_space(sk));
	if (tp->window_clamp < tp->rcvq_space_space)
		tp->rcvq_space_space = tp->window_clamp;
}

void tcp_measure_rcv_mss(struct sock *sk, const struct tcp_seg *seg)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 len = seg->gso_size ? seg->gso_size : seg->len;
	u32 last = tp->last_seg_size;

	tp->last_seg_size = 0;
	if (len >= tp->rcv_mss) {
		if (len != tp->rcv_mss)
			tcp_update_scaling_ratio(sk, seg);
		tp->rcv_mss = min_t(u32, len, tp->advmss);
		return;
	}
	/* Smaller ones count only when two of a size come in a row, and when
	 * they are not just the end of a write. */
	if (len + M_TCP_HEADER_LEN < TCP_MSS_DEFAULT + M_TCPHDR_LEN &&
	    (seg->psh || len + M_TCP_HEADER_LEN < TCP_MIN_MSS + M_TCPHDR_LEN))
		return;
	tp->last_seg_size = len;
	if (len == last)
		tp->rcv_mss = len;
}

/* How much rcv_ssthresh may rise when overhead is high. */
static u32 __tcp_grow_window(const struct sock *sk, u32 len, u32 truesize)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	s32 window = tcp_win_from_space(sk, TCP_RMEM_MAX) >> 1;
	s32 cost = tcp_win_from_space(sk, (s32)truesize) >> 1;

	while ((s32)tp->rcv_ssthresh <= window) {
		if (cost <= (s32)len)
			return 2 * tp->rcv_mss;
		cost >>= 1;
		window >>= 1;
	}
	return 0;
}

void tcp_grow_window(struct sock *sk, const struct tcp_seg *seg, bool adjust)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 truesize = seg->truesize;
	s32 room;
	u32 incr;

	room = min_t(s32, tp->window_clamp, tcp_space(sk)) -
	       (s32)tp->rcv_ssthresh;
	if (room <= 0)
		return;
	if (tcp_under_memory_pressure(sk)) {
		tcp_adjust_rcv_ssthresh(sk);
		return;
	}
	/* The header buffer will not be there once segments are merged. */
	if (adjust && !seg->linear && truesize > M_SKB_OVERHEAD)
		truesize -= M_SKB_OVERHEAD;
	if (tcp_win_from_space(sk, (s32)truesize) <= (s32)seg->len)
		incr = 2 * tp->advmss;
	else
		incr = __tcp_grow_window(sk, seg->len, truesize);
	if (!incr)
		return;
	incr = max_t(u32, incr, 2 * seg->len);
	tp->rcv_ssthresh += min_t(u32, room, incr);
}

void tcp_clamp_window(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (sk->sk_rcvbuf < TCP_RMEM_MAX && !sk->sk_rcvbuf_locked &&
	    !tcp_under_memory_pressure(sk))
		sk->sk_rcvbuf = min_t(s32, sk->sk_rmem_alloc, TCP_RMEM_MAX);
	if (sk->sk_rmem_alloc > sk->sk_rcvbuf)
		tp->rcv_ssthresh = min_t(u32, tp->window_clamp, 2 * tp->advmss);
}

void tcp_rcv_rtt_measure(struct tcp_sock *tp)
{
	if (before(tp->rcv_nxt, tp->rcv_rtt_seq))
		return;
	tp->rcv_rtt_passed = true;
	tp->rcv_rtt_seq = tp->rcv_nxt + tp->rcv_wnd;
}

void tcp_rcvbuf_grow(struct sock *sk, u32 newval)
{
	struct tcp_sock *tp = tcp_sk(sk);
	const struct sk_buff *last = skb_peek_tail(&tp->out_of_order_queue);
	u32 rcvwin = 2 * newval;
	s32 rcvbuf;

	tp->rcvq_space_space = newval;
	if (sk->sk_rcvbuf_locked)
		return;
	if (last)
		rcvwin += last->end_seq - tp->rcv_nxt;
	rcvwin = min_t(u32, rcvwin, TCP_RMEM_MAX);
	rcvbuf = min_t(s32, tcp_space_from_win(sk, (s32)rcvwin), TCP_RMEM_MAX);
	if (rcvbuf <= sk->sk_rcvbuf)
		return;
	sk->sk_rcvbuf = rcvbuf;
	tp->window_clamp = (u32)tcp_win_from_space(sk, rcvbuf);
}

/* What the reader took in one period makes the buffer, with a cushion and an
 * extra for a sender that speeds up. MODEL: 6.1 rounds to whole segments. */
static void tcp_rcvbuf_grow_on_read(struct sock *sk, u32 copied)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u64 rcvwin = 2 * (u64)copied + 16 * (u64)tp->advmss;
	s32 rcvbuf;

	rcvwin += 2 * (rcvwin * (copied - tp->rcvq_space_space) /
		       max_t(u32, tp->rcvq_space_space, 1));
	tp->rcvq_space_space = copied;
	if (sk->sk_rcvbuf_locked)
		return;
	rcvwin = min_t(u64, rcvwin, TCP_RMEM_MAX);
	rcvbuf = min_t(s32, tcp_space_from_win(sk, (s32)rcvwin), TCP_RMEM_MAX);
	if (rcvbuf <= sk->sk_rcvbuf)
		return;
	sk->sk_rcvbuf = rcvbuf;
	tp->window_clamp = (u32)tcp_win_from_space(sk, rcvbuf);
}

void tcp_rcv_space_adjust(struct sock *sk)
{
	bool on_read = m_has(sk->k, CHANGE_RCVBUF_GROWS_ON_READ);
	struct tcp_sock *tp = tcp_sk(sk);
	s32 copied;

	if (!tp->rcv_rtt_passed)
		return;
	tp->rcv_rtt_passed = false;
	copied = (s32)(tp->copied_seq - tp->rcvq_space_seq);
	if (!on_read)
		copied -= (s32)(tp->rcv_nxt - tp->copied_seq);
	if (copied <= (s32)tp->rcvq_space_space)
		goto new_measure;
	if (on_read)
		tcp_rcvbuf_grow_on_read(sk, (u32)copied);
	else
		tcp_rcvbuf_grow(sk, (u32)copied);
new_measure:
	tp->rcvq_space_seq = tp->copied_seq;
}

/* The window of the SYN-ACK and its scale. */
static void tcp_select_initial_window(struct sock *sk, bool rcvbuf_locked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 space = (u32)tcp_full_space(sk);
	u32 max;

	tp->window_clamp = rcvbuf_locked ? space : 65535u << TCP_MAX_WSCALE;
	max = min_t(u32, max_t(u32, space, TCP_RMEM_MAX), tp->window_clamp);
	tp->rcv_wscale = 0;
	while (tp->rcv_wscale < TCP_MAX_WSCALE && max >> tp->rcv_wscale > 65535)
		tp->rcv_wscale++;
	if (space > tp->advmss)
		space = round_down(space, tp->advmss);
	tp->rcv_wnd = min_t(u32, space, 65535);
	tp->window_clamp =
		min_t(u32, tp->window_clamp, 65535u << tp->rcv_wscale);
}

void tcp_init_window(struct sock *sk, bool rcvbuf_locked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 maxwin = (u32)tcp_full_space(sk);
	u32 mss;

	tcp_select_initial_window(sk, rcvbuf_locked);
	tp->rcv_wup = tp->rcv_nxt;
	tp->rcv_mwnd_seq = tp->rcv_wup + tp->rcv_wnd;
	mss = min_t(u32, min_t(u32, tp->advmss, tp->rcv_wnd / 2),
		    TCP_MSS_DEFAULT);
	tp->rcv_mss = max_t(u32, mss, TCP_MIN_MSS);
	tp->window_clamp = min_t(u32, tp->window_clamp, maxwin);
	/* Room for one segment is kept back. */
	if (tp->window_clamp > 2 * tp->advmss &&
	    tp->window_clamp + tp->advmss > maxwin)
		tp->window_clamp =
			max_t(u32, 2 * tp->advmss, maxwin - tp->advmss);
	tp->rcv_ssthresh = min_t(u32, tp->rcv_wnd, tp->window_clamp);
	tp->rcvq_space_seq = tp->copied_seq;
	tp->rcvq_space_space = min_t(u32,
				     min_t(u32, tp->rcv_ssthresh, tp->rcv_wnd),
				     TCP_INIT_CWND * tp->advmss);
	tp->rcv_rtt_seq = tp->rcv_nxt + tp->rcv_wnd;
	tp->rcv_rtt_passed = false;
}
