// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/check/segdiff.c.
 */
#include "sim/check/segdiff.h"

#include "sim/gen/gen.h"
#include "sim/world/profile.h"
#include "tests/unit/run_text.h"

static struct text_run r;
static struct mem_pool *pool;
static struct segdiff d;

static void setup(void)
{
	text_run_init(&r);
	pool = mem_pool_new();
}

static void teardown(void)
{
	text_run_free(&r);
	mem_pool_free(pool);
}

static void compare_on(const char *profile, u64 seed)
{
	struct sim_opts o = { .profile = profile };
	const struct profile *p = profile_find(profile);
	struct sim_choice c;

	ck_assert_ptr_nonnull(p);
	profile_changes(p, &o.changes);
	mem_pool_reset(pool);
	choice_seed(&c, seed);
	segdiff_run(r.s, &r.tr, &o, &c, pool, &d);
}

static void compare(u64 seed)
{
	compare_on(PROFILE_DEFAULT, seed);
}

/* No way of cutting makes a difference. */
static void same_however_cut(const char *text)
{
	u64 seed;

	run_text(&r, text);
	for (seed = 0; seed < 40; seed++) {
		compare(seed);
		ck_assert(!d.skipped);
		ck_assert_msg(d.sig.kind == SIG_NONE, "seed %llu: %s",
			      (unsigned long long)seed, d.text);
	}
}

static u32 count_calls(const struct trace *tr, enum call_kind kind)
{
	u32 i, n = 0;

	for (i = 0; i < tr->stmt_n; i++)
		n += tr->stmts[i].kind == ST_CALL &&
		     tr->stmts[i].call->kind == kind;
	return n;
}

START_TEST(segdiff_run__data_and_control)
{
	same_however_cut("+0     peer  A = data 100\n"
			 "+0     peer  B = alert 2\n"
			 "+0     peer  C = data 0\n"
			 "+0     peer  D = data 3000\n"
			 "+0     r1    recvmsg 10 peek\n"
			 "+0     r1    recvmsg 50\n"
			 "+0     r1    recv 500 dontwait\n"
			 "+0     send  A B C D\n");
}
END_TEST

START_TEST(segdiff_run__errors_come_in_the_same_place)
{
	same_however_cut("+0     peer  A = data 100\n"
			 "+0     peer  B = data 10 badtag\n"
			 "+0     peer  C = data 10\n"
			 "+0     r1    recvmsg 50\n");
	same_however_cut("+0     peer  A = data 100\n"
			 "+0     peer  B = data 10 ver=0302\n"
			 "+0     peer  C = data 10\n"
			 "+0     r1    recvmsg 50\n");
}
END_TEST

/* An error that 6.1 forgets because the call has bytes: which call has both is
 * a matter of the cut. 7.2 keeps it. */
START_TEST(segdiff_run__error_forgotten_behind_bytes)
{
	u32 seed, told = 0;

	same_however_cut("set tls=1.3 cipher=aes-128-gcm\n"
			 "+0     peer  A = data 1\n"
			 "+0     peer  C = data 0 len=17762\n"
			 "+0     r1    recvmsg 4096 waitall dontwait\n");
	ck_assert(!profile_breaks(&r.s->k, INV_F1, "other-error"));
	for (seed = 0; seed < 40; seed++) {
		compare_on("v6.1", seed);
		if (d.sig.kind == SIG_NONE)
			continue;
		told++;
		ck_assert_uint_eq(d.sig.inv, INV_F1);
		ck_assert_str_eq(d.sig.slug, "other-error");
	}
	ck_assert_uint_gt(told, 0);
	ck_assert(profile_breaks(&r.s->k, INV_F1, "other-error"));
}
END_TEST

START_TEST(segdiff_run__keyupdates)
{
	same_however_cut("+0     peer  A = data 100\n"
			 "+0     peer  B = keyupdate 5\n"
			 "+0     peer  key 1\n"
			 "+0     peer  C = data 10\n"
			 "+0     peer  D = keyupdate 5\n"
			 "+0     peer  key 2\n"
			 "+0     peer  E = data 70\n");
	ck_assert_uint_eq(count_calls(&d.cut, CALL_SETSOCKOPT), 2);
}
END_TEST

/* Reads that wait for the peer's timers may outlast the moment for new keys. */
START_TEST(segdiff_run__keys_that_were_not_set)
{
	same_however_cut("set rcvbuf=1\n"
			 "+0     peer  A = data 0\n"
			 "+0     peer  B = keyupdate 0\n"
			 "+0     peer  key 1\n"
			 "+0     peer  C = data 0\n"
			 "+0     peer  D = data 2225\n"
			 "+0     peer  E = keyupdate 0\n"
			 "+0     peer  key 2\n"
			 "+0     peer  F = data 1\n");
	/* or find that not all has come */
	same_however_cut("set rcvbuf=1 nonblock=on skb=pages\n"
			 "+0     peer  key 1\n"
			 "+0     peer  B = data 164\n"
			 "+0     peer  E = data 74\n"
			 "+0     peer  F = data 241\n"
			 "+0     peer  G = data 0\n"
			 "+0     peer  H = keyupdate 1\n"
			 "+0     peer  key 3\n"
			 "+0     peer  I = data 241\n");
}
END_TEST

START_TEST(segdiff_run__small_buffer_and_pipes)
{
	same_however_cut("set rcvbuf=2304\n"
			 "+0     pipe  p 4096\n"
			 "+0     peer  A = data 6000\n"
			 "+0     peer  B = data 500\n"
			 "+0     r1    splice p 300\n"
			 "+0     r1    read_sock 100 take=7,0\n");
}
END_TEST

START_TEST(segdiff_run__whole_arrives_first_cut_between)
{
	u32 i, sends = 0;

	run_text(&r, "+0     peer  A = data 400\n"
		     "+0     peer  B = data 400\n"
		     "+0     r1    recvmsg 50\n");
	compare(3);
	for (i = 0; i < d.whole.stmt_n; i++)
		sends += d.whole.stmts[i].kind == ST_SEND;
	ck_assert_uint_eq(sends, 1);
	ck_assert(d.cut_ran);
	ck_assert(d.whole.opts.finish);
}
END_TEST

START_TEST(segdiff_run__what_depends_on_time_is_left_out)
{
	run_text(&r, "+0     peer  A = data 100\n"
		     "+0     r1    poll\n"
		     "+0     r1    shutdown rd\n"
		     "+0     r1    setsockopt rcvlowat 5\n"
		     "+0     signal r1\n"
		     "+0     fail  alloc decrypt_skb#1\n"
		     "+0     r1    recvmsg b10 dontwait\n"
		     "+0     send  A\n"
		     "+0     wire  rst\n");
	compare(1);
	ck_assert_uint_eq(count_calls(&d.cut, CALL_POLL), 0);
	ck_assert_uint_eq(count_calls(&d.cut, CALL_SHUTDOWN), 0);
	ck_assert_uint_eq(count_calls(&d.cut, CALL_SETSOCKOPT), 0);
	ck_assert_uint_ge(count_calls(&d.cut, CALL_RECVMSG), 2);
}
END_TEST

START_TEST(segdiff_run__nothing_to_compare)
{
	run_text(&r, "+0     r1    recvmsg 10 dontwait\n");
	compare(1);
	ck_assert(d.skipped);
	ck_assert_uint_eq(d.sig.kind, SIG_NONE);
}
END_TEST

/* The log is changed behind the back of all other invariants. */
static void change_log(struct sim *s, enum m_event_kind kind, s64 b, s64 c)
{
	u32 i;

	for (i = 0; i < s->event_n - 1; i++) {
		if (s->events[i].kind != kind || s->events[i].task)
			continue;
		if (kind == EV_PUT_USER)
			s->events[i].c = c;
		else if (s->events[i].b == -EBADMSG)
			s->events[i].b = b;
	}
}

static struct sim_event *fewer_bytes(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_RETURN && s->tr == &d.cut)
		change_log(s, EV_PUT_USER, 0, 1);
	return e;
}

static struct sim_event *no_bytes(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_RETURN && s->tr == &d.cut)
		change_log(s, EV_PUT_USER, 0, 0);
	return e;
}

static struct sim_event *other_errno(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_CALL && s->tr == &d.cut)
		change_log(s, EV_RETURN, -EINVAL, 0);
	return e;
}

static struct sim_event *other_plaintext(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_PUT_USER && s->tr == &d.cut)
		e->a = 1;
	return e;
}

static void difference(const char *text, const char *slug, const char *what)
{
	run_text(&r, text);
	compare(3);
	r.s->tamper = NULL;
	ck_assert(d.cut_ran);
	ck_assert_uint_eq(d.sig.kind, SIG_INVARIANT);
	ck_assert_str_eq(d.sig.slug, slug);
	ck_assert_msg(strstr(d.text, what) != NULL, "%s", d.text);
}

START_TEST(segdiff_run__a_difference_is_told)
{
	static const char bad[] = "+0     peer  A = data 400\n"
				  "+0     peer  B = data 10 badtag\n"
				  "+0     r1    recvmsg 4000\n";

	r.s->tamper = fewer_bytes;
	difference(bad, "other-bytes",
		   "item 0: all at once gave 400 bytes of record 0, "
		   "in pieces ");
	r.s->tamper = no_bytes;
	difference(bad, "other-error",
		   "gave 400 bytes of record 0, in pieces EBADMSG");
	r.s->tamper = other_errno;
	difference(bad, "other-error",
		   "item 1: all at once gave EBADMSG, in pieces EINVAL");
	ck_assert_uint_eq(d.sig.inv, INV_F1);
}
END_TEST

START_TEST(segdiff_run__another_breach_comes_first)
{
	r.s->tamper = other_plaintext;
	difference("+0     peer  A = data 400\n"
		   "+0     peer  B = data 400\n"
		   "+0     r1    recvmsg 4000\n",
		   "skipped", "");
	ck_assert_uint_eq(d.sig.inv, INV_D1);
}
END_TEST

START_TEST(segdiff_run__generated_traces)
{
	struct gen_opts go;
	struct sim_choice c;
	u64 seed;

	gen_opts_default(&go);
	for (seed = 1; seed < 500; seed++) {
		mem_pool_reset(r.tr.pool);
		choice_seed(&c, seed);
		gen_trace(&c, &go, &r.tr);
		compare(seed);
		ck_assert_msg(d.sig.kind == SIG_NONE, "seed %llu: %s",
			      (unsigned long long)seed, d.text);
	}
}
END_TEST

Suite *segdiff_test_suite(void);
Suite *segdiff_test_suite(void)
{
	Suite *s = suite_create("segdiff");
	TCase *tc = tcase_create("segdiff");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, segdiff_run__data_and_control);
	tcase_add_test(tc, segdiff_run__errors_come_in_the_same_place);
	tcase_add_test(tc, segdiff_run__error_forgotten_behind_bytes);
	tcase_add_test(tc, segdiff_run__keyupdates);
	tcase_add_test(tc, segdiff_run__keys_that_were_not_set);
	tcase_add_test(tc, segdiff_run__small_buffer_and_pipes);
	tcase_add_test(tc, segdiff_run__whole_arrives_first_cut_between);
	tcase_add_test(tc, segdiff_run__what_depends_on_time_is_left_out);
	tcase_add_test(tc, segdiff_run__nothing_to_compare);
	tcase_add_test(tc, segdiff_run__a_difference_is_told);
	tcase_add_test(tc, segdiff_run__another_breach_comes_first);
	tcase_add_test(tc, segdiff_run__generated_traces);
	suite_add_tcase(s, tc);
	return s;
}
