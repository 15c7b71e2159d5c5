// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trace as a job for the agent.
 * How: each statement becomes operations with their numbers filled in: bytes of
 * the wire are those the model's peer built, option values those the model was
 * given. Statements that only check become nothing.
 * Left out: what cannot be judged (judge_accept.c), how time passes
 * (judge_time.c).
 */
#include "sim/judge/judge.h"
#include "sim/call/syscall.h"

#include <stdio.h>

#define WAIT_SLACK_NS (3 * NSEC_PER_SEC)
#define SETTLE_NS (30 * NSEC_PER_MSEC)

struct writer {
	struct judge_case *c;
	struct sim *s;
	struct job_op *ops;
	u32 op_n;
	struct text blob;
};

static struct job_op *new_op(struct writer *w, enum job_op_kind kind, u32 stmt)
{
	struct job_op *op = pool_push(w->c->tr.pool, w->ops, w->op_n);

	op->kind = (u8)kind;
	op->stmt = stmt;
	return op;
}

/* Bytes behind the operations; the offset is moved when these are counted. */
static u32 put_blob(struct writer *w, const void *p, size_t n)
{
	static const char zeros[8];
	u32 at;

	text_add(&w->blob, zeros, -w->blob.len & 7);
	at = (u32)w->blob.len;
	text_add(&w->blob, p, n);
	return at;
}

static u8 job_call(enum call_kind kind)
{
	static const u8 of[CALL_COUNT] = {
		[CALL_RECVMSG] = JC_RECVMSG,
		[CALL_RECV] = JC_RECV,
		[CALL_READ] = JC_READ,
		[CALL_READV] = JC_READV,
		[CALL_RECVMMSG] = JC_RECVMMSG,
		[CALL_SPLICE] = JC_SPLICE,
		[CALL_POLL] = JC_POLL,
		[CALL_EPOLL] = JC_EPOLL,
		[CALL_FIONREAD] = JC_FIONREAD,
		[CALL_SETSOCKOPT] = JC_SETSOCKOPT,
		[CALL_GETSOCKOPT] = JC_GETSOCKOPT,
		[CALL_NONBLOCK] = JC_NONBLOCK,
		[CALL_SHUTDOWN] = JC_SHUTDOWN,
		[CALL_CLOSE] = JC_CLOSE,
		[CALL_DISCONNECT] = JC_DISCONNECT,
		[CALL_PREAD] = JC_PREAD,
		[CALL_PWRITE] = JC_PWRITE,
		[CALL_PIONREAD] = JC_PIONREAD,
		[CALL_PPOLL] = JC_PPOLL,
		[CALL_PRESIZE] = JC_PRESIZE,
		[CALL_PCLOSE] = JC_PCLOSE,
	};

	return of[kind];
}

static void put_iov(struct writer *w, const struct trace_call *call,
		    struct job_op *op)
{
	u32 len[TRACE_IOV_MAX], i;

	for (i = 0; i < call->iov_n; i++)
		len[i] = call->iov[i].len |
			 (call->iov[i].bad ? JOB_IOV_BAD : 0);
	if (call->kind == CALL_PREAD) {
		len[0] = (u32)call->val | (call->iov[0].bad ? JOB_IOV_BAD : 0);
		i = 1;
	}
	op->data = put_blob(w, len, i * sizeof(len[0]));
	op->data_n = i;
}

static void put_option(struct writer *w, const struct trace_call *call,
		       struct job_op *op)
{
	bool set = call->kind == CALL_SETSOCKOPT;
	struct trace_call real = *call;
	u8 value[128] = { 0 };
	u32 n;

	if (call->level == SOL_SOCKET_M && call->opt == SO_RCVTIMEO_M)
		real.val = judge_time_timeout(w->c, call->val);
	n = set ? opt_value(w->s, &real, value) : opt_room(w->s, &real);
	op->level = call->level;
	op->opt = call->opt;
	op->len = call->opt_len == -1 ? (s32)n : call->opt_len;
	op->edge = call->opt_null;
	/* what lies behind a short value is the caller's, too */
	op->data = put_blob(w, value, sizeof(value));
	op->data_n = set ? sizeof(value) : 0;
}

static u32 poll_asked(const struct trace_call *call)
{
	u32 all = M_POLLIN | M_POLLPRI | M_POLLRDHUP;

	if (call->kind != CALL_EPOLL)
		all |= M_POLLOUT;
	return call->kind != CALL_PPOLL && call->flags ? call->flags : all;
}

static void put_call(struct writer *w, const struct trace_call *call,
		     struct job_op *op)
{
	op->call = job_call(call->kind);
	op->pipe = (u8)call->pipe;
	op->flags = call->flags;
	op->ctl = call->ctl;
	op->count = call->count;
	op->val = call->val;
	op->timeout_ns = judge_time_timeout(w->c, call->timeout_ns);
	op->edge = call->kind == CALL_PCLOSE ? call->end : call->edge;
	switch (call->kind) {
	case CALL_SETSOCKOPT:
	case CALL_GETSOCKOPT:
		put_option(w, call, op);
		break;
	case CALL_POLL:
	case CALL_EPOLL:
	case CALL_PPOLL:
		op->flags = poll_asked(call);
		break;
	case CALL_SPLICE:
		op->len = (s32)call->iov[0].len;
		break;
	default:
		put_iov(w, call, op);
		break;
	}
}

u32 judge_setup_calls(const struct trace_opts *o, struct trace_call *out)
{
	const struct {
		bool on;
		s32 level;
		s32 opt;
		s64 val;
	} want[] = {
		{ o->rcvlowat, SOL_SOCKET_M, SO_RCVLOWAT_M, o->rcvlowat },
		{ o->rcvtimeo_ns, SOL_SOCKET_M, SO_RCVTIMEO_M, o->rcvtimeo_ns },
		{ o->ulp, SOL_TCP_M, TCP_ULP_M, 0 },
		{ o->ulp && o->rx, SOL_TLS_M, TLS_RX, 0 },
		{ o->ulp && o->rx && o->nopad, SOL_TLS_M, TLS_RX_EXPECT_NO_PAD,
		  1 },
	};
	u32 i, n = 0;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		if (!want[i].on)
			continue;
		out[n++] = (struct trace_call){
			.kind = CALL_SETSOCKOPT,
			.level = want[i].level,
			.opt = want[i].opt,
			.val = want[i].val,
			.opt_len = -1,
			.key_seq = o->seq,
			.key_seq_set = true,
		};
	}
	return n;
}

static void put_setup(struct writer *w)
{
	struct trace_call calls[8];
	u32 i, n = judge_setup_calls(&w->c->tr.opts, calls);

	for (i = 0; i < n; i++)
		put_call(w, &calls[i], new_op(w, OP_SETUP, JOB_NO_STMT));
}

/* How long a segment of the sender is on loopback with its default window. */
static u32 sender_cut(const struct trace *tr, u32 cut)
{
	u32 mss = min_t(u32, tr->opts.mss, 32768);

	return cut ? min_t(u32, cut, mss) : mss;
}

/* The agent's queue for an skb of that kind. */
static u8 raw_queue(int layout)
{
	if (layout == LAYOUT_HEAD_SLAB)
		return 2;
	return layout == LAYOUT_HEAD_FRAG;
}

static void put_wire(struct writer *w, const struct trace_stmt *st, u32 stmt)
{
	const struct sim_peer *p = &w->s->conn.peer;
	u32 next = 0, done = 0;
	struct sim_err err;
	struct job_op *op;
	u64 from, to;

	while (next < st->wire.range_n) {
		if (wire_run(p, &st->wire, &next, &from, &to, &err))
			return; /* the model's run would have stopped */
		op = new_op(w, w->c->tun ? OP_SEGMENT : OP_SEND, stmt);
		op->off = (u32)from;
		op->len = (s32)(to - from);
		op->cut = st->wire.cut;
		if (w->c->tun && st->kind == ST_SEND)
			op->cut = sender_cut(&w->c->tr, op->cut);
		op->urg = st->wire.urg && next == st->wire.range_n;
		op->edge = raw_queue(judge_layout(&w->c->tr, &st->wire));
		if (st->wire.flip && st->wire.flip_off - done < to - from) {
			op->flip = st->wire.flip;
			op->flip_at = st->wire.flip_off - done;
		}
		done += (u32)(to - from);
	}
}

static void put_end(struct writer *w, const struct trace_stmt *st, u32 stmt)
{
	struct job_op *op =
		new_op(w, st->kind == ST_FIN ? OP_FIN : OP_RST, stmt);
	struct sim_err err;
	u64 from, to = w->c->end_off[stmt];

	if (st->fin.after &&
	    peer_range(&w->s->conn.peer, &st->fin.range, &from, &to, &err))
		return;
	op->off = (u32)to;
}

static void put_pipe(struct writer *w, const struct trace_stmt *st, u32 stmt)
{
	const struct trace_pipe *pipe = &w->c->tr.pipes[st->pipe.pipe];
	struct job_op *op = new_op(w, OP_PIPE, stmt);

	op->pipe = (u8)st->pipe.pipe;
	op->len = (s32)pipe->size;
	op->val = pipe->nonblock;
}

static void put_action(struct writer *w, u32 stmt)
{
	const struct trace_stmt *st = &w->c->tr.stmts[stmt];
	struct job_op *op;

	switch (st->kind) {
	case ST_WIRE:
	case ST_SEND:
		put_wire(w, st, stmt);
		break;
	case ST_FIN:
	case ST_RST:
		put_end(w, st, stmt);
		break;
	case ST_CALL:
		op = new_op(w, OP_CALL, stmt);
		op->task = (u8)st->task;
		put_call(w, st->call, op);
		break;
	case ST_PIPE:
		put_pipe(w, st, stmt);
		break;
	case ST_SIGNAL:
		op = new_op(w, OP_SIGNAL, stmt);
		op->task = (u8)st->task;
		op->val = st->signal.restart;
		break;
	case ST_RETURNS:
		if (w->c->expect[stmt])
			new_op(w, OP_STATS, stmt);
		break;
	case ST_PEER_RECORD:
	case ST_PEER_KEY:
	case ST_FAIL:
	case ST_AT:
	case ST_EXPECT:
	case ST_END:
	case ST_KIND_COUNT:
		break;
	}
}

/* Time in front of a statement. */
static void put_time(struct writer *w, u32 stmt)
{
	const struct judge_case *c = w->c;
	s64 dt = c->tr.stmts[stmt].dt_ns / 1000 * c->scale;
	struct job_op *op;

	if (c->time == JUDGE_TIME_NONE || !dt)
		return;
	if (c->time == JUDGE_TIME_WAIT && !c->fired[stmt])
		return;
	op = new_op(w, OP_CHECK, stmt);
	op->wait_for = c->fired[stmt];
	op->wait_max_ns = WAIT_SLACK_NS;
	if (c->time == JUDGE_TIME_REAL)
		op->wait_ns = dt + (c->sender[stmt] ? SETTLE_NS : 0);
}

/* Moves offsets from the blob's start to the job's. */
static void move_offsets(struct writer *w, u32 by)
{
	u32 i;

	for (i = 0; i < w->op_n; i++)
		w->ops[i].data += by;
}

static void put_head(struct writer *w, bool all_data)
{
	struct judge_case *c = w->c;
	const struct trace_opts *o = &c->tr.opts;
	struct job_trace head = {
		.magic = JOB_MAGIC,
		.id = c->id,
		.flags = (o->ulp ? JOB_ULP : 0) |
			 (o->nonblock ? JOB_NONBLOCK : 0) |
			 (c->tun ? JOB_TUN : 0) | (all_data ? JOB_ALL_DATA : 0),
		.rcvbuf = o->rcvbuf,
		.mss = o->mss == JUDGE_LOOPBACK_MSS ? 0 : o->mss,
		.watched =
			(u32)min_t(u64, w->s->bytes_max, JUDGE_CALL_BYTES_MAX),
		.task_n = c->tr.task_n,
		.op_n = w->op_n,
		.stream_len = (u32)w->s->conn.peer.size,
	};
	u32 ops = w->op_n * (u32)sizeof(*w->ops);

	head.stream = sizeof(head) + ops + (((u32)w->blob.len + 7) & ~7u);
	head.size = (head.stream + head.stream_len + 7) & ~7u;
	move_offsets(w, sizeof(head) + ops);
	text_add(&c->job, (const char *)&head, sizeof(head));
}

void judge_job_write(struct judge_case *c, struct sim *s, bool all_data)
{
	struct writer w = { .c = c, .s = s };
	static const char zeros[8];
	u8 *stream;
	u32 i;

	put_setup(&w);
	for (i = 0; i < c->stmt_n; i++) {
		put_time(&w, i);
		put_action(&w, i);
	}
	put_head(&w, all_data);
	if (w.op_n)
		text_add(&c->job, (const char *)w.ops, w.op_n * sizeof(*w.ops));
	if (w.blob.len)
		text_add(&c->job, w.blob.buf, w.blob.len);
	text_add(&c->job, zeros, -c->job.len & 7);
	stream = mem_pool_alloc_raw(c->tr.pool, s->conn.peer.size + 1);
	peer_copy(&s->conn.peer, 0, stream, s->conn.peer.size);
	text_add(&c->job, (const char *)stream, s->conn.peer.size);
	text_add(&c->job, zeros, -c->job.len & 7);
	text_free(&w.blob);
}
