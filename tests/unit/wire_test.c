// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/peer/wire.c, in its order.
 */
#include "tests/unit/peer_fixture.h"

static struct peer_fix *f;
static struct sim_err err;
static u8 buf[70000];

static void setup(void)
{
	f = peer_fix_new();
}

static void teardown(void)
{
	peer_fix_free(f);
}

/* Raw records whose byte i is i mod 256, so that bytes say where they are. */
static void add_raw(u32 len)
{
	struct trace_rec *rec = peer_fix_add(f, REC_RAW, 0, len);
	u8 *raw = mem_pool_alloc_raw(f->s.pool, len);
	u32 i;

	for (i = 0; i < len; i++)
		raw[i] = (u8)i;
	rec->raw = raw;
}

static struct sk_buff *make(u64 from, u64 to, enum skb_layout layout)
{
	return wire_skb(peer_fix_peer(f), from, to, layout, false);
}

static void check_bytes(const struct sk_buff *skb, u64 from, u32 len)
{
	static u8 want[70000];

	ck_assert_uint_eq(skb->len, len);
	ck_assert_int_eq(skb_copy_bits(skb, 0, buf, len), 0);
	peer_copy(peer_fix_peer(f), from, want, len);
	ck_assert_mem_eq(buf, want, len);
}

static void deliver(const struct stmt_wire *w)
{
	ck_assert_int_eq(wire_deliver(peer_fix_peer(f), &f->tr, w, &err), 0);
}

static struct sk_buff *received(void)
{
	return skb_peek_tail(&f->s.conn.sk->sk_receive_queue);
}

START_TEST(wire_skb__numbers_and_bytes)
{
	struct sk_buff *skb;

	add_raw(1000);
	peer_fix_start(f);
	skb = make(100, 350, (enum skb_layout)_i);
	ck_assert_uint_eq(skb->seq, PEER_FIX_IRS + 100);
	ck_assert_uint_eq(skb->end_seq, PEER_FIX_IRS + 350);
	ck_assert(!skb->fin && !skb->cloned);
	check_bytes(skb, 100, 250);
	kfree_skb(skb);
}
END_TEST

/* R15: payload plus 832, and the stream's own page. */
START_TEST(wire_skb__frag_references_the_stream)
{
	struct sk_buff *skb;

	add_raw(1000);
	peer_fix_start(f);
	skb = make(0, 100, LAYOUT_FRAG);
	ck_assert_uint_eq(skb->truesize, 932);
	ck_assert_uint_eq(skb->nr_frags, 1);
	ck_assert_uint_eq(skb_headlen(skb), 0);
	ck_assert_ptr_eq(skb->frags[0].page, peer_fix_peer(f)->pages[0]);
	ck_assert_uint_eq(skb->frags[0].page->refcount, 2);
	kfree_skb(skb);
	ck_assert_uint_eq(peer_fix_peer(f)->pages[0]->refcount, 1);
}
END_TEST

START_TEST(wire_skb__frag_over_compound_pages)
{
	struct sk_buff *skb;

	add_raw(60000);
	add_raw(60000);
	peer_fix_start(f);
	skb = make(32000, 97483, LAYOUT_FRAG);
	ck_assert_uint_eq(skb->nr_frags, 3);
	ck_assert_uint_eq(skb->frags[0].len, 768);
	ck_assert_uint_eq(skb->frags[1].len, 32768);
	ck_assert_uint_eq(skb->frags[2].len, 65483 - 768 - 32768);
	check_bytes(skb, 32000, 65483);
	kfree_skb(skb);
}
END_TEST

START_TEST(wire_skb__one_frag_a_page)
{
	struct sk_buff *skb;

	add_raw(65483);
	peer_fix_start(f);
	skb = make(0, 65483, LAYOUT_PAGES);
	ck_assert_uint_eq(skb->nr_frags, 16);
	ck_assert_uint_eq(skb->truesize, 832 + 16 * 4096);
	check_bytes(skb, 0, 65483);
	kfree_skb(skb);
}
END_TEST

START_TEST(wire_skb__head)
{
	struct sk_buff *skb;

	add_raw(5000);
	peer_fix_start(f);
	skb = make(0, 5000, LAYOUT_HEAD_FRAG);
	ck_assert_uint_eq(skb_headlen(skb), 5000);
	ck_assert_uint_eq(skb->truesize, 5832);
	ck_assert_int_eq(skb->head_kind, M_HEAD_FRAG);
	kfree_skb(skb);
	skb = make(0, 5000, LAYOUT_HEAD_SLAB);
	ck_assert_int_eq(skb->head_kind, M_HEAD_SLAB);
	kfree_skb(skb);
}
END_TEST

START_TEST(wire_skb__held_is_cloned)
{
	struct sk_buff *skb;

	add_raw(10);
	peer_fix_start(f);
	skb = wire_skb(peer_fix_peer(f), 0, 10, LAYOUT_FRAG, true);
	ck_assert(skb->cloned);
	kfree_skb(skb);
}
END_TEST

/* The changed byte is not in the stream's memory. */
START_TEST(spoilt_skb__leaves_the_stream_alone)
{
	struct stmt_wire w;

	add_raw(100);
	peer_fix_start(f);
	w = peer_fix_wire(f, 0);
	w.layout = _i;
	w.flip_off = 7;
	w.flip = 0x80;
	deliver(&w);
	ck_assert_uint_eq(received()->truesize,
			  _i == LAYOUT_PAGES ? 832 + 4096 : 932);
	ck_assert_int_eq(skb_copy_bits(received(), 6, buf, 3), 0);
	ck_assert_mem_eq(buf, "\x06\x87\x08", 3);
	peer_copy(peer_fix_peer(f), 7, buf, 1);
	ck_assert_uint_eq(buf[0], 7);
}
END_TEST

/* The byte counts over the statement, not over each segment. */
START_TEST(spoilt_skb__in_one_of_several_segments)
{
	struct stmt_wire w;

	add_raw(100);
	peer_fix_start(f);
	w = peer_fix_wire(f, 0);
	w.cut = 40;
	w.flip_off = 50;
	w.flip = 1;
	deliver(&w);
	ck_assert_uint_eq(f->seg_n, 3);
	ck_assert_int_eq(skb_copy_bits(received(), 49, buf, 3), 0);
	ck_assert_mem_eq(buf, "\x31\x33\x33", 3);
}
END_TEST

START_TEST(wire_xmit__closed_socket)
{
	struct stmt_wire w;

	add_raw(100);
	peer_fix_start(f);
	w = peer_fix_wire(f, 0);
	f->s.conn.sk->sk_dead = true;
	deliver(&w);
	ck_assert_uint_eq(f->seg_n, 0);
}
END_TEST

/* A segment of the peer acknowledges a FIN that it has seen. */
START_TEST(wire_xmit__acknowledges_fin)
{
	struct stmt_wire w;

	add_raw(100);
	peer_fix_start(f);
	tcp_shutdown(f->s.conn.sk, M_SHUT_WR);
	ck_assert_int_eq(f->s.conn.sk->sk_state, TCP_FIN_WAIT1);
	w = peer_fix_wire(f, 0);
	deliver(&w);
	ck_assert_int_eq(f->s.conn.sk->sk_state, TCP_FIN_WAIT2);
}
END_TEST

START_TEST(wire_run__adjacent_ranges_are_one_segment)
{
	struct trace_range ranges[] = {
		{ .rec = 0, .count = 1, .to = RANGE_END },
		{ .rec = 1, .count = 1, .to = 3 },
	};
	struct stmt_wire w = {
		.range = ranges,
		.range_n = 2,
		.layout = -1,
		.held = -1,
	};

	add_raw(10);
	add_raw(10);
	peer_fix_start(f);
	deliver(&w);
	ck_assert_uint_eq(f->seg_n, 1);
	peer_fix_check_seg(f, 0, 0, 13, 0);
}
END_TEST

START_TEST(wire_run__gap_starts_a_segment)
{
	struct trace_range ranges[] = {
		{ .rec = 1, .count = 1, .to = RANGE_END },
		{ .rec = 0, .count = 1, .to = RANGE_END },
	};
	struct stmt_wire w = {
		.range = ranges,
		.range_n = 2,
		.layout = -1,
		.held = -1,
	};

	add_raw(10);
	add_raw(20);
	peer_fix_start(f);
	deliver(&w);
	ck_assert_uint_eq(f->seg_n, 2);
	peer_fix_check_seg(f, 0, 10, 20, 0);
	peer_fix_check_seg(f, 1, 0, 10, 0);
	ck_assert_uint_eq(peer_fix_drain(f), 30);
}
END_TEST

START_TEST(deliver_run__cut)
{
	struct stmt_wire w;

	add_raw(25);
	peer_fix_start(f);
	w = peer_fix_wire(f, 0);
	w.cut = 10;
	deliver(&w);
	ck_assert_uint_eq(f->seg_n, 3);
	peer_fix_check_seg(f, 1, 10, 10, 0);
	peer_fix_check_seg(f, 2, 20, 5, 0);
}
END_TEST

/* No segment is longer than loopback's, whatever the trace says. */
START_TEST(deliver_run__longest_segment)
{
	struct stmt_wire w;

	add_raw(66000);
	f->tr.opts.rcvbuf = 1000000;
	peer_fix_start(f);
	w = peer_fix_wire(f, 0);
	deliver(&w);
	ck_assert_uint_eq(f->seg_n, 2);
	peer_fix_check_seg(f, 0, 0, 65483, 0);
	peer_fix_check_seg(f, 1, 65483, 517, 0);
}
END_TEST

START_TEST(deliver_run__urgent_byte)
{
	struct stmt_wire w;

	add_raw(25);
	peer_fix_start(f);
	w = peer_fix_wire(f, 0);
	w.cut = 20;
	w.urg = true;
	deliver(&w);
	peer_fix_check_seg(f, 0, 0, 20, 32);
	peer_fix_check_seg(f, 1, 20, 5, 32);
	ck_assert_uint_eq(tcp_sk(f->s.conn.sk)->urg_seq, PEER_FIX_IRS + 24);
}
END_TEST

START_TEST(deliver_run__layout_and_held_of_the_trace)
{
	struct stmt_wire w;

	add_raw(25);
	f->tr.opts.layout = LAYOUT_HEAD_SLAB;
	f->tr.opts.held = true;
	f->deaf = true;
	peer_fix_start(f);
	w = peer_fix_wire(f, 0);
	deliver(&w);
	ck_assert_uint_eq(skb_headlen(received()), 25);
	ck_assert(received()->cloned);
}
END_TEST

/* An unusable range anywhere: nothing at all is delivered. */
START_TEST(wire_deliver__wrong_range)
{
	struct trace_range ranges[] = {
		{ .rec = 0, .count = 1, .to = 5 },
		{ .rec = 0, .count = 1, .to = 11 },
	};
	struct stmt_wire w = {
		.range = ranges,
		.range_n = 2,
		.layout = -1,
		.held = -1,
	};

	add_raw(10);
	peer_fix_start(f);
	ck_assert_int_eq(wire_deliver(peer_fix_peer(f), &f->tr, &w, &err), -1);
	ck_assert_uint_eq(f->seg_n, 0);
}
END_TEST

START_TEST(wire_deliver__nothing)
{
	struct stmt_wire w;

	add_raw(0);
	peer_fix_start(f);
	w = peer_fix_wire(f, 0);
	deliver(&w);
	ck_assert_uint_eq(f->seg_n, 0);
}
END_TEST

START_TEST(wire_fin_at__ahead_of_the_data)
{
	peer_fix_start(f);
	wire_fin_at(peer_fix_peer(f), 10);
	peer_fix_check_seg(f, 0, 10, 0, 1);
	ck_assert_int_eq(f->s.conn.sk->sk_state, TCP_ESTABLISHED);
}
END_TEST

START_TEST(wire_fin__behind_the_highest_byte)
{
	struct trace_range range = { .rec = 0, .count = 1, .from = 4, .to = 7 };
	struct stmt_wire w = {
		.range = &range,
		.range_n = 1,
		.layout = -1,
		.held = -1,
	};

	add_raw(10);
	peer_fix_start(f);
	deliver(&w);
	wire_fin(peer_fix_peer(f));
	peer_fix_check_seg(f, 1, 7, 0, 1);
	ck_assert_int_eq(f->s.conn.sk->sk_state, TCP_ESTABLISHED);
}
END_TEST

START_TEST(wire_fin__in_order)
{
	peer_fix_start(f);
	wire_fin(peer_fix_peer(f));
	peer_fix_check_seg(f, 0, 0, 0, 1);
	ck_assert_int_eq(f->s.conn.sk->sk_state, TCP_CLOSE_WAIT);
}
END_TEST

/* Not exactly in place: challenged, and the sender knows nothing of it. */
START_TEST(wire_rst_at__not_in_place)
{
	peer_fix_start(f);
	wire_rst_at(peer_fix_peer(f), 10);
	peer_fix_check_seg(f, 0, 10, 0, 4);
	ck_assert_int_eq(f->s.conn.sk->sk_state, TCP_ESTABLISHED);
	ck_assert(!peer_fix_peer(f)->sender.dead);
}
END_TEST

START_TEST(wire_rst__is_accepted)
{
	struct stmt_wire w;

	add_raw(10);
	peer_fix_start(f);
	w = peer_fix_wire(f, 0);
	deliver(&w);
	wire_rst(peer_fix_peer(f));
	peer_fix_check_seg(f, 1, 10, 0, 4);
	ck_assert_int_eq(f->s.conn.sk->sk_err, ECONNRESET);
	ck_assert(peer_fix_peer(f)->sender.dead);
}
END_TEST

START_TEST(wire_rst__behind_a_fin)
{
	peer_fix_start(f);
	wire_fin(peer_fix_peer(f));
	wire_rst(peer_fix_peer(f));
	peer_fix_check_seg(f, 1, 1, 0, 4);
	ck_assert_int_eq(f->s.conn.sk->sk_err, EPIPE);
}
END_TEST

static TCase *skb_cases(void)
{
	TCase *tc = tcase_create("skb");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, wire_skb__numbers_and_bytes, 0, LAYOUT_COUNT);
	tcase_add_test(tc, wire_skb__frag_references_the_stream);
	tcase_add_test(tc, wire_skb__frag_over_compound_pages);
	tcase_add_test(tc, wire_skb__one_frag_a_page);
	tcase_add_test(tc, wire_skb__head);
	tcase_add_test(tc, wire_skb__held_is_cloned);
	tcase_add_loop_test(tc, spoilt_skb__leaves_the_stream_alone, 0,
			    LAYOUT_COUNT);
	tcase_add_test(tc, spoilt_skb__in_one_of_several_segments);
	return tc;
}

Suite *wire_test_suite(void);
Suite *wire_test_suite(void)
{
	Suite *suite = suite_create("wire");
	TCase *tc = tcase_create("wire");

	suite_add_tcase(suite, skb_cases());
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, wire_xmit__closed_socket);
	tcase_add_test(tc, wire_xmit__acknowledges_fin);
	tcase_add_test(tc, wire_run__adjacent_ranges_are_one_segment);
	tcase_add_test(tc, wire_run__gap_starts_a_segment);
	tcase_add_test(tc, deliver_run__cut);
	tcase_add_test(tc, deliver_run__longest_segment);
	tcase_add_test(tc, deliver_run__urgent_byte);
	tcase_add_test(tc, deliver_run__layout_and_held_of_the_trace);
	tcase_add_test(tc, wire_deliver__wrong_range);
	tcase_add_test(tc, wire_deliver__nothing);
	tcase_add_test(tc, wire_fin_at__ahead_of_the_data);
	tcase_add_test(tc, wire_fin__behind_the_highest_byte);
	tcase_add_test(tc, wire_fin__in_order);
	tcase_add_test(tc, wire_rst_at__not_in_place);
	tcase_add_test(tc, wire_rst__is_accepted);
	tcase_add_test(tc, wire_rst__behind_a_fin);
	suite_add_tcase(suite, tc);
	return suite;
}
