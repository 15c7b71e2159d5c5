/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Benchmarks: rows of figures, printed as a table or as JSON.
 */
#ifndef SIM_BENCH_H
#define SIM_BENCH_H

#include "model/types.h"

#define BENCH_ROWS_MAX 512

/**
 * struct bench_row - one figure
 * @name: what was measured
 * @value: the figure, in @unit
 * @unit: e.g. "ns/record"
 * @ratio: against the row's base, 0 when there is none
 * @base: what the ratio compares with, NULL when there is none
 * @goal: what the project asks of the value or ratio, in words, or NULL
 * @missing: why there is no figure, NULL: there is one
 */
struct bench_row {
	char name[64];
	double value;
	const char *unit;
	double ratio;
	const char *base;
	const char *goal;
	const char *missing;
};

/**
 * struct bench_table - the figures of one benchmark
 * @rows: in order of printing
 * @n: how many
 * @columns: so many rows in a row of text, which has the name of the first up to
 *	"; " and the rest of the names as heads; 0: one
 * @narrow: names and columns are short
 * @divide: the amount of work is divided by it, and sizes beyond that are left
 *	out; 1, or 100 to see only that the benchmark works
 * @skipped: what it needs is not here
 */
struct bench_table {
	struct bench_row rows[BENCH_ROWS_MAX];
	u32 n;
	u32 columns;
	bool narrow;
	u32 divide;
	bool skipped;
};

/* Appends a row with that name; the caller fills the rest. */
struct bench_row *bench_add(struct bench_table *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Monotonic clock, bench_clock.c. */
u64 bench_now_ns(void);
/* User and system time of this process. */
u64 bench_cpu_ns(void);

/* The benchmarks. */
void bench_worlds(struct bench_table *t);
void bench_drain(struct bench_table *t);
void bench_scale(struct bench_table *t);
void bench_splice_drain(struct bench_table *t);
void bench_judge(struct bench_table *t);
void bench_wakeups(struct bench_table *t);

#endif
