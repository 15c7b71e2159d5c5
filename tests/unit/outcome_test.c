// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/explain/outcome.c.
 */
#include "sim/explain/outcome.h"

#include "sim/cmd/tool.h"
#include "tests/unit/run_text.h"

static struct sim *s;
static struct trace tr;
static struct mem_pool *pool;

static void setup(void)
{
	s = sim_new();
	tr = (struct trace){ .pool = mem_pool_new() };
	pool = mem_pool_new();
}

static void teardown(void)
{
	sim_free(s);
	mem_pool_free(tr.pool);
	mem_pool_free(pool);
}

static void outcome_of(const char *text, const char *profile,
		       struct outcome *out)
{
	struct text all = { 0 };
	struct sim_err err = { 0 };
	struct sim_opts o;

	text_printf(&all, "ktlsim-trace 1\n%s", text);
	if (trace_parse(&tr, "test", all.buf, all.len, &err))
		ck_abort_msg("%u:%u: %s", err.line, err.col, err.msg);
	text_free(&all);
	ck_assert_int_eq(tool_opts(&tr, "test", profile, &o), 0);
	outcome_run(s, &tr, &o, pool, out);
}

/* Statement @stmt of @o prints as that. */
static void answers(const struct outcome *o, u32 stmt, const char *want)
{
	struct text t = { 0 };

	outcome_print(&o->call[stmt], &t);
	ck_assert_str_eq(t.buf, want);
	text_free(&t);
}

START_TEST(outcome_run__words_of_the_language)
{
	struct outcome o;

	outcome_of("+0     pipe  p 65536\n"
		   "+0     peer  A = data 100\n"
		   "+0     peer  B = alert 2\n"
		   "+0     peer  C = data 50\n"
		   "+0     wire  A B C\n"
		   "+0     r1    recvmsg 30 peek\n"
		   "+0     r1    recvmsg 30\n"
		   "+0     r1    recvmsg 1000\n"
		   "+0     r1    read 10\n"
		   "+0     r1    recvmmsg 2 10 waitforone\n"
		   "+0     r1    splice p 20\n"
		   "+0     r1    poll IN\n"
		   "+0     r1    getsockopt tls_rx_no_pad\n",
		   NULL, &o);
	ck_assert_ptr_null(o.trouble);
	answers(&o, 5, "30 data A[0,30)");
	answers(&o, 6, "30 data A[0,30)");
	answers(&o, 7, "70 data A[30,100) eor");
	answers(&o, 0, "not made");
	answers(&o, 11, "IN");
	ck_assert_int_eq(o.call[8].ret, -EIO);
	ck_assert_int_eq(o.call[8].reason, REASON_TLS_CONTROL_NO_ROOM);
	answers(&o, 9, "2 { 2 alert B eor } { 10 data C[0,10) }");
	answers(&o, 10, "20 C[10,30)");
}
END_TEST

START_TEST(outcome_run__sleepers_and_results_that_are_wrong)
{
	struct outcome o;

	outcome_of("+0     peer  A = data 5\n"
		   "+0     r1    recvmsg 30 = 7\n"
		   "+0     r2    recvmsg 30\n"
		   "+0     wire  A\n",
		   NULL, &o);
	answers(&o, 1, "sleeps, then 5 data A eor");
	answers(&o, 2, "sleeps to the end");
}
END_TEST

START_TEST(outcome_run__early_end)
{
	struct outcome o;

	outcome_of("+0     r1    recvmsg 30\n"
		   "+0     r1    recvmsg 30\n",
		   NULL, &o);
	ck_assert_ptr_nonnull(o.trouble);
	ck_assert_ptr_nonnull(strstr(o.trouble, "still in its recvmsg"));
	answers(&o, 1, "not made");
}
END_TEST

START_TEST(outcome_difference__between_kernels)
{
	static const char text[] = "+0     peer  A = data 100\n"
				   "+0     wire  A[0,3)\n"
				   "+0     r1    recvmsg 9 dontwait\n"
				   "+0     r1    poll IN\n";
	struct outcome a, b;

	outcome_of(text, "v7.2", &a);
	outcome_of(text, "v6.12", &b);
	ck_assert_uint_eq(outcome_difference(&a, &b), UINT32_MAX);
	outcome_of(text, "v6.1", &b);
	ck_assert_uint_eq(outcome_difference(&a, &b), 3);
	answers(&a, 3, "none");
	answers(&b, 3, "IN");
}
END_TEST

START_TEST(outcome_same_call__looks_at_bytes)
{
	struct outcome_call a = { .state = OUTCOME_RETURNED, .text = "1" };
	struct outcome_call b = a;

	ck_assert(outcome_same_call(&a, &b));
	b.reason = REASON_DONE;
	ck_assert(outcome_same_call(&a, &b));
	b.hash = 1;
	ck_assert(!outcome_same_call(&a, &b));
	b = a;
	b.done = 3;
	ck_assert(!outcome_same_call(&a, &b));
	b.state = OUTCOME_ASLEEP;
	ck_assert(!outcome_same_call(&a, &b));
	a.state = OUTCOME_ASLEEP;
	ck_assert(outcome_same_call(&a, &b));
}
END_TEST

Suite *outcome_test_suite(void);
Suite *outcome_test_suite(void)
{
	Suite *su = suite_create("outcome");
	TCase *tc = tcase_create("outcome");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, outcome_run__words_of_the_language);
	tcase_add_test(tc, outcome_run__sleepers_and_results_that_are_wrong);
	tcase_add_test(tc, outcome_run__early_end);
	tcase_add_test(tc, outcome_difference__between_kernels);
	tcase_add_test(tc, outcome_same_call__looks_at_bytes);
	suite_add_tcase(su, tc);
	return su;
}
