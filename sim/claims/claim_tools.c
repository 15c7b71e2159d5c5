// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How claims find out: traces, answers, and random worlds.
 * How: everything runs on the kernel with the patch or on the one without, in
 * the same world one after the other. Random worlds come from the seeds that
 * `ktlsim check --seed 1` has; each is run once on each kernel that is asked
 * about, and what its splices did is counted from the log.
 * Left out: writing down what random worlds find, that is `ktlsim check`.
 */
#include <stdarg.h>

#include "sim/check/check.h"
#include "sim/claims/claims.h"
#include "sim/cmd/tool.h"
#include "sim/explain/outcome.h"
#include "sim/gen/gen.h"

#define HEAD "ktlsim-trace 1\nset tls=1.3 cipher=aes-128-gcm\n"
#define SEED 1
#define TASKS_MAX 16
/* Of evidence; its width without the indent. */
#define INDENT 12
#define WIDTH 80u

void claim_say(struct claims *c, const char *fmt, ...)
{
	char line[400];
	const char *at = line, *end;
	int deeper = 0;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	while (strlen(at) > WIDTH) {
		for (end = at + WIDTH; end > at && *end != ' '; end--)
			;
		text_printf(&c->out, "%*s%.*s\n", INDENT + deeper, "",
			    (int)(end - at), at);
		at = end + 1;
		deeper = 2;
	}
	text_printf(&c->out, "%*s%s\n", INDENT + deeper, "", at);
}

/* A trace of this program that cannot be read is the program's fault. */
static void parse(struct claims *c, const char *body, struct trace *tr)
{
	struct text t = { 0 };
	struct sim_err err = { 0 };

	*tr = (struct trace){ .pool = c->pool };
	text_puts(&t, HEAD);
	text_puts(&t, body);
	M_ASSERT(!trace_parse(tr, "claim", t.buf, t.len, &err), "claim:%u: %s",
		 err.line, err.msg);
	text_free(&t);
}

/* Runs it; @promises: those that 7.2 keeps are judged, too. */
static enum verdict_kind run_body(struct claims *c, const struct profile *p,
				  const char *body, bool promises)
{
	struct sim_opts opts;
	struct trace tr;

	parse(c, body, &tr);
	tool_opts_of(p, &opts);
	opts.ignore_all = !promises;
	return sim_run(c->s, &tr, &opts, NULL)->kind;
}

static void show(struct claims *c, const char *body)
{
	const char *end;

	for (; *body; body = end + 1) {
		end = body + strcspn(body, "\n");
		claim_say(c, "| %.*s", (int)(end - body), body);
		if (!*end)
			break;
	}
}

bool claim_trace(struct claims *c, const struct profile *p, const char *what,
		 const char *body)
{
	const struct sim_verdict *v = &c->s->verdict;

	if (run_body(c, p, body, false) == VERDICT_OK) {
		claim_say(c, "%s: so it is on %s", what, p->name);
		return true;
	}
	claim_say(c, "%s: %s answers %s, not %s:", what, p->name, v->got,
		  v->expected);
	show(c, body);
	return false;
}

bool claim_breaks(struct claims *c, const char *what, const char *body)
{
	const struct sim_verdict *v = &c->s->verdict;

	if (run_body(c, c->base, body, true) != VERDICT_OK) {
		claim_say(c, "%s: broken on %s already", what, c->base->name);
		return false;
	}
	if (run_body(c, c->trial, body, true) == VERDICT_OK) {
		claim_say(c, "%s: kept", what);
		return false;
	}
	claim_say(c, "%s: broken, %s (%s): %s", what,
		  v->kind == VERDICT_INVARIANT ? inv_name[v->inv] :
						 "no promise",
		  v->slug ?: "-", v->got);
	show(c, body);
	return true;
}

const char *claim_answer(struct claims *c, const struct profile *p,
			 const char *body)
{
	struct text t = { 0 };
	struct sim_opts opts;
	struct outcome out;
	struct trace tr;
	char *copy;
	u32 i;

	parse(c, body, &tr);
	tool_opts_of(p, &opts);
	outcome_run(c->s, &tr, &opts, c->pool, &out);
	for (i = tr.stmt_n; i > 0 && tr.stmts[i - 1].kind != ST_CALL; i--)
		;
	M_ASSERT(i > 0, "a trace without a call");
	outcome_print(&out.call[i - 1], &t);
	copy = mem_pool_alloc(c->pool, t.len + 1);
	memcpy(copy, t.buf, t.len + 1);
	text_free(&t);
	return copy;
}

bool claim_answers(struct claims *c, const char *what, const char *body)
{
	const char *base = claim_answer(c, c->base, body);
	const char *trial = claim_answer(c, c->trial, body);

	claim_say(c, "%-36s %-18s %s", what, base, trial);
	return !strcmp(base, trial);
}

/* --- random worlds ------------------------------------------------------- */

/**
 * struct counting - walk over a log
 * @records: by task: records whose bytes its splice handed out
 * @splices: by task: it is in a splice
 */
struct counting {
	u32 records[TASKS_MAX];
	bool splices[TASKS_MAX];
};

static void count_event(struct claim_worlds *w, struct counting *n,
			const struct sim_event *e)
{
	if (e->task >= TASKS_MAX)
		return;
	if (e->kind == EV_CALL) {
		n->splices[e->task] = e->a == CALL_SPLICE;
		n->records[e->task] = 0;
	}
	if (!n->splices[e->task])
		return;
	if (e->kind == EV_PUT_USER)
		n->records[e->task] += e->c > 0;
	w->flushed += e->kind == EV_BACKLOG_RUN && n->records[e->task] > 0;
	if (e->kind == EV_RETURN && e->b > 0) {
		w->calls++;
		w->batches += n->records[e->task] > 1;
	}
}

static void count_world(struct claim_worlds *w, const struct sim *s)
{
	struct counting n = { 0 };
	u32 i;

	for (i = 0; i < s->event_n; i++)
		count_event(w, &n, &s->events[i]);
	if (s->verdict.kind == VERDICT_INVARIANT)
		w->breaches[s->verdict.inv]++;
}

/* World @run of @p, from options @go. */
static void random_world(struct claims *c, const struct profile *p, u64 run,
			 const struct gen_opts *go)
{
	struct trace tr = { .pool = c->random };
	struct sim_choice choice;
	struct sim_opts opts;

	mem_pool_reset(c->random);
	tool_opts_of(p, &opts);
	opts.random_schedule = true;
	choice_seed(&choice, check_seed(SEED, run));
	gen_trace(&choice, go, &tr);
	sim_run(c->s, &tr, &opts, &choice);
}

static const struct claim_worlds *
worlds(struct claims *c, const struct profile *p, struct claim_worlds *w)
{
	struct gen_opts go;
	u32 run;

	gen_opts_default(&go);
	for (run = 0; !w->done && run < c->runs; run++) {
		random_world(c, p, run, &go);
		count_world(w, c->s);
	}
	w->done = true;
	return w;
}

const struct claim_worlds *claim_trial(struct claims *c)
{
	return worlds(c, c->trial, &c->on_trial);
}

const struct claim_worlds *claim_base(struct claims *c)
{
	return worlds(c, c->base, &c->on_base);
}

u32 claim_other_logs(struct claims *c)
{
	const struct gen_opts go = { .off = GEN_BIT(SPLICE) };
	u32 run, other = 0;
	u64 hash;

	for (run = 0; run < c->runs; run++) {
		random_world(c, c->base, run, &go);
		hash = log_hash(c->s);
		random_world(c, c->trial, run, &go);
		other += log_hash(c->s) != hash;
	}
	return other;
}
