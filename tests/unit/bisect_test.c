// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/explain/bisect.c.
 */
#include "sim/explain/bisect.h"

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

static int bisect(const char *text, const char *good, const char *bad)
{
	parse(text);
	return bisect_run(&tr, "test", profile_find(good), profile_find(bad),
			  &out);
}

static void says(const char *want)
{
	if (!strstr(out.buf, want))
		ck_abort_msg("no '%s' in:\n%s", want, out.buf);
}

static const char part[] = "+0     peer  A = data 100\n"
			   "+0     wire  A[0,3)\n"
			   "+0     r1    poll IN = none\n"
			   "+0     r1    recvmsg 9 dontwait = EAGAIN\n"
			   "+0     wire  A[3,end)\n"
			   "+0     r1    recvmsg 9 dontwait = 9\n";

START_TEST(bisect_run__verdict)
{
	ck_assert_int_eq(bisect(part, "v7.2", "v6.1"), 1);
	says("what `ktlsim run` says differs");
	says("v7.2         ok");
	says("this one makes the difference:\n  no-poll-needs-full-record: ");
	text_free(&out);
	ck_assert_int_eq(bisect(part, "v6.1", "v7.2"), 1);
	says("  without no-poll-needs-full-record: ");
}
END_TEST

START_TEST(bisect_run__result_of_a_call)
{
	static const char text[] = "+0     r1    setsockopt tls_rx key=1\n";

	ck_assert_int_eq(bisect(text, "v7.2", "v6.12"), 1);
	says("a call differs, line 2: r1 setsockopt tls_rx key=1");
	says("v6.12        EBUSY");
	says("  no-rekey-allowed: ");
}
END_TEST

START_TEST(bisect_run__promise)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm "
				   "finish=on\n"
				   "+0     peer  A*2 = data 10\n"
				   "+0     wire  A\n"
				   "+0     r1    recvmsg 20\n";

	ck_assert_int_eq(bisect(text, "v7.2", "v6.12.113"), 1);
	says("what `ktlsim run --all` says differs");
	says("W2 self-consumed");
	says("  no-announce-deferred: ");
}
END_TEST

START_TEST(bisect_run__events)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm "
				   "rcvbuf=20000\n"
				   "+0     peer  A = data 1000\n"
				   "+0     wire  A\n"
				   "+0     r1    recvmsg 1000\n";

	ck_assert_int_eq(bisect(text, "v7.2", "v6.1"), 1);
	says("every call answers the same");
	says("tcp-window-from-half-space: ");
}
END_TEST

START_TEST(bisect_run__several_together)
{
	static const char text[] = "+0     peer  U = keyupdate 5\n"
				   "+0     peer  A = data 9\n"
				   "+0     wire  U A\n"
				   "+0     r1    recvmsg 9 = 5\n"
				   "+0     r1    poll IN = none\n";

	ck_assert_int_eq(bisect(text, "v7.2", "v6.12"), 1);
	says("no-keyupdate-pauses: ");
	text_free(&out);
	ck_assert_int_eq(bisect(text, "v7.2", "v6.1"), 1);
	says("each of these makes it alone:\n");
}
END_TEST

START_TEST(bisect_run__nothing)
{
	ck_assert_int_eq(bisect(part, "v7.2", "v6.12"), 0);
	says("no difference between v7.2 and v6.12");
	text_free(&out);
	ck_assert_int_eq(bisect("+0     r1    recvmsg 1\n"
				"+0     r1    recvmsg 1\n",
				"v7.2", "v6.1"),
			 2);
}
END_TEST

Suite *bisect_test_suite(void);
Suite *bisect_test_suite(void)
{
	Suite *s = suite_create("bisect");
	TCase *tc = tcase_create("bisect");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, bisect_run__verdict);
	tcase_add_test(tc, bisect_run__result_of_a_call);
	tcase_add_test(tc, bisect_run__promise);
	tcase_add_test(tc, bisect_run__events);
	tcase_add_test(tc, bisect_run__several_together);
	tcase_add_test(tc, bisect_run__nothing);
	suite_add_tcase(s, tc);
	return s;
}
