// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/claims/ and of sim/bench/splice_drain.c: that a claim can fail,
 * and figures that can be worked out by hand.
 */
#include <check.h>

#include "sim/bench/splice_drain.h"
#include "sim/claims/claims.h"

#define TWO_FILL_A_SLOT           \
	"+0 pipe p 4096\n"        \
	"+0 peer A*2 = data 10\n" \
	"+0 wire A\n"             \
	"+0 r1 splice p 4096\n"

static struct claims c;

static void setup(void)
{
	claims_init(&c, profile_find("rfc-splice-coalesce"), 300);
}

static void teardown(void)
{
	claims_free(&c);
}

/* --- claims.c ------------------------------------------------------------ */

START_TEST(claim_set_find__by_profile)
{
	ck_assert_str_eq(claim_set_find("rfc-splice-coalesce")->profile,
			 "rfc-splice-coalesce");
	ck_assert_ptr_null(claim_set_find("v7.2"));
}
END_TEST

/* --- claim_tools.c ------------------------------------------------------- */

START_TEST(claim_say__breaks_lines)
{
	claim_say(&c, "%s %s", "1234567890123456789012345678901234567890",
		  "1234567890123456789012345678901234567890 end");
	ck_assert_str_eq(
		c.out.buf,
		"            1234567890123456789012345678901234567890\n"
		"              "
		"1234567890123456789012345678901234567890 end\n");
}
END_TEST

START_TEST(claim_trace__shows_what_fails)
{
	static const char body[] = "+0 r1 recvmsg 10 dontwait = 10\n";

	ck_assert(!claim_trace(&c, c.base, "no data", body));
	ck_assert_str_eq(c.out.buf, "            no data: v7.2 answers EAGAIN "
				    "(tls-again-empty), not 10:\n"
				    "            | +0 r1 recvmsg 10 dontwait = "
				    "10\n");
	ck_assert(claim_trace(&c, c.base, "no data",
			      "+0 r1 recvmsg 10 dontwait = EAGAIN\n"));
}
END_TEST

/* Answers are judged, promises are not. */
START_TEST(claim_trace__ignores_promises)
{
	ck_assert(claim_trace(&c, c.trial, "full pipe", TWO_FILL_A_SLOT));
}
END_TEST

START_TEST(claim_breaks__a_promise)
{
	ck_assert(claim_breaks(&c, "room", TWO_FILL_A_SLOT));
	ck_assert_ptr_nonnull(strstr(c.out.buf, "room: broken, B6 (no-room)"));
	claims_free(&c);
	claims_init(&c, profile_find("splice-coalesce-fixed"), 1);
	ck_assert(!claim_breaks(&c, "room", TWO_FILL_A_SLOT));
	ck_assert_str_eq(c.out.buf, "            room: kept\n");
}
END_TEST

/* What 7.2 breaks itself is not the patch's fault. */
START_TEST(claim_breaks__not_what_is_broken_already)
{
	ck_assert(!claim_breaks(&c, "an expectation",
				"+0 r1 recvmsg 10 dontwait = 10\n"));
	ck_assert_str_eq(
		c.out.buf,
		"            an expectation: broken on v7.2 already\n");
}
END_TEST

START_TEST(claim_answers__same_or_not)
{
	ck_assert(claim_answers(&c, "one", "+0 r1 recvmsg 10 dontwait\n"));
	ck_assert(!claim_answers(&c, "two",
				 "+0 pipe p 8192\n"
				 "+0 peer A*2 = data 10\n"
				 "+0 wire A\n"
				 "+0 r1 splice p 100\n"));
}
END_TEST

START_TEST(claim_worlds__find_what_is_broken)
{
	const struct claim_worlds *w = claim_trial(&c);
	u64 calls = w->calls;

	ck_assert_uint_gt(w->batches, 0);
	ck_assert_uint_gt(w->breaches[INV_B6], 0);
	ck_assert_uint_eq(claim_trial(&c)->calls, calls); /* run once */
	ck_assert_uint_eq(claim_base(&c)->batches, 0);
	ck_assert_uint_eq(claim_base(&c)->breaches[INV_B6], 0);
}
END_TEST

START_TEST(claim_other_logs__of_another_kernel)
{
	ck_assert_uint_eq(claim_other_logs(&c), 0);
	c.trial = profile_find("v6.1");
	ck_assert_uint_gt(claim_other_logs(&c), 0);
}
END_TEST

/* --- splice_drain.c ------------------------------------------------------ */

static void drained(const char *profile, struct splice_drain d, u64 calls,
		    u64 per_call)
{
	d.profile = profile_find(profile);
	splice_drain_run(c.s, &d);
	ck_assert_uint_eq(d.calls, calls);
	ck_assert_uint_eq(d.per_call, per_call);
}

/* 64 KiB are asked for; a record takes two slots of 16, or five. */
START_TEST(splice_drain_run__figures)
{
	struct splice_drain d = { .pipe_bytes = 65536,
				  .rec_len = 16384,
				  .recs = 8 };

	drained("v7.2", d, 8, 1);
	drained("rfc-splice-coalesce", d, 2, 4);
	drained("splice-coalesce-fixed", d, 2, 4);
	d.ready = 3;
	drained("rfc-splice-coalesce", d, 3, 3);
	d.ready = 0;
	d.single_pages = true;
	/* 3 records, the fourth in vain; then that one and two more */
	drained("rfc-splice-coalesce", d, 3, 4);
	d.recv = true;
	drained("v7.2", d, 2, 4);
}
END_TEST

START_TEST(splice_drain_rate__per_mib)
{
	const struct splice_drain d = { .calls = 11,
					.recs = 64,
					.rec_len = 32768 };

	ck_assert_uint_eq(splice_drain_rate(&d), 550);
}
END_TEST

Suite *claims_test_suite(void);
Suite *claims_test_suite(void)
{
	Suite *s = suite_create("claims");
	TCase *tc = tcase_create("claims");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, claim_set_find__by_profile);
	tcase_add_test(tc, claim_say__breaks_lines);
	tcase_add_test(tc, claim_trace__shows_what_fails);
	tcase_add_test(tc, claim_trace__ignores_promises);
	tcase_add_test(tc, claim_breaks__a_promise);
	tcase_add_test(tc, claim_breaks__not_what_is_broken_already);
	tcase_add_test(tc, claim_answers__same_or_not);
	tcase_add_test(tc, claim_worlds__find_what_is_broken);
	tcase_add_test(tc, claim_other_logs__of_another_kernel);
	tcase_add_test(tc, splice_drain_run__figures);
	tcase_add_test(tc, splice_drain_rate__per_mib);
	suite_add_tcase(s, tc);
	return s;
}
