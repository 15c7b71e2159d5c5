/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `ktlsim check`: many random worlds, each made and scheduled from one number.
 *
 * check.c deals them out to processes, check_world.c runs one, check_report.c
 * makes what was found small, writes it down and sums up.
 */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#include "sim/world/profile.h"
#include "sim/check/replay.h"
#include "sim/check/stats.h"

#define CHECK_JOBS_MAX 256u
#define CHECK_FOUND_MAX 64u

/**
 * struct check_opts - what to run
 * @profile: kernel
 * @seed: number all others come from
 * @from: first run
 * @runs: how many runs, of which this shard does its share
 * @jobs: processes; 0: none but this one
 * @shard: which share, from 1
 * @shards: of how many
 * @out: directory for findings
 * @all: known findings are reported, too
 * @strict: what a change is known to break is reported, too
 * @first: stop at the first finding
 * @hash: print one hash a run and judge nothing
 */
struct check_opts {
	struct profile profile;
	u64 seed;
	u64 from;
	u64 runs;
	u32 jobs;
	u32 shard;
	u32 shards;
	const char *out;
	bool all;
	bool strict;
	bool first;
	bool hash;
};

/* Who found fault with a run. */
enum check_judge {
	JUDGE_RUN, /* the run itself */
	JUDGE_AGAIN, /* doing it again gave something else */
	JUDGE_CUTS, /* its stream cut otherwise; or one of those runs itself */
	JUDGE_CRASH, /* nobody: the process died */
};

/**
 * struct check_found - a run that went wrong
 * @run: its number
 * @judge: who says so
 * @sig: how
 * @text: what was seen, one line
 */
struct check_found {
	u64 run;
	enum check_judge judge;
	struct sim_sig sig;
	char text[200];
};

/**
 * struct check_share - what one process did; shared memory
 * @stats: sums
 * @at: run under way, or to be done next
 * @failed: runs that went wrong, counting all
 * @found_n: entries of @found
 * @found: the first run of each signature
 */
struct check_share {
	struct run_stats stats;
	u64 at;
	u64 failed;
	u32 found_n;
	struct check_found found[CHECK_FOUND_MAX];
};

/* check.c. Seed of one run. */
u64 check_seed(u64 seed, u64 run);
/* Notes @f, unless a run went wrong in the same way before. */
void check_note(struct check_share *share, const struct check_found *f);
/* The same from its parts. */
void check_note_run(struct check_share *share, u64 run, enum check_judge judge,
		    const struct sim_sig *sig, const char *text);
/* Runs them all; prints to @out. Returns the exit code. */
int check_run(const struct check_opts *o, FILE *out);

/* check_world.c */
/**
 * struct check_world - what a process needs to run worlds
 * @o: options
 * @s: the world, used again and again
 * @tr: the trace under way
 * @pool: second pool, for copies
 * @share: sums and findings
 */
struct check_world {
	const struct check_opts *o;
	struct sim *s;
	struct trace tr;
	struct mem_pool *pool;
	struct check_share *share;
};
/* Options of a run: profile, random schedule. */
void check_opts_of_run(const struct check_opts *o, struct sim_opts *out);
void check_world_init(struct check_world *w, const struct check_opts *o,
		      struct check_share *share);
void check_world_free(struct check_world *w);
/* One run with all its judges; returns the hash of its log. */
u64 check_one(struct check_world *w, u64 run);
/* The run alone; the verdict is in @w->s. @c: what is left of its stream. */
void check_again(struct check_world *w, u64 run, struct sim_choice *c);

/* check_report.c */
/**
 * check_save() - makes a finding small and writes it to @o->out
 * @w: a world to use
 * @f: finding
 * @path: the file's name is appended
 *
 * Return: 0, or -1 when there is no file, and @path is as it was.
 */
int check_save(struct check_world *w, const struct check_found *f,
	       struct text *path);
/* Everything behind the runs; -1 when a finding has no file. */
int check_summary(const struct check_opts *o, const struct check_share *all,
		  u64 ns, FILE *out);

#endif
