// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/peer.c, in its order. Wire lengths are those that real senders'
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

static void use(u16 version, u16 cipher)
{
	f->tr.opts.version = version;
	f->tr.opts.cipher = cipher;
}

static struct trace_rec *add(u8 type, u32 len)
{
	return peer_fix_add(f, REC_SEALED, type, len);
}

static const struct peer_rec *built(u32 rec)
{
	ck_assert(peer_fix_peer(f)->recs[rec].built);
	return &peer_fix_peer(f)->recs[rec];
}

/* First byte of a built record's header and so on. */
static u8 wire_byte(u32 rec, u32 off)
{
	u8 byte;

	peer_copy(peer_fix_peer(f), built(rec)->off + off, &byte, 1);
	return byte;
}

static int build_error(u32 rec, struct sim_err *err)
{
	memset(err, 0x55, sizeof(*err));
	return peer_build(peer_fix_peer(f), rec, err);
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
	use(cipher_rows[_i].version, cipher_rows[_i].cipher);
	ck_assert_uint_eq(rec_wire_len(&f->tr.opts, add(23, 10)),
			  cipher_rows[_i].wire);
	peer_fix_start(f);
	ck_assert_uint_eq(built(0)->len, cipher_rows[_i].wire);
}
END_TEST

START_TEST(rec_wire_len__padding_and_inner_type)
{
	struct trace_rec *rec = add(23, 100);

	rec->pad = 50;
	ck_assert_uint_eq(rec_wire_len(&f->tr.opts, rec), 172);
	rec->mods = MOD_NOINNER;
	ck_assert_uint_eq(rec_wire_len(&f->tr.opts, rec), 171);
	use(TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128);
	ck_assert_uint_eq(rec_wire_len(&f->tr.opts, rec), 129);
	rec->kind = REC_RAW;
	ck_assert_uint_eq(rec_wire_len(&f->tr.opts, rec), 100);
	rec->kind = REC_OPENSSL;
	ck_assert_uint_eq(rec_wire_len(&f->tr.opts, rec), 0);
	rec->kind = REC_SEALED;
	peer_fix_open(f);
}
END_TEST

START_TEST(peer_init__sequence_number_of_the_trace)
{
	f->tr.opts.seq = 1000;
	add(23, 1);
	add(23, 1);
	peer_fix_start(f);
	ck_assert_uint_eq(built(1)->seq, 1001);
	ck_assert_int_eq(peer_fix_unseal(f, 1, buf), 2);
}
END_TEST

START_TEST(peer_abandon__leaves_pages_to_the_arena)
{
	struct sim_peer *p = peer_fix_peer(f);
	struct page *page;

	add(23, 1);
	peer_fix_start(f);
	page = p->pages[0];
	peer_abandon(p);
	ck_assert_uint_eq(page->refcount, 1);
	ck_assert_ptr_null(p->aead);
	put_page(&f->s.k, page);
}
END_TEST

START_TEST(peer_set_key__seals_with_the_new_generation)
{
	struct sim_err err;

	add(23, 5);
	add(23, 5);
	add(23, 5);
	peer_fix_open(f);
	ck_assert_int_eq(peer_build(peer_fix_peer(f), 0, &err), 0);
	peer_set_key(peer_fix_peer(f), 7, 3);
	ck_assert_int_eq(peer_build(peer_fix_peer(f), 1, &err), 0);
	peer_set_key(peer_fix_peer(f), 7, 100);
	ck_assert_int_eq(peer_build(peer_fix_peer(f), 2, &err), 0);
	ck_assert_uint_eq(built(1)->gen, 7);
	ck_assert_uint_eq(built(1)->seq, 3);
	ck_assert_uint_eq(built(2)->seq, 100);
	ck_assert_int_eq(peer_fix_unseal(f, 0, buf), 6);
	ck_assert_int_eq(peer_fix_unseal(f, 1, buf), 6);
	ck_assert_int_eq(peer_fix_unseal(f, 2, buf), 6);
	ck_assert(pattern_matches(buf, 10, 5));
}
END_TEST

/* One small page is enough for a small world; offsets do not change. */
START_TEST(first_page_order__follows_the_whole_stream)
{
	add(23, 512);
	add(23, 512);
	peer_fix_start(f);
	ck_assert_uint_eq(peer_fix_peer(f)->page_n, 1);
	ck_assert_uint_eq(peer_fix_peer(f)->pages[0]->order, 0);
}
END_TEST

START_TEST(first_page_order__long_stream_takes_compound_pages)
{
	u32 i;

	for (i = 0; i < 3; i++)
		add(23, 16384);
	peer_fix_start(f);
	ck_assert_uint_eq(peer_fix_peer(f)->page_n, 2);
	ck_assert_uint_eq(peer_fix_peer(f)->pages[0]->order, PEER_PAGE_ORDER);
	ck_assert_uint_eq(peer_fix_peer(f)->pages[1]->order, PEER_PAGE_ORDER);
}
END_TEST

START_TEST(peer_copy__over_a_page_border)
{
	u32 i;

	for (i = 0; i < 4; i++) {
		struct trace_rec *rec = peer_fix_add(f, REC_RAW, 0, 20000);
		u8 *raw = mem_pool_alloc_raw(f->s.pool, 20000);

		memset(raw, (int)i + 1, 20000);
		rec->raw = raw;
	}
	peer_fix_start(f);
	peer_copy(peer_fix_peer(f), 19999, buf, 20002);
	ck_assert_uint_eq(buf[0], 1);
	ck_assert_uint_eq(buf[1], 2);
	ck_assert_uint_eq(buf[20000], 2);
	ck_assert_uint_eq(buf[20001], 3);
}
END_TEST

/* The kernels have no module for these ciphers, and neither has the peer. */
START_TEST(peer_rekey__cipher_that_is_not_built)
{
	struct sim_err err;

	use(TLS_1_2_VERSION, TLS_CIPHER_SM4_GCM);
	add(23, 5);
	peer_fix_open(f);
	ck_assert_int_eq(build_error(0, &err), -1);
	ck_assert_uint_eq(err.line, 0);
	ck_assert_ptr_nonnull(strstr(err.msg, "cannot be built"));
	ck_assert(!peer_fix_peer(f)->recs[0].built);
}
END_TEST

START_TEST(seal__opens_with_every_cipher)
{
	u32 inner = 10 + (cipher_rows[_i].version == TLS_1_3_VERSION);

	use(cipher_rows[_i].version, cipher_rows[_i].cipher);
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

START_TEST(seal__fill_byte_of_a_type)
{
	add(fill_rows[_i].type, 3);
	peer_fix_start(f);
	ck_assert_int_eq(peer_fix_unseal(f, 0, buf), 4);
	ck_assert_uint_eq(buf[0], fill_rows[_i].fill);
	ck_assert_uint_eq(buf[2], fill_rows[_i].fill);
	ck_assert_uint_eq(buf[3], fill_rows[_i].type);
	ck_assert_uint_eq(built(0)->fill, fill_rows[_i].fill);
}
END_TEST

START_TEST(seal__explicit_nonce_is_the_sequence_number)
{
	use(TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128);
	f->tr.opts.seq = 0x1122;
	add(23, 10);
	peer_fix_start(f);
	ck_assert_uint_eq(wire_byte(0, 5), 0);
	ck_assert_uint_eq(wire_byte(0, 11), 0x11);
	ck_assert_uint_eq(wire_byte(0, 12), 0x22);
}
END_TEST

START_TEST(seal__record_over_a_page_border)
{
	u32 i;

	for (i = 0; i < 5; i++)
		add(23, 16384);
	peer_fix_start(f);
	for (i = 0; i < 5; i++) {
		ck_assert_uint_eq(built(i)->len, 16406);
		ck_assert_int_eq(peer_fix_unseal(f, i, buf), 16385);
		ck_assert(pattern_matches(buf, 16384ull * i, 16384));
	}
}
END_TEST

/* The page ends at every place of the small record in turn. */
START_TEST(seal__page_border_anywhere)
{
	struct trace_rec *rec = peer_fix_add(f, REC_RAW, 0, 32768 - (u32)_i);

	rec->raw = mem_pool_alloc(f->s.pool, 32768);
	add(23, 10);
	peer_fix_start(f);
	ck_assert_int_eq(peer_fix_unseal(f, 1, buf), 11);
	ck_assert(pattern_matches(buf, 0, 10));
}
END_TEST

START_TEST(seal__padding)
{
	add(23, 4)->pad = 3;
	peer_fix_start(f);
	ck_assert_int_eq(peer_fix_unseal(f, 0, buf), 8);
	ck_assert_uint_eq(buf[4], 23);
	ck_assert_uint_eq(buf[5] | buf[6] | buf[7], 0);
	ck_assert_uint_eq(built(0)->plain_len, 4);
}
END_TEST

static const enum rec_mod spoil_rows[] = { MOD_BADTAG, MOD_BADCT };

/* Spoilt records still take their place in pattern and numbering. */
START_TEST(seal__spoilt_bits)
{
	add(23, 10)->mods = spoil_rows[_i];
	add(23, 10);
	peer_fix_start(f);
	ck_assert_int_eq(peer_fix_unseal(f, 0, buf), -EBADMSG);
	ck_assert(!built(0)->opens);
	ck_assert(built(0)->framed);
	ck_assert_int_eq(peer_fix_unseal(f, 1, buf), 11);
	ck_assert_uint_eq(built(1)->data_off, 10);
	ck_assert_uint_eq(built(1)->seq, 1);
	ck_assert(built(1)->opens);
}
END_TEST

/* Without ciphertext the first bit behind the header is the tag's. */
START_TEST(seal__badct_of_nothing)
{
	use(TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128);
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
	use(size_rows[_i].version, TLS_CIPHER_AES_GCM_128);
	add(23, size_rows[_i].len)->pad = size_rows[_i].pad;
	peer_fix_start(f);
	ck_assert_int_eq(built(0)->framed, size_rows[_i].framed);
	ck_assert(built(0)->opens);
}
END_TEST

START_TEST(put_header__version)
{
	struct trace_rec *rec = add(23, 10);

	rec->mods = MOD_VER;
	rec->ver = 0x0301;
	peer_fix_start(f);
	ck_assert_uint_eq(wire_byte(0, 0), 23);
	ck_assert_uint_eq(wire_byte(0, 1), 3);
	ck_assert_uint_eq(wire_byte(0, 2), 1);
	ck_assert(!built(0)->framed);
}
END_TEST

START_TEST(put_header__length)
{
	struct trace_rec *rec = add(23, 10);

	rec->mods = MOD_LEN;
	rec->hdr_len = 300;
	peer_fix_start(f);
	ck_assert_uint_eq(wire_byte(0, 3), 1);
	ck_assert_uint_eq(wire_byte(0, 4), 44);
	ck_assert(!built(0)->framed);
	ck_assert(!built(0)->opens);
}
END_TEST

START_TEST(put_header__length_change)
{
	struct trace_rec *rec = add(23, 10);

	rec->mods = MOD_DLEN;
	rec->dlen = -1;
	peer_fix_start(f);
	ck_assert_uint_eq(wire_byte(0, 4), 26);
	ck_assert(!built(0)->framed);
}
END_TEST

/* Authenticated in 1.2, ignored in 1.3 (facts rx.md A2.4). */
START_TEST(put_header__outer_type)
{
	struct trace_rec *rec = add(23, 10);

	use(_i ? TLS_1_3_VERSION : TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128);
	rec->mods = MOD_OUTER;
	rec->outer = 22;
	peer_fix_start(f);
	ck_assert_uint_eq(wire_byte(0, 0), 22);
	ck_assert(built(0)->framed);
	ck_assert_int_eq(built(0)->opens, _i);
	ck_assert_uint_eq(built(0)->type, 23);
	ck_assert_int_gt(peer_fix_unseal(f, 0, buf), 0);
}
END_TEST

START_TEST(type_from_content__last_byte_is_the_type)
{
	add(23, 3)->mods = MOD_NOINNER;
	peer_fix_start(f);
	ck_assert_int_eq(peer_fix_unseal(f, 0, buf), 3);
	ck_assert_uint_eq(built(0)->type, 17); /* pattern byte 2 */
	ck_assert_uint_eq(built(0)->plain_len, 2);
	ck_assert(built(0)->opens);
	peer_plain(peer_fix_peer(f), 0, 0, 2, buf);
	ck_assert(pattern_matches(buf, 0, 2));
}
END_TEST

START_TEST(type_from_content__empty)
{
	add(23, 0)->mods = MOD_NOINNER;
	peer_fix_start(f);
	ck_assert_uint_eq(built(0)->len, 21);
	ck_assert_int_eq(peer_fix_unseal(f, 0, buf), 0);
	ck_assert(!built(0)->opens);
	ck_assert(built(0)->framed);
}
END_TEST

START_TEST(build_sealed__all_zeros)
{
	add(23, 10)->mods = MOD_ZERO;
	add(23, 10);
	peer_fix_start(f);
	ck_assert_uint_eq(built(0)->len, 32);
	memset(buf, 1, 11);
	ck_assert_int_eq(peer_fix_unseal(f, 0, buf), 11);
	ck_assert_uint_eq(buf[0] | buf[9] | buf[10], 0);
	ck_assert(!built(0)->opens);
	ck_assert_uint_eq(built(1)->data_off, 10);
}
END_TEST

/* A number of its own; the next record has the one it would have had. */
START_TEST(build_sealed__other_sequence_number)
{
	struct trace_rec *rec;

	add(23, 10);
	rec = add(23, 10);
	rec->mods = MOD_SEQ;
	rec->seq = 500;
	add(23, 10);
	peer_fix_start(f);
	ck_assert_uint_eq(built(1)->seq, 500);
	ck_assert_uint_eq(built(2)->seq, 1);
	ck_assert_int_eq(peer_fix_unseal(f, 1, buf), 11);
	ck_assert_int_eq(peer_fix_unseal(f, 2, buf), 11);
}
END_TEST

START_TEST(build_sealed__key_update)
{
	peer_fix_add(f, REC_KEYUPDATE, 22, 5);
	peer_fix_add(f, REC_KEYUPDATE, 22, 2);
	peer_fix_add(f, REC_KEYUPDATE, 22, 8);
	peer_fix_start(f);
	ck_assert_uint_eq(built(0)->len, 27);
	ck_assert_int_eq(peer_fix_unseal(f, 0, buf), 6);
	ck_assert_mem_eq(buf, "\x18\0\0\1\0\x16", 6);
	ck_assert_int_eq(peer_fix_unseal(f, 1, buf), 3);
	ck_assert_mem_eq(buf, "\x18\0\x16", 3);
	ck_assert_int_eq(peer_fix_unseal(f, 2, buf), 9);
	ck_assert_mem_eq(buf, "\x18\0\0\1\0\0\0\0\x16", 9);
	peer_plain(peer_fix_peer(f), 2, 3, 2, buf);
	ck_assert_mem_eq(buf, "\1\0", 2);
	ck_assert(peer_plain_matches(peer_fix_peer(f), 2, 3, 2, buf));
}
END_TEST

START_TEST(build_raw__bytes_as_written)
{
	static const u8 ccs[] = { 0x14, 3, 3, 0, 1, 1 };
	struct trace_rec *rec = peer_fix_add(f, REC_RAW, 0, sizeof(ccs));

	rec->raw = ccs;
	add(23, 10);
	peer_fix_start(f);
	peer_copy(peer_fix_peer(f), 0, buf, sizeof(ccs));
	ck_assert_mem_eq(buf, ccs, sizeof(ccs));
	ck_assert_uint_eq(built(0)->type, 20);
	ck_assert(!built(0)->framed);
	ck_assert(!built(0)->opens);
	ck_assert_uint_eq(built(1)->seq, 0);
	ck_assert_uint_eq(built(1)->off, 6);
}
END_TEST

/* A whole header with a right length may still hold rubbish. */
START_TEST(build_raw__framed)
{
	static const u8 rubbish[21] = { 0x17, 3, 3, 0, 16 };
	struct trace_rec *rec = peer_fix_add(f, REC_RAW, 0, sizeof(rubbish));

	rec->raw = rubbish;
	peer_fix_start(f);
	ck_assert(built(0)->framed);
	ck_assert(!built(0)->opens);
}
END_TEST

START_TEST(build_ossl__data_and_key_update)
{
	peer_fix_add(f, REC_OPENSSL, 0, 10)->ossl = OSSL_DATA;
	peer_fix_add(f, REC_OPENSSL, 0, 0)->ossl = OSSL_KEYUPDATE;
	peer_fix_add(f, REC_OPENSSL, 0, 10)->ossl = OSSL_DATA;
	f->tr.opts.openssl = true;
	peer_fix_start(f);
	ck_assert_uint_eq(built(0)->len, 32);
	ck_assert_uint_eq(built(1)->type, 22);
	ck_assert_uint_eq(built(1)->plain_len, 5);
	ck_assert_uint_eq(built(1)->gen, 0);
	ck_assert_uint_eq(built(2)->gen, 1);
	ck_assert_uint_eq(built(2)->seq, 0);
	ck_assert_uint_eq(built(2)->data_off, 10);
	ck_assert(built(2)->opens && built(2)->framed);
	pattern_fill(buf, 10, 10);
	ck_assert(peer_plain_matches(peer_fix_peer(f), 2, 0, 10, buf));
	ck_assert(peer_plain_matches(peer_fix_peer(f), 1, 0, 5,
				     (const u8 *)"\x18\0\0\1\0"));
}
END_TEST

START_TEST(build_ossl__no_endpoint)
{
	struct sim_err err;

	peer_fix_add(f, REC_OPENSSL, 0, 10)->ossl = OSSL_DATA;
	f->tr.opts.openssl = true;
	use(TLS_1_2_VERSION, TLS_CIPHER_ARIA_GCM_128);
	peer_fix_open(f);
	ck_assert_ptr_null(peer_fix_peer(f)->ossl);
	ck_assert_int_eq(build_error(0, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "libssl"));
}
END_TEST

START_TEST(build_ossl__refused)
{
	struct sim_err err;

	peer_fix_add(f, REC_OPENSSL, 0, 0)->ossl = OSSL_TICKET;
	f->tr.opts.openssl = true;
	use(TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128);
	peer_fix_open(f);
	ck_assert_int_eq(build_error(0, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "only in TLS 1.3"));
}
END_TEST

START_TEST(peer_build__kind_does_not_fit_the_peer)
{
	struct sim_err err;

	f->tr.opts.openssl = _i;
	peer_fix_add(f, _i ? REC_SEALED : REC_OPENSSL, 23, 10);
	peer_fix_open(f);
	ck_assert_int_eq(build_error(0, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "peer=openssl"));
}
END_TEST

START_TEST(peer_build__too_long)
{
	struct sim_err err;

	add(23, 3 * 32768);
	peer_fix_open(f);
	ck_assert_int_eq(build_error(0, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "too many bytes"));
}
END_TEST

START_TEST(peer_plain__pattern_and_fill)
{
	add(23, 10);
	add(23, 10);
	add(21, 2);
	peer_fix_start(f);
	peer_plain(peer_fix_peer(f), 1, 4, 6, buf);
	ck_assert(pattern_matches(buf, 14, 6));
	peer_plain(peer_fix_peer(f), 2, 1, 1, buf);
	ck_assert_uint_eq(buf[0], 0xfb);
}
END_TEST

START_TEST(peer_plain_matches__only_the_right_bytes)
{
	struct sim_peer *p = peer_fix_peer(f);

	add(23, 10);
	add(21, 2);
	peer_fix_start(f);
	pattern_fill(buf, 3, 7);
	ck_assert(peer_plain_matches(p, 0, 3, 7, buf));
	ck_assert(!peer_plain_matches(p, 0, 2, 7, buf));
	ck_assert(!peer_plain_matches(p, 0, 3, 8, buf));
	memset(buf, 0xfb, 2);
	ck_assert(peer_plain_matches(p, 1, 0, 2, buf));
	ck_assert(peer_plain_matches(p, 1, 2, 0, buf));
	buf[1] = 0xfc;
	ck_assert(!peer_plain_matches(p, 1, 0, 2, buf));
}
END_TEST

START_TEST(peer_range__one_and_several_records)
{
	struct trace_range r = { .rec = 1, .count = 1, .to = RANGE_END };
	struct sim_err err;
	u64 from, to;

	add(23, 10);
	add(23, 10);
	add(23, 10);
	peer_fix_start(f);
	ck_assert_int_eq(peer_range(peer_fix_peer(f), &r, &from, &to, &err), 0);
	ck_assert_uint_eq(from, 32);
	ck_assert_uint_eq(to, 64);
	r.count = 2;
	r.from = 30;
	r.to = 40;
	ck_assert_int_eq(peer_range(peer_fix_peer(f), &r, &from, &to, &err), 0);
	ck_assert_uint_eq(from, 62);
	ck_assert_uint_eq(to, 72);
}
END_TEST

START_TEST(peer_range__errors)
{
	struct trace_range r = { .rec = 0, .count = 1, .to = 33 };
	struct sim_err err;
	u64 from, to;

	add(23, 10);
	add(23, 10);
	peer_fix_open(f);
	ck_assert_int_eq(peer_build(peer_fix_peer(f), 0, &err), 0);
	ck_assert_int_eq(peer_range(peer_fix_peer(f), &r, &from, &to, &err),
			 -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "at most 32"));
	r.from = 5;
	r.to = 4;
	ck_assert_int_eq(peer_range(peer_fix_peer(f), &r, &from, &to, &err),
			 -1);
	r.rec = 1;
	ck_assert_int_eq(peer_range(peer_fix_peer(f), &r, &from, &to, &err),
			 -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "not built"));
}
END_TEST

static TCase *record_cases(void)
{
	TCase *tc = tcase_create("records");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, rec_wire_len__every_cipher, 0,
			    ARRAY_SIZE(cipher_rows));
	tcase_add_test(tc, rec_wire_len__padding_and_inner_type);
	tcase_add_test(tc, peer_init__sequence_number_of_the_trace);
	tcase_add_test(tc, peer_abandon__leaves_pages_to_the_arena);
	tcase_add_test(tc, peer_set_key__seals_with_the_new_generation);
	tcase_add_test(tc, first_page_order__follows_the_whole_stream);
	tcase_add_test(tc, first_page_order__long_stream_takes_compound_pages);
	tcase_add_test(tc, peer_copy__over_a_page_border);
	tcase_add_test(tc, peer_rekey__cipher_that_is_not_built);
	tcase_add_loop_test(tc, seal__opens_with_every_cipher, 0,
			    ARRAY_SIZE(cipher_rows));
	tcase_add_loop_test(tc, seal__fill_byte_of_a_type, 0,
			    ARRAY_SIZE(fill_rows));
	tcase_add_test(tc, seal__explicit_nonce_is_the_sequence_number);
	tcase_add_test(tc, seal__record_over_a_page_border);
	tcase_add_loop_test(tc, seal__page_border_anywhere, 1, 33);
	tcase_add_test(tc, seal__padding);
	tcase_add_loop_test(tc, seal__spoilt_bits, 0, ARRAY_SIZE(spoil_rows));
	tcase_add_test(tc, seal__badct_of_nothing);
	tcase_add_loop_test(tc, header_ok__body_length, 0,
			    ARRAY_SIZE(size_rows));
	tcase_add_test(tc, put_header__version);
	tcase_add_test(tc, put_header__length);
	tcase_add_test(tc, put_header__length_change);
	tcase_add_loop_test(tc, put_header__outer_type, 0, 2);
	return tc;
}

Suite *peer_test_suite(void);
Suite *peer_test_suite(void)
{
	Suite *suite = suite_create("peer");
	TCase *tc = tcase_create("stream");

	suite_add_tcase(suite, record_cases());
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, type_from_content__last_byte_is_the_type);
	tcase_add_test(tc, type_from_content__empty);
	tcase_add_test(tc, build_sealed__all_zeros);
	tcase_add_test(tc, build_sealed__other_sequence_number);
	tcase_add_test(tc, build_sealed__key_update);
	tcase_add_test(tc, build_raw__bytes_as_written);
	tcase_add_test(tc, build_raw__framed);
	tcase_add_test(tc, build_ossl__data_and_key_update);
	tcase_add_test(tc, build_ossl__no_endpoint);
	tcase_add_test(tc, build_ossl__refused);
	tcase_add_loop_test(tc, peer_build__kind_does_not_fit_the_peer, 0, 2);
	tcase_add_test(tc, peer_build__too_long);
	tcase_add_test(tc, peer_plain__pattern_and_fill);
	tcase_add_test(tc, peer_plain_matches__only_the_right_bytes);
	tcase_add_test(tc, peer_range__one_and_several_records);
	tcase_add_test(tc, peer_range__errors);
	suite_add_tcase(suite, tc);
	return suite;
}
