/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the fuzz targets that run worlds share: one world, its options, the
 * handling of findings, sums for the summary.
 *
 * Options come as arguments behind libFuzzer's, which ignores what starts with
 * two dashes:
 *   --profile=P  kernel (v7.2)
 *   --out=DIR    where findings go (findings-new)
 *   --stats=FILE sums are written there at the end
 *
 * An input is a stream of choices, one byte or more each; 0 when used up. An
 * input that says "seed N" in decimal stands for the bytes a generator makes
 * of N; corpora are kept in that form, and the mutator works on the bytes.
 */
#ifndef FUZZ_COMMON_H
#define FUZZ_COMMON_H

#include "sim/world/choice.h"
#include "sim/gen/gen.h"
#include "sim/check/replay.h"
#include "sim/check/stats.h"

/**
 * struct fuzz - state of a target
 * @s: world, used again and again
 * @tr: trace of the input
 * @pool: second pool
 * @opts: profile, random schedule
 * @stats: sums
 * @out: directory for findings
 * @stats_path: file for @stats, or NULL
 */
struct fuzz {
	struct sim *s;
	struct trace tr;
	struct mem_pool *pool;
	struct sim_opts opts;
	struct run_stats stats;
	const char *out;
	const char *stats_path;
};

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* libFuzzer's, or driver.c's, which changes nothing. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* The state, made at first use, with empty pools. Counts an input. */
struct fuzz *fuzz_begin(void);
/* The input as choices. @data must stay. */
void fuzz_choices(struct fuzz *f, const uint8_t *data, size_t size,
		  struct sim_choice *c);
/* For LLVMFuzzerCustomMutator(): writes out a "seed N", then mutates. */
size_t fuzz_mutate(uint8_t *data, size_t size, size_t max_size);

/**
 * fuzz_judge_run() - was the last run of @f->s all right?
 * @f: state
 *
 * A known finding is. Something new is made small, written as a trace and told
 * about, and the process aborts; unless there is a file of that name already.
 */
void fuzz_judge_run(struct fuzz *f);
/* As above for what @sig says of @f->tr. @cuts: what segdiff_run() began with;
 * NULL: the trace goes out as it is. */
void fuzz_found(struct fuzz *f, const struct sim_sig *sig, const char *seen,
		const struct sim_choice *cuts);

#endif
