// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The dispatch of invariants: who hears what, what becomes of a failure, and
 * the table of known findings.
 */
#include "tests/unit/run_text.h"

#include <stdlib.h>

#include "sim/inv/inv.h"
#include "sim/inv/local.h"
#include "sim/inv/ledger.h"

static struct text_run run;

static void setup(void)
{
	text_run_init(&run);
}

static void teardown(void)
{
	text_run_free(&run);
}

#define ONE_READ                           \
	"set tls=1.3 cipher=aes-128-gcm\n" \
	"+0 peer A = data 10\n"            \
	"+0 wire A\n"                      \
	"+0 r1 recvmsg 10\n"

START_TEST(inv_table__complete)
{
	u32 i;

	for (i = 0; i < INV_COUNT; i++) {
		ck_assert_uint_eq(inv_table[i]->id, i);
		ck_assert_uint_gt(strlen(inv_name[i]), 1);
		ck_assert_int_eq(inv_text[i][strlen(inv_text[i]) - 1], '.');
		ck_assert(!inv_table[i]->events == !inv_table[i]->on_event);
	}
}
END_TEST

/* What needs two runs has no hooks and says where it is checked. */
START_TEST(inv_table__checked_elsewhere)
{
	static const enum inv_id elsewhere[] = { INV_F1, INV_T1, INV_T2 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(elsewhere); i++) {
		const struct inv_ops *ops = inv_table[elsewhere[i]];

		ck_assert(!ops->on_event && !ops->on_return && !ops->on_quiet &&
			  !ops->on_finished && !ops->on_end);
	}
}
END_TEST

START_TEST(inv_checked__counts)
{
	u64 before;

	run_text_ok(&run, ONE_READ);
	before = inv_checks(run.s, INV_D1);
	ck_assert_uint_gt(before, 0);
	run_text_ok(&run, ONE_READ);
	ck_assert_uint_eq(inv_checks(run.s, INV_D1), 2 * before);
	ck_assert_uint_eq(inv_checks(run.s, INV_F1), 0);
}
END_TEST

START_TEST(inv_fail__fills_the_verdict)
{
	const struct sim_verdict *v = &run.s->verdict;

	run_text_ok(&run, ONE_READ);
	inv_fail(run.s, INV_D2, "some-slug", "got %d", 7);
	ck_assert_int_eq(v->kind, VERDICT_INVARIANT);
	ck_assert_uint_eq(v->inv, INV_D2);
	ck_assert_str_eq(v->slug, "some-slug");
	ck_assert_str_eq(v->got, "got 7");
	ck_assert_str_eq(v->expected, inv_text[INV_D2]);
	ck_assert_uint_eq(v->event, run.s->event_n - 1);
	ck_assert(run.s->stopped);
	/* the first one stays */
	inv_fail(run.s, INV_D3, "later", "got %d", 8);
	ck_assert_str_eq(v->slug, "some-slug");
}
END_TEST

START_TEST(inv_fail__names_the_statement)
{
	static const char text[] = ONE_READ "+0 r1 recvmsg 10 dontwait\n"
					    "+0 r1 recvmsg 10 peek\n"
					    "+0 peer B = data 10\n"
					    "+0 wire B\n";
	struct sim_opts opts = { .profile = "v7.2" };

	run_text_ok(&run, text);
	sim_run(run.s, &run.tr, &opts, NULL);
	ck_assert_int_eq(run.s->verdict.kind, VERDICT_INVARIANT);
	ck_assert_str_eq(run.s->verdict.slug, "no-eor-first-peek");
	/* the peek, whose bytes came with a later line */
	ck_assert_uint_eq(run.s->verdict.stmt, 4);
}
END_TEST

START_TEST(inv_fail__known_findings)
{
	static const char text[] = ONE_READ "+0 peer B = data 10\n"
					    "+0 wire B\n"
					    "+0 r1 recvmsg 10 peek\n";
	const struct finding *f = finding_known(INV_D4, "no-eor-first-peek");

	ck_assert_ptr_nonnull(f);
	run_text_ok(&run, text);
	ck_assert_uint_eq(finding_hits(run.s, f), 1);
	run_text_ok(&run, text);
	ck_assert_uint_eq(finding_hits(run.s, f), 2);
	ck_assert_ptr_null(finding_known(INV_D4, "no-eor"));
	ck_assert_ptr_null(finding_known(INV_D3, "no-eor-first-peek"));
}
END_TEST

START_TEST(finding_table__well_formed)
{
	u32 i, j;

	ck_assert_uint_gt(finding_count, 0);
	for (i = 0; i < finding_count; i++) {
		const struct finding *f = &finding_table[i];

		ck_assert_uint_lt(f->inv, INV_COUNT);
		ck_assert_ptr_eq(finding_known(f->inv, f->slug), f);
		ck_assert_int_eq(f->text[strlen(f->text) - 1], '.');
		for (j = 0; f->slug[j]; j++)
			ck_assert_msg(f->slug[j] == '-' || (f->slug[j] >= 'a' &&
							    f->slug[j] <= 'z'),
				      "%s", f->slug);
	}
}
END_TEST

Suite *inv_test_suite(void)
{
	Suite *s = suite_create("inv");
	TCase *tc = tcase_create("inv");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, inv_table__complete);
	tcase_add_test(tc, inv_table__checked_elsewhere);
	tcase_add_test(tc, inv_checked__counts);
	tcase_add_test(tc, inv_fail__fills_the_verdict);
	tcase_add_test(tc, inv_fail__names_the_statement);
	tcase_add_test(tc, inv_fail__known_findings);
	tcase_add_test(tc, finding_table__well_formed);
	suite_add_tcase(s, tc);
	return s;
}
