/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a trace written as text in a test.
 */
#ifndef TESTS_RUN_TEXT_H
#define TESTS_RUN_TEXT_H

#include <check.h>

#include "sim/world/world.h"

/**
 * struct text_run - a world and the trace it ran last
 * @s: world
 * @tr: trace
 */
struct text_run {
	struct sim *s;
	struct trace tr;
};

void text_run_init(struct text_run *r);
void text_run_free(struct text_run *r);
/* Parses (must succeed; the version line is added) and runs with default
 * choices on v7.2; known findings are passed over. */
const struct sim_verdict *run_text(struct text_run *r, const char *text);
/* The same with a random schedule from @seed. */
const struct sim_verdict *run_text_seed(struct text_run *r, const char *text,
					u64 seed);
/* Fails the test with the report unless the run ended well. */
void run_text_ok(struct text_run *r, const char *text);
/* Events of a kind in the log. */
u32 count_events(const struct sim *s, enum m_event_kind kind);

#endif
