// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parser: the statements about pipes, faults, schedule, signals, counters and
 * the end, and the names of tasks and pipes.
 *
 * Tasks are declared by use; pipes by `pipe`. A task that `signal` or `run`
 * names must make a call somewhere, which trace_parse.c checks at the end.
 *
 * Left out: `peer`, `wire`, `send` and calls, which have files of their own.
 */
#include "sim/trace/trace_parse.h"

int parse_task(struct parser *p, struct span w, u32 *task)
{
	struct trace *tr = p->tr;

	if (parse_name(p, w, "task"))
		return -1;
	for (*task = 0; *task < tr->task_n; ++*task) {
		if (span_is(w, tr->tasks[*task]))
			return 0;
	}
	if (tr->task_n == TRACE_TASKS_MAX)
		return lex_fail(&p->lex, w.s,
				"too many tasks, expected at most %u",
				TRACE_TASKS_MAX);
	*pool_push(p->pool, tr->tasks, tr->task_n) =
		mem_pool_strndup(p->pool, w.s, span_len(w));
	return 0;
}

int parse_pipe_ref(struct parser *p, u32 *pipe)
{
	struct names pipes = { p->tr->pipes, sizeof(struct trace_pipe),
			       p->tr->pipe_n };
	struct span w = p->lex.tok;
	int i = names_find(&pipes, w.s, span_len(w));

	if (i < 0 && (w.s == w.e || !pipes.n))
		return lex_fail(&p->lex, w.s,
				"no pipe '%s' yet, expected one that a 'pipe'"
				" line above declares",
				quote(w).s);
	if (i < 0)
		return fail_unknown(p, w, "pipe", &pipes);
	*pipe = (u32)i;
	lex_next(&p->lex);
	return 0;
}

/* `pipe p 65536 [nb]` */
int parse_pipe(struct parser *p, struct trace_stmt *st)
{
	struct trace *tr = p->tr;
	struct span w = p->lex.tok;
	struct trace_pipe *pipe;
	u64 n;

	if (parse_name(p, w, "pipe"))
		return -1;
	for (u32 i = 0; i < tr->pipe_n; i++) {
		if (span_is(w, tr->pipes[i].name))
			return lex_fail(&p->lex, w.s,
					"pipe '%s' is there already, expected a"
					" new name",
					quote(w).s);
	}
	if (tr->pipe_n == TRACE_PIPES_MAX)
		return lex_fail(&p->lex, w.s,
				"too many pipes, expected at most %u",
				TRACE_PIPES_MAX);
	lex_next(&p->lex);
	if (lex_num(&p->lex, p->lex.tok, "size of the pipe", 1,
		    TRACE_PIPE_SIZE_MAX, &n))
		return -1;
	lex_next(&p->lex);
	st->kind = ST_PIPE;
	st->pipe.pipe = tr->pipe_n;
	pipe = pool_push(p->pool, tr->pipes, tr->pipe_n);
	pipe->name = mem_pool_strndup(p->pool, w.s, span_len(w));
	pipe->size = (u32)n;
	pipe->nonblock = span_is(p->lex.tok, "nb");
	if (pipe->nonblock)
		lex_next(&p->lex);
	return 0;
}

/* NAME#N; @star: `#*`, which gives 0, is allowed. */
static int parse_nth(struct parser *p, struct span w, bool star,
		     struct span *name, u32 *nth)
{
	const char *hash = memchr(w.s, '#', span_len(w));
	u64 n = 0;

	*name = (struct span){ w.s, hash ? hash : w.e };
	if (!hash)
		return lex_fail(&p->lex, w.e,
				"'#' and the number of the occurrence are"
				" missing");
	if (!star || !span_is((struct span){ hash + 1, w.e }, "*")) {
		if (lex_num(&p->lex, (struct span){ hash + 1, w.e },
			    "occurrence", 1, UINT32_MAX, &n))
			return -1;
	}
	*nth = (u32)n;
	return 0;
}

/* `fail alloc decrypt_page#2` */
int parse_fail(struct parser *p, struct trace_stmt *st)
{
	struct span w, name;
	int i;

	if (parse_word(p, "alloc"))
		return -1;
	w = p->lex.tok;
	if (parse_nth(p, w, true, &name, &st->fail.nth))
		return -1;
	i = names_find(&site_names, name.s, span_len(name));
	if (i < 0)
		return fail_unknown(p, name, "allocation site", &site_names);
	if (name.e[-1] == '!')
		return lex_fail(&p->lex, w.s,
				"allocations at '%s' belong to the world and"
				" never fail",
				quote(name).s);
	st->kind = ST_FAIL;
	st->fail.site = (enum m_site)i;
	lex_next(&p->lex);
	return 0;
}

/* A task that must make a call somewhere in the trace. */
static int parse_mentioned_task(struct parser *p, u32 *task)
{
	struct span w = p->lex.tok;

	if (parse_task(p, w, task))
		return -1;
	if (!p->tasks[*task].mention.line)
		p->tasks[*task].mention = place_of(p, w.s);
	lex_next(&p->lex);
	return 0;
}

/* `at rec_wait:before_sleep#2 run wire` */
int parse_at(struct parser *p, struct trace_stmt *st)
{
	static const char *const what[] = { [AT_WIRE] = "wire",
					    [AT_TASK] = NULL,
					    [AT_WORK] = "work",
					    [AT_TIMER] = "timer" };
	struct span name;
	int i;

	if (parse_nth(p, p->lex.tok, false, &name, &st->at.nth))
		return -1;
	i = names_find(&point_names, name.s, span_len(name));
	if (i < 0)
		return fail_unknown(p, name, "point", &point_names);
	lex_next(&p->lex);
	if (parse_word(p, "run"))
		return -1;
	st->kind = ST_AT;
	st->at.point = (enum m_point)i;
	i = names_find(&NAMES(what), p->lex.tok.s, span_len(p->lex.tok));
	if (i < 0) {
		st->at.what = AT_TASK;
		return parse_mentioned_task(p, &st->task);
	}
	st->at.what = (enum at_what)i;
	lex_next(&p->lex);
	return 0;
}

int parse_signal(struct parser *p, struct trace_stmt *st)
{
	st->kind = ST_SIGNAL;
	if (parse_mentioned_task(p, &st->task))
		return -1;
	st->signal.restart = span_is(p->lex.tok, "restart");
	if (st->signal.restart)
		lex_next(&p->lex);
	return 0;
}

static int parse_counter(struct parser *p, struct span name, u32 *counter)
{
	int i = names_find(&counter_names, name.s, span_len(name));
	const char *near;

	*counter = (u32)i;
	if (i >= 0)
		return 0;
	i = names_find(&mib_names, name.s, span_len(name));
	*counter = CNT_MIB + (u32)i;
	if (i >= 0)
		return 0;
	near = names_nearest(&mib_names, name.s, span_len(name));
	if (near)
		return fail_unknown(p, name, "counter", &mib_names);
	return fail_unknown(p, name, "counter", &counter_names);
}

/* `expect NAME=N ...`: a statement each. */
int parse_expect(struct parser *p, struct trace_stmt *st)
{
	struct trace *tr = p->tr;

	if (lex_eol(&p->lex))
		return lex_fail(&p->lex, p->lex.tok.s,
				"counter is missing, expected NAME=N");
	for (;;) {
		struct span w = p->lex.tok;
		const char *eq = memchr(w.s, '=', span_len(w));
		struct span name = { w.s, eq ? eq : w.e };

		st->kind = ST_EXPECT;
		if (parse_counter(p, name, &st->expect.counter))
			return -1;
		if (!eq)
			return lex_fail(&p->lex, w.e,
					"'=' and the value of '%s' are missing",
					quote(w).s);
		if (lex_num(&p->lex, (struct span){ eq + 1, w.e }, "value", 0,
			    UINT64_MAX, &st->expect.value))
			return -1;
		lex_next(&p->lex);
		if (lex_eol(&p->lex))
			return 0;
		st->expect.more = true;
		st = pool_push(p->pool, tr->stmts, tr->stmt_n);
		st->line = p->lex.line;
	}
}

int parse_end(struct parser *p, struct trace_stmt *st)
{
	u64 n;

	st->kind = ST_END;
	p->end = place_of(p, p->lex.line_start);
	st->end.consumed = span_is(p->lex.tok, "consumed");
	if (st->end.consumed) {
		lex_next(&p->lex);
		return 0;
	}
	if (!span_is(p->lex.tok, "left"))
		return lex_fail(&p->lex, p->lex.tok.s,
				"'%s' is wrong, expected 'consumed' or 'left'"
				" and a number",
				quote(p->lex.tok).s);
	lex_next(&p->lex);
	if (lex_num(&p->lex, p->lex.tok, "number of bytes", 0, UINT32_MAX, &n))
		return -1;
	st->end.left = (u32)n;
	lex_next(&p->lex);
	return 0;
}
