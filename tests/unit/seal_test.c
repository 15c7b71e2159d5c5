// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/peer/seal.c, in its order. Wire lengths are those that real senders'
 * writes returned.
 */
#include "tests/unit/peer_fixture.h"

static struct peer_fix *f;
static u8 buf[70000];

static void setup(void)
{
	f = peer_fix_new();
}

static void teardown(void)
{
	peer_fix_free(f);
}

static struct trace_rec *add(u8 type, u32 len)
{
	return peer_fix_add(f, REC_SEALED, type, len);
}

/* First byte of a built record's header and so on. */
static u8 wire_byte(u32 rec, u32 off)
{
	u8 byte;

	peer_copy(peer_fix_peer(f), peer_fix_built(f, rec)->off + off, &byte,
		  1);
	return byte;
}

static const struct {
	u16 version, cipher;
	u32 wire; /* of 10 bytes of data */
} cipher_rows[] = {
	{ TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128, 39 },
	{ TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_256, 39 },
	{ TLS_1_2_VERSION, TLS_CIPHER_AES_CCM_128, 39 },
	{ TLS_1_2_VERSION, TLS_CIPHER_CHACHA20_POLY1305, 31 },
	{ TLS_1_3_VERSION, TLS_CIPHER_AES_GCM_128, 32 },
	{ TLS_1_3_VERSION, TLS_CIPHER_AES_GCM_256, 32 },
	{ TLS_1_3_VERSION, TLS_CIPHER_AES_CCM_128, 32 },
	{ TLS_1_3_VERSION, TLS_CIPHER_CHACHA20_POLY1305, 32 },
};
START_TEST(rec_wire_len__every_cipher)
{
	peer_fix_use(f, cipher_rows[_i].version, cipher_rows[_i].cipher);
	ck_assert_uint_eq(rec_wire_len(&f->tr.opts, add(23, 10)),
			  cipher_rows[_i].wire);
	peer_fix_start(f);
	ck_assert_uint_eq(peer_fix_built(f, 0)->len, cipher_rows[_i].wire);
}
END_TEST

START_TEST(rec_wire_len__padding_and_inner_type)
{
	struct trace_rec *rec = add(23, 100);

	rec->pad = 50;
	ck_assert_uint_eq(rec_wire_len(&f->tr.opts, rec), 172);
	rec->mods = MOD_NOINNER;
	ck_assert_uint_eq(rec_wire_len(&f->tr.opts, rec), 171);
	peer_fix_use(f, TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128);
	ck_assert_uint_eq(rec_wire_len(&f->tr.opts, rec), 129);
	rec->kind = REC_RAW;
	ck_assert_uint_eq(rec_wire_len(&f->tr.opts, rec), 100);
	rec->kind = REC_OPENSSL;
	ck_assert_uint_eq(rec_wire_len(&f->tr.opts, rec), 0);
	rec->kind = REC_SEALED;
	peer_fix_open(f);
}
END_TEST

START_TEST(seal_record__opens_with_every_cipher)
{
	u32 inner = 10 + (cipher_rows[_i].version == TLS_1_3_VERSION);

	peer_fix_use(f, cipher_rows[_i].version, cipher_rows[_i].cipher);
	add(23, 10);
	add(21, 10);
	peer_fix_start(f);
	ck_assert_int_eq(peer_fix_unseal(f, 0, buf), (int)inner);
	ck_assert(pattern_matches(buf, 0, 10));
	ck_assert_int_eq(peer_fix_unseal(f, 1, buf), (int)inner);
	ck_assert_uint_eq(buf[0], 0xfb);
	ck_assert_uint_eq(buf[9], 0xfb);
	if (inner == 11)
		ck_assert_uint_eq(buf[10], 21);
}
END_TEST

static const struct {
	u8 type, fill;
} fill_rows[] = {
	{ 20, 0xfd }, { 21, 0xfb }, { 22, 0xfc }, { 24, 0xfe }, { 99, 0xfe },
};
START_TEST(seal_record__fill_byte_of_a_type)
{
	add(fill_rows[_i].type, 3);
	peer_fix_start(f);
	ck_assert_int_eq(peer_fix_unseal(f, 0, buf), 4);
	ck_assert_uint_eq(buf[0], fill_rows[_i].fill);
	ck_assert_uint_eq(buf[2], fill_rows[_i].fill);
	ck_assert_uint_eq(buf[3], fill_rows[_i].type);
	ck_assert_uint_eq(peer_fix_built(f, 0)->fill, fill_rows[_i].fill);
}
END_TEST

START_TEST(seal_record__explicit_nonce_is_the_sequence_number)
{
	peer_fix_use(f, TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128);
	f->tr.opts.seq = 0x1122;
	add(23, 10);
	peer_fix_start(f);
	ck_assert_uint_eq(wire_byte(0, 5), 0);
	ck_assert_uint_eq(wire_byte(0, 11), 0x11);
	ck_assert_uint_eq(wire_byte(0, 12), 0x22);
}
END_TEST

START_TEST(seal_record__record_over_a_page_border)
{
	u32 i;

	for (i = 0; i < 5; i++)
		add(23, 16384);
	peer_fix_start(f);
	for (i = 0; i < 5; i++) {
		ck_assert_uint_eq(peer_fix_built(f, i)->len, 16406);
		ck_assert_int_eq(peer_fix_unseal(f, i, buf), 16385);
		ck_assert(pattern_matches(buf, 16384ull * i, 16384));
	}
}
END_TEST

/* The page ends at every place of the small record in turn. */
START_TEST(seal_record__page_border_anywhere)
{
	struct trace_rec *rec = peer_fix_add(f, REC_RAW, 0, 32768 - (u32)_i);

	rec->raw = mem_pool_alloc(f->s.pool, 32768);
	add(23, 10);
	peer_fix_start(f);
	ck_assert_int_eq(peer_fix_unseal(f, 1, buf), 11);
	ck_assert(pattern_matches(buf, 0, 10));
}
END_TEST

START_TEST(seal_record__padding)
{
	add(23, 4)->pad = 3;
	peer_fix_start(f);
	ck_assert_int_eq(peer_fix_unseal(f, 0, buf), 8);
	ck_assert_uint_eq(buf[4], 23);
	ck_assert_uint_eq(buf[5] | buf[6] | buf[7], 0);
	ck_assert_uint_eq(peer_fix_built(f, 0)->plain_len, 4);
}
END_TEST

static const enum rec_mod spoil_rows[] = { MOD_BADTAG, MOD_BADCT };

/* Spoilt records still take their place in pattern and numbering. */
START_TEST(seal_record__spoilt_bits)
{
	add(23, 10)->mods = spoil_rows[_i];
	add(23, 10);
	peer_fix_start(f);
	ck_assert_int_eq(peer_fix_unseal(f, 0, buf), -EBADMSG);
	ck_assert(!peer_fix_built(f, 0)->opens);
	ck_assert(peer_fix_built(f, 0)->framed);
	ck_assert_int_eq(peer_fix_unseal(f, 1, buf), 11);
	ck_assert_uint_eq(peer_fix_built(f, 1)->data_off, 10);
	ck_assert_uint_eq(peer_fix_built(f, 1)->seq, 1);
	ck_assert(peer_fix_built(f, 1)->opens);
}
END_TEST

/* Without ciphertext the first bit behind the header is the tag's. */
START_TEST(seal_record__badct_of_nothing)
{
	peer_fix_use(f, TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128);
	add(23, 0)->mods = MOD_BADCT;
	peer_fix_start(f);
	ck_assert_int_eq(peer_fix_unseal(f, 0, buf), -EBADMSG);
}
END_TEST

static const struct {
	u16 version;
	u32 len, pad;
	bool framed;
} size_rows[] = {
	{ TLS_1_3_VERSION, 0, 0, true },
	{ TLS_1_3_VERSION, 16384, 0, true },
	{ TLS_1_3_VERSION, 0, 16384, true },
	{ TLS_1_3_VERSION, 1, 16384, false },
	{ TLS_1_3_VERSION, 16385, 0, false },
	{ TLS_1_2_VERSION, 0, 0, true },
	{ TLS_1_2_VERSION, 16384, 0, true },
	{ TLS_1_2_VERSION, 16385, 0, false },
};
START_TEST(header_ok__body_length)
{
	peer_fix_use(f, size_rows[_i].version, TLS_CIPHER_AES_GCM_128);
	add(23, size_rows[_i].len)->pad = size_rows[_i].pad;
	peer_fix_start(f);
	ck_assert_int_eq(peer_fix_built(f, 0)->framed, size_rows[_i].framed);
	ck_assert(peer_fix_built(f, 0)->opens);
}
END_TEST

START_TEST(seal_header__version)
{
	struct trace_rec *rec = add(23, 10);

	rec->mods = MOD_VER;
	rec->ver = 0x0301;
	peer_fix_start(f);
	ck_assert_uint_eq(wire_byte(0, 0), 23);
	ck_assert_uint_eq(wire_byte(0, 1), 3);
	ck_assert_uint_eq(wire_byte(0, 2), 1);
	ck_assert(!peer_fix_built(f, 0)->framed);
}
END_TEST

START_TEST(seal_header__length)
{
	struct trace_rec *rec = add(23, 10);

	rec->mods = MOD_LEN;
	rec->hdr_len = 300;
	peer_fix_start(f);
	ck_assert_uint_eq(wire_byte(0, 3), 1);
	ck_assert_uint_eq(wire_byte(0, 4), 44);
	ck_assert(!peer_fix_built(f, 0)->framed);
	ck_assert(!peer_fix_built(f, 0)->opens);
}
END_TEST

START_TEST(seal_header__length_change)
{
	struct trace_rec *rec = add(23, 10);

	rec->mods = MOD_DLEN;
	rec->dlen = -1;
	peer_fix_start(f);
	ck_assert_uint_eq(wire_byte(0, 4), 26);
	ck_assert(!peer_fix_built(f, 0)->framed);
}
END_TEST

/* Authenticated in 1.2, ignored in 1.3 (facts rx.md A2.4). */
START_TEST(seal_header__outer_type)
{
	struct trace_rec *rec = add(23, 10);

	peer_fix_use(f, _i ? TLS_1_3_VERSION : TLS_1_2_VERSION,
		     TLS_CIPHER_AES_GCM_128);
	rec->mods = MOD_OUTER;
	rec->outer = 22;
	peer_fix_start(f);
	ck_assert_uint_eq(wire_byte(0, 0), 22);
	ck_assert(peer_fix_built(f, 0)->framed);
	ck_assert_int_eq(peer_fix_built(f, 0)->opens, _i);
	ck_assert_uint_eq(peer_fix_built(f, 0)->type, 23);
	ck_assert_int_gt(peer_fix_unseal(f, 0, buf), 0);
}
END_TEST

Suite *seal_test_suite(void);
Suite *seal_test_suite(void)
{
	Suite *suite = suite_create("seal");
	TCase *tc = tcase_create("seal");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, rec_wire_len__every_cipher, 0,
			    ARRAY_SIZE(cipher_rows));
	tcase_add_test(tc, rec_wire_len__padding_and_inner_type);
	tcase_add_loop_test(tc, seal_record__opens_with_every_cipher, 0,
			    ARRAY_SIZE(cipher_rows));
	tcase_add_loop_test(tc, seal_record__fill_byte_of_a_type, 0,
			    ARRAY_SIZE(fill_rows));
	tcase_add_test(tc, seal_record__explicit_nonce_is_the_sequence_number);
	tcase_add_test(tc, seal_record__record_over_a_page_border);
	tcase_add_loop_test(tc, seal_record__page_border_anywhere, 1, 33);
	tcase_add_test(tc, seal_record__padding);
	tcase_add_loop_test(tc, seal_record__spoilt_bits, 0,
			    ARRAY_SIZE(spoil_rows));
	tcase_add_test(tc, seal_record__badct_of_nothing);
	tcase_add_loop_test(tc, header_ok__body_length, 0,
			    ARRAY_SIZE(size_rows));
	tcase_add_test(tc, seal_header__version);
	tcase_add_test(tc, seal_header__length);
	tcase_add_test(tc, seal_header__length_change);
	tcase_add_loop_test(tc, seal_header__outer_type, 0, 2);
	suite_add_tcase(suite, tc);
	return suite;
}
