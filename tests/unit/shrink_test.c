// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/check/shrink.c and shrink_edit.c.
 */
#include "sim/check/shrink.h"

#include <check.h>

#include "sim/gen/gen.h"
#include "tests/unit/trace_eq.h"

static struct trace tr, out;

static void setup(void)
{
	tr = (struct trace){ .pool = mem_pool_new() };
	out = (struct trace){ .pool = mem_pool_new() };
}

static void teardown(void)
{
	mem_pool_free(tr.pool);
	mem_pool_free(out.pool);
}

static void parse(const char *text)
{
	struct sim_err err = { 0 };
	struct text all = { 0 };

	text_printf(&all, "ktlsim-trace 1\nset tls=1.3 cipher=aes-128-gcm%s",
		    text);
	if (trace_parse(&tr, "test", all.buf, all.len, &err))
		ck_abort_msg("%u:%u: %s", err.line, err.col, err.msg);
	text_free(&all);
}

/* @t prints as that, behind the first two lines. */
static void prints(const struct trace *t, const char *want)
{
	struct text got = { 0 };
	const char *body;

	trace_print(t, &got);
	text_putc(&got, '\0');
	body = strchr(got.buf, '\n') + 1;
	body = strchr(body, '\n') + 1;
	ck_assert_str_eq(body, want);
	text_free(&got);
}

/* Whatever is left must be a trace that parses to itself. */
static void is_sound(const struct trace *t)
{
	struct trace back = { .pool = mem_pool_new() };
	struct text first = { 0 };
	struct sim_err err = { 0 };

	trace_print(t, &first);
	if (trace_parse(&back, "shrunk", first.buf, first.len, &err))
		ck_abort_msg("%u:%u: %s\n%.*s", err.line, err.col, err.msg,
			     (int)first.len, first.buf);
	ck_assert_uint_eq(t->rec_n, back.rec_n);
	ck_assert_uint_eq(t->task_n, back.task_n);
	ck_assert_uint_eq(t->pipe_n, back.pipe_n);
	text_free(&first);
	mem_pool_free(back.pool);
}

/* --- what must stay ------------------------------------------------------ */

static bool has_splice(void *ctx, const struct trace *t)
{
	u32 i;

	++*(u32 *)ctx;
	is_sound(t);
	for (i = 0; i < t->stmt_n; i++) {
		if (t->stmts[i].kind == ST_CALL &&
		    t->stmts[i].call->kind == CALL_SPLICE)
			return true;
	}
	return false;
}

static bool sends_alert(void *ctx, const struct trace *t)
{
	u32 i, j;

	++*(u32 *)ctx;
	is_sound(t);
	for (i = 0; i < t->stmt_n; i++) {
		if (t->stmts[i].kind != ST_SEND)
			continue;
		for (j = 0; j < t->stmts[i].wire.range_n; j++) {
			if (t->recs[t->stmts[i].wire.range[j].rec].type ==
			    TLS_RECORD_TYPE_ALERT)
				return true;
		}
	}
	return false;
}

static bool never(void *ctx, const struct trace *t)
{
	(void)t;
	++*(u32 *)ctx;
	return false;
}

/* --- sim_shrink ---------------------------------------------------------- */

START_TEST(sim_shrink__one_call_and_its_pipe_are_left)
{
	u32 asked = 0;
	struct shrink_opts o = { .still = has_splice, .ctx = &asked };

	parse(" rcvbuf=4096 held=on\n"
	      "+0     pipe  p 4096\n"
	      "+0     pipe  q 65536 nb\n"
	      "+0     peer  A = data 100 pad=3\n"
	      "+1s    r2    recvmsg 50+50 peek dontwait\n"
	      "+0     send  A[0,5) cut=2\n"
	      "+0     signal r2 restart\n"
	      "+0     send  A[5,end)\n"
	      "+10ms  r1    splice q 16384 nb\n"
	      "+0     fail  alloc decrypt_skb#1\n"
	      "+0     r2    pread p 10\n"
	      "at     lock_sock#3 run r2\n");
	ck_assert_uint_eq(sim_shrink(&o, &tr, &out), asked);
	prints(&out, "+0     pipe  q 65536 nb\n"
		     "+0     r1    splice q 4096\n");
	ck_assert_uint_eq(out.opts.rcvbuf, 0);
	ck_assert(!out.opts.held);
}
END_TEST

START_TEST(sim_shrink__record_and_its_bytes_are_left)
{
	u32 asked = 0;
	struct shrink_opts o = { .still = sends_alert, .ctx = &asked };

	parse("\n"
	      "+0     peer  A = data 100\n"
	      "+0     peer  B*3 = data 10\n"
	      "+0     peer  C = alert 50 pad=9\n"
	      "+0     peer  D = data 7\n"
	      "+0     send  A B C[0,5) cut=10\n"
	      "+0     send  C[5,20)\n"
	      "+1ms   send  C[20,end) D skb=slab\n"
	      "+0     r1    recvmsg 100\n");
	sim_shrink(&o, &tr, &out);
	ck_assert_uint_eq(out.rec_n, 1);
	ck_assert_uint_eq(out.recs[0].len, 0);
	ck_assert_uint_eq(out.recs[0].pad, 0);
	ck_assert_uint_eq(out.stmt_n, 2);
	prints(&out, "+0     peer  C = alert 0\n"
		     "+0     send  C\n");
}
END_TEST

START_TEST(sim_shrink__nothing_helps)
{
	u32 at, asked = 0;
	struct shrink_opts o = { .still = never, .ctx = &asked };

	parse("\n+0     r1    recvmsg 100\n");
	ck_assert_uint_eq(sim_shrink(&o, &tr, &out), 1);
	ck_assert_ptr_null(trace_difference(&tr, &out, &at));
}
END_TEST

START_TEST(sim_shrink__tries_are_bounded)
{
	u32 asked = 0;
	struct shrink_opts o = { .still = has_splice,
				 .ctx = &asked,
				 .tries_max = 5 };

	parse("\n"
	      "+0     pipe  p 4096\n"
	      "+0     r1    recvmsg 100\n"
	      "+0     r1    recvmsg 200\n"
	      "+0     r1    recvmsg 300\n"
	      "+0     r1    splice p 100\n"
	      "+0     r1    recvmsg 400\n");
	ck_assert_uint_le(sim_shrink(&o, &tr, &out), 5);
	ck_assert_uint_eq(asked, 5);
}
END_TEST

START_TEST(sim_shrink__generated_traces_stay_sound)
{
	struct gen_opts go;
	struct sim_choice c;
	u32 seed, asked = 0;
	struct shrink_opts o = { .still = sends_alert,
				 .ctx = &asked,
				 .tries_max = 150 };

	gen_opts_default(&go);
	for (seed = 1; seed < 120; seed++) {
		mem_pool_reset(tr.pool);
		mem_pool_reset(out.pool);
		choice_seed(&c, seed);
		gen_trace(&c, &go, &tr);
		sim_shrink(&o, &tr, &out);
		is_sound(&out);
	}
}
END_TEST

/* Reads of at least 37 bytes altogether, from a record of at least 12. */
static bool asks_37_of_12(void *ctx, const struct trace *t)
{
	u32 i, asked = 0, j;

	++*(u32 *)ctx;
	is_sound(t);
	for (i = 0; i < t->stmt_n; i++) {
		if (t->stmts[i].kind != ST_CALL)
			continue;
		for (j = 0; j < t->stmts[i].call->iov_n; j++)
			asked += t->stmts[i].call->iov[j].len;
	}
	return asked >= 37 && t->rec_n && t->recs[0].len >= 12;
}

START_TEST(sim_shrink__minimal_numbers)
{
	u32 n, value, min, asked = 0;
	struct shrink_opts o = { .still = asks_37_of_12,
				 .ctx = &asked,
				 .minimal = true };

	parse(" rcvbuf=9999\n"
	      "+0     peer  A = data 1000\n"
	      "+0     peer  B = data 2000\n"
	      "+0     send  A[0,500) cut=77\n"
	      "+0     r1    recvmsg 300 = 300 data A[0,300)\n"
	      "+0     r1    recvmsg 20+500\n"
	      "+0     r2    recvmsg 4000\n"
	      "at     lock_sock#3 run r2\n"
	      "at     lock_sock#4 run wire\n");
	sim_shrink(&o, &tr, &out);
	prints(&out, "+0     peer  A = data 12\n"
		     "+0     r1    recvmsg 37\n");
	/* no number can be one less */
	for (n = 0; shrink_number(&out, n, &value, &min); n++) {
		ck_assert(shrink_set_number(&out, n, value - 1));
		ck_assert(!asks_37_of_12(&asked, &out));
		ck_assert(shrink_set_number(&out, n, value));
	}
	ck_assert_uint_eq(n, 2);
}
END_TEST

/* Some wire line whose last byte is byte 9 of the first record. */
static bool sends_up_to_9(void *ctx, const struct trace *t)
{
	u32 i;

	++*(u32 *)ctx;
	is_sound(t);
	for (i = 0; i < t->stmt_n; i++) {
		if ((t->stmts[i].kind == ST_WIRE ||
		     t->stmts[i].kind == ST_SEND) &&
		    t->stmts[i].wire.range[0].to == 9)
			return true;
	}
	return false;
}

START_TEST(sim_shrink__minimal_words)
{
	u32 asked = 0;
	struct shrink_opts o = { .still = sends_up_to_9,
				 .ctx = &asked,
				 .minimal = true };

	parse("\n"
	      "+0     peer  A*3 = data 100\n"
	      "+0     peer  B = alert 5\n"
	      "+0     signal r1 restart\n"
	      "+0     wire  A.0[4,9) skb=slab\n"
	      "+0     wire  A.0[9,end) A.1 A.2 B cut=9\n"
	      "+0     r1    recvmsg 10+20 = 5 data\n");
	sim_shrink(&o, &tr, &out);
	prints(&out, "+0     peer  A = data 0\n"
		     "+0     send  A[0,9)\n");
}
END_TEST

/* --- shrink_copy, shrink_repair ------------------------------------------ */

START_TEST(shrink_copy__is_deep)
{
	struct trace_call *c;
	u32 at;

	parse("\n+0     peer  A = data 10\n"
	      "+0     send  A[0,5)\n"
	      "+0     r1    recvmsg 100 = 10 data A\n");
	shrink_copy(&tr, &out);
	ck_assert_ptr_null(trace_difference(&tr, &out, &at));
	c = out.stmts[2].call;
	c->iov[0].len = 7;
	out.recs[0].len = 3;
	ck_assert_uint_eq(tr.stmts[2].call->iov[0].len, 100);
	ck_assert_uint_eq(tr.recs[0].len, 10);
	ck_assert_ptr_ne(tr.stmts[1].wire.range, out.stmts[1].wire.range);
	ck_assert_ptr_ne(tr.stmts[2].result.data, out.stmts[2].result.data);
}
END_TEST

START_TEST(shrink_repair__ranges_of_a_lost_record)
{
	parse("\n+0     peer  A = data 10\n"
	      "+0     peer  B = data 20\n"
	      "+0     peer  C = data 30\n"
	      "+0     send  A B[0,9)\n"
	      "+0     send  B[9,end) C\n"
	      "+0     wire  B\n"
	      "+0     r1    recvmsg 100 = 60 data A B C\n");
	tr.stmts[1].kind = ST_KIND_COUNT;
	shrink_repair(&tr);
	prints(&tr, "+0     peer  A = data 10\n"
		    "+0     peer  C = data 30\n"
		    "+0     send  A\n"
		    "+0     send  C\n"
		    "+0     r1    recvmsg 100 = 60 data\n");
}
END_TEST

START_TEST(shrink_repair__fewer_of_a_repeated_record)
{
	parse("\n+0     peer  A*4 = data 10\n"
	      "+0     send  A.0..1\n"
	      "+0     send  A.2[0,5)\n"
	      "+0     wire  A.1..3\n"
	      "+0     wire  A[10,90)\n");
	tr.stmts[0].peer.count = 2;
	shrink_repair(&tr);
	prints(&tr, "+0     peer  A*2 = data 10\n"
		    "+0     send  A\n"
		    "+0     wire  A.1\n"
		    "+0     wire  A.0[10,end) A.1\n");
}
END_TEST

START_TEST(shrink_repair__shorter_record)
{
	parse("\n+0     peer  A = data 100\n"
	      "+0     send  A[0,60)\n"
	      "+0     send  A[60,110)\n"
	      "+0     wire  A[20,end) xor=01@70\n");
	tr.recs[0].len = 40;
	shrink_repair(&tr);
	prints(&tr, "+0     peer  A = data 40\n"
		    "+0     send  A[0,60)\n"
		    "+0     send  A[60,end)\n"
		    "+0     wire  A[20,end) xor=01@41\n");
}
END_TEST

START_TEST(shrink_repair__tasks_and_what_names_them)
{
	parse("\n+0     r1    recvmsg 100\n"
	      "+0     r2    recvmsg 100\n"
	      "+0     signal r1\n"
	      "+0     signal r2\n"
	      "at     lock_sock#1 run r1\n"
	      "at     lock_sock#2 run r2\n"
	      "at     lock_sock#3 run wire\n");
	tr.stmts[0].kind = ST_KIND_COUNT;
	shrink_repair(&tr);
	prints(&tr, "+0     r2    recvmsg 100\n"
		    "+0     signal r2\n"
		    "at     lock_sock#2 run r2\n"
		    "at     lock_sock#3 run wire\n");
	ck_assert_uint_eq(tr.task_n, 1);
}
END_TEST

START_TEST(shrink_repair__returns_of_a_lost_call)
{
	parse("\n+0     peer  A = data 10\n"
	      "+0     r1    recvmsg 100 = blocks\n"
	      "+0     wire  A\n"
	      "       r1    returns 10\n"
	      "+0     r1    recvmsg 50\n");
	tr.stmts[1].kind = ST_KIND_COUNT;
	shrink_repair(&tr);
	prints(&tr, "+0     peer  A = data 10\n"
		    "+0     wire  A\n"
		    "+0     r1    recvmsg 50\n");
}
END_TEST

START_TEST(shrink_repair__calls_on_a_lost_pipe)
{
	parse("\n+0     pipe  p 4096\n"
	      "+0     pipe  q 4096\n"
	      "+0     r1    splice p 10\n"
	      "+0     r1    splice q 10\n"
	      "+0     r1    pread p 10\n");
	tr.stmts[0].kind = ST_KIND_COUNT;
	shrink_repair(&tr);
	prints(&tr, "+0     pipe  q 4096\n"
		    "+0     r1    splice q 10\n");
	ck_assert_uint_eq(tr.pipe_n, 1);
}
END_TEST

START_TEST(shrink_repair__comments_stay_in_order)
{
	parse("\n# first\n"
	      "+0     r1    recvmsg 100\n"
	      "# second\n"
	      "+0     r1    recvmsg 200\n"
	      "# third\n");
	tr.stmts[0].kind = ST_KIND_COUNT;
	shrink_repair(&tr);
	prints(&tr, "# first\n"
		    "# second\n"
		    "+0     r1    recvmsg 200\n"
		    "# third\n");
}
END_TEST

Suite *shrink_test_suite(void);
Suite *shrink_test_suite(void)
{
	Suite *s = suite_create("shrink");
	TCase *tc = tcase_create("shrink");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, sim_shrink__one_call_and_its_pipe_are_left);
	tcase_add_test(tc, sim_shrink__record_and_its_bytes_are_left);
	tcase_add_test(tc, sim_shrink__nothing_helps);
	tcase_add_test(tc, sim_shrink__tries_are_bounded);
	tcase_add_test(tc, sim_shrink__generated_traces_stay_sound);
	tcase_add_test(tc, shrink_copy__is_deep);
	tcase_add_test(tc, shrink_repair__ranges_of_a_lost_record);
	tcase_add_test(tc, shrink_repair__fewer_of_a_repeated_record);
	tcase_add_test(tc, shrink_repair__shorter_record);
	tcase_add_test(tc, shrink_repair__tasks_and_what_names_them);
	tcase_add_test(tc, shrink_repair__returns_of_a_lost_call);
	tcase_add_test(tc, shrink_repair__calls_on_a_lost_pipe);
	tcase_add_test(tc, sim_shrink__minimal_numbers);
	tcase_add_test(tc, sim_shrink__minimal_words);
	tcase_add_test(tc, shrink_repair__comments_stay_in_order);
	suite_add_tcase(s, tc);
	return s;
}
