/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a failed run was, and a trace that does it again without choices.
 */
#ifndef SIM_REPLAY_H
#define SIM_REPLAY_H

#include "sim/inv/inv.h"

/* How a search can fail: the verdicts, and what no verdict can say. */
enum sig_kind {
	SIG_NONE,
	SIG_EXPECT,
	SIG_INVARIANT,
	SIG_INPUT, /* the generator asked for something impossible */
	SIG_BUG, /* an assertion of the simulator */
	SIG_CRASH, /* the process died */
};

#define SIG_SLUG_MAX 80

/**
 * struct sim_sig - signature: two runs with the same one failed the same way
 * @kind: see enum sig_kind
 * @inv: enum inv_id for SIG_INVARIANT, else 0
 * @slug: form of the breach; file:line of an assertion; signal of a crash
 */
struct sim_sig {
	enum sig_kind kind;
	u32 inv;
	char slug[SIG_SLUG_MAX];
};

/* Signature of the last run of @s. */
void sig_of_run(const struct sim *s, struct sim_sig *sig);
void sig_set(struct sim_sig *sig, enum sig_kind kind, u32 inv,
	     const char *slug);
bool sig_equal(const struct sim_sig *a, const struct sim_sig *b);
/* Listed in sim/inv/findings.def. */
bool sig_known(const struct sim_sig *sig);
/* "W1 poll-lowat"; with @sep '-' and nothing but letters, digits, '-' and '.',
 * fit for a file name. */
void sig_print(const struct sim_sig *sig, char sep, struct text *out);

/**
 * replay_trace() - the last run of @s as a trace
 * @s: world after sim_run()
 * @pool: for the copy
 * @out: the same statements, the decisions taken as `at` lines behind them,
 *	and the profile
 *
 * Shares records, calls and names with the trace that was run.
 */
void replay_trace(const struct sim *s, struct mem_pool *pool,
		  struct trace *out);
/* Puts a comment line in front of the `set` line, behind earlier ones. */
void replay_note(struct trace *tr, const char *fmt, ...) __printf(2, 3);

/* Options for doing it again: profile of @o, no random schedule. */
struct sim_opts replay_opts(const struct sim_opts *o);

#endif
