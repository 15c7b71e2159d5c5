// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/trace/trace.c and sim/trace/text.c, in their order.
 */
#include <check.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/trace/trace.h"

static struct mem_pool *pool;
static struct trace tr;
static struct sim_err err;
static char dir[32];

static void setup(void)
{
	pool = mem_pool_new();
	tr.pool = pool;
}

static void teardown(void)
{
	mem_pool_free(pool);
}

START_TEST(trace_opts_default__is_a_tls_connection)
{
	struct trace_opts opts;

	trace_opts_default(&opts);
	ck_assert_uint_eq(opts.version, TLS_1_3_VERSION);
	ck_assert_uint_eq(opts.cipher, TLS_CIPHER_AES_GCM_128);
	ck_assert(opts.ulp && opts.rx);
	ck_assert(!opts.nopad && !opts.nonblock && !opts.finish && !opts.held);
}
END_TEST

START_TEST(trace_rec_wire_len__by_version_and_cipher)
{
	struct trace_rec rec = { .kind = REC_SEALED, .len = 100 };
	struct trace_opts opts;

	trace_opts_default(&opts);
	ck_assert_int_eq(trace_rec_wire_len(&opts, &rec), 5 + 100 + 1 + 16);
	rec.pad = 7;
	ck_assert_int_eq(trace_rec_wire_len(&opts, &rec), 5 + 107 + 1 + 16);
	rec.mods = MOD_NOINNER;
	rec.pad = 0;
	ck_assert_int_eq(trace_rec_wire_len(&opts, &rec), 5 + 100 + 16);
	rec.mods = 0;
	opts.version = TLS_1_2_VERSION;
	ck_assert_int_eq(trace_rec_wire_len(&opts, &rec), 5 + 8 + 100 + 16);
	opts.cipher = TLS_CIPHER_CHACHA20_POLY1305;
	ck_assert_int_eq(trace_rec_wire_len(&opts, &rec), 5 + 100 + 16);
}
END_TEST

START_TEST(trace_rec_wire_len__not_sealed)
{
	struct trace_rec rec = { .kind = REC_RAW, .len = 3 };
	struct trace_opts opts;

	trace_opts_default(&opts);
	ck_assert_int_eq(trace_rec_wire_len(&opts, &rec), 3);
	rec.kind = REC_OPENSSL;
	ck_assert_int_eq(trace_rec_wire_len(&opts, &rec), -1);
}
END_TEST

START_TEST(errno_name__both_ways)
{
	ck_assert_str_eq(errno_name(EAGAIN), "EAGAIN");
	ck_assert_str_eq(errno_name(EBADMSG), "EBADMSG");
	ck_assert_ptr_null(errno_name(0));
	ck_assert_ptr_null(errno_name(4000));
	ck_assert_int_eq(errno_value("ECONNRESET", 10), ECONNRESET);
	ck_assert_int_eq(errno_value("ECONNRESE", 9), 0);
	ck_assert_int_eq(errno_value("", 0), 0);
}
END_TEST

START_TEST(rec_type_name__known_and_not)
{
	ck_assert_str_eq(rec_type_name(23), "data");
	ck_assert_str_eq(rec_type_name(20), "ccs");
	ck_assert_ptr_null(rec_type_name(99));
}
END_TEST

static const char *write_file(const char *text, size_t size)
{
	static char path[64];
	FILE *f;

	strcpy(dir, "/tmp/ktlsim-trace-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a.trace", dir);
	f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(text, 1, size, f), size);
	fclose(f);
	return path;
}

static void remove_file(const char *path)
{
	unlink(path);
	rmdir(dir);
}

START_TEST(trace_load__file)
{
	const char text[] = "ktlsim-trace 1\nr1 close\n";
	const char *path = write_file(text, strlen(text));

	ck_assert_int_eq(trace_load(&tr, path, &err), 0);
	ck_assert_uint_eq(tr.stmt_n, 1);
	ck_assert_str_eq(tr.file, path);
	remove_file(path);
}
END_TEST

START_TEST(trace_load__error_names_the_file)
{
	const char text[] = "ktlsim-trace 1\nr1 colse\n";
	const char *path = write_file(text, strlen(text));
	char want[128], *got = NULL;
	size_t len;
	FILE *f;

	ck_assert_int_eq(trace_load(&tr, path, &err), -1);
	f = open_memstream(&got, &len);
	sim_err_print(&err, f);
	fclose(f);
	snprintf(want, sizeof(want),
		 "%s:2:4: unknown call 'colse', did you mean 'close'?\n", path);
	ck_assert_str_eq(got, want);
	free(got);
	remove_file(path);
}
END_TEST

START_TEST(trace_load__no_file)
{
	ck_assert_int_eq(trace_load(&tr, "/nonexistent", &err), -1);
	ck_assert_uint_eq(err.line, 0);
	ck_assert_str_eq(err.msg, "cannot open: No such file or directory");
}
END_TEST

START_TEST(trace_load__directory)
{
	ck_assert_int_eq(trace_load(&tr, "/", &err), -1);
	ck_assert_str_eq(err.msg, "is a directory, expected a file");
}
END_TEST

START_TEST(trace_load__device)
{
	ck_assert_int_eq(trace_load(&tr, "/dev/null", &err), -1);
	ck_assert_str_eq(err.msg, "is not a regular file");
}
END_TEST

START_TEST(trace_load__too_large)
{
	const char *path = write_file("", 0);

	ck_assert_int_eq(truncate(path, TRACE_FILE_MAX + 1), 0);
	ck_assert_int_eq(trace_load(&tr, path, &err), -1);
	ck_assert_str_eq(err.msg,
			 "file of 16777217 bytes, expected at most 16777216");
	remove_file(path);
}
END_TEST

START_TEST(text_printf__grows)
{
	struct text t = { 0 };
	char word[600];

	memset(word, 'x', sizeof(word));
	word[599] = '\0';
	for (u32 i = 0; i < 10; i++)
		text_printf(&t, "%s|", word);
	ck_assert_uint_eq(t.len, 6000);
	ck_assert_uint_eq(strlen(t.buf), 6000);
	ck_assert_int_eq(t.buf[5999], '|');
	text_free(&t);
	ck_assert_ptr_null(t.buf);
}
END_TEST

START_TEST(text_add__pieces)
{
	struct text t = { 0 };

	text_add(&t, "abc", 2);
	text_putc(&t, '-');
	text_puts(&t, "cd");
	text_add(&t, NULL, 0);
	ck_assert_str_eq(t.buf, "ab-cd");
	text_free(&t);
}
END_TEST

Suite *trace_test_suite(void);
Suite *trace_test_suite(void)
{
	Suite *s = suite_create("trace");
	TCase *tc = tcase_create("trace");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, trace_opts_default__is_a_tls_connection);
	tcase_add_test(tc, trace_rec_wire_len__by_version_and_cipher);
	tcase_add_test(tc, trace_rec_wire_len__not_sealed);
	tcase_add_test(tc, errno_name__both_ways);
	tcase_add_test(tc, rec_type_name__known_and_not);
	tcase_add_test(tc, trace_load__file);
	tcase_add_test(tc, trace_load__error_names_the_file);
	tcase_add_test(tc, trace_load__no_file);
	tcase_add_test(tc, trace_load__directory);
	tcase_add_test(tc, trace_load__device);
	tcase_add_test(tc, trace_load__too_large);
	tcase_add_test(tc, text_printf__grows);
	tcase_add_test(tc, text_add__pieces);
	suite_add_tcase(s, tc);
	return s;
}
