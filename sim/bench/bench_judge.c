// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `bench judge`: how many small traces a second `ktlsim judge` handles on each
 * real kernel, and how much faster than the kernel the model is.
 * How: tests/judge/small.trace (connect, keys, three records, three reads).
 * Through the judge, it is performed by the model, by the agent with all its
 * watching, and compared. The kernel alone performs it in a tight loop of
 * system calls (tests/judge/loop.c), as the best of five rounds; so does the
 * model, all promises checked.
 * Left out: kernels that cannot be had here are named, and have no figure;
 * without any it counts as skipped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/bench/bench.h"
#include "sim/judge/judge.h"

#define TRACE "tests/judge/small.trace"
#define JUDGED 12800u
#define LOOPED 5000u
#define MODELLED 100000u
#define ROUNDS 5u
#define LOOP_MS 60000

/* Nanoseconds of one run of the model, the least of some rounds. */
static double model_ns(struct sim *s, const struct trace *tr, u32 runs)
{
	struct sim_opts opts = { .profile = PROFILE_DEFAULT };
	u64 start, ns, least = UINT64_MAX;
	u32 i, n;

	for (n = 0; n < ROUNDS; n++) {
		start = bench_now_ns();
		for (i = 0; i < runs; i++) {
			sim_run(s, tr, &opts, NULL);
			M_ASSERT(s->verdict.kind == VERDICT_OK,
				 TRACE " does not hold");
		}
		ns = bench_now_ns() - start;
		least = ns < least ? ns : least;
	}
	return (double)least / runs;
}

/* Traces a second through the judge; 0: it did not agree. */
static u64 judged_rate(const struct judge_opts *o, u32 n)
{
	static char path[] = TRACE;
	struct judge_opts all = *o;
	FILE *null = fopen("/dev/null", "we");
	u64 rate = 0;
	u32 i;
	int ret;

	all.files = calloc(n, sizeof(*all.files));
	if (!all.files || !null)
		abort();
	for (i = 0; i < n; i++)
		all.files[i] = path;
	all.file_n = n;
	all.rate = &rate;
	ret = judge_run(&all, null);
	free(all.files);
	fclose(null);
	return ret ? 0 : rate;
}

/* Nanoseconds of the kernel's tight loop; 0: it failed. */
static double kernel_ns(const struct judge_opts *o, struct judge_case *c,
			u32 runs)
{
	struct judge_guest *g = judge_guest_boot(&o->kernel, o->cpu, 0);
	u64 start, ns, least = UINT64_MAX;
	int ret = g ? 0 : -1;
	u32 n;

	for (n = 0; n < ROUNDS && !ret; n++) {
		start = bench_now_ns();
		ret = judge_guest_loop(g, &c->job, runs, LOOP_MS);
		ns = bench_now_ns() - start;
		least = ns < least ? ns : least;
	}
	judge_guest_kill(g);
	return ret ? 0 : (double)least / runs;
}

static struct bench_row *add(struct bench_table *t, const char *kernel,
			     const char *what, double value, const char *unit)
{
	struct bench_row *row = bench_add(t, "%s: %s", kernel, what);

	row->value = value;
	row->unit = unit;
	if (value <= 0)
		row->missing = "FAILED: the small trace did not get through";
	return row;
}

/* False: there is no such kernel. */
static bool one_kernel(struct bench_table *t, const char *name, struct sim *s,
		       struct judge_case *c, double model)
{
	struct judge_opts o = { .jobs = 1, .out = ".", .quiet = true };
	u32 cpus = (u32)sysconf(_SC_NPROCESSORS_ONLN);
	struct bench_row *row;
	double kernel;

	if (judge_kernel_find(&o.kernel, name, NULL)) {
		row = bench_add(t, "%s", name);
		row->unit = "traces/s";
		row->missing = "NOT MEASURED: no such kernel here";
		return false;
	}
	o.profile = judge_kernel_profile(&o.kernel);
	o.cpu = cpus - 1;
	o.cpus = cpus;
	judge_case_run(c, s, o.profile, false);
	M_ASSERT(!c->no[0] && c->job.len, TRACE " is not judgeable");
	row = add(t, name, "through the judge",
		  (double)judged_rate(&o, JUDGED / t->divide), "traces/s");
	row->goal = ">= 1000";
	kernel = kernel_ns(&o, c, LOOPED / t->divide);
	add(t, name, "the kernel's tight loop", kernel ? 1e9 / kernel : 0,
	    "traces/s");
	row = add(t, name, "model / kernel", kernel / model, "times");
	row->goal = ">= 40";
	return true;
}

void bench_judge(struct bench_table *t)
{
	static const char *const names[] = { "6.1", "6.12", "7.2" };
	struct sim_err err = { 0 };
	struct sim *s = sim_new();
	struct judge_case c;
	double model = 0;
	u32 i;

	t->skipped = true;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		judge_case_init(&c);
		c.name = TRACE;
		if (trace_load(&c.tr, TRACE, &err)) {
			fprintf(stderr, "ktlsim bench: no " TRACE " here, "
					"expected the top of the repository as "
					"working directory\n");
			exit(2);
		}
		if (!i) {
			model = model_ns(s, &c.tr, MODELLED / t->divide);
			add(t, "model", "the small trace, v7.2", 1e9 / model,
			    "traces/s");
		}
		t->skipped &= !one_kernel(t, names[i], s, &c, model);
		judge_case_free(&c);
	}
	sim_free(s);
}
