// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `bench splice-drain`: splice calls for each MiB with one record a call (7.2)
 * and with several (the posted patch, and its mended version).
 * How: a stream of which all records are there is drained through an empty
 * pipe, see splice_drain.c. The number of calls is exact and the same in every
 * run; the time of the calls, against 7.2's, is the least of 16 rounds.
 * Left out: streams that arrive while they are drained: `ktlsim claims`.
 */
#include "sim/bench/bench.h"
#include "sim/bench/splice_drain.h"
#include "sim/world/world.h"

#define TOTAL (1u << 20)
#define ROUNDS 16u

static const char *const kernels[] = { PROFILE_DEFAULT, "rfc-splice-coalesce",
				       "splice-coalesce-fixed" };

/* Times of a stream on all kernels in turn, so that all see the same machine. */
static void measure(struct bench_table *t, struct sim *s,
		    const struct splice_drain *what, u32 rounds)
{
	struct splice_drain d[ARRAY_SIZE(kernels)];
	u64 ns[ARRAY_SIZE(kernels)] = { 0 };
	struct bench_row *row;
	u32 i, n;

	for (n = 0; n < rounds; n++) {
		for (i = 0; i < ARRAY_SIZE(kernels); i++) {
			d[i] = *what;
			d[i].profile = profile_find(kernels[i]);
			splice_drain_run(s, &d[i]);
			ns[i] = n ? min_t(u64, ns[i], d[i].ns) : d[i].ns;
		}
	}
	for (i = 0; i < ARRAY_SIZE(kernels); i++) {
		row = bench_add(t, "%s pages, %5u B, pipe of %4u KiB; %s",
				what->single_pages ? "single" : "large",
				what->rec_len, what->pipe_bytes >> 10,
				kernels[i]);
		row->value = (double)splice_drain_rate(&d[i]) / 100;
		row->unit = "calls/MiB";
		row->ratio = (double)ns[i] / (double)ns[0];
		row->base = "time in the calls against v7.2";
	}
}

void bench_splice_drain(struct bench_table *t)
{
	static const u32 lens[] = { 16384, 4096, 1024 };
	struct splice_drain what = { 0 };
	struct sim *s = sim_new();
	u32 i, pipe;

	t->columns = ARRAY_SIZE(kernels);
	for (i = 0; i < 2 * ARRAY_SIZE(lens); i++) {
		what.single_pages = i >= ARRAY_SIZE(lens);
		what.rec_len = lens[i % ARRAY_SIZE(lens)];
		what.recs = TOTAL / what.rec_len;
		for (pipe = 64 << 10; pipe <= 1 << 20; pipe <<= 1) {
			what.pipe_bytes = pipe;
			measure(t, s, &what, t->divide == 1 ? ROUNDS : 1);
		}
	}
	sim_free(s);
}
