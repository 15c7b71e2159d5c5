/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Worlds for benchmarks: a connection without limits and a list of records.
 */
#ifndef SIM_BENCH_WORLD_H
#define SIM_BENCH_WORLD_H

#include "sim/world/world.h"

/* A trace of @n data records of @len bytes, one task, one pipe (not made), no
 * statement; TLS 1.3, AES-128-GCM. Owns: @tr->pool is the caller's to free. */
void bench_trace(struct trace *tr, u32 n, u32 len, bool nopad);
/* Opens the world with a receive window larger than anything to come. */
void bench_open(struct sim *s, const struct trace *tr);
/* The same with another kernel; @opts as for sim_open(). */
void bench_open_as(struct sim *s, const struct trace *tr,
		   const struct sim_opts *opts);
/* Builds records @from to @upto - 1; each arrives as one segment. */
void bench_deliver_some(struct sim *s, u32 from, u32 upto);
/* Builds all records; each arrives as one segment. */
void bench_deliver(struct sim *s);

#endif
