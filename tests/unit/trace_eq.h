/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Are two traces the same, whatever text they come from?
 */
#ifndef TESTS_UNIT_TRACE_EQ_H
#define TESTS_UNIT_TRACE_EQ_H

#include "sim/trace/trace.h"

/**
 * trace_difference() - first difference between two traces
 * @a: one
 * @b: the other
 * @at: out: index of the option, record, task, pipe, statement or comment
 *
 * Lines of statements are not compared. Returns what differs, NULL: nothing.
 */
const char *trace_difference(const struct trace *a, const struct trace *b,
			     u32 *at);

#endif
