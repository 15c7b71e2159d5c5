// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/crypto.c, in its order.
 */
#include "model/crypto.h"
#include "tests/unit/mock.h"

static struct mock *m;
static struct crypto_pool *pool;

static void setup(void)
{
	m = mock_new();
	pool = crypto_pool_new();
	ck_assert_ptr_nonnull(pool);
}

static void teardown(void)
{
	crypto_pool_free(pool);
	mock_free(m);
}

static const struct {
	enum tls_cipher_type cipher;
	u32 keylen;
} kinds[] = {
	{ TLS_CIPHER_AES_GCM_128, 16 },
	{ TLS_CIPHER_AES_GCM_256, 32 },
	{ TLS_CIPHER_AES_CCM_128, 16 },
	{ TLS_CIPHER_CHACHA20_POLY1305, 32 },
};

static const u8 key_bytes[32] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };

static struct crypto_aead *aead_new(int i)
{
	struct crypto_aead *aead;

	ck_assert_int_eq(crypto_alloc_aead(pool, &m->k, kinds[i].cipher, &aead),
			 0);
	ck_assert_int_eq(crypto_aead_setkey(aead, key_bytes, kinds[i].keylen),
			 0);
	return aead;
}

/* A record of 1000 bytes in @in_piece/@out_piece byte pieces. */
struct rec {
	u8 in[1000], out[1000], tag[16], aad[13];
	struct scatterlist in_sg[1000], out_sg[1000];
	struct aead_request req;
};

static u32 cut(struct scatterlist *sg, u8 *buf, u32 len, u32 piece)
{
	u32 n = 0, at, chunk;

	for (at = 0; at < len; at += chunk) {
		chunk = len - at < piece ? len - at : piece;
		sg[n++] = (struct scatterlist){ buf + at, chunk };
	}
	return n;
}

static void rec_init(struct rec *r, u32 len, u32 in_piece, u32 out_piece)
{
	memset(r, 0, sizeof(*r));
	r->req.in_n = cut(r->in_sg, r->in, len, in_piece);
	r->req.out_n = cut(r->out_sg, r->out, len, out_piece);
	r->req.in = r->in_sg;
	r->req.out = r->out_sg;
	r->req.len = len;
	r->req.aad = r->aad;
	r->req.aad_len = sizeof(r->aad);
	r->req.tag = r->tag;
}

/* RFC 5116 style: test case 3 of the GCM specification. */
START_TEST(crypto_aead_encrypt__gcm_vector)
{
	static const u8 key[16] = { 0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65,
				    0x73, 0x1c, 0x6d, 0x6a, 0x8f, 0x94,
				    0x67, 0x30, 0x83, 0x08 };
	static const u8 nonce[12] = { 0xca, 0xfe, 0xba, 0xbe, 0xfa, 0xce,
				      0xdb, 0xad, 0xde, 0xca, 0xf8, 0x88 };
	static const u8 plain[16] = { 0xd9, 0x31, 0x32, 0x25, 0xf8, 0x84,
				      0x06, 0xe5, 0xa5, 0x59, 0x09, 0xc5,
				      0xaf, 0xf5, 0x26, 0x9a };
	static const u8 want[16] = { 0x42, 0x83, 0x1e, 0xc2, 0x21, 0x77,
				     0x74, 0x24, 0x4b, 0x72, 0x21, 0xb7,
				     0x84, 0xd0, 0xd4, 0x9c };
	struct crypto_aead *aead = aead_new(0);
	struct rec r;

	rec_init(&r, 16, 16, 16);
	memcpy(r.in, plain, 16);
	memcpy(r.req.nonce, nonce, 12);
	ck_assert_int_eq(crypto_aead_setkey(aead, key, 16), 0);
	ck_assert_int_eq(crypto_aead_encrypt(aead, &r.req), 0);
	ck_assert_mem_eq(r.out, want, 16);
	crypto_free_aead(pool, aead);
}
END_TEST

/* Pieces of any size give what one piece gives. */
START_TEST(crypto_aead_decrypt__any_pieces)
{
	static const u32 lens[] = { 0, 1, 15, 16, 17, 1000 };
	static const u32 sizes[] = { 1, 7, 16, 1000 };
	struct crypto_aead *aead = aead_new(_i);
	struct rec seal, open;
	u32 l, a, b;

	for (l = 0; l < ARRAY_SIZE(lens); l++) {
		rec_init(&seal, lens[l], 1000, 1000);
		memset(seal.in, 0x5a, lens[l]);
		ck_assert_int_eq(crypto_aead_encrypt(aead, &seal.req), 0);
		for (a = 0; a < ARRAY_SIZE(sizes); a++) {
			b = (a + l) % ARRAY_SIZE(sizes);
			rec_init(&open, lens[l], sizes[a], sizes[b]);
			memcpy(open.in, seal.out, lens[l]);
			memcpy(open.tag, seal.tag, 16);
			ck_assert_int_eq(crypto_aead_decrypt(aead, &open.req),
					 0);
			ck_assert(!memcmp(open.out, seal.in, lens[l]));
		}
	}
	crypto_free_aead(pool, aead);
}
END_TEST

/* The kernel's templates write the plaintext before they know. */
START_TEST(crypto_aead_decrypt__bad_tag_writes_output)
{
	struct crypto_aead *aead = aead_new(_i);
	struct rec seal, open;

	rec_init(&seal, 100, 100, 100);
	memset(seal.in, 0x5a, 100);
	ck_assert_int_eq(crypto_aead_encrypt(aead, &seal.req), 0);
	rec_init(&open, 100, 30, 40);
	memcpy(open.in, seal.out, 100);
	memcpy(open.tag, seal.tag, 16);
	open.tag[15] ^= 1;
	ck_assert_int_eq(crypto_aead_decrypt(aead, &open.req), -EBADMSG);
	ck_assert_mem_eq(open.out, seal.in, 100);
	open.tag[15] ^= 1;
	memset(open.out, 0, 100);
	ck_assert_int_eq(crypto_aead_decrypt(aead, &open.req), 0);
	ck_assert_mem_eq(open.out, seal.in, 100);
	crypto_free_aead(pool, aead);
}
END_TEST

START_TEST(crypto_aead_decrypt__in_place)
{
	struct crypto_aead *aead = aead_new(_i);
	struct rec r;
	u8 plain[100];

	memset(plain, 0x5a, 100);
	rec_init(&r, 100, 30, 30);
	r.req.out = r.in_sg;
	r.req.out_n = r.req.in_n;
	memset(r.in, 0x5a, 100);
	ck_assert_int_eq(crypto_aead_encrypt(aead, &r.req), 0);
	ck_assert_mem_ne(r.in, plain, 100);
	ck_assert_int_eq(crypto_aead_decrypt(aead, &r.req), 0);
	ck_assert_mem_eq(r.in, plain, 100);
	crypto_free_aead(pool, aead);
}
END_TEST

START_TEST(crypto_aead_decrypt__aad_and_nonce_count)
{
	struct crypto_aead *aead = aead_new(_i);
	struct rec seal;

	rec_init(&seal, 10, 10, 10);
	ck_assert_int_eq(crypto_aead_encrypt(aead, &seal.req), 0);
	memcpy(seal.in, seal.out, 10);
	seal.aad[0] ^= 1;
	ck_assert_int_eq(crypto_aead_decrypt(aead, &seal.req), -EBADMSG);
	seal.aad[0] ^= 1;
	seal.req.nonce[11] ^= 1;
	ck_assert_int_eq(crypto_aead_decrypt(aead, &seal.req), -EBADMSG);
	seal.req.nonce[11] ^= 1;
	ck_assert_int_eq(crypto_aead_decrypt(aead, &seal.req), 0);
	crypto_free_aead(pool, aead);
}
END_TEST

START_TEST(crypto_alloc_aead__not_built)
{
	struct crypto_aead *aead;

	ck_assert_int_eq(crypto_alloc_aead(pool, &m->k, TLS_CIPHER_SM4_GCM,
					   &aead),
			 -ENOENT);
	ck_assert_int_eq(crypto_alloc_aead(pool, &m->k, TLS_CIPHER_ARIA_GCM_256,
					   &aead),
			 -ENOENT);
}
END_TEST

START_TEST(crypto_alloc_aead__fault_plan)
{
	struct crypto_aead *aead;

	mock_fail(m, SITE_AEAD, 1);
	ck_assert_int_eq(crypto_alloc_aead(pool, &m->k, TLS_CIPHER_AES_GCM_128,
					   &aead),
			 -ENOMEM);
	/* The peer is not part of the plan, and of no kernel. */
	mock_fail(m, SITE_AEAD, 1);
	ck_assert_int_eq(crypto_alloc_aead(pool, NULL, TLS_CIPHER_AES_GCM_128,
					   &aead),
			 0);
	crypto_free_aead(pool, aead);
}
END_TEST

/* A pooled transform must not remember the key of its last user. */
START_TEST(crypto_aead_setkey__after_reuse)
{
	struct crypto_aead *a = aead_new(_i), *b;
	u8 other[32] = { 9 };
	struct rec r1, r2;

	rec_init(&r1, 10, 10, 10);
	ck_assert_int_eq(crypto_aead_encrypt(a, &r1.req), 0);
	crypto_free_aead(pool, a);

	ck_assert_int_eq(crypto_alloc_aead(pool, &m->k, kinds[_i].cipher, &b),
			 0);
	ck_assert_ptr_eq(a, b);
	ck_assert_int_eq(crypto_aead_setkey(b, other, kinds[_i].keylen), 0);
	rec_init(&r2, 10, 10, 10);
	ck_assert_int_eq(crypto_aead_encrypt(b, &r2.req), 0);
	ck_assert_mem_ne(r1.out, r2.out, 10);
	ck_assert_int_eq(crypto_aead_setkey(b, key_bytes, kinds[_i].keylen), 0);
	ck_assert_int_eq(crypto_aead_encrypt(b, &r2.req), 0);
	ck_assert_mem_eq(r1.out, r2.out, 10);
	ck_assert_mem_eq(r1.tag, r2.tag, 16);
	crypto_free_aead(pool, b);
}
END_TEST

START_TEST(crypto_aead_setkey__wrong_length)
{
	struct crypto_aead *aead = aead_new(0);

	ck_assert_int_eq(crypto_aead_setkey(aead, key_bytes, 32), -EINVAL);
	crypto_free_aead(pool, aead);
}
END_TEST

Suite *crypto_test_suite(void)
{
	Suite *s = suite_create("crypto");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, crypto_alloc_aead__not_built);
	tcase_add_test(tc, crypto_alloc_aead__fault_plan);
	tcase_add_loop_test(tc, crypto_aead_setkey__after_reuse, 0, 4);
	tcase_add_test(tc, crypto_aead_setkey__wrong_length);
	tcase_add_loop_test(tc, crypto_aead_decrypt__any_pieces, 0, 4);
	tcase_add_loop_test(tc, crypto_aead_decrypt__bad_tag_writes_output, 0,
			    4);
	tcase_add_loop_test(tc, crypto_aead_decrypt__in_place, 0, 4);
	tcase_add_loop_test(tc, crypto_aead_decrypt__aad_and_nonce_count, 0, 4);
	tcase_add_test(tc, crypto_aead_encrypt__gcm_vector);
	suite_add_tcase(s, tc);
	return s;
}
