/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What many runs did: added up in a process, between processes, in files.
 */
#ifndef SIM_STATS_H
#define SIM_STATS_H

#include <stdio.h>

#include "sim/inv/inv.h"

/* Entries of sim/inv/findings.def. */
enum {
	STATS_KNOWN = 0
#define FINDING(id, slug, text) +1
#include "sim/inv/findings.def"
#undef FINDING
};

/**
 * struct run_stats - sums; all zero at the start
 * @worlds: runs
 * @calls: calls made in them
 * @events: log entries
 * @inputs: of fuzz targets: inputs, each of one or more worlds
 * @reasons: how often each reason ended a call
 * @checks: invariant checks made
 * @ref_calls: calls that the reference may be asked about; those whose result
 *	it knew are in @checks
 * @known: known findings met, by their place in finding_table
 */
struct run_stats {
	u64 worlds;
	u64 calls;
	u64 events;
	u64 inputs;
	u64 reasons[M_REASON_COUNT];
	u64 checks[INV_COUNT];
	u64 ref_calls;
	u64 known[STATS_KNOWN + 1];
};

/* Adds the last run of @s: everything but what stats_world() adds. */
void stats_run(struct run_stats *st, const struct sim *s);
/* Checks and known findings of all runs of @s so far; once, at the end. */
void stats_world(struct run_stats *st, const struct sim *s);
void stats_merge(struct run_stats *into, const struct run_stats *from);

/* Checks, reasons reached and never reached, known findings met. */
void stats_print(const struct run_stats *st, FILE *f);

/* One "word name number" a line; -1 with errno. */
int stats_save(const struct run_stats *st, const char *path);
/* Adds what a file says; -1: not such a file, or errno. */
int stats_load(struct run_stats *st, const char *path);

#endif
