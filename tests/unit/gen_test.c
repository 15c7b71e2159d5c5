// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/gen/gen.c, gen_wire.c and gen_calls.c.
 */
#include "sim/gen/gen.h"

#include <check.h>
#include <stdlib.h>

#include "sim/inv/inv.h"
#include "sim/world/profile.h"
#include "tests/unit/trace_eq.h"

#define TRACES 3000

static struct trace tr, back;
static struct gen_opts o;

static void setup(void)
{
	tr = (struct trace){ .pool = mem_pool_new() };
	back = (struct trace){ .pool = mem_pool_new() };
	gen_opts_default(&o);
}

static void teardown(void)
{
	mem_pool_free(tr.pool);
	mem_pool_free(back.pool);
}

static void make(u64 seed)
{
	struct sim_choice c;

	mem_pool_reset(tr.pool);
	choice_seed(&c, seed);
	gen_trace(&c, &o, &tr);
}

/* Printed and parsed it is the same trace, in memory and as text. */
static void same_after_print(u64 seed)
{
	struct text first = { 0 }, second = { 0 };
	struct sim_err err = { 0 };
	const char *diff;
	u32 at;

	mem_pool_reset(back.pool);
	trace_print(&tr, &first);
	if (trace_parse(&back, "gen", first.buf, first.len, &err))
		ck_abort_msg("seed %llu: %u:%u: %s", (unsigned long long)seed,
			     err.line, err.col, err.msg);
	trace_print(&back, &second);
	ck_assert_uint_eq(first.len, second.len);
	ck_assert_mem_eq(first.buf, second.buf, first.len);
	diff = trace_difference(&tr, &back, &at);
	ck_assert_msg(!diff, "seed %llu: another %s, number %u",
		      (unsigned long long)seed, diff, at);
	text_free(&first);
	text_free(&second);
}

static u32 count_stmts(enum stmt_kind kind)
{
	u32 i, n = 0;

	for (i = 0; i < tr.stmt_n; i++)
		n += tr.stmts[i].kind == kind;
	return n;
}

START_TEST(gen_trace__default_choices_make_a_plain_trace)
{
	struct sim_choice c;

	choice_default(&c);
	gen_trace(&c, &o, &tr);
	ck_assert_uint_eq(tr.opts.version, TLS_1_3_VERSION);
	ck_assert(tr.opts.finish);
	ck_assert_uint_eq(tr.rec_n, 4);
	ck_assert_uint_eq(tr.task_n, 1);
	ck_assert_uint_eq(tr.pipe_n, 0);
	ck_assert_uint_eq(count_stmts(ST_CALL), 10);
	ck_assert_uint_eq(count_stmts(ST_FAIL) + count_stmts(ST_SIGNAL), 0);
	same_after_print(0);
}
END_TEST

START_TEST(gen_trace__seeds_print_and_parse_to_themselves)
{
	u64 seed;

	for (seed = 1; seed <= TRACES; seed++) {
		make(seed);
		same_after_print(seed);
	}
}
END_TEST

START_TEST(gen_trace__any_bytes_print_and_parse_to_themselves)
{
	u8 bytes[300];
	struct sim_choice c;
	u32 i, n, k;

	for (i = 0; i < TRACES; i++) {
		choice_seed(&c, i);
		n = sim_choose(&c, sizeof(bytes));
		for (k = 0; k < n; k++)
			bytes[k] = (u8)sim_choose(&c, 256);
		choice_bytes(&c, bytes, n);
		mem_pool_reset(tr.pool);
		gen_trace(&c, &o, &tr);
		same_after_print(i);
	}
}
END_TEST

START_TEST(gen_trace__extreme_bytes_end)
{
	u8 bytes[4096];
	struct sim_choice c;
	u32 fill;

	for (fill = 0; fill < 256; fill++) {
		memset(bytes, (int)fill, sizeof(bytes));
		choice_bytes(&c, bytes, sizeof(bytes));
		mem_pool_reset(tr.pool);
		gen_trace(&c, &o, &tr);
		same_after_print(fill);
	}
}
END_TEST

START_TEST(gen_trace__same_seed_same_trace)
{
	struct sim_choice c;
	u32 at;

	make(7);
	choice_seed(&c, 7);
	gen_trace(&c, &o, &back);
	ck_assert_ptr_null(trace_difference(&tr, &back, &at));
}
END_TEST

START_TEST(gen_trace__limits)
{
	u64 seed;

	o.recs_max = 2;
	o.calls_max = 3;
	for (seed = 1; seed <= TRACES; seed++) {
		make(seed);
		ck_assert_uint_le(tr.rec_n, 2);
	}
}
END_TEST

START_TEST(gen_trace__features_can_be_switched_off)
{
	u64 seed;
	u32 i;

	o.off = GEN_BIT(SPLICE) | GEN_BIT(TASKS) | GEN_BIT(SIGNAL) |
		GEN_BIT(NO_MEMORY) | GEN_BIT(RAW) | GEN_BIT(DISORDER) |
		GEN_BIT(SPOIL) | GEN_BIT(PEEK);
	for (seed = 1; seed <= TRACES; seed++) {
		make(seed);
		ck_assert_uint_eq(tr.pipe_n, 0);
		ck_assert_uint_eq(tr.task_n, 1);
		ck_assert_uint_eq(count_stmts(ST_SIGNAL), 0);
		ck_assert_uint_eq(count_stmts(ST_FAIL), 0);
		ck_assert_uint_eq(count_stmts(ST_WIRE), 0);
		for (i = 0; i < tr.rec_n; i++)
			ck_assert_uint_eq(tr.recs[i].mods, 0);
		for (i = 0; i < tr.stmt_n; i++) {
			if (tr.stmts[i].kind == ST_CALL)
				ck_assert(tr.stmts[i].call->kind !=
						  CALL_RECVMSG ||
					  !(tr.stmts[i].call->flags &
					    M_MSG_PEEK));
		}
	}
}
END_TEST

START_TEST(gen_trace__every_kind_of_call_and_statement_comes_up)
{
	u32 calls[CALL_COUNT] = { 0 }, stmts[ST_KIND_COUNT] = { 0 }, i, k;
	u64 seed;

	for (seed = 1; seed <= TRACES; seed++) {
		make(seed);
		for (i = 0; i < tr.stmt_n; i++) {
			stmts[tr.stmts[i].kind]++;
			if (tr.stmts[i].kind == ST_CALL)
				calls[tr.stmts[i].call->kind]++;
		}
	}
	for (k = 0; k < CALL_COUNT; k++)
		ck_assert_msg(calls[k], "no %s", call_name[k]);
	for (k = 0; k <= ST_CALL; k++)
		ck_assert_msg(stmts[k], "no statement of kind %u", k);
	ck_assert_uint_gt(stmts[ST_PIPE], 0);
	ck_assert_uint_gt(stmts[ST_FAIL], 0);
	ck_assert_uint_gt(stmts[ST_SIGNAL], 0);
}
END_TEST

static int by_value(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

START_TEST(gen_trace__median_four_records_ten_calls)
{
	static u32 recs[TRACES], calls[TRACES], lens[TRACES * 64];
	u32 i, n = 0;

	for (i = 0; i < TRACES; i++) {
		make(i);
		recs[i] = tr.rec_n;
		calls[i] = count_stmts(ST_CALL);
		while (tr.rec_n)
			lens[n++] = tr.recs[--tr.rec_n].len;
	}
	qsort(recs, TRACES, sizeof(*recs), by_value);
	qsort(calls, TRACES, sizeof(*calls), by_value);
	qsort(lens, n, sizeof(*lens), by_value);
	ck_assert_uint_ge(recs[TRACES / 2], 3);
	ck_assert_uint_le(recs[TRACES / 2], 4);
	ck_assert_uint_ge(calls[TRACES / 2], 9);
	ck_assert_uint_le(calls[TRACES / 2], 12);
	ck_assert_uint_le(lens[n * 3 / 4], 512);
	ck_assert_uint_eq(lens[n - 1], 16384);
}
END_TEST

START_TEST(gen_trace__never_asks_a_world_for_the_impossible)
{
	struct sim_opts so = { .random_schedule = true,
			       .ignore_known = true,
			       .profile = PROFILE_DEFAULT };
	struct sim *s = sim_new();
	struct sim_choice c;
	u64 seed;

	for (seed = 1; seed <= TRACES; seed++) {
		mem_pool_reset(tr.pool);
		choice_seed(&c, seed);
		gen_trace(&c, &o, &tr);
		sim_run(s, &tr, &so, &c);
		ck_assert_msg(s->verdict.kind != VERDICT_INPUT, "seed %llu: %s",
			      (unsigned long long)seed, s->verdict.err.msg);
	}
	sim_free(s);
}
END_TEST

Suite *gen_test_suite(void);
Suite *gen_test_suite(void)
{
	Suite *s = suite_create("gen");
	TCase *tc = tcase_create("gen");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, gen_trace__default_choices_make_a_plain_trace);
	tcase_add_test(tc, gen_trace__seeds_print_and_parse_to_themselves);
	tcase_add_test(tc, gen_trace__any_bytes_print_and_parse_to_themselves);
	tcase_add_test(tc, gen_trace__extreme_bytes_end);
	tcase_add_test(tc, gen_trace__same_seed_same_trace);
	tcase_add_test(tc, gen_trace__limits);
	tcase_add_test(tc, gen_trace__features_can_be_switched_off);
	tcase_add_test(tc,
		       gen_trace__every_kind_of_call_and_statement_comes_up);
	tcase_add_test(tc, gen_trace__median_four_records_ten_calls);
	tcase_add_test(tc, gen_trace__never_asks_a_world_for_the_impossible);
	suite_add_tcase(s, tc);
	return s;
}
