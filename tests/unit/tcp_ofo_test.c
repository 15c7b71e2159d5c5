// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/tcp_ofo.c, in its order (facts R17..R19).
 */
#include "tests/unit/tcp_mock.h"

/* The out-of-order queue is exactly these [from, to) pairs. */
static void check_ofo(const u32 (*want)[2], u32 n)
{
	const struct sk_buff *skb = skb_peek(&tp->out_of_order_queue);
	u32 i;

	ck_assert_uint_eq(tp->out_of_order_queue.qlen, n);
	for (i = 0; i < n; i++, skb = skb->next) {
		ck_assert_uint_eq(skb->seq - IRS, want[i][0]);
		ck_assert_uint_eq(skb->end_seq - IRS, want[i][1]);
	}
}

#define CHECK_OFO(...)                                        \
	do {                                                  \
		static const u32 want[][2] = { __VA_ARGS__ }; \
		check_ofo(want, ARRAY_SIZE(want));            \
	} while (0)

/* Two entries: the first one that came is the root, and is met first. */
START_TEST(tcp_ofo_find__merged_at_the_root)
{
	rx(10, 10);
	rx(15, 20);
	rx(20, 15);
	CHECK_OFO({ 10, 35 }, { 15, 35 });
}
END_TEST

START_TEST(tcp_ofo_find__dropped_inside_the_root)
{
	rx(15, 20);
	rx(10, 10);
	rx(20, 15);
	CHECK_OFO({ 10, 20 }, { 15, 35 });
}
END_TEST

START_TEST(tcp_ofo_find__any_order)
{
	rx(50, 10);
	rx(10, 10);
	rx(30, 10);
	rx(70, 10);
	CHECK_OFO({ 10, 20 }, { 30, 40 }, { 50, 60 }, { 70, 80 });
	ck_assert_uint_eq(mock_event_count(m, EV_SEG_OFO), 4);
	ck_assert_int_eq(sk->sk_rmem_alloc, 4 * 842);
}
END_TEST

/* Fully inside: the new one is dropped. */
START_TEST(tcp_ooo_try_coalesce__inside)
{
	rx(10, 20);
	rx(50, 10);
	rx(10, 20);
	rx(12, 5);
	CHECK_OFO({ 10, 30 }, { 50, 60 });
	ck_assert_int_eq(last_drop(), TCP_DROP_OFOMERGE);
	ck_assert_int_eq(sk->sk_rmem_alloc, 852 + 842);
}
END_TEST

/* Abutting: merged, charged without overhead. */
START_TEST(tcp_ooo_try_coalesce__abuts)
{
	rx(10, 10);
	rx(20, 10);
	CHECK_OFO({ 10, 30 });
	ck_assert_int_eq(sk->sk_rmem_alloc, 842 + 10);
}
END_TEST

START_TEST(tcp_ooo_try_coalesce__held_does_not_merge)
{
	rx_held(10, 10);
	rx(20, 10);
	CHECK_OFO({ 10, 20 }, { 20, 30 });
}
END_TEST

/* Same start and longer: replaces. */
START_TEST(tcp_ofo_insert__replaces)
{
	rx(10, 10);
	rx(10, 20);
	CHECK_OFO({ 10, 30 });
	ck_assert_int_eq(last_drop(), TCP_DROP_OFOMERGE);
	ck_assert_int_eq(sk->sk_rmem_alloc, 852);
}
END_TEST

/* Partial overlap: both are kept. */
START_TEST(tcp_ofo_insert__partial_overlap)
{
	rx(10, 10);
	rx(15, 10);
	rx(5, 10);
	CHECK_OFO({ 5, 15 }, { 10, 20 }, { 15, 25 });
}
END_TEST

START_TEST(tcp_ofo_drop_covered__later_entries)
{
	rx(20, 5);
	rx(30, 5);
	rx(40, 20);
	rx(10, 35);
	CHECK_OFO({ 10, 45 }, { 40, 60 });
	ck_assert_uint_eq(mock_event_count(m, EV_SEG_DROP), 2);
}
END_TEST

/* R17: the memory gate comes first; readers are woken all the same. */
START_TEST(tcp_data_queue_ofo__no_memory)
{
	sk->sk_rcvbuf_locked = true;
	rx_held(0, 1000);
	sk->sk_rcvbuf = 100;
	m->fail_nth[SITE_COLLAPSE] = ~0ull;
	mock_events_clear(m);
	rx(2000, 10);
	ck_assert_int_eq(last_drop(), TCP_DROP_PROTO_MEM);
	ck_assert_uint_eq(mock_event_count(m, EV_DATA_READY), 1);
	ck_assert(skb_queue_empty(&tp->out_of_order_queue));
}
END_TEST

/* 7.2 makes the buffer larger when there is a hole. */
START_TEST(tcp_data_queue_ofo__grows_rcvbuf)
{
	s32 old = sk->sk_rcvbuf;

	rx(10000, 1000);
	ck_assert_int_gt(sk->sk_rcvbuf, old);
}
END_TEST

START_TEST(tcp_data_queue_ofo__dead_does_not_grow)
{
	s32 old = sk->sk_rcvbuf;

	sk->sk_dead = true;
	rx(10000, 1000);
	ck_assert_int_eq(sk->sk_rcvbuf, old);
}
END_TEST

/* R18, R19. */
START_TEST(tcp_ofo_queue__hole_closes)
{
	rx(10, 10);
	rx(30, 10);
	rx(0, 10);
	ck_assert_uint_eq(rel_nxt(), 20);
	CHECK_OFO({ 30, 40 });
	rx(20, 10);
	ck_assert_uint_eq(rel_nxt(), 40);
	ck_assert(skb_queue_empty(&tp->out_of_order_queue));
	ck_assert_int_eq(recv_nowait(100), 40);
	ck_assert(mock_bytes_ok(buf, IRS, 40));
	ck_assert_int_eq(sk->sk_rmem_alloc, 0);
}
END_TEST

/* A late long segment makes what waited superfluous. */
START_TEST(tcp_ofo_queue__nothing_new_left)
{
	rx(10, 10);
	rx(30, 10);
	rx(0, 35);
	ck_assert_uint_eq(rel_nxt(), 40);
	ck_assert_int_eq(mock_event(m, EV_SEG_DROP, 0)->c, TCP_DROP_OFO_DROP);
	ck_assert_int_eq(recv_nowait(100), 40);
	ck_assert(mock_bytes_ok(buf, IRS, 40));
}
END_TEST

START_TEST(tcp_ofo_queue__fin_ends_it)
{
	rx_held(20, 10);
	rx_fin(10, 10);
	CHECK_OFO({ 10, 21 }, { 20, 30 });
	rx(0, 10);
	ck_assert(sk->sk_done);
	ck_assert_uint_eq(rel_nxt(), 21);
	ck_assert(skb_queue_empty(&tp->out_of_order_queue));
	ck_assert_int_eq(last_drop(), TCP_DROP_OFO_PURGE);
	ck_assert_int_eq(recv_nowait(100), 20);
	ck_assert_int_eq(recv_nowait(100), 0);
}
END_TEST

/* Overlaps in reverse order, as on a real kernel: one stream in the end. */
START_TEST(tcp_ofo_queue__overlaps_in_reverse)
{
	rx(140, 60);
	rx(50, 100);
	rx(0, 70);
	ck_assert_uint_eq(rel_nxt(), 200);
	ck_assert_int_eq(tcp_inq(sk), 200);
	ck_assert_int_eq(recv_nowait(1000), 200);
	ck_assert(mock_bytes_ok(buf, IRS, 200));
}
END_TEST

Suite *tcp_ofo_test_suite(void)
{
	Suite *s = suite_create("tcp_ofo");
	TCase *tc = tcase_create("tcp_ofo");

	tcase_add_checked_fixture(tc, tcp_setup, tcp_teardown);
	tcase_add_test(tc, tcp_ofo_find__merged_at_the_root);
	tcase_add_test(tc, tcp_ofo_find__dropped_inside_the_root);
	tcase_add_test(tc, tcp_ofo_find__any_order);
	tcase_add_test(tc, tcp_ooo_try_coalesce__inside);
	tcase_add_test(tc, tcp_ooo_try_coalesce__abuts);
	tcase_add_test(tc, tcp_ooo_try_coalesce__held_does_not_merge);
	tcase_add_test(tc, tcp_ofo_insert__replaces);
	tcase_add_test(tc, tcp_ofo_insert__partial_overlap);
	tcase_add_test(tc, tcp_ofo_drop_covered__later_entries);
	tcase_add_test(tc, tcp_data_queue_ofo__no_memory);
	tcase_add_test(tc, tcp_data_queue_ofo__grows_rcvbuf);
	tcase_add_test(tc, tcp_data_queue_ofo__dead_does_not_grow);
	tcase_add_test(tc, tcp_ofo_queue__hole_closes);
	tcase_add_test(tc, tcp_ofo_queue__nothing_new_left);
	tcase_add_test(tc, tcp_ofo_queue__fin_ends_it);
	tcase_add_test(tc, tcp_ofo_queue__overlaps_in_reverse);
	suite_add_tcase(s, tc);
	return s;
}
