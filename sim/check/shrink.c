// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes traces small, one simplification after the other.
 * How: a pass goes over the trace and offers an edit at a time. The edit is
 * made on a copy, the copy repaired and tried; what still does it becomes the
 * trace. Statements go in chunks first (delta debugging), then single ones;
 * then whatever is left gets simpler. Passes repeat until none helps or the
 * tries are used up. Every edit makes the trace simpler in an order that has
 * an end, so this ends. To be minimal, numbers are searched by halves for the
 * least that does it, and the last round must have helped nowhere.
 * Left out: other orders of statements, other schedules.
 */
#include "sim/check/shrink.h"

#define ROUNDS_MAX 8
#define MINIMAL_ROUNDS_MAX 1000

struct shrinker;

/* Edits @tr at @at, by variant @v; false: nothing to do there. */
typedef bool (*edit_fn)(struct trace *tr, u32 at, u32 v);

/**
 * struct shrinker - one shrinking
 * @o: what must stay
 * @cur: best so far
 * @spare: pool of the next candidate
 * @tries: candidates tried
 * @better: some edit helped in this round
 */
struct shrinker {
	const struct shrink_opts *o;
	struct trace cur;
	struct mem_pool *spare;
	u32 tries;
	bool better;
};

static u32 tries_max(const struct shrinker *sh)
{
	return sh->o->tries_max	      ?:
		       sh->o->minimal ? SHRINK_MINIMAL_TRIES :
					SHRINK_TRIES_MAX;
}

static bool try_edit(struct shrinker *sh, edit_fn fn, u32 at, u32 v)
{
	struct trace cand = { .pool = sh->spare };

	if (sh->tries >= tries_max(sh))
		return false;
	mem_pool_reset(cand.pool);
	shrink_copy(&sh->cur, &cand);
	if (!fn(&cand, at, v))
		return false;
	shrink_repair(&cand);
	sh->tries++;
	if (!sh->o->still(sh->o->ctx, &cand))
		return false;
	sh->spare = sh->cur.pool;
	sh->cur = cand;
	sh->better = true;
	return true;
}

/* --- statements --------------------------------------------------------- */

static bool edit_drop(struct trace *tr, u32 at, u32 count)
{
	bool any = false;
	u32 i;

	for (i = at; i < at + count && i < tr->stmt_n; i++) {
		if (tr->stmts[i].kind == ST_PIPE)
			continue; /* goes with the last call on it */
		tr->stmts[i].kind = ST_KIND_COUNT;
		any = true;
	}
	return any;
}

static void pass_statements(struct shrinker *sh)
{
	u32 at, chunk;

	for (chunk = sh->cur.stmt_n / 2; chunk; chunk /= 2) {
		/* from the end, so that what others need goes last */
		for (at = sh->cur.stmt_n; at;) {
			at = at > chunk ? at - chunk : 0;
			try_edit(sh, edit_drop, at, chunk);
			at = min_t(u32, at, sh->cur.stmt_n);
		}
	}
}

/* Everything the statement sends goes out whole, and only here. */
static bool edit_send_whole(struct trace *tr, u32 at, u32 v)
{
	struct trace_stmt *st = &tr->stmts[at], *other;
	struct trace_range *r;
	u32 i, j, n;

	(void)v;
	if (st->kind != ST_WIRE && st->kind != ST_SEND)
		return false;
	r = (struct trace_range *)st->wire.range;
	n = st->wire.range_n;
	if (!r[0].from && r[n - 1].to == RANGE_END)
		return false;
	r[0].from = 0;
	r[n - 1].to = RANGE_END;
	for (i = 0; i < tr->stmt_n; i++) {
		other = &tr->stmts[i];
		if (i == at ||
		    (other->kind != ST_WIRE && other->kind != ST_SEND))
			continue;
		for (j = 0; j < other->wire.range_n; j++) {
			r = (struct trace_range *)&other->wire.range[j];
			if (r->rec >= st->wire.range[0].rec &&
			    r->rec <= st->wire.range[n - 1].rec)
				r->to = r->from; /* empty: repair drops it */
		}
	}
	return true;
}

static bool edit_wire(struct trace *tr, u32 at, u32 v)
{
	struct trace_stmt *st = &tr->stmts[at];
	struct stmt_wire was, *w = &st->wire;

	if (st->kind != ST_WIRE && st->kind != ST_SEND)
		return false;
	was = *w;
	switch (v) {
	case 0:
		w->cut = 0;
		return was.cut;
	case 1:
		w->layout = -1;
		return was.layout != -1;
	case 2:
		w->held = -1;
		return was.held != -1;
	case 3:
		w->urg = false;
		return was.urg;
	case 4:
		w->flip = 0;
		return was.flip;
	default:
		if (st->kind == ST_SEND || w->flip)
			return false;
		st->kind = ST_SEND;
		return true;
	}
}

static bool edit_time(struct trace *tr, u32 at, u32 v)
{
	struct trace_stmt *st = &tr->stmts[at];

	if (!st->dt_ns)
		return false;
	st->dt_ns = v ? 0 : NSEC_PER_MSEC * !!(st->dt_ns > NSEC_PER_MSEC);
	return true;
}

/* --- records ------------------------------------------------------------ */

static const u32 rec_lens[] = { 0, 1, 2, 10 };

/* A number a step simpler than @now: variant @v of @n lengths, then a half. */
static bool simpler_len(u32 *now, u32 v)
{
	u32 was = *now;

	if (v < ARRAY_SIZE(rec_lens))
		*now = rec_lens[v];
	else
		*now = was / 2;
	return *now < was;
}

static bool edit_rec_shape(struct trace_rec *r, u32 v)
{
	u32 bit = 1u << v;

	if (v < 9 && r->mods & bit) {
		r->mods &= ~bit;
		return true;
	}
	if (v == 9 && r->pad) {
		r->pad = 0;
		return true;
	}
	if (v == 10 && r->kind == REC_SEALED &&
	    r->type != TLS_RECORD_TYPE_DATA) {
		r->type = TLS_RECORD_TYPE_DATA;
		return true;
	}
	if (v == 11 && r->pad > 1) {
		r->pad = 1;
		return true;
	}
	return false;
}

#define REC_SHAPES 12u

/* @v: shapes, then lengths, then one record instead of several. */
static bool edit_record(struct trace *tr, u32 at, u32 v)
{
	struct trace_stmt *st = &tr->stmts[at];
	struct trace_rec *r;
	u32 i, lens = REC_SHAPES + ARRAY_SIZE(rec_lens) + 1;
	bool any;

	if (st->kind != ST_PEER_RECORD)
		return false;
	r = &tr->recs[st->peer.first];
	if (v == lens) {
		any = st->peer.count > 1;
		st->peer.count = 1;
		return any;
	}
	if (v < REC_SHAPES)
		any = edit_rec_shape(r, v);
	else
		any = r->kind != REC_RAW && r->kind != REC_OPENSSL &&
		      simpler_len(&r->len, v - REC_SHAPES);
	for (i = 1; i < st->peer.count; i++) {
		r[i].len = r->len;
		r[i].pad = r->pad;
		r[i].mods = r->mods;
		r[i].type = r->type;
	}
	return any;
}

/* --- calls -------------------------------------------------------------- */

static bool drop_flag(struct trace_call *c, u32 nth)
{
	u32 bits = c->flags;

	while (nth-- && bits)
		bits &= bits - 1;
	c->flags &= ~(bits & -bits);
	return bits;
}

static bool one_buffer(struct trace_call *c)
{
	u32 i;

	if (c->iov_n < 2)
		return false;
	for (i = 1; i < c->iov_n; i++) {
		c->iov[0].len += c->iov[i].len;
		c->iov[i] = (struct trace_iov){ 0 };
	}
	c->iov_n = 1;
	return true;
}

static bool is_recv(const struct trace_call *c)
{
	return c->kind <= CALL_RECVMMSG;
}

/* Sets @lhs; true if that changed it. */
#define CHANGE(lhs, v)                        \
	({                                    \
		bool changed_ = (lhs) != (v); \
		(lhs) = (v);                  \
		changed_;                     \
	})

static bool simpler_size(struct trace_call *c)
{
	u32 len = c->iov[0].len;

	if ((!is_recv(c) && c->kind != CALL_SPLICE) || c->iov_n != 1 ||
	    len == 100)
		return false;
	return CHANGE(c->iov[0].len, len > 100 ? 4096 : 100);
}

static bool simpler_count(struct trace_call *c)
{
	if (c->count > 4096)
		return CHANGE(c->count, 4096);
	return c->count > 1 && CHANGE(c->count, c->count / 2);
}

static bool as_recvmsg(struct trace_call *c)
{
	if (c->kind != CALL_RECV && c->kind != CALL_READ &&
	    c->kind != CALL_READV)
		return false;
	c->kind = CALL_RECVMSG;
	c->ctl = 64;
	return true;
}

/* The actor's answers but the first @n. */
static bool fewer_takes(struct trace_call *c, u32 n)
{
	if (c->take_n <= n)
		return false;
	memset(c->take + n, 0, (c->take_n - n) * sizeof(*c->take));
	c->take_n = n;
	return true;
}

#define CALL_EDITS 13u
#define CALL_EDIT_ROUND 7u /* makes a length a round one */

static bool edit_call(struct trace *tr, u32 at, u32 v)
{
	struct trace_call *c;

	if (tr->stmts[at].kind != ST_CALL)
		return false;
	c = tr->stmts[at].call;
	switch (v) {
	case 0:
	case 1:
	case 2:
		return drop_flag(c, v);
	case 3:
		return one_buffer(c);
	case 4:
		return fewer_takes(c, 0);
	case 5:
		return CHANGE(c->iov[0].bad, false);
	case 6:
		return c->kind == CALL_RECVMSG && CHANGE(c->ctl, 64);
	case 7:
		return simpler_size(c);
	case 8:
		return c->timeout_ns > 0 && CHANGE(c->timeout_ns, 0);
	case 9:
		return simpler_count(c);
	case 10:
		return as_recvmsg(c);
	case 11:
		return c->timeout_ns < 0 && CHANGE(c->timeout_ns, 0);
	default:
		return c->take_n && fewer_takes(c, c->take_n - 1);
	}
}

/* Every call by the first task. */
static bool edit_tasks(struct trace *tr, u32 at, u32 v)
{
	(void)v;
	if (!tr->stmts[at].task)
		return false;
	tr->stmts[at].task = 0;
	return true;
}

/* --- options ------------------------------------------------------------ */

#define OPTION_EDITS 12u

static bool edit_option(struct trace *tr, u32 at, u32 v)
{
	struct trace_opts def, *o = &tr->opts;

	(void)v;
	trace_opts_default(&def);
	switch (at) {
	case 0:
		return CHANGE(o->rcvbuf, def.rcvbuf);
	case 1:
		return CHANGE(o->mss, def.mss);
	case 2:
		return CHANGE(o->rcvlowat, def.rcvlowat);
	case 3:
		return CHANGE(o->rcvtimeo_ns, def.rcvtimeo_ns);
	case 4:
		return CHANGE(o->seq, def.seq);
	case 5:
		return CHANGE(o->layout, def.layout);
	case 6:
		return CHANGE(o->held, def.held);
	case 7:
		return CHANGE(o->nopad, def.nopad);
	case 8:
		return CHANGE(o->nonblock, def.nonblock);
	case 9:
		return CHANGE(o->cipher, def.cipher);
	case 10:
		o->ulp = def.ulp;
		return CHANGE(o->rx, def.rx);
	default:
		return CHANGE(o->finish, def.finish);
	}
}

/* --- all of it ---------------------------------------------------------- */

/* @variants of an edit on each statement, from the last to the first. */
static void pass_each(struct shrinker *sh, edit_fn fn, u32 variants)
{
	u32 at, v;

	for (at = sh->cur.stmt_n; at--;) {
		for (v = 0; v < variants && at < sh->cur.stmt_n; v++)
			try_edit(sh, fn, at, v);
	}
}

static void pass_options(struct shrinker *sh)
{
	u32 at;

	for (at = 0; at < OPTION_EDITS; at++)
		try_edit(sh, edit_option, at, 0);
}

/* The least value of each number; the one below it was tried and failed. */
static void pass_numbers(struct shrinker *sh)
{
	u32 n, value, low, mid;

	for (n = 0; shrink_number(&sh->cur, n, &value, &low); n++) {
		if (value <= low || try_edit(sh, shrink_set_number, n, low))
			continue;
		while (value - low > 1) {
			mid = low + (value - low) / 2;
			if (try_edit(sh, shrink_set_number, n, mid))
				value = mid;
			else
				low = mid;
		}
	}
}

/* Edits of a call, without those that make a number round. */
static bool edit_call_only(struct trace *tr, u32 at, u32 v)
{
	return v != CALL_EDIT_ROUND && edit_call(tr, at, v);
}

static void minimal_round(struct shrinker *sh)
{
	pass_statements(sh);
	pass_options(sh);
	pass_each(sh, edit_time, 2);
	pass_each(sh, edit_tasks, 1);
	pass_each(sh, shrink_drop_word, SHRINK_WORDS);
	pass_each(sh, edit_send_whole, 1);
	pass_each(sh, edit_wire, 6);
	pass_each(sh, edit_record, REC_SHAPES + ARRAY_SIZE(rec_lens) + 2);
	pass_each(sh, edit_call_only, CALL_EDITS);
	pass_numbers(sh);
}

static void one_round(struct shrinker *sh)
{
	pass_statements(sh);
	pass_options(sh);
	pass_each(sh, edit_time, 2);
	pass_each(sh, edit_tasks, 1);
	pass_each(sh, edit_send_whole, 1);
	pass_each(sh, edit_wire, 6);
	pass_each(sh, edit_record, REC_SHAPES + ARRAY_SIZE(rec_lens) + 2);
	pass_each(sh, edit_call, CALL_EDITS);
}

u32 sim_shrink(const struct shrink_opts *o, const struct trace *tr,
	       struct trace *out)
{
	struct mem_pool *first = mem_pool_new(), *second = mem_pool_new();
	struct shrinker sh = { .o = o, .spare = second, .tries = 1 };
	int i, rounds = o->minimal ? MINIMAL_ROUNDS_MAX : ROUNDS_MAX;

	sh.cur.pool = first;
	shrink_copy(tr, &sh.cur);
	sh.better = o->still(o->ctx, &sh.cur);
	for (i = 0; i < rounds && sh.better; i++) {
		sh.better = false;
		if (o->minimal)
			minimal_round(&sh);
		else
			one_round(&sh);
	}
	shrink_copy(&sh.cur, out);
	mem_pool_free(first);
	mem_pool_free(second);
	return sh.tries;
}
