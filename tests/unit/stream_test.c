// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/peer/stream.c, in its order.
 */
#include "tests/unit/peer_fixture.h"

static struct peer_fix *f;
static u8 buf[70000];

static void setup(void)
{
	f = peer_fix_new();
}

static void teardown(void)
{
	peer_fix_free(f);
}

static struct trace_rec *add(u8 type, u32 len)
{
	return peer_fix_add(f, REC_SEALED, type, len);
}

/* One small page is enough for a small world; offsets do not change. */
START_TEST(first_page_order__follows_the_whole_stream)
{
	add(23, 512);
	add(23, 512);
	peer_fix_start(f);
	ck_assert_uint_eq(peer_fix_peer(f)->page_n, 1);
	ck_assert_uint_eq(peer_fix_peer(f)->pages[0]->order, 0);
}
END_TEST

START_TEST(first_page_order__long_stream_takes_compound_pages)
{
	u32 i;

	for (i = 0; i < 3; i++)
		add(23, 16384);
	peer_fix_start(f);
	ck_assert_uint_eq(peer_fix_peer(f)->page_n, 2);
	ck_assert_uint_eq(peer_fix_peer(f)->pages[0]->order, PEER_PAGE_ORDER);
	ck_assert_uint_eq(peer_fix_peer(f)->pages[1]->order, PEER_PAGE_ORDER);
}
END_TEST

START_TEST(peer_copy__over_a_page_border)
{
	u32 i;

	for (i = 0; i < 4; i++) {
		struct trace_rec *rec = peer_fix_add(f, REC_RAW, 0, 20000);
		u8 *raw = mem_pool_alloc_raw(f->s.pool, 20000);

		memset(raw, (int)i + 1, 20000);
		rec->raw = raw;
	}
	peer_fix_start(f);
	peer_copy(peer_fix_peer(f), 19999, buf, 20002);
	ck_assert_uint_eq(buf[0], 1);
	ck_assert_uint_eq(buf[1], 2);
	ck_assert_uint_eq(buf[20000], 2);
	ck_assert_uint_eq(buf[20001], 3);
}
END_TEST

Suite *stream_test_suite(void);
Suite *stream_test_suite(void)
{
	Suite *suite = suite_create("stream");
	TCase *tc = tcase_create("stream");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, first_page_order__follows_the_whole_stream);
	tcase_add_test(tc, first_page_order__long_stream_takes_compound_pages);
	tcase_add_test(tc, peer_copy__over_a_page_border);
	suite_add_tcase(suite, tc);
	return suite;
}
