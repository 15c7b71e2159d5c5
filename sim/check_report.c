// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What `ktlsim check` found: made small, written down, summed up.
 * How: a finding is a run's number and a signature. The run is done again, its
 * decisions are put into the trace, and the trace is made small as long as it
 * fails in the same way. The file says how it was found.
 * Left out: findings that are there already under the same name are written
 * anew.
 */
#include <sys/stat.h>

#include "sim/check.h"
#include "sim/gen.h"
#include "sim/segdiff.h"
#include "sim/shrink.h"

/* Schedules of cuts tried on a candidate. */
#define CUT_TRIES 8u

/* What the shrinker asks: does this trace fail the same way? */
struct question {
	struct sim *s;
	struct sim_opts opts;
	struct mem_pool *pool;
	const struct sim_sig *sig;
	u64 seed;
};

static bool fails_alike(void *ctx, const struct trace *tr)
{
	struct question *q = ctx;
	struct sim_sig sig;

	sim_run(q->s, tr, &q->opts, NULL);
	sig_of_run(q->s, &sig);
	return sig_equal(&sig, q->sig);
}

/* F1: some way of cutting shows it. */
static bool cuts_differ(void *ctx, const struct trace *tr)
{
	struct question *q = ctx;
	struct sim_choice c;
	struct segdiff d;
	u32 i;

	for (i = 0; i < CUT_TRIES; i++) {
		mem_pool_reset(q->pool);
		choice_seed(&c, q->seed + i);
		segdiff_run(q->s, tr, &q->opts, &c, q->pool, &d);
		if (sig_equal(&d.sig, q->sig))
			return true;
	}
	return false;
}

static void note(struct trace *tr, const struct check_opts *o,
		 const struct check_found *f)
{
	struct text name = { 0 };

	sig_print(&f->sig, ' ', &name);
	replay_note(tr, "%.*s: %s", (int)name.len, name.buf, f->text);
	replay_note(tr, "Found by: ktlsim check --profile %s --seed %llu "
		    "--from %llu --runs 1", o->profile->name,
		    (unsigned long long)o->seed, (unsigned long long)f->run);
	text_free(&name);
}

static void file_name(const struct check_opts *o, const struct sim_sig *sig,
		      const char *more, struct text *path)
{
	text_printf(path, "%s/", o->out);
	sig_print(sig, '-', path);
	text_printf(path, "%s.trace", more);
}

static int write_trace(const struct trace *tr, const struct text *path)
{
	struct text out = { 0 };
	char name[4096];
	size_t n;
	FILE *f;

	snprintf(name, sizeof(name), "%.*s", (int)path->len, path->buf);
	f = fopen(name, "w");
	if (!f) {
		fprintf(stderr, "ktlsim: cannot write %s\n", name);
		return -1;
	}
	trace_print(tr, &out);
	n = fwrite(out.buf, 1, out.len, f);
	n = fclose(f) ? 0 : n;
	if (n != out.len)
		fprintf(stderr, "ktlsim: cannot write %s\n", name);
	n = n != out.len;
	text_free(&out);
	return n ? -1 : 0;
}

/* The two traces of F1, the cut one under the plain name. */
static void save_cuts(struct question *q, const struct check_opts *o,
		      const struct check_found *f, const struct trace *tr,
		      struct text *path)
{
	struct text whole = { 0 };
	struct sim_choice c;
	struct segdiff d;
	u32 i;

	for (i = 0; i < CUT_TRIES; i++) {
		mem_pool_reset(q->pool);
		choice_seed(&c, q->seed + i);
		segdiff_run(q->s, tr, &q->opts, &c, q->pool, &d);
		if (sig_equal(&d.sig, &f->sig))
			break;
	}
	if (d.skipped)
		return;
	d.whole.opts.profile = o->profile->name;
	d.cut.opts.profile = o->profile->name;
	file_name(o, &f->sig, "-whole", &whole);
	replay_note(&d.whole, "Beside %.*s: the same bytes all at once.",
		    (int)path->len, path->buf);
	replay_note(&d.cut, "%s", d.text);
	note(&d.cut, o, f);
	write_trace(&d.whole, &whole);
	write_trace(&d.cut, path);
	text_free(&whole);
}

/* Findings of extra judges and crashes keep the whole generated trace. */
static bool can_replay(const struct sim_sig *sig)
{
	return sig->kind != SIG_CRASH &&
	       !(sig->kind == SIG_INVARIANT &&
		 (sig->inv == INV_T1 || sig->inv == INV_T2));
}

static void generate(struct check_world *w, u64 run)
{
	struct gen_opts go;
	struct sim_choice c;

	gen_opts_default(&go);
	mem_pool_reset(w->tr.pool);
	choice_seed(&c, check_seed(w->o->seed, run));
	gen_trace(&c, &go, &w->tr);
	w->tr.opts.profile = w->o->profile->name;
}

static void save_small(struct check_world *w, const struct check_found *f,
		       struct question *q, const struct text *path)
{
	struct shrink_opts so = { .still = fails_alike, .ctx = q };
	struct trace again, small = { .pool = mem_pool_new() };
	struct mem_pool *pool = mem_pool_new();
	struct sim_choice c;

	check_again(w, f->run, &c);
	replay_trace(w->s, pool, &again);
	sim_shrink(&so, &again, &small);
	note(&small, w->o, f);
	write_trace(&small, path);
	mem_pool_free(small.pool);
	mem_pool_free(pool);
}

static void save_segdiff(struct check_world *w, const struct check_found *f,
			 struct question *q, struct text *path)
{
	struct shrink_opts so = { .still = cuts_differ, .ctx = q };
	struct trace small = { .pool = mem_pool_new() };

	so.tries_max = 300;
	generate(w, f->run);
	sim_shrink(&so, &w->tr, &small);
	save_cuts(q, w->o, f, &small, path);
	mem_pool_free(small.pool);
}

void check_save(struct check_world *w, const struct check_found *f,
		struct text *path)
{
	struct question q = { .s = w->s, .pool = w->pool, .sig = &f->sig,
			      .seed = f->run };

	mkdir(w->o->out, 0777); /* what fails is the write */
	file_name(w->o, &f->sig, "", path);
	profile_changes(w->o->profile, &q.opts.changes);
	q.opts.profile = w->o->profile->name;
	q.opts.ignore_known = !w->o->all;
	if (f->sig.kind == SIG_INVARIANT && f->sig.inv == INV_F1) {
		save_segdiff(w, f, &q, path);
	} else if (can_replay(&f->sig)) {
		save_small(w, f, &q, path);
	} else {
		generate(w, f->run);
		note(&w->tr, w->o, f);
		write_trace(&w->tr, path);
	}
}

static void print_found(struct check_world *w, const struct check_found *f,
			FILE *out)
{
	struct text name = { 0 }, path = { 0 };

	sig_print(&f->sig, ' ', &name);
	fprintf(out, "\n%s: %.*s (run %llu)\n  %s\n",
		sig_known(&f->sig) ? "known" : "new", (int)name.len, name.buf,
		(unsigned long long)f->run, f->text);
	check_save(w, f, &path);
	fprintf(out, "  replay: ktlsim run%s --log %.*s\n",
		sig_known(&f->sig) ? " --all" : "", (int)path.len, path.buf);
	if (!can_replay(&f->sig))
		fprintf(out, "  again:  ktlsim check --profile %s --seed %llu "
			     "--from %llu --runs 1 --jobs 0\n",
			w->o->profile->name, (unsigned long long)w->o->seed,
			(unsigned long long)f->run);
	text_free(&name);
	text_free(&path);
}

void check_summary(const struct check_opts *o, const struct check_share *all,
		   u64 ns, FILE *out)
{
	struct check_world w;
	u64 worlds = all->stats.worlds, ms = ns / 1000000;
	u32 i, known = 0;

	fprintf(out, "worlds:   %llu in %llu.%03llu s, %llu a second; "
		     "%llu calls, %llu events\n",
		(unsigned long long)worlds, (unsigned long long)(ms / 1000),
		(unsigned long long)(ms % 1000),
		(unsigned long long)(ms ? worlds * 1000 / ms : 0),
		(unsigned long long)all->stats.calls,
		(unsigned long long)all->stats.events);
	stats_print_checks(&all->stats, out);
	stats_print_reasons(&all->stats, out);
	stats_print_known(&all->stats, out);
	check_world_init(&w, o, NULL);
	for (i = 0; i < all->found_n; i++) {
		known += sig_known(&all->found[i].sig);
		print_found(&w, &all->found[i], out);
	}
	fprintf(out, "%sfindings: %u new, %llu runs went wrong\n",
		all->found_n ? "\n" : "", all->found_n - known,
		(unsigned long long)all->failed);
	check_world_free(&w);
}
