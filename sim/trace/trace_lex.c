// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines and words of a trace, numbers, and input errors that point at them.
 *
 * A line is checked as a whole when it is reached (length, no control
 * characters, UTF-8 in its comment only); then words are found one at a time,
 * so a line needs no memory. Places are pointers into the text; a column is a
 * distance from the line's start, counted in bytes from 1.
 *
 * Left out: what the words mean.
 */
#include "sim/trace/trace_lex.h"

#include <stdarg.h>

void lex_init(struct lex *lx, const char *file, const char *text, size_t size,
	      struct sim_err *err)
{
	*lx = (struct lex){
		.file = file,
		.err = err,
		.next = text,
		.end = text + size,
		.line_start = text,
		.line_end = text,
		.pos = text,
		.tok = { text, text },
	};
}

static void err_set(const struct lex *lx, u32 line, u32 col, const char *fmt,
		    va_list args)
{
	struct sim_err *err = lx->err;

	err->file = lx->file;
	err->line = line;
	err->col = col;
	vsnprintf(err->msg, sizeof(err->msg), fmt, args);
}

int lex_fail(const struct lex *lx, const char *at, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	err_set(lx, lx->line, lex_col(lx, at), fmt, args);
	va_end(args);
	return -1;
}

int lex_fail_at(const struct lex *lx, u32 line, u32 col, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	err_set(lx, line, col, fmt, args);
	va_end(args);
	return -1;
}

struct quoted quote(struct span w)
{
	size_t len = span_len(w);
	struct quoted q;

	if (len <= 40) {
		memcpy(q.s, w.s, len);
		q.s[len] = '\0';
	} else {
		memcpy(q.s, w.s, 40);
		memcpy(q.s + 40, "...", 4);
	}
	return q;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Bytes of the UTF-8 character at @s, 0 when it is none. */
static u32 utf8_len(const char *s, const char *end)
{
	const u8 *p = (const u8 *)s;
	u32 len = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;

	if (*p < 0xc2 || *p > 0xf4 || (size_t)(end - s) < len)
		return 0;
	for (u32 i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	if (*p == 0xe0 && p[1] < 0xa0) /* overlong */
		return 0;
	if (*p == 0xed && p[1] > 0x9f) /* surrogate */
		return 0;
	if (*p == 0xf0 && p[1] < 0x90) /* overlong */
		return 0;
	if (*p == 0xf4 && p[1] > 0x8f) /* above U+10FFFF */
		return 0;
	return len;
}

/* Control characters are refused everywhere, UTF-8 outside comments. */
static int lex_check_line(struct lex *lx)
{
	const char *comment = NULL;
	const char *s = lx->line_start;

	while (s < lx->line_end) {
		u8 c = (u8)*s;
		u32 len;

		if (!comment && c == '#' &&
		    (s == lx->line_start || is_blank(s[-1])))
			comment = s;
		if ((c >= 0x20 && c < 0x7f) || c == '\t') {
			s++;
			continue;
		}
		if (c < 0x80)
			return lex_fail(lx, s,
					"byte %02x is not text, expected"
					" printable characters",
					c);
		len = utf8_len(s, lx->line_end);
		if (!len)
			return lex_fail(lx, s, "byte %02x is not UTF-8", c);
		if (!comment)
			return lex_fail(lx, s,
					"byte %02x outside a comment, expected"
					" ASCII",
					c);
		s += len;
	}
	return 0;
}

int lex_line(struct lex *lx)
{
	const char *nl;

	if (lx->next == lx->end)
		return 0;
	lx->line++;
	lx->line_start = lx->next;
	nl = memchr(lx->next, '\n', (size_t)(lx->end - lx->next));
	lx->line_end = nl ? nl : lx->end;
	lx->next = nl ? nl + 1 : lx->end;
	if (nl && nl > lx->line_start && nl[-1] == '\r')
		lx->line_end--;
	if (lx->line_end - lx->line_start > TRACE_LINE_MAX)
		return lex_fail(lx, lx->line_start + TRACE_LINE_MAX,
				"line too long, expected at most %u bytes",
				TRACE_LINE_MAX);
	if (lex_check_line(lx))
		return -1;
	lx->pos = lx->line_start;
	lx->comment = (struct span){ NULL, NULL };
	lex_next(lx);
	return 1;
}

static void lex_comment(struct lex *lx, const char *hash)
{
	const char *e = lx->line_end;

	while (e > hash + 1 && is_blank(e[-1]))
		e--;
	lx->comment = (struct span){ hash + 1, e };
	lx->pos = lx->line_end;
}

void lex_next(struct lex *lx)
{
	const char *s = lx->pos;
	const char *e;

	while (s < lx->line_end && is_blank(*s))
		s++;
	if (s == lx->line_end || *s == '#') {
		/* What is missing is missing behind the last word. */
		if (s < lx->line_end)
			lex_comment(lx, s);
		s = max_t(const char *, lx->tok.e, lx->line_start);
		lx->tok = (struct span){ s, s };
		return;
	}
	e = s + 1;
	if (*s != '=' && *s != '{' && *s != '}') {
		while (e < lx->line_end && !is_blank(*e) && *e != '{' &&
		       *e != '}')
			e++;
	}
	lx->tok = (struct span){ s, e };
	lx->pos = e;
}

/* Digits of @base; false when there are none, others, or too many. */
static bool digits(struct span w, u32 base, u64 *out, bool *overflow)
{
	u64 val = 0;

	*overflow = false;
	if (w.s >= w.e)
		return false;
	for (const char *s = w.s; s < w.e; s++) {
		int d = hex_digit(*s);

		if (d < 0 || (u32)d >= base)
			return false;
		if (__builtin_mul_overflow(val, base, &val) ||
		    __builtin_add_overflow(val, (u64)d, &val))
			*overflow = true;
	}
	*out = val;
	return true;
}

static bool number(struct span w, u64 *out, bool *overflow)
{
	if (span_len(w) > 2 && w.s[0] == '0' && w.s[1] == 'x')
		return digits((struct span){ w.s + 2, w.e }, 16, out, overflow);
	return digits(w, 10, out, overflow);
}

int lex_num(const struct lex *lx, struct span w, const char *what, u64 min,
	    u64 max, u64 *out)
{
	bool overflow;

	if (w.s == w.e)
		return lex_fail(lx, w.s, "%s is missing, expected a number",
				what);
	if (!number(w, out, &overflow))
		return lex_fail(lx, w.s, "%s '%s' is not a number", what,
				quote(w).s);
	if (overflow || *out < min || *out > max)
		return lex_fail(lx, w.s,
				"%s %s is out of range, expected %llu to %llu",
				what, quote(w).s, (unsigned long long)min,
				(unsigned long long)max);
	return 0;
}

int lex_signed(const struct lex *lx, struct span w, const char *what, s64 min,
	       s64 max, s64 *out)
{
	struct span abs = w;
	bool overflow, neg;
	u64 val;

	if (w.s == w.e)
		return lex_fail(lx, w.s, "%s is missing, expected a number",
				what);
	neg = *w.s == '-';
	if (neg || *w.s == '+')
		abs.s++;
	if (!number(abs, &val, &overflow))
		return lex_fail(lx, w.s, "%s '%s' is not a number", what,
				quote(w).s);
	overflow |= val > (u64)INT64_MAX + neg;
	*out = (s64)(neg ? 0 - val : val);
	if (overflow || *out < min || *out > max)
		return lex_fail(lx, w.s,
				"%s %s is out of range, expected %lld to %lld",
				what, quote(w).s, (long long)min,
				(long long)max);
	return 0;
}

int lex_hex(const struct lex *lx, struct span w, const char *what, u32 ndigits,
	    u64 *out)
{
	bool overflow;

	if (span_len(w) > ndigits || !digits(w, 16, out, &overflow))
		return lex_fail(lx, w.s,
				"%s '%s' is wrong, expected 1 to %u"
				" hexadecimal digits",
				what, quote(w).s, ndigits);
	return 0;
}

static s64 time_unit(const char *s, size_t len)
{
	if (len == 2 && s[1] == 's') {
		if (s[0] == 'n')
			return 1;
		if (s[0] == 'u')
			return 1000;
		if (s[0] == 'm')
			return NSEC_PER_MSEC;
	}
	return len == 1 && s[0] == 's' ? NSEC_PER_SEC : 0;
}

int lex_time(const struct lex *lx, struct span w, const char *what, s64 *out)
{
	struct span num = { w.s, w.s };
	s64 unit;
	u64 val = 0;

	while (num.e < w.e && is_digit(*num.e))
		num.e++;
	unit = time_unit(num.e, (size_t)(w.e - num.e));
	if (span_is(w, "0"))
		unit = 1;
	if (num.s == num.e || !unit)
		return lex_fail(lx, w.s,
				"%s '%s' is not a time, expected 0 or a number"
				" with ns, us, ms or s",
				what, quote(w).s);
	if (lex_num(lx, num, what, 0, (u64)(TRACE_TIME_MAX_NS / unit), &val))
		return -1;
	*out = (s64)val * unit;
	return 0;
}
