/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `ktlsim exam`: bugs of the past, brought back one by one, must be found by
 * the random checker.
 *
 * exam.def lists them; exam.c looks for one; sim/cmd/cmd_exam.c prints the table.
 */
#ifndef SIM_EXAM_H
#define SIM_EXAM_H

#include "sim/check/replay.h"

/**
 * struct exam_bug - one bug of the past
 * @nr: its number in docs/exam.md
 * @slug: its name
 * @change: brings it back into v7.2; CHANGE_NONE when it is left out
 * @left_out: why, or NULL
 */
struct exam_bug {
	u32 nr;
	const char *slug;
	enum m_change change;
	const char *left_out;
};

extern const struct exam_bug exam_bugs[];
extern const u32 exam_bug_n;

/**
 * struct exam_opts - how to look
 * @seed: of the random checker
 * @seconds: CPU time a bug
 * @events: a trace with more statements is not enough to stop looking
 * @out: directory for the traces
 */
struct exam_opts {
	u64 seed;
	u64 seconds;
	u64 events;
	const char *out;
};

/**
 * struct exam_result - what became of one bug
 * @found: a run went wrong that goes well on v7.2
 * @sig: how
 * @worlds: runs made until it was found
 * @search_ns: CPU time until then
 * @shrink_ns: CPU time to make it small
 * @events: statements of the small trace
 * @path: its file; the caller frees it
 */
struct exam_result {
	bool found;
	struct sim_sig sig;
	u64 worlds;
	u64 search_ns;
	u64 shrink_ns;
	u32 events;
	struct text path;
};

/* NULL: there is none of that name. */
const struct exam_bug *exam_find(const char *slug);
/* 0, or -1 after telling that a file could not be written. */
int exam_run(const struct exam_opts *o, const struct exam_bug *bug,
	     struct exam_result *r);

#endif
