// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/tcp_input.c, in its order. R numbers are those of the facts.
 */
#include "tests/unit/tcp_mock.h"

START_TEST(tcp_drop_name__all_named)
{
	u32 i;

	for (i = 0; i < TCP_DROP_COUNT; i++)
		ck_assert_ptr_nonnull(tcp_drop_name[i]);
}
END_TEST

/* R22: strictly above seven eighths. */
START_TEST(tcp_rmem_pressure__seven_eighths)
{
	sk->sk_rcvbuf = 40007;
	sk->sk_rmem_alloc = 40007 - 5000;
	ck_assert(!tcp_rmem_pressure(sk));
	sk->sk_rmem_alloc++;
	ck_assert(tcp_rmem_pressure(sk));
	sk->sk_rmem_alloc = 0;
	m->k.memory_pressure = true;
	ck_assert(tcp_rmem_pressure(sk));
}
END_TEST

/* R23. */
START_TEST(tcp_epollin_ready__target)
{
	ck_assert(!tcp_epollin_ready(sk, 0));
	rx(0, 10);
	ck_assert(tcp_epollin_ready(sk, 10));
	ck_assert(!tcp_epollin_ready(sk, 11));
	m->k.memory_pressure = true;
	ck_assert(tcp_epollin_ready(sk, INT32_MAX));
}
END_TEST

/* A window of one MSS or less means that no whole record may come. */
START_TEST(tcp_epollin_ready__small_window)
{
	rx(0, 10);
	tp->rcv_wup = tp->rcv_nxt;
	tp->rcv_wnd = tp->rcv_mss + 1;
	ck_assert(!tcp_epollin_ready(sk, INT32_MAX));
	tp->rcv_wnd--;
	ck_assert(tcp_epollin_ready(sk, INT32_MAX));
}
END_TEST

/* R24: measured from copied_seq. */
START_TEST(tcp_data_ready__low_water_mark)
{
	sk->sk_rcvlowat = 10;
	rx(0, 9);
	ck_assert_uint_eq(mock_event_count(m, EV_DATA_READY), 0);
	rx(9, 1);
	ck_assert_uint_eq(mock_event_count(m, EV_DATA_READY), 1);
	ck_assert_int_eq(recv_nowait(3), 3);
	rx(10, 2);
	ck_assert_uint_eq(mock_event_count(m, EV_DATA_READY), 1);
}
END_TEST

/* R29: after FIN the mark does not count. */
START_TEST(tcp_data_ready__done)
{
	sk->sk_rcvlowat = 10;
	rx_fin(0, 1);
	ck_assert_uint_eq(mock_event_count(m, EV_DATA_READY), 1);
}
END_TEST

/* R23 measured: rcvbuf 40000, lowat 20000, 100-byte sends that the sender
 * still holds or merges: readable by pressure before the mark. */
START_TEST(tcp_data_ready__pressure_before_low_water_mark)
{
	u32 off = 0;

	sk->sk_rcvbuf = 40000;
	sk->sk_rcvbuf_locked = true;
	sk->sk_rcvlowat = 20000;
	while (!mock_event_count(m, EV_DATA_READY)) {
		rx_held(off, 100);
		off += 100;
	}
	ck_assert_uint_lt(off, 20000);
	ck_assert(tcp_rmem_pressure(sk));
}
END_TEST

/* R43: the order of effects, and what stays. */
START_TEST(tcp_reset__established)
{
	rx(0, 5);
	mock_events_clear(m);
	rx_rst(5);
	ck_assert_int_eq(sk->sk_err, ECONNRESET);
	ck_assert_int_eq(sk->sk_state, TCP_CLOSE);
	ck_assert_int_eq(sk->sk_shutdown, SHUTDOWN_MASK);
	ck_assert(!sk->sk_done);
	ck_assert_int_eq(tcp_inq(sk), 5);
	ck_assert_int_eq(mock_event(m, EV_RST_RCVD, 0)->b, -ECONNRESET);
	ck_assert_uint_eq(m->xmit_count, 1);
}
END_TEST

START_TEST(tcp_reset__close_wait_is_epipe)
{
	rx_fin(0, 0);
	rx_rst(1);
	ck_assert_int_eq(sk->sk_err, EPIPE);
}
END_TEST

START_TEST(tcp_reset__syn_sent_is_refused)
{
	sk->sk_state = TCP_SYN_SENT;
	tcp_reset(sk);
	ck_assert_int_eq(sk->sk_err, ECONNREFUSED);
}
END_TEST

START_TEST(tcp_reset__close_does_nothing)
{
	sk->sk_state = TCP_CLOSE;
	tcp_reset(sk);
	ck_assert_int_eq(sk->sk_err, 0);
	ck_assert_int_eq(sk->sk_shutdown, 0);
}
END_TEST

/* An orphan has nobody to tell. */
START_TEST(tcp_reset__dead_tells_nobody)
{
	struct wait_queue_entry wait;

	init_wait_entry(&wait, &m->tasks[1]);
	add_wait_queue(&sk->sk_wq, &wait);
	sk->sk_dead = true;
	rx_rst(0);
	ck_assert_int_eq(sk->sk_err, ECONNRESET);
	ck_assert_uint_eq(mock_event_count(m, EV_WAKE_SK), 0);
	remove_wait_queue(&wait);
}
END_TEST

/* R29. */
START_TEST(tcp_fin__states)
{
	static const enum tcp_state from_to[][2] = {
		{ TCP_ESTABLISHED, TCP_CLOSE_WAIT },
		{ TCP_SYN_RECV, TCP_CLOSE_WAIT },
		{ TCP_FIN_WAIT1, TCP_CLOSING },
		{ TCP_FIN_WAIT2, TCP_CLOSE },
		{ TCP_CLOSE_WAIT, TCP_CLOSE_WAIT },
		{ TCP_CLOSING, TCP_CLOSING },
		{ TCP_LAST_ACK, TCP_LAST_ACK },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(from_to); i++) {
		sk->sk_state = from_to[i][0];
		sk->sk_done = false;
		tcp_fin(sk);
		ck_assert_int_eq(sk->sk_state, from_to[i][1]);
		ck_assert(sk->sk_done);
		ck_assert(sk->sk_shutdown & RCV_SHUTDOWN);
	}
}
END_TEST

START_TEST(tcp_fin__purges_out_of_order_queue)
{
	rx(100, 10);
	rx_fin(0, 0);
	ck_assert(skb_queue_empty(&tp->out_of_order_queue));
	ck_assert_int_eq(last_drop(), TCP_DROP_OFO_PURGE);
}
END_TEST

START_TEST(tcp_fin__dead_wakes_nobody)
{
	sk->sk_dead = true;
	rx_fin(0, 0);
	ck_assert_uint_eq(mock_event_count(m, EV_DATA_READY), 0);
}
END_TEST

/* R13, R15: the first small send costs 832 more than its bytes, the next 16
 * only their bytes, the 18th stands alone again. */
START_TEST(tcp_try_coalesce__charge)
{
	s32 before;
	u32 i;

	for (i = 0; i < 19; i++) {
		before = sk->sk_rmem_alloc;
		rx(i, 1);
		ck_assert_int_eq(sk->sk_rmem_alloc - before,
				 i == 0 || i == 17 ? 833 : 1);
	}
	ck_assert_uint_eq(sk->sk_receive_queue.qlen, 2);
	ck_assert_int_eq(recv_nowait(100), 19);
	ck_assert(mock_bytes_ok(buf, IRS, 19));
	ck_assert_int_eq(sk->sk_rmem_alloc, 0);
}
END_TEST

/* R14: nothing merges into what the sender still holds. */
START_TEST(tcp_try_coalesce__held_tail)
{
	rx_held(0, 100);
	ck_assert_int_eq(sk->sk_rmem_alloc, 932);
	rx(100, 100);
	ck_assert_int_eq(sk->sk_rmem_alloc, 2 * 932);
	ck_assert_uint_eq(sk->sk_receive_queue.qlen, 2);
}
END_TEST

START_TEST(tcp_try_coalesce__not_over_a_device_border)
{
	struct sk_buff *skb = mock_skb(m, IRS + 1, 1);

	rx(0, 1);
	skb->decrypted = true;
	rx_skb(skb, 0);
	ck_assert_uint_eq(sk->sk_receive_queue.qlen, 2);
}
END_TEST

/* R16: memory is given back with the whole buffer only. */
START_TEST(tcp_try_coalesce__partial_read_frees_nothing)
{
	rx(0, 8000);
	ck_assert_int_eq(recv_nowait(7999), 7999);
	ck_assert_int_eq(sk->sk_rmem_alloc, 8832);
	ck_assert_int_eq(recv_nowait(1), 1);
	ck_assert_int_eq(sk->sk_rmem_alloc, 0);
}
END_TEST

/* R30: FIN moves to the data tail, or stands alone. */
START_TEST(tcp_queue_rcv__fin_merges_into_tail)
{
	rx(0, 5);
	rx_fin(5, 0);
	ck_assert_uint_eq(sk->sk_receive_queue.qlen, 1);
	ck_assert(skb_peek(&sk->sk_receive_queue)->fin);
	ck_assert_uint_eq(rel_nxt(), 6);
}
END_TEST

START_TEST(tcp_queue_rcv__fin_alone)
{
	rx_held(0, 5);
	rx_fin(5, 0);
	ck_assert_uint_eq(sk->sk_receive_queue.qlen, 2);
	ck_assert_int_eq(recv_nowait(10), 5);
	ck_assert_int_eq(recv_nowait(10), 0);
	ck_assert(skb_queue_empty(&sk->sk_receive_queue));
	ck_assert_uint_eq(tp->copied_seq, tp->rcv_nxt);
}
END_TEST

START_TEST(tcp_queue_rcv__event)
{
	const struct mock_event *e;

	rx(0, 5);
	rx(5, 2);
	e = mock_event(m, EV_QUEUED, 1);
	ck_assert_int_eq(e->a, 5);
	ck_assert_int_eq(e->b, 7);
	ck_assert_int_eq(e->c, 1);
}
END_TEST

/* R4a. */
START_TEST(tcp_data_queue__empty_segment)
{
	rx(0, 0);
	ck_assert_uint_eq(m->xmit_count, 0);
	ck_assert(skb_queue_empty(&sk->sk_receive_queue));
}
END_TEST

/* Takes the window to 0, as a sender that fills it does. */
static u32 fill_window(void)
{
	u32 off = 0;
	u32 len;

	while ((len = tcp_receive_window(tp))) {
		len = min_t(u32, len, 512);
		rx(off, len);
		off += len;
	}
	return off;
}

/* R4b. */
START_TEST(tcp_data_queue__closed_window)
{
	u32 off = fill_window();
	u32 acks = m->xmit_count;

	rx(off, 1);
	ck_assert_uint_eq(rel_nxt(), off);
	ck_assert_uint_eq(m->xmit_count, acks + 1);
	ck_assert_uint_eq(last_win(), 0);
	rx_fin(off, 1);
	ck_assert(!sk->sk_done);
	rx_fin(off, 0);
	ck_assert(sk->sk_done);
	ck_assert_uint_eq(rel_nxt(), off + 1);
}
END_TEST

/* The reader opens the window again. */
START_TEST(tcp_data_queue__closed_window_reopens)
{
	u32 off = fill_window();
	u32 acks = m->xmit_count;

	ck_assert_int_eq(recv_nowait(sizeof(buf)), off);
	ck_assert_uint_eq(m->xmit_count, acks + 1);
	ck_assert_uint_gt(last_win(), 2048);
	rx(off, 1000);
	ck_assert_uint_eq(rel_nxt(), off + 1000);
}
END_TEST

/* R4c. */
START_TEST(tcp_data_queue__duplicate)
{
	rx(0, 10);
	sk->owned = true;
	tcp_data_queue(sk, mock_skb(m, IRS + 2, 8));
	sk->owned = false;
	ck_assert_int_eq(last_drop(), TCP_DROP_OLD_DATA);
	ck_assert(tp->ack_pending & ICSK_ACK_SCHED);
	ck_assert_uint_eq(rel_nxt(), 10);
}
END_TEST

/* R4d: the check in front of it lets this pass while nothing is queued. */
START_TEST(tcp_data_queue__behind_window)
{
	u32 win = tcp_receive_window(tp);

	rx(win, 10);
	ck_assert_int_eq(last_drop(), TCP_DROP_OVERWINDOW);
	ck_assert_uint_eq(m->xmit_count, 1);
	rx(win - 1, 10);
	ck_assert_uint_eq(tp->out_of_order_queue.qlen, 1);
}
END_TEST

/* R4e: the queue holds overlapping bytes, readers go by sequence number. */
START_TEST(tcp_data_queue__overlap_is_not_trimmed)
{
	rx(0, 70);
	rx(50, 100);
	ck_assert_uint_eq(sk->sk_receive_queue.qlen, 2);
	ck_assert_uint_eq(skb_peek_tail(&sk->sk_receive_queue)->len, 100);
	ck_assert_int_eq(mock_event(m, EV_QUEUED, 1)->a, 70);
	ck_assert_int_eq(mock_event(m, EV_QUEUED, 1)->b, 150);
	ck_assert_int_eq(tcp_inq(sk), 150);
	ck_assert_int_eq(recv_nowait(1000), 150);
	ck_assert(mock_bytes_ok(buf, IRS, 150));
}
END_TEST

START_TEST(tcp_data_queue__overlap_into_closed_window)
{
	u32 off = fill_window();

	tcp_data_queue(sk, mock_skb(m, IRS + off - 10, 20));
	ck_assert_uint_eq(rel_nxt(), off);
	ck_assert_int_eq(last_drop(), TCP_DROP_ZEROWINDOW);
}
END_TEST

/* R6: one buffer of overshoot, then a zero window and a wakeup. */
START_TEST(tcp_rcv_admit__memory)
{
	u32 ready;

	sk->sk_rcvbuf_locked = true;
	rx_held(0, 1000);
	sk->sk_rcvbuf = sk->sk_rmem_alloc;
	rx_held(1000, 1000);
	ck_assert_uint_eq(rel_nxt(), 2000);
	m->fail_nth[SITE_COLLAPSE] = ~0ull;
	ready = mock_event_count(m, EV_DATA_READY);
	rx(2000, 10);
	ck_assert_uint_eq(rel_nxt(), 2000);
	ck_assert_int_eq(last_drop(), TCP_DROP_PROTO_MEM);
	ck_assert_uint_eq(mock_event_count(m, EV_DATA_READY), ready + 1);
	ck_assert_uint_eq(last_win(), 0);
	rx_fin(2000, 0);
	ck_assert_uint_eq(rel_nxt(), 2001);
}
END_TEST

/* With nothing to read, refusing would stop the stream for ever. */
START_TEST(tcp_rcv_admit__empty_queue)
{
	sk->sk_rcvbuf_locked = true;
	rx(70000, 0);
	sk->sk_rmem_alloc = sk->sk_rcvbuf + 1;
	rx(0, 100);
	ck_assert_uint_eq(rel_nxt(), 100);
	sk->sk_rmem_alloc -= sk->sk_rcvbuf + 1;
}
END_TEST

/* R41. */
START_TEST(tcp_urg__arrives)
{
	rx_urg(0, 10);
	ck_assert_uint_eq(tp->urg_data, TCP_URG_VALID | mock_byte(IRS + 9));
	ck_assert_uint_eq(tp->urg_seq, IRS + 9);
	ck_assert_uint_eq(mock_event_count(m, EV_DATA_READY), 2);
	ck_assert(tcp_poll(sk) & M_POLLPRI);
}
END_TEST

START_TEST(tcp_urg__announced_before_the_byte)
{
	struct sk_buff *skb = mock_skb(m, IRS, 5);

	skb->urg_seq = IRS + 7;
	rx_skb(skb, TCPHDR_URG);
	ck_assert_uint_eq(tp->urg_data, TCP_URG_NOTYET);
	rx(5, 5);
	ck_assert_uint_eq(tp->urg_data, TCP_URG_VALID | mock_byte(IRS + 7));
}
END_TEST

START_TEST(tcp_check_urg__old_and_same_pointers)
{
	struct sk_buff *skb;

	rx_urg(0, 10);
	skb = mock_skb(m, IRS + 10, 5);
	skb->urg_seq = IRS + 9;
	rx_skb(skb, TCPHDR_URG);
	ck_assert_uint_eq(tp->urg_seq, IRS + 9);
	ck_assert_int_eq(recv_nowait(9), 9);
	ck_assert_int_eq(recv_nowait(9), 5);
	skb = mock_skb(m, IRS + 15, 0);
	skb->urg_seq = IRS + 3;
	rx_skb(skb, TCPHDR_URG);
	ck_assert_uint_eq(tp->urg_data, 0);
}
END_TEST

/* The reader stands in front of an old urgent byte when the next one comes:
 * the old one must not turn into data. */
START_TEST(tcp_check_urg__moves_over_the_old_byte)
{
	rx_held(0, 4);
	rx_urg(4, 1);
	ck_assert_int_eq(recv_nowait(4), 4);
	ck_assert_uint_eq(tp->copied_seq, IRS + 4);
	rx_urg(5, 3);
	ck_assert_uint_eq(tp->copied_seq, IRS + 5);
	ck_assert_int_eq(recv_nowait(10), 2);
	ck_assert(mock_bytes_ok(buf, IRS + 5, 2));
}
END_TEST

/* R5. */
START_TEST(tcp_sequence__filter)
{
	u32 edge = tp->rcv_mwnd_seq - IRS;

	rx(0, 10);
	rx(0, 5);
	ck_assert_int_eq(last_drop(), TCP_DROP_OLD_SEQUENCE);
	edge = tp->rcv_mwnd_seq - IRS;
	rx(edge + 1, 1);
	ck_assert_int_eq(last_drop(), TCP_DROP_INVALID_SEQUENCE);
	rx(edge - 1, 2);
	ck_assert_int_eq(last_drop(), TCP_DROP_INVALID_END_SEQUENCE);
	ck_assert_uint_eq(m->xmit_count, 4);
	ck_assert_int_eq(recv_nowait(10), 10);
	rx(edge - 1, 2);
	ck_assert_uint_eq(tp->out_of_order_queue.qlen, 1);
}
END_TEST

/* A FIN may stick out of the window. */
START_TEST(tcp_sequence__fin_sticks_out)
{
	u32 off = fill_window();

	rx_fin(off, 0);
	ck_assert(sk->sk_done);
}
END_TEST

/* R42. */
START_TEST(tcp_validate_incoming__rst_in_window_is_challenged)
{
	rx(0, 10);
	rx_rst(12);
	ck_assert_int_eq(last_drop(), TCP_DROP_RESET);
	ck_assert_int_eq(sk->sk_state, TCP_ESTABLISHED);
	ck_assert_uint_eq(m->xmit_count, 2);
}
END_TEST

START_TEST(tcp_validate_incoming__rst_out_of_window_is_ignored)
{
	rx(0, 10);
	rx_rst(0);
	rx_rst(10000000);
	ck_assert_int_eq(sk->sk_state, TCP_ESTABLISHED);
	ck_assert_uint_eq(m->xmit_count, 1);
	ck_assert_int_eq(last_drop(), TCP_DROP_INVALID_SEQUENCE);
}
END_TEST

/* A peer that does not count its FIN. */
START_TEST(tcp_validate_incoming__rst_one_early_after_fin)
{
	rx_fin(0, 5);
	rx_rst(5);
	ck_assert_int_eq(sk->sk_state, TCP_CLOSE);
}
END_TEST

START_TEST(tcp_validate_incoming__rst_at_the_sack_edge)
{
	rx(10, 10);
	rx_rst(15);
	ck_assert_int_eq(sk->sk_state, TCP_ESTABLISHED);
	rx_rst(20);
	ck_assert_int_eq(sk->sk_state, TCP_CLOSE);
}
END_TEST

START_TEST(tcp_fin_acked__states)
{
	tcp_shutdown(sk, M_SHUT_WR);
	ck_assert_int_eq(sk->sk_state, TCP_FIN_WAIT1);
	rx(0, 1);
	ck_assert_int_eq(sk->sk_state, TCP_FIN_WAIT1);
	rx_skb(mock_skb(m, IRS + 1, 1), TCPHDR_ACK);
	ck_assert_int_eq(sk->sk_state, TCP_FIN_WAIT2);
	rx_fin(2, 0);
	ck_assert_int_eq(sk->sk_state, TCP_CLOSE);
	ck_assert_int_eq(recv_nowait(10), 2);
	ck_assert_int_eq(recv_nowait(10), 0);
}
END_TEST

START_TEST(tcp_fin_acked__closing_and_last_ack)
{
	tcp_shutdown(sk, M_SHUT_WR);
	rx_fin(0, 0);
	ck_assert_int_eq(sk->sk_state, TCP_CLOSING);
	rx_skb(mock_skb(m, IRS + 1, 0), TCPHDR_ACK);
	ck_assert_int_eq(sk->sk_state, TCP_CLOSE);
}
END_TEST

/* R31. */
START_TEST(tcp_state_takes_data__behind_fin)
{
	rx_fin(0, 5);
	rx(6, 5);
	ck_assert_int_eq(last_drop(), TCP_DROP_AFTER_FIN);
	ck_assert_int_eq(sk->sk_state, TCP_CLOSE_WAIT);
	tp->rcv_wup = IRS;
	rx(0, 5);
	ck_assert_int_eq(last_drop(), TCP_DROP_OLD_DATA);
	rx(3, 5);
	ck_assert_int_eq(last_drop(), TCP_DROP_ABORT_ON_DATA);
	ck_assert_int_eq(sk->sk_err, EPIPE);
	ck_assert_uint_eq(m->xmits[m->xmit_count - 1].flags,
			  TCPHDR_RST | TCPHDR_ACK);
}
END_TEST

START_TEST(tcp_state_takes_data__after_close)
{
	tcp_close(sk);
	ck_assert_int_eq(sk->sk_state, TCP_FIN_WAIT1);
	rx(0, 5);
	ck_assert_int_eq(last_drop(), TCP_DROP_ABORT_ON_DATA);
	ck_assert_int_eq(sk->sk_state, TCP_CLOSE);
}
END_TEST

/* shutdown(SHUT_RD) stops nothing. */
START_TEST(tcp_state_takes_data__shut_rd)
{
	tcp_shutdown(sk, M_SHUT_RD);
	rx(0, 5);
	ck_assert_int_eq(recv_nowait(10), 5);
	ck_assert_int_eq(recv_nowait(10), 0);
}
END_TEST

START_TEST(tcp_ack_snd_check__one_for_a_segment)
{
	rx(0, 10);
	rx(10, 10);
	ck_assert_uint_eq(m->xmit_count, 2);
	ck_assert_uint_eq(m->xmits[1].ack, IRS + 20);
	ck_assert_int_eq(mock_event(m, EV_ACK, 1)->a, 20);
}
END_TEST

START_TEST(tcp_ack_snd_check__one_for_a_backlog)
{
	lock_sock(sk);
	rx(0, 10);
	rx(10, 10);
	rx(20, 10);
	ck_assert_uint_eq(m->xmit_count, 0);
	ck_assert_int_eq(mock_event(m, EV_SEG_IN, 0)->c, 256);
	release_sock(sk);
	ck_assert_uint_eq(m->xmit_count, 1);
	ck_assert_uint_eq(m->xmits[0].ack, IRS + 30);
}
END_TEST

/* R28: RST waits behind the data in the backlog. */
START_TEST(tcp_v4_do_rcv__backlog_in_order)
{
	lock_sock(sk);
	rx(0, 10);
	rx_rst(10);
	rx_skb(mock_skb(m, IRS + 10, 5), 0);
	ck_assert_int_eq(sk->sk_state, TCP_ESTABLISHED);
	release_sock(sk);
	ck_assert_int_eq(sk->sk_state, TCP_CLOSE);
	ck_assert_int_eq(tcp_inq(sk), 10);
	ck_assert_int_eq(last_drop(), TCP_DROP_CLOSE);
}
END_TEST

static bool seen_softirq;

static void check_softirq(struct sock *s)
{
	ck_assert_uint_eq(s->k->in_softirq, 1);
	ck_assert_ptr_null(s->k->current);
	seen_softirq = true;
}

START_TEST(tcp_v4_rcv__runs_in_softirq)
{
	seen_softirq = false;
	sk->sk_data_ready = check_softirq;
	rx(0, 1);
	ck_assert(seen_softirq);
	ck_assert_uint_eq(m->k.in_softirq, 0);
	ck_assert_ptr_eq(m->k.current, &m->tasks[0]);
}
END_TEST

START_TEST(tcp_v4_rcv__no_connection)
{
	sk->sk_state = TCP_CLOSE;
	rx(0, 1);
	ck_assert_int_eq(last_drop(), TCP_DROP_CLOSE);
	ck_assert_uint_eq(m->xmits[0].flags, TCPHDR_RST | TCPHDR_ACK);
	rx_rst(0);
	ck_assert_uint_eq(m->xmit_count, 1);
	sk->sk_state = TCP_LISTEN;
	rx(0, 1);
	ck_assert_int_eq(last_drop(), TCP_DROP_LISTEN);
}
END_TEST

START_TEST(tcp_v4_rcv__backlog_full)
{
	struct sk_buff *skb = mock_skb(m, IRS, 10);

	skb->truesize = 1;
	lock_sock(sk);
	sk->backlog_len = 1u << 30;
	rx_skb(skb, 0);
	ck_assert_int_eq(last_drop(), TCP_DROP_BACKLOG);
	sk->backlog_len = 0;
	release_sock(sk);
}
END_TEST

static void add_ready_tests(TCase *tc)
{
	tcase_add_test(tc, tcp_drop_name__all_named);
	tcase_add_test(tc, tcp_rmem_pressure__seven_eighths);
	tcase_add_test(tc, tcp_epollin_ready__target);
	tcase_add_test(tc, tcp_epollin_ready__small_window);
	tcase_add_test(tc, tcp_data_ready__low_water_mark);
	tcase_add_test(tc, tcp_data_ready__done);
	tcase_add_test(tc, tcp_data_ready__pressure_before_low_water_mark);
	tcase_add_test(tc, tcp_reset__established);
	tcase_add_test(tc, tcp_reset__close_wait_is_epipe);
	tcase_add_test(tc, tcp_reset__syn_sent_is_refused);
	tcase_add_test(tc, tcp_reset__close_does_nothing);
	tcase_add_test(tc, tcp_reset__dead_tells_nobody);
	tcase_add_test(tc, tcp_fin__states);
	tcase_add_test(tc, tcp_fin__purges_out_of_order_queue);
	tcase_add_test(tc, tcp_fin__dead_wakes_nobody);
}

static void add_queue_tests(TCase *tc)
{
	tcase_add_test(tc, tcp_try_coalesce__charge);
	tcase_add_test(tc, tcp_try_coalesce__held_tail);
	tcase_add_test(tc, tcp_try_coalesce__not_over_a_device_border);
	tcase_add_test(tc, tcp_try_coalesce__partial_read_frees_nothing);
	tcase_add_test(tc, tcp_queue_rcv__fin_merges_into_tail);
	tcase_add_test(tc, tcp_queue_rcv__fin_alone);
	tcase_add_test(tc, tcp_queue_rcv__event);
	tcase_add_test(tc, tcp_data_queue__empty_segment);
	tcase_add_test(tc, tcp_data_queue__closed_window);
	tcase_add_test(tc, tcp_data_queue__closed_window_reopens);
	tcase_add_test(tc, tcp_data_queue__duplicate);
	tcase_add_test(tc, tcp_data_queue__behind_window);
	tcase_add_test(tc, tcp_data_queue__overlap_is_not_trimmed);
	tcase_add_test(tc, tcp_data_queue__overlap_into_closed_window);
	tcase_add_test(tc, tcp_rcv_admit__memory);
	tcase_add_test(tc, tcp_rcv_admit__empty_queue);
	tcase_add_test(tc, tcp_urg__arrives);
	tcase_add_test(tc, tcp_urg__announced_before_the_byte);
	tcase_add_test(tc, tcp_check_urg__old_and_same_pointers);
	tcase_add_test(tc, tcp_check_urg__moves_over_the_old_byte);
}

static void add_segment_tests(TCase *tc)
{
	tcase_add_test(tc, tcp_sequence__filter);
	tcase_add_test(tc, tcp_sequence__fin_sticks_out);
	tcase_add_test(tc, tcp_validate_incoming__rst_in_window_is_challenged);
	tcase_add_test(tc, tcp_validate_incoming__rst_out_of_window_is_ignored);
	tcase_add_test(tc, tcp_validate_incoming__rst_one_early_after_fin);
	tcase_add_test(tc, tcp_validate_incoming__rst_at_the_sack_edge);
	tcase_add_test(tc, tcp_fin_acked__states);
	tcase_add_test(tc, tcp_fin_acked__closing_and_last_ack);
	tcase_add_test(tc, tcp_state_takes_data__behind_fin);
	tcase_add_test(tc, tcp_state_takes_data__after_close);
	tcase_add_test(tc, tcp_state_takes_data__shut_rd);
	tcase_add_test(tc, tcp_ack_snd_check__one_for_a_segment);
	tcase_add_test(tc, tcp_ack_snd_check__one_for_a_backlog);
	tcase_add_test(tc, tcp_v4_do_rcv__backlog_in_order);
	tcase_add_test(tc, tcp_v4_rcv__runs_in_softirq);
	tcase_add_test(tc, tcp_v4_rcv__no_connection);
	tcase_add_test(tc, tcp_v4_rcv__backlog_full);
}

Suite *tcp_input_test_suite(void)
{
	Suite *s = suite_create("tcp_input");
	TCase *tc = tcase_create("tcp_input");

	tcase_add_checked_fixture(tc, tcp_setup, tcp_teardown);
	add_ready_tests(tc);
	add_queue_tests(tc);
	add_segment_tests(tc);
	suite_add_tcase(s, tc);
	return s;
}
