/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * AEAD transforms for the receive path, over libcrypto's EVP.
 *
 * A transform is taken from a pool that survives its world, because building
 * an EVP context costs more than opening a small record. The pool is a pure
 * cache: what a transform computes depends only on cipher, key and input.
 */
#ifndef MODEL_CRYPTO_H
#define MODEL_CRYPTO_H

#include "model/skb.h"

#define TLS_TAG_SIZE 16
#define TLS_AEAD_KEY_MAX 32

/* Numbers as in linux/tls.h. */
enum tls_cipher_type {
	TLS_CIPHER_AES_GCM_128 = 51,
	TLS_CIPHER_AES_GCM_256 = 52,
	TLS_CIPHER_AES_CCM_128 = 53,
	TLS_CIPHER_CHACHA20_POLY1305 = 54,
	TLS_CIPHER_SM4_GCM = 55,
	TLS_CIPHER_SM4_CCM = 56,
	TLS_CIPHER_ARIA_GCM_128 = 57,
	TLS_CIPHER_ARIA_GCM_256 = 58,
};

struct crypto_pool;
struct crypto_aead;

struct crypto_pool *crypto_pool_new(void);
void crypto_pool_free(struct crypto_pool *pool);

/* -ENOENT: cipher not built (SM4, ARIA, as in Debian's kernels); -ENOMEM on an
 * injected failure (@k and its fault plan; @k may be NULL for the peer). */
int crypto_alloc_aead(struct crypto_pool *pool, struct m_kernel *k,
		      enum tls_cipher_type cipher, struct crypto_aead **out);
void crypto_free_aead(struct crypto_pool *pool, struct crypto_aead *aead);
int crypto_aead_setkey(struct crypto_aead *aead, const u8 *key, u32 keylen);

/**
 * struct aead_request - one record to seal or open
 * @nonce: 12 bytes, as TLS builds it (CCM's flag byte is not part of it)
 * @aad: additional data
 * @aad_len: 5 or 13
 * @in: ciphertext (open) or plaintext (seal) pieces; may go on behind @len
 * @in_n: how many
 * @out: where the result goes; may be @in itself; at least as long
 * @out_n: how many
 * @len: bytes to process, in both
 * @tag: 16 bytes: read by open, written by seal
 */
struct aead_request {
	u8 nonce[12];
	const u8 *aad;
	u32 aad_len;
	const struct scatterlist *in;
	u32 in_n;
	const struct scatterlist *out;
	u32 out_n;
	u32 len;
	u8 *tag;
};

/* 0 or -EBADMSG. Like the kernel's templates, output may be written before
 * the tag turns out wrong. */
int crypto_aead_decrypt(struct crypto_aead *aead,
			const struct aead_request *req);
int crypto_aead_encrypt(struct crypto_aead *aead,
			const struct aead_request *req);

#endif
