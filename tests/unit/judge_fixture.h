/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace on trial without a kernel: the model's side, the job as the agent
 * would read it, and an agent that answers what the model says.
 */
#ifndef TESTS_JUDGE_FIXTURE_H
#define TESTS_JUDGE_FIXTURE_H

#include <check.h>

#include "sim/judge/judge.h"

/**
 * struct trial_run - a case and what belongs to it
 * @s: world
 * @c: case
 * @differ: text of judge_compare()
 */
struct trial_run {
	struct sim *s;
	struct judge_case c;
	struct text differ;
};

void trial_init(struct trial_run *r);
void trial_free(struct trial_run *r);
/* Parses (the version line is added) and runs the model's side, on v7.2. */
void trial_run(struct trial_run *r, const char *text);
/* The same on another profile. */
void trial_run_on(struct trial_run *r, const char *text, const char *profile);
/* The job's head, and operation @i of it. */
const struct job_trace *trial_job(const struct trial_run *r);
const struct job_op *trial_op(const struct trial_run *r, u32 i);
/* The first operation of that kind; the test fails if there is none. */
const struct job_op *trial_op_of(const struct trial_run *r,
				 enum job_op_kind kind);

/* Answers of a kernel that does what the model does. */
void trial_answers(const struct trial_run *r, struct text *out);
/* Reads these answers; must use all. */
void trial_answer(struct trial_run *r);
/* Compares with "K" as kernel; number of differences. */
u32 trial_compare(struct trial_run *r);

#endif
