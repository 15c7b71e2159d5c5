/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Findings as files: made small, with a note of how they were found.
 */
#ifndef SIM_SAVE_H
#define SIM_SAVE_H

#include "sim/world/choice.h"
#include "sim/check/replay.h"

/**
 * struct save_opts - where findings go and how they are judged
 * @dir: directory, made when it is not there
 * @run: options of a replay: profile, known findings or not
 * @how: how it was found, for a comment
 * @seen: what was seen, for a comment
 * @sig: what went wrong
 */
struct save_opts {
	const char *dir;
	struct sim_opts run;
	const char *how;
	const char *seen;
	const struct sim_sig *sig;
};

/* "DIR/W1-poll-lowat.trace" */
void save_path(const struct save_opts *o, struct text *path);
/* True if there is a file of that name. */
bool save_exists(const struct save_opts *o);

/* Each writes the file of save_path(): 0, or -1 when that failed. */

/* @tr as it is. */
int save_trace(const struct save_opts *o, const struct trace *tr);
/* @tr, which fails without choices, made small. */
int save_small(struct sim *s, const struct save_opts *o,
	       const struct trace *tr);
/**
 * save_cuts() - what comparing two cuts of a stream gave
 * @s: world to use
 * @o: where to
 * @tr: trace that segdiff_run() was given
 * @c: its choices
 *
 * F1 needs two files; the second one's name ends in "-whole". When one of the
 * two runs failed by itself, that is made small and written.
 */
int save_cuts(struct sim *s, const struct save_opts *o, const struct trace *tr,
	      const struct sim_choice *c);

#endif
