/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes traces small: takes away statements, records, bytes and options as
 * long as the trace still does what it is kept for.
 *
 * shrink.c tries one simplification after the other; shrink_num.c knows the
 * numbers of a trace and the words that can go; shrink_edit.c copies traces and
 * repairs what a simplification leaves dangling.
 */
#ifndef SIM_SHRINK_H
#define SIM_SHRINK_H

#include "sim/trace/trace.h"

#define SHRINK_TRIES_MAX 3000u
/* The same for @minimal. */
#define SHRINK_MINIMAL_TRIES 500000u

/**
 * struct shrink_opts - what must stay
 * @still: true if @tr does it; called once a try
 * @ctx: for @still
 * @tries_max: how often @still may be called; 0: as above
 * @minimal: go on until no single statement, schedule line, word or range can
 *	go, and no length or count can be one less. Otherwise numbers become
 *	round ones, which is faster and easier to read.
 */
struct shrink_opts {
	bool (*still)(void *ctx, const struct trace *tr);
	void *ctx;
	u32 tries_max;
	bool minimal;
};

/**
 * sim_shrink() - the smallest trace found that still does it
 * @o: what must stay
 * @tr: where to start
 * @out: @out->pool must be set; becomes a deep copy, of @tr itself when that
 *	does not do it. Comments and expected results stay on what is left.
 *
 * Returns the number of tries. Deterministic.
 */
u32 sim_shrink(const struct shrink_opts *o, const struct trace *tr,
	       struct trace *out);

/* shrink_num.c */
/* The @n-th byte count, length or count of the trace: its value and the least
 * it can be. False: there are not so many. */
bool shrink_number(struct trace *tr, u32 n, u32 *value, u32 *min);
/* Edits: the number gets value @v; word @v of statement @at goes. False:
 * nothing to do. The trace must be repaired afterwards. */
bool shrink_set_number(struct trace *tr, u32 n, u32 v);
bool shrink_drop_word(struct trace *tr, u32 at, u32 v);
#define SHRINK_WORDS 24u

/* Parts of it, for tests. A statement of kind ST_KIND_COUNT is a hole. */

/* Deep copy into @out->pool. */
void shrink_copy(const struct trace *tr, struct trace *out);
/**
 * shrink_repair() - make a trace consistent again
 * @tr: trace in which statements became holes, records or calls were changed
 *
 * Takes out holes; records without a `peer` line and ranges of them; segments
 * without a byte; calls on pipes that are gone and pipes nobody uses; signals
 * and `run` lines for tasks without a call; `returns` with no call in front.
 * Numbers records, tasks and pipes
 * anew.
 */
void shrink_repair(struct trace *tr);

#endif
