// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `bench worlds`: how many random worlds one core gets through.
 * How: the default generator, then the run with a random schedule, all
 * invariants on, real AES-GCM both ways; one reused world, seeds 1, 2, 3...
 * Left out: writing anything down; a finding does not stop the count.
 */
#include <stdlib.h>

#include "sim/bench/bench.h"
#include "sim/gen/gen.h"
#include "sim/inv/inv.h"
#include "sim/world/profile.h"

#define WORLDS 200000u
#define SAMPLE 20001u

/* What the worlds were made of, for the medians. */
struct sample {
	u32 records[SAMPLE];
	u32 calls[SAMPLE];
	u32 n;
	u64 events;
	u64 checks;
};

static int by_value(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static u32 median(u32 *v, u32 n)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[n / 2];
}

static void look_at(struct sample *sm, const struct sim *s)
{
	sm->events += s->event_n;
	if (sm->n == SAMPLE)
		return;
	sm->records[sm->n] = s->tr->rec_n;
	sm->calls[sm->n++] = (u32)s->counters[CNT_CALLS];
}

static u64 time_worlds(struct sim *s, struct trace *tr, u32 worlds,
		       struct sample *sm)
{
	struct sim_opts opts = { .random_schedule = true,
				 .ignore_known = true,
				 .profile = PROFILE_DEFAULT };
	struct gen_opts go;
	struct sim_choice c;
	u64 start, i;

	gen_opts_default(&go);
	start = bench_cpu_ns();
	for (i = 1; i <= worlds; i++) {
		choice_seed(&c, i);
		mem_pool_reset(tr->pool);
		gen_trace(&c, &go, tr);
		sim_run(s, tr, &opts, &c);
		look_at(sm, s);
	}
	return bench_cpu_ns() - start;
}

void bench_worlds(struct bench_table *t)
{
	struct trace tr = { .pool = mem_pool_new() };
	struct sample *sm = calloc(1, sizeof(*sm));
	struct sim *s = sim_new();
	u32 worlds = WORLDS / t->divide;
	struct bench_row *r;
	u64 ns;

	if (!sm)
		abort();
	ns = time_worlds(s, &tr, worlds, sm);
	r = bench_add(t, "random worlds, default generator");
	r->value = (double)worlds * 1e9 / (double)ns;
	r->unit = "worlds/s";
	r->goal = ">= 100000";
	r = bench_add(t, "records in a world, median");
	r->value = median(sm->records, sm->n);
	r->unit = "records";
	r = bench_add(t, "calls in a world, median");
	r->value = median(sm->calls, sm->n);
	r->unit = "calls";
	r = bench_add(t, "events in a world, mean");
	r->value = (double)sm->events / worlds;
	r->unit = "events";
	sim_free(s);
	mem_pool_free(tr.pool);
	free(sm);
}
