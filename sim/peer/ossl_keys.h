/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a line of libssl's key log to the structure that TLS_RX takes.
 */
#ifndef SIM_OSSL_KEYS_H
#define SIM_OSSL_KEYS_H

#include "model/tls.h"

#define OSSL_SECRET_MAX 48
#define OSSL_RANDOM_SIZE 32

/**
 * struct ossl_keys - what the keys of the server's records follow from
 * @version: TLS_1_2_VERSION or TLS_1_3_VERSION
 * @cipher: enum tls_cipher_type
 * @digest: hash of the cipher suite, as libcrypto calls it
 * @secret: master secret (1.2) or first server traffic secret (1.3)
 * @secret_len: its length, 0 until it was logged
 * @client_random: for 1.2
 * @server_random: likewise
 */
struct ossl_keys {
	u16 version;
	u16 cipher;
	const char *digest;
	u8 secret[OSSL_SECRET_MAX];
	u32 secret_len;
	u8 client_random[OSSL_RANDOM_SIZE];
	u8 server_random[OSSL_RANDOM_SIZE];
};

/* Takes the secret out of @line, if it is the one for this version. */
void ossl_keys_log_line(struct ossl_keys *keys, const char *line);
/* Keys after the handshake (@update 0), or after the n-th KeyUpdate. */
void ossl_keys_derive(const struct ossl_keys *keys, u32 update,
		      struct tls_crypto_info_m *info);

#endif
