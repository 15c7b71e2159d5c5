// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parser: `peer` lines, and finding records by name.
 *
 * Names are found through a hash table, since a trace may have two hundred
 * thousand records. A record is complete on its line: name, kind, length, then
 * what is spoilt about it, in any order.
 *
 * Left out: building records (peer.c).
 */
#include "sim/trace/trace_parse.h"

static u32 name_hash(struct span w)
{
	u32 h = 2166136261u;

	for (const char *s = w.s; s < w.e; s++)
		h = (h ^ (u8)*s) * 16777619u;
	return h;
}

/* Slot of a name, or the empty one where it belongs. */
static u32 *name_slot(const struct parser *p, struct span w)
{
	u32 mask = p->names_size - 1;
	u32 i = name_hash(w) & mask;

	while (p->names[i] && !span_is(w, p->tr->recs[p->names[i] - 1].name))
		i = (i + 1) & mask;
	return &p->names[i];
}

/* Keeps the table at most half full. */
static void names_grow(struct parser *p)
{
	u32 old_size = p->names_size;
	u32 *old = p->names;

	if (old_size && p->families < old_size / 2)
		return;
	p->names_size = old_size ? 2 * old_size : 64;
	p->names = mem_pool_alloc(p->pool, p->names_size * sizeof(u32));
	for (u32 i = 0; i < old_size; i++) {
		const char *name;

		if (!old[i])
			continue;
		name = p->tr->recs[old[i] - 1].name;
		*name_slot(p, (struct span){ name, name + strlen(name) }) =
			old[i];
	}
}

int find_record(const struct parser *p, struct span name)
{
	return p->names_size ? (int)*name_slot(p, name) - 1 : -1;
}

/* NAME or NAME*N in front of '='. */
static int parse_rec_name(struct parser *p, struct span *name, u32 *of)
{
	struct span w = p->lex.tok;
	struct span count;
	const char *star = memchr(w.s, '*', span_len(w));
	u64 n = 1;

	*name = (struct span){ w.s, star ? star : w.e };
	if (parse_name(p, *name, "record"))
		return -1;
	names_grow(p);
	if (*name_slot(p, *name))
		return lex_fail(&p->lex, w.s,
				"record '%s' is there already, expected a new"
				" name",
				quote(*name).s);
	count = (struct span){ star ? star + 1 : w.e, w.e };
	if (star &&
	    lex_num(&p->lex, count, "repeat count", 1, TRACE_RECORDS_MAX, &n))
		return -1;
	if (n > TRACE_RECORDS_MAX - p->tr->rec_n)
		return lex_fail(&p->lex, w.s,
				"too many records, expected at most %u in all",
				TRACE_RECORDS_MAX);
	*of = (u32)n;
	lex_next(&p->lex);
	return 0;
}

/* The plaintext length; @where is kept for later complaints. */
static int parse_rec_len(struct parser *p, struct trace_rec *r,
			 const char **where)
{
	u64 n;

	*where = p->lex.tok.s;
	if (lex_num(&p->lex, p->lex.tok, "record length", 0, TRACE_BODY_MAX,
		    &n))
		return -1;
	r->len = (u32)n;
	lex_next(&p->lex);
	return 0;
}

static int parse_rec_openssl(struct parser *p, struct trace_rec *r)
{
	struct span w = p->lex.tok;
	int what = names_find(&ossl_names, w.s, span_len(w));
	u64 n;

	if (what < 0)
		return fail_unknown(p, w, "openssl record", &ossl_names);
	if (!p->tr->opts.openssl)
		return lex_fail(&p->lex, w.s,
				"an openssl record needs a libssl peer,"
				" expected 'set peer=openssl'");
	if ((what == OSSL_TICKET || what == OSSL_KEYUPDATE) &&
	    p->tr->opts.version != TLS_1_3_VERSION)
		return lex_fail(&p->lex, w.s, "openssl %s needs tls=1.3",
				quote(w).s);
	r->kind = REC_OPENSSL;
	r->ossl = (enum ossl_what)what;
	lex_next(&p->lex);
	if (what != OSSL_DATA)
		return 0;
	if (lex_num(&p->lex, p->lex.tok, "data length", 1, TRACE_BODY_MAX, &n))
		return -1;
	r->len = (u32)n;
	lex_next(&p->lex);
	return 0;
}

/* `data 100`, `type 99 3`, `keyupdate 5`: a sealed record. */
static int parse_rec_sealed(struct parser *p, struct trace_rec *r,
			    const char **where)
{
	struct span w = p->lex.tok;
	int i = names_find(&type_words, w.s, span_len(w));
	u64 n;

	lex_next(&p->lex);
	if (i >= 0) {
		const struct trace_word *types = type_words.base;

		r->type = (u8)types[i].val;
	} else if (span_is(w, "keyupdate")) {
		r->kind = REC_KEYUPDATE;
		r->type = TLS_RECORD_TYPE_HANDSHAKE;
	} else {
		if (lex_num(&p->lex, p->lex.tok, "record type", 0, 255, &n))
			return -1;
		r->type = (u8)n;
		lex_next(&p->lex);
	}
	return parse_rec_len(p, r, where);
}

static int parse_rec_kind(struct parser *p, struct trace_rec *r,
			  const char **where)
{
	static const char *const kinds[] = { "data", "alert",  "handshake",
					     "ccs",  "type",   "keyupdate",
					     "raw",  "openssl" };
	struct span w = p->lex.tok;

	*where = w.s;
	if (span_is(w, "raw")) {
		r->kind = REC_RAW;
		lex_next(&p->lex);
		w = p->lex.tok;
		if (parse_bytes(p, w, "raw record", &r->raw, &r->len))
			return -1;
		lex_next(&p->lex);
		return 0;
	}
	if (span_is(w, "openssl")) {
		lex_next(&p->lex);
		return parse_rec_openssl(p, r);
	}
	if (names_find(&NAMES(kinds), w.s, span_len(w)) < 0)
		return fail_unknown(p, w, "kind of record", &NAMES(kinds));
	return parse_rec_sealed(p, r, where);
}

static int mod_needs_13(const struct parser *p, struct span w)
{
	if (p->tr->opts.version == TLS_1_3_VERSION)
		return 0;
	return lex_fail(&p->lex, w.s, "'%s' needs tls=1.3", quote(w).s);
}

/* The value of a `mod=value`. */
static int parse_mod_value(struct parser *p, struct trace_rec *r, u32 mod,
			   struct span val)
{
	const struct lex *lx = &p->lex;
	u64 n = 0;
	s64 d;
	int rc;

	switch (mod) {
	case MOD_PAD_WORD:
		rc = lex_num(lx, val, "padding", 0, TRACE_BODY_MAX, &n);
		r->pad = (u32)n;
		return rc;
	case MOD_VER:
		rc = lex_hex(lx, val, "version", 4, &n);
		r->ver = (u16)n;
		return rc;
	case MOD_LEN:
		rc = lex_num(lx, val, "header length", 0, 65535, &n);
		r->hdr_len = (u16)n;
		return rc;
	case MOD_DLEN:
		rc = lex_signed(lx, val, "length change", -65535, 65535, &d);
		r->dlen = rc ? 0 : (s32)d;
		return rc;
	case MOD_OUTER:
		rc = lex_num(lx, val, "outer type", 0, 255, &n);
		r->outer = (u8)n;
		return rc;
	default:
		rc = lex_num(lx, val, "sequence number", 0, UINT64_MAX, &n);
		r->seq = n;
		return rc;
	}
}

/* One word behind a record: `pad=3`, `badtag`, ... */
static int parse_mod(struct parser *p, struct trace_rec *r, u32 *seen)
{
	struct span w = p->lex.tok;
	const char *eq = memchr(w.s, '=', span_len(w));
	size_t len = (size_t)((eq ? eq : w.e) - w.s);
	int i = names_find(&mod_words, w.s, len);
	const struct trace_word *words = mod_words.base;
	bool takes;
	u32 mod;

	if (i < 0)
		return fail_unknown(p, (struct span){ w.s, w.s + len },
				    "change of a record", &mod_words);
	mod = words[i].val;
	if (*seen & 1u << i)
		return lex_fail(&p->lex, w.s, "'%s' is there twice",
				words[i].name);
	*seen |= 1u << i;
	takes = !(mod & (MOD_BADTAG | MOD_BADCT | MOD_ZERO | MOD_NOINNER));
	if (takes != !!eq)
		return lex_fail(&p->lex, w.s, "'%s' %s", words[i].name,
				takes ? "needs a value, expected '=' and it" :
					"takes no value");
	if ((mod == MOD_PAD_WORD || mod & (MOD_ZERO | MOD_NOINNER)) &&
	    mod_needs_13(p, w))
		return -1;
	if (eq && parse_mod_value(p, r, mod, (struct span){ eq + 1, w.e }))
		return -1;
	r->mods |= mod;
	lex_next(&p->lex);
	return 0;
}

static int check_rec_size(struct parser *p, const struct trace_rec *r, u32 of,
			  const char *where)
{
	s64 len = trace_rec_wire_len(&p->tr->opts, r);

	if (len < 0)
		len = TLS_HEADER_SIZE + r->len;
	if (len - TLS_HEADER_SIZE > TRACE_BODY_MAX)
		return lex_fail(&p->lex, where,
				"record too long: %lld bytes behind its header,"
				" expected at most %u",
				(long long)len - TLS_HEADER_SIZE,
				TRACE_BODY_MAX);
	p->stream += (u64)len * of;
	if (p->stream > TRACE_STREAM_MAX)
		return lex_fail(&p->lex, where,
				"too much data: all records together have more"
				" than %u bytes",
				TRACE_STREAM_MAX);
	return 0;
}

/* NAME = KIND ... */
static int parse_peer_record(struct parser *p, struct trace_stmt *st)
{
	struct trace_rec rec = { .of = 1 };
	struct trace *tr = p->tr;
	const char *where;
	struct span name;
	u32 seen = 0;

	if (parse_rec_name(p, &name, &rec.of) || parse_word(p, "=") ||
	    parse_rec_kind(p, &rec, &where))
		return -1;
	while (!lex_eol(&p->lex)) {
		if (rec.kind == REC_RAW || rec.kind == REC_OPENSSL)
			return lex_fail(&p->lex, p->lex.tok.s,
					"'%s' is too much, expected the end of"
					" the line",
					quote(p->lex.tok).s);
		if (parse_mod(p, &rec, &seen))
			return -1;
	}
	if (check_rec_size(p, &rec, rec.of, where))
		return -1;
	st->kind = ST_PEER_RECORD;
	st->peer.first = tr->rec_n;
	st->peer.count = rec.of;
	rec.name = mem_pool_strndup(p->pool, name.s, span_len(name));
	for (; rec.index < rec.of; rec.index++)
		*pool_push(p->pool, tr->recs, tr->rec_n) = rec;
	*name_slot(p, name) = st->peer.first + 1;
	p->families++;
	return 0;
}

/* `key G [seq=N]` */
static int parse_peer_key(struct parser *p, struct trace_stmt *st)
{
	struct lex *lx = &p->lex;
	struct span val;
	u64 n;

	if (lex_num(lx, lx->tok, "key generation", 0, 65535, &n))
		return -1;
	st->kind = ST_PEER_KEY;
	st->key.gen = (u32)n;
	lex_next(lx);
	if (!word_key(lx->tok, "seq", &val))
		return 0;
	if (lex_num(lx, val, "sequence number", 0, UINT64_MAX, &st->key.seq))
		return -1;
	st->key.seq_set = true;
	lex_next(lx);
	return 0;
}

int parse_peer(struct parser *p, struct trace_stmt *st)
{
	if (!span_is(p->lex.tok, "key"))
		return parse_peer_record(p, st);
	lex_next(&p->lex);
	return parse_peer_key(p, st);
}
