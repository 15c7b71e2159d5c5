// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/world/choice.c, in its order.
 */
#include <check.h>

#include "sim/world/choice.h"

static struct sim_choice c;

START_TEST(choice_default__always_zero)
{
	choice_default(&c);
	ck_assert_uint_eq(sim_choose(&c, 100), 0);
	ck_assert(!sim_one_in(&c, 2));
	ck_assert(choice_exhausted(&c));
}
END_TEST

START_TEST(choice_seed__known_answers)
{
	/* xoshiro256** after splitmix64(1); pinned, saved seeds depend on it */
	static const u32 want[] = { 702, 520, 574, 391, 697 };
	u32 i;

	choice_seed(&c, 1);
	for (i = 0; i < 5; i++)
		ck_assert_uint_eq(sim_choose(&c, 1000), want[i]);
	ck_assert_uint_eq(c.asked, 5);
	ck_assert(!choice_exhausted(&c));
}
END_TEST

START_TEST(choice_seed__reaches_every_answer)
{
	u32 hits[7] = { 0 };
	u32 i;

	choice_seed(&c, 42);
	for (i = 0; i < 7000; i++)
		hits[sim_choose(&c, 7)]++;
	for (i = 0; i < 7; i++)
		ck_assert_uint_gt(hits[i], 800);
}
END_TEST

START_TEST(choice_bytes__width_follows_the_bound)
{
	static const u8 in[] = { 5, 1, 2, 0, 0, 1, 0, 9 };

	choice_bytes(&c, in, sizeof(in));
	ck_assert_uint_eq(sim_choose(&c, 256), 5);
	ck_assert_uint_eq(sim_choose(&c, 1000), 0x102);
	ck_assert_uint_eq(sim_choose(&c, 100000), 256);
	ck_assert_uint_eq(sim_choose(&c, 10), 9);
	ck_assert(choice_exhausted(&c));
	ck_assert_uint_eq(sim_choose(&c, 10), 0);
}
END_TEST

START_TEST(choice_list__clamps_and_ends_in_zero)
{
	static const u32 list[] = { 3, 99 };

	choice_list(&c, list, 2);
	ck_assert_uint_eq(sim_choose(&c, 10), 3);
	ck_assert_uint_eq(sim_choose(&c, 10), 9);
	ck_assert(choice_exhausted(&c));
	ck_assert_uint_eq(sim_choose(&c, 10), 0);
}
END_TEST

START_TEST(sim_choose__bound_one_asks_nothing)
{
	static const u8 in[] = { 7 };

	choice_bytes(&c, in, sizeof(in));
	ck_assert_uint_eq(sim_choose(&c, 1), 0);
	ck_assert_uint_eq(sim_choose(&c, 0), 0);
	ck_assert_uint_eq(c.asked, 0);
	ck_assert_uint_eq(sim_choose(&c, 8), 7);
}
END_TEST

START_TEST(sim_one_in__is_about_one_in_n)
{
	u32 i, hits = 0;

	choice_seed(&c, 3);
	for (i = 0; i < 10000; i++)
		hits += sim_one_in(&c, 10);
	ck_assert_uint_gt(hits, 900);
	ck_assert_uint_lt(hits, 1100);
	ck_assert(!sim_one_in(&c, 0));
}
END_TEST

Suite *choice_test_suite(void)
{
	Suite *s = suite_create("choice");
	TCase *tc = tcase_create("choice");

	tcase_add_test(tc, choice_default__always_zero);
	tcase_add_test(tc, choice_seed__known_answers);
	tcase_add_test(tc, choice_seed__reaches_every_answer);
	tcase_add_test(tc, choice_bytes__width_follows_the_bound);
	tcase_add_test(tc, choice_list__clamps_and_ends_in_zero);
	tcase_add_test(tc, sim_choose__bound_one_asks_nothing);
	tcase_add_test(tc, sim_one_in__is_about_one_in_n);
	suite_add_tcase(s, tc);
	return s;
}
