// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/tls_strp_copy.c, in its order.
 */
#include "tests/unit/tls_fixture.h"

static struct tls_fix *f;
static struct tls_strparser *strp;

/* A receive buffer that cannot hold a long record. */
static void setup(void)
{
	f = tls_fix_plain(TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128, 4096);
	lock_sock(f->sk);
	ck_assert_int_eq(tls_init(f->sk), 0);
	release_sock(f->sk);
	ck_assert_int_eq(tls_fix_keys(f, TLS_RX, 0, 0), 0);
	strp = &tls_sw_ctx_rx(tls_get_ctx(f->sk))->strp;
}

static void setup_big(void)
{
	f = tls_fix_new(TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128);
	strp = &tls_sw_ctx_rx(tls_get_ctx(f->sk))->strp;
}

static void teardown(void)
{
	tls_fix_free(f);
}

/* Global memory pressure makes TCP say "cannot take more" at any time. */
static void pressure(bool on)
{
	f->m->k.memory_pressure = on;
}

START_TEST(tls_strp_copyin_frag__header_in_pieces)
{
	pressure(true);
	tls_fix_build(f, "d100 d50");
	tls_fix_tx(f, 3);
	ck_assert(strp->copy_mode);
	ck_assert_uint_eq(strp->anchor->nr_frags, 5);
	ck_assert_uint_eq(strp->anchor->len, 3);
	ck_assert_int_eq(tcp_inq(f->sk), 0);
	tls_fix_tx(f, 9);
	ck_assert_uint_eq(strp->stm.full_len, 0);
	tls_fix_tx(f, 1);
	ck_assert_uint_eq(strp->stm.full_len, 129);
	tls_fix_tx_all(f);
	ck_assert(strp->msg_ready);
	ck_assert_int_eq(tcp_inq(f->sk), 79);
	tls_fix_data(f, 1000, 150, 0);
}
END_TEST

/* The segment that completes the header holds the next record too. */
START_TEST(tls_strp_copyin_frag__over_read_is_given_back)
{
	pressure(true);
	tls_fix_build(f, "d10 d50");
	tls_fix_tx(f, 3);
	tls_fix_tx_all(f);
	ck_assert(strp->msg_ready);
	ck_assert_uint_eq(strp->anchor->len, 39);
	ck_assert_int_eq(tcp_inq(f->sk), 79);
	tls_fix_data(f, 1000, 60, 0);
}
END_TEST

/* A bad header in copy mode is final, and is not tried again (bug 77). */
START_TEST(tls_strp_copyin_frag__bad_header)
{
	pressure(true);
	tls_fix_build(f, "d10,ver=0302");
	tls_fix_tx(f, 3);
	ck_assert(strp->copy_mode);
	tls_fix_tx_all(f);
	ck_assert_int_eq(f->sk->sk_err, EINVAL);
	ck_assert(strp->stopped);
	ck_assert_uint_eq(strp->anchor->len, 39);
	ck_assert_int_eq(tcp_inq(f->sk), 36);
	tls_fix_send(f, "d10");
	ck_assert_uint_eq(strp->anchor->len, 39);
	ck_assert_int_eq(tls_fix_recv(f, 100, M_MSG_DONTWAIT), -EINVAL);
}
END_TEST

/* All pages of the longest record, over many small segments. */
START_TEST(tls_strp_copyin_frag__longest_record)
{
	pressure(true);
	tls_fix_build(f, "d16384 d1");
	tls_fix_tx(f, 20);
	ck_assert_uint_eq(strp->anchor->nr_frags, 5);
	while (f->built - f->sent > 1000)
		tls_fix_tx(f, 1000);
	tls_fix_tx_all(f);
	ck_assert(strp->msg_ready);
	tls_fix_data(f, 20000, 16385, 0);
}
END_TEST

START_TEST(tls_strp_read_copy__not_without_need)
{
	tls_fix_build(f, "d100");
	tls_fix_tx(f, 3);
	ck_assert(!strp->copy_mode);
	tls_fix_tx(f, 50);
	ck_assert(!strp->copy_mode);
	ck_assert_int_eq(tcp_inq(f->sk), 53);
	/* A complete record never is, whatever the pressure. */
	tls_fix_tx(f, -1);
	pressure(true);
	tls_fix_tx_all(f);
	ck_assert(strp->msg_ready);
	ck_assert(!strp->copy_mode);
	tls_fix_data(f, 1000, 100, 0);
}
END_TEST

/* A record longer than the receive buffer still gets through. */
START_TEST(tls_strp_read_copy__small_rcvbuf)
{
	u32 window, n;

	tls_fix_build(f, "d16384 d10");
	while (f->sent < f->built) {
		window = tcp_receive_window(tcp_sk(f->sk));
		ck_assert_uint_gt(window, 0);
		n = f->built - f->sent;
		n = n < window ? n : window;
		n = n < 500 ? n : 500;
		tls_fix_tx(f, (int)n);
	}
	ck_assert_uint_gt(mock_event_count(f->m, EV_COPY_MODE), 0);
	tls_fix_data(f, 20000, 16394, 0);
	ck_assert(!strp->copy_mode);
}
END_TEST

/* The parser is left clean, the worker tries again (bug 73). */
START_TEST(tls_strp_read_copy__nomem)
{
	pressure(true);
	tls_fix_build(f, "d10000");
	mock_fail(f->m, SITE_STRP_COPY_PAGE, 2);
	tls_fix_tx(f, 2000);
	ck_assert(!strp->copy_mode);
	ck_assert_uint_eq(strp->anchor->nr_frags, 0);
	ck_assert_int_eq(tcp_inq(f->sk), 2000);
	ck_assert(strp->work.pending);
	mock_run_works(f->m);
	ck_assert(strp->copy_mode);
	ck_assert_int_eq(tcp_inq(f->sk), 0);
	tls_fix_tx_all(f);
	tls_fix_data(f, 20000, 10000, 0);
}
END_TEST

/* Copy mode is for one record; the next starts in the queue again. */
START_TEST(tls_strp_flush_anchor_copy__next_is_normal)
{
	pressure(true);
	tls_fix_build(f, "d10 d20");
	tls_fix_tx(f, 5);
	pressure(false);
	tls_fix_tx_all(f);
	ck_assert(strp->copy_mode);
	tls_fix_data(f, 10, 10, 0);
	ck_assert(!strp->copy_mode);
	ck_assert(strp->msg_ready);
	ck_assert_uint_eq(strp->anchor->nr_frags, 0);
	ck_assert_int_eq(tcp_inq(f->sk), 49);
	tls_fix_data(f, 100, 20, 10);
	ck_assert_uint_eq(mock_event_count(f->m, EV_COPY_MODE), 2);
}
END_TEST

START_TEST(tls_strp_flush_anchor_copy__eof_inside)
{
	pressure(true);
	tls_fix_build(f, "d100");
	tls_fix_tx(f, -1);
	tls_fix_fin(f);
	ck_assert_int_eq(tls_fix_recv(f, 100, M_MSG_DONTWAIT), 0);
	ck_reason(f, "tls-eof-truncated");
}
END_TEST

START_TEST(tls_strp_flush_anchor_copy__again_inside)
{
	pressure(true);
	tls_fix_build(f, "d100");
	tls_fix_tx(f, -1);
	ck_assert_int_eq(tls_fix_recv(f, 100, M_MSG_DONTWAIT), -EAGAIN);
	ck_reason(f, "tls-again-partial");
}
END_TEST

Suite *tls_strp_copy_test_suite(void)
{
	Suite *s = suite_create("tls_strp_copy");
	TCase *tc = tcase_create("big rcvbuf");
	TCase *small = tcase_create("small rcvbuf");

	tcase_add_checked_fixture(tc, setup_big, teardown);
	tcase_add_test(tc, tls_strp_flush_anchor_copy__next_is_normal);
	tcase_add_test(tc, tls_strp_flush_anchor_copy__eof_inside);
	tcase_add_test(tc, tls_strp_flush_anchor_copy__again_inside);
	tcase_add_test(tc, tls_strp_copyin_frag__header_in_pieces);
	tcase_add_test(tc, tls_strp_copyin_frag__over_read_is_given_back);
	tcase_add_test(tc, tls_strp_copyin_frag__bad_header);
	tcase_add_test(tc, tls_strp_copyin_frag__longest_record);
	tcase_add_test(tc, tls_strp_read_copy__not_without_need);
	tcase_add_test(tc, tls_strp_read_copy__nomem);
	suite_add_tcase(s, tc);
	tcase_add_checked_fixture(small, setup, teardown);
	tcase_add_test(small, tls_strp_read_copy__small_rcvbuf);
	suite_add_tcase(s, small);
	return s;
}
