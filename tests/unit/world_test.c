// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/world/world.c, sim/world/finish.c and sim/world/stmt.c.
 */
#include "tests/unit/run_text.h"

#include <signal.h>

static struct text_run r;

static void setup(void)
{
	text_run_init(&r);
}

static void teardown(void)
{
	text_run_free(&r);
}

/* A task that trips over an assertion of the model. */
static void broken(void *arg)
{
	struct page *page = alloc_pages(arg, SITE_PIPE_PAGE, 0);

	put_page(arg, page);
	m_free(arg, page, sizeof(*page)); /* the second time */
}

START_TEST(m_bug__aborts_outside_a_run)
{
	struct sim_opts opts = { .profile = "v7.2" };

	run_text(&r, "+0     a     nonblock off\n");
	sim_open(r.s, &r.tr, &opts);
	sched_start_fn(r.s, &r.s->tasks[0], broken, &r.s->k);
	sched_settle(r.s);
}
END_TEST

static struct sim_event *assert_in(struct sim *s, struct sim_event *e,
				   enum m_event_kind kind)
{
	M_ASSERT(e->kind != kind, "event %u", s->event_n);
	return e;
}

static struct sim_event *assert_in_a_call(struct sim *s, struct sim_event *e)
{
	return assert_in(s, e, EV_DECRYPT);
}

static struct sim_event *assert_in_softirq(struct sim *s, struct sim_event *e)
{
	return assert_in(s, e, EV_SEG_IN);
}

static const char one_record[] = "+0     peer  A = data 10\n"
				 "+0     wire  A\n"
				 "+0     a     recvmsg 10 = 10\n";

/* The verdict names the place, and the world can be used again. */
static void stops_the_world(struct sim_event *(*tamper)(struct sim *s,
							struct sim_event *e),
			    const char *place, u32 stmt)
{
	const struct sim_verdict *v;

	r.s->tamper = tamper;
	v = run_text(&r, one_record);
	ck_assert_int_eq(v->kind, VERDICT_BUG);
	ck_assert_ptr_nonnull(strstr(v->got, place));
	ck_assert_uint_eq(v->stmt, stmt);
	ck_assert_ptr_nonnull(strstr(v->state, "parser"));
	r.s->tamper = NULL;
	run_text_ok(&r, one_record);
	ck_assert_uint_eq(arena_live(r.s->arena), 0);
}

START_TEST(m_bug__stops_the_world)
{
	stops_the_world(assert_in_a_call, "tests/unit/world_test.c:", 2);
	stops_the_world(assert_in_softirq, "tests/unit/world_test.c:", 1);
}
END_TEST

static struct sim_event *no_end(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_DECRYPT)
		sim_current(s)->call_budget = UINT32_MAX;
	return e;
}

START_TEST(sim_event__call_that_runs_for_ever)
{
	stops_the_world(no_end, "a runs for ever", 2);
}
END_TEST

START_TEST(fault_hits__nth_from_the_statement_on)
{
	run_text_ok(&r, "+0     peer  A = data 10\n"
			"+0     peer  B = data 10\n"
			"+0     wire  A B\n"
			"+0     fail  alloc decrypt_skb#2\n"
			"+0     a     recvmsg 5 = 5 data A[0,5)\n"
			"+0     a     recvmsg 5 = 5 data A[5,10)\n"
			"+0     a     recv 5 dontwait = ENOMEM\n");
	ck_assert_uint_eq(count_events(r.s, EV_ALLOC_FAIL), 1);
}
END_TEST

START_TEST(fault_hits__for_ever)
{
	run_text(&r, "+0     peer  A = data 10\n"
		     "+0     wire  A\n"
		     "+0     fail  alloc decrypt_skb#*\n"
		     "+0     a     recv 5 dontwait = ENOMEM\n"
		     "+0     a     recv 5 dontwait = ENOMEM\n");
	ck_assert_uint_eq(count_events(r.s, EV_ALLOC_FAIL), 2);
}
END_TEST

START_TEST(sim_run__same_trace_same_log)
{
	static const char text[] = "+0     peer  A*3 = data 700\n"
				   "+0     a     recvmsg 5000 waitall\n"
				   "+0     wire  A cut=100\n"
				   "+0     wire  fin\n";
	struct sim *other = sim_new();
	struct sim_opts opts = { .profile = "v7.2" };
	u64 hash;

	run_text(&r, text);
	hash = log_hash(r.s);
	run_text(&r, "+0     a     recvmsg 1 dontwait = EAGAIN\n");
	ck_assert_uint_ne(log_hash(r.s), hash);
	run_text(&r, text);
	ck_assert_uint_eq(log_hash(r.s), hash);
	sim_run(other, &r.tr, &opts, NULL);
	ck_assert_uint_eq(log_hash(other), hash);
	sim_free(other);
}
END_TEST

START_TEST(sim_run__start_options)
{
	run_text_ok(&r, "set ulp=off rx=off rcvlowat=50 rcvtimeo=3ms\n"
			"+0     a     getsockopt rcvlowat = 0 value=50\n"
			"+0     a     getsockopt tls_rx = EOPNOTSUPP\n");
	run_text_ok(&r, "set rx=off\n"
			"+0     a     getsockopt tls_rx = EBUSY\n");
	run_text_ok(&r, "set tls=1.3 nopad=on nonblock=on\n"
			"+0     a     getsockopt tls_rx_no_pad = 0 value=1\n"
			"+0     a     recvmsg 5 = EAGAIN\n");
}
END_TEST

START_TEST(sim_fail_expect__first_one_stays)
{
	const struct sim_verdict *v;

	v = run_text(&r, "+0     a     recvmsg 5 dontwait = 5\n"
			 "+0     a     recvmsg 5 dontwait = 6\n");
	ck_assert_int_eq(v->kind, VERDICT_EXPECT);
	ck_assert_uint_eq(v->stmt, 0);
	ck_assert_ptr_nonnull(strstr(v->got, "EAGAIN"));
	ck_assert_str_eq(v->expected, "5");
	ck_assert_ptr_nonnull(strstr(v->state, "parser"));
}
END_TEST

START_TEST(finish_world__peer_sends_the_rest_and_closes)
{
	run_text_ok(&r, "set finish=on\n"
			"+0     peer  A = data 10\n"
			"+0     a     recvmsg 100 waitall\n"
			"+0     b     poll\n");
	ck_assert_int_eq(r.s->tasks[0].res.ret, 10);
}
END_TEST

START_TEST(finish_world__busy_task_skips_its_call)
{
	run_text_ok(&r, "set finish=on\n"
			"+0     peer  A = data 10\n"
			"+0     a     recvmsg 10\n"
			"+0     a     recvmsg 10\n"
			"+0     wire  A\n");
	ck_assert_uint_eq(r.s->counters[CNT_CALLS], 4); /* 2 options, close */
}
END_TEST

START_TEST(finish_world__drains_full_pipes)
{
	run_text_ok(&r, "set finish=on\n"
			"+0     pipe  p 4096\n"
			"+0     peer  A = data 9000\n"
			"+0     a     splice p 4096\n"
			"+0     b     splice p 4096\n"
			"+0     wire  A\n"
			"+0     c     splice p 4096\n");
	/* the record's pages are 16384 bytes: 4096, then up to their middle */
	ck_assert_int_gt(r.s->tasks[2].res.ret, 0);
	ck_assert_int_eq(r.s->tasks[0].res.ret + r.s->tasks[1].res.ret +
				 r.s->tasks[2].res.ret,
			 9000);
}
END_TEST

START_TEST(teardown_world__sleeping_tasks_are_ended)
{
	run_text_ok(&r, "+0     pipe  p 4096\n"
			"+0     a     recvmsg 10 = blocks\n"
			"+0     b     splice p 10 = blocks\n"
			"+0     c     pread p 10 = blocks\n"
			"+0     d     epoll et forever = blocks\n");
	ck_assert_uint_eq(arena_live(r.s->arena), 0);
}
END_TEST

START_TEST(stmt_perform__busy_task_is_an_input_error)
{
	const struct sim_verdict *v;

	v = run_text(&r, "+0     a     recvmsg 10 = blocks\n"
			 "+0     a     recvmsg 10\n");
	ck_assert_int_eq(v->kind, VERDICT_INPUT);
	ck_assert_uint_eq(v->err.line, 3);
	ck_assert_ptr_nonnull(strstr(v->err.msg, "still in its recvmsg"));
}
END_TEST

START_TEST(stmt_perform__end_counts_what_is_left)
{
	const struct sim_verdict *v;

	run_text_ok(&r, "+0     peer  A = data 10\n+0     wire  A\n"
			"+0     a     recvmsg 4 = 4\nend    left 6\n");
	v = run_text(&r, "+0     peer  A = data 10\n+0     wire  A\n"
			 "+0     a     recvmsg 4 = 4\nend    consumed\n");
	ck_assert_int_eq(v->kind, VERDICT_EXPECT);
	ck_assert_ptr_nonnull(strstr(v->got, "6 bytes"));
}
END_TEST

START_TEST(close__waits_for_the_last_user)
{
	run_text_ok(&r, "+0     peer  A = data 10\n"
			"+0     a     recvmsg 10 = blocks\n"
			"+0     b     close = 0\n"
			"+0     b     poll = EBADF\n"
			"+0     wire  A\n"
			"       a     returns 10 data A\n"
			"+0     a     recvmsg 10 = EBADF why=bad-fd\n");
	ck_assert_uint_eq(count_events(r.s, EV_SOCK_CLOSED), 1);
}
END_TEST

Suite *world_test_suite(void)
{
	Suite *s = suite_create("world");
	TCase *tc = tcase_create("world");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test_raise_signal(tc, m_bug__aborts_outside_a_run, SIGABRT);
	tcase_add_test(tc, m_bug__stops_the_world);
	tcase_add_test(tc, sim_event__call_that_runs_for_ever);
	tcase_add_test(tc, fault_hits__nth_from_the_statement_on);
	tcase_add_test(tc, fault_hits__for_ever);
	tcase_add_test(tc, sim_run__same_trace_same_log);
	tcase_add_test(tc, sim_run__start_options);
	tcase_add_test(tc, sim_fail_expect__first_one_stays);
	tcase_add_test(tc, finish_world__peer_sends_the_rest_and_closes);
	tcase_add_test(tc, finish_world__busy_task_skips_its_call);
	tcase_add_test(tc, finish_world__drains_full_pipes);
	tcase_add_test(tc, teardown_world__sleeping_tasks_are_ended);
	tcase_add_test(tc, stmt_perform__busy_task_is_an_input_error);
	tcase_add_test(tc, stmt_perform__end_counts_what_is_left);
	tcase_add_test(tc, close__waits_for_the_last_user);
	suite_add_tcase(s, tc);
	return s;
}
