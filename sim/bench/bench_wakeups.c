// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `bench wakeups`: where the next record is parsed and when a ready one is
 * announced, and what consumers have of it.
 * How: each load on each kernel, see wakeups.c. All figures are counts, exact
 * and the same in every run; nothing is timed.
 * Left out: the cost of an announcement; docs/wakeups.md says what it is.
 */
#include "sim/bench/bench.h"
#include "sim/bench/wakeups.h"

#include <stdio.h>

/* A request as the review's: a payload and what goes before it. */
#define HEADER 200u
#define KIB 1024u

static const struct {
	const char *name;
	enum consumer consumer;
	u32 req_len;
	u32 jobs;
	u32 conns;
	u32 reqs;
} loads[] = {
	{ "nfsd 1 MiB x 1", CONSUMER_NFSD, KIB *KIB + HEADER, 1, 1, 16 },
	{ "nfsd 4 KiB x 8", CONSUMER_NFSD, 4 * KIB + HEADER, 8, 1, 1024 },
	{ "nfsd 4 KiB x 32 / 8", CONSUMER_NFSD, 4 * KIB + HEADER, 4, 8, 256 },
	{ "epoll level", CONSUMER_LEVEL, 4 * KIB + HEADER, 8, 1, 1024 },
	{ "edge to EAGAIN", CONSUMER_EDGE, 4 * KIB + HEADER, 8, 1, 1024 },
	{ "edge 1 request", CONSUMER_EDGE_REQUEST, 4 * KIB + HEADER, 8, 1,
	  1024 },
	{ "edge 1/2 request", CONSUMER_EDGE_HALF, 4 * KIB + HEADER, 8, 1,
	  1024 },
};

static const struct {
	const char *name;
	const char *changes;
} variants[] = {
	{ "E A1 N (7.2)", "" },
	{ "E A0 N (6.12)", "+no-announce-deferred" },
	{ "M A3 N (v7)", "+parse-v7+announce-each-exit" },
	{ "L A1 N", "+parse-lazy" },
	{ "L' A1 N", "+parse-on-wait" },
	{ "E A2 N", "+announce-never-own" },
	{ "E A3 N", "+announce-each-exit" },
	{ "E A1 Y", "+announce-list" },
	{ "E A3 Y", "+announce-each-exit+announce-list" },
};

static void add(struct bench_table *t, const char *row, const char *head,
		const struct wakeups *w, u64 count)
{
	struct bench_row *r = bench_add(t, "%s; %s", row, head);

	r->value = (double)count * KIB * KIB / (double)w->bytes;
	r->unit = "count/MiB";
	r->ratio = (double)count / (double)w->records;
	r->base = "per record";
}

static void measure(struct bench_table *t, u32 load, u32 variant)
{
	struct wakeups w = {
		.consumer = loads[load].consumer,
		.req_len = loads[load].req_len,
		.jobs = loads[load].jobs,
		.conns = loads[load].conns,
		.reqs = max_t(u32, loads[load].reqs / t->divide, 2),
		.seed = 1,
	};
	char name[200], row[64], why[PROFILE_WHY_MAX];

	snprintf(name, sizeof(name), PROFILE_DEFAULT "%s",
		 variants[variant].changes);
	M_ASSERT(!profile_parse(name, &w.profile, why), "%s", why);
	wakeups_run(&w);
	snprintf(row, sizeof(row), "%s, %s", loads[load].name,
		 variants[variant].name);
	add(t, row, "announced", &w, w.announces);
	add(t, row, "spurious", &w, w.spurious);
	add(t, row, "lost", &w, w.lost);
	add(t, row, "parser", &w, w.looks);
	add(t, row, "wait rounds", &w, w.rounds);
}

void bench_wakeups(struct bench_table *t)
{
	u32 i, j;

	t->columns = 5;
	t->narrow = true;
	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		for (j = 0; j < ARRAY_SIZE(variants); j++)
			measure(t, i, j);
	}
}
