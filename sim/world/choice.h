/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one source of everything a trace does not fix. sim_choose() asks; the
 * answer comes from a seed, from fuzzer bytes, from a recorded list, or is the
 * default (0). Every answer can be recorded.
 */
#ifndef SIM_CHOICE_H
#define SIM_CHOICE_H

#include "model/types.h"

enum choice_source {
	CHOICE_DEFAULT, /* always 0 */
	CHOICE_SEED, /* xoshiro256** seeded through splitmix64 */
	CHOICE_BYTES, /* fuzzer input; 0 once it is used up */
	CHOICE_LIST, /* recorded answers; 0 once used up, clamped to bound */
};

/**
 * struct sim_choice - a stream of answers
 * @source: see enum choice_source
 * @state: generator state of CHOICE_SEED
 * @bytes: input of CHOICE_BYTES
 * @size: its length
 * @pos: next byte, or next entry of @list
 * @list: answers of CHOICE_LIST
 * @list_n: how many
 * @asked: questions so far
 */
struct sim_choice {
	enum choice_source source;
	u64 state[4];
	const u8 *bytes;
	size_t size;
	size_t pos;
	const u32 *list;
	u32 list_n;
	u64 asked;
};

void choice_default(struct sim_choice *c);
void choice_seed(struct sim_choice *c, u64 seed);
void choice_bytes(struct sim_choice *c, const u8 *bytes, size_t size);
void choice_list(struct sim_choice *c, const u32 *list, u32 n);

/* 0 .. @bound-1; @bound 0 or 1 gives 0 and asks nothing. */
u32 sim_choose(struct sim_choice *c, u32 bound);
/* True in about one of @n; never with the default source. */
bool sim_one_in(struct sim_choice *c, u32 n);
/* A stream that has nothing left to say will only answer 0. */
bool choice_exhausted(const struct sim_choice *c);

#endif
