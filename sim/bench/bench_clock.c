// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The clocks of benchmarks and summaries. Nothing in a world reads them.
 * How: clock_gettime.
 * Left out: everything else.
 */
#include <time.h>

#include "sim/bench/bench.h"

static u64 clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (u64)ts.tv_sec * 1000000000ull + (u64)ts.tv_nsec;
}

u64 bench_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

u64 bench_cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}
