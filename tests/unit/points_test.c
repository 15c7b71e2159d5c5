// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/world/points.c, in its order.
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

START_TEST(point_reached__wire_goes_to_the_backlog)
{
	/* facts rx.md A21 vector 15: the record comes while a non-blocking
	 * reader owns the socket; it is returned, with no announce */
	run_text_ok(&r, "+0     peer  A = data 10\n"
			"at     rec_wait:enter#1 run wire\n"
			"+0     a     recvmsg 10 dontwait = 10 data A\n"
			"+0     wire  A\n"
			"+0     expect announces=0\n");
	ck_assert_uint_eq(count_events(r.s, EV_BACKLOG_RUN), 1);
	ck_assert_uint_eq(count_events(r.s, EV_SEG_IN), 1);
}
END_TEST

START_TEST(point_reached__other_count_does_nothing)
{
	run_text_ok(&r, "+0     peer  A = data 10\n"
			"at     rec_wait:enter#2 run wire\n"
			"+0     a     recvmsg 10 dontwait = EAGAIN\n"
			"+0     a     recvmsg 10 dontwait = 10 data A\n"
			"+0     wire  A\n");
	ck_assert_uint_eq(count_events(r.s, EV_POINT), 1);
}
END_TEST

START_TEST(point_reached__task_makes_its_next_call)
{
	run_text_ok(&r, "+0     peer  A = data 10\n"
			"+0     wire  A\n"
			"at     released#1 run b\n"
			"+0     a     poll = IN|OUT\n"
			"+0     a     recvmsg 4 = 4\n"
			"+0     b     recvmsg 6 = 6 data A[4,10)\n");
}
END_TEST

START_TEST(point_reached__work_parses)
{
	run_text_ok(&r, "+0     peer  A = data 10\n"
			"at     lock_sock#1 run wire\n"
			"at     released#1 run work\n"
			"+0     a     setsockopt rcvlowat 1 = 0\n"
			"+0     wire  A\n"
			"+0     a     poll = IN|OUT\n");
}
END_TEST

START_TEST(point_reached__nothing_to_run_is_not_logged)
{
	run_text_ok(&r, "at     lock_sock#1 run wire\n"
			"at     lock_sock#1 run work\n"
			"at     lock_sock#1 run timer\n"
			"at     lock_sock#1 run b\n"
			"+0     a     recvmsg 10 dontwait = EAGAIN\n"
			"+0     b     nonblock off = 0\n");
	ck_assert_uint_le(count_events(r.s, EV_POINT), 1);
}
END_TEST

START_TEST(point_reached__senders_timer)
{
	u32 segments;

	run_text(&r, "set rcvbuf=2304\n"
		     "+0     peer  A*5 = data 2000\n"
		     "+0     send  A\n"
		     "+0     a     recvmsg 10 dontwait\n");
	segments = count_events(r.s, EV_SEG_IN);
	run_text(&r, "set rcvbuf=2304\n"
		     "at     lock_sock#1 run timer\n"
		     "+0     peer  A*5 = data 2000\n"
		     "+0     send  A\n"
		     "+0     a     recvmsg 10 dontwait\n");
	ck_assert_uint_eq(count_events(r.s, EV_POINT), 1);
	ck_assert_uint_gt(count_events(r.s, EV_SEG_IN), segments);
}
END_TEST

static const char busy_trace[] = "+0     peer  A*6 = data 30\n"
				 "+0     a     recvmsg 100 = blocks\n"
				 "+0     b     recvmsg 100 = blocks\n"
				 "+0     wire  A cut=17\n"
				 "+0     c     recvmsg 10 dontwait\n"
				 "+0     send  fin\n";

/* The trace with what the random schedule decided as at-lines behind it. */
static void add_decisions(struct trace *tr)
{
	struct trace_stmt *st;
	u32 i;

	tr->stmts = mem_pool_alloc(r.tr.pool, (tr->stmt_n + r.s->recorded_n) *
						      sizeof(*st));
	memcpy(tr->stmts, r.tr.stmts, tr->stmt_n * sizeof(*st));
	for (i = 0; i < r.s->recorded_n; i++) {
		st = &tr->stmts[tr->stmt_n++];
		st->kind = ST_AT;
		st->at.point = r.s->recorded[i].point;
		st->at.nth = r.s->recorded[i].nth;
		st->at.what = r.s->recorded[i].what;
		st->task = r.s->recorded[i].task;
	}
}

START_TEST(point_reached__recorded_decisions_replay)
{
	struct sim_opts opts = { .profile = "v7.2", .ignore_known = true };
	u64 hash, seed, decisions = 0;
	struct trace tr;

	for (seed = 1; seed < 200; seed++) {
		run_text_seed(&r, busy_trace, seed);
		hash = log_hash(r.s);
		decisions += r.s->recorded_n;
		tr = r.tr;
		add_decisions(&tr);
		sim_run(r.s, &tr, &opts, NULL);
		ck_assert_uint_eq(log_hash(r.s), hash);
	}
	ck_assert_uint_gt(decisions, 100);
}
END_TEST

Suite *points_test_suite(void)
{
	Suite *s = suite_create("points");
	TCase *tc = tcase_create("points");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, point_reached__wire_goes_to_the_backlog);
	tcase_add_test(tc, point_reached__other_count_does_nothing);
	tcase_add_test(tc, point_reached__task_makes_its_next_call);
	tcase_add_test(tc, point_reached__work_parses);
	tcase_add_test(tc, point_reached__nothing_to_run_is_not_logged);
	tcase_add_test(tc, point_reached__senders_timer);
	tcase_add_test(tc, point_reached__recorded_decisions_replay);
	suite_add_tcase(s, tc);
	return s;
}
