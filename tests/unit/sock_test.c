// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/sock.c, in its order. The socket is a TCP one, because the
 * backlog is processed by TCP.
 */
#include "model/tcp.h"
#include "tests/unit/mock.h"

enum {
	IRS = 1000
};

static struct mock *m;
static struct sock *sk;

static void setup(void)
{
	static const struct tcp_opts opts = {
		.mss = 65483,
		.irs = IRS,
		.state = TCP_ESTABLISHED,
	};

	m = mock_new();
	sk = tcp_sock_new(&m->k, &opts);
	mock_events_clear(m);
}

static void teardown(void)
{
	sk->sk_state = TCP_CLOSE;
	tcp_sock_free(sk);
	mock_free(m);
}

static struct sk_buff *segment(u32 seq, u32 len)
{
	return mock_skb(m, IRS + seq, len);
}

/* Index of the first event of @kind, to compare what came first. */
static u32 event_at(enum m_event_kind kind)
{
	return (u32)(mock_event(m, kind, 0) - m->events);
}

static void hook_release(struct mock *mock, void *arg)
{
	(void)arg;
	mock->k.current = sk->owner;
	release_sock(sk);
}

static void hook_lock(struct mock *mock, void *arg)
{
	(void)mock;
	(void)arg;
	lock_sock(sk);
}

static void hook_readable(struct mock *mock, void *arg)
{
	(void)mock;
	if (arg)
		*(bool *)arg = true;
	sk->sk_data_ready(sk);
}

static bool cond_bool(void *arg)
{
	return *(bool *)arg;
}

START_TEST(sock_init_data__defaults)
{
	ck_assert_int_eq(sk->sk_rcvlowat, 1);
	ck_assert_int_eq(sk->sk_rcvtimeo, MAX_SCHEDULE_TIMEOUT);
	ck_assert_int_eq(sk->sk_peek_off, -1);
	ck_assert(!sock_owned_by_user(sk));
}
END_TEST

START_TEST(sk_destruct__frees_what_is_queued)
{
	struct sk_buff *skb = segment(0, 10);

	skb_set_owner_r(skb, sk);
	__skb_queue_tail(&sk->sk_receive_queue, skb);
	sk_add_backlog(sk, segment(10, 10));
	sk->sk_frag_page = alloc_pages(&m->k, SITE_SPLICE_COPY, 3);
}
END_TEST

START_TEST(lock_sock__free_at_once)
{
	lock_sock(sk);
	ck_assert(sk->owned);
	ck_assert_ptr_eq(sk->owner, &m->tasks[0]);
	ck_assert_int_eq(mock_event(m, EV_LOCK, 0)->a, sk->id);
	release_sock(sk);
	ck_assert(!sk->owned);
	ck_assert_ptr_null(sk->owner);
	ck_assert_uint_eq(mock_event_count(m, EV_SLEEP), 0);
}
END_TEST

START_TEST(lock_sock__waits_for_the_owner)
{
	m->k.current = &m->tasks[2];
	lock_sock(sk);
	m->k.current = &m->tasks[0];
	mock_hook(m, hook_release, NULL);
	lock_sock(sk);
	ck_assert_ptr_eq(sk->owner, &m->tasks[0]);
	ck_assert_int_eq(mock_event(m, EV_SLEEP, 0)->a, M_SLEEP_LOCK_SOCK);
	release_sock(sk);
}
END_TEST

static void hook_release_and_lock(struct mock *mock, void *arg)
{
	hook_release(mock, arg);
	mock->k.current = &mock->tasks[3];
	lock_sock(sk);
}

/* Woken, but somebody was faster: it sleeps again, even with a signal. */
START_TEST(lock_sock__no_handover)
{
	m->k.current = &m->tasks[2];
	lock_sock(sk);
	m->k.current = &m->tasks[0];
	m->signal = true;
	mock_hook(m, hook_release_and_lock, NULL);
	mock_hook(m, hook_release, NULL);
	lock_sock(sk);
	ck_assert_uint_eq(mock_event_count(m, EV_SLEEP), 2);
	release_sock(sk);
}
END_TEST

/* A point function that puts a segment where a softirq would. */
static void point_backlog(struct mock *mock, enum m_point point, void *arg)
{
	(void)mock;
	if (point != POINT_RELEASE_SOCK || !arg)
		return;
	sk_add_backlog(sk, arg);
	mock_points(m, NULL, NULL);
}

START_TEST(release_sock__runs_the_backlog_first)
{
	lock_sock(sk);
	mock_points(m, point_backlog, segment(0, 10));
	release_sock(sk);
	ck_assert_int_eq(mock_event(m, EV_BACKLOG_RUN, 0)->b, 1);
	ck_assert_uint_lt(event_at(EV_BACKLOG_RUN), event_at(EV_UNLOCK));
	ck_assert_uint_eq(sk->sk_receive_queue.qlen, 1);
	ck_assert_uint_eq(sk->backlog_len, 0);
}
END_TEST

START_TEST(release_sock__wakes_one_lock_waiter)
{
	struct wait_queue_entry e[2];
	u32 i;

	lock_sock(sk);
	for (i = 0; i < 2; i++) {
		init_wait_entry(&e[i], &m->tasks[2 + i]);
		add_wait_queue_exclusive(&sk->lock_wq, &e[i]);
	}
	release_sock(sk);
	ck_assert(m->tasks[2].woken);
	ck_assert(!m->tasks[3].woken);
	remove_wait_queue(&e[1]);
}
END_TEST

START_TEST(sk_flush_backlog__nothing_to_do)
{
	lock_sock(sk);
	ck_assert(!sk_flush_backlog(sk));
	ck_assert_uint_eq(mock_event_count(m, EV_BACKLOG_RUN), 0);
	release_sock(sk);
}
END_TEST

START_TEST(sk_flush_backlog__keeps_ownership)
{
	lock_sock(sk);
	sk_add_backlog(sk, segment(0, 10));
	ck_assert(sk_flush_backlog(sk));
	ck_assert(sk->owned);
	ck_assert_uint_eq(tcp_sk(sk)->rcv_nxt, IRS + 10);
	ck_assert(skb_queue_empty(&sk->backlog));
	release_sock(sk);
}
END_TEST

START_TEST(sk_add_backlog__merges_into_the_tail)
{
	struct sk_buff *fin = segment(200, 0);

	fin->fin = true;
	fin->end_seq++;
	ck_assert(sk_add_backlog(sk, segment(0, 100)));
	ck_assert(sk_add_backlog(sk, segment(100, 100)));
	ck_assert(sk_add_backlog(sk, fin));
	ck_assert_uint_eq(sk->backlog.qlen, 1);
	ck_assert_uint_eq(sk->backlog.last->len, 200);
	ck_assert_uint_eq(sk->backlog.last->end_seq, IRS + 201);
	ck_assert(sk->backlog.last->fin);
}
END_TEST

START_TEST(sk_add_backlog__keeps_apart)
{
	struct sk_buff *rst = segment(200, 0);
	struct sk_buff *urg = segment(400, 100);

	rst->rst = true;
	urg->urg = true;
	ck_assert(sk_add_backlog(sk, segment(0, 100)));
	ck_assert(sk_add_backlog(sk, segment(101, 99))); /* hole */
	ck_assert(sk_add_backlog(sk, rst));
	ck_assert(sk_add_backlog(sk, segment(200, 200)));
	ck_assert(sk_add_backlog(sk, urg));
	ck_assert(sk_add_backlog(sk, segment(500, 10)));
	ck_assert_uint_eq(sk->backlog.qlen, 6);
	ck_assert_uint_eq(sk->backlog_len, 100 + 99 + 200 + 100 + 10 + 6 * 832);
}
END_TEST

START_TEST(sk_add_backlog__limit)
{
	struct sk_buff *skb;

	/* The limit is 2 * rcvbuf + sndbuf / 2 + 64 KiB. */
	sk->sk_rcvbuf = 10000;
	sk->backlog_len = 2 * 10000 + 2626560 / 2 + 65536;
	skb = segment(0, 100);
	ck_assert(sk_add_backlog(sk, skb));
	ck_assert(!sk_add_backlog(sk, segment(300, 100)));
	/* What can be merged is not refused. */
	ck_assert(sk_add_backlog(sk, segment(100, 100)));
	ck_assert_uint_eq(sk->backlog.qlen, 1);
}
END_TEST

START_TEST(sk_wait_event__condition_holds_without_sleep)
{
	s64 timeo = MAX_SCHEDULE_TIMEOUT;
	bool done = true;

	lock_sock(sk);
	ck_assert_int_eq(sk_wait_event(sk, M_SLEEP_SK_WAIT, &timeo, cond_bool,
				       &done),
			 1);
	ck_assert_uint_eq(mock_event_count(m, EV_SLEEP), 0);
	ck_assert_uint_eq(mock_event_count(m, EV_UNLOCK), 1);
	ck_assert(sk->owned);
	release_sock(sk);
}
END_TEST

START_TEST(sk_wait_event__sleeps_unlocked)
{
	s64 timeo = MAX_SCHEDULE_TIMEOUT;
	struct wait_queue_entry wait;
	bool done = false;

	init_wait_entry(&wait, m->k.current);
	lock_sock(sk);
	add_wait_queue(&sk->sk_wq, &wait);
	mock_hook(m, hook_readable, &done);
	ck_assert_int_eq(
		sk_wait_event(sk, M_SLEEP_READER, &timeo, cond_bool, &done), 1);
	remove_wait_queue(&wait);
	release_sock(sk);
	ck_assert_int_eq(mock_event(m, EV_SLEEP, 0)->a, M_SLEEP_READER);
	ck_assert_uint_lt(event_at(EV_UNLOCK), event_at(EV_SLEEP));
}
END_TEST

START_TEST(sk_wait_event__woken_for_nothing)
{
	s64 timeo = MAX_SCHEDULE_TIMEOUT;
	struct wait_queue_entry wait;
	bool done = false;

	init_wait_entry(&wait, m->k.current);
	lock_sock(sk);
	add_wait_queue(&sk->sk_wq, &wait);
	mock_hook(m, hook_readable, NULL);
	ck_assert_int_eq(sk_wait_event(sk, M_SLEEP_SK_WAIT, &timeo, cond_bool,
				       &done),
			 0);
	remove_wait_queue(&wait);
	release_sock(sk);
}
END_TEST

START_TEST(sk_wait_event__timeout_is_used_up)
{
	s64 timeo = 5000;
	bool done = false;

	lock_sock(sk);
	ck_assert_int_eq(sk_wait_event(sk, M_SLEEP_SK_WAIT, &timeo, cond_bool,
				       &done),
			 0);
	ck_assert_int_eq(timeo, 0);
	release_sock(sk);
}
END_TEST

static void hook_disconnect(struct mock *mock, void *arg)
{
	(void)mock;
	sk->sk_disconnects++;
	hook_readable(mock, arg);
}

START_TEST(sk_wait_event__disconnect)
{
	s64 timeo = MAX_SCHEDULE_TIMEOUT;
	struct wait_queue_entry wait;
	bool done = false;

	init_wait_entry(&wait, m->k.current);
	lock_sock(sk);
	add_wait_queue(&sk->sk_wq, &wait);
	mock_hook(m, hook_disconnect, &done);
	ck_assert_int_eq(sk_wait_event(sk, M_SLEEP_SK_WAIT, &timeo, cond_bool,
				       &done),
			 -EPIPE);
	remove_wait_queue(&wait);
	release_sock(sk);
}
END_TEST

/* Woken on the socket, then the lock must be waited for: two sleeps. */
static void hook_wake_and_keep_lock(struct mock *mock, void *arg)
{
	hook_lock(mock, NULL);
	hook_readable(mock, arg);
}

static void hook_release_other(struct mock *mock, void *arg)
{
	(void)mock;
	(void)arg;
	release_sock(sk);
}

START_TEST(sk_wait_event__takes_the_lock_again)
{
	s64 timeo = MAX_SCHEDULE_TIMEOUT;
	struct wait_queue_entry wait;
	bool done = false;

	init_wait_entry(&wait, m->k.current);
	lock_sock(sk);
	add_wait_queue(&sk->sk_wq, &wait);
	mock_hook(m, hook_wake_and_keep_lock, &done);
	mock_hook(m, hook_release_other, NULL);
	ck_assert_int_eq(sk_wait_event(sk, M_SLEEP_SK_WAIT, &timeo, cond_bool,
				       &done),
			 1);
	remove_wait_queue(&wait);
	ck_assert_ptr_eq(sk->owner, &m->tasks[0]);
	ck_assert_int_eq(mock_event(m, EV_SLEEP, 1)->a, M_SLEEP_LOCK_SOCK);
	release_sock(sk);
}
END_TEST

static u32 points_seen;

static void point_note(struct mock *mock, enum m_point point, void *arg)
{
	(void)mock;
	(void)arg;
	points_seen = points_seen * 10;
	if (point == POINT_RELEASE_SOCK)
		points_seen += 1;
	else if (point == POINT_RELEASED)
		points_seen += 2;
	else if (point == POINT_WAIT_UNLOCKED)
		points_seen += 3;
	else if (point == POINT_WAIT_SLEPT)
		points_seen += 4;
	else if (point == POINT_LOCK_SOCK)
		points_seen += 5;
	else
		points_seen += 9;
}

START_TEST(sk_wait_event__named_points)
{
	s64 timeo = 10;
	bool done = false;

	lock_sock(sk);
	points_seen = 0;
	mock_points(m, point_note, NULL);
	sk_wait_event(sk, M_SLEEP_SK_WAIT, &timeo, cond_bool, &done);
	ck_assert_uint_eq(points_seen, 12345);
	points_seen = 0;
	sk_flush_backlog(sk);
	ck_assert_uint_eq(points_seen, 9);
	release_sock(sk);
}
END_TEST

START_TEST(sock_error__once)
{
	sk_set_err(sk, ECONNRESET);
	ck_assert_int_eq(sock_error(sk), -ECONNRESET);
	ck_assert_int_eq(sock_error(sk), 0);
	ck_assert_int_eq(mock_event(m, EV_SK_ERR_SET, 0)->b, -ECONNRESET);
	ck_assert_int_eq(mock_event(m, EV_SK_ERR_TAKEN, 0)->b, -ECONNRESET);
	ck_assert_uint_eq(mock_event_count(m, EV_SK_ERR_TAKEN), 1);
}
END_TEST

START_TEST(sock_rcvtimeo__nonblock_is_zero)
{
	sk->sk_rcvtimeo = 77;
	ck_assert_int_eq(sock_rcvtimeo(sk, true), 0);
	ck_assert_int_eq(sock_rcvtimeo(sk, false), 77);
}
END_TEST

START_TEST(sock_rcvlowat__at_least_one)
{
	sk->sk_rcvlowat = 50;
	ck_assert_int_eq(sock_rcvlowat(sk, false, 100), 50);
	ck_assert_int_eq(sock_rcvlowat(sk, false, 20), 20);
	ck_assert_int_eq(sock_rcvlowat(sk, true, 100), 100);
	ck_assert_int_eq(sock_rcvlowat(sk, false, 0), 1);
	ck_assert_int_eq(sock_rcvlowat(sk, true, 0), 1);
}
END_TEST

START_TEST(sock_intr_errno__restart_only_without_timeout)
{
	ck_assert_int_eq(sock_intr_errno(MAX_SCHEDULE_TIMEOUT), -ERESTARTSYS);
	ck_assert_int_eq(sock_intr_errno(5), -EINTR);
}
END_TEST

static u32 poller_mask;

static void poller_called(struct wait_queue_entry *e, u32 mask)
{
	(void)e;
	poller_mask = mask;
}

START_TEST(sock_def_readable__masks)
{
	struct wait_queue_entry e;

	init_wait_entry(&e, NULL);
	e.func = poller_called;
	add_wait_queue(&sk->sk_wq, &e);
	sock_def_readable(sk);
	ck_assert_uint_eq(poller_mask,
			  M_POLLIN | M_POLLPRI | M_POLLRDNORM | M_POLLRDBAND);
	sock_def_wakeup(sk);
	ck_assert_uint_eq(poller_mask, 0);
	sock_def_error_report(sk);
	ck_assert_uint_eq(poller_mask, M_POLLERR);
	ck_assert_uint_eq(mock_event_count(m, EV_WAKE_SK), 3);
	remove_wait_queue(&e);
}
END_TEST

START_TEST(sock_def_readable__nobody_there)
{
	sock_def_readable(sk);
	ck_assert_uint_eq(mock_event_count(m, EV_WAKE_SK), 0);
}
END_TEST

START_TEST(skb_set_owner_r__charge_follows_the_skb)
{
	struct sk_buff *skb = segment(0, 100);

	skb_set_owner_r(skb, sk);
	ck_assert_int_eq(sk->sk_rmem_alloc, 932);
	skb_set_owner_r(skb, sk);
	ck_assert_int_eq(sk->sk_rmem_alloc, 932);
	skb_orphan(skb);
	ck_assert_int_eq(sk->sk_rmem_alloc, 0);
	skb_set_owner_r(skb, sk);
	kfree_skb(skb);
	ck_assert_int_eq(sk->sk_rmem_alloc, 0);
}
END_TEST

static void add_lock_tests(TCase *tc)
{
	tcase_add_test(tc, sock_init_data__defaults);
	tcase_add_test(tc, sk_destruct__frees_what_is_queued);
	tcase_add_test(tc, lock_sock__free_at_once);
	tcase_add_test(tc, lock_sock__waits_for_the_owner);
	tcase_add_test(tc, lock_sock__no_handover);
	tcase_add_test(tc, release_sock__runs_the_backlog_first);
	tcase_add_test(tc, release_sock__wakes_one_lock_waiter);
	tcase_add_test(tc, sk_flush_backlog__nothing_to_do);
	tcase_add_test(tc, sk_flush_backlog__keeps_ownership);
	tcase_add_test(tc, sk_add_backlog__merges_into_the_tail);
	tcase_add_test(tc, sk_add_backlog__keeps_apart);
	tcase_add_test(tc, sk_add_backlog__limit);
	tcase_add_test(tc, sk_wait_event__condition_holds_without_sleep);
	tcase_add_test(tc, sk_wait_event__sleeps_unlocked);
	tcase_add_test(tc, sk_wait_event__woken_for_nothing);
	tcase_add_test(tc, sk_wait_event__timeout_is_used_up);
	tcase_add_test(tc, sk_wait_event__disconnect);
	tcase_add_test(tc, sk_wait_event__takes_the_lock_again);
	tcase_add_test(tc, sk_wait_event__named_points);
}

Suite *sock_test_suite(void)
{
	Suite *s = suite_create("sock");
	TCase *tc = tcase_create("sock");

	tcase_add_checked_fixture(tc, setup, teardown);
	add_lock_tests(tc);
	tcase_add_test(tc, sock_error__once);
	tcase_add_test(tc, sock_rcvtimeo__nonblock_is_zero);
	tcase_add_test(tc, sock_rcvlowat__at_least_one);
	tcase_add_test(tc, sock_intr_errno__restart_only_without_timeout);
	tcase_add_test(tc, sock_def_readable__masks);
	tcase_add_test(tc, sock_def_readable__nobody_there);
	tcase_add_test(tc, skb_set_owner_r__charge_follows_the_skb);
	suite_add_tcase(s, tc);
	return s;
}
