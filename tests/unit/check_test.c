// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/check/check.c, check_world.c and check_report.c.
 */
#include "sim/check/check.h"

#include <check.h>
#include <stdlib.h>
#include <unistd.h>

static struct check_opts o;
static struct check_share share;
static char dir[] = "/tmp/ktlsim-check-XXXXXX";
static FILE *out;

static void setup(void)
{
	strcpy(dir, "/tmp/ktlsim-check-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	o = (struct check_opts){
		.profile = *profile_find(PROFILE_DEFAULT),
		.seed = 1,
		.runs = 300,
		.jobs = 1,
		.shard = 1,
		.shards = 1,
		.out = dir,
	};
	memset(&share, 0, sizeof(share));
	out = tmpfile();
	ck_assert_ptr_nonnull(out);
}

static void teardown(void)
{
	char cmd[100];

	fclose(out);
	snprintf(cmd, sizeof(cmd), "rm -r %s", dir);
	ck_assert_int_eq(system(cmd), 0);
}

/* What was printed since setup(). */
static char *printed(void)
{
	static char buf[1 << 16];
	size_t n;

	rewind(out);
	n = fread(buf, 1, sizeof(buf) - 1, out);
	buf[n] = '\0';
	return buf;
}

static u32 lines(const char *s)
{
	u32 n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

static void hashes(char *to, size_t size)
{
	o.hash = true;
	rewind(out);
	ck_assert_int_eq(ftruncate(fileno(out), 0), 0);
	ck_assert_int_eq(check_run(&o, out), 0);
	snprintf(to, size, "%s", strchr(printed(), '\n') + 1);
}

START_TEST(check_seed__runs_and_seeds_differ)
{
	ck_assert_uint_ne(check_seed(1, 0), check_seed(1, 1));
	ck_assert_uint_ne(check_seed(1, 0), check_seed(2, 0));
	ck_assert_uint_ne(check_seed(1, 2), check_seed(2, 1));
	ck_assert_uint_eq(check_seed(5, 9), check_seed(5, 9));
}
END_TEST

START_TEST(check_note__first_of_each_kind)
{
	struct sim_sig a, b;

	sig_set(&a, SIG_INVARIANT, INV_D1, "one");
	sig_set(&b, SIG_INVARIANT, INV_D1, "two");
	check_note_run(&share, 5, JUDGE_RUN, &a, "first");
	check_note_run(&share, 6, JUDGE_RUN, &b, "second");
	check_note_run(&share, 7, JUDGE_RUN, &a, "third");
	ck_assert_uint_eq(share.failed, 3);
	ck_assert_uint_eq(share.found_n, 2);
	ck_assert_uint_eq(share.found[0].run, 5);
	ck_assert_str_eq(share.found[0].text, "first");
	ck_assert_uint_eq(share.found[1].run, 6);
}
END_TEST

START_TEST(check_run__first_line_says_how)
{
	o.seed = 77;
	o.runs = 3;
	o.shard = 2;
	o.shards = 3;
	check_run(&o, out);
	ck_assert_ptr_eq(strstr(printed(),
				"ktlsim check --profile v7.2 --seed 77 --from "
				"0 --runs 3 --shard 2/3\n"),
			 printed());
	ck_assert_ptr_nonnull(strstr(printed(), "worlds:   1 in"));
}
END_TEST

START_TEST(check_run__processes_make_no_difference)
{
	static char one[1 << 16], two[1 << 16], none[1 << 16];

	hashes(one, sizeof(one));
	o.jobs = 3;
	hashes(two, sizeof(two));
	o.jobs = 0;
	hashes(none, sizeof(none));
	ck_assert_uint_eq(lines(one), 300);
	ck_assert_str_eq(one, two);
	ck_assert_str_eq(one, none);
}
END_TEST

START_TEST(check_run__shards_are_a_partition)
{
	static char all[1 << 16], part[1 << 16];
	u32 i, n = 0;

	hashes(all, sizeof(all));
	o.shards = 4;
	for (i = 1; i <= 4; i++) {
		o.shard = i;
		hashes(part, sizeof(part));
		n += lines(part);
		part[strcspn(part, "\n")] = '\0';
		ck_assert_ptr_nonnull(strstr(all, part));
	}
	ck_assert_uint_eq(n, 300);
}
END_TEST

START_TEST(check_run__known_findings_are_reported_on_demand)
{
	o.all = true;
	ck_assert_int_eq(check_run(&o, out), 0);
	ck_assert_ptr_nonnull(strstr(printed(), "\nknown: "));
	ck_assert_ptr_nonnull(strstr(printed(), "replay: ktlsim run --all "));
}
END_TEST

START_TEST(check_run__first_stops_early)
{
	o.all = true;
	o.first = true;
	o.runs = 100000;
	ck_assert_int_eq(check_run(&o, out), 0);
	ck_assert_ptr_nonnull(strstr(printed(), "findings: 0 new, 1 runs"));
}
END_TEST

START_TEST(check_one__counts)
{
	struct check_world w;

	check_world_init(&w, &o, &share);
	check_one(&w, 0);
	check_one(&w, 1);
	stats_world(&share.stats, w.s);
	ck_assert_uint_eq(share.stats.worlds, 2);
	ck_assert_uint_gt(share.stats.calls, 0);
	ck_assert_uint_gt(share.stats.checks[INV_T1], 0);
	ck_assert_uint_gt(share.stats.checks[INV_T2], 0);
	check_world_free(&w);
}
END_TEST

static u32 runs_begun;

/* The second time it is another run. */
static struct sim_event *not_the_same(struct sim *s, struct sim_event *e)
{
	runs_begun += s->event_n == 1;
	if (runs_begun > 1)
		e->t_ns++;
	return e;
}

START_TEST(check_one__another_log_the_second_time)
{
	struct check_world w;
	u64 run = 0;

	check_world_init(&w, &o, &share);
	w.s->tamper = not_the_same;
	do {
		runs_begun = 0;
		check_one(&w, run);
		run += 64;
	} while (!share.found_n);
	ck_assert_uint_eq(share.found[0].judge, JUDGE_AGAIN);
	ck_assert_uint_eq(share.found[0].sig.inv, INV_T1);
	ck_assert_str_eq(share.found[0].sig.slug, "replay");
	ck_assert_uint_eq(share.found[1].sig.inv, INV_T1);
	ck_assert_str_eq(share.found[1].sig.slug, "run-twice");
	ck_assert_uint_eq(share.found[2].sig.inv, INV_T2);
	ck_assert_str_eq(share.found[2].sig.slug, "other-log");
	check_world_free(&w);
}
END_TEST

START_TEST(check_summary__how_to_have_a_crash_again)
{
	struct sim_sig sig;

	sig_set(&sig, SIG_CRASH, 0, "signal-11");
	check_note_run(&share, 9, JUDGE_CRASH, &sig, "the process died");
	check_summary(&o, &share, 0, out);
	ck_assert_ptr_nonnull(strstr(printed(),
				     "\nnew: crash signal-11 (run 9)\n"
				     "  the process died\n"
				     "  replay: ktlsim run --log /tmp/"));
	ck_assert_ptr_nonnull(strstr(printed(),
				     "  again:  ktlsim check --profile v7.2 "
				     "--seed 1 --from 9 --runs 1 --jobs 0\n"));
}
END_TEST

/* The saved file fails in the same way, without any choice. */
static void replays(const struct check_found *f)
{
	struct text path = { 0 };
	struct check_world w;
	struct sim_opts so;
	struct sim_sig sig;
	struct sim_err err;

	check_world_init(&w, &o, NULL);
	check_save(&w, f, &path);
	text_putc(&path, '\0');
	ck_assert_int_eq(trace_load(&w.tr, path.buf, &err), 0);
	check_opts_of_run(&o, &so);
	so.random_schedule = false;
	sim_run(w.s, &w.tr, &so, NULL);
	sig_of_run(w.s, &sig);
	ck_assert_msg(sig_equal(&sig, &f->sig), "%s", path.buf);
	ck_assert_uint_ge(w.tr.comment_n, 2);
	text_free(&path);
	check_world_free(&w);
}

START_TEST(check_save__replays)
{
	struct check_world w;
	u64 run;
	u32 i;

	o.all = true;
	check_world_init(&w, &o, &share);
	for (run = 2; run < 60; run++)
		check_one(&w, run);
	ck_assert_uint_gt(share.found_n, 3);
	for (i = 0; i < share.found_n; i++) {
		if (share.found[i].judge == JUDGE_RUN)
			replays(&share.found[i]);
	}
	check_world_free(&w);
}
END_TEST

Suite *check_test_suite(void);
Suite *check_test_suite(void)
{
	Suite *s = suite_create("check");
	TCase *tc = tcase_create("check");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, check_seed__runs_and_seeds_differ);
	tcase_add_test(tc, check_note__first_of_each_kind);
	tcase_add_test(tc, check_run__first_line_says_how);
	tcase_add_test(tc, check_run__processes_make_no_difference);
	tcase_add_test(tc, check_run__shards_are_a_partition);
	tcase_add_test(tc, check_run__known_findings_are_reported_on_demand);
	tcase_add_test(tc, check_run__first_stops_early);
	tcase_add_test(tc, check_one__counts);
	tcase_add_test(tc, check_one__another_log_the_second_time);
	tcase_add_test(tc, check_summary__how_to_have_a_crash_again);
	tcase_add_test(tc, check_save__replays);
	suite_add_tcase(s, tc);
	return s;
}
