/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Claims: what the text of a posted patch says, sentence by sentence, put to the
 * test. A verdict is worked out anew in every run, from worlds.
 */
#ifndef SIM_CLAIMS_H
#define SIM_CLAIMS_H

#include "sim/inv/inv.h"
#include "sim/world/profile.h"
#include "sim/world/world.h"

enum claim_verdict {
	CLAIM_HOLDS,
	CLAIM_FAILS,
	CLAIM_DEPENDS, /* on something that the evidence names */
	CLAIM_VERDICTS,
};
extern const char *const claim_word[CLAIM_VERDICTS];

/**
 * struct claim_worlds - what many random worlds on one kernel came to
 * @done: they were run
 * @calls: splices that returned bytes
 * @batches: of them, such that took several records
 * @flushed: times that a splice let segments in between two records
 * @breaches: worlds that ended with that promise broken, by promise
 */
struct claim_worlds {
	bool done;
	u64 calls;
	u64 batches;
	u64 flushed;
	u64 breaches[INV_COUNT];
};

/**
 * struct claims - one run of a set of claims
 * @trial: kernel with the patch
 * @base: kernel without
 * @runs: random worlds a question
 * @s: a world
 * @pool: of one claim
 * @random: of one random world
 * @out: evidence of the claim under way
 * @on_trial: see struct claim_worlds
 * @on_base: likewise
 */
struct claims {
	const struct profile *trial;
	const struct profile *base;
	u32 runs;
	struct sim *s;
	struct mem_pool *pool;
	struct mem_pool *random;
	struct text out;
	struct claim_worlds on_trial;
	struct claim_worlds on_base;
};

/**
 * struct claim - one sentence
 * @text: what it says
 * @fn: finds out
 */
struct claim {
	const char *text;
	enum claim_verdict (*fn)(struct claims *c);
};

/**
 * struct claim_set - the claims of one patch
 * @profile: kernel with it
 * @text: the patch
 * @claims: in the order of its text
 * @n: points to how many
 */
struct claim_set {
	const char *profile;
	const char *text;
	const struct claim *claims;
	const u32 *n;
};

extern const struct claim_set claim_sets[];
extern const u32 claim_set_n;

/* claims.c. NULL: no patch has claims under that name. */
const struct claim_set *claim_set_find(const char *profile);
/* Ready for questions about @trial; the other way round. */
void claims_init(struct claims *c, const struct profile *trial, u32 runs);
void claims_free(struct claims *c);
/* Puts all of @set to the test and prints. */
void claims_run(const struct claim_set *set, u32 runs, FILE *out);

/* claim_tools.c: how claims find out. A line of evidence: */
void claim_say(struct claims *c, const char *fmt, ...) __printf(2, 3);
/**
 * claim_trace() - do the calls of a trace answer what it says?
 * @c: run
 * @p: kernel
 * @what: the case, for the evidence
 * @body: the trace without its version and options; shown if it does not hold
 *
 * Promises are not judged.
 */
bool claim_trace(struct claims *c, const struct profile *p, const char *what,
		 const char *body);
/* The kernel with the patch breaks a promise there, and the one without does
 * not; the trace is shown. */
bool claim_breaks(struct claims *c, const char *what, const char *body);
/* What the last call of a trace answers. */
const char *claim_answer(struct claims *c, const struct profile *p,
			 const char *body);
/* Both answers as a row of a table; true when they are the same. */
bool claim_answers(struct claims *c, const char *what, const char *body);
/* Random worlds on the kernel with (without) the patch; run once. */
const struct claim_worlds *claim_trial(struct claims *c);
const struct claim_worlds *claim_base(struct claims *c);
/* Random worlds in which nobody splices: how many differ in any event. */
u32 claim_other_logs(struct claims *c);

/* The claims. */
extern const struct claim splice_coalesce_claims[];
extern const u32 splice_coalesce_claim_n;
/* splice_figures.c */
enum claim_verdict claim_one_call_a_record(struct claims *c);
enum claim_verdict claim_mutex_held(struct claims *c);
enum claim_verdict claim_backlog_flushed(struct claims *c);
enum claim_verdict claim_calls_per_mib(struct claims *c);
enum claim_verdict claim_throughput(struct claims *c);
enum claim_verdict claim_as_recvmsg(struct claims *c);

#endif
