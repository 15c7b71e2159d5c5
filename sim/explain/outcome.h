/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every call of a trace came to, so that runs can be compared: on other
 * kernels, with other changes.
 */
#ifndef SIM_OUTCOME_H
#define SIM_OUTCOME_H

#include "sim/world/profile.h"
#include "sim/world/world.h"

enum outcome_state {
	OUTCOME_NOT_MADE, /* the run ended before, or its task was busy */
	OUTCOME_ASLEEP, /* made, and still inside at the end of the trace */
	OUTCOME_RETURNED,
};

/**
 * struct outcome_call - one call
 * @state: see enum outcome_state
 * @ret: value or negative errno
 * @reason: why
 * @done: statement during which it returned
 * @slept: that is a later one than its own
 * @text: the result in words of the trace language; in the run's pool
 * @hash: of delivered bytes, option value and what lies behind, whatever @text
 *	shows of them
 */
struct outcome_call {
	enum outcome_state state;
	s64 ret;
	enum m_reason reason;
	u32 done;
	bool slept;
	const char *text;
	u64 hash;
};

/**
 * struct outcome - one run
 * @profile: name
 * @pool: owns the rest
 * @call: one a statement; those that are no calls stay OUTCOME_NOT_MADE
 * @n: statements
 * @trouble: why the run ended early, NULL: it did not
 */
struct outcome {
	const char *profile;
	struct mem_pool *pool;
	struct outcome_call *call;
	u32 n;
	const char *trouble;
};

/* Empty, for a run of @tr that is about to begin. */
void outcome_init(struct outcome *out, struct mem_pool *pool,
		  const struct trace *tr, const char *profile);
/* A call of @t is over: from sim_watch.returned. */
void outcome_returned(struct outcome *out, struct sim *s,
		      const struct sim_task *t);
/* Who is still inside: from sim_watch.end. */
void outcome_end(struct outcome *out, const struct sim *s);
/* Behind sim_run(): did it get to the end? */
void outcome_verdict(struct outcome *out, const struct sim *s);

/**
 * outcome_run() - perform a trace to its end
 * @s: world; its log stays readable
 * @tr: trace
 * @o: profile; expectations and promises are not judged
 * @pool: for the results
 * @out: results
 */
void outcome_run(struct sim *s, const struct trace *tr,
		 const struct sim_opts *o, struct mem_pool *pool,
		 struct outcome *out);

/* The same to a program that makes the call; reasons do not count. */
bool outcome_same_call(const struct outcome_call *a,
		       const struct outcome_call *b);
/* First statement whose call differs; UINT32_MAX: none. */
u32 outcome_difference(const struct outcome *a, const struct outcome *b);
/* "EAGAIN", "sleeps", "sleeps, then 100 data A", "not made". */
void outcome_print(const struct outcome_call *c, struct text *out);

/* Result of a call that is over, in words of the trace language. */
void result_print(struct sim *s, const struct sim_task *t, struct text *out);

#endif
