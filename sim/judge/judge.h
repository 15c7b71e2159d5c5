/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A real kernel as judge: the same trace is performed by the model and by a
 * kernel, and every call's result is compared.
 *
 * judge_accept.c says which traces can be judged; judge_case.c runs the model
 * and notes what every call gave; judge_job.c and judge_time.c make the trace a
 * job for the agent (judge_job.h); judge_guest.c boots a kernel and hands it jobs; judge_compare.c
 * compares; judge.c deals traces out in batches and sums up.
 */
#ifndef SIM_JUDGE_H
#define SIM_JUDGE_H

#include "sim/judge/judge_job.h"
#include "sim/world/profile.h"
#include "sim/world/world.h"

/* What became of a call. */
enum seen_state {
	SEEN_NOT, /* never made */
	SEEN_ASLEEP, /* never returned */
	SEEN_BUSY, /* its task was still in an earlier one */
	SEEN_RETURNED,
};

/**
 * struct judge_seen - what one side saw of one call
 * @state: see enum seen_state
 * @ans: the result
 * @data: delivered bytes or the option's value; @data_n of them are known
 * @data_n: likewise
 * @part: messages of recvmmsg, @ans.part_n
 * @reason: the model's
 */
struct judge_seen {
	enum seen_state state;
	struct job_answer ans;
	const u8 *data;
	u32 data_n;
	struct judge_seen *part;
	enum m_reason reason;
};

/**
 * struct judge_side - what one side saw of a trace
 * @setup: options in front of the trace
 * @setup_n: how many
 * @call: one entry a statement
 * @stats: TLS counters at the end; the model's by enum m_mib
 * @stats_at: the same at `expect` statements; NULL elsewhere
 * @stat_n: how many are known
 * @trouble: what kept the agent from going on, NULL nothing
 */
struct judge_side {
	struct judge_seen *setup;
	u32 setup_n;
	struct judge_seen *call;
	s64 *stats;
	s64 **stats_at;
	u32 stat_n;
	const char *trouble;
};

/* How time passes for the kernel. */
enum judge_time {
	JUDGE_TIME_NONE, /* not at all */
	JUDGE_TIME_WAIT, /* only until timeouts that have to fire did */
	JUDGE_TIME_REAL, /* as in the trace, times @scale */
};

/**
 * struct judge_case - one trace on trial
 * @tr: the trace; its pool owns everything here but @job
 * @name: file or run
 * @id: number in the batch
 * @model: what the model saw
 * @kernel: what the kernel saw
 * @stmt_n: statements performed; fewer than the trace has if the model stopped
 * @verdict: how the model's run ended
 * @verdict_text: in words, when it is not VERDICT_OK
 * @no: why it cannot be judged; empty: it can
 * @excuse: why a difference would say nothing; empty: nothing would excuse one
 * @tun: raw segments
 * @time: see enum judge_time
 * @scale: of times, in thousandths
 * @patient: the agent may need time to see that a call sleeps
 * @rcv_mss: the largest the model's socket had
 * @exact: a timeout is read back, so it must be the trace's
 * @end_off: FIN and RST statements: where the wire ends
 * @fired: statements in whose time a timeout fired: mask of tasks
 * @sender: statements in whose time the sender's timer fired
 * @expect: statements that look at TLS counters
 * @job: the job's bytes; malloc
 */
struct judge_case {
	struct trace tr;
	const char *name;
	u32 id;
	struct judge_side model;
	struct judge_side kernel;
	u32 stmt_n;
	enum verdict_kind verdict;
	const char *verdict_text;
	char no[160];
	char excuse[160];
	bool tun;
	enum judge_time time;
	u32 scale;
	bool patient;
	u32 rcv_mss;
	bool exact;
	u64 *end_off;
	u64 *fired;
	u8 *sender;
	u8 *expect;
	struct text job;
};

/* judge_case.c */
/* Empty, with a pool of its own. */
void judge_case_init(struct judge_case *c);
/* Empty again; the pool's memory is kept. */
void judge_case_reset(struct judge_case *c);
void judge_case_free(struct judge_case *c);
/* Runs @c->tr on the model and writes the job. @all_data: answers shall hold
 * all data. Needs only @c->tr and @c->id. */
void judge_case_run(struct judge_case *c, struct sim *s,
		    const struct profile *profile, bool all_data);
/* Hash and measures of a result as the agent makes them. */
void judge_seen_of(struct judge_case *c, const struct trace_call *call,
		   const struct call_result *res, struct judge_seen *out);

#define JUDGE_CALL_BYTES_MAX (16u << 20) /* user memory of a call */
#define JUDGE_LOOPBACK_MSS 65483u

/* judge_accept.c */
/* Why @c->tr cannot be judged, as far as its text says; fills @c->no, @c->tun.
 * True: it can. */
bool judge_accepts(struct judge_case *c);
/* Likewise, when the model's run sent so many ACKs and FINs, and @c->time is
 * known. @over_overlap: a kernel that reads headers over overlapping segments.
 * Both may fill @c->excuse. */
bool judge_accepts_run(struct judge_case *c, u64 acks, u64 fins,
		       bool over_overlap);
/* enum skb_layout of a statement's segments. */
int judge_layout(const struct trace *tr, const struct stmt_wire *w);

/* judge_job.c */
/* Chooses how time passes and writes the job. Context: in the world's end. */
void judge_job_write(struct judge_case *c, struct sim *s, bool all_data);
/* The calls in front of a trace, as agent and world make them; returns how
 * many, at most 8. */
u32 judge_setup_calls(const struct trace_opts *o, struct trace_call *out);

/* judge_time.c */
/* Chooses @c->time and @c->scale from what the model's run needed; may fill
 * @c->no. */
void judge_time_plan(struct judge_case *c);
/* What the kernel is told for a timeout of the trace. */
s64 judge_time_timeout(const struct judge_case *c, s64 ns);

/* judge_compare.c */
/* Reads the answers to @c from @p; returns bytes used, 0 if they are cut. */
size_t judge_answers_read(struct judge_case *c, const u8 *p, size_t n);
/* Writes each difference; returns their number. */
u32 judge_compare(struct judge_case *c, const char *kernel, struct text *out);

/* What the kernel answered to each call, a line each. */
void judge_answers(const struct judge_case *c, const char *version,
		   struct text *out);

/* judge_guest.c */
struct judge_guest;

/**
 * struct judge_kernel - which kernel, and where
 * @name: as asked for
 * @version: as it says itself
 * @dir: made by scripts/judge-kernel.sh; NULL: the running kernel
 * @agent: the agent's program, for the running kernel
 */
struct judge_kernel {
	char name[64];
	char version[64];
	char dir[512];
	char agent[512];
};

/* Asks scripts/judge-kernel.sh. 0, or the exit code, with a line on stderr. */
int judge_kernel_find(struct judge_kernel *k, const char *name,
		      const char *modules);
/* The profile that models it; NULL there is none. */
const struct profile *judge_kernel_profile(const struct judge_kernel *k);
/* Boots it on CPU @cpu; guests at the same time have different @slot. NULL with
 * a line on stderr. */
struct judge_guest *judge_guest_boot(const struct judge_kernel *k, u32 cpu,
				     u32 slot);
/* Hands over a job. 0 with the answers in @out, -1: the guest is dead or mute
 * for @timeout_ms; @console gets its last words. */
int judge_guest_run(struct judge_guest *g, const struct text *job,
		    int timeout_ms, struct text *out, struct text *console);
/* Has the agent perform a job of one trace so many times, as fast as it can. 0,
 * or -1: a call failed, or as above. */
int judge_guest_loop(struct judge_guest *g, const struct text *job, u32 rounds,
		     int timeout_ms);
void judge_guest_kill(struct judge_guest *g);

/* judge.c */
#define JUDGE_JOBS_MAX 64u

/**
 * struct judge_opts - what to judge
 * @kernel: which kernel
 * @profile: the model's
 * @cpu: where the first guest runs, others on those in front of it
 * @cpus: how many there are
 * @jobs: guests at the same time
 * @files: paths
 * @file_n: how many
 * @runs: random traces, if there are no files
 * @from: first random trace
 * @seed: of the random traces
 * @out: directory for traces that differ
 * @quiet: no line on traces that cannot be judged
 * @answers: what the kernel answered is printed where both agree, too
 * @rate: out: traces a second; may be NULL
 */
struct judge_opts {
	struct judge_kernel kernel;
	const struct profile *profile;
	u32 cpu;
	u32 cpus;
	u32 jobs;
	char **files;
	u32 file_n;
	u64 runs;
	u64 from;
	u64 seed;
	const char *out;
	bool quiet;
	bool answers;
	u64 *rate;
};

/* Judges all; prints to @out; returns the exit code. */
int judge_run(const struct judge_opts *o, FILE *out);

#endif
