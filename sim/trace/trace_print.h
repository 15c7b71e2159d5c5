/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two halves of the printer share.
 */
#ifndef SIM_TRACE_PRINT_H
#define SIM_TRACE_PRINT_H

#include "sim/trace/trace_words.h"

/* In the largest unit without a remainder: "0", "1ms". */
void print_time(struct text *out, s64 ns);
/* Decimal up to 32 bits, else hexadecimal with 0x. */
void print_seq(struct text *out, u64 seq);
void print_hex(struct text *out, const u8 *bytes, u32 n);

#endif
