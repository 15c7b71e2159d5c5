// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/tcp_prune.c, in its order (facts R21).
 */
#include "tests/unit/tcp_mock.h"

/* Buffers of a locked size: nothing is solved by growing. */
static void setup_locked(void)
{
	tcp_setup();
	sk->sk_rcvbuf_locked = true;
}

/* @n held segments of @len bytes from @off on. */
static void rx_many(u32 off, u32 len, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		rx_held(off + i * len, len);
}

/* Makes every further segment find the buffer over its limit. */
static void exhaust(void)
{
	sk->sk_rcvbuf = sk->sk_rmem_alloc - 1;
}

/* 100 segments of 10 bytes become one linear skb, whose tail room takes the
 * next one free of charge. */
START_TEST(tcp_collapse__small_segments)
{
	const struct sk_buff *skb;

	rx_many(0, 10, 100);
	ck_assert_int_eq(sk->sk_rmem_alloc, 84200);
	exhaust();
	rx_held(1000, 10);
	ck_assert_uint_eq(mock_event_count(m, EV_COLLAPSE), 1);
	ck_assert_uint_eq(sk->sk_receive_queue.qlen, 1);
	skb = skb_peek(&sk->sk_receive_queue);
	ck_assert_uint_eq(skb->len, 1010);
	ck_assert_uint_eq(skb_headlen(skb), 1010);
	ck_assert_uint_eq(skb->truesize, 2048 + 256);
	ck_assert_int_eq(recv_nowait(2000), 1010);
	ck_assert(mock_bytes_ok(buf, IRS, 1010));
}
END_TEST

/* More than a page gives several skbs. */
START_TEST(tcp_collapse__several_pages)
{
	rx_many(0, 100, 100);
	exhaust();
	rx_held(10000, 1);
	ck_assert_uint_eq(sk->sk_receive_queue.qlen, 3);
	ck_assert_uint_eq(skb_peek(&sk->sk_receive_queue)->len, 3776);
	ck_assert_uint_eq(skb_peek(&sk->sk_receive_queue)->truesize, 4352);
	ck_assert_int_eq(recv_nowait(20000), 10001);
	ck_assert(mock_bytes_ok(buf, IRS, 10001));
}
END_TEST

/* Size classes of the head: small, then powers of two. */
START_TEST(tcp_collapse__truesize)
{
	rx_many(0, 1, 2);
	exhaust();
	rx_held(2, 1);
	ck_assert_uint_eq(skb_peek(&sk->sk_receive_queue)->truesize, 832);
}
END_TEST

/* Bytes read already and bytes held twice disappear. */
START_TEST(tcp_collapse__overlap_and_read_part)
{
	rx_held(0, 20);
	rx_held(10, 20);
	rx_held(25, 20);
	ck_assert_int_eq(recv_nowait(5), 5);
	exhaust();
	rx_held(45, 5);
	ck_assert_uint_eq(skb_peek(&sk->sk_receive_queue)->len, 45);
	ck_assert_int_eq(recv_nowait(100), 45);
	ck_assert(mock_bytes_ok(buf, IRS + 5, 45));
}
END_TEST

/* What is not bloated stays as it is, its place is kept. */
START_TEST(tcp_collapse__full_segments_stay)
{
	const struct sk_buff *first;

	rx_held(0, 60000);
	first = skb_peek(&sk->sk_receive_queue);
	rx_many(60000, 10, 20);
	exhaust();
	rx_held(60200, 1);
	ck_assert_ptr_eq(skb_peek(&sk->sk_receive_queue), first);
	ck_assert_uint_eq(first->next->len, 201);
	ck_assert_int_eq(recv_nowait(100000), 60201);
	ck_assert(mock_bytes_ok(buf, IRS, 60201));
}
END_TEST

/* A buffer with FIN is never collapsed. */
START_TEST(tcp_collapse__not_the_fin)
{
	rx_many(0, 10, 10);
	rx_fin(100, 10);
	exhaust();
	tcp_try_rmem_schedule(sk, skb_peek(&sk->sk_receive_queue));
	ck_assert_uint_eq(sk->sk_receive_queue.qlen, 2);
	ck_assert(skb_peek_tail(&sk->sk_receive_queue)->fin);
	ck_assert_int_eq(recv_nowait(1000), 110);
	ck_assert_int_eq(recv_nowait(1000), 0);
}
END_TEST

/* Without memory for a copy the queue stays whole. */
START_TEST(tcp_collapse__allocation_fails)
{
	rx_many(0, 100, 60);
	exhaust();
	mock_fail(m, SITE_COLLAPSE, 3);
	mock_fail(m, SITE_COLLAPSE, 6);
	rx_held(6000, 10);
	ck_assert_uint_eq(skb_peek(&sk->sk_receive_queue)->len, 3776);
	ck_assert_int_gt(recv_nowait(10000), 5999);
	ck_assert(mock_bytes_ok(buf, IRS, 6000));
}
END_TEST

/* What was read already, but not taken off the queue, goes first. */
START_TEST(tcp_collapse_find__no_new_bits)
{
	rx_many(0, 10, 10);
	tp->copied_seq += 10;
	exhaust();
	rx_held(100, 1);
	ck_assert_uint_eq(skb_peek(&sk->sk_receive_queue)->seq, IRS + 10);
	ck_assert_int_eq(recv_nowait(1000), 91);
	ck_assert(mock_bytes_ok(buf, IRS + 10, 91));
}
END_TEST

/* The skb is there, its page is not. */
START_TEST(tcp_collapse_alloc__page_fails)
{
	rx_many(0, 10, 10);
	exhaust();
	mock_fail(m, SITE_COLLAPSE, 2);
	rx_held(100, 10);
	ck_assert_int_eq(last_drop(), TCP_DROP_PROTO_MEM);
	ck_assert_uint_eq(sk->sk_receive_queue.qlen, 10);
}
END_TEST

START_TEST(tcp_collapse_ofo_queue__runs)
{
	rx_many(1000, 10, 50);
	rx_many(2000, 10, 50);
	exhaust();
	rx_held(3000, 10);
	ck_assert_uint_eq(tp->out_of_order_queue.qlen, 3);
	ck_assert_uint_eq(skb_peek(&tp->out_of_order_queue)->len, 500);
	rx(0, 1000);
	ck_assert_int_eq(recv_nowait(10000), 1500);
	ck_assert(mock_bytes_ok(buf, IRS, 1500));
}
END_TEST

/* Lonely tiny ones are not worth it, and a lot of them ends the search. */
START_TEST(tcp_collapse_ofo_queue__tiny)
{
	u32 i;

	for (i = 0; i < 20; i++)
		rx_held(1000 + 100 * i, 10);
	exhaust();
	rx_held(5000, 10);
	ck_assert_uint_eq(mock_event_count(m, EV_COLLAPSE), 0);
	ck_assert_uint_eq(tp->out_of_order_queue.qlen, 20);
	ck_assert_int_eq(last_drop(), TCP_DROP_PROTO_MEM);
}
END_TEST

/* From the highest sequence number downward; an eighth at a time. */
START_TEST(tcp_prune_ofo_queue__highest_first)
{
	u32 i;

	for (i = 0; i < 20; i++)
		rx_held(1000 + 100 * i, 10);
	exhaust();
	rx(0, 10);
	ck_assert_uint_eq(rel_nxt(), 10);
	ck_assert_int_eq(mock_event(m, EV_SEG_DROP, 0)->a, 1000 + 1900);
	ck_assert_int_eq(last_drop(), TCP_DROP_OFO_QUEUE_PRUNE);
	ck_assert_uint_eq(mock_event_count(m, EV_SEG_DROP), 3);
	ck_assert_uint_eq(tp->out_of_order_queue.qlen, 17);
}
END_TEST

/* Never below the incoming segment. */
START_TEST(tcp_prune_ofo_queue__not_in_front_of_the_new)
{
	u32 i;

	for (i = 0; i < 20; i++)
		rx_held(1000 + 100 * i, 10);
	sk->sk_rcvbuf = 1;
	rx(2850, 10);
	ck_assert_uint_eq(tp->out_of_order_queue.qlen, 19);
	ck_assert_int_eq(last_drop(), TCP_DROP_PROTO_MEM);
}
END_TEST

/* R21: growing the buffer comes first when the user did not fix it. */
START_TEST(tcp_prune_queue__grows_unlocked_buffer)
{
	rx_many(0, 10, 100);
	exhaust();
	sk->sk_rcvbuf_locked = false;
	rx_held(1000, 10);
	ck_assert_uint_eq(mock_event_count(m, EV_COLLAPSE), 0);
	ck_assert_int_eq(sk->sk_rcvbuf, 84200);
	ck_assert_uint_eq(rel_nxt(), 1010);
}
END_TEST

START_TEST(tcp_prune_queue__nothing_charged)
{
	sk->sk_rcvbuf = -1;
	ck_assert(!tcp_try_rmem_schedule(sk, NULL));
}
END_TEST

Suite *tcp_prune_test_suite(void)
{
	Suite *s = suite_create("tcp_prune");
	TCase *tc = tcase_create("tcp_prune");

	tcase_add_checked_fixture(tc, setup_locked, tcp_teardown);
	tcase_add_test(tc, tcp_collapse__small_segments);
	tcase_add_test(tc, tcp_collapse__several_pages);
	tcase_add_test(tc, tcp_collapse__truesize);
	tcase_add_test(tc, tcp_collapse__overlap_and_read_part);
	tcase_add_test(tc, tcp_collapse__full_segments_stay);
	tcase_add_test(tc, tcp_collapse__not_the_fin);
	tcase_add_test(tc, tcp_collapse__allocation_fails);
	tcase_add_test(tc, tcp_collapse_find__no_new_bits);
	tcase_add_test(tc, tcp_collapse_alloc__page_fails);
	tcase_add_test(tc, tcp_collapse_ofo_queue__runs);
	tcase_add_test(tc, tcp_collapse_ofo_queue__tiny);
	tcase_add_test(tc, tcp_prune_ofo_queue__highest_first);
	tcase_add_test(tc, tcp_prune_ofo_queue__not_in_front_of_the_new);
	tcase_add_test(tc, tcp_prune_queue__grows_unlocked_buffer);
	tcase_add_test(tc, tcp_prune_queue__nothing_charged);
	suite_add_tcase(s, tc);
	return s;
}
