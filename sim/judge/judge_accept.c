// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which traces a real kernel can be asked about, and how their bytes get there.
 * How: a trace whose segments come in order goes over loopback, where a write
 * of the sender is a segment, as long as it fits the window and waits for
 * nothing; others need the agent as TCP peer. Whatever a kernel cannot be told
 * is named with its statement.
 *
 * MODEL: model and peer acknowledge every segment at once. A real receiver does
 * so for the first few, as many as half of its window has segments, at most
 * 16; later ones wait for more bytes, a reader, or a timer of 40 ms. Until
 * then the window does not move and the sender's copy keeps the skb from being
 * merged into. What a program can see of that, in a small receive buffer and in
 * how many pieces plain TCP has for a splice, is not judged.
 * Left out: timers (judge_time.c).
 */
#include "sim/judge/judge.h"

#include <stdio.h>

/* Data that fit any window a socket of default size opens. */
#define WINDOW_SAFE 32000u
#define SMALL_RCVBUF 8000u
#define PIPE_SLOTS 16u /* of a pipe of default size */
#define SMALL_PIECE 4096u /* never cut at a page's end */
#define HEAD_MAX 3000u
/* Of a small segment in pages of its own. */
#define MEMORY_MAX (PAGE_SIZE + 2 * M_SKB_OVERHEAD)
#define QUICK_ACKS 16u /* TCP_MAX_QUICKACKS */
#define FIRST_WINDOW 65535u
#define TICK_NS (10 * NSEC_PER_MSEC) /* of a user-mode kernel */

int judge_layout(const struct trace *tr, const struct stmt_wire *w)
{
	return w->layout < 0 ? (int)tr->opts.layout : w->layout;
}

static void say(const struct judge_case *c, u32 stmt, const char *why,
		char *out, size_t size)
{
	struct text t = { 0 };

	if (stmt < c->tr.stmt_n)
		trace_print_stmt(&c->tr, stmt, &t);
	snprintf(out, size, "%s%s%.90s", why, t.len ? ": " : "",
		 t.len ? t.buf : "");
	text_free(&t);
}

static bool refuse(struct judge_case *c, u32 stmt, const char *why)
{
	say(c, stmt, why, c->no, sizeof(c->no));
	return false;
}

/* Agreement counts, a difference may have that reason. */
static bool excuse(struct judge_case *c, u32 stmt, const char *why)
{
	if (!c->excuse[0])
		say(c, stmt, why, c->excuse, sizeof(c->excuse));
	return true;
}

static u64 stream_size(const struct trace *tr)
{
	u64 n = 0;
	s64 len;
	u32 i;

	for (i = 0; i < tr->rec_n; i++) {
		len = trace_rec_wire_len(&tr->opts, &tr->recs[i]);
		n += len < 0 ? tr->recs[i].len + 512u : (u64)len;
	}
	return n;
}

/* Segments follow each other: where each statement starts in the stream does
 * not matter, only that it is where the one in front ended. */
struct front {
	u32 rec;
	u64 off;
};

static u64 rec_len(const struct trace *tr, u32 rec)
{
	s64 len = trace_rec_wire_len(&tr->opts, &tr->recs[rec]);

	return len < 0 ? UINT32_MAX : (u64)len;
}

static void normalize(const struct trace *tr, struct front *f)
{
	while (f->rec < tr->rec_n && f->off >= rec_len(tr, f->rec)) {
		f->off -= rec_len(tr, f->rec);
		f->rec++;
	}
}

static bool follows(const struct trace *tr, const struct stmt_wire *w,
		    struct front *at)
{
	const struct trace_range *r;
	struct front from, to;
	u32 i;

	for (i = 0; i < w->range_n; i++) {
		r = &w->range[i];
		from = (struct front){ r->rec, r->from };
		to = (struct front){ r->rec, r->to };
		if (r->to == RANGE_END)
			to = (struct front){ r->rec + r->count, 0 };
		normalize(tr, &from);
		normalize(tr, &to);
		if (from.rec != at->rec || from.off != at->off)
			return false;
		*at = to;
	}
	return true;
}

/* Pages of its own for each segment are what loopback has not got, but it
 * shows in no result unless memory_shows(). */
static bool from_loopback(int layout)
{
	return layout == LAYOUT_FRAG || layout == LAYOUT_PAGES;
}

/* True if loopback would bring the same segments. */
static bool loopback_will_do(const struct trace *tr)
{
	bool small = stream_size(tr) <= WINDOW_SAFE && !tr->opts.rcvbuf &&
		     tr->opts.mss == JUDGE_LOOPBACK_MSS;
	struct front at = { 0, 0 };
	const struct trace_stmt *st;
	bool over = false;
	u32 i;

	normalize(tr, &at);
	for (i = 0; i < tr->stmt_n; i++) {
		st = &tr->stmts[i];
		if (st->kind == ST_FIN || st->kind == ST_RST) {
			if (st->fin.after || (!st->fin.send && !small))
				return false;
			over = true;
		}
		if (st->kind != ST_WIRE && st->kind != ST_SEND)
			continue;
		if (over || !from_loopback(judge_layout(tr, &st->wire)))
			return false;
		if (st->kind == ST_WIRE &&
		    (!small || st->wire.flip || st->wire.urg))
			return false;
		if (!follows(tr, &st->wire, &at))
			return false;
	}
	return true;
}

/* Bytes of the longest segment, at most. */
static u64 longest(const struct trace *tr, const struct stmt_wire *w)
{
	u64 n = 0;
	u32 i;

	if (w->cut)
		return w->cut;
	for (i = 0; i < w->range_n; i++) {
		if (w->range[i].count != 1)
			return stream_size(tr);
		n += min_t(u64, w->range[i].to, rec_len(tr, w->range[i].rec)) -
		     w->range[i].from;
	}
	return n;
}

/* However few bytes a segment has and wherever they lie, it is one piece of a
 * splice, or one more for each splice that ends inside it: few enough for any
 * pipe of default size. */
static bool pieces_fit(const struct trace *tr)
{
	const struct trace_stmt *st;
	u32 i, n = 0;

	for (i = 0; i < tr->stmt_n; i++) {
		st = &tr->stmts[i];
		n += st->kind == ST_WIRE || st->kind == ST_SEND ||
		     (st->kind == ST_CALL && (st->call->kind == CALL_SPLICE ||
					      st->call->kind == CALL_PWRITE));
		if ((st->kind == ST_WIRE || st->kind == ST_SEND) &&
		    st->wire.cut)
			return false;
		if (st->kind == ST_CALL && st->call->kind == CALL_PRESIZE)
			return false;
	}
	for (i = 0; i < tr->pipe_n; i++) {
		if (tr->pipes[i].size < PIPE_SLOTS * SMALL_PIECE)
			return false;
	}
	return n <= PIPE_SLOTS && stream_size(tr) <= SMALL_PIECE;
}

/* What the agent as peer can do. */
static bool raw_will_do(struct judge_case *c)
{
	bool window = stream_size(&c->tr) > WINDOW_SAFE || c->tr.opts.rcvbuf;
	const struct trace *tr = &c->tr;
	const struct trace_stmt *st;
	u32 i;

	/* their heads have another size than those of loopback */
	if (tr->opts.rcvbuf && tr->opts.rcvbuf < SMALL_RCVBUF)
		excuse(c, UINT32_MAX, "raw segments into a small rcvbuf=");
	for (i = 0; i < tr->stmt_n; i++) {
		st = &tr->stmts[i];
		if ((st->kind == ST_SEND ||
		     (st->kind == ST_FIN && st->fin.send)) &&
		    window)
			return refuse(c, i, "a sender beside raw segments");
		if (st->kind == ST_CALL && st->call->kind == CALL_SPLICE &&
		    !tr->opts.rx && !pieces_fit(tr))
			excuse(c, i, "where raw segments lie in memory");
		if (st->kind != ST_WIRE && st->kind != ST_SEND)
			continue;
		if (judge_layout(tr, &st->wire) == LAYOUT_HEAD_FRAG &&
		    longest(tr, &st->wire) > HEAD_MAX)
			return refuse(c, i, "skb=head in a large segment");
	}
	return true;
}

static u64 call_bytes(const struct trace_call *call)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < call->iov_n; i++)
		n += call->iov[i].bad ? 0 : call->iov[i].len;
	if (call->kind == CALL_RECVMMSG)
		n *= call->count;
	return n;
}

static bool is_option(const struct trace_call *call, enum call_kind kind,
		      s32 opt)
{
	return call->kind == kind && call->level == SOL_SOCKET_M &&
	       call->opt == opt;
}

/* A SO_RCVTIMEO that the kernel rounds. */
static bool fine_timeo(const struct judge_case *c)
{
	const struct trace_stmt *st;
	u32 i;

	for (i = 0; i < c->tr.stmt_n; i++) {
		st = &c->tr.stmts[i];
		if (st->kind == ST_CALL &&
		    is_option(st->call, CALL_SETSOCKOPT, SO_RCVTIMEO_M) &&
		    st->call->val % TICK_NS)
			return true;
	}
	return c->tr.opts.rcvtimeo_ns % TICK_NS;
}

/* The smallest SO_RCVBUF of the trace, UINT32_MAX if it has none. */
static u32 smallest_rcvbuf(const struct trace *tr)
{
	u32 i, min = tr->opts.rcvbuf ? tr->opts.rcvbuf : UINT32_MAX;
	const struct trace_stmt *st;

	for (i = 0; i < tr->stmt_n; i++) {
		st = &tr->stmts[i];
		if (st->kind == ST_CALL &&
		    is_option(st->call, CALL_SETSOCKOPT, SO_RCVBUF_M))
			min = (u32)min_t(s64, min,
					 max_t(s64, st->call->val, 0));
	}
	return min;
}

static bool splices_plain_tcp(const struct trace *tr)
{
	u32 i;

	for (i = 0; i < tr->stmt_n && !tr->opts.rx; i++) {
		if (tr->stmts[i].kind == ST_CALL &&
		    tr->stmts[i].call->kind == CALL_SPLICE)
			return true;
	}
	return false;
}

/* True if a segment asks for memory the kernel's segments will not have. */
static bool asks_for_memory(const struct trace *tr)
{
	const struct trace_stmt *st;
	u32 i;

	for (i = 0; i < tr->stmt_n; i++) {
		st = &tr->stmts[i];
		if (st->kind != ST_WIRE && st->kind != ST_SEND)
			continue;
		if (st->wire.held == 1 ||
		    judge_layout(tr, &st->wire) == LAYOUT_PAGES)
			return true;
	}
	return tr->opts.held;
}

/* How many segments are acknowledged at once, tcp_incr_quickack(). */
static u32 quick_acks(u32 window, u32 rcv_mss)
{
	u32 n = window / (2 * rcv_mss);

	return n ? min_t(u32, n, QUICK_ACKS) : 2;
}

/* Segments that do not simply merge: it depends on the room behind them. */
static bool has_linear_heads(const struct trace *tr)
{
	const struct trace_stmt *st;
	u32 i;

	for (i = 0; i < tr->stmt_n; i++) {
		st = &tr->stmts[i];
		if ((st->kind == ST_WIRE || st->kind == ST_SEND) &&
		    !from_loopback(judge_layout(tr, &st->wire)))
			return true;
	}
	return false;
}

/* The trace's, or that of a call that may not wait for the reader role, and
 * does so for a tick. */
static bool time_passes(const struct judge_case *c)
{
	u32 i;

	for (i = 0; i < c->stmt_n; i++) {
		if (c->model.call[i].reason == REASON_TLS_READER_BUSY)
			return true;
	}
	return c->time != JUDGE_TIME_NONE;
}

bool judge_accepts_run(struct judge_case *c, u64 acks, u64 fins,
		       bool over_overlap)
{
	u32 rcvbuf = smallest_rcvbuf(&c->tr);
	u32 window = min_t(u32, rcvbuf, FIRST_WINDOW);

	if (acks * MEMORY_MAX > TCP_RMEM_DEFAULT && asks_for_memory(&c->tr))
		return refuse(c, UINT32_MAX, "memory of many segments");
	if (c->tun && over_overlap &&
	    (acks > MAX_SKB_FRAGS || has_linear_heads(&c->tr)))
		excuse(c, UINT32_MAX, "how overlapping segments merge");
	if (fins && time_passes(c))
		excuse(c, UINT32_MAX, "delayed ACK of our FIN");
	if (acks <= quick_acks(window, c->rcv_mss))
		return true;
	if (rcvbuf < SMALL_RCVBUF || stream_size(&c->tr) > rcvbuf / 2)
		excuse(c, UINT32_MAX, "delayed ACKs of a small receive buffer");
	if (splices_plain_tcp(&c->tr) && !pieces_fit(&c->tr))
		excuse(c, UINT32_MAX,
		       "delayed ACKs keep what is spliced in pieces");
	return true;
}

/* Whether a program may see how much memory segments take, and in how many
 * pieces they lie. (Pieces that overlap are seen, too: held=on is refused where
 * segments are raw.) */
static bool memory_shows(const struct judge_case *c)
{
	return smallest_rcvbuf(&c->tr) != UINT32_MAX ||
	       stream_size(&c->tr) > WINDOW_SAFE ||
	       (splices_plain_tcp(&c->tr) && !pieces_fit(&c->tr));
}

static bool accept_stmt(struct judge_case *c, u32 i)
{
	const struct trace_stmt *st = &c->tr.stmts[i];

	if (st->kind == ST_AT)
		return refuse(c, i, "a chosen moment");
	if (st->kind == ST_FAIL)
		return refuse(c, i, "a failing allocation");
	if ((st->kind == ST_WIRE || st->kind == ST_SEND) &&
	    ((st->wire.held == 1 && (c->tun || memory_shows(c))) ||
	     (judge_layout(&c->tr, &st->wire) == LAYOUT_PAGES &&
	      memory_shows(c))))
		return refuse(c, i, "memory of segments");
	if (st->kind != ST_CALL)
		return true;
	if (is_option(st->call, CALL_GETSOCKOPT, SO_RCVTIMEO_M) &&
	    fine_timeo(c))
		return refuse(c, i, "finer than a tick of the kernel");
	if (is_option(st->call, CALL_GETSOCKOPT, SO_RCVBUF_M) &&
	    !c->tr.opts.rcvbuf && stream_size(&c->tr) > WINDOW_SAFE)
		return refuse(c, i, "it grows with round-trip times");
	if (st->call->kind == CALL_READ_SOCK)
		return refuse(c, i, "an in-kernel consumer");
	if (st->call->kind != CALL_SPLICE &&
	    call_bytes(st->call) > JUDGE_CALL_BYTES_MAX)
		return refuse(c, i, "large buffers");
	return true;
}

bool judge_accepts(struct judge_case *c)
{
	u32 i;

	c->tun = !loopback_will_do(&c->tr);
	if (c->tr.opts.held && (c->tun || memory_shows(c)))
		return refuse(c, UINT32_MAX, "option held=on");
	if (c->tr.opts.openssl && stream_size(&c->tr) > WINDOW_SAFE)
		return refuse(c, UINT32_MAX, "much data of a libssl peer");
	for (i = 0; i < c->tr.stmt_n; i++) {
		if (!accept_stmt(c, i))
			return false;
	}
	return !c->tun || raw_will_do(c);
}
