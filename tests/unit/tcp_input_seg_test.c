// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the second half of model/tcp_input.c, in its order: urgent pointer,
 * acceptance, states, arrival. R numbers are those of the facts.
 */
#include "tests/unit/tcp_mock.h"

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
	tp->urg_seq = IRS + 20;
	skb = mock_skb(m, IRS + 15, 0);
	skb->urg_seq = IRS + 19;
	rx_skb(skb, TCPHDR_URG);
	ck_assert_uint_eq(tp->urg_seq, IRS + 20);
	tp->urg_seq = IRS + 9;
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
	u32 edge;

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

START_TEST(tcp_validate_incoming__rst_one_early_when_closing)
{
	static const enum tcp_state states[] = { TCP_LAST_ACK, TCP_CLOSING };
	u32 i;

	rx(0, 5);
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		sk->sk_state = states[i];
		rx_rst(4);
		ck_assert_int_eq(sk->sk_state, TCP_CLOSE);
	}
	sk->sk_state = TCP_FIN_WAIT2;
	rx_rst(4);
	ck_assert_int_eq(sk->sk_state, TCP_FIN_WAIT2);
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
	rx_skb(mock_skb(m, IRS + 1, 0), TCPHDR_ACK);
	ck_assert_int_eq(sk->sk_state, TCP_FIN_WAIT2);
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

static void add_segment_tests(TCase *tc)
{
	tcase_add_test(tc, tcp_urg__arrives);
	tcase_add_test(tc, tcp_urg__announced_before_the_byte);
	tcase_add_test(tc, tcp_check_urg__old_and_same_pointers);
	tcase_add_test(tc, tcp_check_urg__moves_over_the_old_byte);
	tcase_add_test(tc, tcp_sequence__filter);
	tcase_add_test(tc, tcp_sequence__fin_sticks_out);
	tcase_add_test(tc, tcp_validate_incoming__rst_in_window_is_challenged);
	tcase_add_test(tc, tcp_validate_incoming__rst_out_of_window_is_ignored);
	tcase_add_test(tc, tcp_validate_incoming__rst_one_early_after_fin);
	tcase_add_test(tc, tcp_validate_incoming__rst_one_early_when_closing);
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

Suite *tcp_input_seg_test_suite(void)
{
	Suite *s = suite_create("tcp_input_seg");
	TCase *tc = tcase_create("tcp_input_seg");

	tcase_add_checked_fixture(tc, tcp_setup, tcp_teardown);
	add_segment_tests(tc);
	suite_add_tcase(s, tc);
	return s;
}
