// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/peer/sender_push.c, in its order.
 */
#include "tests/unit/sender_fixture.h"

/* A segment goes whole or not at all, until the timer sends what fits. */
START_TEST(fit_window__probe_timer_sends_what_fits)
{
	start_deaf(1, 150);
	window(0, 100);
	send_rec(0);
	ck_assert_uint_eq(f->seg_n, 0);
	ck_assert_int_eq(s->timer_ns, 200 * MS);
	fire();
	ck_assert_uint_eq(f->seg_n, 1);
	check_seg(0, 0, 100, 0);
	ack(100, 100);
	check_seg(1, 100, 50, 0);
}
END_TEST

/* The rest of a segment that was sent in part takes in the next write. */
START_TEST(fit_window__rest_is_joined)
{
	start_deaf(2, 150);
	window(0, 100);
	send_rec(0);
	fire();
	send_rec(1);
	ack(100, 1000);
	ck_assert_uint_eq(f->seg_n, 2);
	check_seg(1, 100, 200, 0);
}
END_TEST

START_TEST(send_one__probes_a_closed_window)
{
	start_deaf(1, 100);
	ack(0, 0);
	send_rec(0);
	ck_assert_int_eq(s->timer_ns, 200 * MS);
	fire();
	check_seg(0, 0xffffffff, 0, 0);
	ck_assert_int_eq(s->timer_ns, 600 * MS);
	fire();
	ck_assert_int_eq(s->timer_ns, 1400 * MS);
	ck_assert_uint_eq(f->seg_n, 2);
	ack(0, 100);
	check_seg(2, 0, 100, 0);
	ck_assert_int_eq(s->timer_ns, 800 * MS);
}
END_TEST

START_TEST(send_one__acknowledges_fin_with_data)
{
	add_raw(1, 100);
	peer_fix_start(f);
	tcp_shutdown(f->s.conn.sk, M_SHUT_WR);
	ck_assert(!sender_push(p));
	ck_assert_int_eq(f->s.conn.sk->sk_state, TCP_FIN_WAIT1);
	send_rec(0);
	check_seg(0, 0, 100, 0);
	ck_assert_int_eq(f->s.conn.sk->sk_state, TCP_FIN_WAIT2);
}
END_TEST

START_TEST(send_one__acknowledges_fin_behind_its_own)
{
	add_raw(1, 100);
	peer_fix_start(f);
	wire_fin(p);
	tcp_shutdown(f->s.conn.sk, M_SHUT_WR);
	ck_assert(sender_push(p));
	check_seg(1, 1, 0, 0);
	ck_assert_int_eq(f->s.conn.sk->sk_state, TCP_CLOSE);
	ck_assert(!sender_push(p));
}
END_TEST

START_TEST(sender_push__not_while_it_runs)
{
	start_deaf(1, 100);
	ack(0, 0);
	send_rec(0);
	sender_ack(p, TCPHDR_ACK, 0, 1000);
	s->busy = true;
	ck_assert(!sender_push(p));
	s->busy = false;
	ck_assert(sender_push(p));
}
END_TEST

START_TEST(sender_push__closed_socket)
{
	start_deaf(1, 100);
	ack(0, 0);
	send_rec(0);
	sender_ack(p, TCPHDR_ACK, 0, 1000);
	f->s.conn.sk->sk_dead = true;
	ck_assert(!sender_push(p));
	ck_assert(sender_done(p));
}
END_TEST

START_TEST(sender_timer__doubles_up_to_two_minutes)
{
	s64 want = 200 * MS;
	u32 i;

	start_deaf(1, 100);
	send_rec(0);
	for (i = 0; i < 12; i++) {
		ck_assert_int_eq(s->timer_ns - f->s.now_ns, want);
		fire();
		check_seg(i + 1, 0, 100, 0);
		want = want > 60000 * MS ? 120000 * MS : 2 * want;
	}
	ack(100, 1000);
	ck_assert_int_eq(s->timer_ns, -1);
	ck_assert_int_eq(s->rto_ns, 200 * MS);
}
END_TEST

/* One segment, then on from there as ACKs come. */
START_TEST(sender_timer__goes_back)
{
	start_deaf(3, 100);
	send_rec(0);
	send_rec(1);
	send_rec(2);
	fire();
	ck_assert_uint_eq(f->seg_n, 4);
	check_seg(3, 0, 100, 0);
	ck_assert(!sender_push(p));
	ack(100, 1000);
	ck_assert_uint_eq(f->seg_n, 6);
	check_seg(4, 100, 100, 0);
	check_seg(5, 200, 100, 0);
}
END_TEST

/* The hole was all that was missing: nothing is sent twice. */
START_TEST(sender_timer__hole_filled)
{
	start_deaf(3, 100);
	send_rec(0);
	send_rec(1);
	send_rec(2);
	fire();
	ack(300, 1000);
	ck_assert_uint_eq(f->seg_n, 4);
	ck_assert(sender_done(p));
}
END_TEST

/* Bytes that were promised room are sent again into a closed window. */
START_TEST(sender_timer__window_withdrawn)
{
	start_deaf(1, 100);
	send_rec(0);
	ack(0, 0);
	fire();
	ck_assert_uint_eq(f->seg_n, 2);
	check_seg(1, 0, 100, 0);
}
END_TEST

START_TEST(sender_timer__window_shrunk)
{
	start_deaf(1, 100);
	send_rec(0);
	ack(0, 0);
	ack(0, 40);
	fire();
	check_seg(1, 0, 40, 0);
	ack(40, 40);
	ck_assert_uint_eq(f->seg_n, 2);
	ack(40, 60);
	check_seg(2, 40, 60, 0);
}
END_TEST

START_TEST(sender_timer__after_a_reset)
{
	start_deaf(1, 100);
	send_rec(0);
	p->rx_closed = 2;
	sender_timer(p);
	ck_assert_int_eq(s->timer_ns, -1);
	ck_assert(!sender_push(p));
}
END_TEST

Suite *sender_push_test_suite(void);
Suite *sender_push_test_suite(void)
{
	Suite *suite = suite_create("sender_push");
	TCase *tc = tcase_create("sender_push");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, fit_window__probe_timer_sends_what_fits);
	tcase_add_test(tc, fit_window__rest_is_joined);
	tcase_add_test(tc, send_one__probes_a_closed_window);
	tcase_add_test(tc, send_one__acknowledges_fin_with_data);
	tcase_add_test(tc, send_one__acknowledges_fin_behind_its_own);
	tcase_add_test(tc, sender_push__not_while_it_runs);
	tcase_add_test(tc, sender_push__closed_socket);
	tcase_add_test(tc, sender_timer__doubles_up_to_two_minutes);
	tcase_add_test(tc, sender_timer__goes_back);
	tcase_add_test(tc, sender_timer__hole_filled);
	tcase_add_test(tc, sender_timer__window_withdrawn);
	tcase_add_test(tc, sender_timer__window_shrunk);
	tcase_add_test(tc, sender_timer__after_a_reset);
	suite_add_tcase(suite, tc);
	return suite;
}
