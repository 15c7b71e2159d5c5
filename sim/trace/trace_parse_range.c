// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parser: ranges of records, `wire` and `send` lines, pieces of expected data.
 *
 * Lengths are known here for all records but those of a libssl peer, so that a
 * range outside its record and a gap in a segment are errors of the text; for
 * libssl records the run finds them.
 *
 * Left out: whether the ranges of different lines overlap, which is allowed.
 */
#include "sim/trace/trace_parse.h"

#define SEGMENT_MAX 65535u /* bytes a segment can carry */

/* Suggests a declared record. Only on the way to an error. */
static int fail_no_record(const struct parser *p, struct span name)
{
	struct names recs = { p->tr->recs, sizeof(struct trace_rec),
			      p->tr->rec_n };
	const char *near = names_nearest(&recs, name.s, span_len(name));

	if (near)
		return lex_fail(&p->lex, name.s,
				"no record '%s' yet, did you mean '%s'?",
				quote(name).s, near);
	return lex_fail(&p->lex, name.s,
			"no record '%s' yet, expected one that a 'peer' line"
			" above declares",
			quote(name).s);
}

/* `.I` or `.I..J` behind a name: which of a NAME*N. */
static int parse_index(struct parser *p, struct span w, u32 of,
		       struct trace_range *r)
{
	struct span first = w, last;
	u64 i, j;

	for (first.e = first.s; first.e < w.e && *first.e != '.';)
		first.e++;
	if (lex_num(&p->lex, first, "index of the record", 0, of - 1, &i))
		return -1;
	j = i;
	if (first.e < w.e) {
		if (w.e - first.e < 2 || first.e[1] != '.')
			return lex_fail(&p->lex, first.e,
					"'%s' is not an index, expected '..'"
					" and the last one",
					quote(w).s);
		last = (struct span){ first.e + 2, w.e };
		if (lex_num(&p->lex, last, "last index", i, of - 1, &j))
			return -1;
	}
	r->rec += (u32)i;
	r->count = (u32)(j - i) + 1;
	return 0;
}

/* `[A,B)`; @total bounds B unless it is -1. */
static int parse_bounds(struct parser *p, struct span w, s64 total,
			struct trace_range *r)
{
	u64 max = total < 0 ? RANGE_END - 1 : (u64)total, n;
	const char *comma = memchr(w.s, ',', span_len(w));
	struct span a, b;

	if (!comma || w.e[-1] != ')')
		return lex_fail(
			&p->lex, w.s,
			"'%s' is not a range, expected [FROM,TO) without"
			" blanks",
			quote(w).s);
	a = (struct span){ w.s + 1, comma };
	b = (struct span){ comma + 1, w.e - 1 };
	if (lex_num(&p->lex, a, "start of the range", 0, max, &n))
		return -1;
	r->from = (u32)n;
	if (span_is(b, "end"))
		return 0;
	if (lex_num(&p->lex, b, "end of the range", r->from, max, &n))
		return -1;
	r->to = (u32)n;
	return 0;
}

/* Bytes of one of the records a range is about; -1 not known. */
static s64 rec_bytes(const struct parser *p, u32 rec, bool plain)
{
	const struct trace_rec *r = &p->tr->recs[rec];

	if (!plain)
		return trace_rec_wire_len(&p->tr->opts, r);
	return r->kind == REC_OPENSSL ? -1 : (s64)r->len;
}

/* NAME, NAME.I, NAME[A,B), ...; @plain: of the plaintext, else of the wire. */
static int parse_range(struct parser *p, struct span w, bool plain,
		       struct trace_range *r)
{
	struct span name = w;
	const char *bracket = memchr(w.s, '[', span_len(w));
	const char *e = bracket ? bracket : w.e;
	const char *dot = memchr(w.s, '.', (size_t)(e - w.s));
	s64 total;
	int rec;

	name.e = dot ? dot : e;
	if (parse_name(p, name, "record"))
		return -1;
	rec = find_record(p, name);
	if (rec < 0)
		return fail_no_record(p, name);
	r->rec = (u32)rec;
	r->count = p->tr->recs[r->rec].of;
	r->from = 0;
	r->to = RANGE_END;
	if (dot && parse_index(p, (struct span){ dot + 1, e }, r->count, r))
		return -1;
	if (!bracket)
		return 0;
	total = rec_bytes(p, r->rec, plain);
	if (total > 0)
		total *= r->count;
	return parse_bounds(p, (struct span){ bracket, w.e }, total, r);
}

/* A position in the stream; @fuzzy: or at the start of the next record. */
struct stream_pos {
	u32 rec;
	u32 off;
	bool known;
	bool fuzzy;
};

/* Where byte @off counted from the start of record @rec lies. */
static struct stream_pos stream_pos(const struct parser *p, u32 rec, u32 count,
				    u32 off)
{
	struct stream_pos pos = { .rec = rec, .off = off, .known = true };
	s64 len = rec_bytes(p, rec, false);

	if (off == RANGE_END) {
		pos.rec += count;
		pos.off = 0;
	} else if (len > 0) {
		pos.rec += off / (u32)len;
		pos.off = off % (u32)len;
	} else if (off) {
		pos.known = count == 1;
		pos.fuzzy = true;
	}
	return pos;
}

static int check_follows(struct parser *p, struct span w,
			 const struct trace_range *r, struct stream_pos want)
{
	struct stream_pos pos = stream_pos(p, r->rec, r->count, r->from);
	const struct trace_rec *rec;

	if (!want.known || !pos.known)
		return 0;
	if (pos.rec == want.rec && pos.off == want.off)
		return 0;
	if (want.fuzzy && pos.rec == want.rec + 1 && !pos.off)
		return 0;
	if (want.rec >= p->tr->rec_n)
		return lex_fail(&p->lex, w.s,
				"'%s' does not follow in the stream, expected"
				" the end of the segment",
				quote(w).s);
	rec = &p->tr->recs[want.rec];
	if (rec->of > 1)
		return lex_fail(&p->lex, w.s,
				"'%s' does not follow in the stream, expected"
				" '%s.%u' from byte %u",
				quote(w).s, rec->name, rec->index, want.off);
	return lex_fail(&p->lex, w.s,
			"'%s' does not follow in the stream, expected '%s' from"
			" byte %u",
			quote(w).s, rec->name, want.off);
}

/* Bytes of a range on the wire; -1 not known. */
static s64 range_bytes(const struct parser *p, const struct trace_range *r)
{
	s64 len = rec_bytes(p, r->rec, false);

	if (r->to != RANGE_END)
		return r->to - r->from;
	return len < 0 ? -1 : len * r->count - r->from;
}

static bool is_wire_option(struct span w)
{
	return span_is(w, "urg") || memchr(w.s, '=', span_len(w));
}

/* The ranges of a segment. @total: their bytes, -1 not known. */
static int parse_ranges(struct parser *p, struct stmt_wire *wire, s64 *total)
{
	struct stream_pos next = { 0 };
	struct trace_range *ranges = NULL;
	u32 n = 0;

	*total = 0;
	while (!lex_eol(&p->lex)) {
		struct span w = p->lex.tok;
		struct trace_range *r;
		s64 bytes;

		if (is_wire_option(w))
			break;
		r = pool_push(p->pool, ranges, n);
		if (parse_range(p, w, false, r))
			return -1;
		bytes = range_bytes(p, r);
		if (!bytes)
			return lex_fail(&p->lex, w.s,
					"'%s' is empty, expected at least one"
					" byte",
					quote(w).s);
		if (n > 1 && check_follows(p, w, r, next))
			return -1;
		next = stream_pos(p, r->rec, r->count, r->to);
		*total = bytes < 0 || *total < 0 ? -1 : *total + bytes;
		lex_next(&p->lex);
	}
	if (!n)
		return lex_fail(&p->lex, p->lex.tok.s,
				"nothing to send, expected records, 'fin' or"
				" 'rst'");
	wire->range = ranges;
	wire->range_n = n;
	return 0;
}

/* `xor=ff@3`: byte 3 of the segment is changed. */
static int parse_xor(struct parser *p, struct span val, s64 total,
		     struct stmt_wire *wire)
{
	const char *at = memchr(val.s, '@', span_len(val));
	u64 max = total < 0 ? UINT32_MAX : (u64)total - 1, n;

	if (!at)
		return lex_fail(
			&p->lex, val.s,
			"'%s' is wrong, expected two hexadecimal digits,"
			" '@' and the byte's number",
			quote(val).s);
	if (lex_hex(&p->lex, (struct span){ val.s, at }, "change", 2, &n))
		return -1;
	if (!n)
		return lex_fail(&p->lex, val.s,
				"00 changes nothing, expected 01 to ff");
	wire->flip = (u8)n;
	if (lex_num(&p->lex, (struct span){ at + 1, val.e }, "byte number", 0,
		    max, &n))
		return -1;
	wire->flip_off = (u32)n;
	return 0;
}

static int parse_layout(struct parser *p, struct span val,
			struct stmt_wire *wire)
{
	wire->layout = names_find(&layout_names, val.s, span_len(val));
	if (wire->layout < 0)
		return fail_unknown(p, val, "skb layout", &layout_names);
	return 0;
}

/* Options in the order they are printed. */
enum {
	OPT_CUT,
	OPT_SKB,
	OPT_HELD,
	OPT_URG,
	OPT_XOR
};
static const char *const wire_option_list[] = {
	[OPT_CUT] = "cut", [OPT_SKB] = "skb", [OPT_HELD] = "held",
	[OPT_URG] = "urg", [OPT_XOR] = "xor",
};

static int parse_wire_option(struct parser *p, struct stmt_wire *wire,
			     bool send, s64 total)
{
	struct span w = p->lex.tok, val = w, name = w;
	bool held = false;
	u64 n;

	if (span_is(w, "urg")) {
		wire->urg = true;
		return 0;
	}
	if (word_key(w, "cut", &val)) {
		if (lex_num(&p->lex, val, "segment size", 1, SEGMENT_MAX, &n))
			return -1;
		wire->cut = (u32)n;
		return 0;
	}
	if (word_key(w, "skb", &val))
		return parse_layout(p, val, wire);
	if (word_key(w, "held", &val)) {
		if (parse_on_off(p, val, "held", &held))
			return -1;
		wire->held = held;
		return 0;
	}
	if (!word_key(w, "xor", &val)) {
		for (name.e = name.s; name.e < w.e && *name.e != '=';)
			name.e++;
		return fail_unknown(p, name, "option",
				    &NAMES(wire_option_list));
	}
	if (send)
		return lex_fail(&p->lex, w.s,
				"'xor' is for 'wire' only, 'send' retransmits"
				" what it sent");
	return parse_xor(p, val, total, wire);
}

/* @total: bytes of the statement, -1 not known (then few: libssl wrote them). */
static int check_segment(struct parser *p, const struct stmt_wire *wire,
			 const char *where, s64 total, bool send)
{
	if (wire->cut && total > (s64)wire->cut * TRACE_SEGMENTS_MAX)
		return lex_fail(&p->lex, where,
				"%lld segments, expected at most %u, so a"
				" larger 'cut='",
				(long long)((total - 1) / wire->cut + 1),
				TRACE_SEGMENTS_MAX);
	if (wire->cut || send || total <= SEGMENT_MAX)
		return 0;
	return lex_fail(&p->lex, where,
			"segment of %lld bytes, expected at most %u or 'cut='",
			(long long)total, SEGMENT_MAX);
}

/* `after A[0,60)` behind `wire fin` and `wire rst`. */
static int parse_after(struct parser *p, struct trace_stmt *st)
{
	if (!span_is(p->lex.tok, "after"))
		return 0;
	lex_next(&p->lex);
	st->fin.after = true;
	if (parse_range(p, p->lex.tok, false, &st->fin.range))
		return -1;
	lex_next(&p->lex);
	return 0;
}

int parse_wire(struct parser *p, struct trace_stmt *st, bool send)
{
	const char *where = p->lex.tok.s;
	s64 total;

	if (span_is(p->lex.tok, "fin")) {
		st->kind = ST_FIN;
		st->fin.send = send;
		lex_next(&p->lex);
		return send ? 0 : parse_after(p, st);
	}
	if (span_is(p->lex.tok, "rst")) {
		if (send)
			return lex_fail(&p->lex, where,
					"'rst' needs no sender, expected"
					" 'wire rst'");
		st->kind = ST_RST;
		lex_next(&p->lex);
		return parse_after(p, st);
	}
	st->kind = send ? ST_SEND : ST_WIRE;
	st->wire.layout = -1;
	st->wire.held = -1;
	if (parse_ranges(p, &st->wire, &total))
		return -1;
	while (!lex_eol(&p->lex)) {
		if (parse_wire_option(p, &st->wire, send, total))
			return -1;
		lex_next(&p->lex);
	}
	return check_segment(p, &st->wire, where, total, send);
}

/* `stream[A,B)`: bytes of the data pattern. */
static int parse_stream(struct parser *p, struct span w,
			struct trace_data *data)
{
	struct span bounds = { w.s + strlen("stream"), w.e };

	data->kind = DATA_STREAM;
	data->range.count = 1;
	data->range.to = RANGE_END;
	if (parse_bounds(p, bounds, -1, &data->range))
		return -1;
	if (data->range.to == RANGE_END)
		return lex_fail(&p->lex, w.s,
				"the stream has no end, expected a number"
				" behind ','");
	return 0;
}

int parse_data(struct parser *p, struct span w, struct trace_data *data)
{
	u64 n;

	if (span_len(w) > 3 && w.s[2] == '*') {
		data->kind = DATA_FILL;
		if (lex_hex(&p->lex, (struct span){ w.s, w.s + 2 }, "byte", 2,
			    &n))
			return -1;
		data->fill = (u8)n;
		if (lex_num(&p->lex, (struct span){ w.s + 3, w.e },
			    "repeat count", 0, TRACE_STREAM_MAX, &n))
			return -1;
		data->fill_n = (u32)n;
		return 0;
	}
	if (span_len(w) > 7 && !memcmp(w.s, "stream[", 7))
		return parse_stream(p, w, data);
	data->kind = DATA_RANGE;
	return parse_range(p, w, true, &data->range);
}
