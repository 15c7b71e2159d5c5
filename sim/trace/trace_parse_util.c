// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parser: what all its parts need: unknown words, names, bytes.
 *
 * Left out: numbers and times, which trace_lex.c reads.
 */
#include "sim/trace/trace_parse.h"

int fail_unknown(const struct parser *p, struct span w, const char *what,
		 const struct names *names)
{
	const char *near = names_nearest(names, w.s, span_len(w));
	char list[160] = "";
	size_t len = 0;

	if (names == &errno_words && span_is(w, "EWOULDBLOCK"))
		near = "EAGAIN";
	if (near)
		return lex_fail(&p->lex, w.s,
				"unknown %s '%s', did you mean '%s'?", what,
				quote(w).s, near);
	for (u32 i = 0; i < names->n && len < sizeof(list); i++) {
		const char *name = names_at(names, i);

		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
					i ? ", " : "", name ? name : "?");
	}
	if (len >= sizeof(list))
		memcpy(list + sizeof(list) - 4, "...", 4);
	if (w.s == w.e)
		return lex_fail(&p->lex, w.s, "%s is missing, expected %s",
				what, list);
	return lex_fail(&p->lex, w.s, "unknown %s '%s', expected %s", what,
			quote(w).s, list);
}

int parse_name(struct parser *p, struct span w, const char *what)
{
	if (w.s == w.e)
		return lex_fail(&p->lex, w.s, "name of a %s is missing", what);
	for (const char *s = w.s; s < w.e; s++) {
		if (s == w.s ? !is_name_start(*s) : !is_name_char(*s))
			return lex_fail(&p->lex, w.s,
					"'%s' is not the name of a %s, expected"
					" a letter, then letters, digits, '_'",
					quote(w).s, what);
	}
	if (span_len(w) > TRACE_NAME_MAX)
		return lex_fail(&p->lex, w.s,
				"name too long, expected at most %u characters",
				TRACE_NAME_MAX);
	if (word_is_reserved(w.s, span_len(w)))
		return lex_fail(&p->lex, w.s,
				"'%s' is a word of the language, expected the"
				" name of a %s",
				quote(w).s, what);
	return 0;
}

int parse_word(struct parser *p, const char *word)
{
	struct span w = p->lex.tok;

	if (lex_eol(&p->lex))
		return lex_fail(&p->lex, w.s, "'%s' is missing", word);
	if (!span_is(w, word))
		return lex_fail(&p->lex, w.s, "'%s' is wrong, expected '%s'",
				quote(w).s, word);
	lex_next(&p->lex);
	return 0;
}

bool word_key(struct span w, const char *key, struct span *val)
{
	size_t len = strlen(key);

	if (span_len(w) <= len || memcmp(w.s, key, len) != 0 || w.s[len] != '=')
		return false;
	*val = (struct span){ w.s + len + 1, w.e };
	return true;
}

int parse_on_off(struct parser *p, struct span w, const char *what, bool *out)
{
	*out = span_is(w, "on");
	if (!*out && !span_is(w, "off"))
		return lex_fail(&p->lex, w.s,
				"%s is '%s', expected 'on' or 'off'", what,
				quote(w).s);
	return 0;
}

int parse_bytes(struct parser *p, struct span w, const char *what,
		const u8 **bytes, u32 *n)
{
	size_t len = span_len(w);
	u8 *out;

	if (!len || len % 2)
		return lex_fail(&p->lex, w.s,
				"%s has %zu hexadecimal digits, expected two a"
				" byte",
				what, len);
	if (len / 2 > TRACE_RAW_MAX)
		return lex_fail(&p->lex, w.s,
				"%s has %zu bytes, expected at most %u", what,
				len / 2, TRACE_RAW_MAX);
	out = mem_pool_alloc_raw(p->pool, len / 2);
	for (size_t i = 0; i < len; i++) {
		int d = hex_digit(w.s[i]);

		if (d < 0)
			return lex_fail(&p->lex, w.s + i,
					"'%c' is not a hexadecimal digit",
					w.s[i]);
		out[i / 2] = (u8)(i % 2 ? out[i / 2] << 4 | d : d);
	}
	*bytes = out;
	*n = (u32)(len / 2);
	return 0;
}
