// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/check/stats.c.
 */
#include "sim/check/stats.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/run_text.h"

static struct text_run r;
static struct run_stats st, other;
static char path[] = "/tmp/ktlsim-stats-XXXXXX";

static void setup(void)
{
	int fd;

	strcpy(path, "/tmp/ktlsim-stats-XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	text_run_init(&r);
	memset(&st, 0, sizeof(st));
	memset(&other, 0, sizeof(other));
}

static void teardown(void)
{
	unlink(path);
	text_run_free(&r);
}

static void put_file(const char *text)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

START_TEST(stats_run__counts_calls_and_reasons)
{
	run_text(&r, "+0 r1 recvmsg 10 dontwait\n"
		     "+0 r1 recvmsg 10 dontwait\n");
	stats_run(&st, r.s);
	stats_run(&st, r.s);
	ck_assert_uint_eq(st.worlds, 2);
	ck_assert_uint_eq(st.events, 2 * r.s->event_n);
	ck_assert_uint_eq(st.reasons[REASON_TLS_AGAIN_EMPTY], 4);
}
END_TEST

START_TEST(stats_world__checks_since_the_world_is_there)
{
	run_text(&r, "+0 r1 recvmsg 10 dontwait\n");
	stats_world(&st, r.s);
	ck_assert_uint_gt(st.checks[INV_R1], 0);
	ck_assert_uint_eq(st.checks[INV_R1], inv_checks(r.s, INV_R1));
}
END_TEST

START_TEST(stats_load__gives_what_was_saved)
{
	run_text(&r, "+0 r1 recvmsg 10 dontwait\n");
	stats_run(&st, r.s);
	stats_world(&st, r.s);
	st.inputs = 7;
	st.ref_calls = 9;
	st.known[0] = 9;
	ck_assert_int_eq(stats_save(&st, path), 0);
	ck_assert_int_eq(stats_load(&other, path), 0);
	ck_assert_uint_eq(other.ref_calls, 9);
	ck_assert_mem_eq(&st, &other, sizeof(st));
	ck_assert_int_eq(stats_load(&other, path), 0);
	stats_merge(&st, &st);
	ck_assert_mem_eq(&st, &other, sizeof(st));
}
END_TEST

START_TEST(stats_load__what_is_no_such_file)
{
	ck_assert_int_eq(stats_load(&st, "/nowhere/at/all"), -1);
	put_file("this is not one\n");
	ck_assert_int_eq(stats_load(&st, path), -1);
	put_file("check D1 many\n");
	ck_assert_int_eq(stats_load(&st, path), -1);
	put_file("reason of-another-build 3\ncheck D1 3\n");
	ck_assert_int_eq(stats_load(&st, path), 0);
	ck_assert_uint_eq(st.checks[INV_D1], 3);
	ck_assert_int_eq(stats_save(&st, "/nowhere/at/all"), -1);
}
END_TEST

START_TEST(stats_print__names_what_was_never_reached)
{
	char buf[1 << 14];
	size_t n;
	FILE *f = tmpfile();

	st.reasons[REASON_TLS_EOF] = 5;
	st.checks[INV_D1] = 4;
	st.checks[INV_REF] = 3;
	st.ref_calls = 4;
	st.known[0] = 3;
	stats_print(&st, f);
	rewind(f);
	n = fread(buf, 1, sizeof(buf) - 1, f);
	buf[n] = '\0';
	fclose(f);
	ck_assert_ptr_nonnull(strstr(buf, "checks:   7 of 31 invariants:"));
	ck_assert_ptr_nonnull(strstr(buf, " D1=4 D2=0"));
	ck_assert_ptr_nonnull(strstr(
		buf, "reference: knew 3 of 4 calls that take data (75 %)"));
	ck_assert_ptr_nonnull(strstr(buf, "reasons:  1 of "));
	ck_assert_ptr_null(strstr(buf, "tls-eof "));
	ck_assert_ptr_nonnull(strstr(buf, "tls-eof-truncated"));
	ck_assert_ptr_nonnull(strstr(buf, "known:    1 of "));
}
END_TEST

Suite *stats_test_suite(void);
Suite *stats_test_suite(void)
{
	Suite *s = suite_create("stats");
	TCase *tc = tcase_create("stats");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, stats_run__counts_calls_and_reasons);
	tcase_add_test(tc, stats_world__checks_since_the_world_is_there);
	tcase_add_test(tc, stats_load__gives_what_was_saved);
	tcase_add_test(tc, stats_load__what_is_no_such_file);
	tcase_add_test(tc, stats_print__names_what_was_never_reached);
	suite_add_tcase(s, tc);
	return s;
}
