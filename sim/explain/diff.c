// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The same trace on several kernels.
 * How: each runs to its end whatever it answers. Results are compared call by
 * call, logs by their observable events; around the first one that differs
 * both logs are shown whole, matched line by line (longest common subsequence).
 * Left out: what made the difference (bisect.c).
 */
#include "sim/explain/diff.h"

#include "sim/cmd/tool.h"

#define BEFORE 6u
#define AFTER 12u
#define WINDOW (BEFORE + AFTER)
#define COLUMN 62
#define LINE_SIZE 200 /* compared; what is longer than a column is cut */
#define CALLS_SHOWN 10u

/* --- events -------------------------------------------------------------- */

static bool observable(const struct sim_event *e)
{
	switch (e->kind) {
	case EV_CALL:
	case EV_RETURN:
	case EV_SLEEP:
	case EV_PUT_USER:
	case EV_WAKE_SK:
	case EV_ANNOUNCE:
	case EV_ACK:
	case EV_SEG_DROP:
	case EV_SIGPIPE:
	case EV_SOCK_CLOSED:
	case EV_PIPE_ADD:
	case EV_PIPE_DEL:
	case EV_MIB:
		return true;
	default:
		return false;
	}
}

static bool same_event(const struct sim_event *a, const struct sim_event *b)
{
	return a->kind == b->kind && a->task == b->task && a->t_ns == b->t_ns &&
	       a->a == b->a && a->b == b->b &&
	       (a->c == b->c || a->kind == EV_RETURN);
}

static u32 next_of(const struct sim *s, u32 i, bool all)
{
	while (i < s->event_n && !all && !observable(&s->events[i]))
		i++;
	return i;
}

static bool first_event(const struct sim *a, const struct sim *b, bool all,
			u32 *at_a, u32 *at_b)
{
	u32 i = next_of(a, 0, all), j = next_of(b, 0, all);

	while (i < a->event_n && j < b->event_n &&
	       same_event(&a->events[i], &b->events[j])) {
		i = next_of(a, i + 1, all);
		j = next_of(b, j + 1, all);
	}
	*at_a = i;
	*at_b = j;
	return i < a->event_n || j < b->event_n;
}

bool diff_event(const struct sim *a, const struct sim *b, u32 *at_a, u32 *at_b)
{
	return first_event(a, b, false, at_a, at_b);
}

/* --- side by side -------------------------------------------------------- */

/**
 * struct window - lines of one log
 */
struct window {
	char line[WINDOW][LINE_SIZE];
	u32 n;
};

static void fill_window(const struct sim *s, u32 at, struct window *w)
{
	u32 i = at > BEFORE ? at - BEFORE : 0;
	struct text t = { 0 };
	size_t skip;

	for (w->n = 0; w->n < WINDOW && i < s->event_n; i++) {
		log_print(s, i, i + 1, &t);
		skip = strspn(t.buf, " ");
		t.buf[t.len - 1] = '\0'; /* the newline */
		snprintf(w->line[w->n++], LINE_SIZE, "%s", t.buf + skip);
		text_free(&t);
	}
}

/* Length of the longest common subsequence of the lines from i and j on. */
struct lcs {
	u32 len[WINDOW + 1][WINDOW + 1];
};

static void match(const struct window *a, const struct window *b, struct lcs *l)
{
	u32 i, j;

	memset(l, 0, sizeof(*l));
	for (i = a->n; i-- > 0;) {
		for (j = b->n; j-- > 0;) {
			if (!strcmp(a->line[i], b->line[j]))
				l->len[i][j] = l->len[i + 1][j + 1] + 1;
			else
				l->len[i][j] = max_t(u32, l->len[i + 1][j],
						     l->len[i][j + 1]);
		}
	}
}

/* The left column; a line that is cut ends in "..". */
static void row(struct text *out, const char *a, char mark, const char *b)
{
	if (strlen(a) > COLUMN)
		text_printf(out, "  %.*s.. %c %s\n", COLUMN - 2, a, mark, b);
	else
		text_printf(out, "  %-*s %c %s\n", COLUMN, a, mark, b);
}

void diff_side_by_side(const struct sim *a, const struct sim *b, u32 at_a,
		       u32 at_b, struct text *out)
{
	struct window wa, wb;
	struct lcs l;
	u32 i = 0, j = 0;

	fill_window(a, at_a, &wa);
	fill_window(b, at_b, &wb);
	match(&wa, &wb, &l);
	row(out, a->opts.profile, ' ', b->opts.profile);
	while (i < wa.n || j < wb.n) {
		if (i < wa.n && j < wb.n && !strcmp(wa.line[i], wb.line[j]))
			row(out, wa.line[i++], ' ', wb.line[j++]);
		else if (i < wa.n && j < wb.n &&
			 l.len[i + 1][j + 1] == l.len[i][j])
			row(out, wa.line[i++], '|', wb.line[j++]);
		else if (j == wb.n ||
			 (i < wa.n && l.len[i + 1][j] >= l.len[i][j + 1]))
			row(out, wa.line[i++], '<', "");
		else
			row(out, "", '>', wb.line[j++]);
	}
}

/* --- profiles ------------------------------------------------------------ */

/**
 * struct differ - one comparison
 * @tr: trace
 * @path: its file
 * @s: a world a profile
 * @o: what its calls came to
 * @n: profiles
 * @out: text so far
 */
struct differ {
	const struct trace *tr;
	const char *path;
	struct sim *s[TOOL_PROFILES_MAX];
	struct outcome o[TOOL_PROFILES_MAX];
	u32 n;
	struct text *out;
};

static bool alike(const struct differ *d, u32 i, u32 j)
{
	u32 at_a, at_b;

	return outcome_difference(&d->o[i], &d->o[j]) == UINT32_MAX &&
	       !diff_event(d->s[i], d->s[j], &at_a, &at_b);
}

/* Is there one in front of @i that runs the same? */
static bool seen_before(const struct differ *d, u32 i)
{
	u32 j;

	for (j = 0; j < i; j++) {
		if (alike(d, j, i))
			return true;
	}
	return false;
}

static void print_answer(struct differ *d, u32 i, u32 stmt)
{
	const struct outcome_call *c = &d->o[i].call[stmt];
	const char *sep = "";
	u32 j, n = d->out->len;

	text_puts(d->out, "    ");
	for (j = i; j < d->n; j++) {
		if (!outcome_same_call(c, &d->o[j].call[stmt]))
			continue;
		text_printf(d->out, "%s%s", sep, d->o[j].profile);
		sep = ", ";
	}
	while (d->out->len - n < 20)
		text_putc(d->out, ' ');
	text_putc(d->out, ' ');
	outcome_print(c, d->out);
	if (c->state == OUTCOME_RETURNED)
		text_printf(d->out, " (%s)", m_reason_name[c->reason]);
	text_putc(d->out, '\n');
}

static void print_call(struct differ *d, u32 stmt)
{
	const struct trace_stmt *st = &d->tr->stmts[stmt];
	u32 i, j;

	text_printf(d->out, "  line %u: %s ", st->line, d->tr->tasks[st->task]);
	trace_print_call(d->tr, st->call, d->out);
	text_putc(d->out, '\n');
	for (i = 0; i < d->n; i++) {
		for (j = 0; j < i; j++) {
			if (outcome_same_call(&d->o[j].call[stmt],
					      &d->o[i].call[stmt]))
				break;
		}
		if (j == i)
			print_answer(d, i, stmt);
	}
}

static bool call_differs(const struct differ *d, u32 stmt)
{
	u32 i;

	for (i = 1; i < d->n; i++) {
		if (!outcome_same_call(&d->o[0].call[stmt],
				       &d->o[i].call[stmt]))
			return true;
	}
	return false;
}

static u32 print_calls(struct differ *d)
{
	u32 i, n = 0;

	for (i = 0; i < d->tr->stmt_n; i++) {
		if (call_differs(d, i) && n++ < CALLS_SHOWN)
			print_call(d, i);
	}
	if (n > CALLS_SHOWN)
		text_printf(d->out, "  and %u more\n", n - CALLS_SHOWN);
	return n;
}

/* Where the call of a statement returned, or the end of the log. */
static u32 return_event(const struct sim *s, u32 stmt)
{
	const struct sim_event *e;
	u32 i, task = LOG_NO_TASK;

	for (i = 0; i < s->event_n; i++) {
		e = &s->events[i];
		if (e->kind == EV_CALL && e->b == stmt)
			task = e->task;
		if (e->kind == EV_RETURN && e->task == task)
			break;
	}
	return i;
}

static void print_events(struct differ *d, u32 i)
{
	u32 j, at_a, at_b, call;

	if (!diff_event(d->s[0], d->s[i], &at_a, &at_b)) {
		/* parts of a result that the log does not have */
		call = outcome_difference(&d->o[0], &d->o[i]);
		if (call == UINT32_MAX)
			return;
		at_a = return_event(d->s[0], call);
		at_b = return_event(d->s[i], call);
	}
	text_printf(d->out, "\n  First difference that can be seen, %s and %s",
		    d->o[0].profile, d->o[i].profile);
	for (j = i + 1; j < d->n; j++) {
		if (alike(d, i, j))
			text_printf(d->out, " (%s runs alike)",
				    d->o[j].profile);
	}
	text_puts(d->out, ":\n");
	diff_side_by_side(d->s[0], d->s[i], at_a, at_b, d->out);
}

/* Nothing can be seen, but a kernel developer may want to know. */
static void print_inside(struct differ *d)
{
	u32 i, at_a, at_b;

	for (i = 1; i < d->n; i++) {
		if (!first_event(d->s[0], d->s[i], true, &at_a, &at_b))
			continue;
		text_printf(d->out, "  inside they part here:\n");
		diff_side_by_side(d->s[0], d->s[i], at_a, at_b, d->out);
		return;
	}
}

static int compare(struct differ *d)
{
	u32 i, calls, different = 0;

	for (i = 1; i < d->n; i++)
		different += !alike(d, 0, i);
	if (!different) {
		text_printf(d->out, "%s: no difference that can be seen\n",
			    d->path);
		print_inside(d);
		return 0;
	}
	text_printf(d->out, "%s:\n", d->path);
	calls = print_calls(d);
	if (!calls)
		text_puts(d->out, "  every call returns the same\n");
	for (i = 0; i < d->n; i++) {
		if (d->o[i].trouble)
			text_printf(d->out, "  %s ends early: %s\n",
				    d->o[i].profile, d->o[i].trouble);
	}
	for (i = 1; i < d->n; i++) {
		if (!seen_before(d, i))
			print_events(d, i);
	}
	return 1;
}

int diff_run(const struct trace *tr, const char *path, const struct profile *p,
	     u32 n, struct text *out)
{
	struct differ d = { .tr = tr, .path = path, .n = n, .out = out };
	struct mem_pool *pool = mem_pool_new();
	struct sim_opts o;
	int ret;
	u32 i;

	for (i = 0; i < n; i++) {
		d.s[i] = sim_new();
		tool_opts_of(&p[i], &o);
		outcome_run(d.s[i], tr, &o, pool, &d.o[i]);
	}
	ret = compare(&d);
	for (i = 0; i < n; i++)
		sim_free(d.s[i]);
	mem_pool_free(pool);
	return ret;
}
