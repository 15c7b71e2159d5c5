// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/bench/wakeups.c, and of the changes it compares: how often each
 * announces, scenario by scenario.
 */
#include "sim/bench/wakeups.h"

#include "sim/cmd/tool.h"
#include "tests/unit/run_text.h"

#define VARIANTS 4

/* A0 to A3. */
static const char *const variants[VARIANTS] = {
	"v7.2+no-announce-deferred",
	"v7.2",
	"v7.2+announce-never-own",
	"v7.2+announce-each-exit",
};

/* Calls, and the announcements there have been behind each. */
struct scenario {
	const char *before;
	const char *call[4];
	u32 after[VARIANTS][4];
};

static const struct scenario one_read_takes_all = {
	"+0 peer A*4 = data 10\n+0 wire A\n",
	{ "+0 r1 recvmsg 100\n" },
	{ { 4 }, { 1 }, { 1 }, { 1 } },
};
static const struct scenario read_by_read = {
	"+0 peer A*4 = data 10\n+0 wire A\n",
	{ "+0 r1 recvmsg 10\n", "+0 r1 recvmsg 10\n", "+0 r1 recvmsg 10\n",
	  "+0 r1 recvmsg 10\n" },
	{ { 2, 3, 4, 4 }, { 2, 3, 4, 4 }, { 1, 1, 1, 1 }, { 2, 3, 4, 4 } },
};
static const struct scenario leftovers = {
	"+0 peer A*2 = data 10\n+0 wire A\n+0 r1 recvmsg 1\n",
	{ "+0 r1 recvmsg 1\n", "+0 r1 recvmsg 1\n", "+0 r1 recvmsg 1\n" },
	{ { 2, 2, 2 }, { 2, 2, 2 }, { 1, 1, 1 }, { 3, 4, 5 } },
};
static const struct scenario bad_record = {
	"+0 peer A = data 10\n+0 peer B = data 10 badtag\n+0 wire A B\n",
	{ "+0 r1 recvmsg 10\n", "+0 r1 recvmsg 10\n", "+0 r1 recvmsg 10\n",
	  "+0 r1 recvmsg 10\n" },
	{ { 2, 2, 2, 2 }, { 2, 2, 2, 2 }, { 1, 1, 1, 1 }, { 2, 3, 4, 5 } },
};
static const struct scenario alert_between = {
	"+0 peer A = data 10\n+0 peer B = alert 2\n+0 peer C = data 10\n"
	"+0 wire A B C\n",
	{ "+0 r1 recvmsg 100\n" },
	{ { 3 }, { 2 }, { 1 }, { 2 } },
};

static struct sim *s;

static void setup(void)
{
	s = sim_new();
}

static void teardown(void)
{
	sim_free(s);
}

static void run_on(const char *profile, const char *text)
{
	struct trace tr = { .pool = mem_pool_new() };
	const struct sim_verdict *v;
	char why[PROFILE_WHY_MAX];
	struct sim_err err = { 0 };
	struct sim_opts opts;
	struct profile p;

	ck_assert_int_eq(profile_parse(profile, &p, why), 0);
	ck_assert_msg(!trace_parse(&tr, "test", text, strlen(text), &err),
		      "%u: %s", err.line, err.msg);
	tool_opts_of(&p, &opts);
	v = sim_run(s, &tr, &opts, NULL);
	ck_assert_msg(v->kind == VERDICT_OK, "%s: %s, got %s\n%s", profile,
		      v->expected, v->got, text);
	mem_pool_free(tr.pool);
}

static void play(const struct scenario *sc)
{
	struct text text = { 0 };
	u32 i, j;

	for (i = 0; i < VARIANTS; i++) {
		text.len = 0;
		text_printf(&text, "ktlsim-trace 1\nset tls=1.3\n%s",
			    sc->before);
		for (j = 0; j < 4 && sc->call[j]; j++)
			text_printf(&text, "%s+0 expect announces=%u\n",
				    sc->call[j], sc->after[i][j]);
		run_on(variants[i], text.buf);
	}
	text_free(&text);
}

START_TEST(announce__one_read_takes_all)
{
	play(&one_read_takes_all);
}
END_TEST

START_TEST(announce__read_by_read)
{
	play(&read_by_read);
}
END_TEST

START_TEST(announce__leftovers)
{
	play(&leftovers);
}
END_TEST

START_TEST(announce__bad_record)
{
	play(&bad_record);
}
END_TEST

START_TEST(announce__alert_between)
{
	play(&alert_between);
}
END_TEST

/* A receive window that the next record does not fit in. */
START_TEST(parse__window_full)
{
	static const char text[] =
		"ktlsim-trace 1\nset tls=1.3 rcvbuf=4608\n"
		"+0 peer A = data 1000\n+0 peer B = data 16000\n"
		"+0 send A B\n+0 r1 recvmsg 1000 = 1000 data A\n"
		"+1s expect copy_modes=%s\n";
	static const char *const early[] = { "v7.2", "v7.2+parse-lazy",
					     "v7.2+parse-v7" };
	struct text t = { 0 };
	u32 i;

	text_printf(&t, text, "1");
	for (i = 0; i < ARRAY_SIZE(early); i++)
		run_on(early[i], t.buf);
	t.len = 0;
	text_printf(&t, text, "0");
	run_on("v7.2+parse-on-wait", t.buf);
	text_free(&t);
}
END_TEST

static struct wakeups load(const char *profile, enum consumer consumer)
{
	struct wakeups w = { .consumer = consumer,
			     .req_len = 4296,
			     .jobs = 8,
			     .conns = 1,
			     .reqs = 64,
			     .seed = 3 };
	char why[PROFILE_WHY_MAX];

	ck_assert_int_eq(profile_parse(profile, &w.profile, why), 0);
	wakeups_run(&w);
	ck_assert_uint_eq(w.bytes, (u64)w.req_len * w.reqs);
	ck_assert_uint_eq(w.records, w.reqs);
	ck_assert_uint_ge(w.looks, w.records);
	return w;
}

START_TEST(wakeups_run__same_again)
{
	struct wakeups a = load("v7.2", CONSUMER_EDGE);
	struct wakeups b = load("v7.2", CONSUMER_EDGE);

	ck_assert_uint_eq(a.announces, b.announces);
	ck_assert_uint_eq(a.spurious, b.spurious);
	ck_assert_uint_eq(a.looks, b.looks);
	ck_assert_uint_eq(a.rounds, b.rounds);
}
END_TEST

START_TEST(wakeups_run__nothing_lost_on_7_2)
{
	ck_assert_uint_eq(load("v7.2", CONSUMER_NFSD).lost, 0);
	ck_assert_uint_eq(load("v7.2", CONSUMER_LEVEL).lost, 0);
	ck_assert_uint_eq(load("v7.2", CONSUMER_EDGE).lost, 0);
	ck_assert_uint_eq(load("v7.2", CONSUMER_EDGE_REQUEST).lost, 0);
}
END_TEST

/* Half a request an edge is not what epoll(7) promises an edge for. */
START_TEST(wakeups_run__lost)
{
	ck_assert_uint_gt(load("v7.2", CONSUMER_EDGE_HALF).lost, 0);
	ck_assert_uint_gt(
		load("v7.2+announce-never-own", CONSUMER_EDGE_REQUEST).lost, 0);
	ck_assert_uint_gt(load("v7.2+parse-on-wait", CONSUMER_LEVEL).lost, 0);
	ck_assert_uint_eq(load("v7.2+announce-each-exit+announce-list",
			       CONSUMER_EDGE_HALF)
				  .lost,
			  0);
}
END_TEST

START_TEST(wakeups_run__spurious)
{
	ck_assert_uint_lt(
		load("v7.2", CONSUMER_EDGE).spurious,
		load("v7.2+no-announce-deferred", CONSUMER_EDGE).spurious);
}
END_TEST

Suite *wakeups_test_suite(void)
{
	Suite *suite = suite_create("wakeups");
	TCase *tc = tcase_create("wakeups");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, announce__one_read_takes_all);
	tcase_add_test(tc, announce__read_by_read);
	tcase_add_test(tc, announce__leftovers);
	tcase_add_test(tc, announce__bad_record);
	tcase_add_test(tc, announce__alert_between);
	tcase_add_test(tc, parse__window_full);
	tcase_add_test(tc, wakeups_run__same_again);
	tcase_add_test(tc, wakeups_run__nothing_lost_on_7_2);
	tcase_add_test(tc, wakeups_run__lost);
	tcase_add_test(tc, wakeups_run__spurious);
	suite_add_tcase(suite, tc);
	return suite;
}
