// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/explore/explore.c and sim/explore/explore_state.c.
 */
#include "sim/explore/explore.h"

#include "sim/cmd/tool.h"
#include "tests/unit/run_text.h"

static struct explore_opts o;
static struct explore_result r;
static struct trace tr;

static void setup(void)
{
	o = (struct explore_opts){
		.preemptions = 2, .shard = 1, .shards = 1, .prune = true
	};
	tool_opts_of(profile_find(PROFILE_DEFAULT), &o.run);
	tr = (struct trace){ .pool = mem_pool_new() };
}

static void teardown(void)
{
	explore_result_free(&r);
	mem_pool_free(tr.pool);
}

static void explore(const char *text)
{
	struct text all = { 0 };
	struct sim_err err = { 0 };

	text_printf(&all, "ktlsim-trace 1\n%s", text);
	if (trace_parse(&tr, "test", all.buf, all.len, &err))
		ck_abort_msg("%u:%u: %s", err.line, err.col, err.msg);
	text_free(&all);
	explore_result_free(&r);
	explore_run(&tr, &o, &r);
}

/* Call number @stmt returns @ret in some ordering. */
static bool may_return(u32 stmt, s64 ret)
{
	u32 i;

	for (i = 0; i < r.answer_n; i++) {
		if (r.answer[i].stmt == stmt && r.answer[i].ret == ret)
			return true;
	}
	return false;
}

static const char readers[] = "+0     peer  A = data 10\n"
			      "+0     peer  B = alert 2\n"
			      "+0     r1    recvmsg 4\n"
			      "+0     wire  A B\n"
			      "+0     r2    recvmsg 100\n"
			      "end    consumed\n";

START_TEST(explore_run__one_task_alone)
{
	explore("+0     r1    recvmsg 4 dontwait = 77\n");
	ck_assert(r.complete);
	ck_assert_uint_eq(r.runs, 1);
	ck_assert_uint_eq(r.found_n, 0);
	ck_assert_uint_eq(r.answer_n, 1);
	ck_assert(may_return(0, -EAGAIN));
}
END_TEST

START_TEST(explore_run__who_gets_what)
{
	explore(readers);
	ck_assert(r.complete);
	ck_assert_uint_gt(r.cut, 0);
	ck_assert(may_return(2, 4));
	ck_assert(may_return(4, 6));
	/* r2 first: its statement comes last, but nothing says when it runs */
	ck_assert(may_return(4, 10));
	ck_assert(may_return(2, 2));
}
END_TEST

START_TEST(explore_run__pruning_loses_no_answer)
{
	struct explore_result pruned;
	u32 i, k;

	for (k = 0; k < 3; k++) {
		o.preemptions = k;
		o.prune = true;
		explore(readers);
		pruned = r;
		memset(&r, 0, sizeof(r));
		o.prune = false;
		explore(readers);
		ck_assert(r.complete);
		ck_assert_uint_eq(r.cut, 0);
		ck_assert_uint_ge(r.runs, pruned.runs);
		ck_assert_uint_eq(r.answer_n, pruned.answer_n);
		for (i = 0; i < r.answer_n; i++) {
			ck_assert_uint_eq(r.answer[i].stmt,
					  pruned.answer[i].stmt);
			ck_assert_int_eq(r.answer[i].ret, pruned.answer[i].ret);
		}
	}
}
END_TEST

START_TEST(explore_run__no_bound)
{
	o.preemptions = EXPLORE_ALL;
	explore(readers);
	ck_assert(r.complete);
	ck_assert_uint_eq(r.bounded, 0);
	ck_assert(may_return(4, 10));
}
END_TEST

START_TEST(explore_run__shards_are_all_of_it)
{
	struct explore_result whole;
	u32 i, found = 0;
	bool seen[64] = { false };

	explore(readers);
	whole = r;
	ck_assert_uint_le(whole.answer_n, 64);
	memset(&r, 0, sizeof(r));
	o.shards = 3;
	for (o.shard = 1; o.shard <= o.shards; o.shard++) {
		explore(readers);
		ck_assert(r.complete);
		for (i = 0; i < whole.answer_n; i++)
			seen[i] |= may_return(whole.answer[i].stmt,
					      whole.answer[i].ret);
	}
	for (i = 0; i < whole.answer_n; i++)
		found += seen[i];
	ck_assert_uint_eq(found, whole.answer_n);
}
END_TEST

START_TEST(explore_run__limit)
{
	o.max = 3;
	explore(readers);
	ck_assert(!r.complete);
	ck_assert_uint_eq(r.runs + r.cut, 3);
}
END_TEST

/* A reset that gets in front of a record still to be parsed. */
START_TEST(explore_run__what_breaks_replays)
{
	u32 i, known = 0;

	o.run.ignore_known = false;
	explore("+0     peer  A = data 1\n"
		"+0     r1    recvmsg 1\n"
		"+0     wire  A\n"
		"+0     wire  rst\n");
	ck_assert_uint_gt(r.found_n, 0);
	for (i = 0; i < r.found_n; i++) {
		ck_assert(r.found[i].replays);
		ck_assert_ptr_nonnull(strstr(r.found[i].trace.buf, "\nat "));
		known += !strcmp(r.found[i].sig.slug, "before-unparsed-record");
	}
	ck_assert_uint_eq(known, 1);
}
END_TEST

START_TEST(explore_run__impossible)
{
	explore("set tls=1.3 cipher=aes-128-gcm peer=openssl\n"
		"+0     peer  A = openssl data 1\n"
		"+0     wire  A[0,500)\n");
	ck_assert_uint_eq(r.input, r.runs);
	ck_assert_uint_gt(strlen(r.err.msg), 0);
}
END_TEST

START_TEST(explore_look__fewer_preemptions_go_on)
{
	struct explore_seen *seen = explore_seen_new();
	u64 i;

	ck_assert_int_eq(explore_look(seen, 5, 2), LOOK_NEW);
	ck_assert_int_eq(explore_look(seen, 5, 2), LOOK_OLD);
	ck_assert_int_eq(explore_look(seen, 5, 3), LOOK_OLD);
	ck_assert_int_eq(explore_look(seen, 5, 1), LOOK_NEW);
	ck_assert_int_eq(explore_look(seen, 5, 1), LOOK_OLD);
	for (i = 1; i < 100000; i++)
		ck_assert_int_eq(explore_look(seen, i << 32 | 1, 0), LOOK_NEW);
	for (i = 1; i < 100000; i++)
		ck_assert_int_eq(explore_look(seen, i << 32 | 1, 0), LOOK_OLD);
	explore_seen_free(seen);
}
END_TEST

Suite *explore_test_suite(void);
Suite *explore_test_suite(void)
{
	Suite *s = suite_create("explore");
	TCase *tc = tcase_create("explore");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, explore_run__one_task_alone);
	tcase_add_test(tc, explore_run__who_gets_what);
	tcase_add_test(tc, explore_run__pruning_loses_no_answer);
	tcase_add_test(tc, explore_run__no_bound);
	tcase_add_test(tc, explore_run__shards_are_all_of_it);
	tcase_add_test(tc, explore_run__limit);
	tcase_add_test(tc, explore_run__what_breaks_replays);
	tcase_add_test(tc, explore_run__impossible);
	tcase_add_test(tc, explore_look__fewer_preemptions_go_on);
	suite_add_tcase(s, tc);
	return s;
}
