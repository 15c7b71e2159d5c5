/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines and words of a trace, and input errors that point at them.
 */
#ifndef SIM_TRACE_LEX_H
#define SIM_TRACE_LEX_H

#include "sim/trace/trace.h"

/* Characters [s, e) of the text. */
struct span {
	const char *s;
	const char *e;
};

static inline size_t span_len(struct span w)
{
	return (size_t)(w.e - w.s);
}

static inline bool span_is(struct span w, const char *word)
{
	size_t len = strlen(word);

	return span_len(w) == len && !memcmp(w.s, word, len);
}

/**
 * struct lex - where the reader is
 * @file: for messages
 * @err: where messages go
 * @next: start of the next line
 * @end: behind the text
 * @line: number of the current line, from 1; 0 before the first
 * @line_start: its first character
 * @line_end: behind its last, without the line end
 * @pos: where the next word is looked for
 * @tok: current word; empty, at the line's end, when there is none left
 * @comment: behind the '#'; @comment.s is NULL when the line has none
 */
struct lex {
	const char *file;
	struct sim_err *err;
	const char *next;
	const char *end;
	u32 line;
	const char *line_start;
	const char *line_end;
	const char *pos;
	struct span tok;
	struct span comment;
};

/* Text before its first line. */
void lex_init(struct lex *lx, const char *file, const char *text, size_t size,
	      struct sim_err *err);
/* Goes to the next line and its first word: 1, 0 behind the last line, -1 the
 * line is not text or too long. */
int lex_line(struct lex *lx);
/* Goes to the next word: separated by blanks; '{', '}' and a leading '=' are
 * words of their own; a word starting with '#' starts the comment. */
void lex_next(struct lex *lx);
/* No word is left on the line. */
static inline bool lex_eol(const struct lex *lx)
{
	return lx->tok.s == lx->tok.e;
}

/* Fills in the error, pointing at @at in the current line. Returns -1. */
int lex_fail(const struct lex *lx, const char *at, const char *fmt, ...)
	__printf(3, 4);
/* As above, for a place noted earlier. */
int lex_fail_at(const struct lex *lx, u32 line, u32 col, const char *fmt, ...)
	__printf(4, 5);
static inline u32 lex_col(const struct lex *lx, const char *at)
{
	return (u32)(at - lx->line_start) + 1;
}

/* Characters as printed in a message: at most 40, then "...". */
struct quoted {
	char s[44];
};
struct quoted quote(struct span w);

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool is_name_char(char c)
{
	return is_name_start(c) || is_digit(c);
}

/* Value of a hexadecimal digit, -1 for others. */
static inline int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/*
 * Numbers. @what names the number in messages ("record length"). Each takes
 * decimal, or 0x and hexadecimal digits; all of @w must be the number.
 * 0, or -1 with the error.
 */
int lex_num(const struct lex *lx, struct span w, const char *what, u64 min,
	    u64 max, u64 *out);
/* The same with a sign allowed. */
int lex_signed(const struct lex *lx, struct span w, const char *what, s64 min,
	       s64 max, s64 *out);
/* Hexadecimal digits without 0x, at most @digits. */
int lex_hex(const struct lex *lx, struct span w, const char *what, u32 digits,
	    u64 *out);
/* 0, or a number with ns, us, ms or s; at most TRACE_TIME_MAX_NS. */
int lex_time(const struct lex *lx, struct span w, const char *what, s64 *out);

#endif
