// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/peer/sender.c, in its order.
 */
#include "tests/unit/sender_fixture.h"

static struct sim_err err;

/* R15, C2: one 65483-byte write on a fresh connection is three segments. */
START_TEST(offer_window__half_the_first_window)
{
	add_raw(1, 65483);
	peer_fix_start(f);
	ck_assert_uint_eq(s->max_win, 65483);
	send_rec(0);
	ck_assert_uint_eq(f->seg_n, 3);
	check_seg(0, 0, 32741, 0);
	check_seg(1, 32741, 32741, 0);
	check_seg(2, 65482, 1, 0);
}
END_TEST

START_TEST(offer_window__grows_with_the_window)
{
	start_deaf(1, 10);
	ack(0, 200000);
	ck_assert_uint_eq(s->cut, 65483);
	ack(0, 1000);
	ck_assert_uint_eq(s->cut, 65483);
}
END_TEST

START_TEST(offer_window__path_mss)
{
	f->tr.opts.mss = 1460;
	add_raw(1, 3000);
	peer_fix_start(f);
	send_rec(0);
	ck_assert_uint_eq(f->seg_n, 3);
	check_seg(0, 0, 1460, 0);
	check_seg(2, 2920, 80, 0);
}
END_TEST

START_TEST(queue_write__each_write_is_a_segment)
{
	add_raw(3, 100);
	peer_fix_start(f);
	send_rec(0);
	send_rec(1);
	send_rec(2);
	ck_assert_uint_eq(f->seg_n, 3);
	check_seg(1, 100, 100, 0);
	ck_assert(sender_done(p));
	ck_assert_int_eq(s->timer_ns, -1);
}
END_TEST

START_TEST(queue_write__held_back_writes_are_joined)
{
	start_deaf(3, 100);
	ack(0, 0);
	send_rec(0);
	send_rec(1);
	send_rec(2);
	ck_assert_uint_eq(f->seg_n, 0);
	ack(0, 10000);
	ck_assert_uint_eq(f->seg_n, 1);
	check_seg(0, 0, 300, 0);
}
END_TEST

START_TEST(queue_write__joined_up_to_the_segment_size)
{
	f->tr.opts.mss = 250;
	start_deaf(3, 100);
	ack(0, 0);
	send_rec(0);
	send_rec(1);
	send_rec(2);
	ack(0, 10000);
	ck_assert_uint_eq(f->seg_n, 2);
	check_seg(0, 0, 250, 0);
	check_seg(1, 250, 50, 0);
}
END_TEST

/* What was sent before is no tail to join, even when it is sent again. */
START_TEST(queue_write__not_joined_to_what_was_sent)
{
	start_deaf(2, 100);
	send_rec(0);
	fire();
	send_rec(1);
	ack(100, 10000);
	ck_assert_uint_eq(f->seg_n, 3);
	check_seg(1, 0, 100, 0);
	check_seg(2, 100, 100, 0);
}
END_TEST

START_TEST(skip_wired__goes_on_behind_raw_bytes)
{
	add_raw(2, 100);
	f->deaf = true;
	peer_fix_start(f);
	wire_rec(0);
	send_rec(1);
	ck_assert_uint_eq(f->seg_n, 2);
	check_seg(1, 100, 100, 0);
	ck_assert_int_eq(s->timer_ns, 200 * MS);
}
END_TEST

/* Raw bytes that got lost are repaired by the sender's timer. */
START_TEST(skip_wired__hole_is_sent_again)
{
	add_raw(3, 100);
	peer_fix_start(f);
	wire_rec(1);
	send_rec(2);
	fire();
	ck_assert_uint_eq(f->seg_n, 3);
	check_seg(2, 0, 200, 0);
	ck_assert(sender_done(p));
	ck_assert_uint_eq(peer_fix_drain(f), 300);
}
END_TEST

START_TEST(sender_queue__writes_of_cut_bytes)
{
	struct stmt_wire w;

	add_raw(1, 25);
	peer_fix_start(f);
	w = peer_fix_wire(f, 0);
	w.cut = 10;
	peer_fix_send(f, &w);
	ck_assert_uint_eq(f->seg_n, 3);
	check_seg(2, 20, 5, 0);
}
END_TEST

START_TEST(sender_queue__layout_held_urgent)
{
	struct sk_buff *skb;
	struct stmt_wire w;

	start_deaf(1, 25);
	w = peer_fix_wire(f, 0);
	w.layout = LAYOUT_HEAD_SLAB;
	w.held = 1;
	w.urg = true;
	peer_fix_send(f, &w);
	check_seg(0, 0, 25, 32);
	skb = skb_peek_tail(&f->s.conn.sk->sk_receive_queue);
	ck_assert_uint_eq(skb_headlen(skb), 25);
	ck_assert(skb->cloned);
	ck_assert_uint_eq(skb->urg_seq, PEER_FIX_IRS + 24);
}
END_TEST

static int queue_again(u32 rec, u8 bits)
{
	struct stmt_wire w = peer_fix_wire(f, rec);

	w.flip = bits;
	return sender_queue(p, &f->tr, &w, &err);
}
START_TEST(sender_queue__must_go_on_where_it_ended)
{
	add_raw(3, 10);
	peer_fix_start(f);
	ck_assert_int_eq(queue_again(1, 0), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "byte 0 on"));
	ck_assert_int_eq(queue_again(0, 0), 0);
	ck_assert_int_eq(queue_again(0, 0), -1);
	ck_assert_int_eq(queue_again(1, 1), -1);
	ck_assert_int_eq(queue_again(1, 0), 0);
	sender_fin(p);
	ck_assert_int_eq(queue_again(2, 0), -1);
	ck_assert_uint_eq(f->seg_n, 3);
}
END_TEST

START_TEST(sender_queue__ranges_with_a_gap)
{
	struct trace_range ranges[] = {
		{ .rec = 0, .count = 1, .to = 5 },
		{ .rec = 1, .count = 1, .to = 5 },
	};
	struct stmt_wire w = {
		.range = ranges,
		.range_n = 2,
		.layout = -1,
		.held = -1,
	};

	add_raw(2, 10);
	peer_fix_start(f);
	ck_assert_int_eq(sender_queue(p, &f->tr, &w, &err), -1);
	ranges[1].to = 11;
	ck_assert_int_eq(sender_queue(p, &f->tr, &w, &err), -1);
	ck_assert_uint_eq(f->seg_n, 0);
}
END_TEST

START_TEST(sender_queue__lost_after_a_reset)
{
	add_raw(1, 10);
	peer_fix_start(f);
	sender_ack(p, TCPHDR_RST, 0, 0);
	send_rec(0);
	ck_assert_uint_eq(f->seg_n, 0);
	ck_assert(sender_done(p));
}
END_TEST

START_TEST(sender_queue_rest__all_that_was_built)
{
	add_raw(3, 100);
	peer_fix_start(f);
	send_rec(0);
	ck_assert(!sender_done(p));
	sender_queue_rest(p);
	sender_push(p);
	ck_assert_uint_eq(f->seg_n, 2);
	check_seg(1, 100, 200, 0);
	ck_assert(sender_done(p));
}
END_TEST

START_TEST(sender_queue_rest__not_behind_a_fin)
{
	add_raw(1, 100);
	peer_fix_start(f);
	wire_fin(p);
	sender_queue_rest(p);
	ck_assert(!sender_push(p));
	ck_assert(sender_done(p));
}
END_TEST

START_TEST(sender_fin__alone)
{
	add_raw(1, 100);
	peer_fix_start(f);
	send_rec(0);
	sender_fin(p);
	ck_assert_uint_eq(f->seg_n, 2);
	check_seg(1, 100, 0, 1);
	ck_assert(sender_done(p));
	sender_fin(p);
	ck_assert_uint_eq(f->seg_n, 2);
}
END_TEST

START_TEST(sender_fin__with_the_last_bytes)
{
	start_deaf(2, 100);
	window(0, 100);
	send_rec(0);
	send_rec(1);
	sender_fin(p);
	ck_assert_uint_eq(f->seg_n, 1);
	ack(100, 1000);
	ck_assert_uint_eq(f->seg_n, 2);
	check_seg(1, 100, 100, 1);
	ck_assert(!sender_done(p));
	ack(201, 1000);
	ck_assert(sender_done(p));
}
END_TEST

START_TEST(sender_fin__sent_again)
{
	start_deaf(0, 0);
	sender_fin(p);
	fire();
	ck_assert_uint_eq(f->seg_n, 2);
	check_seg(1, 0, 0, 1);
	ack(1, 1000);
	ck_assert(sender_done(p));
	ck_assert_int_eq(s->timer_ns, -1);
}
END_TEST

/* FIN takes a byte of the window. */
START_TEST(sender_fin__waits_for_the_window)
{
	start_deaf(1, 100);
	window(0, 100);
	send_rec(0);
	sender_fin(p);
	ack(100, 0);
	ck_assert_uint_eq(f->seg_n, 1);
	ack(100, 1);
	ck_assert_uint_eq(f->seg_n, 2);
	check_seg(1, 100, 0, 1);
}
END_TEST

START_TEST(sender_rst__drops_what_is_queued)
{
	start_deaf(2, 100);
	window(0, 100);
	send_rec(0);
	send_rec(1);
	sender_rst(p);
	check_seg(1, 100, 0, 4);
	ck_assert_int_eq(f->s.conn.sk->sk_err, ECONNRESET);
	ack(100, 1000);
	sender_rst(p);
	ck_assert(sender_done(p));
	ck_assert_int_eq(s->timer_ns, -1);
}
END_TEST

/* A RST that is out of place is challenged; the answer is in place. */
START_TEST(sender_rst__answers_the_challenge)
{
	add_raw(1, 10);
	peer_fix_start(f);
	s->wire_end = 9; /* as if these bytes were lost */
	sender_rst(p);
	check_seg(0, 9, 0, 4);
	ck_assert_int_eq(f->s.conn.sk->sk_err, 0);
	ck_assert(sender_push(p));
	check_seg(1, 0, 0, 4);
	ck_assert_int_eq(f->s.conn.sk->sk_err, ECONNRESET);
	ck_assert(!sender_push(p));
}
END_TEST

/* R14: acknowledged bytes have no clone any more. */
START_TEST(drop_clones__when_acknowledged)
{
	struct sk_buff *skb;

	f->tr.opts.held = true;
	f->deaf = true;
	add_raw(1, 100);
	peer_fix_start(f);
	send_rec(0);
	skb = skb_peek_tail(&f->s.conn.sk->sk_receive_queue);
	ck_assert(skb->cloned);
	ack(100, 1000);
	ck_assert(!skb->cloned);
}
END_TEST

START_TEST(sender_ack__old_ones_change_nothing)
{
	start_deaf(2, 100);
	send_rec(0);
	send_rec(1);
	ack(200, 1000);
	ack(100, 5000);
	ck_assert_uint_eq(s->snd_una, 200);
	ck_assert_uint_eq(s->win_edge, 1200);
}
END_TEST

/* The edge moves left only for a window of 0 (tcp_may_update_window). */
START_TEST(sender_ack__window_edge)
{
	start_deaf(1, 100);
	ack(0, 70000);
	ack(0, 5000);
	ck_assert_uint_eq(s->win_edge, 70000);
	ack(0, 0);
	ck_assert_uint_eq(s->win_edge, 0);
	ack(0, 5000);
	ck_assert_uint_eq(s->win_edge, 5000);
}
END_TEST

START_TEST(sender_ack__new_bytes_restart_the_timer)
{
	start_deaf(2, 100);
	send_rec(0);
	f->s.now_ns = 50 * MS;
	send_rec(1);
	ck_assert_int_eq(s->timer_ns, 200 * MS);
	f->s.now_ns = 60 * MS;
	ack(100, 1000);
	ck_assert_int_eq(s->timer_ns, 260 * MS);
}
END_TEST

START_TEST(sender_ack__raw_bytes)
{
	add_raw(2, 100);
	peer_fix_start(f);
	wire_rec(0);
	ck_assert_uint_eq(s->queued, 100);
	ck_assert_uint_eq(s->snd_una, 100);
	ck_assert_int_eq(s->timer_ns, -1);
	send_rec(1);
	check_seg(1, 100, 100, 0);
}
END_TEST

/* A receive buffer smaller than a record, a reader that comes now and then:
 * everything arrives, in order. */
START_TEST(sender_done__small_receive_buffer)
{
	u32 i, total = 0;

	f->tr.opts.rcvbuf = (u32)_i;
	add_raw(8, 16384);
	peer_fix_start(f);
	for (i = 0; i < 8; i++)
		send_rec(i);
	sender_fin(p);
	for (i = 0; i < 200 && !sender_done(p); i++) {
		f->seg_n = 0;
		total += peer_fix_drain(f);
		if (!sender_push(p) && !sender_done(p))
			fire();
	}
	total += peer_fix_drain(f);
	ck_assert(sender_done(p));
	ck_assert_uint_eq(total, 8 * 16384);
	ck_assert_int_eq(f->s.conn.sk->sk_state, TCP_CLOSE_WAIT);
}
END_TEST

Suite *sender_test_suite(void);
Suite *sender_test_suite(void)
{
	Suite *suite = suite_create("sender");
	TCase *tc = tcase_create("sender");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, offer_window__half_the_first_window);
	tcase_add_test(tc, offer_window__grows_with_the_window);
	tcase_add_test(tc, offer_window__path_mss);
	tcase_add_test(tc, queue_write__each_write_is_a_segment);
	tcase_add_test(tc, queue_write__held_back_writes_are_joined);
	tcase_add_test(tc, queue_write__joined_up_to_the_segment_size);
	tcase_add_test(tc, queue_write__not_joined_to_what_was_sent);
	tcase_add_test(tc, skip_wired__goes_on_behind_raw_bytes);
	tcase_add_test(tc, skip_wired__hole_is_sent_again);
	tcase_add_test(tc, sender_queue__writes_of_cut_bytes);
	tcase_add_test(tc, sender_queue__layout_held_urgent);
	tcase_add_test(tc, sender_queue__must_go_on_where_it_ended);
	tcase_add_test(tc, sender_queue__ranges_with_a_gap);
	tcase_add_test(tc, sender_queue__lost_after_a_reset);
	tcase_add_test(tc, sender_queue_rest__all_that_was_built);
	tcase_add_test(tc, sender_queue_rest__not_behind_a_fin);
	tcase_add_test(tc, sender_fin__alone);
	tcase_add_test(tc, sender_fin__with_the_last_bytes);
	tcase_add_test(tc, sender_fin__sent_again);
	tcase_add_test(tc, sender_fin__waits_for_the_window);
	tcase_add_test(tc, sender_rst__drops_what_is_queued);
	tcase_add_test(tc, sender_rst__answers_the_challenge);
	tcase_add_test(tc, drop_clones__when_acknowledged);
	tcase_add_test(tc, sender_ack__old_ones_change_nothing);
	tcase_add_test(tc, sender_ack__window_edge);
	tcase_add_test(tc, sender_ack__new_bytes_restart_the_timer);
	tcase_add_test(tc, sender_ack__raw_bytes);
	tcase_add_loop_test(tc, sender_done__small_receive_buffer, 2000, 2001);
	tcase_add_loop_test(tc, sender_done__small_receive_buffer, 8000, 8001);
	tcase_add_loop_test(tc, sender_done__small_receive_buffer, 40000,
			    40001);
	suite_add_tcase(suite, tc);
	return suite;
}
