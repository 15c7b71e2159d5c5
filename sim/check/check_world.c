// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One random world of `ktlsim check`, and what only several runs can show.
 * How: the run's number seeds one choice stream; the generator takes what it
 * needs, the schedule gets the rest. Now and then the same run is done again
 * (T1), its trace is printed and parsed and run (T2), its stream is cut in
 * other ways (F1), and its decisions are replayed from text.
 * Left out: writing findings (check_report.c).
 */
#include "sim/check/check.h"

#include "sim/gen/gen.h"
#include "sim/check/segdiff.h"

/* One run in so many gets the extra judges. Powers of two. */
#define TWICE_EVERY 64u
#define CUTS_EVERY 16u

void check_world_init(struct check_world *w, const struct check_opts *o,
		      struct check_share *share)
{
	w->o = o;
	w->s = sim_new();
	w->tr = (struct trace){ .pool = mem_pool_new() };
	w->pool = mem_pool_new();
	w->share = share;
}

void check_world_free(struct check_world *w)
{
	sim_free(w->s);
	mem_pool_free(w->tr.pool);
	mem_pool_free(w->pool);
}

void check_opts_of_run(const struct check_opts *o, struct sim_opts *out)
{
	memset(out, 0, sizeof(*out));
	profile_changes(&o->profile, &out->changes);
	out->profile = o->profile.name;
	out->random_schedule = true;
	out->ignore_known = !o->all;
	out->strict = o->strict;
}

void check_again(struct check_world *w, u64 run, struct sim_choice *c)
{
	struct gen_opts go;
	struct sim_opts so;

	gen_opts_default(&go);
	check_opts_of_run(w->o, &so);
	mem_pool_reset(w->tr.pool);
	choice_seed(c, check_seed(w->o->seed, run));
	gen_trace(c, &go, &w->tr);
	sim_run(w->s, &w->tr, &so, c);
}

static void breach(struct check_world *w, u64 run, enum inv_id inv,
		   const char *slug, const char *text)
{
	struct sim_sig sig;

	sig_set(&sig, SIG_INVARIANT, inv, slug);
	check_note_run(w->share, run, JUDGE_AGAIN, &sig, text);
}

/* Runs @tr and compares the log with @hash. */
static void same_log(struct check_world *w, u64 run, const struct trace *tr,
		     const struct sim_choice *c, u64 hash, enum inv_id inv,
		     const char *slug)
{
	struct sim_opts so;

	check_opts_of_run(w->o, &so);
	so.random_schedule = !!c;
	sim_run(w->s, tr, &so, c);
	if (log_hash(w->s) == hash)
		inv_checked(w->s, inv);
	else
		breach(w, run, inv, slug, "the log is another one");
}

/* The trace as text and back. */
static void print_and_parse(struct check_world *w, u64 run,
			    const struct sim_choice *c, u64 hash)
{
	struct trace back = { .pool = w->pool };
	struct text first = { 0 }, second = { 0 };
	struct sim_err err;

	trace_print(&w->tr, &first);
	if (trace_parse(&back, "generated", first.buf, first.len, &err)) {
		breach(w, run, INV_T2, "not-parsed", err.msg);
		goto out;
	}
	trace_print(&back, &second);
	if (first.len != second.len ||
	    memcmp(first.buf, second.buf, first.len) != 0)
		breach(w, run, INV_T2, "other-text", "another text");
	else
		same_log(w, run, &back, c, hash, INV_T2, "other-log");
out:
	text_free(&first);
	text_free(&second);
}

/* The decisions of a random schedule, as text, give the same run. */
static void replayed(struct check_world *w, u64 run, u64 hash, u32 events)
{
	struct sim_opts so;
	struct trace again;

	check_opts_of_run(w->o, &so);
	so.random_schedule = false;
	replay_trace(w->s, w->pool, &again);
	sim_run(w->s, &again, &so, NULL);
	/* `at` lines are statements; nothing else may be new */
	if (w->s->event_n - (again.stmt_n - w->tr.stmt_n) != events &&
	    log_hash(w->s) != hash)
		breach(w, run, INV_T1, "replay",
		       "recorded decisions give another run");
}

static void run_twice(struct check_world *w, u64 run, struct sim_choice c,
		      u64 hash)
{
	bool ok = w->s->verdict.kind == VERDICT_OK;
	u32 events = w->s->event_n;

	mem_pool_reset(w->pool);
	if (ok)
		replayed(w, run, hash, events);
	same_log(w, run, &w->tr, &c, hash, INV_T1, "run-twice");
	print_and_parse(w, run, &c, hash);
}

/* The profile is known to break it; inv_fail() does not see those of F1. */
static bool is_known_breach(const struct check_world *w,
			    const struct sim_sig *sig)
{
	return !w->o->all && !w->o->strict && sig->kind == SIG_INVARIANT &&
	       profile_breaks(&w->s->k, (enum inv_id)sig->inv, sig->slug);
}

static void cut_otherwise(struct check_world *w, u64 run, struct sim_choice c)
{
	struct segdiff d;
	struct sim_opts so;

	mem_pool_reset(w->pool);
	check_opts_of_run(w->o, &so);
	segdiff_run(w->s, &w->tr, &so, &c, w->pool, &d);
	if (d.sig.kind != SIG_NONE && !is_known_breach(w, &d.sig))
		check_note_run(w->share, run, JUDGE_CUTS, &d.sig, d.text);
}

static const char *what_was_seen(const struct sim *s)
{
	return s->verdict.kind == VERDICT_INPUT ? s->verdict.err.msg :
						  s->verdict.got;
}

u64 check_one(struct check_world *w, u64 run)
{
	struct sim_choice c;
	struct sim_sig sig;
	u64 hash = 0;

	check_again(w, run, &c);
	stats_run(&w->share->stats, w->s);
	if (w->o->hash)
		return log_hash(w->s);
	if (w->s->verdict.kind != VERDICT_OK) {
		sig_of_run(w->s, &sig);
		check_note_run(w->share, run, JUDGE_RUN, &sig,
			       what_was_seen(w->s));
	}
	if (run % TWICE_EVERY == 0) {
		hash = log_hash(w->s);
		run_twice(w, run, c, hash);
	}
	if (run % CUTS_EVERY == 1)
		cut_otherwise(w, run, c);
	return hash;
}
