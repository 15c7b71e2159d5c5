// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keys of a libssl server's records, derived as RFC 5246 and RFC 8446 say.
 *
 * TLS 1.3: key and iv are expanded from the server's traffic secret, which
 * each KeyUpdate replaces by one expanded from itself. TLS 1.2: both are cut
 * out of the key block. libssl would not hand them out, hence the key log.
 *
 * Left out: keys of the other direction.
 */
#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <stdlib.h>

#include "sim/peer/ossl_keys.h"

#define LABEL_1_2 "CLIENT_RANDOM "
#define LABEL_1_3 "SERVER_TRAFFIC_SECRET_0 "
#define KEY_BLOCK_MAX (2 * (TLS_AEAD_KEY_MAX + TLS_MAX_IV))

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

void ossl_keys_log_line(struct ossl_keys *keys, const char *line)
{
	bool tls13 = keys->version == TLS_1_3_VERSION;
	const char *label = tls13 ? LABEL_1_3 : LABEL_1_2;
	const char *hex;
	u32 n = 0;

	if (strncmp(line, label, strlen(label)) != 0)
		return;
	hex = strchr(line + strlen(label), ' ');
	if (!hex)
		return;
	for (hex++; n < OSSL_SECRET_MAX; n++, hex += 2) {
		if (hex_digit(hex[0]) < 0 || hex_digit(hex[1]) < 0)
			break;
		keys->secret[n] =
			(u8)(hex_digit(hex[0]) << 4 | hex_digit(hex[1]));
	}
	keys->secret_len = n;
}

static void run_kdf(const char *name, const OSSL_PARAM *params, u8 *out,
		    size_t len)
{
	EVP_KDF *kdf = EVP_KDF_fetch(NULL, name, NULL);
	EVP_KDF_CTX *ctx = kdf ? EVP_KDF_CTX_new(kdf) : NULL;
	bool ok = ctx && EVP_KDF_derive(ctx, out, len, params) > 0;

	EVP_KDF_CTX_free(ctx);
	EVP_KDF_free(kdf);
	M_ASSERT(ok, "libcrypto cannot run %s", name);
}

static OSSL_PARAM octets(const char *name, const void *from, size_t len)
{
	return OSSL_PARAM_construct_octet_string(name, (void *)(uintptr_t)from,
						 len);
}

static OSSL_PARAM digest_of(const struct ossl_keys *keys)
{
	return OSSL_PARAM_construct_utf8_string(
		OSSL_KDF_PARAM_DIGEST, (char *)(uintptr_t)keys->digest, 0);
}

/* HKDF-Expand-Label(@secret, @label, "", @len), RFC 8446 section 7.1. */
static void expand_label(const struct ossl_keys *keys, const u8 *secret,
			 const char *label, u8 *out, u32 len)
{
	int mode = EVP_KDF_HKDF_MODE_EXPAND_ONLY;
	u32 label_len = (u32)strlen(label) + 6;
	OSSL_PARAM params[5];
	u8 info[32];

	info[0] = (u8)(len >> 8);
	info[1] = (u8)len;
	info[2] = (u8)label_len;
	memcpy(info + 3, "tls13 ", 6);
	memcpy(info + 9, label, label_len - 6);
	info[3 + label_len] = 0;
	params[0] = OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode);
	params[1] = digest_of(keys);
	params[2] = octets(OSSL_KDF_PARAM_KEY, secret, keys->secret_len);
	params[3] = octets(OSSL_KDF_PARAM_INFO, info, label_len + 4);
	params[4] = OSSL_PARAM_construct_end();
	run_kdf("HKDF", params, out, len);
}

/* Key and static iv of 12 bytes from the traffic secret after @update. */
static void derive_1_3(const struct ossl_keys *keys, u32 update, u8 *key,
		       u32 key_len, u8 *iv)
{
	u8 secret[OSSL_SECRET_MAX], next[OSSL_SECRET_MAX];

	memcpy(secret, keys->secret, keys->secret_len);
	for (; update; update--) {
		expand_label(keys, secret, "traffic upd", next,
			     keys->secret_len);
		memcpy(secret, next, keys->secret_len);
	}
	expand_label(keys, secret, "key", key, key_len);
	expand_label(keys, secret, "iv", iv, TLS_MAX_IV);
}

/* Key block, RFC 5246 section 6.3: keys, then static parts of the nonce,
 * always the client's first. */
static void derive_1_2(const struct ossl_keys *keys, u8 *key, u32 key_len,
		       u8 *iv, u32 iv_len)
{
	u8 block[KEY_BLOCK_MAX];
	OSSL_PARAM params[6];

	params[0] = digest_of(keys);
	params[1] =
		octets(OSSL_KDF_PARAM_SECRET, keys->secret, keys->secret_len);
	params[2] = octets(OSSL_KDF_PARAM_SEED, "key expansion", 13);
	params[3] = octets(OSSL_KDF_PARAM_SEED, keys->server_random,
			   OSSL_RANDOM_SIZE);
	params[4] = octets(OSSL_KDF_PARAM_SEED, keys->client_random,
			   OSSL_RANDOM_SIZE);
	params[5] = OSSL_PARAM_construct_end();
	run_kdf("TLS1-PRF", params, block, 2 * (key_len + iv_len));
	memcpy(key, block + key_len, key_len);
	memcpy(iv, block + 2 * key_len + iv_len, iv_len);
}

void ossl_keys_derive(const struct ossl_keys *keys, u32 update,
		      struct tls_crypto_info_m *info)
{
	const struct tls_cipher_desc *desc = get_cipher_desc(keys->cipher);
	u8 iv[TLS_MAX_SALT + TLS_MAX_IV] = { 0 };

	*info = (struct tls_crypto_info_m){
		.version = keys->version,
		.cipher_type = keys->cipher,
	};
	if (keys->version == TLS_1_3_VERSION) {
		derive_1_3(keys, update, info->key, desc->key, iv);
	} else {
		/* The Finished message was record 0; the explicit part of the
		 * nonce comes with each record. */
		derive_1_2(keys, info->key, desc->key, iv,
			   TLS_MAX_IV - desc->nonce);
		info->rec_seq[7] = 1;
		if (desc->nonce)
			iv[TLS_MAX_IV - 1] = 1;
	}
	memcpy(info->salt, iv, desc->salt);
	memcpy(info->iv, iv + desc->salt, desc->iv);
}
