// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/tls_strp.c, in its order.
 */
#include "tests/unit/tls_fixture.h"

static struct tls_fix *f;
static struct tls_strparser *strp;

static void setup(void)
{
	f = tls_fix_new(TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128);
	strp = &tls_sw_ctx_rx(tls_get_ctx(f->sk))->strp;
}

static void teardown(void)
{
	tls_fix_free(f);
}

START_TEST(tls_strp_abort_strp__only_once)
{
	tls_strp_abort_strp(strp, -EINVAL);
	ck_assert_int_eq(f->sk->sk_err, EINVAL);
	tls_strp_abort_strp(strp, -EBADMSG);
	ck_assert_int_eq(f->sk->sk_err, EINVAL);
	ck_assert_uint_eq(mock_event_count(f->m, EV_PARSE_ERR), 1);
}
END_TEST

START_TEST(tls_strp_mark_ready__numbers_records)
{
	const struct mock_event *e;

	tls_fix_send(f, "d10 a2");
	tls_fix_data(f, 10, 10, 0);
	e = mock_event(f->m, EV_PARSED, 0);
	ck_assert_int_eq(e->a, 0);
	ck_assert_int_eq(e->b, 39);
	ck_assert_int_eq(e->c, 23);
	e = mock_event(f->m, EV_PARSED, 1);
	ck_assert_int_eq(e->a, 1);
	ck_assert_int_eq(e->b, 31);
	ck_assert_int_eq(e->c, 21);
	ck_assert_int_eq(mock_event(f->m, EV_CONSUMED, 0)->a, 0);
}
END_TEST

/* The anchor points into the first skb, at copied_seq. */
START_TEST(tls_strp_load_anchor_with_queue__offset)
{
	tls_fix_send(f, "d10 d20");
	ck_assert_uint_eq(strp->stm.offset, 0);
	tls_fix_data(f, 10, 10, 0);
	ck_assert_uint_eq(strp->stm.offset, 39);
	ck_assert_uint_eq(strp->stm.full_len, 49);
	ck_assert_ptr_eq(strp->anchor->frag_list,
			 skb_peek(&f->sk->sk_receive_queue));
}
END_TEST

/* No byte leaves TCP while a record is only parsed. */
START_TEST(tls_strp_read_sock__leaves_bytes_in_tcp)
{
	tls_fix_send(f, "d10");
	ck_assert(strp->msg_ready);
	ck_assert_int_eq(tcp_inq(f->sk), 39);
	tls_fix_data(f, 10, 10, 0);
	ck_assert_int_eq(tcp_inq(f->sk), 0);
}
END_TEST

/* Vector 17 */
START_TEST(tls_strp_read_sock__single_bytes)
{
	u32 i;

	tls_fix_build(f, "d10 d10");
	for (i = 0; i < 39; i++) {
		ck_assert(!strp->msg_ready);
		ck_assert_uint_eq(tls_fix_poll(f), 0);
		tls_fix_tx(f, 1);
	}
	ck_assert(strp->msg_ready);
	ck_assert_uint_eq(tls_fix_announces(f), 1);
	tls_fix_data(f, 100, 10, 0);
	while (f->sent < f->built)
		tls_fix_tx(f, 1);
	tls_fix_data(f, 100, 10, 10);
}
END_TEST

/* The header is understood once and the length kept. */
START_TEST(tls_strp_read_sock__keeps_length)
{
	tls_fix_build(f, "d10");
	tls_fix_tx(f, 12);
	ck_assert_uint_eq(strp->stm.full_len, 0);
	tls_fix_tx(f, 1);
	ck_assert_uint_eq(strp->stm.full_len, 39);
	ck_assert(!strp->msg_ready);
	tls_fix_tx(f, -1);
	ck_assert(!strp->msg_ready);
	tls_fix_tx_all(f);
	ck_assert(strp->msg_ready);
}
END_TEST

/* Queued segments that hold some bytes twice: the record is copied out. */
START_TEST(tls_strp_read_sock__overlap)
{
	tls_fix_build(f, "d100 d50");
	tls_fix_segment(f, 0, 70);
	tls_fix_segment(f, 50, 150);
	ck_assert(strp->msg_ready);
	ck_assert(strp->copy_mode);
	ck_assert_int_eq(tcp_inq(f->sk), 150 - 129);
	tls_fix_segment(f, 140, f->built);
	tls_fix_data(f, 1000, 150, 0);
	ck_assert(!strp->copy_mode);
}
END_TEST

START_TEST(tls_strp_read_sock__overlap_in_header)
{
	tls_fix_build(f, "d100 d50");
	tls_fix_segment(f, 0, 3);
	tls_fix_segment(f, 1, f->built);
	ck_assert(strp->msg_ready);
	ck_assert(strp->copy_mode);
	tls_fix_data(f, 1000, 150, 0);
}
END_TEST

/* TCP merges while a record is incomplete: no pointer may be remembered. */
START_TEST(tls_strp_read_sock__refreshes_anchor)
{
	tls_fix_build(f, "d100");
	tls_fix_segment(f, 0, 40);
	ck_assert_uint_eq(strp->stm.full_len, 129);
	tls_fix_segment(f, 60, 80);
	tls_fix_segment(f, 40, 60);
	tls_fix_segment(f, 80, 129);
	ck_assert(strp->msg_ready);
	tls_fix_data(f, 1000, 100, 0);
}
END_TEST

START_TEST(tls_strp_check_rcv__stopped)
{
	tls_strp_stop(strp);
	tls_fix_send(f, "d10");
	ck_assert(!strp->msg_ready);
	ck_assert_uint_eq(tls_fix_announces(f), 0);
}
END_TEST

/* A record that is ready already is not announced by a later segment. */
START_TEST(tls_strp_check_rcv__ready_already)
{
	tls_fix_send(f, "d10");
	ck_assert_uint_eq(tls_fix_announces(f), 1);
	tls_fix_send(f, "d10");
	ck_assert_uint_eq(tls_fix_announces(f), 0);
}
END_TEST

START_TEST(tls_strp_data_ready__owned_leaves_it_to_worker)
{
	tls_fix_build(f, "d10");
	lock_sock(f->sk);
	tls_fix_tx_all(f);
	ck_assert_uint_eq(mock_event_count(f->m, EV_ANNOUNCE), 0);
	release_sock(f->sk);
	/* The backlog was processed with the socket still owned. */
	ck_assert(!strp->msg_ready);
	ck_assert(strp->work.pending);
	mock_run_works(f->m);
	ck_assert(strp->msg_ready);
	ck_assert_uint_eq(tls_fix_announces(f), 1);
}
END_TEST

START_TEST(tls_strp_msg_load__fills_anchor)
{
	struct tls_skb_cb *cb = &strp->anchor->cb;

	tls_fix_send(f, "d10 a2");
	tls_fix_data(f, 10, 10, 0);
	ck_assert(tls_strp_msg_load(strp, true));
	ck_assert_uint_eq(cb->offset, 39);
	ck_assert_uint_eq(cb->full_len, 31);
	ck_assert_uint_eq(cb->control, 21);
	ck_assert_uint_eq(cb->recno, 1);
}
END_TEST

START_TEST(tls_strp_msg_load__bytes_gone)
{
	tls_fix_send(f, "d10 d10");
	tcp_read_done(f->sk, 78);
	ck_assert(!tls_strp_msg_load(strp, true));
	ck_assert(!strp->msg_ready);
	ck_assert(!strp->msg_announced);
	ck_assert_uint_eq(strp->stm.full_len, 0);
	ck_assert_int_eq(mock_event(f->m, EV_UNPARSED, 0)->b, 0);
}
END_TEST

/* Without force nobody looks: the lock was held all the time. */
START_TEST(tls_strp_msg_load__no_refresh)
{
	struct sk_buff *first;

	tls_fix_send(f, "d10");
	first = strp->anchor->frag_list;
	ck_assert(tls_strp_msg_load(strp, false));
	ck_assert_ptr_eq(strp->anchor->frag_list, first);
}
END_TEST

START_TEST(tls_strp_msg_consume__does_not_look_further)
{
	tls_fix_send(f, "d10 d10");
	tls_strp_msg_consume(strp);
	ck_assert(!strp->msg_ready);
	ck_assert(!strp->msg_announced);
	ck_assert_uint_eq(strp->stm.full_len, 0);
	ck_assert_int_eq(tcp_inq(f->sk), 39);
}
END_TEST

/* The held clones keep the pages of exactly this record. */
START_TEST(tls_strp_msg_hold__queue)
{
	struct sk_buff_head hold;
	struct sk_buff *skb;
	u32 len = 0;

	skb_queue_head_init(&hold);
	tls_fix_build(f, "d10 d100 d10");
	tls_fix_tx(f, 60);
	tls_fix_tx(f, 60);
	tls_fix_tx_all(f);
	tls_fix_data(f, 10, 10, 0);
	ck_assert_int_eq(tls_strp_msg_hold(strp, &hold), 0);
	for (skb = skb_peek(&hold); skb; skb = skb->next)
		len += skb->len;
	ck_assert_uint_ge(len, 129);
	tls_fix_data(f, 100, 100, 10);
	tls_fix_data(f, 100, 10, 110);
	__skb_queue_purge(&hold);
}
END_TEST

START_TEST(tls_strp_msg_hold__nomem)
{
	struct sk_buff_head hold;

	skb_queue_head_init(&hold);
	tls_fix_send(f, "d10");
	mock_fail(f->m, SITE_STRP_HOLD, 1);
	ck_assert_int_eq(tls_strp_msg_hold(strp, &hold), -ENOMEM);
	ck_assert(skb_queue_empty(&hold));
	tls_fix_data(f, 10, 10, 0);
}
END_TEST

/* In copy mode the anchor itself moves and an empty one takes its place. */
START_TEST(tls_strp_msg_hold__copy_mode)
{
	struct sk_buff *anchor = strp->anchor;
	struct sk_buff_head hold;

	skb_queue_head_init(&hold);
	tls_fix_build(f, "d100");
	tls_fix_segment(f, 0, 70);
	tls_fix_segment(f, 50, f->built);
	ck_assert(strp->copy_mode);
	mock_fail(f->m, SITE_STRP_HOLD, 1);
	ck_assert_int_eq(tls_strp_msg_hold(strp, &hold), -ENOMEM);
	ck_assert_ptr_eq(strp->anchor, anchor);
	ck_assert_int_eq(tls_strp_msg_hold(strp, &hold), 0);
	ck_assert_ptr_eq(skb_peek(&hold), anchor);
	ck_assert_uint_eq(strp->anchor->nr_frags, 0);
	tls_strp_msg_consume(strp);
	__skb_queue_purge(&hold);
}
END_TEST

/* The worker may be queued when the socket closes. */
START_TEST(tls_strp_done__work_pending)
{
	tls_fix_build(f, "d10");
	lock_sock(f->sk);
	tls_fix_tx_all(f);
	release_sock(f->sk);
	ck_assert(strp->work.pending);
	tls_fix_close(f);
	ck_assert(list_empty(&f->m->works));
}
END_TEST

START_TEST(tls_strp_done__in_copy_mode)
{
	tls_fix_build(f, "d100");
	tls_fix_segment(f, 0, 70);
	tls_fix_segment(f, 50, f->built);
	ck_assert(strp->copy_mode);
	tls_fix_close(f);
}
END_TEST

Suite *tls_strp_test_suite(void)
{
	Suite *s = suite_create("tls_strp");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, tls_strp_abort_strp__only_once);
	tcase_add_test(tc, tls_strp_mark_ready__numbers_records);
	tcase_add_test(tc, tls_strp_load_anchor_with_queue__offset);
	tcase_add_test(tc, tls_strp_read_sock__leaves_bytes_in_tcp);
	tcase_add_test(tc, tls_strp_read_sock__single_bytes);
	tcase_add_test(tc, tls_strp_read_sock__keeps_length);
	tcase_add_test(tc, tls_strp_read_sock__overlap);
	tcase_add_test(tc, tls_strp_read_sock__overlap_in_header);
	tcase_add_test(tc, tls_strp_read_sock__refreshes_anchor);
	tcase_add_test(tc, tls_strp_check_rcv__stopped);
	tcase_add_test(tc, tls_strp_check_rcv__ready_already);
	tcase_add_test(tc, tls_strp_data_ready__owned_leaves_it_to_worker);
	tcase_add_test(tc, tls_strp_msg_load__fills_anchor);
	tcase_add_test(tc, tls_strp_msg_load__bytes_gone);
	tcase_add_test(tc, tls_strp_msg_load__no_refresh);
	tcase_add_test(tc, tls_strp_msg_consume__does_not_look_further);
	tcase_add_test(tc, tls_strp_msg_hold__queue);
	tcase_add_test(tc, tls_strp_msg_hold__nomem);
	tcase_add_test(tc, tls_strp_msg_hold__copy_mode);
	tcase_add_test(tc, tls_strp_done__work_pending);
	tcase_add_test(tc, tls_strp_done__in_copy_mode);
	suite_add_tcase(s, tc);
	return s;
}
