/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parser's state, shared by its parts: trace_parse.c (lines, options),
 * trace_parse_stmt.c (small statements), trace_parse_rec.c (records),
 * trace_parse_range.c (ranges of them), trace_parse_call.c (calls),
 * trace_parse_result.c (what they must return), trace_parse_util.c.
 *
 * All functions return 0, or -1 with the error filled in. A function that
 * reads words starts at the current one and leaves the first it did not use.
 */
#ifndef SIM_TRACE_PARSE_H
#define SIM_TRACE_PARSE_H

#include "sim/trace/trace_lex.h"
#include "sim/trace/trace_words.h"

/* A place in the text; line 0: none. */
struct place {
	u32 line;
	u32 col;
};

/* What the parser knows of a task. */
struct task_info {
	const struct trace_call *last; /* its last call so far, or NULL */
	struct place mention; /* first `signal` or `run` that names it */
};

/**
 * struct parser - one parse
 * @lex: text
 * @tr: what is being built
 * @pool: its memory
 * @names: hash table, name of a record to its index + 1; 0 is empty
 * @names_size: slots, a power of two
 * @families: names in it
 * @tasks: one each of @tr->tasks
 * @time_ns: sum of all times
 * @stream: wire bytes of all records
 * @set: where each option was given
 * @in_body: statements have begun, options are over
 * @end: where `end` was
 */
struct parser {
	struct lex lex;
	struct trace *tr;
	struct mem_pool *pool;
	u32 *names;
	u32 names_size;
	u32 families;
	struct task_info tasks[TRACE_TASKS_MAX];
	s64 time_ns;
	u64 stream;
	struct place set[SET_COUNT];
	bool in_body;
	struct place end;
};

static inline struct place place_of(const struct parser *p, const char *at)
{
	return (struct place){ p->lex.line, lex_col(&p->lex, at) };
}

/* trace_parse_util.c */
/* "unknown @what 'word'", with the nearest of @names or all of them. */
int fail_unknown(const struct parser *p, struct span w, const char *what,
		 const struct names *names);
/* @w must be the name of a @what: well formed and not reserved. */
int parse_name(struct parser *p, struct span w, const char *what);
/* The current word must be @word. */
int parse_word(struct parser *p, const char *word);
/* Is @w "KEY=..."? The rest goes to @val. */
bool word_key(struct span w, const char *key, struct span *val);
int parse_on_off(struct parser *p, struct span w, const char *what, bool *out);
/* Hexadecimal bytes, at least one. */
int parse_bytes(struct parser *p, struct span w, const char *what,
		const u8 **bytes, u32 *n);

/* trace_parse_stmt.c */
/* Index of the task of that name, made when new. */
int parse_task(struct parser *p, struct span w, u32 *task);
/* Index of the pipe that the current word names. */
int parse_pipe_ref(struct parser *p, u32 *pipe);
/* Statements, behind their first word. @st may have moved afterwards. */
int parse_pipe(struct parser *p, struct trace_stmt *st);
int parse_fail(struct parser *p, struct trace_stmt *st);
int parse_at(struct parser *p, struct trace_stmt *st);
int parse_signal(struct parser *p, struct trace_stmt *st);
int parse_expect(struct parser *p, struct trace_stmt *st);
int parse_end(struct parser *p, struct trace_stmt *st);

/* trace_parse_rec.c */
/* `peer ...`, `wire ...`, `send ...` behind their first word. */
int parse_peer(struct parser *p, struct trace_stmt *st);
/* Index of the (first) record of that name, -1 when there is none. */
int find_record(const struct parser *p, struct span name);

/* trace_parse_range.c */
int parse_wire(struct parser *p, struct trace_stmt *st, bool send);
/* One piece of expected data. */
int parse_data(struct parser *p, struct span w, struct trace_data *data);

/* trace_parse_call.c */
/* The arguments of @call->kind. */
int parse_call_args(struct parser *p, struct trace_call *call);

/* trace_parse_result.c */
/* Flags joined by '|', or `none`. */
int parse_bits(struct parser *p, struct span w, const char *what,
	       const struct names *names, u32 *bits);
/* Behind '=' or `returns`. */
int parse_result(struct parser *p, const struct trace_call *call,
		 struct trace_result *res, bool returns);

#endif
