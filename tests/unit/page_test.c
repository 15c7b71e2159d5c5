// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/page.c, in its order.
 */
#include "tests/unit/mock.h"

static struct mock *m;

static void setup(void)
{
	m = mock_new();
}

static void teardown(void)
{
	mock_free(m);
}

START_TEST(alloc_pages__order_says_size)
{
	struct page *page = alloc_pages(&m->k, SITE_WIRE_PAGE, 3);

	ck_assert_uint_eq(page->order, 3);
	ck_assert_uint_eq(page->refcount, 1);
	/* The last byte is ours; a sanitizer knows the next one is not. */
	page->data[32767] = 1;
	put_page(&m->k, page);
}
END_TEST

START_TEST(alloc_pages__ids_differ)
{
	struct page *a = alloc_pages(&m->k, SITE_WIRE_PAGE, 0);
	struct page *b = alloc_pages(&m->k, SITE_WIRE_PAGE, 0);

	ck_assert_uint_eq(a->id, 1);
	ck_assert_uint_eq(b->id, 2);
	put_page(&m->k, a);
	put_page(&m->k, b);
}
END_TEST

START_TEST(alloc_pages__fails_on_request)
{
	mock_fail(m, SITE_DECRYPT_PAGE, 1);
	ck_assert_ptr_null(alloc_pages(&m->k, SITE_DECRYPT_PAGE, 0));
	ck_assert_uint_eq(mock_event_count(m, EV_ALLOC_FAIL), 1);
}
END_TEST

START_TEST(put_page__last_reference_frees)
{
	struct page *page = alloc_pages(&m->k, SITE_WIRE_PAGE, 0);

	get_page(page);
	put_page(&m->k, page);
	ck_assert_uint_eq(m->live, 1);
	put_page(&m->k, page);
	ck_assert_uint_eq(m->live, 0);
}
END_TEST

Suite *page_test_suite(void)
{
	Suite *s = suite_create("page");
	TCase *tc = tcase_create("page");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, alloc_pages__order_says_size);
	tcase_add_test(tc, alloc_pages__ids_differ);
	tcase_add_test(tc, alloc_pages__fails_on_request);
	tcase_add_test(tc, put_page__last_reference_frees);
	suite_add_tcase(s, tc);
	return s;
}
