// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One simulated kernel and what surrounds it, from birth to teardown.
 * How: sim_run() builds the connection a trace asks for, performs the
 * statements, lets everybody finish, tears the world down and leaves the log.
 * The services the model asks for (struct m_ops) are here.
 * Left out: scheduling (sched.c), points (points.c), statements (stmt.c).
 */
#include "sim/world/world.h"

#include <stdarg.h>
#include <stdlib.h>

#include "sim/inv/inv.h"
#include "sim/inv/ledger.h"
#include "sim/world/profile.h"

/* First sequence number; any value will do, wrap-around is tested apart. */
#define WORLD_IRS 1000u

/* Whose assertion failed: set while sim_run() runs, for m_bug() only. */
static _Thread_local struct sim *running;

static void world_bug(struct sim *s)
{
	struct sim_task *t = sim_current(s);

	s->stopped = true;
	if (t && t->co) {
		t->state = TASK_DEAD;
		coro_suspend(t->co);
	}
	longjmp(s->bug_jmp, 1);
}

void sim_leave(struct sim *s)
{
	world_bug(s);
}

void sim_give_up(struct sim *s)
{
	s->verdict.kind = VERDICT_BUG;
	s->verdict.slug = "given-up";
	world_bug(s);
}

_Noreturn void m_bug(const char *file, int line, const char *fmt, ...)
{
	struct sim *s = running;
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (s) {
		s->verdict.kind = VERDICT_BUG;
		s->verdict.slug = "assertion";
		s->verdict.stmt = s->next_stmt;
		s->verdict.event = s->event_n;
		snprintf(s->verdict.got, sizeof(s->verdict.got), "%s:%d: %s",
			 file, line, text);
		snprintf(s->verdict.expected, sizeof(s->verdict.expected),
			 "no failed assertion");
		sim_snapshot(s);
		world_bug(s);
	}
	fprintf(stderr, "ktlsim: %s:%d: %s\n", file, line, text);
	abort();
}

/* --- m_ops ------------------------------------------------------------- */

static bool fault_hits(struct sim *s, enum m_site site)
{
	u32 i, n = ++s->site_count[site];

	for (i = 0; i < s->fault_n; i++) {
		if (s->faults[i].site == site &&
		    (s->faults[i].forever || s->faults[i].nth == n))
			return true;
	}
	return false;
}

static void *world_alloc(struct m_kernel *k, enum m_site site, size_t size)
{
	struct sim *s = sim_of(k);

	s->counters[CNT_ALLOCS]++;
	if (unlikely(s->fault_n) && fault_hits(s, site) && !s->teardown) {
		sim_event(s, EV_ALLOC_FAIL, site, s->site_count[site], 0);
		return NULL;
	}
	return arena_alloc(s->arena, size);
}

static void world_free(struct m_kernel *k, void *ptr, size_t size)
{
	arena_release(sim_of(k)->arena, ptr, size);
}

static s64 world_schedule(struct m_kernel *k, s64 timeout_ns,
			  bool interruptible)
{
	return sched_sleep(sim_of(k), timeout_ns, interruptible);
}

static void world_wake(struct m_kernel *k, struct m_task *task)
{
	sched_wake(sim_of(k), sim_task_of(task));
}

static bool world_signal_pending(struct m_kernel *k)
{
	struct sim_task *t = sim_current(sim_of(k));

	return t && t->signalled;
}

static void world_sigpipe(struct m_kernel *k)
{
	struct sim *s = sim_of(k);

	s->counters[CNT_SIGPIPES]++;
	if (k->current)
		k->current->sigpipe = true;
}

static void world_point(struct m_kernel *k, enum m_point point)
{
	point_reached(sim_of(k), point);
}

static void world_queue_work(struct m_kernel *k, struct m_work *work)
{
	sched_queue_work(sim_of(k), work);
}

static void world_cancel_work(struct m_kernel *k, struct m_work *work)
{
	sched_cancel_work(sim_of(k), work);
}

static void world_xmit(struct sock *sk, u32 flags, u32 ack, u32 win)
{
	struct sim_conn *c = sk->user_data;
	u64 *counters = c->s->counters;
	u64 off = (u32)(ack - c->irs);

	counters[CNT_ACKS]++;
	counters[CNT_FINS] += !!(flags & TCPHDR_FIN);
	counters[CNT_RSTS] += !!(flags & TCPHDR_RST);
	if (!(flags & TCPHDR_RST))
		counters[CNT_ACKED] = max_t(u64, counters[CNT_ACKED], off);
	sender_ack(&c->peer, flags, off, win);
}

static void world_event(struct m_kernel *k, enum m_event_kind kind, s64 a,
			s64 b, s64 c)
{
	sim_event(sim_of(k), kind, a, b, c);
}

static const struct m_ops world_ops = {
	.alloc = world_alloc,
	.free = world_free,
	.schedule = world_schedule,
	.wake = world_wake,
	.signal_pending = world_signal_pending,
	.sigpipe = world_sigpipe,
	.point = world_point,
	.queue_work = world_queue_work,
	.cancel_work = world_cancel_work,
	.xmit = world_xmit,
	.event = world_event,
};

/* --- life of a world --------------------------------------------------- */

struct sim *sim_new(void)
{
	struct sim *s = calloc(1, sizeof(*s));

	if (!s)
		abort();
	s->arena = arena_new();
	s->pool = mem_pool_new();
	s->coros = coro_pool_new();
	s->k.aead_pool = crypto_pool_new();
	s->inv = inv_new();
	events_new(s);
	s->ledger = ledger_new();
	return s;
}

void sim_free(struct sim *s)
{
	if (!s)
		return;
	ledger_free(s->ledger);
	inv_free(s->inv);
	crypto_pool_free(s->k.aead_pool);
	free(s->events);
	coro_pool_free(s->coros);
	mem_pool_free(s->pool);
	arena_free(s->arena);
	free(s);
}

static void task_init(struct sim *s, u32 id, const char *name)
{
	struct sim_task *t = &s->tasks[id];

	t->t.name = name;
	t->t.id = id;
	t->s = s;
	t->state = TASK_IDLE;
	t->sleep_deadline = -1;
	INIT_LIST_HEAD(&t->run_link);
}

static void make_tasks(struct sim *s)
{
	u32 i, n = s->tr->task_n;

	s->task_n = n;
	s->tasks = mem_pool_alloc(s->pool, (n + 2) * sizeof(*s->tasks));
	for (i = 0; i < n; i++)
		task_init(s, i, s->tr->tasks[i]);
	task_init(s, n, "kworker");
	task_init(s, n + 1, "reaper");
	s->kworker = &s->tasks[n];
	s->reaper = &s->tasks[n + 1];
	INIT_LIST_HEAD(&s->runq);
	INIT_LIST_HEAD(&s->works);
}

static void reset_kernel(struct sim *s)
{
	struct crypto_pool *pool = s->k.aead_pool;

	memset(&s->k, 0, sizeof(s->k));
	s->k.ops = &world_ops;
	s->k.aead_pool = pool;
	s->k.changes = s->opts.changes;
}

static void reset_counts(struct sim *s)
{
	memset(s->counters, 0, sizeof(s->counters));
	memset(s->point_count, 0, sizeof(s->point_count));
	memset(s->reason_hits, 0, sizeof(s->reason_hits));
	memset(s->site_count, 0, sizeof(s->site_count));
	s->now_ns = 0;
	s->dirty = true;
	s->point_skip = 0;
	s->next_stmt = 0;
	s->timed_sleepers = 0;
	s->running_work = NULL;
	s->work_waiter = NULL;
	s->fault_n = 0;
	s->at_n = 0;
	s->recorded_n = 0;
	s->point_depth = 0;
	s->event_n = 0;
	s->stopped = false;
	s->finishing = false;
	s->teardown = false;
	s->verdict.kind = VERDICT_OK;
	s->verdict.slug = "";
	s->verdict.expected[0] = '\0';
	s->verdict.got[0] = '\0';
}

/* An upper bound of the bytes any call can be given: all records with headers
 * and tags, what libssl adds to them, and all that calls write into pipes. */
static void bound_bytes(struct sim *s)
{
	const struct trace_stmt *st;
	const struct trace_rec *rec;
	u64 max = 64;
	u32 i;

	for (i = 0; i < s->tr->rec_n; i++) {
		rec = &s->tr->recs[i];
		max += (u64)rec->len + rec->pad;
		max += rec->kind == REC_OPENSSL ? 512 : 64;
	}
	for (i = 0; i < s->tr->stmt_n; i++) {
		st = &s->tr->stmts[i];
		if (st->kind == ST_CALL && st->call->kind == CALL_PWRITE)
			max += (u64)st->call->val;
	}
	s->bytes_max = max;
}

static void collect_at_lines(struct sim *s)
{
	const struct trace_stmt *st;
	struct at_line *at;
	u32 i;

	for (i = 0; i < s->tr->stmt_n; i++) {
		st = &s->tr->stmts[i];
		if (st->kind != ST_AT)
			continue;
		at = pool_push(s->pool, s->ats, s->at_n);
		at->point = st->at.point;
		at->nth = st->at.nth;
		at->what = st->at.what;
		at->task = st->task;
	}
}

static void world_reset(struct sim *s, const struct trace *tr,
			const struct sim_opts *opts,
			const struct sim_choice *choice)
{
	mem_pool_reset(s->pool);
	arena_reset(s->arena);
	s->tr = tr;
	s->opts = *opts;
	if (choice)
		s->choice = *choice;
	else
		choice_default(&s->choice);
	reset_kernel(s);
	reset_counts(s);
	s->stmt_done = mem_pool_alloc(s->pool, tr->stmt_n + 1);
	s->pipe_n = tr->pipe_n;
	s->pipes =
		mem_pool_alloc(s->pool, (tr->pipe_n + 1) * sizeof(*s->pipes));
	s->pipe_closed = mem_pool_alloc(s->pool, tr->pipe_n + 1);
	make_tasks(s);
	collect_at_lines(s);
	bound_bytes(s);
}

static void conn_init(struct sim *s)
{
	const struct trace_opts *o = &s->tr->opts;
	struct tcp_opts to = {
		.rcvbuf = o->rcvbuf,
		.mss = o->mss,
		.irs = WORLD_IRS,
		.state = TCP_ESTABLISHED,
	};
	struct sim_conn *c = &s->conn;

	memset(c, 0, sizeof(*c));
	c->s = s;
	c->irs = WORLD_IRS;
	c->sk = tcp_sock_new(&s->k, &to);
	c->sk->user_data = c;
	peer_init(&c->peer, c, s->tr);
}

/* The options of the `set` lines that are system calls before the trace. */
static void start_option(struct sim *s, s32 level, s32 opt, s64 val)
{
	struct trace_call *call = mem_pool_alloc(s->pool, sizeof(*call));

	call->kind = CALL_SETSOCKOPT;
	call->level = level;
	call->opt = opt;
	call->val = val;
	call->opt_len = -1;
	call->key_seq = s->tr->opts.seq;
	call->key_seq_set = true;
	sched_start_call(s, s->reaper, call, UINT32_MAX);
	sched_settle(s);
}

static void start_options(struct sim *s)
{
	const struct trace_opts *o = &s->tr->opts;
	struct sock *sk = s->conn.sk;

	sk->sk_nonblock = o->nonblock;
	if (o->rcvlowat)
		start_option(s, SOL_SOCKET_M, SO_RCVLOWAT_M, o->rcvlowat);
	if (o->rcvtimeo_ns)
		start_option(s, SOL_SOCKET_M, SO_RCVTIMEO_M, o->rcvtimeo_ns);
	if (o->ulp)
		start_option(s, SOL_TCP_M, TCP_ULP_M, 0);
	if (o->ulp && o->rx)
		start_option(s, SOL_TLS_M, TLS_RX, 0);
	if (o->ulp && o->rx && o->nopad)
		start_option(s, SOL_TLS_M, TLS_RX_EXPECT_NO_PAD, 1);
	/* points count from here on, where the trace begins */
	s->k.points_armed = s->at_n || s->opts.random_schedule ||
			    (s->opts.watch && s->opts.watch->choose);
}

/* --- running ----------------------------------------------------------- */

/* After a statement everything that can run has run: was the result right? */
static void check_call(struct sim *s, u32 stmt)
{
	const struct trace_stmt *st = &s->tr->stmts[stmt];
	const struct sim_task *t = &s->tasks[st->task];

	if (st->result.what)
		expect_call(s, stmt, t->call, &st->result, t);
}

/* Statements that other events can get in front of. */
static bool is_event(enum stmt_kind kind)
{
	return kind == ST_CALL || kind == ST_WIRE || kind == ST_SEND ||
	       kind == ST_FIN || kind == ST_RST || kind == ST_SIGNAL ||
	       kind == ST_FAIL;
}

static void run_statement(struct sim *s, u32 i)
{
	const struct trace_stmt *st = &s->tr->stmts[i];
	const struct sim_watch *w = s->opts.watch;

	if (unlikely(w) && w->stmt)
		w->stmt(w->arg, s);
	if (st->dt_ns)
		sched_advance(s, s->now_ns + st->dt_ns);
	if (s->stopped)
		return;
	if (unlikely(s->k.points_armed) && !s->stmt_done[i] &&
	    is_event(st->kind))
		point_reached(s, POINT_STMT);
	if (!s->stmt_done[i] && !s->stopped)
		stmt_perform(s, i);
	if (!s->stopped)
		sched_settle(s);
	if (!s->stopped && (st->kind == ST_CALL || st->kind == ST_RETURNS))
		check_call(s, i);
}

static void run_statements(struct sim *s)
{
	while (s->next_stmt < s->tr->stmt_n && !s->stopped) {
		run_statement(s, s->next_stmt);
		s->next_stmt++;
	}
}

static void build_world(struct sim *s)
{
	conn_init(s);
	ledger_start(s);
	inv_start(s);
	start_options(s);
}

static void run_world(struct sim *s)
{
	const struct sim_watch *w = s->opts.watch;

	build_world(s);
	if (!s->stopped)
		run_statements(s);
	if (unlikely(w) && w->end && s->verdict.kind != VERDICT_BUG)
		w->end(w->arg, s);
	if (!s->stopped && s->tr->opts.finish)
		finish_world(s);
	teardown_world(s);
}

void sim_open(struct sim *s, const struct trace *tr,
	      const struct sim_opts *opts)
{
	world_reset(s, tr, opts, NULL);
	build_world(s);
}

void sim_close(struct sim *s)
{
	teardown_world(s);
}

const struct sim_verdict *sim_run(struct sim *s, const struct trace *tr,
				  const struct sim_opts *opts,
				  const struct sim_choice *choice)
{
	struct sim *outer = running;

	world_reset(s, tr, opts, choice);
	running = s;
	if (!setjmp(s->bug_jmp))
		run_world(s);
	else
		abandon_world(s);
	running = outer;
	return &s->verdict;
}

void sim_fail_expect(struct sim *s, u32 stmt, const char *expected,
		     const char *got)
{
	struct sim_verdict *v = &s->verdict;

	if (v->kind != VERDICT_OK || s->opts.go_on)
		return;
	v->kind = VERDICT_EXPECT;
	v->stmt = stmt;
	v->event = s->event_n;
	snprintf(v->expected, sizeof(v->expected), "%s", expected);
	snprintf(v->got, sizeof(v->got), "%s", got);
	sim_snapshot(s);
	s->stopped = true;
}

void sim_fail_input(struct sim *s, u32 stmt, const struct sim_err *err)
{
	struct sim_verdict *v = &s->verdict;

	if (v->kind != VERDICT_OK)
		return;
	v->kind = VERDICT_INPUT;
	v->stmt = stmt;
	v->event = s->event_n;
	v->err = *err;
	v->err.file = s->tr->file;
	v->err.line = stmt < s->tr->stmt_n ? s->tr->stmts[stmt].line : 0;
	if (!v->err.col)
		v->err.col = 1;
	s->stopped = true;
}
