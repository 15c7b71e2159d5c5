// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What `ktlsim check` found: done again, written down, summed up.
 * How: a finding is a run's number and a signature; the run is generated anew,
 * its decisions are put into the trace, and save.c does the rest.
 * Left out: the files themselves (save.c).
 */
#include "sim/check/check.h"
#include "sim/gen/gen.h"
#include "sim/check/save.h"

/* The trace only. @c: what is left of its stream. */
static void generate(struct check_world *w, u64 run, struct sim_choice *c)
{
	struct gen_opts go;

	gen_opts_default(&go);
	mem_pool_reset(w->tr.pool);
	choice_seed(c, check_seed(w->o->seed, run));
	gen_trace(c, &go, &w->tr);
}

static int save_run(struct check_world *w, u64 run, const struct save_opts *o)
{
	struct mem_pool *pool = mem_pool_new();
	struct trace again;
	struct sim_choice c;
	int ret;

	check_again(w, run, &c);
	replay_trace(w->s, pool, &again);
	ret = save_small(w->s, o, &again);
	mem_pool_free(pool);
	return ret;
}

int check_save(struct check_world *w, const struct check_found *f,
	       struct text *path)
{
	struct save_opts so = { .dir = w->o->out,
				.seen = f->text,
				.sig = &f->sig };
	struct sim_choice c;
	char how[160];
	int ret = -1;

	snprintf(how, sizeof(how),
		 "Found by: ktlsim check --profile %s --seed %llu --from %llu "
		 "--runs 1",
		 w->o->profile.name, (unsigned long long)w->o->seed,
		 (unsigned long long)f->run);
	so.how = how;
	check_opts_of_run(w->o, &so.run);
	so.run.random_schedule = false;
	switch (f->judge) {
	case JUDGE_RUN:
		ret = save_run(w, f->run, &so);
		break;
	case JUDGE_CUTS:
		generate(w, f->run, &c);
		ret = save_cuts(w->s, &so, &w->tr, &c);
		break;
	case JUDGE_AGAIN:
	case JUDGE_CRASH:
		generate(w, f->run, &c);
		ret = save_trace(&so, &w->tr);
		break;
	}
	if (!ret)
		save_path(&so, path);
	return ret;
}

/* 0, or -1 when there is no file of it. */
static int print_found(struct check_world *w, const struct check_found *f,
		       FILE *out)
{
	struct text name = { 0 }, path = { 0 };
	int ret;

	sig_print(&f->sig, ' ', &name);
	fprintf(out, "\n%s: %.*s (run %llu)\n  %s\n",
		sig_known(&f->sig) ? "known" : "new", (int)name.len, name.buf,
		(unsigned long long)f->run, f->text);
	ret = check_save(w, f, &path);
	if (!ret)
		fprintf(out, "  replay: ktlsim run%s --log %s\n",
			sig_known(&f->sig) ? " --all" : "", path.buf);
	if (ret || f->judge == JUDGE_AGAIN || f->judge == JUDGE_CRASH)
		fprintf(out,
			"  again:  ktlsim check --profile %s --seed %llu "
			"--from %llu --runs 1 --jobs 0%s\n",
			w->o->profile.name, (unsigned long long)w->o->seed,
			(unsigned long long)f->run,
			sig_known(&f->sig) ? " --all" : "");
	text_free(&name);
	text_free(&path);
	return ret;
}

int check_summary(const struct check_opts *o, const struct check_share *all,
		  u64 ns, FILE *out)
{
	struct check_world w;
	u64 worlds = all->stats.worlds, ms = ns / 1000000;
	u32 i, known = 0;
	int ret = 0;

	fprintf(out,
		"worlds:   %llu in %llu.%03llu s, %llu a second; "
		"%llu calls, %llu events\n",
		(unsigned long long)worlds, (unsigned long long)(ms / 1000),
		(unsigned long long)(ms % 1000),
		(unsigned long long)(ms ? worlds * 1000 / ms : 0),
		(unsigned long long)all->stats.calls,
		(unsigned long long)all->stats.events);
	stats_print(&all->stats, out);
	check_world_init(&w, o, NULL);
	for (i = 0; i < all->found_n; i++) {
		known += sig_known(&all->found[i].sig);
		if (print_found(&w, &all->found[i], out))
			ret = -1;
	}
	fprintf(out, "%sfindings: %u new, %llu runs went wrong\n",
		all->found_n ? "\n" : "", all->found_n - known,
		(unsigned long long)all->failed);
	check_world_free(&w);
	return ret;
}
