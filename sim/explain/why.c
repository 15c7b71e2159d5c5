// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A run told call by call.
 * How: the trace is performed on every profile first, to its end whatever the
 * calls answer; then once more on the one asked for, watched: a paragraph is
 * written when a call returns, and one when it is asleep and nothing else can
 * run. At last the trace is judged as `ktlsim run` does it.
 * Left out: what happens between the calls, that is the log.
 */
#include "sim/explain/why.h"

#include "sim/check/report.h"
#include "sim/cmd/tool.h"

/**
 * struct why - one telling
 * @tr: trace
 * @path: its file
 * @others: outcomes on all kernels of profile_table[], and the one told
 * @n: of them
 * @main: the one told
 * @asleep: statement + 1 of the call of each task that was told to be asleep
 * @keys_pos: stream byte at which TLS_RX was set first
 * @keys: it was set
 * @differs: some profile answered otherwise
 * @calls: told
 * @out: text so far
 */
struct why {
	const struct trace *tr;
	const char *path;
	struct outcome *others;
	u32 n;
	u32 main;
	u32 *asleep;
	u64 keys_pos;
	bool keys;
	bool differs;
	u32 calls;
	struct text *out;
};

static const char *advice(enum m_reason reason)
{
	switch (reason) {
#define ADVICE(id, text)  \
	case REASON_##id: \
		return text;
#include "sim/explain/advice.def"
#undef ADVICE
	default:
		return NULL;
	}
}

/* @text, broken at blanks, behind a label of 12 columns. */
static void paragraph(struct text *out, const char *label, const char *text)
{
	size_t n, width = 76;

	if (!text || !*text)
		return;
	text_printf(out, "  %-10s", label);
	while (strlen(text) > width) {
		for (n = width; n && text[n] != ' '; n--)
			;
		if (!n)
			n = strcspn(text, " ");
		text_printf(out, "%.*s\n            ", (int)n, text);
		text += n;
		while (*text == ' ')
			text++;
	}
	text_printf(out, "%s\n", text);
}

static void flush(struct why *w, const char *label, struct text *t)
{
	paragraph(w->out, label, t->buf);
	text_free(t);
}

static void head(struct why *w, const struct sim_task *t)
{
	const struct trace_stmt *st = &w->tr->stmts[t->stmt];

	text_printf(w->out, "\n%s:%u: %s ", w->path, st->line, t->t.name);
	trace_print_call(w->tr, t->call, w->out);
	w->calls++;
}

/* --- other profiles ------------------------------------------------------ */

static bool same_answer(const struct outcome *a, const struct outcome *b,
			u32 stmt)
{
	return outcome_same_call(&a->call[stmt], &b->call[stmt]);
}

/* The first profile of those that answer as @i does. */
static bool first_of_its_kind(const struct why *w, u32 i, u32 stmt)
{
	u32 j;

	for (j = 0; j < i; j++) {
		if (same_answer(&w->others[j], &w->others[i], stmt))
			return false;
	}
	return true;
}

static void other_answer(struct why *w, u32 i, u32 stmt)
{
	const struct outcome_call *c = &w->others[i].call[stmt];
	struct text t = { 0 };
	const char *sep = "";
	u32 j;

	for (j = i; j < w->n; j++) {
		if (!same_answer(&w->others[j], &w->others[i], stmt))
			continue;
		text_printf(&t, "%s%s", sep, w->others[j].profile);
		sep = ", ";
	}
	text_puts(&t, ": ");
	outcome_print(c, &t);
	if (c->state == OUTCOME_RETURNED)
		text_printf(&t, ". %s (%s)", m_reason_text[c->reason],
			    m_reason_name[c->reason]);
	else if (c->state == OUTCOME_NOT_MADE && w->others[i].trouble)
		text_printf(&t, "; %s", w->others[i].trouble);
	flush(w, "otherwise", &t);
}

static void other_answers(struct why *w, u32 stmt)
{
	const struct outcome *mine = &w->others[w->main];
	u32 i;

	for (i = 0; i < w->n; i++) {
		if (same_answer(&w->others[i], mine, stmt) ||
		    !first_of_its_kind(w, i, stmt))
			continue;
		w->differs = true;
		other_answer(w, i, stmt);
	}
}

/* --- moments ------------------------------------------------------------- */

static void world_now(struct why *w, const struct sim *s,
		      const struct trace_call *call)
{
	struct text t = { 0 };

	if (call->kind >= CALL_PREAD) {
		why_pipe(s, call->pipe, &t);
		flush(w, "pipe", &t);
		return;
	}
	why_front(s, &t);
	flush(w, "in front", &t);
	why_state(s, &t);
	flush(w, "state", &t);
}

static u32 call_event(const struct sim *s, u32 task)
{
	u32 i = s->event_n;

	while (i-- > 0) {
		if (s->events[i].kind == EV_CALL && s->events[i].task == task)
			return i;
	}
	return s->event_n;
}

static void note_keys(struct why *w, const struct sim *s,
		      const struct sim_task *t)
{
	const struct trace_call *c = t->call;

	if (w->keys || c->kind != CALL_SETSOCKOPT || c->level != SOL_TLS_M ||
	    c->opt != TLS_RX || t->res.ret)
		return;
	w->keys = true;
	w->keys_pos = (u32)(tcp_sk(s->conn.sk)->copied_seq - s->conn.irs);
}

static void on_returned(void *arg, struct sim *s, const struct sim_task *t)
{
	struct why *w = arg;
	struct text text = { 0 };

	if (t->stmt >= w->tr->stmt_n || t->t.id >= s->task_n || s->finishing ||
	    s->teardown)
		return;
	note_keys(w, s, t);
	head(w, t);
	if (w->asleep[t->t.id] == t->stmt + 1)
		text_puts(w->out, " goes on");
	text_puts(w->out, " = ");
	result_print(s, t, w->out);
	text_putc(w->out, '\n');
	text_printf(&text, "%s (%s)", m_reason_text[t->res.reason],
		    m_reason_name[t->res.reason]);
	flush(w, "why", &text);
	why_cause(s, t->res.reason, w->keys_pos, &text);
	flush(w, "cause", &text);
	why_met(s, t->t.id, call_event(s, t->t.id), &text);
	flush(w, "it met", &text);
	world_now(w, s, t->call);
	other_answers(w, t->stmt);
	paragraph(w->out, "do", advice(t->res.reason));
}

static const char *sleeps_for(const struct sim_task *t, const struct sim *s)
{
	u32 i = s->event_n;

	while (i-- > 0) {
		if (s->events[i].kind == EV_SLEEP &&
		    s->events[i].task == t->t.id)
			return m_sleep_name[s->events[i].a];
	}
	return "?";
}

static void tell_asleep(struct why *w, const struct sim *s,
			const struct sim_task *t)
{
	struct text text = { 0 };

	if (t->state != TASK_SLEEPING || t->stmt >= w->tr->stmt_n ||
	    w->asleep[t->t.id] == t->stmt + 1)
		return;
	w->asleep[t->t.id] = t->stmt + 1;
	head(w, t);
	text_puts(w->out, " sleeps\n");
	text_printf(&text, "It waits (%s)", sleeps_for(t, s));
	if (t->sleep_deadline >= 0)
		text_printf(&text, " until %lld.%06lldms",
			    (long long)(t->sleep_deadline / 1000000),
			    (long long)(t->sleep_deadline % 1000000));
	text_puts(&text, "; nothing more happens before the next statement.");
	flush(w, "why", &text);
	world_now(w, s, t->call);
}

/* The next statement is due: whoever is asleep now, stays so. */
static void on_stmt(void *arg, struct sim *s)
{
	u32 i;

	for (i = 0; i < s->task_n; i++)
		tell_asleep(arg, s, &s->tasks[i]);
}

static void on_end(void *arg, struct sim *s)
{
	struct why *w = arg;
	u32 i;

	on_stmt(arg, s);
	for (i = 0; i < s->task_n; i++) {
		if (s->tasks[i].state == TASK_SLEEPING)
			other_answers(w, s->tasks[i].stmt);
	}
}

/* --- all of it ----------------------------------------------------------- */

static void run_profiles(struct why *w, struct sim *s, struct mem_pool *pool,
			 const struct sim_opts *o)
{
	struct sim_opts each;
	u32 i;

	w->main = profile_n;
	w->others = mem_pool_alloc(pool, (profile_n + 1) * sizeof(*w->others));
	for (i = 0; i < profile_n; i++) {
		if (profile_table[i].patch)
			continue; /* of interest to who asks for it */
		tool_opts_of(&profile_table[i], &each);
		outcome_run(s, w->tr, &each, pool, &w->others[w->n]);
		if (!strcmp(each.profile, o->profile))
			w->main = w->n;
		w->n++;
	}
	if (w->main != profile_n)
		return;
	w->main = w->n++;
	outcome_run(s, w->tr, o, pool, &w->others[w->main]);
}

static void tell_calls(struct why *w, struct sim *s, const struct sim_opts *o)
{
	const struct sim_watch watch = { .arg = w,
					 .stmt = on_stmt,
					 .returned = on_returned,
					 .end = on_end };
	struct sim_opts opts = *o;

	opts.go_on = true;
	opts.watch = &watch;
	sim_run(s, w->tr, &opts, NULL);
	s->opts.watch = NULL;
}

static int tell_verdict(struct why *w, struct sim *s, const struct sim_opts *o)
{
	const struct sim_verdict *v = sim_run(s, w->tr, o, NULL);

	text_puts(w->out, "\n");
	if (!w->differs)
		text_puts(w->out, "All profiles give the same answers.\n");
	text_printf(w->out, "%u calls on %s: ", w->calls, o->profile);
	report_headline(s, w->out);
	if (v->kind == VERDICT_OK) {
		text_puts(w->out, "\n");
		return 0;
	}
	text_printf(w->out, "\n");
	if (v->stmt < w->tr->stmt_n)
		text_printf(w->out, "  line %u", w->tr->stmts[v->stmt].line);
	else
		text_puts(w->out, "  at the end");
	if (v->kind == VERDICT_EXPECT)
		text_printf(w->out, ": expected %s, got", v->expected);
	text_printf(w->out, ": %s\n", v->got);
	return 1;
}

int why_run(const struct trace *tr, const char *path, const struct sim_opts *o,
	    struct text *out)
{
	struct why w = { .tr = tr, .path = path, .out = out };
	struct mem_pool *pool = mem_pool_new();
	struct sim *s = sim_new();
	int ret;

	w.asleep = mem_pool_alloc(pool, (tr->task_n + 1) * sizeof(*w.asleep));
	run_profiles(&w, s, pool, o);
	tell_calls(&w, s, o);
	if (s->verdict.kind == VERDICT_INPUT) {
		tool_input_error(s, path);
		ret = 2;
	} else {
		ret = tell_verdict(&w, s, o);
	}
	sim_free(s);
	mem_pool_free(pool);
	return ret;
}
