// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/peer/ossl_peer.c, in its order. Records are opened with the keys
 * that the modelled receiver would be given.
 */
#include "tests/unit/peer_fixture.h"

static const struct {
	u16 version, cipher;
	u32 data_len; /* wire length of 100 bytes of data */
} rows[] = {
	{ TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128, 129 },
	{ TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_256, 129 },
	{ TLS_1_2_VERSION, TLS_CIPHER_AES_CCM_128, 129 },
	{ TLS_1_2_VERSION, TLS_CIPHER_CHACHA20_POLY1305, 121 },
	{ TLS_1_3_VERSION, TLS_CIPHER_AES_GCM_128, 122 },
	{ TLS_1_3_VERSION, TLS_CIPHER_AES_GCM_256, 122 },
	{ TLS_1_3_VERSION, TLS_CIPHER_AES_CCM_128, 122 },
	{ TLS_1_3_VERSION, TLS_CIPHER_CHACHA20_POLY1305, 122 },
};

static struct peer_fix *f;
static struct sim_err err;
static u8 buf[20000];

static void setup(void)
{
	f = peer_fix_new();
	f->tr.opts.openssl = true;
}

static void teardown(void)
{
	peer_fix_free(f);
}

static void add(enum ossl_what what, u32 len)
{
	peer_fix_add(f, REC_OPENSSL, 0, len)->ossl = what;
}

/* Opens record @rec as number @seq after @update KeyUpdates. */
static int unseal(u32 rec, u8 type, u32 update, u8 seq)
{
	struct tls_crypto_info_m info;

	ossl_peer_keys(peer_fix_peer(f)->ossl, update, &info);
	ck_assert_uint_eq(info.version, f->tr.opts.version);
	info.rec_seq[7] += seq;
	return peer_fix_unseal_with(f, rec, type, &info, buf);
}

static void start(u16 version, u16 cipher)
{
	f->tr.opts.version = version;
	f->tr.opts.cipher = cipher;
	peer_fix_start(f);
}

static u32 wire_len(u32 rec)
{
	return peer_fix_peer(f)->recs[rec].len;
}

START_TEST(ossl_peer_new__unknown_suite)
{
	peer_fix_open(f);
	ck_assert_ptr_null(
		ossl_peer_new(TLS_1_3_VERSION, TLS_CIPHER_SM4_GCM, &err));
	ck_assert_uint_eq(err.line, 0);
	ck_assert_ptr_nonnull(strstr(err.msg, "no suite"));
}
END_TEST

START_TEST(ossl_peer_free__null)
{
	ossl_peer_free(NULL);
	peer_fix_open(f);
}
END_TEST

START_TEST(ossl_peer_keys__open_the_first_records)
{
	add(OSSL_DATA, 100);
	add(OSSL_DATA, 100);
	start(rows[_i].version, rows[_i].cipher);
	ck_assert_uint_eq(wire_len(0), rows[_i].data_len);
	ck_assert_int_gt(unseal(0, 23, 0, 0), 99);
	ck_assert(pattern_matches(buf, 0, 100));
	ck_assert_int_gt(unseal(1, 23, 0, 1), 99);
	ck_assert(pattern_matches(buf, 100, 100));
}
END_TEST

START_TEST(ossl_peer_keys__after_key_updates)
{
	add(OSSL_KEYUPDATE, 0);
	add(OSSL_DATA, 50);
	add(OSSL_KEYUPDATE, 0);
	add(OSSL_DATA, 50);
	start(TLS_1_3_VERSION, rows[_i].cipher);
	ck_assert_uint_eq(wire_len(0), 27);
	ck_assert_int_eq(unseal(0, 22, 0, 0), 6);
	ck_assert_mem_eq(buf, "\x18\0\0\1\0\x16", 6);
	ck_assert_int_eq(unseal(1, 23, 1, 0), 51);
	ck_assert_int_eq(unseal(2, 22, 1, 1), 6);
	ck_assert_int_eq(unseal(3, 23, 2, 0), 51);
	ck_assert(pattern_matches(buf, 50, 50));
}
END_TEST

START_TEST(ossl_peer_write__longest_data)
{
	add(OSSL_DATA, 16384);
	start(TLS_1_3_VERSION, TLS_CIPHER_AES_GCM_128);
	ck_assert_uint_eq(wire_len(0), 16406);
	ck_assert_int_eq(unseal(0, 23, 0, 0), 16385);
}
END_TEST

START_TEST(ossl_peer_write__data_of_no_one_record)
{
	peer_fix_add(f, REC_OPENSSL, 0, _i ? 16385 : 0)->ossl = OSSL_DATA;
	peer_fix_open(f);
	ck_assert_int_eq(peer_build(peer_fix_peer(f), 0, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "16384"));
}
END_TEST

/* The length is the same in every run, or logs would differ. */
START_TEST(ossl_peer_write__tickets)
{
	const struct peer_rec *r;

	add(OSSL_TICKET, 0);
	add(OSSL_TICKET, 0);
	add(OSSL_DATA, 10);
	start(TLS_1_3_VERSION, TLS_CIPHER_AES_GCM_128);
	r = &peer_fix_peer(f)->recs[0];
	ck_assert_uint_eq(r->type, 22);
	ck_assert_uint_eq(r->plain_len, 57);
	ck_assert_uint_eq(r->plain[0], 4); /* NewSessionTicket */
	ck_assert_uint_eq(wire_len(0), 5 + 57 + 1 + 16);
	ck_assert_uint_eq(wire_len(1), wire_len(0));
	ck_assert_int_eq(unseal(0, 22, 0, 0), 58);
	ck_assert_mem_eq(buf, r->plain, 57);
	ck_assert_int_eq(unseal(1, 22, 0, 1), 58);
	ck_assert_int_eq(unseal(2, 23, 0, 2), 11);
}
END_TEST

START_TEST(ossl_peer_write__close_notify)
{
	add(OSSL_DATA, 10);
	add(OSSL_CLOSE, 0);
	start(rows[_i].version, rows[_i].cipher);
	ck_assert_uint_eq(peer_fix_peer(f)->recs[1].type, 21);
	ck_assert_uint_eq(wire_len(1), rows[_i].data_len - 98);
	ck_assert_int_gt(unseal(1, 21, 0, 1), 1);
	ck_assert_mem_eq(buf, "\1\0", 2);
	ck_assert_uint_eq(peer_fix_peer(f)->recs[1].plain_len, 2);
}
END_TEST

static const enum ossl_what after_close[] = {
	OSSL_DATA,
	OSSL_TICKET,
	OSSL_KEYUPDATE,
	OSSL_CLOSE,
};

START_TEST(ossl_peer_write__nothing_after_close)
{
	add(OSSL_CLOSE, 0);
	add(after_close[_i], 10);
	peer_fix_open(f);
	ck_assert_int_eq(peer_build(peer_fix_peer(f), 0, &err), 0);
	ck_assert_int_eq(peer_build(peer_fix_peer(f), 1, &err), -1);
}
END_TEST

START_TEST(ossl_peer_write__no_key_update_in_1_2)
{
	add(OSSL_KEYUPDATE, 0);
	f->tr.opts.version = TLS_1_2_VERSION;
	peer_fix_open(f);
	ck_assert_int_eq(peer_build(peer_fix_peer(f), 0, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "only in TLS 1.3"));
}
END_TEST

Suite *ossl_peer_test_suite(void);
Suite *ossl_peer_test_suite(void)
{
	Suite *suite = suite_create("ossl_peer");
	TCase *tc = tcase_create("ossl_peer");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, ossl_peer_new__unknown_suite);
	tcase_add_test(tc, ossl_peer_free__null);
	tcase_add_loop_test(tc, ossl_peer_keys__open_the_first_records, 0,
			    ARRAY_SIZE(rows));
	tcase_add_loop_test(tc, ossl_peer_keys__after_key_updates, 4,
			    ARRAY_SIZE(rows));
	tcase_add_test(tc, ossl_peer_write__longest_data);
	tcase_add_loop_test(tc, ossl_peer_write__data_of_no_one_record, 0, 2);
	tcase_add_test(tc, ossl_peer_write__tickets);
	tcase_add_loop_test(tc, ossl_peer_write__close_notify, 0,
			    ARRAY_SIZE(rows));
	tcase_add_loop_test(tc, ossl_peer_write__nothing_after_close, 0,
			    ARRAY_SIZE(after_close));
	tcase_add_test(tc, ossl_peer_write__no_key_update_in_1_2);
	suite_add_tcase(suite, tc);
	return suite;
}
