// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traces as canonical text: the file, statements, records.
 *
 * Canonical means: one `set` line with the options that differ from the
 * defaults (version and cipher always), the time padded to 7 columns, the
 * subject to 6, one blank between words, defaults not written, comments behind
 * a statement from column 49. Parsing the text gives the same trace again.
 *
 * Left out: calls and results (trace_print_call.c).
 */
#include "sim/trace/trace_print.h"

#define COMMENT_COLUMN 48u

void print_time(struct text *out, s64 ns)
{
	if (!ns)
		text_putc(out, '0');
	else if (!(ns % NSEC_PER_SEC))
		text_printf(out, "%llds", (long long)(ns / NSEC_PER_SEC));
	else if (!(ns % NSEC_PER_MSEC))
		text_printf(out, "%lldms", (long long)(ns / NSEC_PER_MSEC));
	else if (!(ns % 1000))
		text_printf(out, "%lldus", (long long)(ns / 1000));
	else
		text_printf(out, "%lldns", (long long)ns);
}

void print_seq(struct text *out, u64 seq)
{
	text_printf(out, seq > UINT32_MAX ? "0x%llx" : "%llu",
		    (unsigned long long)seq);
}

void print_hex(struct text *out, const u8 *bytes, u32 n)
{
	static const char digit[] = "0123456789abcdef";

	for (u32 i = 0; i < n; i++) {
		text_putc(out, digit[bytes[i] >> 4]);
		text_putc(out, digit[bytes[i] & 15]);
	}
}

/* Blanks up to column @width of the line that starts at @start; at least one
 * when something is there. */
static void print_pad(struct text *out, size_t start, size_t width)
{
	if (out->len > start)
		text_putc(out, ' ');
	while (out->len - start < width)
		text_putc(out, ' ');
}

static void print_range_names(const struct trace *tr,
			      const struct trace_range *range, struct text *out)
{
	const struct trace_rec *rec = &tr->recs[range->rec];

	text_puts(out, rec->name);
	if (rec->of == 1 || (!rec->index && range->count == rec->of))
		return;
	text_printf(out, ".%u", rec->index);
	if (range->count > 1)
		text_printf(out, "..%u", rec->index + range->count - 1);
}

void trace_print_range(const struct trace *tr, const struct trace_range *range,
		       struct text *out)
{
	print_range_names(tr, range, out);
	if (range->to != RANGE_END)
		text_printf(out, "[%u,%u)", range->from, range->to);
	else if (range->from)
		text_printf(out, "[%u,end)", range->from);
}

static void print_rec_mods(const struct trace_rec *rec, struct text *out)
{
	if (rec->pad)
		text_printf(out, " pad=%u", rec->pad);
	if (rec->mods & MOD_BADTAG)
		text_puts(out, " badtag");
	if (rec->mods & MOD_BADCT)
		text_puts(out, " badct");
	if (rec->mods & MOD_VER)
		text_printf(out, " ver=%04x", rec->ver);
	if (rec->mods & MOD_LEN)
		text_printf(out, " len=%u", rec->hdr_len);
	if (rec->mods & MOD_DLEN)
		text_printf(out, " dlen=%+d", rec->dlen);
	if (rec->mods & MOD_OUTER)
		text_printf(out, " outer=%u", rec->outer);
	if (rec->mods & MOD_SEQ) {
		text_puts(out, " seq=");
		print_seq(out, rec->seq);
	}
	if (rec->mods & MOD_ZERO)
		text_puts(out, " zero");
	if (rec->mods & MOD_NOINNER)
		text_puts(out, " noinner");
}

static void print_rec_kind(const struct trace_rec *rec, struct text *out)
{
	const char *type = rec_type_name(rec->type);

	switch (rec->kind) {
	case REC_SEALED:
		if (type)
			text_printf(out, "%s %u", type, rec->len);
		else
			text_printf(out, "type %u %u", rec->type, rec->len);
		break;
	case REC_KEYUPDATE:
		text_printf(out, "keyupdate %u", rec->len);
		break;
	case REC_RAW:
		text_puts(out, "raw ");
		print_hex(out, rec->raw, rec->len);
		return;
	case REC_OPENSSL:
		text_printf(out, "openssl %s",
			    names_at(&ossl_names, rec->ossl));
		if (rec->ossl == OSSL_DATA)
			text_printf(out, " %u", rec->len);
		return;
	}
	print_rec_mods(rec, out);
}

static void print_peer_record(const struct trace *tr,
			      const struct trace_stmt *st, struct text *out)
{
	const struct trace_rec *rec = &tr->recs[st->peer.first];

	text_puts(out, rec->name);
	if (st->peer.count > 1)
		text_printf(out, "*%u", st->peer.count);
	text_puts(out, " = ");
	print_rec_kind(rec, out);
}

static void print_wire(const struct trace *tr, const struct stmt_wire *wire,
		       struct text *out)
{
	for (u32 i = 0; i < wire->range_n; i++) {
		if (i)
			text_putc(out, ' ');
		trace_print_range(tr, &wire->range[i], out);
	}
	if (wire->cut)
		text_printf(out, " cut=%u", wire->cut);
	if (wire->layout >= 0)
		text_printf(out, " skb=%s",
			    names_at(&layout_names, (u32)wire->layout));
	if (wire->held >= 0)
		text_printf(out, " held=%s", wire->held ? "on" : "off");
	if (wire->urg)
		text_puts(out, " urg");
	if (wire->flip)
		text_printf(out, " xor=%02x@%u", wire->flip, wire->flip_off);
}

static void print_at(const struct trace *tr, const struct trace_stmt *st,
		     struct text *out)
{
	const char *what = "wire";

	switch (st->at.what) {
	case AT_WIRE:
		break;
	case AT_TASK:
		what = tr->tasks[st->task];
		break;
	case AT_WORK:
		what = "work";
		break;
	case AT_TIMER:
		what = "timer";
		break;
	}
	text_printf(out, "at     %s#%u run %s", m_point_name[st->at.point],
		    st->at.nth, what);
}

static void print_fail(const struct trace_stmt *st, struct text *out)
{
	text_printf(out, "alloc %s#", m_site_name[st->fail.site]);
	if (st->fail.nth)
		text_printf(out, "%u", st->fail.nth);
	else
		text_putc(out, '*');
}

static void print_expect(const struct trace_stmt *st, struct text *out)
{
	u32 counter = st->expect.counter;

	text_printf(out, "%s=%llu",
		    counter >= CNT_MIB ? m_mib_name[counter - CNT_MIB] :
					 names_at(&counter_names, counter),
		    (unsigned long long)st->expect.value);
}

static const char *subject_word(const struct trace *tr,
				const struct trace_stmt *st)
{
	switch (st->kind) {
	case ST_PEER_RECORD:
	case ST_PEER_KEY:
		return "peer";
	case ST_WIRE:
	case ST_RST:
		return "wire";
	case ST_SEND:
		return "send";
	case ST_FIN:
		return st->fin.send ? "send" : "wire";
	case ST_CALL:
	case ST_RETURNS:
		return tr->tasks[st->task];
	case ST_PIPE:
		return "pipe";
	case ST_FAIL:
		return "fail";
	case ST_SIGNAL:
		return "signal";
	case ST_EXPECT:
		return "expect";
	case ST_AT:
	case ST_END:
	case ST_KIND_COUNT:
		break;
	}
	return "";
}

static void print_call_stmt(const struct trace *tr, const struct trace_stmt *st,
			    struct text *out)
{
	trace_print_call(tr, st->call, out);
	if (!st->result.what)
		return;
	text_puts(out, " = ");
	trace_print_result(tr, st->call, &st->result, out);
}

static void print_key(const struct trace_stmt *st, struct text *out)
{
	text_printf(out, "key %u", st->key.gen);
	if (!st->key.seq_set)
		return;
	text_puts(out, " seq=");
	print_seq(out, st->key.seq);
}

static void print_pipe(const struct trace *tr, const struct trace_stmt *st,
		       struct text *out)
{
	const struct trace_pipe *pipe = &tr->pipes[st->pipe.pipe];

	text_printf(out, "%s %u%s", pipe->name, pipe->size,
		    pipe->nonblock ? " nb" : "");
}

static void print_control(const struct trace *tr, const struct trace_stmt *st,
			  struct text *out)
{
	text_puts(out, st->kind == ST_FIN ? "fin" : "rst");
	if (!st->fin.after)
		return;
	text_puts(out, " after ");
	trace_print_range(tr, &st->fin.range, out);
}

/* What stands behind the subject. @call: the one that `returns` is about. */
static void print_arguments(const struct trace *tr, const struct trace_stmt *st,
			    const struct trace_call *call, struct text *out)
{
	switch (st->kind) {
	case ST_PEER_RECORD:
		print_peer_record(tr, st, out);
		break;
	case ST_PEER_KEY:
		print_key(st, out);
		break;
	case ST_WIRE:
	case ST_SEND:
		print_wire(tr, &st->wire, out);
		break;
	case ST_FIN:
	case ST_RST:
		print_control(tr, st, out);
		break;
	case ST_CALL:
		print_call_stmt(tr, st, out);
		break;
	case ST_RETURNS:
		if (!(st->result.what & EXP_BLOCKS))
			text_puts(out, "returns ");
		trace_print_result(tr, call, &st->result, out);
		break;
	case ST_PIPE:
		print_pipe(tr, st, out);
		break;
	case ST_FAIL:
		print_fail(st, out);
		break;
	case ST_SIGNAL:
		text_printf(out, "%s%s", tr->tasks[st->task],
			    st->signal.restart ? " restart" : "");
		break;
	case ST_EXPECT:
		print_expect(st, out);
		break;
	case ST_AT:
	case ST_END:
	case ST_KIND_COUNT:
		break;
	}
}

static void print_stmt(const struct trace *tr, const struct trace_stmt *st,
		       const struct trace_call *call, struct text *out)
{
	size_t start = out->len;

	if (st->kind == ST_AT) {
		print_at(tr, st, out);
		return;
	}
	if (st->kind == ST_END) {
		if (st->end.consumed)
			text_puts(out, "end    consumed");
		else
			text_printf(out, "end    left %u", st->end.left);
		return;
	}
	if (st->timed || st->dt_ns) {
		text_putc(out, '+');
		print_time(out, st->dt_ns);
	}
	print_pad(out, start, 7);
	start = out->len;
	text_puts(out, subject_word(tr, st));
	print_pad(out, start, 6);
	print_arguments(tr, st, call, out);
}

/* The call whose result a statement states: its task's last one. */
static const struct trace_call *call_of(const struct trace *tr, u32 stmt)
{
	u32 task = tr->stmts[stmt].task;

	while (stmt-- > 0) {
		const struct trace_stmt *st = &tr->stmts[stmt];

		if (st->kind == ST_CALL && st->task == task)
			return st->call;
	}
	return NULL;
}

void trace_print_stmt(const struct trace *tr, u32 stmt, struct text *out)
{
	const struct trace_call *call = NULL;

	if (tr->stmts[stmt].kind == ST_RETURNS)
		call = call_of(tr, stmt);
	print_stmt(tr, &tr->stmts[stmt], call, out);
}

static void print_options(const struct trace_opts *o, struct text *out)
{
	struct trace_opts def;

	trace_opts_default(&def);
	text_printf(out, "set tls=%s cipher=%s",
		    word_name(&version_words, o->version),
		    word_name(&cipher_words, o->cipher));
	if (o->profile)
		text_printf(out, " profile=%s", o->profile);
	if (o->rcvbuf != def.rcvbuf)
		text_printf(out, " rcvbuf=%u", o->rcvbuf);
	if (o->mss != def.mss)
		text_printf(out, " mss=%u", o->mss);
	if (o->rcvlowat != def.rcvlowat)
		text_printf(out, " rcvlowat=%u", o->rcvlowat);
	if (o->rcvtimeo_ns != def.rcvtimeo_ns) {
		text_puts(out, " rcvtimeo=");
		print_time(out, o->rcvtimeo_ns);
	}
	if (o->seq != def.seq) {
		text_puts(out, " seq=");
		print_seq(out, o->seq);
	}
	if (o->layout != def.layout)
		text_printf(out, " skb=%s", names_at(&layout_names, o->layout));
	if (o->held != def.held)
		text_printf(out, " held=%s", o->held ? "on" : "off");
	if (o->nopad != def.nopad)
		text_printf(out, " nopad=%s", o->nopad ? "on" : "off");
	if (o->nonblock != def.nonblock)
		text_printf(out, " nonblock=%s", o->nonblock ? "on" : "off");
	if (o->ulp != def.ulp)
		text_printf(out, " ulp=%s", o->ulp ? "on" : "off");
	if (o->rx != def.rx)
		text_printf(out, " rx=%s", o->rx ? "on" : "off");
	if (o->openssl != def.openssl)
		text_printf(out, " peer=%s", o->openssl ? "openssl" : "raw");
	if (o->finish != def.finish)
		text_printf(out, " finish=%s", o->finish ? "on" : "off");
}

static void print_comment_line(const struct trace_comment *c, struct text *out)
{
	if (c->text)
		text_printf(out, "#%s", c->text);
	text_putc(out, '\n');
}

/* Ends the line that starts at @start, with the comment if there is one. */
static void print_line_end(const struct trace_comment *c, size_t start,
			   struct text *out)
{
	if (c && c->text) {
		text_putc(out, ' ');
		print_pad(out, start, COMMENT_COLUMN);
		text_printf(out, "#%s", c->text);
	}
	text_putc(out, '\n');
}

/**
 * struct printer - where printing is
 * @tr: trace
 * @out: text
 * @next: comment not yet printed
 * @end: behind the last comment
 * @last: last call of each task
 */
struct printer {
	const struct trace *tr;
	struct text *out;
	const struct trace_comment *next;
	const struct trace_comment *end;
	const struct trace_call *last[TRACE_TASKS_MAX];
};

/* The next comment if it is for that place, and moves on. */
static const struct trace_comment *take_comment(struct printer *pr,
						enum comment_place place)
{
	if (pr->next == pr->end || pr->next->place != place)
		return NULL;
	return pr->next++;
}

/* Comments in front of @stmt, and those whose statement is gone. */
static void print_comments_before(struct printer *pr, u32 stmt)
{
	while (pr->next < pr->end &&
	       (pr->next->place != COMMENT_BODY ||
		pr->next->before_stmt < stmt ||
		(pr->next->before_stmt == stmt && !pr->next->trailing)))
		print_comment_line(pr->next++, pr->out);
}

/* Is @stmt a counter that stands on the line of the one in front of it? */
static bool continues_line(const struct trace *tr, u32 stmt)
{
	const struct trace_stmt *st = &tr->stmts[stmt];

	return stmt < tr->stmt_n && st[-1].kind == ST_EXPECT &&
	       st[-1].expect.more && st->kind == ST_EXPECT && !st->timed;
}

/* One line: a statement, or several counters. Returns the next statement. */
static u32 print_stmt_line(struct printer *pr, u32 stmt)
{
	const struct trace_stmt *st = &pr->tr->stmts[stmt];
	const struct trace_comment *comment = NULL;
	size_t start = pr->out->len;

	if (st->kind == ST_CALL)
		pr->last[st->task % TRACE_TASKS_MAX] = st->call;
	print_stmt(pr->tr, st, pr->last[st->task % TRACE_TASKS_MAX], pr->out);
	while (continues_line(pr->tr, ++stmt)) {
		text_putc(pr->out, ' ');
		print_expect(&pr->tr->stmts[stmt], pr->out);
	}
	if (pr->next < pr->end && pr->next->trailing &&
	    pr->next->before_stmt < stmt)
		comment = take_comment(pr, COMMENT_BODY);
	print_line_end(comment, start, pr->out);
	return stmt;
}

void trace_print(const struct trace *tr, struct text *out)
{
	struct printer pr = { .tr = tr, .out = out };
	const struct trace_comment *c;
	size_t start = out->len;

	pr.next = tr->comments;
	pr.end = tr->comment_n ? tr->comments + tr->comment_n : pr.next;
	text_printf(out, "ktlsim-trace %d", TRACE_FORMAT_VERSION);
	print_line_end(take_comment(&pr, COMMENT_VERSION), start, out);
	while ((c = take_comment(&pr, COMMENT_HEAD)))
		print_comment_line(c, out);
	start = out->len;
	print_options(&tr->opts, out);
	print_line_end(take_comment(&pr, COMMENT_SET), start, out);
	for (u32 i = 0; i < tr->stmt_n;) {
		print_comments_before(&pr, i);
		i = print_stmt_line(&pr, i);
	}
	print_comments_before(&pr, UINT32_MAX);
}
