// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/peer/ossl_keys.c, in its order. That the keys open what libssl
 * writes is shown in ossl_peer_test.c; here are the published vectors.
 */
#include <check.h>

#include "sim/peer/ossl_keys.h"

static struct ossl_keys keys;

static void setup(void)
{
	keys = (struct ossl_keys){
		.version = TLS_1_3_VERSION,
		.cipher = TLS_CIPHER_AES_GCM_128,
		.digest = "SHA256",
	};
}

START_TEST(ossl_keys_log_line__takes_its_secret)
{
	ossl_keys_log_line(&keys, "SERVER_TRAFFIC_SECRET_0 00ff 01aBCd");
	ck_assert_uint_eq(keys.secret_len, 3);
	ck_assert_mem_eq(keys.secret, "\x01\xab\xcd", 3);
}
END_TEST

START_TEST(ossl_keys_log_line__ignores_other_labels)
{
	ossl_keys_log_line(&keys, "CLIENT_TRAFFIC_SECRET_0 00ff 01abcd");
	ossl_keys_log_line(&keys, "CLIENT_RANDOM 00ff 01abcd");
	ossl_keys_log_line(&keys, "SERVER_TRAFFIC_SECRET_0 00ff");
	ck_assert_uint_eq(keys.secret_len, 0);
	keys.version = TLS_1_2_VERSION;
	ossl_keys_log_line(&keys, "CLIENT_RANDOM 00ff 01abcd");
	ck_assert_uint_eq(keys.secret_len, 3);
}
END_TEST

START_TEST(ossl_keys_log_line__ends_at_what_is_not_hex)
{
	ossl_keys_log_line(&keys, "SERVER_TRAFFIC_SECRET_0 00ff 0102/3");
	ck_assert_uint_eq(keys.secret_len, 2);
}
END_TEST

/* RFC 8448, section 3: the server's application traffic keys. */
START_TEST(ossl_keys_derive__rfc_8448)
{
	struct tls_crypto_info_m info;

	ossl_keys_log_line(&keys, "SERVER_TRAFFIC_SECRET_0 00 "
				  "a11af9f05531f856ad47116b45a95032"
				  "8204b4f44bfb6b3a4b4f1f3fcb631643");
	ossl_keys_derive(&keys, 0, &info);
	ck_assert_mem_eq(info.key,
			 "\x9f\x02\x28\x3b\x6c\x9c\x07\xef"
			 "\xc2\x6b\xb9\xf2\xac\x92\xe3\x56",
			 16);
	ck_assert_mem_eq(info.salt, "\xcf\x78\x2b\x88", 4);
	ck_assert_mem_eq(info.iv, "\xdd\x83\x54\x9a\xad\xf1\xe9\x84", 8);
	ck_assert_mem_eq(info.rec_seq, "\0\0\0\0\0\0\0\0", 8);
	ck_assert_uint_eq(info.version, TLS_1_3_VERSION);
	ck_assert_uint_eq(info.cipher_type, TLS_CIPHER_AES_GCM_128);
}
END_TEST

/* One step of the chain, twice, is two steps. */
START_TEST(ossl_keys_derive__updates_are_chained)
{
	struct tls_crypto_info_m once, twice, none;

	ossl_keys_log_line(&keys, "SERVER_TRAFFIC_SECRET_0 00 "
				  "a11af9f05531f856ad47116b45a95032"
				  "8204b4f44bfb6b3a4b4f1f3fcb631643");
	ossl_keys_derive(&keys, 0, &none);
	ossl_keys_derive(&keys, 1, &once);
	ossl_keys_derive(&keys, 2, &twice);
	ck_assert_mem_ne(none.key, once.key, 16);
	ck_assert_mem_ne(once.key, twice.key, 16);
	ck_assert_mem_ne(none.key, twice.key, 16);
}
END_TEST

START_TEST(ossl_keys_derive__tls12_starts_at_record_1)
{
	struct tls_crypto_info_m info;

	keys.version = TLS_1_2_VERSION;
	keys.secret_len = 48;
	ossl_keys_derive(&keys, 0, &info);
	ck_assert_mem_eq(info.rec_seq, "\0\0\0\0\0\0\0\1", 8);
	ck_assert_mem_eq(info.iv, "\0\0\0\0\0\0\0\1", 8);
	keys.cipher = TLS_CIPHER_CHACHA20_POLY1305;
	ossl_keys_derive(&keys, 0, &info);
	ck_assert_mem_eq(info.salt, "\0\0\0\0", 4);
	ck_assert_mem_ne(info.iv, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
}
END_TEST

Suite *ossl_keys_test_suite(void);
Suite *ossl_keys_test_suite(void)
{
	Suite *suite = suite_create("ossl_keys");
	TCase *tc = tcase_create("ossl_keys");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, ossl_keys_log_line__takes_its_secret);
	tcase_add_test(tc, ossl_keys_log_line__ignores_other_labels);
	tcase_add_test(tc, ossl_keys_log_line__ends_at_what_is_not_hex);
	tcase_add_test(tc, ossl_keys_derive__rfc_8448);
	tcase_add_test(tc, ossl_keys_derive__updates_are_chained);
	tcase_add_test(tc, ossl_keys_derive__tls12_starts_at_record_1);
	suite_add_tcase(suite, tc);
	return suite;
}
