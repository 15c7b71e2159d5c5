// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/check/save.c.
 */
#include "sim/check/save.h"

#include <stdlib.h>

#include "sim/world/profile.h"
#include "sim/check/segdiff.h"
#include "tests/unit/run_text.h"

static struct text_run r;
static char dir[] = "/tmp/ktlsim-save-XXXXXX";
static struct sim_sig sig;
static struct save_opts o;

static void setup(void)
{
	text_run_init(&r);
	strcpy(dir, "/tmp/ktlsim-save-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	sig_set(&sig, SIG_EXPECT, 0, "");
	o = (struct save_opts){ .dir = dir,
				.run = { .profile = PROFILE_DEFAULT },
				.how = "Found by a test.",
				.seen = "something else",
				.sig = &sig };
}

static void teardown(void)
{
	char cmd[100];

	text_run_free(&r);
	snprintf(cmd, sizeof(cmd), "rm -r %s", dir);
	ck_assert_int_eq(system(cmd), 0);
}

/* Text of a file. */
static const char *content(const char *path)
{
	static char buf[4096];
	FILE *f = fopen(path, "r");
	size_t n;

	ck_assert_ptr_nonnull(f);
	n = fread(buf, 1, sizeof(buf) - 1, f);
	buf[n] = '\0';
	fclose(f);
	return buf;
}

/* Text of the file that was written. */
static const char *written(void)
{
	struct text path = { 0 };
	const char *text;

	save_path(&o, &path);
	text_putc(&path, '\0');
	text = content(path.buf);
	text_free(&path);
	return text;
}

START_TEST(save_trace__as_it_is_with_notes)
{
	run_text(&r, "+0     r1    recvmsg 10 dontwait\n");
	ck_assert(!save_exists(&o));
	ck_assert_int_eq(save_trace(&o, &r.tr), 0);
	ck_assert(save_exists(&o));
	ck_assert_str_eq(written(),
			 "ktlsim-trace 1\n"
			 "# expect: something else\n"
			 "# Found by a test.\n"
			 "set tls=1.3 cipher=aes-128-gcm profile=v7.2\n"
			 "+0     r1    recvmsg 10 dontwait\n");
}
END_TEST

START_TEST(save_small__only_what_fails)
{
	run_text(&r, "set rcvbuf=9000\n"
		     "+0     peer  A = data 100\n"
		     "+0     send  A\n"
		     "+0     r1    recvmsg 50\n"
		     "+0     r1    recvmsg 1000 dontwait = 51\n"
		     "+0     r1    poll\n");
	ck_assert_int_eq(save_small(r.s, &o, &r.tr), 0);
	ck_assert_str_eq(written(),
			 "ktlsim-trace 1\n"
			 "# expect: something else\n"
			 "# Found by a test.\n"
			 "set tls=1.3 cipher=aes-128-gcm profile=v7.2\n"
			 "+0     r1    recvmsg 4096 = 51\n");
}
END_TEST

START_TEST(save_trace__where_nothing_can_be_written)
{
	o.dir = "/nowhere/at/all";
	run_text(&r, "+0     r1    recvmsg 10 dontwait\n");
	ck_assert_int_eq(save_trace(&o, &r.tr), -1);
	ck_assert(!save_exists(&o));
}
END_TEST

START_TEST(save_cuts__no_difference_no_file)
{
	struct sim_choice c;

	sig_set(&sig, SIG_INVARIANT, INV_F1, "other-bytes");
	run_text(&r, "+0     peer  A = data 100\n");
	choice_seed(&c, 1);
	ck_assert_int_eq(save_cuts(r.s, &o, &r.tr, &c), -1);
	ck_assert(!save_exists(&o));
}
END_TEST

/* Whatever comes in pieces lacks a byte of each record. */
static struct sim_event *lose_bytes(struct sim *s, struct sim_event *e)
{
	u32 i, n = 0;

	for (i = 0; i < s->tr->stmt_n; i++)
		n += s->tr->stmts[i].kind == ST_WIRE;
	for (i = 0; e->kind == EV_RETURN && n && i < s->event_n; i++) {
		if (s->events[i].kind == EV_PUT_USER)
			s->events[i].c = 1;
	}
	return e;
}

START_TEST(save_cuts__both_ways_of_cutting)
{
	struct sim_choice c;
	char path[100];

	sig_set(&sig, SIG_INVARIANT, INV_F1, "other-bytes");
	run_text(&r, "+0     peer  A = data 100\n"
		     "+0     peer  B = data 100\n");
	choice_seed(&c, 3);
	r.s->tamper = lose_bytes;
	ck_assert_int_eq(save_cuts(r.s, &o, &r.tr, &c), 0);
	ck_assert(save_exists(&o));
	ck_assert_ptr_nonnull(strstr(written(), "\n+0     wire  "));
	snprintf(path, sizeof(path), "%s/F1-other-bytes-whole.trace", dir);
	ck_assert_ptr_nonnull(
		strstr(content(path), "# The same bytes all at once.\n"));
	ck_assert_ptr_nonnull(strstr(content(path), "\n+0     send  A\n"));
}
END_TEST

/* The model's own assertion, in one of the two runs. */
static struct sim_event *assert_in_pieces(struct sim *s, struct sim_event *e)
{
	u32 i;

	for (i = 0; i < s->tr->stmt_n; i++)
		M_ASSERT(s->tr->stmts[i].kind != ST_WIRE ||
				 e->kind != EV_PARSED,
			 "pieces");
	return e;
}

START_TEST(save_cuts__failure_of_one_run_is_a_trace_of_its_own)
{
	struct sim_choice c;
	struct segdiff d;

	run_text(&r, "+0     peer  A = data 100\n");
	choice_seed(&c, 3);
	r.s->tamper = assert_in_pieces;
	d = (struct segdiff){ 0 };
	segdiff_run(r.s, &r.tr, &o.run, &c, r.tr.pool, &d);
	ck_assert_uint_eq(d.sig.kind, SIG_BUG);
	sig = d.sig;
	choice_seed(&c, 3);
	ck_assert_int_eq(save_cuts(r.s, &o, &r.tr, &c), 0);
	ck_assert_ptr_nonnull(strstr(written(), "wire  A"));
}
END_TEST

Suite *save_test_suite(void);
Suite *save_test_suite(void)
{
	Suite *s = suite_create("save");
	TCase *tc = tcase_create("save");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, save_trace__as_it_is_with_notes);
	tcase_add_test(tc, save_small__only_what_fails);
	tcase_add_test(tc, save_trace__where_nothing_can_be_written);
	tcase_add_test(tc, save_cuts__no_difference_no_file);
	tcase_add_test(tc, save_cuts__both_ways_of_cutting);
	tcase_add_test(tc, save_cuts__failure_of_one_run_is_a_trace_of_its_own);
	suite_add_tcase(s, tc);
	return s;
}
