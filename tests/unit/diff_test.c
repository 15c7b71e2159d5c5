// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/explain/diff.c.
 */
#include "sim/explain/diff.h"

#include "sim/cmd/tool.h"
#include "tests/unit/run_text.h"

static struct trace tr;
static struct text out;

static void setup(void)
{
	tr = (struct trace){ .pool = mem_pool_new() };
}

static void teardown(void)
{
	mem_pool_free(tr.pool);
	text_free(&out);
}

static void parse(const char *text)
{
	struct text all = { 0 };
	struct sim_err err = { 0 };

	text_printf(&all, "ktlsim-trace 1\n%s", text);
	if (trace_parse(&tr, "test", all.buf, all.len, &err))
		ck_abort_msg("%u:%u: %s", err.line, err.col, err.msg);
	text_free(&all);
}

static int diff(const char *text, const char *profiles)
{
	struct profile p[TOOL_PROFILES_MAX];
	int n = tool_profiles(tr.pool, "--profiles", profiles, 2, p);

	ck_assert_int_ge(n, 2);
	parse(text);
	return diff_run(&tr, "test", p, (u32)n, &out);
}

static void says(const char *want)
{
	if (!strstr(out.buf, want))
		ck_abort_msg("no '%s' in:\n%s", want, out.buf);
}

static void says_not(const char *word)
{
	if (strstr(out.buf, word))
		ck_abort_msg("'%s' in:\n%s", word, out.buf);
}

static const char part[] = "+0     peer  A = data 100\n"
			   "+0     wire  A[0,3)\n"
			   "+0     r1    poll IN = none\n"
			   "+0     r1    recvmsg 9 dontwait = EAGAIN\n"
			   "+0     wire  A[3,end)\n"
			   "+0     r1    recvmsg 9 dontwait = 9\n";

START_TEST(diff_run__alike)
{
	ck_assert_int_eq(diff(part, "v6.12,v6.12.117,v7.2"), 0);
	says("test: no difference that can be seen");
}
END_TEST

START_TEST(diff_run__results_and_logs)
{
	ck_assert_int_eq(diff(part, "v7.2,v6.1,v6.12,v6.1.192"), 1);
	says("line 4: r1 poll IN\n    v7.2, v6.12      none (tls-poll-no-rec");
	says("    v6.1, v6.1.192   IN (tls-poll-bytes)");
	says_not("  line 5:");
	says("First difference that can be seen, v7.2 and v6.1 (v6.1.192 runs "
	     "alike)");
	says("return        poll = 0 tls-poll-no-record  | 0.0");
	/* behind a result that the trace does not want */
	says("line 6    +0     wire");
}
END_TEST

START_TEST(diff_run__only_what_is_seen_between_calls)
{
	static const char text[] = "+0     peer  A*2 = data 10\n"
				   "+0     wire  A\n"
				   "+0     r1    recvmsg 20\n";

	ck_assert_int_eq(diff(text, "v7.2,v6.12"), 1);
	says("every call returns the same");
	says("> 0.000000ms  r1      announce");
}
END_TEST

START_TEST(diff_run__one_cannot_go_on)
{
	static const char text[] = "+0     peer  U = keyupdate 5\n"
				   "+0     wire  U\n"
				   "+0     r1    recvmsg 20\n"
				   "+0     r1    recvmsg 20\n"
				   "+0     r1    recvmsg 20\n";

	ck_assert_int_eq(diff(text, "v7.2,v6.12"), 1);
	says("v6.12 ends early: line 6: r1 is still in its recvmsg");
	says("v6.12            sleeps to the end");
	says("v6.12            not made");
}
END_TEST

Suite *diff_test_suite(void);
Suite *diff_test_suite(void)
{
	Suite *s = suite_create("diff");
	TCase *tc = tcase_create("diff");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, diff_run__alike);
	tcase_add_test(tc, diff_run__results_and_logs);
	tcase_add_test(tc, diff_run__only_what_is_seen_between_calls);
	tcase_add_test(tc, diff_run__one_cannot_go_on);
	suite_add_tcase(s, tc);
	return s;
}
