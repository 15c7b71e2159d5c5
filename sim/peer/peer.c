// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The peer's records: builds them one behind the other into a byte stream.
 *
 * The stream is kept in compound pages, which segments then reference without
 * a copy. Plaintext is written where its ciphertext belongs and sealed in
 * place; only the tag goes through a local buffer. A record may cross pages.
 * What a receiver with the right keys would make of the record is noted beside
 * it, so that checks never have to open one.
 *
 * Left out: handshakes (ossl_peer.c), cutting and sending (wire.c, sender.c).
 */
#include "sim/peer/peer_int.h"

void peer_init(struct sim_peer *p, struct sim_conn *conn,
	       const struct trace *tr)
{
	memset(p, 0, sizeof(*p));
	p->conn = conn;
	p->tr = tr;
	p->rec_n = tr->rec_n;
	p->recs = mem_pool_alloc(conn->s->pool, tr->rec_n * sizeof(*p->recs));
	p->seq = tr->opts.seq;
	p->sender.timer_ns = -1;
	if (conn->sk)
		sender_start(p);
	if (!tr->opts.openssl)
		return;
	p->ossl =
		ossl_peer_new(tr->opts.version, tr->opts.cipher, &p->ossl_err);
	/* The Finished message was record 0 of a TLS 1.2 connection. */
	p->seq = !is_tls13(&tr->opts);
}

void peer_abandon(struct sim_peer *p)
{
	if (p->aead)
		crypto_free_aead(p->conn->s->k.aead_pool, p->aead);
	p->aead = NULL;
	ossl_peer_free(p->ossl);
	p->ossl = NULL;
	p->page_n = 0;
}

void peer_release(struct sim_peer *p)
{
	u32 i;

	for (i = 0; i < p->page_n; i++)
		put_page(&p->conn->s->k, p->pages[i]);
	peer_abandon(p);
}

void peer_set_key(struct sim_peer *p, u32 gen, u64 seq)
{
	if (gen != p->gen)
		p->keyed = false;
	p->gen = gen;
	p->seq = seq;
}

static int peer_err(struct sim_err *err, const char *what, u32 value)
{
	err->file = NULL;
	err->line = 0;
	err->col = 0;
	snprintf(err->msg, sizeof(err->msg), "%s (%u)", what, value);
	return -1;
}

/* Transform and key material of the current generation. */
static int peer_rekey(struct sim_peer *p, struct sim_err *err)
{
	const struct trace_opts *opts = &p->tr->opts;
	const struct tls_cipher_desc *desc = get_cipher_desc(opts->cipher);

	if (!p->aead && crypto_alloc_aead(p->conn->s->k.aead_pool, NULL,
					  opts->cipher, &p->aead))
		return peer_err(err,
				"records of this cipher cannot be built, "
				"expected a cipher the kernels have",
				opts->cipher);
	keys_of_generation(&p->key, opts->version, opts->cipher, p->gen, 0);
	if (crypto_aead_setkey(p->aead, p->key.key, desc->key))
		m_bug(__FILE__, __LINE__, "key size of cipher %u",
		      opts->cipher);
	p->keyed = true;
	return 0;
}

/* KeyUpdate, cut or filled with zeros to the record's length. */
static const u8 *key_update(struct sim_peer *p, u32 len)
{
	static const u8 update[5] = { TLS_HANDSHAKE_KEYUPDATE, 0, 0, 1, 0 };
	u8 *plain;

	if (len <= sizeof(update))
		return update;
	plain = mem_pool_alloc(p->conn->s->pool, len);
	memcpy(plain, update, sizeof(update));
	return plain;
}

/* Without an inner type byte, or with 0 there, the last non-zero content byte is taken for it. */
static void type_from_content(struct sim_peer *p, const struct trace_rec *tr,
			      struct peer_rec *r)
{
	u32 n = tr->len;
	u8 *plain;

	plain = mem_pool_alloc_raw(p->conn->s->pool, n + 1);
	seal_inner(p, tr, r, r->off + TLS_HEADER_SIZE);
	peer_copy(p, r->off + TLS_HEADER_SIZE, plain, n);
	while (n && !plain[n - 1])
		n--;
	if (!n) {
		r->opens = false;
		return;
	}
	r->type = plain[n - 1];
	r->plain_len = n - 1;
	r->plain = plain;
}

static int build_sealed(struct sim_peer *p, const struct trace_rec *tr,
			struct peer_rec *r, struct sim_err *err)
{
	const struct geometry g = rec_geometry(&p->tr->opts, tr);

	if (!p->keyed && peer_rekey(p, err))
		return -1;
	r->seq = tr->mods & MOD_SEQ ? tr->seq : p->seq++;
	r->type = tr->type;
	r->plain_len = tr->len;
	r->fill = fill_of_type(tr->type);
	if (tr->kind == REC_KEYUPDATE)
		r->plain = key_update(p, tr->len);
	p->size += r->len;
	seal_header(p, tr, r, &g);
	if (tr->kind == REC_SEALED && tr->type == TLS_RECORD_TYPE_DATA) {
		r->data_off = p->data_size;
		p->data_size += tr->len;
	}
	if (is_tls13(&p->tr->opts) && tr->mods & MOD_ZERO)
		r->opens = false;
	else if (is_tls13(&p->tr->opts) &&
		 (tr->mods & MOD_NOINNER || !tr->type))
		type_from_content(p, tr, r);
	seal_record(p, tr, r, &g);
	return 0;
}

static void build_raw(struct sim_peer *p, const struct trace_rec *tr,
		      struct peer_rec *r)
{
	p->size += r->len;
	stream_put(p, r->off, tr->raw, tr->len);
	r->type = tr->len ? tr->raw[0] : 0;
	r->fill = fill_of_type(r->type);
	r->framed = tr->len >= TLS_HEADER_SIZE &&
		    header_ok(&p->tr->opts, tr->raw, tr->len - TLS_HEADER_SIZE);
}

static int build_ossl(struct sim_peer *p, const struct trace_rec *tr,
		      struct peer_rec *r, struct sim_err *err)
{
	struct mem_pool *pool = p->conn->s->pool;
	const u8 *wire, *plain;
	u8 *data = NULL;

	if (!p->ossl) {
		*err = p->ossl_err;
		return -1;
	}
	if (tr->ossl == OSSL_DATA) {
		data = mem_pool_alloc_raw(pool, tr->len);
		pattern_fill(data, p->data_size, tr->len);
	}
	if (ossl_peer_write(p->ossl, tr->ossl, tr->len, data, &wire, &r->len,
			    &plain, &r->plain_len, &r->type, err))
		return -1;
	stream_reserve(p, r->len);
	p->size += r->len;
	stream_put(p, r->off, wire, r->len);
	r->seq = p->seq++;
	r->framed = true;
	r->opens = true;
	r->fill = fill_of_type(r->type);
	if (tr->ossl == OSSL_DATA) {
		r->data_off = p->data_size;
		p->data_size += tr->len;
	} else {
		r->plain = memcpy(mem_pool_alloc_raw(pool, r->plain_len), plain,
				  r->plain_len);
	}
	if (tr->ossl == OSSL_KEYUPDATE)
		peer_set_key(p, p->gen + 1, 0);
	return 0;
}

int peer_build(struct sim_peer *p, u32 rec, struct sim_err *err)
{
	const struct trace_rec *tr = &p->tr->recs[rec];
	bool openssl = p->tr->opts.openssl;
	struct peer_rec *r = &p->recs[rec];
	int ret = 0;

	if (tr->kind == REC_OPENSSL && !openssl)
		return peer_err(err,
				"only a peer=openssl writes this, "
				"expected raw or sealed bytes",
				rec);
	if (tr->kind != REC_OPENSSL && tr->kind != REC_RAW && openssl)
		return peer_err(err,
				"a peer=openssl has no keys to seal this, "
				"expected raw bytes or openssl",
				rec);
	r->len = rec_wire_len(&p->tr->opts, tr);
	if (r->len > PEER_REC_MAX)
		return peer_err(err, "record of too many bytes", r->len);
	r->off = p->size;
	r->gen = p->gen;
	stream_reserve(p, r->len);
	switch (tr->kind) {
	case REC_SEALED:
	case REC_KEYUPDATE:
		ret = build_sealed(p, tr, r, err);
		break;
	case REC_RAW:
		build_raw(p, tr, r);
		break;
	case REC_OPENSSL:
		ret = build_ossl(p, tr, r, err);
		break;
	}
	r->built = !ret;
	return ret;
}

static bool bytes_are(const u8 *at, u8 byte, size_t len)
{
	return !len || (at[0] == byte && !memcmp(at, at + 1, len - 1));
}

void peer_plain(const struct sim_peer *p, u32 rec, u32 off, u32 len, u8 *out)
{
	const struct peer_rec *r = &p->recs[rec];

	M_ASSERT(off + (u64)len <= r->plain_len,
		 "bytes [%u,%u) of a record with %u", off, off + len,
		 r->plain_len);
	if (r->plain)
		memcpy(out, r->plain + off, len);
	else if (r->type == TLS_RECORD_TYPE_DATA)
		pattern_fill(out, r->data_off + off, len);
	else
		memset(out, r->fill, len);
}

bool peer_plain_matches(const struct sim_peer *p, u32 rec, u32 off, u32 len,
			const u8 *at)
{
	const struct peer_rec *r = &p->recs[rec];

	if (off + (u64)len > r->plain_len)
		return false;
	if (r->plain)
		return !memcmp(at, r->plain + off, len);
	if (r->type == TLS_RECORD_TYPE_DATA)
		return pattern_matches(at, r->data_off + off, len);
	return bytes_are(at, r->fill, len);
}

int peer_range(const struct sim_peer *p, const struct trace_range *r, u64 *from,
	       u64 *to, struct sim_err *err)
{
	const struct peer_rec *first = &p->recs[r->rec];
	const struct peer_rec *last = first + r->count - 1;
	u64 len = last->off + last->len - first->off;
	u32 end = r->to == RANGE_END ? (u32)len : r->to;

	*err = (struct sim_err){ 0 };
	if (!first->built || !last->built) {
		snprintf(err->msg, sizeof(err->msg),
			 "%s is not built yet, expected `peer %s` before this",
			 p->tr->recs[r->rec].name, p->tr->recs[r->rec].name);
		return -1;
	}
	if (r->from > end || end > len) {
		snprintf(err->msg, sizeof(err->msg),
			 "[%u,%u) is not inside %s, expected at most %llu",
			 r->from, end, p->tr->recs[r->rec].name,
			 (unsigned long long)len);
		return -1;
	}
	*from = first->off + r->from;
	*to = first->off + end;
	return 0;
}
