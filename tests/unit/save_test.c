// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/save.c.
 */
#include "sim/save.h"

#include <stdlib.h>

#include "sim/profile.h"
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

/* Text of the file that was written. */
static const char *written(void)
{
	static char buf[4096];
	struct text path = { 0 };
	size_t n;
	FILE *f;

	save_path(&o, &path);
	text_putc(&path, '\0');
	f = fopen(path.buf, "r");
	ck_assert_ptr_nonnull(f);
	n = fread(buf, 1, sizeof(buf) - 1, f);
	buf[n] = '\0';
	fclose(f);
	text_free(&path);
	return buf;
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
	suite_add_tcase(s, tc);
	return s;
}
