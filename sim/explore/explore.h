/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All orderings of a trace's events.
 *
 * A trace leaves open which task goes first and where a segment, another task
 * or the work item gets in between. explore.c enumerates the answers, one run
 * each; explore_state.c tells states apart, so that what two orderings have in
 * common is followed once.
 *
 *   choice 0 ── 0 ── 0 ── ...      the run with default answers
 *        │      └─ 1 ── 0 ── x     x: a state met before, the run is cut
 *        └─ 1 ── 0 ── ...
 */
#ifndef SIM_EXPLORE_H
#define SIM_EXPLORE_H

#include "sim/check/replay.h"

#define EXPLORE_ALL UINT32_MAX
#define EXPLORE_FOUND_MAX 32u
#define EXPLORE_ANSWERS_MAX 1024u

/**
 * struct explore_opts - what to enumerate
 * @run: profile; known findings or not
 * @preemptions: events that may get in where they would not by default;
 *	EXPLORE_ALL: any number
 * @shard: which share, from 1
 * @shards: of how many
 * @max: orderings at most; 0: no limit
 * @prune: cut runs at states met before
 * @progress: a line every second goes there; NULL: none
 */
struct explore_opts {
	struct sim_opts run;
	u32 preemptions;
	u32 shard;
	u32 shards;
	u64 max;
	bool prune;
	FILE *progress;
};

/**
 * struct explore_found - a way in which orderings failed
 * @sig: how
 * @count: how many orderings
 * @text: what was seen in the first
 * @trace: the first, as text that replays
 * @replays: it did, when tried
 */
struct explore_found {
	struct sim_sig sig;
	u64 count;
	char text[400];
	struct text trace;
	bool replays;
};

/**
 * struct explore_answer - a result that a call had in some ordering
 * @stmt: statement of the trace explored
 * @ret: value or negative errno; poll: its events
 * @reason: why, in the first of these orderings
 */
struct explore_answer {
	u32 stmt;
	s64 ret;
	enum m_reason reason;
};

/**
 * struct explore_result - the account
 * @runs: orderings run to their end
 * @cut: runs given up at a state met before
 * @elsewhere: runs given up because another shard has them
 * @states: different states in which there was a choice
 * @bounded: choices in which something was left out by the preemption bound
 * @longest: choices in one run
 * @complete: everything within the bound was tried
 * @seen_full: states that could not be remembered any more
 * @found: ways to fail
 * @found_n: how many
 * @answer: what calls returned, sorted by statement and value
 * @answer_n: how many; EXPLORE_ANSWERS_MAX: there may be more
 * @input: an ordering asked for something impossible; its message is in @err
 * @err: see @input
 */
struct explore_result {
	u64 runs;
	u64 cut;
	u64 elsewhere;
	u64 states;
	u64 bounded;
	u32 longest;
	bool complete;
	u64 seen_full;
	struct explore_found found[EXPLORE_FOUND_MAX];
	u32 found_n;
	struct explore_answer answer[EXPLORE_ANSWERS_MAX];
	u32 answer_n;
	u64 input;
	struct sim_err err;
};

/**
 * explore_run() - enumerate
 * @tr: trace; expectations, `returns`, `end` and `at` lines are not looked at
 * @o: what to enumerate
 * @out: the account; explore_result_free() gives back its texts
 */
void explore_run(const struct trace *tr, const struct explore_opts *o,
		 struct explore_result *out);
void explore_result_free(struct explore_result *r);
/* What explore_run() really runs: no expectations, finish=on. Lines stay. Shares with
 * @tr; @out->pool must be set. */
void explore_trace(const struct trace *tr, struct trace *out);

/* explore_state.c */

/**
 * struct explore_task - what a task has done since its call began
 * @call: hash of what it did that its variables remember
 * @kept: hash of options as it last could read them
 * @points: the last points it was asked at, + 1, one a byte
 * @left: time left of its last sleep
 * @let_go: others may have had the socket since the last record
 */
struct explore_task {
	u64 call;
	u64 kept;
	u32 points;
	s64 left;
	bool let_go;
};

/**
 * struct explore_state - what distinguishes states during one run
 * @done: events of the log looked at
 * @task: one a task, the kworker and the reaper included
 */
struct explore_state {
	u32 done;
	struct explore_task task[TRACE_TASKS_MAX + 2];
};

/* Follows a run: at every point at which a choice is asked for, before the key.
 * @st is zero at the start of a run. */
void explore_step(struct explore_state *st, const struct sim *s,
		  enum m_point point);
/* The state of a world at a point. Equal keys: whatever happens from here on
 * happens alike. Never 0. */
u64 explore_key(const struct explore_state *st, const struct sim *s,
		enum m_point point);

struct explore_seen;
struct explore_seen *explore_seen_new(void);
void explore_seen_free(struct explore_seen *seen);

enum explore_look {
	LOOK_NEW, /* first time, or with more preemptions left than before */
	LOOK_OLD,
	LOOK_FULL, /* new, and could not be remembered */
};

/* Looks @key up and remembers it with @used preemptions. */
enum explore_look explore_look(struct explore_seen *seen, u64 key, u32 used);

#endif
