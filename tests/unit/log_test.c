// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/world/log.c, sim/world/state.c, sim/check/report.c and sim/world/profile.c.
 */
#include "tests/unit/run_text.h"

#include "sim/world/profile.h"
#include "sim/check/report.h"

static struct text_run r;
static struct text out;

static void setup(void)
{
	text_run_init(&r);
	memset(&out, 0, sizeof(out));
}

static void teardown(void)
{
	text_free(&out);
	text_run_free(&r);
}

static void has(const char *word)
{
	ck_assert_msg(out.buf && strstr(out.buf, word), "'%s' is missing",
		      word);
}

START_TEST(log_print_mask__names)
{
	log_print_mask(0x2011, &out);
	ck_assert_str_eq(out.buf, "IN|HUP|RDHUP");
	text_free(&out);
	memset(&out, 0, sizeof(out));
	log_print_mask(0, &out);
	ck_assert_str_eq(out.buf, "none");
}
END_TEST

START_TEST(log_print__words_for_numbers)
{
	run_text(&r, "set tls=1.3\n"
		     "+0     peer  A = alert 2\n"
		     "+0     peer  B = type 99 5\n"
		     "+0     peer  C = data 5 badtag\n"
		     "+0     fail  alloc decrypt_skb#1\n"
		     "+0     wire  A B C\n"
		     "+0     a     recv 10 dontwait\n"
		     "at     lock_sock#1 run b\n"
		     "+0     b     poll\n"
		     "+0     a     recvmsg 10\n"
		     "+0     a     recvmsg 10\n"
		     "+0     a     recvmsg 10\n"
		     "+1ms   a     epoll lt 1ms\n"
		     "+5ms   wire  rst\n");
	log_print(r.s, 0, r.s->event_n, &out);
	has("line 11   +0     a     recvmsg 10");
	has("type=alert");
	has("err=ENOMEM");
	has("decrypt_skb n=1");
	has("err=EBADMSG");
	has("TlsDecryptError =1");
	has("lock_sock n=1");
	has("type=99");
	has("     0.000000ms  softirq seg");
	has("err=ECONNRESET");
}
END_TEST

START_TEST(log_hash__every_field_counts)
{
	u64 hash;

	run_text(&r, "+0     a     poll\n");
	hash = log_hash(r.s);
	r.s->events[0].c++;
	ck_assert_uint_ne(log_hash(r.s), hash);
	r.s->events[0].c--;
	r.s->events[0].softirq++;
	ck_assert_uint_ne(log_hash(r.s), hash);
	r.s->events[0].softirq--;
	r.s->events[1].t_ns++;
	ck_assert_uint_ne(log_hash(r.s), hash);
}
END_TEST

START_TEST(report_failure__parts_in_order)
{
	static const char *const parts[] = { "broken:",	 "where:",  "expected:",
					     "got:",	 "events:", "state:",
					     "profile:", "replay:" };
	const char *at;
	u32 i;

	run_text(&r, "+0     pipe  p 4096\n"
		     "+0     peer  A*2 = data 10\n"
		     "+0     wire  A\n"
		     "+0     a     recvmsg 5\n"
		     "+0     b     splice p 4096 = 6\n");
	report_failure(r.s, "x.trace", &out);
	at = out.buf;
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		at = strstr(at, parts[i]);
		ck_assert_msg(at != NULL, "%s is not in order", parts[i]);
	}
	has("x.trace:6: +0     b     splice p 4096 = 6");
	has("rx_list 0:");
	has("pipe    p 1 of 1 slots");
}
END_TEST

START_TEST(report_failure__sleepers_and_leftovers)
{
	run_text(&r, "+0     peer  A*2 = data 10\n"
		     "+0     wire  A\n"
		     "+0     a     recvmsg 5\n"
		     "+0     b     epoll et forever\n"
		     "+0     b     blocks\n"
		     "+0     a     poll = none\n");
	report_failure(r.s, NULL, &out);
	has("rx_list 1: [record 0 type 23, 5 left]");
}
END_TEST

START_TEST(report_signature__kinds)
{
	run_text(&r, "+0     a     poll = none\n");
	report_signature(r.s, &out);
	ck_assert_str_eq(out.buf, "expect");
	text_free(&out);
	memset(&out, 0, sizeof(out));
	run_text(&r, "+0     a     poll = OUT\n");
	report_signature(r.s, &out);
	report_headline(r.s, &out);
	ck_assert_str_eq(out.buf, "okall holds");
}
END_TEST

START_TEST(profile_find__default_exists)
{
	const struct profile *p = profile_find(PROFILE_DEFAULT);
	struct m_changes c;

	ck_assert_ptr_nonnull(p);
	profile_changes(p, &c);
	ck_assert_uint_eq(c.bits[0], 0);
	ck_assert_ptr_null(profile_find("v0"));
}
END_TEST

/* What profile_parse() says of a name; NULL: nothing. */
static const char *refused(const char *name)
{
	static char why[PROFILE_WHY_MAX];
	struct profile p;

	return profile_parse(name, &p, why) ? why : NULL;
}

START_TEST(profile_parse__adds_and_takes_away)
{
	char why[PROFILE_WHY_MAX];
	struct m_changes a, b;
	struct profile p;

	ck_assert_int_eq(profile_parse("v6.1.176~data-stolen"
				       "~splice-after-async-failure"
				       "~header-over-overlap"
				       "~splice-small-pipe-loss"
				       "~nopad-retry-iter",
				       &p, why),
			 0);
	profile_changes(&p, &a);
	profile_changes(profile_find("v6.1.192"), &b);
	ck_assert_mem_eq(&a, &b, sizeof(a));
	ck_assert_int_eq(profile_parse("v6.1.192+data-stolen", &p, why), 0);
	profile_changes(&p, &a);
	ck_assert_mem_ne(&a, &b, sizeof(a));
	ck_assert_str_eq(p.name, "v6.1.192+data-stolen");
}
END_TEST

START_TEST(profile_parse__says_what_is_wrong)
{
	char deep[PROFILE_NAME_MAX + 2];

	ck_assert_ptr_null(refused("v7.2"));
	ck_assert_str_eq(refused("v8+data-stolen"),
			 "unknown profile 'v8+data-stolen', expected one of "
			 "`ktlsim profiles`, with +CHANGE or ~CHANGE behind it "
			 "or not");
	ck_assert_str_eq(refused("v7.2+data"),
			 "unknown change 'data', expected one of `ktlsim "
			 "changes`");
	ck_assert_ptr_nonnull(strstr(refused("v7.2+"), "unknown change ''"));
	ck_assert_ptr_nonnull(strstr(refused("v7.2+none"), "unknown change"));
	ck_assert_str_eq(refused("v7.2+data-stolen+data-stolen"),
			 "the profile already has change 'data-stolen', "
			 "expected one that it lacks behind '+'");
	ck_assert_str_eq(refused("v7.2~data-stolen"),
			 "the profile does not have change 'data-stolen', "
			 "expected one of its own behind '~'");
	memset(deep, '+', sizeof(deep) - 1);
	memcpy(deep, "v7.2", 4);
	deep[sizeof(deep) - 1] = '\0';
	ck_assert_ptr_nonnull(refused(deep));
}
END_TEST

Suite *log_test_suite(void)
{
	Suite *s = suite_create("log");
	TCase *tc = tcase_create("log");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, log_print_mask__names);
	tcase_add_test(tc, log_print__words_for_numbers);
	tcase_add_test(tc, log_hash__every_field_counts);
	tcase_add_test(tc, report_failure__parts_in_order);
	tcase_add_test(tc, report_failure__sleepers_and_leftovers);
	tcase_add_test(tc, report_signature__kinds);
	tcase_add_test(tc, profile_find__default_exists);
	tcase_add_test(tc, profile_parse__adds_and_takes_away);
	tcase_add_test(tc, profile_parse__says_what_is_wrong);
	suite_add_tcase(s, tc);
	return s;
}
