// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/world/arena.c, in its order.
 */
#include <check.h>
#include <signal.h>

#include "sim/world/world.h"

static struct arena *a;

static void setup(void)
{
	a = arena_new();
}

static void teardown(void)
{
	arena_free(a);
}

START_TEST(arena_reset__forgets_leaks)
{
	arena_alloc(a, 100);
	arena_alloc(a, 3 << 20);
	ck_assert_uint_eq(arena_live(a), 2);
	arena_reset(a);
	ck_assert_uint_eq(arena_live(a), 0);
	ck_assert_uint_eq(arena_live_bytes(a), 0);
	ck_assert_uint_eq(arena_allocs(a), 0);
}
END_TEST

START_TEST(arena_reset__gives_the_same_addresses_again)
{
	void *p = arena_alloc(a, 64), *q = arena_alloc(a, 70000);

	arena_reset(a);
	ck_assert_ptr_eq(arena_alloc(a, 64), p);
	ck_assert_ptr_eq(arena_alloc(a, 70000), q);
}
END_TEST

START_TEST(arena_alloc__aligned_and_apart)
{
	u8 *p = arena_alloc(a, 33), *q = arena_alloc(a, 33);

	ck_assert_uint_eq((uintptr_t)p % 16, 0);
	ck_assert_uint_eq((uintptr_t)q % 16, 0);
	memset(p, 1, 33);
	memset(q, 2, 33);
	ck_assert_uint_eq(p[32], 1);
	ck_assert_uint_eq(arena_live_bytes(a), 66);
}
END_TEST

START_TEST(arena_alloc__reuses_the_class)
{
	void *p = arena_alloc(a, 40);

	arena_release(a, p, 40);
	ck_assert_ptr_eq(arena_alloc(a, 64), p);
	ck_assert_uint_eq(arena_allocs(a), 2);
}
END_TEST

START_TEST(arena_alloc__grows_over_chunks)
{
	u32 i;

	for (i = 0; i < 300; i++)
		memset(arena_alloc(a, 32768), 7, 32768);
	ck_assert_uint_eq(arena_live(a), 300);
}
END_TEST

START_TEST(arena_release__double_free_is_caught)
{
	void *p = arena_alloc(a, 40);

	arena_release(a, p, 40);
	arena_release(a, p, 40);
}
END_TEST

START_TEST(arena_release__wrong_size_is_caught)
{
	arena_release(a, arena_alloc(a, 40), 41);
}
END_TEST

Suite *arena_test_suite(void)
{
	Suite *s = suite_create("arena");
	TCase *tc = tcase_create("arena");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, arena_reset__forgets_leaks);
	tcase_add_test(tc, arena_reset__gives_the_same_addresses_again);
	tcase_add_test(tc, arena_alloc__aligned_and_apart);
	tcase_add_test(tc, arena_alloc__reuses_the_class);
	tcase_add_test(tc, arena_alloc__grows_over_chunks);
	tcase_add_test_raise_signal(tc, arena_release__double_free_is_caught,
				    SIGABRT);
	tcase_add_test_raise_signal(tc, arena_release__wrong_size_is_caught,
				    SIGABRT);
	suite_add_tcase(s, tc);
	return s;
}
