// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the first half of model/tcp_input.c, in its order: readiness, reset,
 * FIN, queueing. R numbers are those of the facts. The second half is in
 * tcp_input_seg_test.c.
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

START_TEST(tcp_data_queue__data_into_closed_window)
{
	u32 off = fill_window();

	tcp_data_queue(sk, mock_skb(m, IRS + off, 10));
	ck_assert_int_eq(last_drop(), TCP_DROP_ZEROWINDOW);
	ck_assert(tp->ack_pending & ICSK_ACK_SCHED);
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
	tcase_add_test(tc, tcp_data_queue__data_into_closed_window);
	tcase_add_test(tc, tcp_data_queue__closed_window_reopens);
	tcase_add_test(tc, tcp_data_queue__duplicate);
	tcase_add_test(tc, tcp_data_queue__behind_window);
	tcase_add_test(tc, tcp_data_queue__overlap_is_not_trimmed);
	tcase_add_test(tc, tcp_data_queue__overlap_into_closed_window);
	tcase_add_test(tc, tcp_rcv_admit__memory);
	tcase_add_test(tc, tcp_rcv_admit__empty_queue);
}

Suite *tcp_input_test_suite(void)
{
	Suite *s = suite_create("tcp_input");
	TCase *tc = tcase_create("tcp_input");

	tcase_add_checked_fixture(tc, tcp_setup, tcp_teardown);
	add_ready_tests(tc);
	add_queue_tests(tc);
	suite_add_tcase(s, tc);
	return s;
}
