// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/tcp_output.c, in its order (facts R20).
 */
#include "tests/unit/tcp_mock.h"

/* SO_RCVBUF 2048: 4096 bytes of memory, a window of 2048. */
static void setup_small(void)
{
	tcp_setup_with(2048, 65483);
}

START_TEST(tcp_receive_window__never_negative)
{
	ck_assert_uint_eq(tcp_receive_window(tp), 65483);
	tp->rcv_nxt += 65483;
	ck_assert_uint_eq(tcp_receive_window(tp), 0);
	tp->rcv_nxt += 1;
	ck_assert_uint_eq(tcp_receive_window(tp), 0);
}
END_TEST

/* Multiples of the scale unit. */
START_TEST(tcp_select_window__scaled)
{
	ck_assert_uint_eq(__tcp_select_window(sk), 65536);
	tcp_send_ack(sk);
	ck_assert_uint_eq(last_win(), 65536);
	ck_assert_uint_eq(tp->rcv_mwnd_seq, IRS + 65536);
}
END_TEST

START_TEST(tcp_select_window__no_room_for_any_segment)
{
	tp->window_clamp = 0;
	ck_assert_uint_eq(__tcp_select_window(sk), 0);
}
END_TEST

START_TEST(tcp_select_window__over_the_limit)
{
	sk->sk_rmem_alloc = sk->sk_rcvbuf + 1000;
	ck_assert_uint_eq(__tcp_select_window(sk), 0);
	sk->sk_rmem_alloc = 0;
}
END_TEST

/* Tested below half of the space only: a sixteenth, or one MSS. */
START_TEST(tcp_select_window__sixteenth)
{
	sk->sk_rmem_alloc = sk->sk_rcvbuf - sk->sk_rcvbuf / 16;
	ck_assert_uint_eq(__tcp_select_window(sk), 4096);
	sk->sk_rmem_alloc += 256;
	ck_assert_uint_eq(__tcp_select_window(sk), 0);
	sk->sk_rmem_alloc = 0;
}
END_TEST

START_TEST(tcp_select_window__memory_pressure)
{
	sk->sk_rmem_alloc = sk->sk_rcvbuf / 2 + 256;
	m->k.memory_pressure = true;
	tp->advmss = 1000;
	ck_assert_uint_eq(__tcp_select_window(sk), 4096);
	ck_assert_uint_eq(tp->rcv_ssthresh, 4000);
	sk->sk_rmem_alloc = 0;
}
END_TEST

/* The backlog counts against the space. */
START_TEST(tcp_select_window__backlog)
{
	sk->backlog_len = 131072 / 2;
	ck_assert_uint_eq(__tcp_select_window(sk), 32768);
	sk->backlog_len = 0;
}
END_TEST

/* One MSS is all the space there is, and half of it is free again. */
START_TEST(tcp_round_window__mss_is_the_space)
{
	tp->rcv_wscale = 0;
	tp->rcv_mss = 100000;
	tp->rcv_wnd = 10000;
	ck_assert_uint_eq(__tcp_select_window(sk), 65483);
	tp->rcv_wnd = 60000;
	ck_assert_uint_eq(__tcp_select_window(sk), 60000);
}
END_TEST

/* 512-byte segments into 4096 bytes: first 832+512, then 512 each. What was
 * granted is never taken back; in the end the window closes. */
START_TEST(tcp_select_window__small_buffer)
{
	static const u32 want[] = { 1536, 1072, 560, 560 };
	u32 i;

	tcp_teardown();
	setup_small();
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		rx(512 * i, 512);
		ck_assert_uint_eq(last_win(), want[i]);
	}
	rx(2048, 512);
	ck_assert_uint_eq(last_win(), 48);
	ck_assert(tcp_epollin_ready(sk, INT32_MAX));
	rx(2560, 48);
	ck_assert_uint_eq(last_win(), 0);
}
END_TEST

/* R6: the ACK that says the buffer is full takes the window back. */
START_TEST(tcp_select_window__no_memory)
{
	tp->ack_pending = ICSK_ACK_SCHED | ICSK_ACK_NOMEM;
	tcp_send_ack(sk);
	ck_assert_uint_eq(last_win(), 0);
	ck_assert_uint_eq(tcp_receive_window(tp), 0);
	tcp_send_ack(sk);
	ck_assert_uint_gt(last_win(), 0);
}
END_TEST

START_TEST(tcp_send_ack__not_when_closed)
{
	sk->sk_state = TCP_CLOSE;
	tcp_send_ack(sk);
	ck_assert_uint_eq(m->xmit_count, 0);
}
END_TEST

START_TEST(tcp_release_cb__deferred_ack)
{
	tcp_release_cb(sk);
	ck_assert_uint_eq(m->xmit_count, 0);
	tp->ack_deferred = true;
	tp->ack_pending = ICSK_ACK_SCHED;
	tcp_release_cb(sk);
	tcp_release_cb(sk);
	ck_assert_uint_eq(m->xmit_count, 1);
	tp->ack_deferred = true;
	tcp_release_cb(sk);
	ck_assert_uint_eq(m->xmit_count, 1);
}
END_TEST

/* A window update when it at least doubles. */
START_TEST(tcp_cleanup_rbuf__window_doubles)
{
	tcp_cleanup_rbuf(sk, 100);
	ck_assert_uint_eq(m->xmit_count, 0);
	tp->rcv_wnd = 32768;
	tcp_cleanup_rbuf(sk, 0);
	ck_assert_uint_eq(m->xmit_count, 0);
	tcp_cleanup_rbuf(sk, 100);
	ck_assert_uint_eq(m->xmit_count, 1);
	ck_assert_uint_eq(last_win(), 65536);
}
END_TEST

START_TEST(tcp_cleanup_rbuf__not_after_fin)
{
	sk->sk_shutdown = RCV_SHUTDOWN;
	tp->rcv_wnd = 0;
	tcp_cleanup_rbuf(sk, 100);
	ck_assert_uint_eq(m->xmit_count, 0);
}
END_TEST

START_TEST(tcp_cleanup_rbuf__scheduled_ack)
{
	tp->ack_pending = ICSK_ACK_SCHED;
	sk->sk_rmem_alloc = 1;
	tcp_cleanup_rbuf(sk, 1);
	ck_assert_uint_eq(m->xmit_count, 0);
	sk->sk_rmem_alloc = 0;
	tcp_cleanup_rbuf(sk, 1);
	ck_assert_uint_eq(m->xmit_count, 1);
	tp->ack_pending = ICSK_ACK_SCHED;
	tp->rcv_nxt += 537;
	tp->copied_seq = tp->rcv_nxt;
	tcp_cleanup_rbuf(sk, 0);
	ck_assert_uint_eq(m->xmit_count, 2);
}
END_TEST

/* A large segment teaches how much memory payload costs. */
START_TEST(tcp_measure_rcv_mss__scaling_ratio)
{
	rx(0, 16406);
	ck_assert_uint_eq(tp->rcv_mss, 16406);
	ck_assert_uint_eq(tp->scaling_ratio, 16406 * 256 / (16406 + 832));
	ck_assert_uint_eq(tp->window_clamp, 131072 * 243 / 256);
}
END_TEST

/* Costly segments shrink window and growth limit. */
START_TEST(tcp_measure_rcv_mss__costly_segment)
{
	struct sk_buff *skb = mock_skb(m, IRS, 1000);

	skb->truesize = 16000;
	rx_skb(skb, 0);
	ck_assert_uint_eq(tp->scaling_ratio, 16);
	ck_assert_uint_eq(tp->window_clamp, 8192);
	ck_assert_uint_eq(tp->rcv_ssthresh, 8192);
	ck_assert_uint_eq(tp->rcvq_space_space, 8192);
	skb = mock_skb(m, IRS + 1000, 1001);
	skb->truesize = 1000000;
	rx_skb(skb, 0);
	ck_assert_uint_eq(tp->scaling_ratio, 1);
	ck_assert_uint_eq(tp->window_clamp, SOCK_MIN_RCVBUF / 2);
}
END_TEST

START_TEST(tcp_measure_rcv_mss__at_most_advmss)
{
	tp->advmss = 1000;
	rx(0, 1200);
	ck_assert_uint_eq(tp->rcv_mss, 1000);
}
END_TEST

/* Smaller segments count when two of a size follow each other. */
START_TEST(tcp_measure_rcv_mss__two_of_a_size)
{
	rx(0, 2000);
	rx(2000, 600);
	rx(2600, 601);
	ck_assert_uint_eq(tp->rcv_mss, 2000);
	rx(3201, 601);
	ck_assert_uint_eq(tp->rcv_mss, 601);
}
END_TEST

/* Tails of writes do not, if they are small. */
START_TEST(tcp_measure_rcv_mss__pushed_tail)
{
	rx(0, 100);
	rx(100, 100);
	ck_assert_uint_eq(tp->rcv_mss, 536);
	tcp_v4_rcv(sk, mock_skb(m, IRS + 200, 100), 0);
	tcp_v4_rcv(sk, mock_skb(m, IRS + 300, 100), 0);
	ck_assert_uint_eq(tp->rcv_mss, 100);
	tcp_v4_rcv(sk, mock_skb(m, IRS + 400, 75), 0);
	tcp_v4_rcv(sk, mock_skb(m, IRS + 475, 75), 0);
	ck_assert_uint_eq(tp->rcv_mss, 100);
}
END_TEST

START_TEST(tcp_grow_window__cheap_segment)
{
	tp->rcv_ssthresh = 10000;
	rx(0, 500);
	ck_assert_uint_eq(tp->rcv_ssthresh, 65536 - 500 / 2 - 416);
}
END_TEST

/* Linear payload keeps its overhead, so growth is slower. */
START_TEST(tcp_grow_window__costly_segment)
{
	u32 old;

	tp->rcv_ssthresh = 10000;
	old = tp->rcv_ssthresh;
	rx_skb(mock_skb_head(m, IRS, 200, 0, M_HEAD_SLAB), 0);
	ck_assert_uint_eq(tp->rcv_ssthresh, old + 2 * tp->rcv_mss);
	tp->rcv_ssthresh = 65536 / 2;
	sk->sk_rcvbuf = 2 * TCP_RMEM_MAX;
	tp->window_clamp = TCP_RMEM_MAX;
	tp->rcv_ssthresh = TCP_RMEM_MAX / 2;
	rx_skb(mock_skb_head(m, IRS + 200, 200, 4000, M_HEAD_SLAB), 0);
	ck_assert_uint_eq(tp->rcv_ssthresh, TCP_RMEM_MAX / 2);
}
END_TEST

START_TEST(tcp_grow_window__memory_pressure)
{
	tp->rcv_ssthresh = 50000;
	tp->advmss = 1000;
	m->k.memory_pressure = true;
	rx(0, 500);
	ck_assert_uint_eq(tp->rcv_ssthresh, 4000);
}
END_TEST

START_TEST(tcp_clamp_window__locked)
{
	sk->sk_rcvbuf_locked = true;
	sk->sk_rmem_alloc = sk->sk_rcvbuf + 1;
	tp->advmss = 1000;
	tcp_clamp_window(sk);
	ck_assert_int_eq(sk->sk_rcvbuf, 131072);
	ck_assert_uint_eq(tp->rcv_ssthresh, 2000);
	sk->sk_rmem_alloc = 0;
}
END_TEST

/* A reader that keeps up with one window after the other gets a larger one. */
START_TEST(tcp_rcv_space_adjust__grows)
{
	s32 old = sk->sk_rcvbuf;
	u32 off = 0;

	while (off < 400000) {
		rx(off, 16000);
		off += 16000;
		ck_assert_int_eq(recv_nowait(16000), 16000);
	}
	ck_assert_int_gt(sk->sk_rcvbuf, old);
	ck_assert_int_le(sk->sk_rcvbuf, TCP_RMEM_MAX);
}
END_TEST

/* A slow one does not, and neither does a buffer of a fixed size. */
START_TEST(tcp_rcv_space_adjust__slow_reader)
{
	rx(0, 60000);
	rx(60000, 5536);
	ck_assert_int_eq(recv_nowait(100), 100);
	ck_assert_int_eq(sk->sk_rcvbuf, 131072);
	ck_assert(!tp->rcv_rtt_passed);
}
END_TEST

START_TEST(tcp_rcvbuf_grow__limits)
{
	tcp_rcvbuf_grow(sk, TCP_RMEM_MAX);
	ck_assert_int_eq(sk->sk_rcvbuf, TCP_RMEM_MAX);
	ck_assert_uint_eq(tp->window_clamp, TCP_RMEM_MAX / 2);
	tcp_rcvbuf_grow(sk, 10);
	ck_assert_int_eq(sk->sk_rcvbuf, TCP_RMEM_MAX);
	sk->sk_rcvbuf = 100;
	sk->sk_rcvbuf_locked = true;
	tcp_rcvbuf_grow(sk, 1000);
	ck_assert_int_eq(sk->sk_rcvbuf, 100);
}
END_TEST

static void add_window_tests(TCase *tc)
{
	tcase_add_test(tc, tcp_receive_window__never_negative);
	tcase_add_test(tc, tcp_select_window__scaled);
	tcase_add_test(tc, tcp_select_window__no_room_for_any_segment);
	tcase_add_test(tc, tcp_select_window__over_the_limit);
	tcase_add_test(tc, tcp_select_window__sixteenth);
	tcase_add_test(tc, tcp_select_window__memory_pressure);
	tcase_add_test(tc, tcp_select_window__backlog);
	tcase_add_test(tc, tcp_round_window__mss_is_the_space);
	tcase_add_test(tc, tcp_select_window__small_buffer);
	tcase_add_test(tc, tcp_select_window__no_memory);
	tcase_add_test(tc, tcp_send_ack__not_when_closed);
	tcase_add_test(tc, tcp_release_cb__deferred_ack);
	tcase_add_test(tc, tcp_cleanup_rbuf__window_doubles);
	tcase_add_test(tc, tcp_cleanup_rbuf__not_after_fin);
	tcase_add_test(tc, tcp_cleanup_rbuf__scheduled_ack);
}

Suite *tcp_output_test_suite(void)
{
	Suite *s = suite_create("tcp_output");
	TCase *tc = tcase_create("tcp_output");

	tcase_add_checked_fixture(tc, tcp_setup, tcp_teardown);
	add_window_tests(tc);
	tcase_add_test(tc, tcp_measure_rcv_mss__scaling_ratio);
	tcase_add_test(tc, tcp_measure_rcv_mss__costly_segment);
	tcase_add_test(tc, tcp_measure_rcv_mss__at_most_advmss);
	tcase_add_test(tc, tcp_measure_rcv_mss__two_of_a_size);
	tcase_add_test(tc, tcp_measure_rcv_mss__pushed_tail);
	tcase_add_test(tc, tcp_grow_window__cheap_segment);
	tcase_add_test(tc, tcp_grow_window__costly_segment);
	tcase_add_test(tc, tcp_grow_window__memory_pressure);
	tcase_add_test(tc, tcp_clamp_window__locked);
	tcase_add_test(tc, tcp_rcv_space_adjust__grows);
	tcase_add_test(tc, tcp_rcv_space_adjust__slow_reader);
	tcase_add_test(tc, tcp_rcvbuf_grow__limits);
	suite_add_tcase(s, tc);
	return s;
}
