// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/world/coro.c, in its order.
 */
#include <check.h>

#include "sim/world/coro.h"

static struct coro_pool *pool;
static struct coro *one, *two;
static char order[32];

static void setup(void)
{
	pool = coro_pool_new();
	memset(order, 0, sizeof(order));
}

static void teardown(void)
{
	coro_pool_free(pool);
}

static void note(char c)
{
	order[strlen(order)] = c;
}

static void steps(void *arg)
{
	const char *letters = arg;

	note(letters[0]);
	coro_suspend(letters[0] == 'a' ? one : two);
	note(letters[1]);
}

START_TEST(coro_get__reuses_stacks)
{
	struct coro *co;

	one = coro_get(pool, steps, "ab");
	co = one;
	ck_assert(!coro_resume(one));
	ck_assert(coro_resume(one));
	one = coro_get(pool, steps, "ab");
	ck_assert_ptr_eq(one, co);
	ck_assert(!coro_resume(one));
	ck_assert(coro_resume(one));
	ck_assert_str_eq(order, "abab");
}
END_TEST

START_TEST(coro_resume__interleaves)
{
	one = coro_get(pool, steps, "ab");
	two = coro_get(pool, steps, "cd");
	coro_resume(one);
	coro_resume(two);
	coro_resume(one);
	coro_resume(two);
	ck_assert_str_eq(order, "acbd");
}
END_TEST

static void outer(void *arg)
{
	(void)arg;
	note('(');
	two = coro_get(pool, steps, "cd");
	coro_resume(two);
	coro_suspend(one);
	coro_resume(two);
	note(')');
}

START_TEST(coro_resume__from_inside_another)
{
	one = coro_get(pool, outer, NULL);
	ck_assert(!coro_resume(one));
	ck_assert(coro_resume(one));
	ck_assert_str_eq(order, "(cd)");
}
END_TEST

static void deep(void *arg)
{
	volatile u8 big[100000];
	u32 *sum = arg;
	u32 i;

	for (i = 0; i < sizeof(big); i++)
		big[i] = (u8)i;
	coro_suspend(one);
	for (i = 0; i < sizeof(big); i++)
		*sum += big[i];
}

START_TEST(coro_resume__keeps_a_large_stack)
{
	u32 i, sum = 0, want = 0;

	for (i = 0; i < 100000; i++)
		want += (u8)i;
	one = coro_get(pool, deep, &sum);
	coro_resume(one);
	coro_resume(one);
	ck_assert_uint_eq(sum, want);
}
END_TEST

START_TEST(coro_abandon__stack_is_usable_again)
{
	one = coro_get(pool, steps, "ab");
	coro_resume(one);
	coro_abandon(one);
	one = coro_get(pool, steps, "ab");
	coro_resume(one);
	ck_assert(coro_resume(one));
	ck_assert_str_eq(order, "aab");
}
END_TEST

Suite *coro_test_suite(void)
{
	Suite *s = suite_create("coro");
	TCase *tc = tcase_create("coro");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, coro_get__reuses_stacks);
	tcase_add_test(tc, coro_resume__interleaves);
	tcase_add_test(tc, coro_resume__from_inside_another);
	tcase_add_test(tc, coro_resume__keeps_a_large_stack);
	tcase_add_test(tc, coro_abandon__stack_is_usable_again);
	suite_add_tcase(s, tc);
	return s;
}
