// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One record of the peer: header, nonce, plaintext, sealed where it stands.
 *
 * Sizes, additional data and nonces are those of RFC 5246, 5288, 7905 and
 * 8446 (facts rx.md A2). What spoils a record is applied in the order of the
 * bytes: header, plaintext, then bits of the sealed text. Whether a receiver
 * would accept it is noted on the way.
 *
 * Left out: which number and keys a record gets (peer.c).
 */
#include "sim/peer/peer_int.h"

struct geometry rec_geometry(const struct trace_opts *opts,
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
	s64 len = trace_rec_wire_len(opts, rec);

	return len < 0 ? 0 : (u32)len;
}

void seal_inner(struct sim_peer *p, const struct trace_rec *tr,
		const struct peer_rec *r, u64 off)
{
	if (tr->mods & MOD_ZERO && is_tls13(&p->tr->opts)) {
		stream_fill(p, off, 0, rec_geometry(&p->tr->opts, tr).inner);
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

void seal_record(struct sim_peer *p, const struct trace_rec *tr,
		 const struct peer_rec *r, const struct geometry *g)
{
	u64 at = r->off + TLS_HEADER_SIZE + g->nonce;
	struct scatterlist sg[PEER_SG_MAX];
	u8 aad[TLS_AAD_SPACE_SIZE];
	struct aead_request req;
	u8 tag[TLS_TAG_SIZE];

	seal_inner(p, tr, r, at);
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

bool header_ok(const struct trace_opts *opts, const u8 *hdr, u32 body)
{
	struct trace_rec none = { .kind = REC_SEALED };
	u32 overhead = rec_geometry(opts, &none).body;
	u32 min_body = is_tls13(opts) ? TLS_TAG_SIZE : overhead;

	return hdr[1] == 3 && hdr[2] == 3 &&
	       (hdr[3] << 8 | hdr[4]) == (int)body && body >= min_body &&
	       body <= overhead + TLS_MAX_PAYLOAD_SIZE;
}

void seal_header(struct sim_peer *p, const struct trace_rec *tr,
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
