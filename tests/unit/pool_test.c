// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/world/pool.c, in its order.
 */
#include <check.h>

#include "sim/world/pool.h"

static struct mem_pool *pool;

static void setup(void)
{
	pool = mem_pool_new();
}

static void teardown(void)
{
	mem_pool_free(pool);
}

START_TEST(mem_pool_free__null)
{
	mem_pool_free(NULL);
}
END_TEST

START_TEST(mem_pool_reset__hands_out_the_same_memory)
{
	void *first = mem_pool_alloc_raw(pool, 100);

	mem_pool_alloc_raw(pool, 100000);
	mem_pool_reset(pool);
	ck_assert_ptr_eq(mem_pool_alloc_raw(pool, 100), first);
}
END_TEST

START_TEST(mem_pool_reset__keeps_large_chunks)
{
	void *large = mem_pool_alloc_raw(pool, 5000000);

	mem_pool_reset(pool);
	ck_assert_ptr_eq(mem_pool_alloc_raw(pool, 5000000), large);
}
END_TEST

START_TEST(mem_pool_alloc_raw__aligned)
{
	for (size_t size = 0; size < 40; size++) {
		void *p = mem_pool_alloc_raw(pool, size);

		ck_assert_uint_eq((uintptr_t)p % 16, 0);
	}
}
END_TEST

START_TEST(mem_pool_alloc_raw__no_overlap)
{
	u8 *p[300];

	/* Sizes on both sides of several chunk borders. */
	for (u32 i = 0; i < 300; i++) {
		p[i] = mem_pool_alloc_raw(pool, 7 * i);
		memset(p[i], (int)i, 7 * i);
	}
	for (u32 i = 0; i < 300; i++) {
		for (u32 j = 0; j < 7 * i; j++)
			ck_assert_uint_eq(p[i][j], (u8)i);
	}
}
END_TEST

START_TEST(mem_pool_alloc__zeroed_after_reset)
{
	u8 *p = mem_pool_alloc(pool, 50);

	memset(p, 0xff, 50);
	mem_pool_reset(pool);
	p = mem_pool_alloc(pool, 50);
	for (u32 i = 0; i < 50; i++)
		ck_assert_uint_eq(p[i], 0);
}
END_TEST

START_TEST(mem_pool_strndup__terminates)
{
	ck_assert_str_eq(mem_pool_strndup(pool, "record", 3), "rec");
	ck_assert_str_eq(mem_pool_strndup(pool, "", 0), "");
}
END_TEST

START_TEST(mem_pool_used__counts_since_reset)
{
	ck_assert_uint_eq(mem_pool_used(pool), 0);
	mem_pool_alloc(pool, 10);
	mem_pool_alloc(pool, 100000);
	ck_assert_uint_ge(mem_pool_used(pool), 100010);
	ck_assert_uint_le(mem_pool_used(pool), 100010 + 2 * 16);
	mem_pool_reset(pool);
	ck_assert_uint_eq(mem_pool_used(pool), 0);
}
END_TEST

START_TEST(pool_push__keeps_what_is_there)
{
	u64 *arr = NULL;
	u32 n = 0;

	for (u64 i = 0; i < 1000; i++)
		*pool_push(pool, arr, n) = 3 * i;
	ck_assert_uint_eq(n, 1000);
	for (u64 i = 0; i < 1000; i++)
		ck_assert_uint_eq(arr[i], 3 * i);
}
END_TEST

START_TEST(pool_push__new_element_is_zero)
{
	struct {
		u8 bytes[24];
	} *arr = NULL;
	u32 n = 0;

	memset(mem_pool_alloc_raw(pool, 10000), 0xff, 10000);
	mem_pool_reset(pool);
	for (u32 i = 0; i < 20; i++) {
		u8 *p = pool_push(pool, arr, n)->bytes;

		for (u32 j = 0; j < 24; j++)
			ck_assert_uint_eq(p[j], 0);
	}
}
END_TEST

START_TEST(pool_push__after_removal)
{
	u32 *arr = NULL;
	u32 n = 0;

	for (u32 i = 0; i < 17; i++)
		*pool_push(pool, arr, n) = i;
	n = 8; /* a shrinker took some away */
	for (u32 i = 8; i < 100; i++)
		*pool_push(pool, arr, n) = i;
	for (u32 i = 0; i < 100; i++)
		ck_assert_uint_eq(arr[i], i);
}
END_TEST

Suite *pool_test_suite(void);
Suite *pool_test_suite(void)
{
	Suite *s = suite_create("pool");
	TCase *tc = tcase_create("pool");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, mem_pool_free__null);
	tcase_add_test(tc, mem_pool_reset__hands_out_the_same_memory);
	tcase_add_test(tc, mem_pool_reset__keeps_large_chunks);
	tcase_add_test(tc, mem_pool_alloc_raw__aligned);
	tcase_add_test(tc, mem_pool_alloc_raw__no_overlap);
	tcase_add_test(tc, mem_pool_alloc__zeroed_after_reset);
	tcase_add_test(tc, mem_pool_strndup__terminates);
	tcase_add_test(tc, mem_pool_used__counts_since_reset);
	tcase_add_test(tc, pool_push__keeps_what_is_there);
	tcase_add_test(tc, pool_push__new_element_is_zero);
	tcase_add_test(tc, pool_push__after_removal);
	suite_add_tcase(s, tc);
	return s;
}
