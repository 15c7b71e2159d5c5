// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * F1: one stream, cut in two ways.
 * How: both traces are built with the generator's own functions for the wire.
 * What a run hands out is read from its log: bytes by record (peeks do not
 * count), and errors, the same one in a row counting once. EAGAIN and refusals
 * that change nothing (no room for a type, a control record in front of
 * splice) depend on when a call is made and do not count. When one run did not
 * get to its end, only what both have is compared.
 * Left out: resets, signals, faults, rekeys by the trace itself, options:
 * their place among the bytes is a matter of timing. New keys are set when all
 * that the old ones open was read; when reads wait so long for the peer's
 * timers that this is not so, what is behind is not compared.
 */
#include "sim/check/segdiff.h"

#include "sim/gen/gen_int.h"

#define CALLS_MAX 40u
#define ITEMS_MAX 2048u
#define PIPE_BYTES 65536u
#define ROOM 1024u

/* Bytes of a record, or an error. */
struct item {
	s64 rec; /* -1: error */
	s64 n; /* bytes, or negative errno */
};

struct transcript {
	struct item *item;
	u32 n;
	bool ended; /* nothing more would have come */
};

static bool can_compare(const struct trace *tr)
{
	u32 i;

	if (tr->rec_n > GEN_RECS_ROOM || !tr->rec_n || tr->opts.openssl)
		return false;
	for (i = 0; i < tr->rec_n; i++) {
		if (tr->recs[i].kind == REC_RAW && !tr->recs[i].len)
			return false;
	}
	return true;
}

/* --- building ----------------------------------------------------------- */

static void copy_head(const struct trace *tr, struct trace *out)
{
	struct mem_pool *pool = out->pool;
	u32 i;

	*out = (struct trace){ .pool = pool, .opts = tr->opts };
	out->opts.finish = true;
	out->opts.ulp = true;
	out->opts.rx = true;
	/* an error of its own, that comes when a number wraps */
	if (out->opts.seq > UINT32_MAX)
		out->opts.seq = 0;
	out->recs = tr->recs;
	out->rec_n = tr->rec_n;
	out->stmts = mem_pool_alloc_raw(pool, ROOM * sizeof(*out->stmts));
	out->tasks = mem_pool_alloc(pool, sizeof(*out->tasks));
	out->tasks[0] = "r1";
	out->task_n = 1;
	out->pipes =
		mem_pool_alloc(pool, (tr->pipe_n + 1) * sizeof(*out->pipes));
	for (i = 0; i < tr->pipe_n; i++) {
		out->pipes[i] = tr->pipes[i];
		out->pipes[i].nonblock = true;
	}
	out->pipe_n = tr->pipe_n;
}

static void gen_init(struct gen *g, const struct gen_opts *o,
		     struct sim_choice *c, const struct trace *tr,
		     struct trace *out)
{
	u32 i;

	*g = (struct gen){ .c = c, .o = o, .tr = out, .room = ROOM };
	g->recs = tr->rec_n;
	for (i = 0; i < tr->rec_n; i++)
		g->len[i] = (u32)trace_rec_wire_len(&tr->opts, &tr->recs[i]);
}

/* Pipes, records and keys in front of everything else. */
static void put_peer(struct gen *g, const struct trace *tr)
{
	struct trace_stmt *st;
	u32 i;

	for (i = 0; i < tr->pipe_n; i++)
		gen_stmt_now(g, ST_PIPE)->pipe.pipe = i;
	for (i = 0; i < tr->stmt_n; i++) {
		if (tr->stmts[i].kind != ST_PEER_RECORD &&
		    tr->stmts[i].kind != ST_PEER_KEY)
			continue;
		st = gen_stmt_now(g, tr->stmts[i].kind);
		if (st->kind == ST_PEER_RECORD)
			st->peer = tr->stmts[i].peer;
		else
			st->key = tr->stmts[i].key;
	}
}

static struct trace_call *put_call(struct gen *g, enum call_kind kind,
				   s64 dt_ns)
{
	struct trace_stmt *st = gen_stmt_now(g, ST_CALL);

	st->dt_ns = dt_ns;
	st->call = mem_pool_alloc(g->tr->pool, sizeof(*st->call));
	st->call->kind = kind;
	return st->call;
}

/* A read of the trace, without what makes it depend on more than bytes. */
static void put_read(struct gen *g, const struct trace_call *from)
{
	struct trace_call *c = put_call(g, from->kind, 0);
	u32 i;

	*c = *from;
	if (from->kind == CALL_SPLICE) {
		put_call(g, CALL_PREAD, 0)->pipe = c->pipe;
		g->tr->stmts[g->tr->stmt_n - 1].call->val = PIPE_BYTES;
		return;
	}
	c->flags &= M_MSG_PEEK | M_MSG_WAITALL | M_MSG_DONTWAIT;
	for (i = 0; i < c->iov_n; i++)
		c->iov[i].bad = false;
	for (i = 0; i < c->take_n; i++) {
		if (c->take[i] < 0)
			c->take[i] = 0;
	}
}

/* Everything that is left, as far as the keys go: each call has room for the
 * longest record. */
static void put_drain(struct gen *g)
{
	struct trace_call *c;
	u32 i, len = 100;

	for (i = 0; i < g->recs; i++)
		len = max_t(u32, len, g->tr->recs[i].len);

	for (i = 0; i < g->recs + 4; i++) {
		c = put_call(g, CALL_RECVMSG, 5 * NSEC_PER_SEC);
		c->iov_n = 1;
		c->iov[0].len = len;
		c->ctl = 64;
	}
}

static void put_drains(struct gen *g, const struct trace *tr)
{
	struct trace_call *c;
	u32 i;

	put_drain(g);
	for (i = 0; i < tr->stmt_n; i++) {
		if (tr->stmts[i].kind != ST_PEER_KEY ||
		    g->tr->stmt_n + 2 * g->recs + 16 > ROOM)
			continue;
		c = put_call(g, CALL_SETSOCKOPT, 0);
		c->level = SOL_TLS_M;
		c->opt = TLS_RX;
		c->opt_len = -1;
		c->key = tr->stmts[i].key.gen;
		c->key_seq = tr->stmts[i].key.seq;
		c->key_seq_set = true;
		put_drain(g);
	}
}

/* The reads of the trace that hand out bytes. */
static u32 collect_reads(const struct trace *tr,
			 const struct trace_call **reads)
{
	const struct trace_call *c;
	u32 i, n = 0;

	for (i = 0; i < tr->stmt_n && n < CALLS_MAX; i++) {
		c = tr->stmts[i].call;
		if (tr->stmts[i].kind != ST_CALL || c->kind > CALL_READ_SOCK ||
		    c->kind == CALL_RECVMMSG)
			continue;
		reads[n++] = c;
	}
	return n;
}

static void build(struct gen *g, const struct trace *tr)
{
	const struct trace_call *reads[CALLS_MAX];
	u32 i = 0, n = collect_reads(tr, reads);
	bool more = g->features;

	put_peer(g, tr);
	while (more && g->tr->stmt_n < ROOM / 4) {
		if (i < n && gen_one_in(g, 3))
			put_read(g, reads[i++]);
		more = gen_wire_step(g);
	}
	gen_wire_rest(g);
	gen_stmt_now(g, ST_FIN)->fin.send = true;
	while (i < n)
		put_read(g, reads[i++]);
	put_drains(g, tr);
}

static void build_both(const struct trace *tr, struct sim_choice *c,
		       struct segdiff *d)
{
	struct gen_opts o;
	struct gen g;

	gen_opts_default(&o);
	copy_head(tr, &d->whole);
	gen_init(&g, &o, c, tr, &d->whole);
	build(&g, tr);
	copy_head(tr, &d->cut);
	gen_init(&g, &o, c, tr, &d->cut);
	g.features = GEN_BIT(RAW) | GEN_BIT(CUTS);
	if (sim_choose(c, 2))
		g.features |= GEN_BIT(DISORDER);
	if (sim_choose(c, 3) == 1)
		g.features |= GEN_BIT(LAYOUT);
	if (sim_choose(c, 4) == 1)
		g.features &= ~GEN_BIT(RAW);
	build(&g, tr);
}

/* --- what came out ------------------------------------------------------ */

static void add_item(struct transcript *t, s64 rec, s64 n)
{
	struct item *last = t->n ? &t->item[t->n - 1] : NULL;

	if (last && last->rec == rec) {
		if (rec >= 0)
			last->n += n;
		if (rec >= 0 || last->n == n)
			return;
	}
	if (t->n < ITEMS_MAX)
		t->item[t->n++] = (struct item){ rec, n };
}

/* An error that says something about the stream. That a record did not open is
 * told a second time only if a read finds nothing there (E1 stale-bad-record). */
static bool error_counts(const struct trace_call *c, s64 ret, s64 reason)
{
	if (ret >= 0 || ret == -EAGAIN || c->kind > CALL_READ_SOCK ||
	    (ret == -EBADMSG && reason == REASON_TLS_ABORTED))
		return false;
	return reason != REASON_TLS_CONTROL_NO_ROOM &&
	       reason != REASON_TLS_SPLICE_CONTROL &&
	       reason != REASON_TLS_READ_SOCK_CONTROL;
}

/* The task was still in a call when its calls among the statements [@from, @to)
 * were due, and new keys are set then or later: with which keys the bytes that
 * come next are read is a matter of timing. */
static bool keys_late(const struct trace *tr, u32 from, u32 to)
{
	bool missed = false;
	u32 i;

	for (i = from; i < to; i++)
		missed = missed || tr->stmts[i].kind == ST_CALL;
	for (i = from; i < tr->stmt_n && missed; i++) {
		if (tr->stmts[i].kind == ST_CALL &&
		    tr->stmts[i].call->kind == CALL_SETSOCKOPT)
			return true;
	}
	return false;
}

static void read_log(const struct sim *s, struct transcript *t)
{
	const struct trace_call *c = NULL;
	const struct sim_event *e;
	s64 last_ret = 1;
	u32 i, next = 0;

	for (i = 0; i < s->event_n; i++) {
		e = &s->events[i];
		if (e->task)
			continue;
		if (e->kind == EV_CALL) {
			c = s->tr->stmts[e->b].call;
			if (keys_late(s->tr, next, (u32)e->b) ||
			    (c->kind == CALL_SETSOCKOPT && last_ret == -EAGAIN))
				return;
			next = (u32)e->b + 1;
		} else if (e->kind == EV_PUT_USER && e->c && c &&
			   !(c->kind <= CALL_RECVMMSG && c->flags & M_MSG_PEEK))
			add_item(t, e->a, e->c);
		if (e->kind != EV_RETURN || !c)
			continue;
		last_ret = e->b;
		if (error_counts(c, e->b, e->c))
			add_item(t, -1, e->b);
	}
	t->ended = last_ret <= 0 && last_ret != -EAGAIN &&
		   s->tasks[0].stmt == s->tr->stmt_n - 1;
}

/* --- comparing ---------------------------------------------------------- */

static void print_item(const struct transcript *t, u32 i, struct text *out)
{
	const struct item *it = &t->item[i];

	if (i >= t->n)
		text_puts(out, "nothing");
	else if (it->rec < 0)
		text_puts(out, errno_name((int)-it->n) ?: "an error");
	else
		text_printf(out, "%lld bytes of record %lld", (long long)it->n,
			    (long long)it->rec);
}

static void report(struct segdiff *d, const struct transcript *a,
		   const struct transcript *b, u32 i)
{
	bool err = (i < a->n && a->item[i].rec < 0) ||
		   (i < b->n && b->item[i].rec < 0);
	struct text t = { 0 };

	sig_set(&d->sig, SIG_INVARIANT, INV_F1,
		err ? "other-error" : "other-bytes");
	text_printf(&t, "item %u: all at once gave ", i);
	print_item(a, i, &t);
	text_puts(&t, ", in pieces ");
	print_item(b, i, &t);
	snprintf(d->text, sizeof(d->text), "%.*s", (int)t.len, t.buf);
	text_free(&t);
}

static void compare(struct segdiff *d, const struct transcript *a,
		    const struct transcript *b)
{
	u32 i, n = min_t(u32, a->n, b->n);

	for (i = 0; i < n; i++) {
		if (a->item[i].rec == b->item[i].rec &&
		    a->item[i].n == b->item[i].n)
			continue;
		/* the last item of a run that did not end may be a part */
		if ((i + 1 == a->n && !a->ended) ||
		    (i + 1 == b->n && !b->ended))
			return;
		report(d, a, b, i);
		return;
	}
	if (a->n != b->n && a->ended && b->ended)
		report(d, a, b, n);
}

/* Runs one of the two; false: something else is wrong with it. */
static bool run(struct sim *s, const struct trace *tr, const struct sim_opts *o,
		struct transcript *t, struct segdiff *d)
{
	struct sim_opts opts = replay_opts(o);

	opts.ignore_known = true;
	sim_run(s, tr, &opts, NULL);
	sig_of_run(s, &d->sig);
	if (d->sig.kind != SIG_NONE) {
		snprintf(d->text, sizeof(d->text), "%s",
			 s->verdict.kind == VERDICT_INPUT ? s->verdict.err.msg :
							    s->verdict.got);
		return false;
	}
	t->item =
		mem_pool_alloc_raw(d->whole.pool, ITEMS_MAX * sizeof(*t->item));
	t->n = 0;
	t->ended = false;
	read_log(s, t);
	return true;
}

static bool has_read_sock(const struct trace *tr)
{
	u32 i;

	for (i = 0; i < tr->stmt_n; i++) {
		if (tr->stmts[i].kind == ST_CALL &&
		    tr->stmts[i].call->kind == CALL_READ_SOCK)
			return true;
	}
	return false;
}

/* Kernels that lose bytes: which ones depends on how they were cut. */
static bool loses_by_cut(const struct m_kernel *k, const struct trace *tr)
{
	if (m_has(k, CHANGE_HEADER_OVER_OVERLAP) ||
	    (m_has(k, CHANGE_NOPAD_RETRY_ITER) && tr->opts.nopad))
		return true;
	return (m_has(k, CHANGE_NO_READ_SOCK_OP) ||
		m_has(k, CHANGE_NO_READ_SOCK_REQUEUE)) &&
	       has_read_sock(tr);
}

void segdiff_run(struct sim *s, const struct trace *tr,
		 const struct sim_opts *o, struct sim_choice *c,
		 struct mem_pool *pool, struct segdiff *out)
{
	struct transcript a, b;

	memset(out, 0, sizeof(*out));
	out->whole.pool = pool;
	out->cut.pool = pool;
	out->skipped = !can_compare(tr);
	if (out->skipped)
		return;
	build_both(tr, c, out);
	if (!run(s, &out->whole, o, &a, out))
		return;
	out->skipped = loses_by_cut(&s->k, &out->whole);
	if (out->skipped)
		return;
	out->cut_ran = true;
	if (!run(s, &out->cut, o, &b, out))
		return;
	inv_checked(s, INV_F1);
	compare(out, &a, &b);
}
