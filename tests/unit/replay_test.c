// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/check/replay.c.
 */
#include "sim/check/replay.h"

#include "sim/world/profile.h"
#include "tests/unit/run_text.h"

static struct text_run r;
static struct trace again;

static const char busy_trace[] = "set finish=on\n"
				 "+0     peer  A*6 = data 30\n"
				 "+0     r1    recvmsg 100\n"
				 "+0     r2    recvmsg 100\n"
				 "+0     send  A cut=20\n"
				 "+0     r1    recvmsg 100\n"
				 "+0     r2    recvmsg 100\n";

static void setup(void)
{
	text_run_init(&r);
}

static void teardown(void)
{
	text_run_free(&r);
}

static void named(const struct sim_sig *sig, char sep, const char *want)
{
	struct text name = { 0 };

	sig_print(sig, sep, &name);
	text_putc(&name, '\0');
	ck_assert_str_eq(name.buf, want);
	text_free(&name);
}

START_TEST(sig_of_run__invariants_and_slugs)
{
	struct sim_sig sig;

	run_text(&r, "+0 r1 recvmsg 10 dontwait = 3\n");
	sig_of_run(r.s, &sig);
	ck_assert_int_eq(sig.kind, SIG_EXPECT);
	named(&sig, ' ', "expect");
	run_text(&r, "+0 r1 recvmsg 10 dontwait\n");
	sig_of_run(r.s, &sig);
	ck_assert_int_eq(sig.kind, SIG_NONE);
	r.s->verdict.kind = VERDICT_INVARIANT;
	r.s->verdict.inv = INV_W1;
	r.s->verdict.slug = "poll lowat";
	sig_of_run(r.s, &sig);
	named(&sig, ' ', "W1 poll lowat");
	named(&sig, '-', "W1-poll-lowat");
	r.s->verdict.kind = VERDICT_INPUT;
	sig_of_run(r.s, &sig);
	named(&sig, ' ', "input");
	r.s->verdict.kind = VERDICT_OK;
}
END_TEST

START_TEST(sig_of_run__assertions_by_file_and_line)
{
	struct sim_sig a, b;

	run_text(&r, "+0 r1 recvmsg 10 dontwait\n");
	r.s->verdict.kind = VERDICT_BUG;
	strcpy(r.s->verdict.got, "model/skb.c:12: 7 of 9");
	sig_of_run(r.s, &a);
	strcpy(r.s->verdict.got, "model/skb.c:12: 8 of 9");
	sig_of_run(r.s, &b);
	ck_assert(sig_equal(&a, &b));
	named(&a, ' ', "assertion model/skb.c:12");
	named(&a, '-', "assertion-model-skb.c-12");
	strcpy(r.s->verdict.got, "model/skb.c:13: 7 of 9");
	sig_of_run(r.s, &b);
	ck_assert(!sig_equal(&a, &b));
	r.s->verdict.kind = VERDICT_OK;
}
END_TEST

START_TEST(sig_known__only_listed_findings)
{
	struct sim_sig sig;

	sig_set(&sig, SIG_INVARIANT, finding_table[0].inv,
		finding_table[0].slug);
	ck_assert(sig_known(&sig));
	sig_set(&sig, SIG_INVARIANT, finding_table[0].inv, "nobody says so");
	ck_assert(!sig_known(&sig));
	sig_set(&sig, SIG_CRASH, 0, "signal-11");
	ck_assert(!sig_known(&sig));
	named(&sig, ' ', "crash signal-11");
}
END_TEST

START_TEST(replay_trace__same_run_without_choices)
{
	struct sim_opts o = { .profile = PROFILE_DEFAULT };
	struct mem_pool *pool = mem_pool_new();
	u64 seed, acted = 0;
	u32 calls, sleeps;

	for (seed = 1; seed < 60; seed++) {
		mem_pool_reset(pool);
		run_text_seed(&r, busy_trace, seed);
		calls = count_events(r.s, EV_CALL);
		sleeps = count_events(r.s, EV_SLEEP);
		acted += r.s->recorded_n;
		replay_trace(r.s, pool, &again);
		o.ignore_known = true;
		sim_run(r.s, &again, &o, NULL);
		ck_assert_uint_eq(count_events(r.s, EV_CALL), calls);
		ck_assert_uint_eq(count_events(r.s, EV_SLEEP), sleeps);
	}
	ck_assert_uint_gt(acted, 20);
	mem_pool_free(pool);
}
END_TEST

START_TEST(replay_note__goes_in_front_of_the_options)
{
	struct mem_pool *pool = mem_pool_new();
	struct text text = { 0 };

	run_text(&r, "+0     r1    recvmsg 10 dontwait\n");
	replay_trace(r.s, pool, &again);
	replay_note(&again, "one %d", 1);
	replay_note(&again, "two");
	trace_print(&again, &text);
	text_putc(&text, '\0');
	ck_assert_str_eq(text.buf,
			 "ktlsim-trace 1\n"
			 "# one 1\n"
			 "# two\n"
			 "set tls=1.3 cipher=aes-128-gcm profile=v7.2\n"
			 "+0     r1    recvmsg 10 dontwait\n");
	text_free(&text);
	mem_pool_free(pool);
}
END_TEST

Suite *replay_test_suite(void);
Suite *replay_test_suite(void)
{
	Suite *s = suite_create("replay");
	TCase *tc = tcase_create("replay");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, sig_of_run__invariants_and_slugs);
	tcase_add_test(tc, sig_of_run__assertions_by_file_and_line);
	tcase_add_test(tc, sig_known__only_listed_findings);
	tcase_add_test(tc, replay_trace__same_run_without_choices);
	tcase_add_test(tc, replay_note__goes_in_front_of_the_options);
	suite_add_tcase(s, tc);
	return s;
}
