// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parser: the file as a whole, its options, its comments, and which statement
 * a line is.
 *
 * One pass, one line at a time, one word of lookahead. Everything a statement
 * refers to must be declared above it, except the tasks that `signal` and
 * `run` name, which are checked at the end. Memory grows with the text, or
 * with TRACE_RECORDS_MAX for repeated records, never with another number in it.
 *
 * Left out: whether a run can do what the trace says.
 */
#include "sim/trace/trace_parse.h"

static int set_word(struct parser *p, struct span val, const char *what,
		    const struct names *names, u16 *out)
{
	int i = names_find(names, val.s, span_len(val));
	const struct trace_word *words = names->base;

	if (i < 0)
		return fail_unknown(p, val, what, names);
	*out = (u16)words[i].val;
	return 0;
}

static int set_u32(struct parser *p, struct span val, const char *what, u32 min,
		   u32 max, u32 *out)
{
	u64 n;

	if (lex_num(&p->lex, val, what, min, max, &n))
		return -1;
	*out = (u32)n;
	return 0;
}

/* Names of profiles are the runner's business; here they are just words. */
static int set_profile(struct parser *p, struct span val)
{
	for (const char *s = val.s; s < val.e; s++) {
		if (!is_name_char(*s) && *s != '.' && *s != '-' && *s != '+' &&
		    *s != '~')
			return lex_fail(&p->lex, s,
					"'%c' in the name of a profile,"
					" expected letters, digits, '_', '.',"
					" '-', '+', '~'",
					*s);
	}
	if (val.s == val.e || span_len(val) > TRACE_PROFILE_MAX)
		return lex_fail(&p->lex, val.s,
				"name of a profile has %zu characters, expected"
				" 1 to %u",
				span_len(val), TRACE_PROFILE_MAX);
	p->tr->opts.profile = mem_pool_strndup(p->pool, val.s, span_len(val));
	return 0;
}

static int set_layout(struct parser *p, struct span val)
{
	int i = names_find(&layout_names, val.s, span_len(val));

	if (i < 0)
		return fail_unknown(p, val, "skb layout", &layout_names);
	p->tr->opts.layout = (enum skb_layout)i;
	return 0;
}

static int set_peer(struct parser *p, struct span val)
{
	static const char *const kinds[] = { "raw", "openssl" };
	int i = names_find(&NAMES(kinds), val.s, span_len(val));

	if (i < 0)
		return fail_unknown(p, val, "peer", &NAMES(kinds));
	p->tr->opts.openssl = i == 1;
	return 0;
}

static int set_value(struct parser *p, enum set_opt opt, struct span val)
{
	static const u32 int_max = INT32_MAX;
	struct trace_opts *o = &p->tr->opts;
	struct names ciphers = cipher_words;

	switch (opt) {
	case SET_TLS:
		return set_word(p, val, "TLS version", &version_words,
				&o->version);
	case SET_CIPHER:
		ciphers.n = CIPHERS_OF_PEER;
		return set_word(p, val, "cipher", &ciphers, &o->cipher);
	case SET_PROFILE:
		return set_profile(p, val);
	case SET_RCVBUF:
		return set_u32(p, val, "rcvbuf", 0, int_max, &o->rcvbuf);
	case SET_MSS:
		return set_u32(p, val, "mss", 1, 65535, &o->mss);
	case SET_RCVLOWAT:
		return set_u32(p, val, "rcvlowat", 0, int_max, &o->rcvlowat);
	case SET_RCVTIMEO:
		return lex_time(&p->lex, val, "rcvtimeo", &o->rcvtimeo_ns);
	case SET_SEQ:
		return lex_num(&p->lex, val, "sequence number", 0, UINT64_MAX,
			       &o->seq);
	case SET_SKB:
		return set_layout(p, val);
	case SET_HELD:
		return parse_on_off(p, val, "held", &o->held);
	case SET_NOPAD:
		return parse_on_off(p, val, "nopad", &o->nopad);
	case SET_NONBLOCK:
		return parse_on_off(p, val, "nonblock", &o->nonblock);
	case SET_ULP:
		return parse_on_off(p, val, "ulp", &o->ulp);
	case SET_RX:
		return parse_on_off(p, val, "rx", &o->rx);
	case SET_PEER:
		return set_peer(p, val);
	case SET_FINISH:
		return parse_on_off(p, val, "finish", &o->finish);
	case SET_COUNT:
		break;
	}
	return 0;
}

static int parse_option(struct parser *p)
{
	struct span w = p->lex.tok;
	const char *eq = memchr(w.s, '=', span_len(w));
	struct span name = { w.s, eq ? eq : w.e };
	int i = names_find(&set_names, name.s, span_len(name));

	if (i < 0)
		return fail_unknown(p, name, "option", &set_names);
	if (!eq)
		return lex_fail(&p->lex, w.e,
				"'=' and the value of '%s' are missing",
				quote(w).s);
	if (p->set[i].line)
		return lex_fail(&p->lex, w.s,
				"option '%s' is there already, in line %u",
				quote(name).s, p->set[i].line);
	p->set[i] = place_of(p, w.s);
	if (set_value(p, (enum set_opt)i, (struct span){ eq + 1, w.e }))
		return -1;
	lex_next(&p->lex);
	return 0;
}

/* The comments so far stand in front of the (only) `set` line printed. */
static int parse_set(struct parser *p)
{
	struct trace *tr = p->tr;

	if (p->in_body)
		return lex_fail(&p->lex, p->lex.line_start,
				"options behind a statement, expected them"
				" above the first one");
	for (u32 i = 0; i < tr->comment_n; i++) {
		if (tr->comments[i].place != COMMENT_VERSION)
			tr->comments[i].place = COMMENT_HEAD;
	}
	do {
		if (parse_option(p))
			return -1;
	} while (!lex_eol(&p->lex));
	return 0;
}

/* Options that contradict each other, once all are known. */
static int check_options(struct parser *p)
{
	const struct trace_opts *o = &p->tr->opts;
	struct place at = p->set[SET_NOPAD];

	p->in_body = true;
	if (o->nopad && o->version != TLS_1_3_VERSION)
		return lex_fail_at(&p->lex, at.line, at.col,
				   "'nopad=on' needs tls=1.3");
	at = p->set[SET_ULP];
	if (o->rx && !o->ulp)
		return lex_fail_at(&p->lex, at.line, at.col,
				   "'ulp=off' needs 'rx=off': without the ULP"
				   " keys cannot be set");
	at = p->set[SET_NOPAD];
	if (o->nopad && !o->rx)
		return lex_fail_at(&p->lex, at.line, at.col,
				   "'nopad=on' needs 'rx=on'");
	return 0;
}

static void add_comment(struct parser *p, enum comment_place place,
			u32 before_stmt, bool trailing)
{
	struct span text = p->lex.comment;
	struct trace *tr = p->tr;
	struct trace_comment *c;

	if (trailing && !text.s)
		return;
	c = pool_push(p->pool, tr->comments, tr->comment_n);
	c->place = place;
	c->before_stmt = before_stmt;
	c->trailing = trailing && place == COMMENT_BODY;
	if (text.s)
		c->text = mem_pool_strndup(p->pool, text.s, span_len(text));
}

/* `+1ms` in front of a statement. */
static int parse_time(struct parser *p, struct trace_stmt *st)
{
	struct span w = p->lex.tok;

	if (w.s == w.e || *w.s != '+')
		return 0;
	if (lex_time(&p->lex, (struct span){ w.s + 1, w.e }, "time",
		     &st->dt_ns))
		return -1;
	p->time_ns += st->dt_ns;
	if (p->time_ns > TRACE_TIME_MAX_NS)
		return lex_fail(&p->lex, w.s,
				"all times together are more than %llds",
				(long long)(TRACE_TIME_MAX_NS / NSEC_PER_SEC));
	st->timed = true;
	lex_next(&p->lex);
	return 0;
}

/* A first word that is nearly a word of the language is no task. */
static int fail_call(struct parser *p, struct span subject, bool known)
{
	const char *near =
		names_nearest(&subject_names, subject.s, span_len(subject));

	if (!known &&
	    names_find(&call_names, subject.s, span_len(subject)) >= 0)
		return lex_fail(&p->lex, subject.s,
				"no task in front of '%s', expected as in"
				" 'r1 %s'",
				quote(subject).s, quote(subject).s);
	if (near && !known)
		return fail_unknown(p, subject, "statement", &subject_names);
	return fail_unknown(p, p->lex.tok, "call", &call_names);
}

static int parse_returns(struct parser *p, struct span subject,
			 struct trace_stmt *st)
{
	const struct trace_call *call = p->tasks[st->task].last;

	if (!call)
		return lex_fail(&p->lex, subject.s,
				"task '%s' has made no call yet, expected one"
				" above '%s'",
				quote(subject).s, quote(p->lex.tok).s);
	st->kind = ST_RETURNS;
	if (span_is(p->lex.tok, "blocks"))
		return parse_result(p, call, &st->result, false);
	lex_next(&p->lex);
	return parse_result(p, call, &st->result, true);
}

/* TASK CALL ARGUMENTS [= RESULT], TASK returns RESULT, or TASK blocks. */
static int parse_call(struct parser *p, struct span subject,
		      struct trace_stmt *st)
{
	u32 known = p->tr->task_n;
	struct trace_call *call;
	int i;

	if (parse_task(p, subject, &st->task))
		return -1;
	if (span_is(p->lex.tok, "returns") || span_is(p->lex.tok, "blocks"))
		return parse_returns(p, subject, st);
	i = names_find(&call_names, p->lex.tok.s, span_len(p->lex.tok));
	if (i < 0)
		return fail_call(p, subject, st->task < known);
	call = mem_pool_alloc(p->pool, sizeof(*call));
	call->kind = (enum call_kind)i;
	st->kind = ST_CALL;
	st->call = call;
	p->tasks[st->task].last = call;
	lex_next(&p->lex);
	if (parse_call_args(p, call))
		return -1;
	if (!span_is(p->lex.tok, "="))
		return 0;
	lex_next(&p->lex);
	return parse_result(p, call, &st->result, false);
}

/* What a line with a statement starts with. */
enum subject {
	SUBJECT_SET,
	SUBJECT_PEER,
	SUBJECT_WIRE,
	SUBJECT_SEND,
	SUBJECT_PIPE,
	SUBJECT_FAIL,
	SUBJECT_SIGNAL,
	SUBJECT_EXPECT,
	SUBJECT_AT,
	SUBJECT_END,
};

static int parse_subject(struct parser *p, struct trace_stmt *st)
{
	struct span w = p->lex.tok;
	int subject = names_find(&subject_names, w.s, span_len(w));

	if ((subject == SUBJECT_AT || subject == SUBJECT_END ||
	     subject == SUBJECT_SET) &&
	    st->timed)
		return lex_fail(&p->lex, w.s,
				"'%s' takes no time in front of it",
				quote(w).s);
	if (lex_eol(&p->lex))
		return lex_fail(&p->lex, w.s,
				"statement is missing behind the time");
	lex_next(&p->lex);
	switch (subject) {
	case SUBJECT_PEER:
		return parse_peer(p, st);
	case SUBJECT_WIRE:
		return parse_wire(p, st, false);
	case SUBJECT_SEND:
		return parse_wire(p, st, true);
	case SUBJECT_PIPE:
		return parse_pipe(p, st);
	case SUBJECT_FAIL:
		return parse_fail(p, st);
	case SUBJECT_SIGNAL:
		return parse_signal(p, st);
	case SUBJECT_EXPECT:
		return parse_expect(p, st);
	case SUBJECT_AT:
		return parse_at(p, st);
	case SUBJECT_END:
		return parse_end(p, st);
	default:
		return parse_call(p, w, st);
	}
}

static int parse_statement(struct parser *p)
{
	struct trace *tr = p->tr;
	struct trace_stmt *st;

	if (p->end.line)
		return lex_fail(&p->lex, p->lex.tok.s,
				"statement behind the 'end' in line %u,"
				" expected nothing more",
				p->end.line);
	if (tr->stmt_n >= TRACE_STMTS_MAX)
		return lex_fail(&p->lex, p->lex.tok.s,
				"too many statements, expected at most %u",
				TRACE_STMTS_MAX);
	if (!p->in_body && check_options(p))
		return -1;
	st = pool_push(p->pool, tr->stmts, tr->stmt_n);
	st->line = p->lex.line;
	return parse_time(p, st) ?: parse_subject(p, st);
}

/* One line behind the first. */
static int parse_line(struct parser *p)
{
	bool set = span_is(p->lex.tok, "set");

	if (lex_eol(&p->lex)) {
		add_comment(p, COMMENT_BODY, p->tr->stmt_n, false);
		return 0;
	}
	if (set)
		lex_next(&p->lex);
	if (set ? parse_set(p) : parse_statement(p))
		return -1;
	if (!lex_eol(&p->lex))
		return lex_fail(&p->lex, p->lex.tok.s,
				"'%s' is too much, expected the end of the"
				" line",
				quote(p->lex.tok).s);
	if (set)
		add_comment(p, COMMENT_SET, 0, true);
	else
		add_comment(p, COMMENT_BODY, p->tr->stmt_n - 1, true);
	return 0;
}

/* `ktlsim-trace 1` */
static int parse_version(struct parser *p)
{
	struct lex *lx = &p->lex;
	int rc = lex_line(lx);
	u64 version;

	if (rc < 0)
		return -1;
	if (!rc)
		return lex_fail_at(lx, 1, 1,
				   "no text, expected 'ktlsim-trace %u' in the"
				   " first line",
				   TRACE_FORMAT_VERSION);
	if (!span_is(lx->tok, "ktlsim-trace"))
		return lex_fail_at(lx, 1, 1,
				   "not a trace, expected 'ktlsim-trace %u' in"
				   " the first line",
				   TRACE_FORMAT_VERSION);
	lex_next(lx);
	if (lex_num(lx, lx->tok, "format version", 0, UINT32_MAX, &version))
		return -1;
	if (version != TRACE_FORMAT_VERSION)
		return lex_fail(lx, lx->tok.s,
				"format version %llu is unknown, expected %u",
				(unsigned long long)version,
				TRACE_FORMAT_VERSION);
	lex_next(lx);
	if (!lex_eol(lx))
		return lex_fail(lx, lx->tok.s,
				"'%s' is too much, expected the end of the"
				" line",
				quote(lx->tok).s);
	add_comment(p, COMMENT_VERSION, 0, true);
	return 0;
}

/* Tasks that are signalled or run must do something. */
static int check_tasks(struct parser *p)
{
	for (u32 i = 0; i < p->tr->task_n; i++) {
		struct place at = p->tasks[i].mention;

		if (!p->tasks[i].last)
			return lex_fail_at(&p->lex, at.line, at.col,
					   "task '%s' makes no call in this"
					   " trace",
					   p->tr->tasks[i]);
	}
	return 0;
}

int trace_parse(struct trace *tr, const char *file, const char *text,
		size_t size, struct sim_err *err)
{
	struct parser p = { .tr = tr, .pool = tr->pool };
	int rc;

	*tr = (struct trace){ .pool = tr->pool };
	tr->file = mem_pool_strndup(tr->pool, file, strlen(file));
	trace_opts_default(&tr->opts);
	lex_init(&p.lex, file, size ? text : "", size, err);
	if (size > TRACE_FILE_MAX)
		return lex_fail_at(&p.lex, 0, 0,
				   "text of %zu bytes, expected at most %u",
				   size, TRACE_FILE_MAX);
	if (parse_version(&p))
		return -1;
	while ((rc = lex_line(&p.lex)) > 0) {
		if (parse_line(&p))
			return -1;
	}
	if (rc < 0 || (!p.in_body && check_options(&p)))
		return -1;
	return check_tasks(&p);
}
