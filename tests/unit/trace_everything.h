/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace with one of everything.
 */
#ifndef TESTS_UNIT_TRACE_EVERYTHING_H
#define TESTS_UNIT_TRACE_EVERYTHING_H

#include "sim/trace/trace.h"

/* Fills an empty trace, in @tr->pool. */
void trace_everything(struct trace *tr);

#endif
