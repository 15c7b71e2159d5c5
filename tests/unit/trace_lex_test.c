// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/trace/trace_lex.c, in its order.
 */
#include <check.h>
#include <stdlib.h>

#include "sim/trace/trace_lex.h"

static struct sim_err err;
static struct lex lx;

static void start(const char *text)
{
	memset(&err, 0, sizeof(err));
	lex_init(&lx, "f", text, strlen(text), &err);
}

static struct span span_of(const char *s)
{
	return (struct span){ s, s + strlen(s) };
}

/* A line around a word, so that errors have a place. */
static struct span word(const char *s)
{
	start(s);
	ck_assert_int_eq(lex_line(&lx), 1);
	return lx.tok;
}

START_TEST(lex_fail__place_and_message)
{
	word("  abc");
	ck_assert_int_eq(lex_fail(&lx, lx.tok.s + 1, "bad %d", 7), -1);
	ck_assert_str_eq(err.file, "f");
	ck_assert_uint_eq(err.line, 1);
	ck_assert_uint_eq(err.col, 4);
	ck_assert_str_eq(err.msg, "bad 7");
}
END_TEST

START_TEST(quote__cut_at_40)
{
	const char *s = "0123456789012345678901234567890123456789";

	ck_assert_str_eq(quote(span_of(s)).s, s);
	ck_assert_str_eq(
		quote(span_of("0123456789012345678901234567890123456789x")).s,
		"0123456789012345678901234567890123456789...");
}
END_TEST

START_TEST(lex_line__counts)
{
	start("a\n\nb");
	ck_assert_int_eq(lex_line(&lx), 1);
	ck_assert(span_is(lx.tok, "a"));
	ck_assert_int_eq(lex_line(&lx), 1);
	ck_assert(lex_eol(&lx));
	ck_assert_int_eq(lex_line(&lx), 1);
	ck_assert(span_is(lx.tok, "b"));
	ck_assert_uint_eq(lx.line, 3);
	ck_assert_int_eq(lex_line(&lx), 0);
}
END_TEST

START_TEST(lex_line__carriage_return_ends_a_line)
{
	start("ab\r\n");
	ck_assert_int_eq(lex_line(&lx), 1);
	ck_assert(span_is(lx.tok, "ab"));
}
END_TEST

START_TEST(lex_line__carriage_return_elsewhere)
{
	start("a\rb\n");
	ck_assert_int_eq(lex_line(&lx), -1);
	ck_assert_uint_eq(err.col, 2);
}
END_TEST

START_TEST(lex_line__longest)
{
	char *text = malloc(TRACE_LINE_MAX + 2);

	memset(text, 'a', TRACE_LINE_MAX + 1);
	text[TRACE_LINE_MAX] = '\n';
	text[TRACE_LINE_MAX + 1] = '\0';
	start(text);
	ck_assert_int_eq(lex_line(&lx), 1);
	text[TRACE_LINE_MAX] = 'a';
	start(text);
	ck_assert_int_eq(lex_line(&lx), -1);
	ck_assert_uint_eq(err.col, TRACE_LINE_MAX + 1);
	free(text);
}
END_TEST

START_TEST(lex_line__utf8_in_comment_only)
{
	start("a # \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\n");
	ck_assert_int_eq(lex_line(&lx), 1);
	start("\xc3\xa4");
	ck_assert_int_eq(lex_line(&lx), -1);
	ck_assert_str_eq(err.msg, "byte c3 outside a comment, expected ASCII");
}
END_TEST

START_TEST(lex_line__not_utf8)
{
	static const char *const bad[] = {
		"# \x80",	  "# \xc0\x80",		"# \xc3",
		"# \xe0\x80\x80", "# \xed\xa0\x80",	"# \xf4\x90\x80\x80",
		"# \xff",	  "# \xf0\x80\x80\x80", "# \xe2\x82",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		start(bad[i]);
		ck_assert_int_eq(lex_line(&lx), -1);
		ck_assert_uint_eq(err.col, 3);
	}
}
END_TEST

START_TEST(lex_next__words)
{
	static const char *const want[] = { "a", "=", "100",	 "{",
					    "b", "}", "key=val", "x#1" };

	start("  a =100\t{b} key=val x#1 # c");
	ck_assert_int_eq(lex_line(&lx), 1);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		ck_assert(span_is(lx.tok, want[i]));
		lex_next(&lx);
	}
	ck_assert(lex_eol(&lx));
}
END_TEST

START_TEST(lex_next__comment_without_trailing_blanks)
{
	start("a # b c \t\n");
	ck_assert_int_eq(lex_line(&lx), 1);
	ck_assert_ptr_null(lx.comment.s);
	lex_next(&lx);
	ck_assert(lex_eol(&lx));
	ck_assert(span_is(lx.comment, " b c"));
}
END_TEST

START_TEST(lex_next__missing_word_is_behind_the_last)
{
	start("abc   # d\n  \n");
	ck_assert_int_eq(lex_line(&lx), 1);
	lex_next(&lx);
	ck_assert_uint_eq(lex_col(&lx, lx.tok.s), 4);
	lex_next(&lx);
	ck_assert_uint_eq(lex_col(&lx, lx.tok.s), 4);
	ck_assert_int_eq(lex_line(&lx), 1);
	ck_assert_uint_eq(lex_col(&lx, lx.tok.s), 1);
}
END_TEST

START_TEST(lex_num__forms)
{
	u64 n;

	ck_assert_int_eq(lex_num(&lx, word("17"), "n", 0, 20, &n), 0);
	ck_assert_uint_eq(n, 17);
	ck_assert_int_eq(lex_num(&lx, word("0xfF"), "n", 0, 300, &n), 0);
	ck_assert_uint_eq(n, 255);
	ck_assert_int_eq(lex_num(&lx, word("18446744073709551615"), "n", 0,
				 UINT64_MAX, &n),
			 0);
	ck_assert_uint_eq(n, UINT64_MAX);
}
END_TEST

START_TEST(lex_num__refused)
{
	static const char *const bad[] = { "0x", "-1",	"+1",
					   "1a", "0xg", "21",
					   "ff", "1 ",	"18446744073709551616" };
	u64 n;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct span w = span_of(bad[i]);

		word(bad[i]);
		lx.line_start = bad[i];
		ck_assert_int_eq(lex_num(&lx, w, "n", 0, 20, &n), -1);
	}
}
END_TEST

START_TEST(lex_signed__limits)
{
	s64 n;

	ck_assert_int_eq(lex_signed(&lx, word("-5"), "n", -5, 5, &n), 0);
	ck_assert_int_eq(n, -5);
	ck_assert_int_eq(lex_signed(&lx, word("+5"), "n", -5, 5, &n), 0);
	ck_assert_int_eq(n, 5);
	ck_assert_int_eq(lex_signed(&lx, word("-6"), "n", -5, 5, &n), -1);
	ck_assert_int_eq(lex_signed(&lx, word("9223372036854775808"), "n",
				    INT64_MIN, INT64_MAX, &n),
			 -1);
	ck_assert_int_eq(lex_signed(&lx, word("-"), "n", -5, 5, &n), -1);
}
END_TEST

START_TEST(lex_hex__digits)
{
	u64 n;

	ck_assert_int_eq(lex_hex(&lx, word("03fF"), "n", 4, &n), 0);
	ck_assert_uint_eq(n, 0x3ff);
	ck_assert_int_eq(lex_hex(&lx, word("03040"), "n", 4, &n), -1);
	ck_assert_int_eq(lex_hex(&lx, word("0x3"), "n", 4, &n), -1);
}
END_TEST

START_TEST(lex_time__units)
{
	static const struct {
		const char *text;
		s64 ns;
	} rows[] = {
		{ "0", 0 },	      { "5ns", 5 },
		{ "20us", 20000 },    { "1ms", 1000000 },
		{ "2s", 2000000000 }, { "1000000s", TRACE_TIME_MAX_NS },
	};
	s64 ns;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		ck_assert_int_eq(lex_time(&lx, word(rows[i].text), "t", &ns),
				 0);
		ck_assert_int_eq(ns, rows[i].ns);
	}
}
END_TEST

START_TEST(lex_time__refused)
{
	static const char *const bad[] = { "5",
					   "ms",
					   "5m",
					   "5xs",
					   "-5s",
					   "5 ms",
					   "0x5ms",
					   "1000001s",
					   "5ss",
					   "00",
					   "1000000000000000001ns" };
	s64 ns;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct span w = span_of(bad[i]);

		word(bad[i]);
		lx.line_start = bad[i];
		ck_assert_int_eq(lex_time(&lx, w, "t", &ns), -1);
	}
}
END_TEST

Suite *trace_lex_test_suite(void);
Suite *trace_lex_test_suite(void)
{
	Suite *s = suite_create("trace_lex");
	TCase *tc = tcase_create("trace_lex");

	tcase_add_test(tc, lex_fail__place_and_message);
	tcase_add_test(tc, quote__cut_at_40);
	tcase_add_test(tc, lex_line__counts);
	tcase_add_test(tc, lex_line__carriage_return_ends_a_line);
	tcase_add_test(tc, lex_line__carriage_return_elsewhere);
	tcase_add_test(tc, lex_line__longest);
	tcase_add_test(tc, lex_line__utf8_in_comment_only);
	tcase_add_test(tc, lex_line__not_utf8);
	tcase_add_test(tc, lex_next__words);
	tcase_add_test(tc, lex_next__comment_without_trailing_blanks);
	tcase_add_test(tc, lex_next__missing_word_is_behind_the_last);
	tcase_add_test(tc, lex_num__forms);
	tcase_add_test(tc, lex_num__refused);
	tcase_add_test(tc, lex_signed__limits);
	tcase_add_test(tc, lex_hex__digits);
	tcase_add_test(tc, lex_time__units);
	tcase_add_test(tc, lex_time__refused);
	suite_add_tcase(s, tc);
	return s;
}
