// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which change makes the difference.
 * How: kernels between the two have some of the changes that the two do not
 * share. First each change alone is given to the good kernel. If none does it,
 * all are, and taken away one by one as long as the difference stays: what is
 * left is needed together. That is done again without what was found, so that
 * a second way to the same difference is found, too.
 * Left out: more than WAYS_MAX ways.
 */
#include "sim/explain/bisect.h"

#include "sim/explain/diff.h"
#include "sim/check/replay.h"
#include "sim/cmd/tool.h"

#define WAYS_MAX 4u

/* What is compared. */
enum question {
	ASK_RUN, /* the verdict */
	ASK_CALLS,
	ASK_ALL, /* the verdict with known findings */
	ASK_EVENTS,
	ASK_COUNT,
};

/**
 * struct bisect - one search
 * @tr: trace
 * @s: world of the kernel that is tried
 * @good_s: world of the good kernel, its log
 * @bad_s: world of the bad one
 * @good: its changes
 * @bad: likewise
 * @ask: what differs
 * @sig: verdict of the bad kernel, for ASK_RUN and ASK_ALL
 * @stmt: its statement
 * @seen: what it saw
 * @bad_o: outcome of the bad kernel
 * @at: ASK_CALLS: first call that differs; ASK_EVENTS: place in @bad_s's log
 * @pool: for outcomes of both
 * @try_pool: for those of tries
 * @change: what the two do not share
 * @n: how many
 * @runs: tries
 */
struct bisect {
	const struct trace *tr;
	struct sim *s;
	struct sim *good_s;
	struct sim *bad_s;
	struct m_changes good;
	struct m_changes bad;
	enum question ask;
	struct sim_sig sig;
	u32 stmt;
	char seen[400];
	struct outcome good_o;
	struct outcome bad_o;
	u32 at;
	struct mem_pool *pool;
	struct mem_pool *try_pool;
	u16 change[M_CHANGE_COUNT];
	u32 n;
	u32 runs;
};

static bool has(const struct m_changes *c, u32 i)
{
	return c->bits[i / 64] >> (i % 64) & 1;
}

static void flip(struct m_changes *c, u32 i)
{
	c->bits[i / 64] ^= 1ull << (i % 64);
}

static struct sim_opts opts_of(const struct m_changes *c, enum question ask)
{
	return (struct sim_opts){ .changes = *c,
				  .profile = "between",
				  .ignore_known = ask != ASK_ALL };
}

/* --- the question -------------------------------------------------------- */

static void verdict_of(struct sim *s, const struct trace *tr,
		       const struct m_changes *c, enum question ask)
{
	struct sim_opts o = opts_of(c, ask);

	sim_run(s, tr, &o, NULL);
}

static bool same_verdict(const struct bisect *b, const struct sim *s)
{
	struct sim_sig sig;

	sig_of_run(s, &sig);
	if (!sig_equal(&sig, &b->sig))
		return false;
	return sig.kind != SIG_EXPECT ||
	       (s->verdict.stmt == b->stmt && !strcmp(s->verdict.got, b->seen));
}

static void keep_verdict(struct bisect *b)
{
	const struct sim_verdict *v = &b->bad_s->verdict;

	sig_of_run(b->bad_s, &b->sig);
	b->stmt = v->stmt;
	snprintf(b->seen, sizeof(b->seen), "%s", v->got);
}

static bool verdicts_differ(struct bisect *b, enum question ask)
{
	verdict_of(b->bad_s, b->tr, &b->bad, ask);
	verdict_of(b->good_s, b->tr, &b->good, ask);
	keep_verdict(b);
	return !same_verdict(b, b->good_s);
}

static bool outcomes_differ(struct bisect *b, enum question ask)
{
	struct sim_opts go = opts_of(&b->good, ask);
	struct sim_opts bo = opts_of(&b->bad, ask);
	u32 at;

	outcome_run(b->good_s, b->tr, &go, b->pool, &b->good_o);
	outcome_run(b->bad_s, b->tr, &bo, b->pool, &b->bad_o);
	if (ask == ASK_EVENTS)
		return diff_event(b->good_s, b->bad_s, &at, &b->at);
	b->at = outcome_difference(&b->good_o, &b->bad_o);
	return b->at != UINT32_MAX;
}

static bool differ(struct bisect *b, enum question ask)
{
	b->ask = ask;
	if (ask == ASK_RUN || ask == ASK_ALL)
		return verdicts_differ(b, ask);
	return outcomes_differ(b, ask);
}

/* Does a kernel with @c do what the bad one does? */
static bool is_bad(struct bisect *b, const struct m_changes *c)
{
	struct sim_opts o = opts_of(c, b->ask);
	struct outcome out;
	u32 at_s, at_bad;

	b->runs++;
	if (b->ask == ASK_RUN || b->ask == ASK_ALL) {
		verdict_of(b->s, b->tr, c, b->ask);
		return same_verdict(b, b->s);
	}
	mem_pool_reset(b->try_pool);
	outcome_run(b->s, b->tr, &o, b->try_pool, &out);
	if (b->ask == ASK_CALLS)
		return outcome_same_call(&out.call[b->at],
					 &b->bad_o.call[b->at]);
	return !diff_event(b->s, b->bad_s, &at_s, &at_bad) || at_bad > b->at;
}

/* --- the search ---------------------------------------------------------- */

/* The good kernel with those changes of the bad one that are in @set. */
static bool set_is_bad(struct bisect *b, const bool *set)
{
	struct m_changes c = b->good;
	u32 i;

	for (i = 0; i < b->n; i++) {
		if (set[i])
			flip(&c, b->change[i]);
	}
	return is_bad(b, &c);
}

static u32 find_singles(struct bisect *b, bool *found)
{
	bool set[M_CHANGE_COUNT];
	u32 i, n = 0;

	for (i = 0; i < b->n; i++) {
		memset(set, 0, sizeof(set));
		set[i] = true;
		found[i] = set_is_bad(b, set);
		n += found[i];
	}
	return n;
}

/* @set does it; takes away what is not needed. */
static void minimise(struct bisect *b, bool *set)
{
	u32 i;

	for (i = 0; i < b->n; i++) {
		if (!set[i])
			continue;
		set[i] = false;
		if (!set_is_bad(b, set))
			set[i] = true;
	}
}

static void print_change(const struct bisect *b, u32 i, struct text *out)
{
	u32 c = b->change[i];

	text_printf(out, "  %s%s: %s\n", has(&b->bad, c) ? "" : "without ",
		    m_change_name[c], m_change_title[c]);
}

static void print_set(const struct bisect *b, const bool *set, struct text *out)
{
	u32 i;

	for (i = 0; i < b->n; i++) {
		if (set[i])
			print_change(b, i, out);
	}
}

/* Sets that need more than one change; @left: what may still be used. */
static void find_together(struct bisect *b, bool *left, struct text *out)
{
	bool set[M_CHANGE_COUNT];
	u32 i, ways;

	for (ways = 0; ways < WAYS_MAX && set_is_bad(b, left); ways++) {
		memcpy(set, left, sizeof(set));
		minimise(b, set);
		text_puts(out, ways ? "or, in another way, these together:\n" :
				      "these together make the difference:\n");
		print_set(b, set, out);
		for (i = 0; i < b->n; i++)
			left[i] = left[i] && !set[i];
	}
}

static void search(struct bisect *b, struct text *out)
{
	bool found[M_CHANGE_COUNT] = { false }, left[M_CHANGE_COUNT];
	u32 i, n;

	for (i = 0; i < M_CHANGE_COUNT; i++) {
		if (i != CHANGE_NONE && has(&b->good, i) != has(&b->bad, i))
			b->change[b->n++] = (u16)i;
	}
	text_printf(out, "%u changes between them, ", b->n);
	n = find_singles(b, found);
	if (n) {
		text_puts(out, n == 1 ? "this one makes the difference:\n" :
					"each of these makes it alone:\n");
		print_set(b, found, out);
	}
	for (i = 0; i < b->n; i++)
		left[i] = !found[i];
	if (!n || set_is_bad(b, left))
		find_together(b, left, out);
	text_printf(out, "%u runs\n", b->runs);
}

/* --- telling ------------------------------------------------------------- */

static void print_verdict(const struct sim *s, const char *name,
			  struct text *out)
{
	struct sim_sig sig;

	sig_of_run(s, &sig);
	text_printf(out, "  %-12s ", name);
	sig_print(&sig, ' ', out);
	if (s->verdict.kind == VERDICT_INPUT)
		text_printf(out, ": %s", s->verdict.err.msg);
	else if (s->verdict.kind != VERDICT_OK)
		text_printf(out, ": %s", s->verdict.got);
	text_putc(out, '\n');
}

static void print_call(const struct bisect *b, const struct outcome *o,
		       const char *name, struct text *out)
{
	text_printf(out, "  %-12s ", name);
	outcome_print(&o->call[b->at], out);
	text_putc(out, '\n');
}

static void print_event(const struct sim *s, u32 at, const char *name,
			struct text *out)
{
	struct text t = { 0 };

	if (at < s->event_n)
		log_print(s, at, at + 1, &t);
	else
		text_puts(&t, "nothing more\n");
	text_printf(out, "  %-12s %s", name, t.buf + strspn(t.buf, " "));
	text_free(&t);
}

static void print_difference(const struct bisect *b, const char *good,
			     const char *bad, struct text *out)
{
	const struct trace_stmt *st;
	u32 at_good, at_bad;

	switch (b->ask) {
	case ASK_RUN:
	case ASK_ALL:
		text_printf(out, "what `ktlsim run%s` says differs:\n",
			    b->ask == ASK_ALL ? " --all" : "");
		print_verdict(b->good_s, good, out);
		print_verdict(b->bad_s, bad, out);
		break;
	case ASK_CALLS:
		st = &b->tr->stmts[b->at];
		text_printf(out, "a call differs, line %u: %s ", st->line,
			    b->tr->tasks[st->task]);
		trace_print_call(b->tr, st->call, out);
		text_putc(out, '\n');
		print_call(b, &b->good_o, good, out);
		print_call(b, &b->bad_o, bad, out);
		break;
	case ASK_EVENTS:
		text_puts(out, "every call answers the same; what can be seen "
			       "otherwise differs:\n");
		diff_event(b->good_s, b->bad_s, &at_good, &at_bad);
		print_event(b->good_s, at_good, good, out);
		print_event(b->bad_s, at_bad, bad, out);
		break;
	case ASK_COUNT:
		break;
	}
}

static void bisect_init(struct bisect *b, const struct trace *tr)
{
	memset(b, 0, sizeof(*b));
	b->tr = tr;
	b->s = sim_new();
	b->good_s = sim_new();
	b->bad_s = sim_new();
	b->pool = mem_pool_new();
	b->try_pool = mem_pool_new();
}

static void bisect_free(struct bisect *b)
{
	sim_free(b->s);
	sim_free(b->good_s);
	sim_free(b->bad_s);
	mem_pool_free(b->pool);
	mem_pool_free(b->try_pool);
}

int bisect_run(const struct trace *tr, const char *path,
	       const struct profile *good, const struct profile *bad,
	       struct text *out)
{
	struct bisect b;
	u32 ask;
	int ret = 1;

	bisect_init(&b, tr);
	profile_changes(good, &b.good);
	profile_changes(bad, &b.bad);
	for (ask = 0; ask < ASK_COUNT; ask++) {
		if (differ(&b, ask))
			break;
	}
	if (b.good_s->verdict.kind == VERDICT_INPUT) {
		tool_input_error(b.good_s, path);
		ret = 2;
	} else if (ask == ASK_COUNT) {
		text_printf(out, "%s: no difference between %s and %s\n", path,
			    good->name, bad->name);
		ret = 0;
	} else {
		text_printf(out, "%s: ", path);
		print_difference(&b, good->name, bad->name, out);
		search(&b, out);
	}
	bisect_free(&b);
	return ret;
}
