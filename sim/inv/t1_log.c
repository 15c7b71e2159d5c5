// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * T1: the same input gives the same log.
 * How: needs two runs: scripts/determinism.sh compares log hashes between
 * processes and builds; sim/check/check_world.c and fuzz/fuzz_rx.c run a world again
 * in the same process.
 * Left out: one run shows nothing of it.
 */
#include "sim/inv/local.h"

const struct inv_ops inv_T1 = { .id = INV_T1 };
