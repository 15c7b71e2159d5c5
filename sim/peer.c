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
#include "sim/world.h"

/* Longest record or run of raw bytes; touches at most PEER_SG_MAX pages. */
#define PEER_SG_MAX 4
#define PEER_REC_MAX ((PEER_SG_MAX - 1) * PEER_PAGE_SIZE)

/**
 * struct geometry - sizes of a sealed record (facts rx.md A2)
 * @nonce: explicit nonce
 * @inner: bytes sealed
 * @body: what an honest header says
 */
struct geometry {
	u32 nonce;
	u32 inner;
	u32 body;
};

static bool is_tls13(const struct trace_opts *opts)
{
	return opts->version == TLS_1_3_VERSION;
}

static struct geometry rec_geometry(const struct trace_opts *opts,
				    const struct trace_rec *rec)
{
	const struct tls_cipher_desc *desc = get_cipher_desc(opts->cipher);
	struct geometry g = { .inner = rec->len };

	if (is_tls13(opts))
		g.inner += rec->pad + !(rec->mods & MOD_NOINNER);
	else
		g.nonce = desc ? desc->nonce : 0;
	g.body = g.nonce + g.inner + TLS_TAG_SIZE;
	return g;
}

u32 rec_wire_len(const struct trace_opts *opts, const struct trace_rec *rec)
{
	switch (rec->kind) {
	case REC_SEALED:
	case REC_KEYUPDATE:
		return TLS_HEADER_SIZE + rec_geometry(opts, rec).body;
	case REC_RAW:
		return rec->len;
	case REC_OPENSSL:
		break;
	}
	return 0;
}

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
	p->ossl = ossl_peer_new(tr->opts.version, tr->opts.cipher,
				&p->ossl_err);
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

/* Memory behind stream offset @off, and how much of it is contiguous. */
static u8 *stream_at(const struct sim_peer *p, u64 off, size_t *room)
{
	size_t in_page = off % PEER_PAGE_SIZE;

	*room = PEER_PAGE_SIZE - in_page;
	return p->pages[off / PEER_PAGE_SIZE]->data + in_page;
}

/* A world whose whole stream is small takes a small page for it. */
static u32 first_page_order(const struct sim_peer *p)
{
	u32 order = 0;
	u64 total = 0;
	u32 i;

	for (i = 0; i < p->rec_n && total <= PEER_PAGE_SIZE / 2; i++) {
		if (p->tr->recs[i].kind == REC_OPENSSL)
			return PEER_PAGE_ORDER;
		total += rec_wire_len(&p->tr->opts, &p->tr->recs[i]);
	}
	while (order < PEER_PAGE_ORDER && total > PAGE_SIZE << order)
		order++;
	return order;
}

static void stream_reserve(struct sim_peer *p, u32 len)
{
	struct sim *s = p->conn->s;
	struct page *page;
	u32 order;

	while (p->size + len > (u64)p->page_n * PEER_PAGE_SIZE) {
		order = p->page_n ? PEER_PAGE_ORDER : first_page_order(p);
		page = alloc_pages(&s->k, SITE_WIRE_PAGE, order);
		M_ASSERT(page, "no page for the peer's stream");
		*pool_push(s->pool, p->pages, p->page_n) = page;
	}
}

static void stream_put(struct sim_peer *p, u64 off, const u8 *from, size_t len)
{
	size_t n;
	u8 *at;

	for (; len; off += n, from += n, len -= n) {
		at = stream_at(p, off, &n);
		n = min_t(size_t, n, len);
		memcpy(at, from, n);
	}
}

static void stream_fill(struct sim_peer *p, u64 off, u8 byte, size_t len)
{
	size_t n;
	u8 *at;

	for (; len; off += n, len -= n) {
		at = stream_at(p, off, &n);
		n = min_t(size_t, n, len);
		memset(at, byte, n);
	}
}

static void stream_pattern(struct sim_peer *p, u64 off, u64 pos, size_t len)
{
	size_t n;
	u8 *at;

	for (; len; off += n, pos += n, len -= n) {
		at = stream_at(p, off, &n);
		n = min_t(size_t, n, len);
		pattern_fill(at, pos, n);
	}
}

static void stream_flip(struct sim_peer *p, u64 off, u8 bits)
{
	size_t room;

	*stream_at(p, off, &room) ^= bits;
}

void peer_copy(const struct sim_peer *p, u64 off, u8 *out, size_t len)
{
	const u8 *at;
	size_t n;

	M_ASSERT(off + len <= p->size, "copy behind the stream");
	for (; len; off += n, out += n, len -= n) {
		at = stream_at(p, off, &n);
		n = min_t(size_t, n, len);
		memcpy(out, at, n);
	}
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
		return peer_err(err, "records of this cipher cannot be built, "
				"expected a cipher the kernels have",
				opts->cipher);
	keys_of_generation(&p->key, opts->version, opts->cipher, p->gen, 0);
	if (crypto_aead_setkey(p->aead, p->key.key, desc->key))
		m_bug(__FILE__, __LINE__, "key size of cipher %u",
		      opts->cipher);
	p->keyed = true;
	return 0;
}

static u8 fill_of_type(u8 type)
{
	switch (type) {
	case TLS_RECORD_TYPE_ALERT:
		return 0xfb;
	case TLS_RECORD_TYPE_HANDSHAKE:
		return 0xfc;
	case TLS_RECORD_TYPE_CCS:
		return 0xfd;
	default:
		return 0xfe;
	}
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

/* Content, inner type and padding, at @off, not yet sealed. */
static void put_inner(struct sim_peer *p, const struct trace_rec *tr,
		      const struct peer_rec *r, u64 off)
{
	if (tr->mods & MOD_ZERO && is_tls13(&p->tr->opts)) {
		stream_fill(p, off, 0, tr->len + 1 + tr->pad);
		return;
	}
	if (r->plain)
		stream_put(p, off, r->plain, tr->len);
	else if (tr->type == TLS_RECORD_TYPE_DATA)
		stream_pattern(p, off, r->data_off, tr->len);
	else
		stream_fill(p, off, r->fill, tr->len);
	if (!is_tls13(&p->tr->opts))
		return;
	off += tr->len;
	if (!(tr->mods & MOD_NOINNER))
		stream_fill(p, off++, tr->type, 1);
	stream_fill(p, off, 0, tr->pad);
}

/* The inner bytes from @off as pieces to seal in place. */
static u32 inner_sg(const struct sim_peer *p, u64 off, u32 len,
		    struct scatterlist *sg)
{
	size_t room;
	u32 n = 0;

	for (; len; off += sg[n].len, len -= sg[n].len, n++) {
		sg[n].base = stream_at(p, off, &room);
		sg[n].len = min_t(u32, room, len);
	}
	return n;
}

static void put_be(u8 *to, u64 value, u32 bytes)
{
	while (bytes--) {
		to[bytes] = (u8)value;
		value >>= 8;
	}
}

/* Additional data (facts rx.md A2.4); its length. */
static u32 make_aad(const struct sim_peer *p, const struct trace_rec *tr,
		    const struct geometry *g, u64 seq, u8 *aad)
{
	bool tls13 = is_tls13(&p->tr->opts);
	u32 n = 0;

	if (!tls13) {
		put_be(aad, seq, 8);
		n = 8;
	}
	aad[n] = tls13 ? TLS_RECORD_TYPE_DATA : tr->type;
	put_be(aad + n + 1, TLS_1_2_VERSION, 2);
	put_be(aad + n + 3, tls13 ? g->body : g->inner, 2);
	return n + TLS_HEADER_SIZE;
}

/* Nonce (facts rx.md A2.5): salt and number, or static part xor number. */
static void make_nonce(const struct sim_peer *p, const struct geometry *g,
		       u64 seq, u8 *nonce)
{
	const struct tls_cipher_desc *desc =
		get_cipher_desc(p->tr->opts.cipher);
	u8 number[8];
	u32 i;

	put_be(number, seq, 8);
	memcpy(nonce, p->key.salt, desc->salt);
	memcpy(nonce + desc->salt, p->key.iv, desc->iv);
	for (i = 0; i < 8; i++)
		nonce[4 + i] = number[i] ^ (g->nonce ? 0 : nonce[4 + i]);
}

static void seal(struct sim_peer *p, const struct trace_rec *tr,
		 const struct peer_rec *r, const struct geometry *g)
{
	u64 at = r->off + TLS_HEADER_SIZE + g->nonce;
	struct scatterlist sg[PEER_SG_MAX];
	u8 aad[TLS_AAD_SPACE_SIZE];
	struct aead_request req;
	u8 tag[TLS_TAG_SIZE];

	put_inner(p, tr, r, at);
	make_nonce(p, g, r->seq, req.nonce);
	req.aad = aad;
	req.aad_len = make_aad(p, tr, g, r->seq, aad);
	req.in = sg;
	req.in_n = inner_sg(p, at, g->inner, sg);
	req.out = sg;
	req.out_n = req.in_n;
	req.len = g->inner;
	req.tag = tag;
	if (crypto_aead_encrypt(p->aead, &req))
		m_bug(__FILE__, __LINE__, "sealing failed");
	stream_put(p, at + g->inner, tag, sizeof(tag));
	if (tr->mods & MOD_BADTAG)
		stream_flip(p, r->off + r->len - 1, 0x01);
	if (tr->mods & MOD_BADCT)
		stream_flip(p, at, 0x80);
}

/* Would the receiver's header check pass (facts rx.md A2.3, A5)? */
static bool header_ok(const struct trace_opts *opts, const u8 *hdr, u32 body)
{
	struct trace_rec none = { .kind = REC_SEALED };
	u32 overhead = rec_geometry(opts, &none).body;
	u32 min_body = is_tls13(opts) ? TLS_TAG_SIZE : overhead;

	return hdr[1] == 3 && hdr[2] == 3 && (hdr[3] << 8 | hdr[4]) == (int)body &&
	       body >= min_body && body <= overhead + TLS_MAX_PAYLOAD_SIZE;
}

/* Header and explicit nonce, as the spoilers want them. */
static void put_header(struct sim_peer *p, const struct trace_rec *tr,
		       struct peer_rec *r, const struct geometry *g)
{
	bool tls13 = is_tls13(&p->tr->opts);
	u8 type = tls13 ? TLS_RECORD_TYPE_DATA : tr->type;
	u8 hdr[TLS_HEADER_SIZE + 8];
	u32 len = g->body;

	if (tr->mods & MOD_LEN)
		len = tr->hdr_len;
	if (tr->mods & MOD_DLEN)
		len += (u32)tr->dlen;
	hdr[0] = tr->mods & MOD_OUTER ? tr->outer : type;
	put_be(hdr + 1, tr->mods & MOD_VER ? tr->ver : TLS_1_2_VERSION, 2);
	put_be(hdr + 3, len, 2);
	put_be(hdr + TLS_HEADER_SIZE, r->seq, g->nonce);
	stream_put(p, r->off, hdr, TLS_HEADER_SIZE + g->nonce);

	r->framed = header_ok(&p->tr->opts, hdr, g->body);
	/* In 1.3 the type in front is not authenticated. */
	r->opens = (u16)len == g->body && (tls13 || hdr[0] == tr->type) &&
		   !(tr->mods & (MOD_BADTAG | MOD_BADCT));
}

/* Without an inner type byte the last non-zero content byte is taken for it. */
static void type_from_content(struct sim_peer *p, const struct trace_rec *tr,
			      struct peer_rec *r)
{
	u32 n = tr->len;
	u8 *plain;

	plain = mem_pool_alloc_raw(p->conn->s->pool, n + 1);
	put_inner(p, tr, r, r->off + TLS_HEADER_SIZE);
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
	put_header(p, tr, r, &g);
	if (tr->kind == REC_SEALED && tr->type == TLS_RECORD_TYPE_DATA) {
		r->data_off = p->data_size;
		p->data_size += tr->len;
	}
	if (is_tls13(&p->tr->opts) && tr->mods & MOD_ZERO)
		r->opens = false;
	else if (is_tls13(&p->tr->opts) && tr->mods & MOD_NOINNER)
		type_from_content(p, tr, r);
	seal(p, tr, r, &g);
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
		r->plain = memcpy(mem_pool_alloc_raw(pool, r->plain_len),
				  plain, r->plain_len);
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
		return peer_err(err, "only a peer=openssl writes this, "
				"expected raw or sealed bytes", rec);
	if (tr->kind != REC_OPENSSL && tr->kind != REC_RAW && openssl)
		return peer_err(err, "a peer=openssl has no keys to seal this, "
				"expected raw bytes or openssl", rec);
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

int peer_range(const struct sim_peer *p, const struct trace_range *r,
	       u64 *from, u64 *to, struct sim_err *err)
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
