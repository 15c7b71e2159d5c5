// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `bench scale`: cost per record from 10 to 100,000 queued records and from 1
 * to 10,000 sockets, memory, and the size of an idle world.
 * How: records of 100 bytes are queued, then taken one a call; worlds are kept
 * open beside each other and served in turn, so that caches are as cold as
 * they would be. Each figure is the best of several runs.
 * Left out: more than one connection in a world, which the world cannot do.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/bench/bench.h"
#include "sim/bench/bench_world.h"

#define REC_LEN 100u
#define RECORDS_A_TURN 32u /* what a socket has when its turn comes */
#define WORK 200000u /* records a measurement takes in all */
#define SOCKETS 20000u /* sockets a measurement opens in all */

static void take_record(struct sim *s, const struct trace_call *call)
{
	struct sim_task *t = &s->tasks[0];

	sched_start_call(s, t, call, 0);
	sched_settle(s);
	M_ASSERT(t->res.ret == (s64)REC_LEN, "scale benchmark got %lld",
		 (long long)t->res.ret);
}

static const struct trace_call read_one = {
	.kind = CALL_RECVMSG,
	.iov = { { .len = REC_LEN } },
	.iov_n = 1,
	.flags = M_MSG_DONTWAIT,
	.ctl = 64,
};

/* Nanoseconds a record, with @n queued at the start, over @work records. */
static double queued_cost(struct sim *s, u32 n, u32 work)
{
	u64 ns = 0, start, taken = 0;
	struct trace tr;
	u32 i;

	bench_trace(&tr, n, REC_LEN, false);
	while (taken < work) {
		bench_open(s, &tr);
		bench_deliver(s);
		start = bench_now_ns();
		for (i = 0; i < n; i++)
			take_record(s, &read_one);
		ns += bench_now_ns() - start;
		taken += n;
		sim_close(s);
	}
	mem_pool_free(tr.pool);
	return (double)ns / (double)taken;
}

static void queued_rows(struct bench_table *t)
{
	static const u32 counts[] = { 10, 100, 1000, 10000, 100000 };
	u32 work = WORK / t->divide, i;
	struct sim *s = sim_new();
	struct bench_row *r;
	double base = 0;

	queued_cost(s, counts[0], work); /* warm up */
	for (i = 0; i < ARRAY_SIZE(counts) && counts[i] <= work; i++) {
		r = bench_add(t, "recvmsg, %u records queued", counts[i]);
		r->value = queued_cost(s, counts[i], work);
		r->unit = "ns/record";
		if (!base)
			base = r->value;
		r->ratio = r->value / base;
		r->base = "10 queued";
		r->goal = "<= 1.2";
	}
	sim_free(s);
}

/* Host memory in use by this process. */
static u64 heap_bytes(void)
{
	struct mallinfo2 mi = mallinfo2();

	return mi.uordblks + mi.hblkhd;
}

/* @n worlds side by side, each with the same records; cost and memory. */
static double socket_cost(u32 n, u64 *bytes)
{
	u32 i, k, each = RECORDS_A_TURN;
	u64 before = heap_bytes(), start, ns;
	struct sim **s = malloc(n * sizeof(*s));
	struct trace tr;

	if (!s)
		abort();
	bench_trace(&tr, each, REC_LEN, false);
	for (i = 0; i < n; i++) {
		s[i] = sim_new();
		bench_open(s[i], &tr);
		bench_deliver(s[i]);
	}
	*bytes = (heap_bytes() - before) / n;
	start = bench_now_ns();
	for (i = 0; i < n; i++) {
		for (k = 0; k < each; k++)
			take_record(s[i], &read_one);
	}
	ns = bench_now_ns() - start;
	for (i = 0; i < n; i++) {
		sim_close(s[i]);
		sim_free(s[i]);
	}
	free(s);
	mem_pool_free(tr.pool);
	return (double)ns / (double)(each * n);
}

static void socket_rows(struct bench_table *t)
{
	static const u32 counts[] = { 1, 10, 100, 1000, 10000 };
	u32 sockets = SOCKETS / t->divide, i, k;
	double base = 0, cost, best;
	struct bench_row *r;
	u64 bytes = 0;

	for (i = 0; i < ARRAY_SIZE(counts) && counts[i] <= sockets; i++) {
		best = 1e18;
		for (k = 0; k < sockets / counts[i] + 1; k++) {
			cost = socket_cost(counts[i], &bytes);
			best = cost < best ? cost : best;
		}
		r = bench_add(t, "recvmsg, %u sockets in turn, 32 records each",
			      counts[i]);
		r->value = best;
		r->unit = "ns/record";
		if (!base)
			base = best;
		r->ratio = best / base;
		r->base = "1 socket";
		r->goal = "<= 1.2";
		r = bench_add(t, "memory a socket, %u sockets, 32 records",
			      counts[i]);
		r->value = (double)bytes / 1024;
		r->unit = "KiB";
	}
}

static void idle_row(struct bench_table *t)
{
	struct bench_row *r;
	u64 before;
	struct trace tr;
	struct sim *s;

	bench_trace(&tr, 1, REC_LEN, false);
	s = sim_new(); /* libcrypto sets itself up at first use */
	bench_open(s, &tr);
	sim_close(s);
	sim_free(s);
	before = heap_bytes();
	s = sim_new();
	bench_open(s, &tr);
	r = bench_add(t, "one idle world");
	r->value = (double)(heap_bytes() - before) / 1024;
	r->unit = "KiB";
	r->goal = "<= 128";
	sim_close(s);
	sim_free(s);
	mem_pool_free(tr.pool);
}

void bench_scale(struct bench_table *t)
{
	idle_row(t);
	queued_rows(t);
	socket_rows(t);
}
