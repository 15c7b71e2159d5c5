/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports a person reads, in a fixed order: what was broken, where, expected
 * and got, the last events, the state, how to run it again.
 */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include "sim/world/world.h"

/**
 * report_failure() - tell what went wrong in the last run of @s
 * @s: world after sim_run() with a verdict that is not VERDICT_OK
 * @path: the trace's file, for the replay command; may be NULL
 * @out: text is appended
 */
void report_failure(const struct sim *s, const char *path, struct text *out);
/* One line: "W1 poll-lowat: sentence" or "expected X, got Y". */
void report_headline(const struct sim *s, struct text *out);
/* "D1/stream" style signature; "expect" and "assertion" for the others. */
void report_signature(const struct sim *s, struct text *out);

#endif
