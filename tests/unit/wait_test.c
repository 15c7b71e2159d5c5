// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/wait.c, in its order.
 */
#include "tests/unit/mock.h"

static struct mock *m;
static struct wait_queue_head wq;
static char order[16];

static void setup(void)
{
	m = mock_new();
	init_waitqueue_head(&wq);
	memset(order, 0, sizeof(order));
}

static void teardown(void)
{
	mock_free(m);
}

/* A poller that notes its letter and the mask it was called with. */
struct poller {
	struct wait_queue_entry wait;
	char letter;
	u32 mask;
};

static void poller_called(struct wait_queue_entry *e, u32 mask)
{
	struct poller *p = container_of(e, struct poller, wait);

	p->mask = mask;
	order[strlen(order)] = p->letter;
}

static void poller_once(struct wait_queue_entry *e, u32 mask)
{
	poller_called(e, mask);
	remove_wait_queue(e);
}

static void poller_add(struct poller *p, char letter)
{
	init_wait_entry(&p->wait, NULL);
	p->wait.func = poller_called;
	p->letter = letter;
	p->mask = ~0u;
	add_wait_queue(&wq, &p->wait);
}

static void hook_wake(struct mock *mock, void *arg)
{
	(void)arg;
	wake_up_poll(&mock->k, &wq, POLLIN_SET);
}

static void hook_set_and_wake(struct mock *mock, void *arg)
{
	*(bool *)arg = true;
	wake_up_poll(&mock->k, &wq, 0);
}

static void hook_signal(struct mock *mock, void *arg)
{
	(void)arg;
	mock->signal = true;
}

static void hook_pass_time(struct mock *mock, void *arg)
{
	mock->slept_ns += *(s64 *)arg;
}

static bool cond_bool(const void *arg)
{
	return *(const bool *)arg;
}

START_TEST(wake_up_poll__youngest_first_with_mask)
{
	struct poller a, b;

	poller_add(&a, 'a');
	poller_add(&b, 'b');
	ck_assert(wq_has_sleeper(&wq));
	wake_up_poll(&m->k, &wq, M_POLLERR);
	ck_assert_str_eq(order, "ba");
	ck_assert_uint_eq(b.mask, M_POLLERR);
}
END_TEST

START_TEST(wake_up_poll__callback_may_leave)
{
	struct poller a, b;

	poller_add(&a, 'a');
	a.wait.func = poller_once;
	poller_add(&b, 'b');
	wake_up_poll(&m->k, &wq, 0);
	wake_up_poll(&m->k, &wq, 0);
	ck_assert_str_eq(order, "bab");
}
END_TEST

START_TEST(wake_up_poll__one_exclusive_only)
{
	struct wait_queue_entry e[3];
	u32 i;

	for (i = 0; i < 3; i++)
		init_wait_entry(&e[i], &m->tasks[i]);
	add_wait_queue_exclusive(&wq, &e[0]);
	add_wait_queue_exclusive(&wq, &e[1]);
	add_wait_queue(&wq, &e[2]);
	wake_up_poll(&m->k, &wq, 0);
	ck_assert(m->tasks[0].woken);
	ck_assert(!m->tasks[1].woken);
	ck_assert(m->tasks[2].woken);
	/* The woken one left the queue: the next wakeup finds the second. */
	wake_up_poll(&m->k, &wq, 0);
	ck_assert(m->tasks[1].woken);
}
END_TEST

START_TEST(wake_up_all__every_exclusive)
{
	struct wait_queue_entry e[2];
	u32 i;

	for (i = 0; i < 2; i++) {
		init_wait_entry(&e[i], &m->tasks[i]);
		add_wait_queue_exclusive(&wq, &e[i]);
	}
	wake_up_all(&m->k, &wq);
	ck_assert(m->tasks[0].woken && m->tasks[1].woken);
	ck_assert(!wq_has_sleeper(&wq));
}
END_TEST

START_TEST(remove_wait_queue__twice)
{
	struct wait_queue_entry e;

	init_wait_entry(&e, m->k.current);
	remove_wait_queue(&e);
	add_wait_queue(&wq, &e);
	remove_wait_queue(&e);
	remove_wait_queue(&e);
	ck_assert(!wq_has_sleeper(&wq));
}
END_TEST

START_TEST(add_wait_queue__forgets_an_old_wakeup)
{
	struct wait_queue_entry e;

	init_wait_entry(&e, m->k.current);
	m->k.current->woken = true;
	add_wait_queue(&wq, &e);
	ck_assert(!m->k.current->woken);
}
END_TEST

START_TEST(m_schedule__logs_where_and_how_long)
{
	ck_assert_int_eq(m_schedule(&m->k, M_SLEEP_POLL, 70, true), 0);
	ck_assert_int_eq(mock_event(m, EV_SLEEP, 0)->a, M_SLEEP_POLL);
	ck_assert_int_eq(mock_event(m, EV_SLEEP, 0)->b, 70);
	ck_assert_int_eq(mock_event(m, EV_SLEPT, 0)->a, 0);
}
END_TEST

START_TEST(m_schedule__infinite_is_minus_one)
{
	struct wait_queue_entry e;

	init_wait_entry(&e, m->k.current);
	add_wait_queue(&wq, &e);
	mock_hook(m, hook_wake, NULL);
	ck_assert_int_eq(m_schedule(&m->k, M_SLEEP_POLL, MAX_SCHEDULE_TIMEOUT,
				    true),
			 MAX_SCHEDULE_TIMEOUT);
	ck_assert_int_eq(mock_event(m, EV_SLEEP, 0)->b, -1);
	ck_assert_int_eq(mock_event(m, EV_SLEPT, 0)->a, -1);
	ck_assert(!m->k.current->woken);
}
END_TEST

START_TEST(wait_woken__wakeup_before_the_sleep_counts)
{
	struct wait_queue_entry e;

	init_wait_entry(&e, m->k.current);
	add_wait_queue(&wq, &e);
	wake_up_poll(&m->k, &wq, 0);
	ck_assert_int_eq(wait_woken(&m->k, M_SLEEP_SK_WAIT, 50), 50);
	ck_assert_uint_eq(mock_event_count(m, EV_SLEEP), 0);
	ck_assert(!m->k.current->woken);
}
END_TEST

START_TEST(wait_woken__time_left)
{
	struct wait_queue_entry e;
	s64 passed = 30;

	init_wait_entry(&e, m->k.current);
	add_wait_queue(&wq, &e);
	mock_hook(m, hook_pass_time, &passed);
	mock_hook(m, hook_wake, NULL);
	ck_assert_int_eq(wait_woken(&m->k, M_SLEEP_SK_WAIT, 100), 70);
}
END_TEST

START_TEST(wait_woken__no_timeout_no_sleep)
{
	ck_assert_int_eq(wait_woken(&m->k, M_SLEEP_SK_WAIT, 0), 0);
	ck_assert_uint_eq(mock_event_count(m, EV_SLEEP), 0);
}
END_TEST

START_TEST(wait_woken__signal_ends_it)
{
	mock_hook(m, hook_signal, NULL);
	ck_assert_int_eq(wait_woken(&m->k, M_SLEEP_SK_WAIT,
				    MAX_SCHEDULE_TIMEOUT),
			 MAX_SCHEDULE_TIMEOUT);
}
END_TEST

START_TEST(wait_exclusive__condition_first)
{
	bool done = true;

	m->signal = true;
	ck_assert_int_eq(wait_exclusive(&m->k, &wq, M_SLEEP_PIPE_DATA, true,
					cond_bool, &done),
			 0);
	ck_assert_uint_eq(mock_event_count(m, EV_SLEEP), 0);
}
END_TEST

START_TEST(wait_exclusive__spurious_wakeup_sleeps_again)
{
	bool done = false;

	mock_hook(m, hook_wake, NULL);
	mock_hook(m, hook_set_and_wake, &done);
	ck_assert_int_eq(wait_exclusive(&m->k, &wq, M_SLEEP_PIPE_DATA, true,
					cond_bool, &done),
			 0);
	ck_assert_uint_eq(mock_event_count(m, EV_SLEEP), 2);
	ck_assert(!wq_has_sleeper(&wq));
}
END_TEST

START_TEST(wait_exclusive__signal_ignored_when_uninterruptible)
{
	bool done = false;

	mock_hook(m, hook_signal, NULL);
	mock_hook(m, hook_set_and_wake, &done);
	ck_assert_int_eq(wait_exclusive(&m->k, &wq, M_SLEEP_LOCK_SOCK, false,
					cond_bool, &done),
			 0);
}
END_TEST

START_TEST(wait_event_interruptible__signal)
{
	bool done = false;

	mock_hook(m, hook_signal, NULL);
	ck_assert_int_eq(wait_event_interruptible(&m->k, &wq,
						  M_SLEEP_PIPE_SPACE, cond_bool,
						  &done),
			 -ERESTARTSYS);
	ck_assert(!wq_has_sleeper(&wq));
}
END_TEST

/* A signal and the condition at once: the condition wins. */
static void hook_signal_and_set(struct mock *mock, void *arg)
{
	mock->signal = true;
	*(bool *)arg = true;
}

START_TEST(wait_event_interruptible__condition_beats_signal)
{
	bool done = false;

	mock_hook(m, hook_signal_and_set, &done);
	ck_assert_int_eq(wait_event_interruptible(&m->k, &wq,
						  M_SLEEP_PIPE_SPACE, cond_bool,
						  &done),
			 0);
}
END_TEST

Suite *wait_test_suite(void)
{
	Suite *s = suite_create("wait");
	TCase *tc = tcase_create("wait");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, wake_up_poll__youngest_first_with_mask);
	tcase_add_test(tc, wake_up_poll__callback_may_leave);
	tcase_add_test(tc, wake_up_poll__one_exclusive_only);
	tcase_add_test(tc, wake_up_all__every_exclusive);
	tcase_add_test(tc, remove_wait_queue__twice);
	tcase_add_test(tc, add_wait_queue__forgets_an_old_wakeup);
	tcase_add_test(tc, m_schedule__logs_where_and_how_long);
	tcase_add_test(tc, m_schedule__infinite_is_minus_one);
	tcase_add_test(tc, wait_woken__wakeup_before_the_sleep_counts);
	tcase_add_test(tc, wait_woken__time_left);
	tcase_add_test(tc, wait_woken__no_timeout_no_sleep);
	tcase_add_test(tc, wait_woken__signal_ends_it);
	tcase_add_test(tc, wait_exclusive__condition_first);
	tcase_add_test(tc, wait_exclusive__spurious_wakeup_sleeps_again);
	tcase_add_test(tc, wait_exclusive__signal_ignored_when_uninterruptible);
	tcase_add_test(tc, wait_event_interruptible__signal);
	tcase_add_test(tc, wait_event_interruptible__condition_beats_signal);
	suite_add_tcase(s, tc);
	return s;
}
