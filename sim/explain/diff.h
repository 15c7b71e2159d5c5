/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same trace on several kernels: where do they part?
 */
#ifndef SIM_DIFF_H
#define SIM_DIFF_H

#include "sim/explain/outcome.h"

/**
 * diff_event() - first observable event that differs
 * @a: world after a run of a trace
 * @b: another one after a run of the same trace
 * @at_a: its place in the log of @a; @a->event_n when @b goes on where @a ends
 * @at_b: likewise
 *
 * Observable is what a program, an in-kernel consumer or the peer can see:
 * calls, their results and sleeps, bytes handed out, wakeups, announcements,
 * ACKs, counters, what is in pipes. Reasons are not. False: no difference.
 */
bool diff_event(const struct sim *a, const struct sim *b, u32 *at_a, u32 *at_b);

/* Both logs around those places side by side: "  " the same, " |" changed,
 * " <" and " >" only there. */
void diff_side_by_side(const struct sim *a, const struct sim *b, u32 at_a,
		       u32 at_b, struct text *out);

/**
 * diff_run() - compare profiles on one trace
 * @tr: trace
 * @path: its file
 * @p: profiles; the first is what the others are compared with
 * @n: how many
 * @out: text is appended
 *
 * Returns 0 without difference, else 1.
 */
int diff_run(const struct trace *tr, const char *path, const struct profile *p,
	     u32 n, struct text *out);

#endif
