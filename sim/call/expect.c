// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Expectations of a trace against what happened.
 * How: each stated part of a result is compared; on the first difference both
 * sides are written in the words of the trace language.
 * Left out: promises that no trace states, those are the invariants.
 */
#include "sim/inv/inv.h"
#include "sim/trace/trace_words.h"

/* The result of a call in the form a trace would state it. */
static void as_result(const struct call_result *res,
		      const struct trace_call *call, u32 parts,
		      struct trace_result *out)
{
	memset(out, 0, sizeof(*out));
	out->what = parts & ~(u32)(EXP_DATA | EXP_MSGS | EXP_BLOCKS);
	out->what &= ~(u32)(EXP_TYPE | EXP_NOTYPE);
	if (parts & (EXP_TYPE | EXP_NOTYPE))
		out->what |= res->cmsg_count ? EXP_TYPE : EXP_NOTYPE;
	if (call->kind != CALL_POLL && call->kind != CALL_EPOLL &&
	    call->kind != CALL_PPOLL)
		out->what |= EXP_RET;
	out->ret = res->ret;
	out->type = res->cmsg_type;
	out->flags = res->msg_flags;
	out->mask = res->mask;
	out->reason = res->reason;
	out->past = res->past;
	out->hex = res->opt;
	out->hex_n = res->opt ? (u32)res->opt_len : 0;
	out->outlen = res->opt_len;
	out->ctllen = res->controllen;
	if (res->opt)
		memcpy(&out->value, res->opt,
		       min_t(s32, 4, res->opt_len > 0 ? res->opt_len : 0));
}

static void fail(struct sim *s, u32 stmt, const struct trace_call *call,
		 const struct trace_result *want, const struct call_result *res,
		 const char *note)
{
	struct text wanted = { 0 }, got = { 0 };
	struct trace_result is;

	as_result(res, call, want->what, &is);
	trace_print_result(s->tr, call, want, &wanted);
	trace_print_result(s->tr, call, &is, &got);
	text_printf(&got, "%s", note);
	if (!(want->what & EXP_REASON))
		text_printf(&got, " (%s)", m_reason_name[res->reason]);
	sim_fail_expect(s, stmt, wanted.buf ? wanted.buf : "",
			got.buf ? got.buf : "");
	text_free(&wanted);
	text_free(&got);
}

/* Bytes a range of record @i counts: plaintext, or raw bytes as written. */
static u32 range_bytes(const struct sim *s, u32 i)
{
	const struct trace_rec *tr = &s->tr->recs[i];

	return tr->kind == REC_RAW ? tr->len : s->conn.peer.recs[i].plain_len;
}

static bool bytes_match(const struct sim *s, u32 i, u32 off, u32 len,
			const u8 *at)
{
	const struct trace_rec *tr = &s->tr->recs[i];

	if (tr->kind == REC_RAW)
		return !memcmp(tr->raw + off, at, len);
	return peer_plain_matches(&s->conn.peer, i, off, len, at);
}

static bool range_matches(struct sim *s, const struct trace_range *r,
			  const u8 *at, u32 room, u32 *len)
{
	u32 i, total = 0, lo, hi, n;
	u64 base = 0, from = r->from, to = r->to;
	bool ok = true;

	for (i = r->rec; i < r->rec + r->count; i++, base += n) {
		n = range_bytes(s, i);
		if (base + n <= from || base >= to)
			continue;
		lo = from > base ? (u32)(from - base) : 0;
		hi = to < base + n ? (u32)(to - base) : n;
		ok = ok && total + (hi - lo) <= room &&
		     bytes_match(s, i, lo, hi - lo, at + total);
		total += hi - lo;
	}
	*len = total;
	return ok;
}

static bool fill_matches(const u8 *at, u8 byte, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		if (at[i] != byte)
			return false;
	}
	return true;
}

/* One piece at @at, @room bytes are there; its length through @len. */
static bool piece_matches(struct sim *s, const struct trace_data *d,
			  const u8 *at, u32 room, u32 *len)
{
	switch (d->kind) {
	case DATA_RANGE:
		return range_matches(s, &d->range, at, room, len);
	case DATA_STREAM:
		*len = d->range.to - d->range.from;
		return *len <= room && pattern_matches(at, d->range.from, *len);
	case DATA_FILL:
		*len = d->fill_n;
		return *len <= room && fill_matches(at, d->fill, *len);
	}
	return false;
}

static bool data_matches(struct sim *s, const struct trace_result *want,
			 const struct call_result *res, char *note, size_t size)
{
	u32 i, len, off = 0;

	for (i = 0; i < want->data_n; i++) {
		if (!piece_matches(s, &want->data[i], res->buf + off,
				   res->data_len - off, &len)) {
			snprintf(note, size,
				 ", other bytes in piece %u of the data, "
				 "which starts at byte %u",
				 i + 1, off);
			return false;
		}
		off += len;
	}
	if (off == res->data_len)
		return true;
	snprintf(note, size, ", %u bytes where the data has %u", res->data_len,
		 off);
	return false;
}

static bool option_matches(const struct trace_result *want,
			   const struct call_result *res)
{
	s32 n = res->opt_len > 0 ? res->opt_len : 0;
	s64 value = 0;
	s32 v32 = 0;

	if ((want->what & EXP_OUTLEN) && res->opt_len != want->outlen)
		return false;
	if ((want->what & EXP_HEX) &&
	    (!res->opt || want->hex_n > (u32)n ||
	     memcmp(res->opt, want->hex, want->hex_n) != 0))
		return false;
	if (want->what & EXP_VALUE) {
		if (!res->opt)
			return false;
		memcpy(&v32, res->opt, min_t(s32, 4, n));
		value = v32;
		return value == want->value;
	}
	return true;
}

/* All stated parts of one result but its data. */
static bool parts_match(const struct trace_result *want,
			const struct call_result *res)
{
	u32 what = want->what;

	if ((what & EXP_RET) && res->ret != want->ret)
		return false;
	if ((what & EXP_MASK) && res->mask != want->mask)
		return false;
	if ((what & EXP_TYPE) &&
	    (!res->cmsg_count || res->cmsg_type != want->type))
		return false;
	if ((what & EXP_NOTYPE) && res->cmsg_count)
		return false;
	if ((what & EXP_FLAGS) && res->msg_flags != want->flags)
		return false;
	if ((what & EXP_REASON) && res->reason != want->reason)
		return false;
	if ((what & EXP_PAST) && res->past != want->past)
		return false;
	if ((what & EXP_CTLLEN) && res->controllen != want->ctllen)
		return false;
	return option_matches(want, res);
}

static bool msgs_match(struct sim *s, const struct trace_result *want,
		       const struct call_result *res, char *note, size_t size)
{
	const struct trace_result *m;
	u32 i;

	for (i = 0; i < want->msg_n; i++) {
		m = &want->msgs[i];
		if (i < res->part_n && parts_match(m, &res->part[i]) &&
		    (!(m->what & EXP_DATA) ||
		     data_matches(s, m, &res->part[i], note, size)))
			continue;
		snprintf(note, size, ", message %u of %u differs", i + 1,
			 res->part_n);
		return false;
	}
	return true;
}

/* The task is still inside the call. */
static void expect_sleeping(struct sim *s, u32 stmt,
			    const struct trace_call *call,
			    const struct trace_result *want)
{
	struct text wanted = { 0 };

	if (want->what & EXP_BLOCKS)
		return;
	trace_print_result(s->tr, call, want, &wanted);
	sim_fail_expect(s, stmt, wanted.buf ? wanted.buf : "", "blocks");
	text_free(&wanted);
}

void expect_call(struct sim *s, u32 stmt, const struct trace_call *call,
		 const struct trace_result *want, const struct sim_task *t)
{
	const struct call_result *res = &t->res;
	char note[120] = "";
	bool ok;

	if (t->state != TASK_IDLE) {
		expect_sleeping(s, stmt, call, want);
		return;
	}
	ok = !(want->what & EXP_BLOCKS) && parts_match(want, res);
	if (ok && (want->what & EXP_DATA))
		ok = data_matches(s, want, res, note, sizeof(note));
	if (ok && (want->what & EXP_MSGS))
		ok = msgs_match(s, want, res, note, sizeof(note));
	if (!ok)
		fail(s, stmt, call, want, res, note);
}

static u64 counter_value(const struct sim *s, u32 counter)
{
	if (counter < CNT_COUNT)
		return s->counters[counter];
	return s->k.mib[counter - CNT_MIB];
}

void expect_counter(struct sim *s, u32 stmt)
{
	const struct trace_stmt *st = &s->tr->stmts[stmt];
	u64 is = counter_value(s, st->expect.counter);
	const char *name = st->expect.counter >= CNT_MIB ?
				   m_mib_name[st->expect.counter - CNT_MIB] :
				   names_at(&counter_names, st->expect.counter);
	char want[80], got[80];

	if (is == st->expect.value)
		return;
	snprintf(want, sizeof(want), "%s=%llu", name,
		 (unsigned long long)st->expect.value);
	snprintf(got, sizeof(got), "%s=%llu", name, (unsigned long long)is);
	sim_fail_expect(s, stmt, want, got);
}
