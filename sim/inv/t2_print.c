// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * T2: printing and parsing a trace changes nothing.
 * How: checked where traces are made: sim/check/check_world.c and fuzz/fuzz_trace.c
 * print a trace, parse that, and compare texts and logs.
 * Left out: a run does not print its trace.
 */
#include "sim/inv/local.h"

const struct inv_ops inv_T2 = { .id = INV_T2 };
