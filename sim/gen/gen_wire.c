// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random traces: records, and how their bytes reach the socket.
 *
 *   stream:  | sent in order |  hole  | sent early | not sent |
 *            0             hole    hole_end      front      built
 *
 * How: a step extends @front to a random place, in one statement of one or
 * more segments, or leaves a hole, fills it, or repeats old bytes. Records are
 * drawn when the first byte of them is wanted. The sender takes over at
 * @front, whatever went raw before; it sends again what got lost.
 * Left out: libssl peers.
 */
#include "sim/gen/gen_int.h"

#define SEGMENT_MAX 60000u /* bytes of a raw statement without `cut=` */
#define SEGMENTS_USUAL 8u /* of one statement, about */
#define SEGMENTS_MAX 40u /* the same, now and then */

static const char *const rec_names[GEN_RECS_ROOM] = {
	"A",  "B",  "C",  "D",	"E",  "F",  "G",  "H",	"I",  "J",  "K",
	"L",  "M",  "N",  "O",	"P",  "Q",  "R",  "S",	"T",  "U",  "V",
	"W",  "X",  "Y",  "Z",	"A1", "B1", "C1", "D1", "E1", "F1", "G1",
	"H1", "I1", "J1", "K1", "L1", "M1", "N1", "O1", "P1", "Q1", "R1",
	"S1", "T1", "U1", "V1", "W1", "X1", "Y1", "Z1", "A2", "B2", "C2",
	"D2", "E2", "F2", "G2", "H2", "I2", "J2", "K2", "L2",
};

struct raw_bytes {
	u8 len;
	u8 bytes[11];
};

static const struct raw_bytes raws[] = {
	{ 7, { 21, 3, 3, 0, 2, 1, 0 } }, /* an alert in the clear */
	{ 6, { 20, 3, 3, 0, 1, 1 } }, /* ccs for middleboxes */
	{ 5, { 23, 3, 3, 0x40, 0x00 } }, /* a header, nothing behind it */
	{ 1, { 23 } },
	{ 5, { 23, 3, 3, 0xff, 0xff } },
	{ 11, { 'G', 'E', 'T', ' ', '/', ' ', 'H', 'T', 'T', 'P', '\n' } },
};

static bool is_tls13(const struct gen *g)
{
	return g->tr->opts.version == TLS_1_3_VERSION;
}

/* Sizes around those where pages, fragments and records end. */
static u32 draw_big_len(struct gen *g)
{
	static const u16 edges[8] = { 16384, 4096,  4074, 4075,
				      8170,  16371, 8192, 12288 };

	u32 len;

	if (gen_one_in(g, 2))
		return gen_choose(g, 16385);
	len = edges[gen_choose(g, 8)];
	return len - gen_one_in(g, 4);
}

static u32 draw_len(struct gen *g)
{
	switch (gen_choose(g, 16)) {
	case 10:
	case 11:
		return 1 + gen_choose(g, 16);
	case 12:
	case 13:
		return gen_has(g, GEN_EMPTY) ? 0 : 100;
	case 14:
	case 15:
		return gen_has(g, GEN_BIG) ? draw_big_len(g) : 10;
	default:
		return 1 + gen_choose(g, 512);
	}
}

static void draw_control(struct gen *g, struct trace_rec *r)
{
	static const u8 odd_types[8] = { TLS_RECORD_TYPE_CCS, 24, 99, 0, 255,
					 TLS_RECORD_TYPE_CCS, 1,  24 };

	switch (gen_choose(g, 4)) {
	case 0:
		r->type = TLS_RECORD_TYPE_ALERT;
		r->len = gen_one_in(g, 4) ? 1 + gen_choose(g, 20) : 2;
		break;
	case 1:
	case 2:
		r->type = TLS_RECORD_TYPE_HANDSHAKE;
		r->len = 1 + gen_choose(g, 64);
		break;
	default:
		r->type = odd_types[gen_choose(g, 8)];
		r->len = 1 + gen_choose(g, 8);
		break;
	}
	if (gen_may(g, GEN_EMPTY, 4))
		r->len = 0;
}

static void make_raw(struct gen *g, struct trace_rec *r)
{
	const struct raw_bytes *raw = &raws[gen_choose(g, ARRAY_SIZE(raws))];

	r->kind = REC_RAW;
	r->type = 0;
	r->len = raw->len;
	r->pad = 0;
	r->raw = raw->bytes;
}

static void spoil(struct gen *g, struct trace_rec *r)
{
	static const u16 versions[4] = { 0x0302, 0x0304, 0x0301, 0 };

	switch (gen_choose(g, is_tls13(g) ? 12 : 10)) {
	case 0:
	case 1:
	case 2:
		r->mods = MOD_BADTAG;
		break;
	case 3:
		r->mods = MOD_BADCT;
		break;
	case 4:
		r->mods = MOD_VER;
		r->ver = versions[gen_choose(g, 4)];
		break;
	case 5:
		r->mods = MOD_LEN;
		r->hdr_len = (u16)gen_choose(g, gen_one_in(g, 2) ? 65536 : 40);
		break;
	case 6:
		r->mods = MOD_DLEN;
		r->dlen = (s32)gen_choose(g, 65) - 32;
		break;
	case 7:
		r->mods = MOD_OUTER;
		r->outer = (u8)gen_choose(g, 256);
		break;
	case 8:
		r->mods = MOD_SEQ;
		r->seq = gen_choose(g, 8);
		break;
	case 9:
		make_raw(g, r);
		break;
	case 10:
		r->mods = MOD_ZERO;
		break;
	default:
		r->mods = MOD_NOINNER;
		break;
	}
}

static void draw_keyupdate(struct gen *g, struct trace_rec *r)
{
	static const u8 len[8] = { 5, 5, 5, 5, 5, 1, 4, 9 };

	r->kind = REC_KEYUPDATE;
	r->type = TLS_RECORD_TYPE_HANDSHAKE;
	r->len = len[gen_choose(g, 8)];
}

static void draw_record(struct gen *g, struct trace_rec *r)
{
	r->type = TLS_RECORD_TYPE_DATA;
	if (gen_may(g, GEN_REKEY, 4))
		draw_keyupdate(g, r);
	else if (gen_may(g, GEN_CONTROL, 3))
		draw_control(g, r);
	else
		r->len = draw_len(g);
	if (is_tls13(g) && gen_may(g, GEN_PAD, 3))
		r->pad = 1 + gen_choose(g, r->len < 16320 ? 64 : 4);
	if (gen_may(g, GEN_SPOIL, 5))
		spoil(g, r);
}

static void new_key(struct gen *g)
{
	struct trace_stmt *st;

	g->keyupdates++;
	if (gen_one_in(g, 8))
		return; /* a peer that goes on with the old key */
	st = gen_stmt_now(g, ST_PEER_KEY);
	st->key.gen = ++g->gen;
}

/* Declares the next record, or the next few of one kind. */
static void new_record(struct gen *g)
{
	struct trace *tr = g->tr;
	u32 i, n = 1, first = tr->rec_n;
	struct trace_rec *r = &tr->recs[first];
	struct trace_stmt *st = gen_stmt(g, ST_PEER_RECORD);

	memset(r, 0, sizeof(*r));
	draw_record(g, r);
	r->name = rec_names[first];
	if (gen_may(g, GEN_REPEAT, 3) && r->kind == REC_SEALED)
		n = 2 + gen_choose(g, 3);
	n = min_t(u32, n, g->recs - first);
	r->of = n;
	g->len[first] = (u32)trace_rec_wire_len(&tr->opts, r);
	for (i = 1; i < n; i++) {
		r[i] = r[0];
		r[i].index = i;
		g->len[first + i] = g->len[first];
	}
	st->peer.first = first;
	st->peer.count = n;
	tr->rec_n += n;
	if (r->kind == REC_KEYUPDATE)
		new_key(g);
}

/* Declares records up to number @n, as far as there is room. */
static void need_records(struct gen *g, u32 n)
{
	while (g->tr->rec_n < n) {
		if (g->tr->stmt_n + GEN_STMTS_SPARE / 2 > g->room) {
			g->recs = g->tr->rec_n;
			return;
		}
		new_record(g);
	}
}

static bool pos_before(struct gen_pos a, struct gen_pos b)
{
	return a.rec < b.rec || (a.rec == b.rec && a.off < b.off);
}

/* The end of a record is the start of the next. */
static struct gen_pos pos_of(const struct gen *g, u32 rec, u32 off)
{
	if (rec < g->tr->rec_n && off >= g->len[rec])
		return (struct gen_pos){ rec + 1, 0 };
	return (struct gen_pos){ rec, off };
}

static u32 bytes_between(const struct gen *g, struct gen_pos from,
			 struct gen_pos to)
{
	u32 i, n = to.off;

	for (i = from.rec; i < to.rec; i++)
		n += g->len[i];
	return n - from.off;
}

/* A place behind @from, at least a byte and at most what is built. */
static struct gen_pos some_place(struct gen *g, struct gen_pos from,
				 struct gen_pos to)
{
	u32 n = bytes_between(g, from, to);
	struct gen_pos p = from;

	p.off += n > 1 ? 1 + gen_choose(g, n - 1) : n;
	while (p.rec < g->tr->rec_n && p.off >= g->len[p.rec]) {
		p.off -= g->len[p.rec];
		p.rec++;
	}
	return p;
}

/* Where a header, a prepend, a tag ends or begins. */
static u32 odd_offset(struct gen *g, u32 rec)
{
	static const u8 front[4] = { 5, 13, 4, 12 };
	u32 d = gen_choose(g, 8);

	if (d < 4)
		return front[d];
	if (d == 4)
		return g->len[rec] > 17 ? g->len[rec] - 16 : 1;
	if (d == 5)
		return g->len[rec] - 1;
	return 1 + gen_choose(g, 5);
}

/* How far the next segment reaches. */
static struct gen_pos draw_target(struct gen *g)
{
	struct gen_pos f = g->front, t = { f.rec + 1, 0 };
	u32 d = gen_choose(g, 8);

	if (d == 3)
		t.rec = f.rec + 1 + gen_choose(g, 4);
	if (d == 7)
		t.rec = g->recs;
	if (t.rec > g->recs)
		t.rec = g->recs;
	need_records(g, d == 6 && t.rec < g->recs ? t.rec + 1 : t.rec);
	if (t.rec > g->tr->rec_n)
		t.rec = g->tr->rec_n;
	if (d == 4)
		t = some_place(g, f, t);
	if (d == 5 && f.rec < g->tr->rec_n)
		t = pos_of(g, f.rec, f.off + 1 + gen_choose(g, 5));
	if (d == 6 && t.rec < g->tr->rec_n)
		t = pos_of(g, t.rec, odd_offset(g, t.rec));
	return t;
}

static void fill_ranges(struct gen *g, struct stmt_wire *w, struct gen_pos from,
			struct gen_pos to)
{
	u32 i, n = to.rec - from.rec + !!to.off;
	struct trace_range *r;

	r = mem_pool_alloc_raw(g->tr->pool, n * sizeof(*r));
	w->range = r;
	w->range_n = n;
	for (i = 0; i < n; i++) {
		r[i].rec = from.rec + i;
		r[i].count = 1;
		r[i].from = i ? 0 : from.off;
		r[i].to = from.rec + i == to.rec ? to.off : RANGE_END;
	}
}

static void draw_cut(struct gen *g, struct stmt_wire *w, u32 bytes)
{
	static const u16 cuts[8] = { 1, 100, 5, 2, 17, 3, 500, 1000 };
	u32 most, cut;

	if (bytes > SEGMENT_MAX)
		w->cut = 16384;
	if (!gen_may(g, GEN_CUTS, 2))
		return;
	most = gen_one_in(g, 8) ? SEGMENTS_MAX : SEGMENTS_USUAL;
	cut = cuts[gen_choose(g, 8)];
	w->cut = max_t(u32, cut, bytes / most + 1);
}

static void put_on_wire(struct gen *g, enum stmt_kind kind, struct gen_pos from,
			struct gen_pos to)
{
	u32 bytes = bytes_between(g, from, to);
	struct trace_stmt *st = gen_stmt(g, kind);
	struct stmt_wire *w = &st->wire;

	w->layout = -1;
	w->held = -1;
	fill_ranges(g, w, from, to);
	draw_cut(g, w, bytes);
	if (gen_may(g, GEN_LAYOUT, 6))
		w->layout = (int)gen_choose(g, LAYOUT_COUNT);
	if (gen_may(g, GEN_LAYOUT, 6))
		w->held = (int)gen_choose(g, 2);
	w->urg = gen_may(g, GEN_URGENT, 3);
	if (kind == ST_WIRE && gen_may(g, GEN_XOR, 2)) {
		w->flip = (u8)(1u << gen_choose(g, 8));
		w->flip_off = gen_choose(g, bytes);
	}
}

static void fill_hole(struct gen *g)
{
	put_on_wire(g, ST_WIRE, g->hole, g->hole_end);
	g->hole = g->hole_end;
}

/* Old bytes again, maybe with new ones behind them. */
static void repeat(struct gen *g)
{
	struct gen_pos start = { g->front.rec, 0 }, to = g->front;

	if (start.rec && (!to.off || gen_one_in(g, 3)))
		start.rec--;
	if (gen_one_in(g, 2))
		start = some_place(g, start, g->front);
	if (gen_one_in(g, 2))
		to = draw_target(g);
	if (pos_before(start, to))
		put_on_wire(g, ST_WIRE, start, to);
	if (pos_before(g->front, to))
		g->front = to;
}

/* New bytes but the first ones, which are held back. The sender goes on only
 * behind bytes that left, so something must. */
static bool leave_hole(struct gen *g, struct gen_pos from, struct gen_pos to)
{
	struct gen_pos mid;

	if (pos_before(g->hole, g->hole_end) || !gen_may(g, GEN_DISORDER, 3))
		return false;
	mid = some_place(g, from, to);
	if (!pos_before(mid, to))
		return false;
	g->hole = from;
	g->hole_end = mid;
	put_on_wire(g, ST_WIRE, mid, to);
	return true;
}

static void go_on(struct gen *g)
{
	struct gen_pos to = draw_target(g), from = g->front;
	enum stmt_kind kind = ST_SEND;

	if (!pos_before(from, to))
		return;
	g->front = to;
	if (leave_hole(g, from, to))
		return;
	if (gen_has(g, GEN_RAW) && gen_choose(g, 4))
		kind = ST_WIRE;
	put_on_wire(g, kind, from, to);
}

static bool end_stream(struct gen *g, enum stmt_kind kind)
{
	struct trace_stmt *st = gen_stmt(g, kind);

	if (kind == ST_FIN)
		st->fin.send = !gen_may(g, GEN_RAW, 2);
	g->fin = true;
	return false;
}

/* All bytes are out; what may still come. */
static bool last_step(struct gen *g)
{
	if (gen_may(g, GEN_FIN, 2))
		return end_stream(g, ST_FIN);
	if (gen_may(g, GEN_RST, 2))
		return end_stream(g, ST_RST);
	if (!gen_may(g, GEN_DISORDER, 4))
		return false;
	repeat(g);
	return true;
}

bool gen_wire_step(struct gen *g)
{
	bool hole = pos_before(g->hole, g->hole_end);
	bool all = g->front.rec >= g->recs;

	if (g->fin)
		return false;
	if (all && !hole)
		return last_step(g);
	if (gen_may(g, GEN_FIN, 12))
		return end_stream(g, ST_FIN);
	if (gen_may(g, GEN_RST, 10))
		return end_stream(g, ST_RST);
	if (hole && (all || gen_one_in(g, 2)))
		fill_hole(g);
	else if (pos_before((struct gen_pos){ 0, 0 }, g->front) &&
		 gen_may(g, GEN_DISORDER, 4))
		repeat(g);
	else
		go_on(g);
	return true;
}

void gen_wire_rest(struct gen *g)
{
	struct gen_pos to;

	if (pos_before(g->hole, g->hole_end))
		fill_hole(g);
	need_records(g, g->recs);
	to = (struct gen_pos){ g->tr->rec_n, 0 };
	if (pos_before(g->front, to))
		put_on_wire(g, ST_SEND, g->front, to);
	g->front = to;
}
