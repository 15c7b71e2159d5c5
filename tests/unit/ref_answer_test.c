// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/inv/ref_answer.c: that REF can fail, and that it is silent about
 * what it cannot know.
 */
#include "sim/inv/local.h"
#include "sim/ref/ref.h"
#include "tests/unit/broken.h"

#define TWO "+0 peer A*2 = data 10\n+0 wire A\n"

/* The reference is first in the state. */
static struct ref *ref_of(const struct sim *s)
{
	return inv_own_state(s, INV_REF);
}

static bool is_return(struct sim *s, const struct sim_event *e)
{
	return e->kind == EV_RETURN && tamper_task(s, e) &&
	       call_takes_data(tamper_task(s, e)->call->kind);
}

static struct sim_event *step_back(struct sim *s, struct sim_event *e)
{
	if (is_return(s, e))
		ref_of(s)->off = 3;
	return e;
}

static struct sim_event *rewind_3(struct sim *s, struct sim_event *e)
{
	if (is_return(s, e) && ref_of(s)->off == 3)
		ref_of(s)->off = 0;
	return e;
}

static struct sim_event *jump(struct sim *s, struct sim_event *e)
{
	if (is_return(s, e))
		ref_of(s)->at++;
	return e;
}

static struct sim_event *other_keys(struct sim *s, struct sim_event *e)
{
	if (is_return(s, e))
		ref_of(s)->gen++;
	return e;
}

START_TEST(ref__more)
{
	expect_breach(TWO "+0 r1 recvmsg 100\n", step_back, INV_REF, "more");
}
END_TEST

START_TEST(ref__fewer)
{
	expect_breach(TWO "+0 r1 recvmsg 3\n+0 r1 recvmsg 100\n", rewind_3,
		      INV_REF, "fewer");
}
END_TEST

START_TEST(ref__bytes)
{
	expect_breach(TWO "+0 r1 recvmsg 10\n", jump, INV_REF, "bytes");
}
END_TEST

START_TEST(ref__instead_of_error)
{
	expect_breach(TWO "+0 r1 recvmsg 10\n", other_keys, INV_REF,
		      "instead-of-error");
}
END_TEST

START_TEST(ref__other_answer)
{
	expect_breach("+0 peer A = data 10 badtag\n+0 wire A\n"
		      "+0 r1 recvmsg 10 dontwait\n",
		      jump, INV_REF, "other-answer");
}
END_TEST

START_TEST(ref__holds)
{
	expect_holds("+0 peer A = data 10\n+0 peer B = alert 2\n"
		     "+0 peer C = data 10\n+0 wire A B C\n"
		     "+0 r1 recvmsg 100 peek\n+0 r1 read 100\n+0 r1 read 100\n"
		     "+0 r1 recvmsg 100\n+0 r1 read_sock 4\n"
		     "+0 r1 recvmsg 100\n",
		     INV_REF);
}
END_TEST

/* A call that slept is asked about, from where it woke up. */
START_TEST(ref__slept)
{
	static const char text[] = "+0 peer A = data 10\n"
				   "+0 r1 recvmsg 100\n"
				   "+1ms wire A\n";

	expect_clean(text, INV_REF);
	expect_breach(text, step_back, INV_REF, "more");
}
END_TEST

/* What arrives meanwhile does not matter to a buffer that is full. */
START_TEST(ref__arrived_meanwhile)
{
	expect_clean("+0 peer A = data 10\n+0 peer B = data 10\n"
		     "+0 wire A\n"
		     "+0 r1 recvmsg 10\n"
		     "+0 wire B\n"
		     "at recvmsg:loop#1 run wire\n",
		     INV_REF);
}
END_TEST

Suite *ref_answer_test_suite(void)
{
	Suite *s = suite_create("ref_answer");
	TCase *tc = tcase_create("ref_answer");

	tcase_add_test(tc, ref__more);
	tcase_add_test(tc, ref__fewer);
	tcase_add_test(tc, ref__bytes);
	tcase_add_test(tc, ref__instead_of_error);
	tcase_add_test(tc, ref__other_answer);
	tcase_add_test(tc, ref__holds);
	tcase_add_test(tc, ref__slept);
	tcase_add_test(tc, ref__arrived_meanwhile);
	suite_add_tcase(s, tc);
	return s;
}
