// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/world/pattern.c, in its order.
 */
#include <check.h>

#include "sim/world/world.h"

START_TEST(pattern_fill__is_the_answers_stream)
{
	static const u8 first[] = { 3, 10, 17, 24, 31 };
	u8 buf[5];

	pattern_fill(buf, 0, sizeof(buf));
	ck_assert_mem_eq(buf, first, sizeof(first));
	pattern_fill(buf, 250, 2);
	ck_assert_uint_eq(buf[0], 247); /* (250*7+3) mod 251 */
	ck_assert_uint_eq(buf[1], 3);
}
END_TEST

/* Longer than the table, from a place that is no multiple of the period. */
START_TEST(pattern_fill__wraps_the_table)
{
	u8 buf[10000];
	u32 i;

	pattern_fill(buf, 777, sizeof(buf));
	for (i = 0; i < sizeof(buf); i++)
		ck_assert_uint_eq(buf[i], ((777 + i) * 7 + 3) % 251);
}
END_TEST

START_TEST(pattern_fill__far_positions)
{
	u8 near[16], far[16];

	pattern_fill(near, 5, sizeof(near));
	pattern_fill(far, 251ull * 100000000000ull + 5, sizeof(far));
	ck_assert_mem_eq(near, far, sizeof(near));
}
END_TEST

START_TEST(pattern_matches__finds_one_wrong_byte)
{
	u8 buf[9000];

	pattern_fill(buf, 100, sizeof(buf));
	ck_assert(pattern_matches(buf, 100, sizeof(buf)));
	ck_assert(!pattern_matches(buf, 101, sizeof(buf)));
	buf[8999] ^= 1;
	ck_assert(!pattern_matches(buf, 100, sizeof(buf)));
	ck_assert(pattern_matches(buf, 100, 0));
}
END_TEST

START_TEST(keys_of_generation__fills_what_the_cipher_has)
{
	struct tls_crypto_info_m info;

	keys_of_generation(&info, TLS_1_3_VERSION, TLS_CIPHER_AES_GCM_128, 1,
			   0x0102030405060708ull);
	ck_assert_uint_eq(info.version, TLS_1_3_VERSION);
	ck_assert_uint_eq(info.key[0], 17 + 31);
	ck_assert_uint_eq(info.key[15], 15 * 5 + 17 + 31);
	ck_assert_uint_eq(info.key[16], 0);
	ck_assert_uint_eq(info.salt[3], 0x51 + 3 + 1);
	ck_assert_uint_eq(info.iv[7], 0x61 + 7 + 1);
	ck_assert_uint_eq(info.iv[8], 0);
	ck_assert_uint_eq(info.rec_seq[0], 1);
	ck_assert_uint_eq(info.rec_seq[7], 8);
}
END_TEST

START_TEST(keys_of_generation__chacha_has_no_salt)
{
	struct tls_crypto_info_m info;

	keys_of_generation(&info, TLS_1_2_VERSION, TLS_CIPHER_CHACHA20_POLY1305,
			   0, 0);
	ck_assert_uint_eq(info.salt[0], 0);
	ck_assert_uint_eq(info.iv[11], 0x61 + 11);
	ck_assert_uint_eq(info.key[31], (31 * 5 + 17) % 256);
}
END_TEST

/* Bytes for a cipher number nobody knows are still the same ones each time. */
START_TEST(keys_of_generation__unknown_cipher_gets_all)
{
	struct tls_crypto_info_m info;

	keys_of_generation(&info, TLS_1_3_VERSION, 99, 0, 0);
	ck_assert_uint_eq(info.cipher_type, 99);
	ck_assert_uint_eq(info.key[31], (31 * 5 + 17) % 256);
	ck_assert_uint_eq(info.salt[3], 0x54);
	ck_assert_uint_eq(info.iv[11], 0x61 + 11);
}
END_TEST

Suite *pattern_test_suite(void);
Suite *pattern_test_suite(void)
{
	Suite *suite = suite_create("pattern");
	TCase *tc = tcase_create("pattern");

	tcase_add_test(tc, pattern_fill__is_the_answers_stream);
	tcase_add_test(tc, pattern_fill__wraps_the_table);
	tcase_add_test(tc, pattern_fill__far_positions);
	tcase_add_test(tc, pattern_matches__finds_one_wrong_byte);
	tcase_add_test(tc, keys_of_generation__fills_what_the_cipher_has);
	tcase_add_test(tc, keys_of_generation__chacha_has_no_salt);
	tcase_add_test(tc, keys_of_generation__unknown_cipher_gets_all);
	suite_add_tcase(suite, tc);
	return suite;
}
