// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/peer/peer.c, in its order.
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

static int build_error(u32 rec, struct sim_err *err)
{
	memset(err, 0x55, sizeof(*err));
	return peer_build(peer_fix_peer(f), rec, err);
}

START_TEST(peer_init__sequence_number_of_the_trace)
{
	f->tr.opts.seq = 1000;
	add(23, 1);
	add(23, 1);
	peer_fix_start(f);
	ck_assert_uint_eq(peer_fix_built(f, 1)->seq, 1001);
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
	ck_assert_uint_eq(peer_fix_built(f, 1)->gen, 7);
	ck_assert_uint_eq(peer_fix_built(f, 1)->seq, 3);
	ck_assert_uint_eq(peer_fix_built(f, 2)->seq, 100);
	ck_assert_int_eq(peer_fix_unseal(f, 0, buf), 6);
	ck_assert_int_eq(peer_fix_unseal(f, 1, buf), 6);
	ck_assert_int_eq(peer_fix_unseal(f, 2, buf), 6);
	ck_assert(pattern_matches(buf, 10, 5));
}
END_TEST

/* The kernels have no module for these ciphers, and neither has the peer. */
START_TEST(peer_rekey__cipher_that_is_not_built)
{
	struct sim_err err;

	peer_fix_use(f, TLS_1_2_VERSION, TLS_CIPHER_SM4_GCM);
	add(23, 5);
	peer_fix_open(f);
	ck_assert_int_eq(build_error(0, &err), -1);
	ck_assert_uint_eq(err.line, 0);
	ck_assert_ptr_nonnull(strstr(err.msg, "cannot be built"));
	ck_assert(!peer_fix_peer(f)->recs[0].built);
}
END_TEST

START_TEST(type_from_content__last_byte_is_the_type)
{
	add(23, 3)->mods = MOD_NOINNER;
	peer_fix_start(f);
	ck_assert_int_eq(peer_fix_unseal(f, 0, buf), 3);
	ck_assert_uint_eq(peer_fix_built(f, 0)->type, 17); /* pattern byte 2 */
	ck_assert_uint_eq(peer_fix_built(f, 0)->plain_len, 2);
	ck_assert(peer_fix_built(f, 0)->opens);
	peer_plain(peer_fix_peer(f), 0, 0, 2, buf);
	ck_assert(pattern_matches(buf, 0, 2));
}
END_TEST

START_TEST(type_from_content__empty)
{
	add(23, 0)->mods = MOD_NOINNER;
	peer_fix_start(f);
	ck_assert_uint_eq(peer_fix_built(f, 0)->len, 21);
	ck_assert_int_eq(peer_fix_unseal(f, 0, buf), 0);
	ck_assert(!peer_fix_built(f, 0)->opens);
	ck_assert(peer_fix_built(f, 0)->framed);
}
END_TEST

START_TEST(build_sealed__all_zeros)
{
	add(23, 10)->mods = MOD_ZERO;
	add(23, 10);
	peer_fix_start(f);
	ck_assert_uint_eq(peer_fix_built(f, 0)->len, 32);
	memset(buf, 1, 11);
	ck_assert_int_eq(peer_fix_unseal(f, 0, buf), 11);
	ck_assert_uint_eq(buf[0] | buf[9] | buf[10], 0);
	ck_assert(!peer_fix_built(f, 0)->opens);
	ck_assert_uint_eq(peer_fix_built(f, 1)->data_off, 10);
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
	ck_assert_uint_eq(peer_fix_built(f, 1)->seq, 500);
	ck_assert_uint_eq(peer_fix_built(f, 2)->seq, 1);
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
	ck_assert_uint_eq(peer_fix_built(f, 0)->len, 27);
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
	ck_assert_uint_eq(peer_fix_built(f, 0)->type, 20);
	ck_assert(!peer_fix_built(f, 0)->framed);
	ck_assert(!peer_fix_built(f, 0)->opens);
	ck_assert_uint_eq(peer_fix_built(f, 1)->seq, 0);
	ck_assert_uint_eq(peer_fix_built(f, 1)->off, 6);
}
END_TEST

/* A whole header with a right length may still hold rubbish. */
START_TEST(build_raw__framed)
{
	static const u8 rubbish[21] = { 0x17, 3, 3, 0, 16 };
	struct trace_rec *rec = peer_fix_add(f, REC_RAW, 0, sizeof(rubbish));

	rec->raw = rubbish;
	peer_fix_start(f);
	ck_assert(peer_fix_built(f, 0)->framed);
	ck_assert(!peer_fix_built(f, 0)->opens);
}
END_TEST

START_TEST(build_ossl__data_and_key_update)
{
	peer_fix_add(f, REC_OPENSSL, 0, 10)->ossl = OSSL_DATA;
	peer_fix_add(f, REC_OPENSSL, 0, 0)->ossl = OSSL_KEYUPDATE;
	peer_fix_add(f, REC_OPENSSL, 0, 10)->ossl = OSSL_DATA;
	f->tr.opts.openssl = true;
	peer_fix_start(f);
	ck_assert_uint_eq(peer_fix_built(f, 0)->len, 32);
	ck_assert_uint_eq(peer_fix_built(f, 1)->type, 22);
	ck_assert_uint_eq(peer_fix_built(f, 1)->plain_len, 5);
	ck_assert_uint_eq(peer_fix_built(f, 1)->gen, 0);
	ck_assert_uint_eq(peer_fix_built(f, 2)->gen, 1);
	ck_assert_uint_eq(peer_fix_built(f, 2)->seq, 0);
	ck_assert_uint_eq(peer_fix_built(f, 2)->data_off, 10);
	ck_assert(peer_fix_built(f, 2)->opens && peer_fix_built(f, 2)->framed);
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
	peer_fix_use(f, TLS_1_2_VERSION, TLS_CIPHER_ARIA_GCM_128);
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
	peer_fix_use(f, TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128);
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

Suite *peer_test_suite(void);
Suite *peer_test_suite(void)
{
	Suite *suite = suite_create("peer");
	TCase *tc = tcase_create("peer");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, peer_init__sequence_number_of_the_trace);
	tcase_add_test(tc, peer_abandon__leaves_pages_to_the_arena);
	tcase_add_test(tc, peer_set_key__seals_with_the_new_generation);
	tcase_add_test(tc, peer_rekey__cipher_that_is_not_built);
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
