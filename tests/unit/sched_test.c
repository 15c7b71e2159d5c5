// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/world/sched.c and of the order that sim/world/world.h promises.
 */
#include "tests/unit/run_text.h"

static struct text_run r;

static void setup(void)
{
	text_run_init(&r);
}

static void teardown(void)
{
	text_run_free(&r);
}

/* Names of the tasks in the order their calls returned. */
static void returned(char *out)
{
	u32 i;

	*out = '\0';
	for (i = 0; i < r.s->event_n; i++) {
		if (r.s->events[i].kind != EV_RETURN ||
		    r.s->events[i].task >= r.s->task_n)
			continue;
		strcat(out, sim_task_name(r.s, r.s->events[i].task));
		strcat(out, " ");
	}
}

START_TEST(sched_settle__runnable_tasks_in_order)
{
	char order[64];

	run_text_ok(&r, "+0     peer  A = data 10\n"
			"+0     peer  B = data 10\n"
			"+0     b     recvmsg 10 = blocks\n"
			"+0     a     recvmsg 10 = blocks\n"
			"+0     wire  A B\n"
			"       b     returns 10 data A\n"
			"       a     returns 10 data B\n");
	returned(order);
	ck_assert_str_eq(order, "b a ");
}
END_TEST

START_TEST(sched_settle__sender_before_timers)
{
	run_text_ok(&r, "+0     peer  A = data 10\n"
			"+0     a     setsockopt rcvtimeo 5ms = 0\n"
			"+0     a     recvmsg 10 = blocks\n"
			"+5ms   send  A\n"
			"       a     returns EAGAIN\n"
			"+0     a     recvmsg 10 = 10 data A\n");
}
END_TEST

START_TEST(sched_advance__timers_fire_in_order_of_time)
{
	char order[64];

	run_text_ok(&r, "+0     a     epoll lt 20ms = blocks\n"
			"+0     b     epoll et 10ms = blocks\n"
			"+30ms  a     returns none\n");
	returned(order);
	ck_assert_str_eq(order, "b a ");
}
END_TEST

START_TEST(sched_advance__timeout_ends_a_sleep_in_time)
{
	run_text_ok(&r, "set rcvtimeo=7ms\n"
			"+0     a     recvmsg 10 = blocks\n"
			"+6ms   b     nonblock off = 0\n"
			"+0     a     blocks\n"
			"+1ms   a     returns EAGAIN\n");
}
END_TEST

START_TEST(sched_signal__ends_a_sleep)
{
	run_text_ok(&r, "+0     a     recvmsg 10 = blocks\n"
			"+0     signal a\n"
			"       a     returns EINTR\n");
}
END_TEST

START_TEST(sched_signal__restart_sleeps_again)
{
	run_text_ok(&r, "+0     peer  A = data 10\n"
			"+0     a     recvmsg 10 = blocks\n"
			"+0     signal a restart\n"
			"+0     a     blocks\n"
			"+0     wire  A\n"
			"       a     returns 10 data A\n");
}
END_TEST

START_TEST(sched_signal__idle_task_does_not_notice)
{
	run_text_ok(&r, "+0     peer  A = data 10\n"
			"+0     a     nonblock off = 0\n"
			"+0     signal a\n"
			"+0     wire  A\n"
			"+0     a     recvmsg 10 = 10 data A\n");
}
END_TEST

Suite *sched_test_suite(void)
{
	Suite *s = suite_create("sched");
	TCase *tc = tcase_create("sched");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, sched_settle__runnable_tasks_in_order);
	tcase_add_test(tc, sched_settle__sender_before_timers);
	tcase_add_test(tc, sched_advance__timers_fire_in_order_of_time);
	tcase_add_test(tc, sched_advance__timeout_ends_a_sleep_in_time);
	tcase_add_test(tc, sched_signal__ends_a_sleep);
	tcase_add_test(tc, sched_signal__restart_sleeps_again);
	tcase_add_test(tc, sched_signal__idle_task_does_not_notice);
	suite_add_tcase(s, tc);
	return s;
}
