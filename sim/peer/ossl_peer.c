// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A libssl endpoint: a real server whose records the modelled socket receives.
 *
 * Server and client shake hands over memory BIOs; the client then goes away,
 * the modelled socket takes its place with the keys that libssl logged. What
 * the server writes afterwards (data, tickets, KeyUpdates, close_notify) is
 * taken from its write BIO as it is.
 *
 * The bytes differ from run to run, because TLS is random; their number never
 * does, and nothing else may reach a log. Therefore tickets are stateful ones,
 * which carry a session id instead of an encrypted session of varying size.
 *
 * Left out: client certificates, resumption, renegotiation, early data, and
 * records that the modelled socket sends.
 */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdlib.h>

#include "sim/peer/ossl_keys.h"
#include "sim/world/world.h"

#define PLAIN_MAX 1024
#define HANDSHAKE_ROUNDS 16

/* PKCS #8: a P-256 key pair made for nothing but this file. */
static const u8 server_key_der[] = {
	0x30, 0x81, 0x87, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86,
	0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d,
	0x03, 0x01, 0x07, 0x04, 0x6d, 0x30, 0x6b, 0x02, 0x01, 0x01, 0x04, 0x20,
	0x20, 0x18, 0x19, 0x5e, 0x91, 0x53, 0xbc, 0x93, 0x33, 0x5c, 0xd8, 0x84,
	0x27, 0x1f, 0xe4, 0x74, 0x40, 0xb2, 0x19, 0x89, 0x84, 0xbc, 0x3e, 0xda,
	0x9d, 0xd6, 0xaa, 0x91, 0x18, 0x43, 0x11, 0x02, 0xa1, 0x44, 0x03, 0x42,
	0x00, 0x04, 0xcb, 0xd9, 0x68, 0x74, 0x98, 0xb7, 0x7a, 0xbf, 0x5f, 0x93,
	0xb2, 0x91, 0x8b, 0x3e, 0x79, 0x7b, 0x15, 0xa6, 0xdb, 0x8e, 0x52, 0x13,
	0x5d, 0x34, 0x64, 0x46, 0xfb, 0x22, 0xdc, 0x95, 0xbc, 0x71, 0x80, 0x57,
	0x64, 0xf6, 0x05, 0xa6, 0x2b, 0xac, 0xd4, 0x7b, 0x9c, 0xbc, 0x12, 0xc0,
	0x5e, 0x7e, 0x86, 0xb2, 0xe9, 0x1f, 0xb1, 0x4a, 0xf8, 0x18, 0x24, 0xe1,
	0x0c, 0xcd, 0x92, 0x61, 0x03, 0x5b,
};

static const struct suite {
	u16 cipher;
	const char *tls12;
	const char *tls13;
	const char *digest;
} suites[] = {
	{ TLS_CIPHER_AES_GCM_128, "ECDHE-ECDSA-AES128-GCM-SHA256",
	  "TLS_AES_128_GCM_SHA256", "SHA256" },
	{ TLS_CIPHER_AES_GCM_256, "ECDHE-ECDSA-AES256-GCM-SHA384",
	  "TLS_AES_256_GCM_SHA384", "SHA384" },
	{ TLS_CIPHER_AES_CCM_128, "ECDHE-ECDSA-AES128-CCM",
	  "TLS_AES_128_CCM_SHA256", "SHA256" },
	{ TLS_CIPHER_CHACHA20_POLY1305, "ECDHE-ECDSA-CHACHA20-POLY1305",
	  "TLS_CHACHA20_POLY1305_SHA256", "SHA256" },
};

/**
 * struct ossl_peer - a server after its handshake
 * @version: TLS_1_2_VERSION or TLS_1_3_VERSION
 * @suite: cipher suite
 * @ssl: server; owns @out
 * @out: its write BIO
 * @keys: secrets for the modelled receiver
 * @plain: plaintext of the last handshake or alert message written
 * @plain_len: its length
 * @type: its content type
 */
struct ossl_peer {
	u16 version;
	const struct suite *suite;
	SSL *ssl;
	BIO *out;
	struct ossl_keys keys;
	u8 plain[PLAIN_MAX];
	u32 plain_len;
	u8 type;
};

static int ossl_err(struct sim_err *err, const char *what)
{
	const char *reason = ERR_reason_error_string(ERR_peek_last_error());

	*err = (struct sim_err){ 0 };
	snprintf(err->msg, sizeof(err->msg), "libssl: %s%s%s", what,
		 reason ? ": " : "", reason ? reason : "");
	ERR_clear_error();
	return -1;
}

static const struct suite *find_suite(u16 cipher)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(suites); i++) {
		if (suites[i].cipher == cipher)
			return &suites[i];
	}
	return NULL;
}

static EVP_PKEY *server_key(void)
{
	const u8 *der = server_key_der;

	return d2i_AutoPrivateKey(NULL, &der, sizeof(server_key_der));
}

/* Self-signed; nobody verifies it, so dates and names are arbitrary. */
static X509 *server_cert(EVP_PKEY *key)
{
	X509 *cert = X509_new();
	X509_NAME *name;
	bool ok;

	if (!cert)
		return NULL;
	name = X509_get_subject_name(cert);
	ok = X509_set_version(cert, 2) &&
	     ASN1_INTEGER_set(X509_get_serialNumber(cert), 1) &&
	     ASN1_TIME_set_string(X509_getm_notBefore(cert),
				  "20200101000000Z") &&
	     ASN1_TIME_set_string(X509_getm_notAfter(cert),
				  "20990101000000Z") &&
	     X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
					(const u8 *)"ktlsim", -1, -1, 0) &&
	     X509_set_issuer_name(cert, name) && X509_set_pubkey(cert, key) &&
	     X509_sign(cert, key, EVP_sha256());
	if (ok)
		return cert;
	X509_free(cert);
	return NULL;
}

static bool use_cert(SSL_CTX *ctx)
{
	EVP_PKEY *key = server_key();
	X509 *cert = key ? server_cert(key) : NULL;
	bool ok;

	ok = cert && SSL_CTX_use_certificate(ctx, cert) > 0 &&
	     SSL_CTX_use_PrivateKey(ctx, key) > 0;
	X509_free(cert);
	EVP_PKEY_free(key);
	return ok;
}

/* One version, one suite, whatever the system's configuration says. */
static SSL_CTX *new_ctx(const struct ossl_peer *op, const SSL_METHOD *method)
{
	SSL_CTX *ctx = SSL_CTX_new(method);
	bool ok;

	if (!ctx)
		return NULL;
	SSL_CTX_set_security_level(ctx, 1);
	SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
	SSL_CTX_set_verify(ctx, SSL_VERIFY_NONE, NULL);
	ok = SSL_CTX_set_min_proto_version(ctx, op->version) &&
	     SSL_CTX_set_max_proto_version(ctx, op->version) &&
	     SSL_CTX_set1_groups_list(ctx, "P-256") &&
	     SSL_CTX_set_num_tickets(ctx, 0);
	if (op->version == TLS_1_3_VERSION)
		ok = ok && SSL_CTX_set_ciphersuites(ctx, op->suite->tls13);
	else
		ok = ok && SSL_CTX_set_cipher_list(ctx, op->suite->tls12);
	if (ok)
		return ctx;
	SSL_CTX_free(ctx);
	return NULL;
}

static void on_keylog(const SSL *ssl, const char *line)
{
	struct ossl_peer *op = SSL_get_app_data(ssl);

	if (op)
		ossl_keys_log_line(&op->keys, line);
}

/* Keeps the plaintext of what the server writes besides data. */
static void on_message(int write_p, int version, int type, const void *buf,
		       size_t len, SSL *ssl, void *arg)
{
	struct ossl_peer *op = arg;

	(void)version;
	(void)ssl;
	if (!write_p || len > PLAIN_MAX ||
	    (type != SSL3_RT_HANDSHAKE && type != SSL3_RT_ALERT))
		return;
	memcpy(op->plain, buf, len);
	op->plain_len = (u32)len;
	op->type = (u8)type;
}

static SSL *new_ssl(SSL_CTX *ctx, BIO *in, BIO *out)
{
	SSL *ssl = ctx ? SSL_new(ctx) : NULL;

	if (!ssl)
		return NULL;
	BIO_up_ref(in);
	BIO_up_ref(out);
	SSL_set_bio(ssl, in, out);
	return ssl;
}

static bool wants_more(SSL *ssl)
{
	int ret = SSL_do_handshake(ssl);

	return ret == 1 || SSL_get_error(ssl, ret) == SSL_ERROR_WANT_READ;
}

static bool handshake(SSL *server, SSL *client)
{
	int i;

	SSL_set_accept_state(server);
	SSL_set_connect_state(client);
	for (i = 0; i < HANDSHAKE_ROUNDS; i++) {
		if (!wants_more(client) || !wants_more(server))
			return false;
		if (SSL_is_init_finished(client) &&
		    SSL_is_init_finished(server))
			return true;
	}
	return false;
}

/* Randoms of both sides, for the key block of TLS 1.2. */
static void take_randoms(struct ossl_peer *op)
{
	SSL_get_client_random(op->ssl, op->keys.client_random,
			      sizeof(op->keys.client_random));
	SSL_get_server_random(op->ssl, op->keys.server_random,
			      sizeof(op->keys.server_random));
}

/* The handshake; @op->ssl and @op->out are set even when it fails. */
static bool connect_pair(struct ossl_peer *op)
{
	SSL_CTX *server_ctx = new_ctx(op, TLS_server_method());
	SSL_CTX *client_ctx = new_ctx(op, TLS_client_method());
	BIO *to_server = BIO_new(BIO_s_mem());
	BIO *to_client = BIO_new(BIO_s_mem());
	SSL *client = NULL;
	bool ok = false;

	if (server_ctx && client_ctx && to_server && to_client &&
	    use_cert(server_ctx)) {
		SSL_CTX_set_keylog_callback(server_ctx, on_keylog);
		op->ssl = new_ssl(server_ctx, to_server, to_client);
		client = new_ssl(client_ctx, to_client, to_server);
		op->out = to_client;
	}
	if (op->ssl && client) {
		SSL_set_app_data(op->ssl, op);
		SSL_set_msg_callback(op->ssl, on_message);
		SSL_set_msg_callback_arg(op->ssl, op);
		ok = handshake(op->ssl, client) && !BIO_pending(to_client) &&
		     op->keys.secret_len;
	}
	SSL_free(client);
	BIO_free(to_server);
	BIO_free(to_client);
	SSL_CTX_free(client_ctx);
	SSL_CTX_free(server_ctx);
	return ok;
}

struct ossl_peer *ossl_peer_new(u16 version, u16 cipher, struct sim_err *err)
{
	const struct suite *suite = find_suite(cipher);
	struct ossl_peer *op;

	if (!suite) {
		ossl_err(err, "no suite with this cipher, expected one of AES "
			      "or ChaCha20");
		return NULL;
	}
	op = calloc(1, sizeof(*op));
	if (!op)
		abort();
	op->version = version;
	op->suite = suite;
	op->keys.version = version;
	op->keys.cipher = cipher;
	op->keys.digest = suite->digest;
	if (!connect_pair(op)) {
		ossl_err(err, "the handshake failed");
		ossl_peer_free(op);
		return NULL;
	}
	take_randoms(op);
	return op;
}

void ossl_peer_free(struct ossl_peer *op)
{
	if (!op)
		return;
	SSL_free(op->ssl);
	free(op);
}

void ossl_peer_keys(const struct ossl_peer *op, u32 update,
		    struct tls_crypto_info_m *info)
{
	ossl_keys_derive(&op->keys, update, info);
}

static int write_data(struct ossl_peer *op, u32 len, const u8 *data,
		      struct sim_err *err)
{
	/* One record: libssl would cut more into several, and write no 0. */
	if (!len || len > TLS_MAX_PAYLOAD_SIZE)
		return ossl_err(err, "data of a record without bytes or with "
				     "more than 16384");
	if (SSL_write(op->ssl, data, (int)len) != (int)len)
		return ossl_err(err, "SSL_write failed");
	return 0;
}

/* Messages after the handshake are written by the next handshake call. */
static int write_post_handshake(struct ossl_peer *op, enum ossl_what what,
				struct sim_err *err)
{
	int ret;

	if (op->version != TLS_1_3_VERSION)
		return ossl_err(err, "tickets and KeyUpdates follow the "
				     "handshake only in TLS 1.3");
	if (SSL_get_shutdown(op->ssl) & SSL_SENT_SHUTDOWN)
		return ossl_err(err, "close_notify was sent before");
	if (what == OSSL_TICKET)
		ret = SSL_new_session_ticket(op->ssl);
	else
		ret = SSL_key_update(op->ssl, SSL_KEY_UPDATE_NOT_REQUESTED);
	if (ret != 1 || SSL_do_handshake(op->ssl) != 1)
		return ossl_err(err, "the message was refused");
	return 0;
}

static int write_close(struct ossl_peer *op, struct sim_err *err)
{
	if (SSL_get_shutdown(op->ssl) & SSL_SENT_SHUTDOWN)
		return ossl_err(err, "close_notify was sent before");
	if (SSL_shutdown(op->ssl) < 0)
		return ossl_err(err, "SSL_shutdown failed");
	return 0;
}

int ossl_peer_write(struct ossl_peer *op, enum ossl_what what, u32 len,
		    const u8 *data, const u8 **wire, u32 *wire_len,
		    const u8 **plain, u32 *plain_len, u8 *type,
		    struct sim_err *err)
{
	char *bytes;
	int ret = 0;

	if (BIO_reset(op->out) != 1)
		return ossl_err(err, "BIO_reset failed");
	op->plain_len = 0;
	switch (what) {
	case OSSL_DATA:
		ret = write_data(op, len, data, err);
		break;
	case OSSL_TICKET:
	case OSSL_KEYUPDATE:
		ret = write_post_handshake(op, what, err);
		break;
	case OSSL_CLOSE:
		ret = write_close(op, err);
		break;
	}
	if (ret)
		return ret;
	*wire_len = (u32)BIO_get_mem_data(op->out, &bytes);
	*wire = (const u8 *)bytes;
	*plain = what == OSSL_DATA ? data : op->plain;
	*plain_len = what == OSSL_DATA ? len : op->plain_len;
	*type = what == OSSL_DATA ? TLS_RECORD_TYPE_DATA : op->type;
	return 0;
}
