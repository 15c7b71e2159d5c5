// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bytes everybody agrees on: the data pattern and the key material.
 *
 * A long table of the pattern's period makes filling and comparing a few
 * memcpy() or memcmp() calls. Both are the same as in the programs that the
 * real kernels' answers were recorded with.
 *
 * Left out: fill bytes of control records, which peer.c knows.
 */
#include "sim/world/world.h"

#define PATTERN_PERIOD 251u
#define PATTERN_SIZE (17 * PATTERN_PERIOD)

#define P1(i) (((i)*7 + 3) % PATTERN_PERIOD)
#define P10(i)                                                      \
	P1(i), P1((i) + 1), P1((i) + 2), P1((i) + 3), P1((i) + 4),  \
		P1((i) + 5), P1((i) + 6), P1((i) + 7), P1((i) + 8), \
		P1((i) + 9)
#define P50(i) \
	P10(i), P10((i) + 10), P10((i) + 20), P10((i) + 30), P10((i) + 40)
#define P251 P50(0), P50(50), P50(100), P50(150), P50(200), P1(250)

static const u8 pattern[PATTERN_SIZE] = {
	P251, P251, P251, P251, P251, P251, P251, P251, P251,
	P251, P251, P251, P251, P251, P251, P251, P251,
};

void pattern_fill(u8 *to, u64 pos, size_t len)
{
	size_t at = pos % PATTERN_PERIOD;
	size_t n;

	for (; len; to += n, len -= n, at = 0) {
		n = min_t(size_t, len, PATTERN_SIZE - at);
		memcpy(to, pattern + at, n);
	}
}

bool pattern_matches(const u8 *at, u64 pos, size_t len)
{
	size_t from = pos % PATTERN_PERIOD;
	size_t n;

	for (; len; at += n, len -= n, from = 0) {
		n = min_t(size_t, len, PATTERN_SIZE - from);
		if (memcmp(at, pattern + from, n) != 0)
			return false;
	}
	return true;
}

void keys_of_generation(struct tls_crypto_info_m *info, u16 version, u16 cipher,
			u32 gen, u64 seq)
{
	const struct tls_cipher_desc *desc = get_cipher_desc(cipher);
	u32 i;

	*info = (struct tls_crypto_info_m){
		.version = version,
		.cipher_type = cipher,
	};
	for (i = 0; i < (desc ? desc->key : TLS_AEAD_KEY_MAX); i++)
		info->key[i] = (u8)(i * 5 + 17 + 31 * gen);
	for (i = 0; i < (desc ? desc->salt : TLS_MAX_SALT); i++)
		info->salt[i] = (u8)(0x51 + i + gen);
	for (i = 0; i < (desc ? desc->iv : TLS_MAX_IV); i++)
		info->iv[i] = (u8)(0x61 + i + gen);
	for (i = 0; i < 8; i++)
		info->rec_seq[i] = (u8)(seq >> (56 - 8 * i));
}
