// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Answers to every question a trace leaves open.
 * How: xoshiro256** seeded by splitmix64, or the next fuzzer bytes (one for
 * small bounds, so that byte-level mutations stay local), or a list.
 * Left out: enumeration; the explorer feeds lists.
 */
#include "sim/world/choice.h"

void choice_default(struct sim_choice *c)
{
	memset(c, 0, sizeof(*c));
}

void choice_seed(struct sim_choice *c, u64 seed)
{
	u64 z;
	int i;

	choice_default(c);
	c->source = CHOICE_SEED;
	for (i = 0; i < 4; i++) {
		seed += 0x9e3779b97f4a7c15ull;
		z = seed;
		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
		z = (z ^ z >> 27) * 0x94d049bb133111ebull;
		c->state[i] = z ^ z >> 31;
	}
}

void choice_bytes(struct sim_choice *c, const u8 *bytes, size_t size)
{
	choice_default(c);
	c->source = CHOICE_BYTES;
	c->bytes = bytes;
	c->size = size;
}

void choice_list(struct sim_choice *c, const u32 *list, u32 n)
{
	choice_default(c);
	c->source = CHOICE_LIST;
	c->list = list;
	c->list_n = n;
}

static u64 rotl(u64 x, int k)
{
	return x << k | x >> (64 - k);
}

static u64 next_random(struct sim_choice *c)
{
	u64 *s = c->state;
	u64 result = rotl(s[1] * 5, 7) * 9;
	u64 t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

static u32 next_bytes(struct sim_choice *c, u32 bound)
{
	size_t n = bound <= 256 ? 1 : bound <= 65536 ? 2 : 4;
	u32 v = 0;

	for (n = min_t(size_t, n, c->size - c->pos); n; n--)
		v = v << 8 | c->bytes[c->pos++];
	return v % bound;
}

static u32 next_listed(struct sim_choice *c, u32 bound)
{
	u32 v = c->pos < c->list_n ? c->list[c->pos++] : 0;

	return v < bound ? v : bound - 1;
}

static __noinline u32 next_given(struct sim_choice *c, u32 bound)
{
	switch (c->source) {
	case CHOICE_BYTES:
		return next_bytes(c, bound);
	case CHOICE_LIST:
		return next_listed(c, bound);
	default:
		return 0;
	}
}

u32 sim_choose(struct sim_choice *c, u32 bound)
{
	if (bound < 2)
		return 0;
	c->asked++;
	if (c->source != CHOICE_SEED)
		return next_given(c, bound);
	return (u32)((next_random(c) >> 32) * bound >> 32);
}

bool sim_one_in(struct sim_choice *c, u32 n)
{
	return n && sim_choose(c, n) == n - 1;
}

bool choice_exhausted(const struct sim_choice *c)
{
	switch (c->source) {
	case CHOICE_DEFAULT:
		return true;
	case CHOICE_SEED:
		return false;
	case CHOICE_BYTES:
		return c->pos >= c->size;
	case CHOICE_LIST:
		return c->pos >= c->list_n;
	}
	return true;
}
