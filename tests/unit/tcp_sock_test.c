// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/tcp_sock.c: what a fresh socket has, as on loopback.
 */
#include "tests/unit/tcp_mock.h"

START_TEST(tcp_sock_new__default_buffer)
{
	tcp_setup();
	ck_assert_int_eq(sk->sk_rcvbuf, 131072);
	ck_assert(!sk->sk_rcvbuf_locked);
	ck_assert_uint_eq(tp->rcv_wnd, 65483);
	ck_assert_uint_eq(tp->rcv_wscale, 7);
	ck_assert_uint_eq(tp->window_clamp, 65536);
	ck_assert_uint_eq(tp->rcv_ssthresh, 65483);
	ck_assert_uint_eq(tp->rcv_mss, 536);
	tcp_teardown();
}
END_TEST

/* R26: doubled, and the window is half of that. */
START_TEST(tcp_sock_new__small_buffer)
{
	tcp_setup_with(4096, 65483);
	ck_assert_int_eq(sk->sk_rcvbuf, 8192);
	ck_assert(sk->sk_rcvbuf_locked);
	ck_assert_uint_eq(tp->rcv_wnd, 4096);
	ck_assert_uint_eq(tp->rcv_wscale, 0);
	ck_assert_uint_eq(tp->window_clamp, 4096);
	tcp_teardown();
}
END_TEST

START_TEST(tcp_sock_new__minimum_buffer)
{
	tcp_setup_with(1, 65483);
	ck_assert_int_eq(sk->sk_rcvbuf, 2304);
	ck_assert_uint_eq(tp->rcv_wnd, 1152);
	tcp_teardown();
}
END_TEST

/* With an MSS that fits several times, room for one segment is kept back. */
START_TEST(tcp_sock_new__small_mss)
{
	tcp_setup_with(4096, 536);
	ck_assert_uint_eq(tp->rcv_wnd, 7 * 536);
	ck_assert_uint_eq(tp->window_clamp, 4096 - 536);
	ck_assert_uint_eq(tp->rcv_ssthresh, 4096 - 536);
	tcp_teardown();
}
END_TEST

START_TEST(tcp_sock_new__sequence_numbers)
{
	tcp_setup();
	ck_assert_uint_eq(tp->rcv_nxt, IRS);
	ck_assert_uint_eq(tp->copied_seq, IRS);
	ck_assert_uint_eq(tp->rcv_mwnd_seq, IRS + 65483);
	ck_assert_int_eq(tcp_inq(sk), 0);
	tcp_teardown();
}
END_TEST

START_TEST(tcp_sock_free__frees_every_queue)
{
	tcp_setup();
	rx(0, 10);
	rx(20, 10);
	lock_sock(sk);
	rx(10, 10);
	sk->owned = false;
	tcp_teardown();
	tcp_sock_free(NULL);
}
END_TEST

Suite *tcp_sock_test_suite(void)
{
	Suite *s = suite_create("tcp_sock");
	TCase *tc = tcase_create("tcp_sock");

	tcase_add_test(tc, tcp_sock_new__default_buffer);
	tcase_add_test(tc, tcp_sock_new__small_buffer);
	tcase_add_test(tc, tcp_sock_new__minimum_buffer);
	tcase_add_test(tc, tcp_sock_new__small_mss);
	tcase_add_test(tc, tcp_sock_new__sequence_numbers);
	tcase_add_test(tc, tcp_sock_free__frees_every_queue);
	suite_add_tcase(s, tc);
	return s;
}
