// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * F1: the same plaintext and errors come out however TCP cut the bytes.
 * How: nothing can be seen of this in one run. sim/check/segdiff.c runs the
 * same records and calls with two different cuts and compares what comes out;
 * fuzz/fuzz_diffseg.c feeds it.
 * Left out: what one run can show is D1 and E2 (a good record that is refused).
 */
#include "sim/inv/local.h"

const struct inv_ops inv_F1 = { .id = INV_F1 };
