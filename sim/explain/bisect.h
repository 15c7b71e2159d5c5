/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of the changes between two kernels makes them run a trace differently?
 */
#ifndef SIM_BISECT_H
#define SIM_BISECT_H

#include "sim/world/profile.h"
#include "sim/trace/trace.h"

/**
 * bisect_run() - name the change, or the changes that do it together
 * @tr: trace
 * @path: its file
 * @good: one kernel
 * @bad: the other
 * @out: text is appended
 *
 * Compares, in this order, what `ktlsim run` says, results of calls, what
 * `ktlsim run --all` says, and observable events; the first of these that
 * differs is what is explained. Returns 0 when nothing differs, else 1; 2 when
 * the trace cannot be performed on @good (told on stderr).
 */
int bisect_run(const struct trace *tr, const char *path,
	       const struct profile *good, const struct profile *bad,
	       struct text *out);

#endif
