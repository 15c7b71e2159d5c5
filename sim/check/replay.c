// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a random run to a trace that stands for itself.
 * How: whatever the choice stream decided is in sim->recorded; written as `at`
 * lines it is decided by the text. The signature of a failure is its invariant
 * and slug; for assertions file and line, so that numbers in their messages do
 * not make one fault look like many.
 * Left out: making the trace small (shrink.c).
 */
#include "sim/check/replay.h"

#include <stdarg.h>

static u32 text_cut(const char *s, const char *stop)
{
	return (u32)strcspn(s, stop);
}

/* "model/tls_sw.c:123: text" up to the second colon. */
static void sig_of_bug(const struct sim_verdict *v, struct sim_sig *sig)
{
	u32 n = text_cut(v->got, ":");

	if (v->got[n])
		n += 1 + text_cut(v->got + n + 1, ":");
	snprintf(sig->slug, sizeof(sig->slug), "%.*s", (int)n, v->got);
}

void sig_set(struct sim_sig *sig, enum sig_kind kind, u32 inv, const char *slug)
{
	memset(sig, 0, sizeof(*sig));
	sig->kind = kind;
	sig->inv = inv;
	snprintf(sig->slug, sizeof(sig->slug), "%s", slug);
}

void sig_of_run(const struct sim *s, struct sim_sig *sig)
{
	const struct sim_verdict *v = &s->verdict;

	switch (v->kind) {
	case VERDICT_OK:
		sig_set(sig, SIG_NONE, 0, "");
		break;
	case VERDICT_EXPECT:
		sig_set(sig, SIG_EXPECT, 0, "");
		break;
	case VERDICT_INVARIANT:
		sig_set(sig, SIG_INVARIANT, v->inv, v->slug);
		break;
	case VERDICT_INPUT:
		sig_set(sig, SIG_INPUT, 0, "");
		break;
	case VERDICT_BUG:
		sig_set(sig, SIG_BUG, 0, "");
		sig_of_bug(v, sig);
		break;
	}
}

bool sig_equal(const struct sim_sig *a, const struct sim_sig *b)
{
	return a->kind == b->kind && a->inv == b->inv &&
	       !strcmp(a->slug, b->slug);
}

bool sig_known(const struct sim_sig *sig)
{
	return sig->kind == SIG_INVARIANT &&
	       finding_known((enum inv_id)sig->inv, sig->slug);
}

static const char *sig_head(const struct sim_sig *sig)
{
	switch (sig->kind) {
	case SIG_NONE:
		break;
	case SIG_EXPECT:
		return "expect";
	case SIG_INVARIANT:
		return inv_name[sig->inv];
	case SIG_INPUT:
		return "input";
	case SIG_BUG:
		return "assertion";
	case SIG_CRASH:
		return "crash";
	}
	return "ok";
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

void sig_print(const struct sim_sig *sig, char sep, struct text *out)
{
	const char *s = sig->slug;

	text_puts(out, sig_head(sig));
	if (*s)
		text_putc(out, sep);
	for (; *s; s++)
		text_putc(out, sep == ' ' || is_plain(*s) ? *s : '-');
}

static void add_at_line(struct trace_stmt *st, const struct at_line *at)
{
	memset(st, 0, sizeof(*st));
	st->kind = ST_AT;
	st->task = at->what == AT_TASK ? at->task : 0;
	st->at.point = at->point;
	st->at.nth = at->nth;
	st->at.what = at->what;
}

void replay_trace(const struct sim *s, struct mem_pool *pool, struct trace *out)
{
	const struct trace *tr = s->tr;
	u32 i, n = tr->stmt_n;

	*out = *tr;
	out->pool = pool;
	out->comments = NULL;
	out->comment_n = 0;
	out->opts.profile = s->opts.profile;
	out->stmts = mem_pool_alloc_raw(pool, (n + s->recorded_n + 1) *
						      sizeof(*out->stmts));
	memcpy(out->stmts, tr->stmts, n * sizeof(*out->stmts));
	for (i = 0; i < s->recorded_n; i++)
		add_at_line(&out->stmts[n + i], &s->recorded[i]);
	out->stmt_n = n + s->recorded_n;
}

void replay_note(struct trace *tr, const char *fmt, ...)
{
	struct trace_comment *c;
	char line[200];
	va_list ap;
	int n;

	line[0] = ' ';
	va_start(ap, fmt);
	n = vsnprintf(line + 1, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	n = min_t(int, n + 1, (int)sizeof(line) - 1);
	c = pool_push(tr->pool, tr->comments, tr->comment_n);
	c->place = COMMENT_HEAD;
	c->text = mem_pool_strndup(tr->pool, line, (size_t)n);
}

struct sim_opts replay_opts(const struct sim_opts *o)
{
	struct sim_opts again = *o;

	again.random_schedule = false;
	return again;
}
