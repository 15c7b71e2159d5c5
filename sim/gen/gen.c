// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random traces: features, options, and the order of statements.
 * How: features are drawn first, one by one; then options; then steps on the
 * wire and calls take turns, one side favoured by a share that is drawn once a
 * trace, so that data come before, between and while calls run. Arrays have
 * fixed room and statements are counted, so that any stream of answers ends in
 * a valid trace. Answer 0 is always the plain choice.
 * Left out: expectations; invariants judge random runs.
 */
#include "sim/gen/gen_int.h"

#define GEN_TIMES 8u

struct trace_stmt *gen_stmt_now(struct gen *g, enum stmt_kind kind)
{
	struct trace_stmt *st = &g->tr->stmts[g->tr->stmt_n++];

	M_ASSERT(g->tr->stmt_n <= g->room, "no room for statements");
	memset(st, 0, sizeof(*st));
	st->kind = kind;
	st->timed = true;
	return st;
}

struct trace_stmt *gen_stmt(struct gen *g, enum stmt_kind kind)
{
	static const s64 times_ns[GEN_TIMES] = {
		NSEC_PER_MSEC,	     1000,
		10 * NSEC_PER_MSEC,  40 * NSEC_PER_MSEC,
		100 * NSEC_PER_MSEC, 200 * NSEC_PER_MSEC,
		300 * NSEC_PER_MSEC, NSEC_PER_SEC,
	};
	struct trace_stmt *st = gen_stmt_now(g, kind);

	if (gen_may(g, GEN_TIME, 4))
		st->dt_ns = times_ns[gen_choose(g, GEN_TIMES)];
	return st;
}

/* Four bytes an answer, a byte a feature. Written out, since divisions by
 * numbers the compiler knows are none. */
static void draw_features(struct gen *g)
{
	u64 features = 0;
	u32 bytes = 0;

#define FEATURE(id, odds, what)                                        \
	bytes = GEN_##id % 4 ? bytes >> 8 : gen_choose(g, UINT32_MAX); \
	features |= (u64)((bytes & 0xff) % (odds) == (odds)-1u) << GEN_##id;
#include "sim/gen/gen_features.def"
#undef FEATURE
	g->features = features & ~g->o->off;
}

static void draw_sizes(struct gen *g)
{
	static const u8 recs[16] = { 4, 4, 4, 1, 1, 2, 2,  3,
				     3, 3, 5, 5, 6, 8, 12, 32 };
	static const u8 calls[16] = { 10, 9, 11, 10, 4,	 6, 7,	8,
				      1,  5, 12, 13, 10, 3, 16, 24 };

	g->recs = recs[gen_choose(g, 16)];
	g->calls = calls[gen_choose(g, 16)];
	g->recs = min_t(u32, g->recs, g->o->recs_max ?: GEN_RECS_MAX);
	g->calls = min_t(u32, g->calls, g->o->calls_max ?: GEN_CALLS_MAX);
}

static void draw_socket_options(struct gen *g, struct trace_opts *opts)
{
	static const u32 rcvbuf[8] = { 2304, 1,	    1200,  4096,
				       6000, 16384, 32768, 65536 };
	static const u32 mss[4] = { 1460, 536, 100, 4096 };
	static const u32 lowat[8] = { 50, 2, 10, 100, 300, 1000, 20000, 1 };
	static const s64 timeo_ns[4] = { 100 * NSEC_PER_MSEC, NSEC_PER_MSEC,
					 10 * NSEC_PER_MSEC, NSEC_PER_SEC };

	if (gen_has(g, GEN_SMALL_BUF) && gen_choose(g, 4))
		opts->rcvbuf = rcvbuf[gen_choose(g, 8)];
	if (gen_may(g, GEN_SMALL_BUF, 2))
		opts->mss = mss[gen_choose(g, 4)];
	if (gen_may(g, GEN_LOWAT, 2))
		opts->rcvlowat = lowat[gen_choose(g, 8)];
	if (gen_has(g, GEN_TIMEO))
		opts->rcvtimeo_ns = timeo_ns[gen_choose(g, 4)];
	opts->nonblock = gen_has(g, GEN_NONBLOCK);
}

static void draw_options(struct gen *g)
{
	static const u16 ciphers[3] = { TLS_CIPHER_AES_GCM_256,
					TLS_CIPHER_AES_CCM_128,
					TLS_CIPHER_CHACHA20_POLY1305 };
	struct trace_opts *opts = &g->tr->opts;

	trace_opts_default(opts);
	opts->finish = true;
	if (gen_one_in(g, 2))
		opts->version = TLS_1_2_VERSION;
	if (gen_has(g, GEN_CIPHER))
		opts->cipher = ciphers[gen_choose(g, 3)];
	if (gen_has(g, GEN_SEQ_WRAP))
		opts->seq = UINT64_MAX - gen_choose(g, 4);
	if (gen_has(g, GEN_LAYOUT)) {
		opts->layout = (enum skb_layout)gen_choose(g, LAYOUT_COUNT);
		opts->held = gen_one_in(g, 2);
	}
	draw_socket_options(g, opts);
	if (gen_has(g, GEN_LATE_KEYS)) {
		opts->rx = false;
		opts->ulp = gen_choose(g, 3) != 2;
	}
	g->keys_due = !opts->rx;
	g->ulp_due = !opts->ulp;
	opts->nopad = gen_has(g, GEN_NOPAD) && opts->rx &&
		      opts->version == TLS_1_3_VERSION;
}

static void start_trace(struct trace *tr)
{
	struct mem_pool *pool = tr->pool;

	*tr = (struct trace){ .pool = pool };
	tr->stmts =
		mem_pool_alloc_raw(pool, GEN_STMTS_ROOM * sizeof(*tr->stmts));
	tr->recs = mem_pool_alloc_raw(pool, GEN_RECS_ROOM * sizeof(*tr->recs));
	tr->tasks =
		mem_pool_alloc_raw(pool, GEN_TASKS_ROOM * sizeof(*tr->tasks));
}

/* The wire and the tasks take turns. */
static void take_turns(struct gen *g)
{
	static const u8 share[4] = { 2, 3, 1, 2 };
	u32 wire = share[gen_choose(g, 4)];
	bool more = true;

	while (gen_room(g) && g->calls) {
		if (more && gen_choose(g, 4) < wire)
			more = gen_wire_step(g);
		else
			gen_call_step(g);
	}
	while (more && gen_room(g) && gen_choose(g, 4) < 3)
		more = gen_wire_step(g);
}

void gen_trace(struct sim_choice *c, const struct gen_opts *o, struct trace *tr)
{
	struct gen g;

	start_trace(tr);
	g.c = c;
	g.o = o;
	g.tr = tr;
	g.room = GEN_STMTS_ROOM;
	g.front = (struct gen_pos){ 0, 0 };
	g.hole = g.front;
	g.hole_end = g.front;
	g.gen = 0;
	g.rx_gen = 0;
	g.keyupdates = 0;
	g.fin = false;
	draw_features(&g);
	draw_sizes(&g);
	draw_options(&g);
	gen_calls_start(&g);
	take_turns(&g);
	gen_calls_end(&g);
}
