/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random traces out of choices: whatever the stream says, the result is a
 * valid trace that prints and parses back to itself.
 *
 * Every trace first draws which features it may use at all (swarm testing), so
 * that features meet in ever other combinations and rare ones are not drowned.
 * A stream that only answers 0 gives a small, plain trace.
 */
#ifndef SIM_GEN_H
#define SIM_GEN_H

#include "sim/world/choice.h"
#include "sim/trace/trace.h"

/* What a trace may use: one bit each, see sim/gen/gen_features.def. */
enum gen_feature {
#define FEATURE(id, odds, what) GEN_##id,
#include "sim/gen/gen_features.def"
#undef FEATURE
	GEN_FEATURE_COUNT,
};

#define GEN_BIT(id) (1ull << GEN_##id)

/**
 * struct gen_opts - limits of generated traces; all zero is the default
 * @off: features that are never used, GEN_BIT()s
 * @recs_max: at most so many records; 0: GEN_RECS_MAX
 * @calls_max: at most so many calls; 0: GEN_CALLS_MAX
 */
struct gen_opts {
	u64 off;
	u32 recs_max;
	u32 calls_max;
};

#define GEN_RECS_MAX 48u
#define GEN_CALLS_MAX 48u

static inline void gen_opts_default(struct gen_opts *o)
{
	*o = (struct gen_opts){ 0 };
}

/**
 * gen_trace() - make a trace
 * @c: answers; what is left of the stream can serve the run
 * @o: limits
 * @tr: out; @tr->pool must be set, the rest is overwritten
 *
 * Cannot fail. Owns: everything in @tr->pool. The result runs with
 * sim_opts.random_schedule or without.
 */
void gen_trace(struct sim_choice *c, const struct gen_opts *o,
	       struct trace *tr);

#endif
