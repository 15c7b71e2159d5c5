// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/judge/judge_time.c.
 */
#include <check.h>

#include "sim/judge/judge.h"

static struct judge_case c;
static struct sim *s;

static void setup(void)
{
	s = sim_new();
	judge_case_init(&c);
}

static void teardown(void)
{
	judge_case_free(&c);
	sim_free(s);
}

/* Runs the model's side. */
static enum judge_time time_of(const char *text)
{
	struct sim_err err = { 0 };
	struct text all = { 0 };

	judge_case_reset(&c);
	c.name = "test";
	text_printf(&all, "ktlsim-trace 1\n%s", text);
	ck_assert_int_eq(trace_parse(&c.tr, "test", all.buf, all.len, &err), 0);
	text_free(&all);
	judge_case_run(&c, s, profile_find(PROFILE_DEFAULT), false);
	return c.time;
}

/* The first operation of the job that only waits. */
static const struct job_op *waiting(void)
{
	const struct job_trace *job = (const void *)c.job.buf;
	const struct job_op *op = (const void *)(job + 1);
	u32 i;

	for (i = 0; i < job->op_n && op[i].kind != OP_CHECK; i++)
		;
	ck_assert_uint_lt(i, job->op_n);
	return &op[i];
}

START_TEST(judge_time_plan__nothing_fires_no_time_passes)
{
	ck_assert_uint_eq(time_of("+0     peer  A = data 10\n"
				  "+0     r1    poll IN 5s\n"
				  "+1s    wire  A\n"
				  "+9s    r1    recvmsg 10\n"),
			  JUDGE_TIME_NONE);
	ck_assert_int_eq(judge_time_timeout(&c, 5 * NSEC_PER_SEC),
			 20 * NSEC_PER_SEC);
	ck_assert_int_eq(judge_time_timeout(&c, -1), -1);
	ck_assert_int_eq(judge_time_timeout(&c, 0), 0);
}
END_TEST

START_TEST(judge_time_plan__one_at_a_time_is_waited_for)
{
	ck_assert_uint_eq(time_of("+0     r1    poll IN 5s\n"
				  "+5s    r1    recvmsg 10 dontwait\n"),
			  JUDGE_TIME_WAIT);
	ck_assert_int_eq(judge_time_timeout(&c, 5 * NSEC_PER_SEC),
			 100 * NSEC_PER_MSEC);
	ck_assert_uint_eq(waiting()->wait_for, 1);
	ck_assert_int_eq(waiting()->wait_ns, 0);
	ck_assert_int_gt(waiting()->wait_max_ns, 0);
}
END_TEST

START_TEST(judge_time_plan__rcvtimeo_counts)
{
	ck_assert_uint_eq(time_of("set rcvtimeo=500ms\n"
				  "+0     r1    recvmsg 10\n"
				  "+1s    r1    poll\n"),
			  JUDGE_TIME_WAIT);
	ck_assert_uint_eq(time_of("+0     r1    setsockopt rcvtimeo 500ms\n"
				  "+0     r1    recvmsg 10\n"
				  "+1s    r1    poll\n"),
			  JUDGE_TIME_WAIT);
}
END_TEST

START_TEST(judge_time_plan__several_are_stretched)
{
	ck_assert_uint_eq(time_of("+0     r1    poll IN 20ms\n"
				  "+0     r2    poll IN 40ms\n"
				  "+60ms  r1    poll\n"),
			  JUDGE_TIME_REAL);
	ck_assert_uint_eq(c.scale, 3000);
	ck_assert_int_eq(judge_time_timeout(&c, 20 * NSEC_PER_MSEC),
			 60 * NSEC_PER_MSEC);
	ck_assert_int_eq(waiting()->wait_ns, 180 * NSEC_PER_MSEC);
}
END_TEST

START_TEST(judge_time_plan__a_timeout_that_is_read_back_is_exact)
{
	ck_assert_uint_eq(time_of("set rcvtimeo=200ms\n"
				  "+0     r1    recvmsg 10\n"
				  "+400ms r1    getsockopt rcvtimeo\n"),
			  JUDGE_TIME_REAL);
	ck_assert(c.exact);
	ck_assert_int_eq(judge_time_timeout(&c, 200 * NSEC_PER_MSEC),
			 200 * NSEC_PER_MSEC);
}
END_TEST

START_TEST(judge_time_plan__too_long_or_too_close)
{
	time_of("+0     r1    poll IN 100s\n"
		"+0     r2    poll IN 200s\n"
		"+300s  r1    poll\n");
	ck_assert_str_eq(c.no, "it takes too long: 300000 ms");
	time_of("set rcvtimeo=200ms\n"
		"+0     r1    recvmsg 10\n"
		"+201ms r1    getsockopt rcvtimeo\n");
	ck_assert_str_eq(c.no, "timers of the kernel and of the trace lie "
			       "too close together");
}
END_TEST

START_TEST(judge_time_plan__no_sender_beside_raw_segments)
{
	time_of("+0     peer  A*3 = data 100\n"
		"+0     wire  A.1\n"
		"+0     send  A.2\n"
		"+9s    r1    poll\n");
	ck_assert_str_eq(c.no, "a sender beside raw segments: it sends again");
}
END_TEST

/* The agent watches the second reader for 80 ms. */
START_TEST(judge_time_timeout__longer_where_the_agent_looks_long)
{
	ck_assert_uint_eq(time_of("set rcvtimeo=10ms\n"
				  "+0     r1    recvmsg 10\n"
				  "+10ms  r2    poll\n"),
			  JUDGE_TIME_WAIT);
	ck_assert_int_eq(judge_time_timeout(&c, 10 * NSEC_PER_MSEC),
			 100 * NSEC_PER_MSEC);
	ck_assert_uint_eq(time_of("set rcvtimeo=10ms\n"
				  "+0     r1    recvmsg 10\n"
				  "+0     r2    recvmsg 10 dontwait\n"
				  "+10ms  r2    poll\n"),
			  JUDGE_TIME_WAIT);
	ck_assert_int_eq(judge_time_timeout(&c, 10 * NSEC_PER_MSEC),
			 400 * NSEC_PER_MSEC);
}
END_TEST

START_TEST(judge_time_plan__timeout_within_a_recvmmsg)
{
	time_of("set rcvtimeo=10ms rx=off\n"
		"+0     peer  A = data 10\n"
		"+0     send  A[0,5)\n"
		"+0     r1    recvmmsg 2 100 waitall\n"
		"+10ms  r2    poll\n"
		"+0     send  A[5,end)\n"
		"+0     wire  fin\n");
	ck_assert_str_eq(c.no, "timeouts within a recvmmsg");
}
END_TEST

Suite *judge_time_test_suite(void);
Suite *judge_time_test_suite(void)
{
	Suite *suite = suite_create("judge_time");
	TCase *tc = tcase_create("judge_time");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, judge_time_plan__nothing_fires_no_time_passes);
	tcase_add_test(tc, judge_time_plan__one_at_a_time_is_waited_for);
	tcase_add_test(tc, judge_time_plan__rcvtimeo_counts);
	tcase_add_test(tc, judge_time_plan__several_are_stretched);
	tcase_add_test(tc,
		       judge_time_plan__a_timeout_that_is_read_back_is_exact);
	tcase_add_test(tc, judge_time_plan__too_long_or_too_close);
	tcase_add_test(tc, judge_time_plan__timeout_within_a_recvmmsg);
	tcase_add_test(tc,
		       judge_time_timeout__longer_where_the_agent_looks_long);
	tcase_add_test(tc, judge_time_plan__no_sender_beside_raw_segments);
	suite_add_tcase(suite, tc);
	return suite;
}
