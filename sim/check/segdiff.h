/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * F1: the same plaintext and errors come out however TCP cut the bytes.
 *
 * From a trace come two that a timing can not tell apart: the same records and
 * one task that makes the same reads and then takes all that is left. In the
 * first everything arrives at once, in order; in the second in pieces that the
 * choice stream draws, between the calls. What both hand out, record by record
 * and error by error, must be the same.
 */
#ifndef SIM_SEGDIFF_H
#define SIM_SEGDIFF_H

#include "sim/world/choice.h"
#include "sim/check/replay.h"

/**
 * struct segdiff - the result of one comparison
 * @sig: SIG_NONE: no difference; F1 with a slug; or what else went wrong in
 *	one of the runs
 * @text: what came out differently
 * @whole: the first trace
 * @cut: the second
 * @cut_ran: the second was run, so a failure of its own is that one's
 * @skipped: the trace is none that can be compared, or the kernel one that
 *	loses bytes
 */
struct segdiff {
	struct sim_sig sig;
	char text[400];
	struct trace whole;
	struct trace cut;
	bool cut_ran;
	bool skipped;
};

/**
 * segdiff_run() - compare
 * @s: world for both runs; the second one's stays in it
 * @tr: any trace
 * @o: profile; known findings of a single run are no result here
 * @c: draws the pieces
 * @pool: for the two traces
 * @out: result; its traces live in @pool
 */
void segdiff_run(struct sim *s, const struct trace *tr,
		 const struct sim_opts *o, struct sim_choice *c,
		 struct mem_pool *pool, struct segdiff *out);

#endif
