// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AEAD transforms over libcrypto's EVP, kept warm in a pool.
 *
 * A transform has one EVP context a direction, built at first use and keyed
 * again only when the key really changes; a record then costs one init with
 * the nonce (and the tag, when opening), the additional data, and one update
 * for each run that is contiguous in input and output. CCM cannot stream, so
 * it works on a copy that the transform keeps room for.
 *
 * Left out: SM4 and ARIA (no module in the kernels compared with), and
 * completion later than the call.
 *
 * Upstream: crypto/aead.c, gcm.c, ccm.c, chacha20poly1305.c (Linux 7.2.13), as
 * far as net/tls uses them: crypto_alloc_aead, crypto_free_aead,
 * crypto_aead_setkey, crypto_aead_encrypt, crypto_aead_decrypt.
 */
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "model/crypto.h"

#define NONCE_SIZE 12
/* Length of a fixed nonce: all of it (EVP_CTRL_GCM_SET_IV_FIXED with -1). */
#define NONCE_WHOLE ((size_t)-1)

enum {
	AEAD_OPEN,
	AEAD_SEAL,
	AEAD_DIRS
};

/* One entry a cipher that is built; index is cipher type - AES_GCM_128. */
static const struct aead_kind {
	const char *name;
	u32 keylen;
	bool whole; /* CCM: needs the length first, all data in one piece */
	bool gcm; /* takes a nonce without a new init */
} aead_kinds[] = {
	{ "AES-128-GCM", 16, false, true },
	{ "AES-256-GCM", 32, false, true },
	{ "AES-128-CCM", 16, true, false },
	{ "ChaCha20-Poly1305", 32, false, false },
};

/**
 * struct crypto_aead - one transform
 * @next: next idle one of the same cipher, while in the pool
 * @all_next: next one of the pool, idle or not
 * @kind: cipher
 * @cipher: fetched algorithm, owned by the pool
 * @k: kernel that @token belongs to
 * @token: memory of that kernel, so that a transform that is never freed shows
 *	up as a leak and the fault plan is asked
 * @keyed: @key is set
 * @key: current key
 * @fresh: the context of this direction has @key
 * @evp: contexts, NULL before first use
 * @short_start: a record is started by setting parameters, without an init
 * @tag: parameter that carries the tag in and out
 * @open: the tag, and the nonce as the end of a fixed one
 * @seal: the nonce as a fixed one
 * @scratch: CCM: input copy, then output copy
 * @scratch_size: bytes of each half
 */
struct crypto_aead {
	struct crypto_aead *next;
	struct crypto_aead *all_next;
	const struct aead_kind *kind;
	EVP_CIPHER *cipher;
	struct m_kernel *k;
	void *token;
	bool keyed;
	u8 key[TLS_AEAD_KEY_MAX];
	bool fresh[AEAD_DIRS];
	EVP_CIPHER_CTX *evp[AEAD_DIRS];
	bool short_start[AEAD_DIRS];
	OSSL_PARAM tag[2];
	OSSL_PARAM open[3];
	OSSL_PARAM seal[2];
	u8 *scratch;
	u32 scratch_size;
};

/**
 * struct crypto_pool - idle transforms and fetched algorithms
 * @cipher: algorithms, NULL when libcrypto has none
 * @idle: LIFO of transforms, so that the warmest is used first
 * @all: every transform; one that a simulated crash left in use goes, too
 */
struct crypto_pool {
	EVP_CIPHER *cipher[ARRAY_SIZE(aead_kinds)];
	struct crypto_aead *idle[ARRAY_SIZE(aead_kinds)];
	struct crypto_aead *all;
};

struct crypto_pool *crypto_pool_new(void)
{
	struct crypto_pool *pool = OPENSSL_zalloc(sizeof(*pool));
	size_t i;

	if (!pool)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(aead_kinds); i++)
		pool->cipher[i] =
			EVP_CIPHER_fetch(NULL, aead_kinds[i].name, NULL);
	return pool;
}

static void aead_destroy(struct crypto_aead *aead)
{
	EVP_CIPHER_CTX_free(aead->evp[AEAD_OPEN]);
	EVP_CIPHER_CTX_free(aead->evp[AEAD_SEAL]);
	OPENSSL_clear_free(aead->scratch, 2 * (size_t)aead->scratch_size);
	OPENSSL_clear_free(aead, sizeof(*aead));
}

void crypto_pool_free(struct crypto_pool *pool)
{
	struct crypto_aead *aead;
	size_t i;

	if (!pool)
		return;
	while ((aead = pool->all)) {
		pool->all = aead->all_next;
		aead_destroy(aead);
	}
	for (i = 0; i < ARRAY_SIZE(aead_kinds); i++)
		EVP_CIPHER_free(pool->cipher[i]);
	OPENSSL_free(pool);
}

static struct crypto_aead *aead_create(struct crypto_pool *pool, size_t i)
{
	struct crypto_aead *aead = OPENSSL_zalloc(sizeof(*aead));

	if (!aead)
		return NULL;
	aead->kind = &aead_kinds[i];
	aead->cipher = pool->cipher[i];
	aead->tag[0] = OSSL_PARAM_construct_octet_string(
		OSSL_CIPHER_PARAM_AEAD_TAG, NULL, TLS_TAG_SIZE);
	aead->tag[1] = OSSL_PARAM_construct_end();
	aead->open[0] = aead->tag[0];
	aead->open[1] = OSSL_PARAM_construct_octet_string(
		OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, NULL, NONCE_SIZE);
	aead->open[2] = aead->tag[1];
	aead->seal[0] = OSSL_PARAM_construct_octet_string(
		OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, NULL, NONCE_WHOLE);
	aead->seal[1] = aead->tag[1];
	aead->all_next = pool->all;
	pool->all = aead;
	return aead;
}

int crypto_alloc_aead(struct crypto_pool *pool, struct m_kernel *k,
		      enum tls_cipher_type cipher, struct crypto_aead **out)
{
	size_t i = (size_t)cipher - TLS_CIPHER_AES_GCM_128;
	struct crypto_aead *aead;
	void *token = NULL;

	if (i >= ARRAY_SIZE(aead_kinds) || !pool->cipher[i])
		return -ENOENT;
	if (k) {
		token = m_alloc(k, SITE_AEAD, 1);
		if (!token)
			return -ENOMEM;
	}

	aead = pool->idle[i];
	if (aead)
		pool->idle[i] = aead->next;
	else
		aead = aead_create(pool, i);
	M_ASSERT(aead, "no memory for an AEAD transform");
	aead->next = NULL;
	aead->k = k;
	aead->token = token;
	*out = aead;
	return 0;
}

void crypto_free_aead(struct crypto_pool *pool, struct crypto_aead *aead)
{
	size_t i;

	if (!aead)
		return;
	if (aead->token)
		m_free(aead->k, aead->token, 1);
	aead->token = NULL;
	aead->k = NULL;
	i = (size_t)(aead->kind - aead_kinds);
	aead->next = pool->idle[i];
	pool->idle[i] = aead;
}

int crypto_aead_setkey(struct crypto_aead *aead, const u8 *key, u32 keylen)
{
	if (keylen != aead->kind->keylen)
		return -EINVAL;
	if (aead->keyed && !memcmp(aead->key, key, keylen))
		return 0;
	memcpy(aead->key, key, keylen);
	aead->keyed = true;
	aead->fresh[AEAD_OPEN] = false;
	aead->fresh[AEAD_SEAL] = false;
	return 0;
}

/* Nonce and tag sizes have to be known before the key is set (CCM). */
static void aead_rekey(struct crypto_aead *aead, int dir)
{
	EVP_CIPHER_CTX *evp = aead->evp[dir];
	u8 none[NONCE_SIZE] = { 0 };
	bool ok;

	M_ASSERT(aead->keyed, "AEAD used before setkey");
	if (!evp)
		evp = aead->evp[dir] = EVP_CIPHER_CTX_new();
	ok = evp &&
	     EVP_CipherInit_ex2(evp, aead->cipher, NULL, NULL, dir, NULL);
	ok = ok && EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_AEAD_SET_IVLEN, NONCE_SIZE,
				       NULL) > 0;
	if (aead->kind->whole)
		ok = ok && EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_AEAD_SET_TAG,
					       TLS_TAG_SIZE, NULL) > 0;
	ok = ok && EVP_CipherInit_ex2(evp, NULL, aead->key, NULL, dir, NULL);
	M_ASSERT(ok, "libcrypto refuses %s", aead->kind->name);
	aead->fresh[dir] = true;
	aead->short_start[dir] =
		aead->kind->gcm &&
		EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_GCM_SET_IV_FIXED, -1, none) >
			0;
}

/*
 * Nonce and tag for opening. GCM's "set the rest of a fixed nonce", meant for
 * TLS 1.2, takes all 12 bytes and costs a third of an init less per record.
 */
static bool aead_start_open(struct crypto_aead *aead,
			    const struct aead_request *req)
{
	EVP_CIPHER_CTX *evp = aead->evp[AEAD_OPEN];

	if (aead->short_start[AEAD_OPEN]) {
		aead->open[0].data = req->tag;
		aead->open[1].data = (void *)(uintptr_t)req->nonce;
		return EVP_CIPHER_CTX_set_params(evp, aead->open);
	}
	aead->tag[0].data = req->tag;
	return EVP_CipherInit_ex2(evp, NULL, NULL, req->nonce, AEAD_OPEN,
				  aead->tag);
}

/* Nonce for sealing: for GCM the whole of a fixed one, again without init. */
static bool aead_start_seal(struct crypto_aead *aead,
			    const struct aead_request *req)
{
	EVP_CIPHER_CTX *evp = aead->evp[AEAD_SEAL];

	if (aead->short_start[AEAD_SEAL]) {
		aead->seal[0].data = (void *)(uintptr_t)req->nonce;
		return EVP_CIPHER_CTX_set_params(evp, aead->seal);
	}
	return EVP_CipherInit_ex2(evp, NULL, NULL, req->nonce, AEAD_SEAL, NULL);
}

/* Nonce, tag and additional data; afterwards only payload is missing. */
static EVP_CIPHER_CTX *aead_start(struct crypto_aead *aead,
				  const struct aead_request *req, int dir)
{
	EVP_CIPHER_CTX *evp;
	bool ok;
	int n;

	if (unlikely(!aead->fresh[dir]))
		aead_rekey(aead, dir);
	evp = aead->evp[dir];
	if (dir == AEAD_OPEN)
		ok = aead_start_open(aead, req);
	else
		ok = aead_start_seal(aead, req);
	if (aead->kind->whole)
		ok = ok && EVP_CipherUpdate(evp, NULL, &n, NULL, (int)req->len);
	ok = ok && EVP_CipherUpdate(evp, NULL, &n, req->aad, (int)req->aad_len);
	M_ASSERT(ok, "libcrypto refuses a record's parameters");
	return evp;
}

/* Runs the payload through @evp, piece by piece. */
static void aead_walk(EVP_CIPHER_CTX *evp, const struct aead_request *req)
{
	const struct scatterlist *out = req->out;
	const struct scatterlist *in = req->in;
	u32 in_off = 0, out_off = 0, left = req->len;
	int done;
	u32 n;

	while (left) {
		for (; in_off == in->len; in_off = 0)
			in++;
		for (; out_off == out->len; out_off = 0)
			out++;
		n = min_t(u32, in->len - in_off, out->len - out_off);
		n = min_t(u32, n, left);
		if (!EVP_CipherUpdate(evp, out->base + out_off, &done,
				      in->base + in_off, (int)n) ||
		    done != (int)n)
			m_bug(__FILE__, __LINE__, "libcrypto did not stream");
		in_off += n;
		out_off += n;
		left -= n;
	}
}

static void sg_gather(const struct scatterlist *sg, u8 *to, u32 len)
{
	u32 n;

	for (; len; sg++, to += n, len -= n) {
		n = min_t(u32, sg->len, len);
		memcpy(to, sg->base, n);
	}
}

static void sg_scatter(const struct scatterlist *sg, const u8 *from, u32 len)
{
	u32 n;

	for (; len; sg++, from += n, len -= n) {
		n = min_t(u32, sg->len, len);
		memcpy(sg->base, from, n);
	}
}

/* The input copy; the output copy lies @scratch_size bytes behind it. */
static u8 *ccm_scratch(struct crypto_aead *aead, u32 len)
{
	if (!aead->scratch || aead->scratch_size < len) {
		OPENSSL_clear_free(aead->scratch,
				   2 * (size_t)aead->scratch_size);
		aead->scratch_size = max_t(u32, len, 1024);
		aead->scratch = OPENSSL_malloc(2 * (size_t)aead->scratch_size);
		M_ASSERT(aead->scratch, "no memory for CCM");
	}
	return aead->scratch;
}

/*
 * One CCM pass from the input copy to the output copy. libcrypto wipes the
 * output of an open whose tag is wrong; the kernel leaves it. Sealing the
 * ciphertext applies the same key stream and so yields those bytes.
 */
static bool ccm_run(struct crypto_aead *aead, const struct aead_request *req,
		    int dir)
{
	u8 *in = ccm_scratch(aead, req->len);
	u8 *out = in + aead->scratch_size;
	EVP_CIPHER_CTX *evp;
	bool ok;
	int n;

	sg_gather(req->in, in, req->len);
	evp = aead_start(aead, req, dir);
	ok = EVP_CipherUpdate(evp, out, &n, in, (int)req->len) > 0;
	if (!ok && dir == AEAD_OPEN) {
		evp = aead_start(aead, req, AEAD_SEAL);
		if (!EVP_CipherUpdate(evp, out, &n, in, (int)req->len))
			m_bug(__FILE__, __LINE__, "CCM key stream");
	}
	sg_scatter(req->out, out, req->len);
	return ok;
}

int crypto_aead_decrypt(struct crypto_aead *aead,
			const struct aead_request *req)
{
	EVP_CIPHER_CTX *evp;
	u8 none[16];
	int n;

	if (aead->kind->whole)
		return ccm_run(aead, req, AEAD_OPEN) ? 0 : -EBADMSG;
	evp = aead_start(aead, req, AEAD_OPEN);
	aead_walk(evp, req);
	return EVP_CipherFinal_ex(evp, none, &n) > 0 ? 0 : -EBADMSG;
}

int crypto_aead_encrypt(struct crypto_aead *aead,
			const struct aead_request *req)
{
	EVP_CIPHER_CTX *evp;
	u8 none[16];
	bool ok;
	int n;

	if (aead->kind->whole) {
		ok = ccm_run(aead, req, AEAD_SEAL);
		evp = aead->evp[AEAD_SEAL];
	} else {
		evp = aead_start(aead, req, AEAD_SEAL);
		aead_walk(evp, req);
		ok = EVP_CipherFinal_ex(evp, none, &n) > 0;
	}
	aead->tag[0].data = req->tag;
	ok = ok && EVP_CIPHER_CTX_get_params(evp, aead->tag) > 0;
	M_ASSERT(ok, "libcrypto cannot seal");
	return 0;
}
