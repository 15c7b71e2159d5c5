// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/exam/exam.c.
 */
#include "sim/exam/exam.h"

#include <check.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/exam_test.XXXXXX";
static struct exam_result r;
static struct exam_opts o;

static void setup(void)
{
	memcpy(dir + sizeof(dir) - 7, "XXXXXX", 6);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	o = (struct exam_opts){
		.seed = 1, .seconds = 20, .events = 8, .out = dir
	};
}

static void teardown(void)
{
	struct text sub = { 0 };

	if (r.path.buf)
		unlink(r.path.buf);
	text_printf(&sub, "%s/poll-ignores-rx-list", dir);
	rmdir(sub.buf);
	text_free(&sub);
	text_free(&r.path);
	rmdir(dir);
}

static void sit(const char *slug)
{
	const struct exam_bug *bug = exam_find(slug);

	ck_assert_ptr_nonnull(bug);
	ck_assert_int_eq(exam_run(&o, bug, &r), 0);
}

START_TEST(exam_find__every_entry_once)
{
	u32 i;

	for (i = 0; i < exam_bug_n; i++) {
		ck_assert_ptr_eq(exam_find(exam_bugs[i].slug), &exam_bugs[i]);
		ck_assert(!i || exam_bugs[i].nr > exam_bugs[i - 1].nr);
		ck_assert((exam_bugs[i].change == CHANGE_NONE) ==
			  !!exam_bugs[i].left_out);
	}
	ck_assert_ptr_null(exam_find("poll"));
}
END_TEST

START_TEST(exam_run__found_and_small)
{
	sit("poll-ignores-rx-list");
	ck_assert(r.found);
	ck_assert_int_eq(r.sig.inv, INV_W1);
	ck_assert_uint_gt(r.worlds, 0);
	ck_assert_uint_le(r.events, 8);
	ck_assert_int_eq(access(r.path.buf, R_OK), 0);
}
END_TEST

START_TEST(exam_run__same_again)
{
	struct exam_result first;

	sit("poll-ignores-rx-list");
	first = r;
	sit("poll-ignores-rx-list");
	ck_assert_uint_eq(r.worlds, first.worlds);
	ck_assert_uint_eq(r.events, first.events);
	ck_assert_str_eq(r.path.buf, first.path.buf);
	text_free(&first.path);
}
END_TEST

START_TEST(exam_run__no_time_is_not_found)
{
	o.seconds = 0;
	sit("poll-ignores-rx-list");
	ck_assert(!r.found);
	ck_assert_uint_eq(r.worlds, 0);
	ck_assert_ptr_null(r.path.buf);
}
END_TEST

START_TEST(exam_run__unwritable)
{
	o.out = "/dev/null";
	ck_assert_int_eq(exam_run(&o, exam_find("poll-ignores-rx-list"), &r),
			 -1);
}
END_TEST

Suite *exam_test_suite(void)
{
	Suite *s = suite_create("exam");
	TCase *tc = tcase_create("exam");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, exam_find__every_entry_once);
	tcase_add_test(tc, exam_run__found_and_small);
	tcase_add_test(tc, exam_run__same_again);
	tcase_add_test(tc, exam_run__no_time_is_not_found);
	tcase_add_test(tc, exam_run__unwritable);
	suite_add_tcase(s, tc);
	return s;
}
