// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzz target: any bytes as what TCP delivers to a socket with TLS_RX, cut in
 * any way; a reader that never waits and a poller look at it in between.
 *
 * Input: 1 byte of options (TLS version, cipher, small receive buffer), 1 byte
 * n, n bytes of cuts, the rest is the payload. A cut is a length, 0 stands for
 * 256, and its lowest bit decides whether somebody looks afterwards. Cuts are
 * used again from the first on when they run out.
 *
 * Nearly nothing authenticates, so this is about the parser: framing, copy
 * mode, and what reads and poll say. Left out: records that can be opened
 * (fuzz_rx.c).
 */
#include "fuzz/common.h"

#define PAYLOAD_MAX 6000u /* bytes; byte-sized cuts must not take for ever */
#define STMTS_MAX 300u

/**
 * struct strp - one input taken apart
 * @options: bits
 * @cuts: bytes of cuts
 * @cut_n: how many
 * @payload: what TCP delivers
 * @size: its length
 */
struct strp {
	u8 options;
	const u8 *cuts;
	u32 cut_n;
	const u8 *payload;
	u32 size;
};

static bool take_apart(const uint8_t *data, size_t size, struct strp *in)
{
	if (size < 3)
		return false;
	in->options = data[0];
	in->cuts = data + 2;
	in->cut_n = (u32)min_t(size_t, data[1], size - 3);
	in->payload = in->cuts + in->cut_n;
	in->size = (u32)min_t(size_t, size - 2 - in->cut_n, PAYLOAD_MAX);
	return true;
}

static struct trace_stmt *add_stmt(struct trace *tr, enum stmt_kind kind)
{
	struct trace_stmt *st = pool_push(tr->pool, tr->stmts, tr->stmt_n);

	st->kind = kind;
	st->timed = true;
	return st;
}

static void add_options(struct trace *tr, u8 bits)
{
	static const u16 ciphers[4] = { TLS_CIPHER_AES_GCM_128,
					TLS_CIPHER_CHACHA20_POLY1305,
					TLS_CIPHER_AES_CCM_128,
					TLS_CIPHER_AES_GCM_256 };

	trace_opts_default(&tr->opts);
	tr->opts.version = bits & 1 ? TLS_1_2_VERSION : TLS_1_3_VERSION;
	tr->opts.cipher = ciphers[bits >> 1 & 3];
	tr->opts.rcvbuf = bits & 8 ? 2304 : 0;
	tr->opts.layout = (enum skb_layout)(bits >> 4 & 3);
	tr->opts.held = bits & 64;
	tr->opts.finish = true;
}

static void add_record(struct trace *tr, const struct strp *in)
{
	struct trace_rec *r = pool_push(tr->pool, tr->recs, tr->rec_n);

	r->name = "A";
	r->of = 1;
	r->kind = REC_RAW;
	r->raw = in->payload;
	r->len = in->size;
	add_stmt(tr, ST_PEER_RECORD)->peer.count = 1;
}

static void add_segment(struct trace *tr, u32 from, u32 to, bool raw)
{
	struct trace_stmt *st = add_stmt(tr, raw ? ST_WIRE : ST_SEND);
	struct trace_range *r = mem_pool_alloc(tr->pool, sizeof(*r));

	*r = (struct trace_range){ 0, 1, from, to };
	st->wire.range = r;
	st->wire.range_n = 1;
	st->wire.layout = -1;
	st->wire.held = -1;
}

static void add_look(struct trace *tr)
{
	struct trace_call *c = mem_pool_alloc(tr->pool, sizeof(*c));

	c->kind = CALL_POLL;
	add_stmt(tr, ST_CALL)->call = c;
	c = mem_pool_alloc(tr->pool, sizeof(*c));
	c->kind = CALL_RECVMSG;
	c->flags = M_MSG_DONTWAIT;
	c->iov_n = 1;
	c->iov[0].len = 1024;
	c->ctl = 64;
	add_stmt(tr, ST_CALL)->call = c;
}

static void make_trace(struct trace *tr, const struct strp *in)
{
	struct mem_pool *pool = tr->pool;
	u32 at, n, i = 0, cut;

	*tr = (struct trace){ .pool = pool };
	add_options(tr, in->options);
	*pool_push(pool, tr->tasks, tr->task_n) = "r1";
	add_record(tr, in);
	for (at = 0; at < in->size; at += n) {
		cut = in->cut_n ? in->cuts[i++ % in->cut_n] : 0;
		n = min_t(u32, cut ?: 256, in->size - at);
		if (tr->stmt_n > STMTS_MAX)
			n = in->size - at;
		add_segment(tr, at, at + n, in->options & 128);
		if (cut & 1)
			add_look(tr);
	}
	add_look(tr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sim_choice c;
	struct strp in;
	struct fuzz *f;

	if (!take_apart(data, size, &in))
		return 0;
	f = fuzz_begin();
	make_trace(&f->tr, &in);
	choice_bytes(&c, in.cuts, in.cut_n);
	sim_run(f->s, &f->tr, &f->opts, &c);
	stats_run(&f->stats, f->s);
	fuzz_judge_run(f);
	return 0;
}
