// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random traces: calls, and what happens to the tasks that make them.
 * How: a menu of call kinds, by the features the trace has, is drawn from
 * again and again. Some steps are idioms that would hardly come by chance:
 * new keys after a KeyUpdate, a peek in front of another consumer, a poll in
 * front of a read that must not wait, edges around a splice, a signal for a
 * splice that waits for its pipe.
 * Left out: TLS transmit.
 */
#include "sim/gen/gen_int.h"

static const char *const task_names[GEN_TASKS_ROOM] = {
	"r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8",
};
static const char *const pipe_names[2] = { "p", "q" };

static void menu_add(struct gen *g, enum call_kind kind, u32 n)
{
	while (n--)
		g->menu[g->menu_n++] = (u8)kind;
}

static void make_menu(struct gen *g)
{
	g->menu_n = 0;
	menu_add(g, CALL_RECVMSG, 8);
	menu_add(g, CALL_RECV, 2);
	menu_add(g, CALL_READ, 1);
	if (gen_has(g, GEN_IOVS))
		menu_add(g, CALL_READV, 2);
	if (gen_has(g, GEN_SPLICE)) {
		menu_add(g, CALL_SPLICE, 6);
		menu_add(g, CALL_PREAD, 3);
		menu_add(g, CALL_PWRITE + gen_choose(g, 5), 1);
	}
	if (gen_has(g, GEN_READ_SOCK))
		menu_add(g, CALL_READ_SOCK, 5);
	if (gen_has(g, GEN_POLL)) {
		menu_add(g, CALL_POLL, 3);
		menu_add(g, CALL_EPOLL, 3);
		menu_add(g, CALL_FIONREAD, 1);
	}
	if (gen_has(g, GEN_RECVMMSG))
		menu_add(g, CALL_RECVMMSG, 3);
	if (gen_has(g, GEN_LATE_KEYS))
		menu_add(g, CALL_SETSOCKOPT, 1);
	if (gen_has(g, GEN_OPTIONS)) {
		menu_add(g, CALL_SETSOCKOPT, 2);
		menu_add(g, CALL_GETSOCKOPT, 1);
		menu_add(g, CALL_NONBLOCK, 1);
	}
	if (gen_has(g, GEN_END_CALLS)) {
		menu_add(g, CALL_SHUTDOWN, 1);
		menu_add(g, gen_one_in(g, 2) ? CALL_DISCONNECT : CALL_CLOSE, 1);
	}
}

static void make_pipes(struct gen *g)
{
	static const u8 slots[8] = { 4, 1, 1, 2, 2, 3, 8, 16 };
	struct trace *tr = g->tr;
	u32 i, n = 1 + gen_one_in(g, 3);
	struct trace_pipe *p;

	p = mem_pool_alloc(tr->pool, GEN_PIPES_ROOM * sizeof(*tr->pipes));
	tr->pipes = p;
	tr->pipe_n = n;
	for (i = 0; i < n; i++) {
		p[i].name = pipe_names[i];
		p[i].size = (u32)PAGE_SIZE * slots[gen_choose(g, 8)];
		p[i].nonblock = gen_one_in(g, 4);
		if (!gen_one_in(g, 8))
			g->drained |= 1u << i;
		gen_stmt_now(g, ST_PIPE)->pipe.pipe = i;
	}
}

void gen_calls_start(struct gen *g)
{
	g->drained = 0;
	g->closed = 0;
	g->tasks = gen_has(g, GEN_TASKS) ? 2 + gen_choose(g, 2) : 1;
	memset(g->task_of, 0, sizeof(g->task_of));
	make_menu(g);
	if (gen_has(g, GEN_SPLICE))
		make_pipes(g);
}

/* Tasks are numbered as they come up in the text. */
static u32 draw_task(struct gen *g)
{
	u8 *number = &g->task_of[gen_choose(g, g->tasks)];

	if (!*number) {
		g->tr->tasks[g->tr->task_n] = task_names[g->tr->task_n];
		*number = (u8)++g->tr->task_n;
	}
	return *number - 1u;
}

static struct trace_call *new_call(struct gen *g, enum call_kind kind, u32 task)
{
	struct trace_stmt *st = gen_stmt(g, ST_CALL);

	st->task = task;
	st->call = mem_pool_alloc(g->tr->pool, sizeof(*st->call));
	st->call->kind = kind;
	return st->call;
}

static u32 draw_size(struct gen *g)
{
	const struct trace *tr = g->tr;
	u32 len;

	switch (gen_choose(g, 8)) {
	case 1:
		return 1 + gen_choose(g, 16);
	case 2:
	case 3:
		return 1 + gen_choose(g, 600);
	case 4:
	case 5:
		len = tr->rec_n ? tr->recs[gen_choose(g, tr->rec_n)].len : 64;
		len += gen_one_in(g, 4);
		return len - (len && gen_one_in(g, 4));
	case 6:
		return gen_one_in(g, 6) ? 0 : 1000;
	case 7:
		return gen_one_in(g, 4) ? 20000 : 1500;
	default:
		return 2048;
	}
}

/* Cuts the first buffer into several; some are empty, some inaccessible. */
static void cut_buffers(struct gen *g, struct trace_call *c)
{
	u32 i, rest = c->iov[0].len;

	c->iov_n = 2 + gen_choose(g, 3);
	for (i = 0; i + 1 < c->iov_n; i++) {
		c->iov[i].len = rest > 1 ? gen_choose(g, rest) : 0;
		rest -= c->iov[i].len;
	}
	c->iov[i].len = rest;
}

static void draw_buffers(struct gen *g, struct trace_call *c, bool several)
{
	u32 bad;

	c->iov_n = 1;
	c->iov[0].len = draw_size(g);
	if (several && gen_has(g, GEN_IOVS) && gen_choose(g, 2))
		cut_buffers(g, c);
	if (!gen_may(g, GEN_BAD_IOV, 4))
		return;
	bad = gen_choose(g, c->iov_n);
	c->iov[bad].bad = true;
}

static void draw_flags(struct gen *g, struct trace_call *c)
{
	static const u32 odd[4] = { M_MSG_TRUNC, M_MSG_OOB, M_MSG_CMSG_CLOEXEC,
				    M_MSG_ERRQUEUE };

	if (gen_may(g, GEN_PEEK, 3))
		c->flags |= M_MSG_PEEK;
	if (gen_may(g, GEN_WAITALL, 3))
		c->flags |= M_MSG_WAITALL;
	if (gen_may(g, GEN_DONTWAIT, 2))
		c->flags |= M_MSG_DONTWAIT;
	if (gen_may(g, GEN_ODD_FLAGS, 4))
		c->flags |= odd[gen_choose(g, 4)];
}

static void draw_ctl(struct gen *g, struct trace_call *c)
{
	static const u16 ctl[8] = { 0, 0, 16, 17, 20, 24, 1, 4096 };

	c->ctl = 64;
	if (gen_may(g, GEN_NO_CTL, 3))
		c->ctl = ctl[gen_choose(g, 8)];
}

static void draw_recvmmsg(struct gen *g, struct trace_call *c)
{
	c->count = gen_choose(g, 5);
	draw_buffers(g, c, true);
	draw_flags(g, c);
	draw_ctl(g, c);
	if (gen_one_in(g, 3))
		c->flags |= M_MSG_WAITFORONE;
}

static void draw_splice(struct gen *g, struct trace_call *c)
{
	static const u32 lens[4] = { 65536, 16384, 4096, 1u << 20 };

	c->pipe = gen_choose(g, g->tr->pipe_n);
	c->iov_n = 1;
	c->iov[0].len = gen_choose(g, 2) ? draw_size(g) :
					   lens[gen_choose(g, 4)];
	if (gen_may(g, GEN_DONTWAIT, 2))
		c->flags |= M_SPLICE_F_NONBLOCK;
	if (gen_may(g, GEN_ODD_FLAGS, 4))
		c->flags |= gen_one_in(g, 2) ? M_SPLICE_F_MORE :
					       M_SPLICE_F_MOVE;
}

static void draw_read_sock(struct gen *g, struct trace_call *c)
{
	static const s32 odd_takes[4] = { 0, -EAGAIN, 0, -ENOMEM };
	u32 i;

	c->count = gen_choose(g, 4) ? draw_size(g) : 1u << 20;
	if (gen_choose(g, 2) == 0)
		return;
	c->take_n = 1 + gen_choose(g, 3);
	for (i = 0; i < c->take_n; i++)
		c->take[i] = gen_one_in(g, 4) ? odd_takes[gen_choose(g, 4)] :
						1 + (s32)gen_choose(g, 300);
}

static void draw_timeout(struct gen *g, struct trace_call *c)
{
	static const s64 times_ns[8] = {
		0, 0, 0, NSEC_PER_MSEC, 50 * NSEC_PER_MSEC, -1, -1, 0
	};

	c->timeout_ns = times_ns[gen_choose(g, 8)];
}

/* Pipe calls. A pipe whose read end may be closed is never read from. */
static void draw_pipe_call(struct gen *g, struct trace_call *c)
{
	static const u8 slots[4] = { 1, 2, 4, 16 };

	c->pipe = gen_choose(g, g->tr->pipe_n);
	if (c->kind == CALL_PCLOSE && g->drained >> c->pipe & 1)
		c->kind = CALL_PREAD;
	if (c->kind != CALL_PWRITE && c->kind != CALL_PRESIZE &&
	    !(g->drained >> c->pipe & 1))
		c->kind = g->closed >> c->pipe & 1 ? CALL_PWRITE : CALL_PCLOSE;
	if (c->kind == CALL_PCLOSE)
		g->closed |= 1u << c->pipe;
	if (c->kind == CALL_PREAD)
		c->val = draw_size(g);
	else if (c->kind == CALL_PWRITE)
		c->val = gen_one_in(g, 8) ? 0 : 1 + gen_choose(g, 5000);
	else if (c->kind == CALL_PRESIZE)
		c->val = gen_one_in(g, 12) ?
				 3ll << 30 :
				 (s64)PAGE_SIZE * slots[gen_choose(g, 4)];
}

static void draw_call(struct gen *g, struct trace_call *c)
{
	switch (c->kind) {
	case CALL_RECVMSG:
		draw_buffers(g, c, true);
		draw_flags(g, c);
		draw_ctl(g, c);
		break;
	case CALL_RECV:
		draw_buffers(g, c, false);
		draw_flags(g, c);
		break;
	case CALL_READ:
		draw_buffers(g, c, false);
		break;
	case CALL_READV:
		draw_buffers(g, c, true);
		break;
	case CALL_RECVMMSG:
		draw_recvmmsg(g, c);
		break;
	case CALL_SPLICE:
		draw_splice(g, c);
		break;
	case CALL_READ_SOCK:
		draw_read_sock(g, c);
		break;
	case CALL_POLL:
		draw_timeout(g, c);
		if (gen_one_in(g, 4))
			c->flags = M_POLLIN;
		break;
	case CALL_EPOLL:
		c->edge = gen_choose(g, 2);
		draw_timeout(g, c);
		break;
	case CALL_SETSOCKOPT:
		gen_setsockopt(g, c);
		break;
	case CALL_GETSOCKOPT:
		gen_getsockopt(g, c);
		break;
	case CALL_NONBLOCK:
		c->val = gen_choose(g, 2);
		break;
	case CALL_SHUTDOWN:
		c->val = gen_choose(g, 3);
		break;
	case CALL_PREAD:
	case CALL_PWRITE:
	case CALL_PIONREAD:
	case CALL_PPOLL:
	case CALL_PRESIZE:
	case CALL_PCLOSE:
		draw_pipe_call(g, c);
		break;
	case CALL_FIONREAD:
	case CALL_CLOSE:
	case CALL_DISCONNECT:
	case CALL_COUNT:
		break;
	}
}

/* recvmsg(4096) with room for a type. */
static struct trace_call *plain_recvmsg(struct gen *g, u32 task)
{
	struct trace_call *c = new_call(g, CALL_RECVMSG, task);

	c->iov_n = 1;
	c->iov[0].len = 4096;
	c->ctl = 64;
	return c;
}

/* A program that takes what is in front of the KeyUpdate, it, and acts. */
static void rekey(struct gen *g)
{
	u32 task = draw_task(g), reads = gen_choose(g, 4);

	while (reads--)
		plain_recvmsg(g, task);
	g->keyupdates--;
	gen_set_keys(g, new_call(g, CALL_SETSOCKOPT, task), ++g->rx_gen);
}

static void late_keys(struct gen *g)
{
	u32 task = draw_task(g);

	if (g->ulp_due) {
		g->ulp_due = false;
		gen_set_option(new_call(g, CALL_SETSOCKOPT, task), SOL_TCP_M,
			       TCP_ULP_M, 0);
		if (gen_one_in(g, 2))
			return;
	}
	if (gen_one_in(g, 3)) {
		gen_wrong_keys(g, new_call(g, CALL_SETSOCKOPT, task));
		return;
	}
	g->keys_due = false;
	gen_set_keys(g, new_call(g, CALL_SETSOCKOPT, task), 0);
}

static void signal_task(struct gen *g)
{
	struct trace_stmt *st = gen_stmt(g, ST_SIGNAL);

	st->task = gen_choose(g, g->tr->task_n);
	st->signal.restart = gen_one_in(g, 3);
}

static void fail_alloc(struct gen *g)
{
	static const u8 sites[] = {
		SITE_DECRYPT_SKB,    SITE_DECRYPT_PAGE, SITE_DECRYPT_REQ,
		SITE_STRP_COPY_PAGE, SITE_COLLAPSE,	SITE_SPLICE_COPY,
		SITE_DECRYPT_PAGE,   SITE_DECRYPT_SKB,	SITE_TLS_CTX,
		SITE_TLS_RX_CTX,     SITE_STRP_ANCHOR,	SITE_AEAD,
		SITE_PIPE_RESIZE,    SITE_PIPE_PAGE,
	};
	struct trace_stmt *st = gen_stmt(g, ST_FAIL);
	/* the sites of attaching keys are met only when they come late */
	u32 n = gen_has(g, GEN_LATE_KEYS) || gen_one_in(g, 4) ?
			ARRAY_SIZE(sites) :
			8;

	st->fail.site = (enum m_site)sites[gen_choose(g, n)];
	st->fail.nth = 1 + gen_choose(g, 4);
	/* the parser's worker tries again until it gets its page */
	if (st->fail.site != SITE_STRP_COPY_PAGE && gen_one_in(g, 8))
		st->fail.nth = 0;
}

/* A peek, then another consumer; or a poll, then a read that must not wait. */
static void look_then_take(struct gen *g, u32 task)
{
	struct trace_call *c;

	if (gen_may(g, GEN_POLL, 2)) {
		new_call(g, CALL_POLL, task);
		plain_recvmsg(g, task)->flags = M_MSG_DONTWAIT;
		return;
	}
	c = plain_recvmsg(g, task);
	if (gen_has(g, GEN_PEEK))
		c->flags = M_MSG_PEEK;
	c->iov[0].len = draw_size(g);
	if (gen_has(g, GEN_DONTWAIT))
		c->flags |= M_MSG_DONTWAIT;
}

/* splice in @pipe of all there is, by a task that would wait. */
static void splice_all(struct gen *g, u32 task, u32 pipe)
{
	struct trace_call *c = new_call(g, CALL_SPLICE, task);

	c->pipe = pipe;
	c->iov_n = 1;
	c->iov[0].len = 65536;
}

/* An event loop that waits for an edge, splices, and waits for the next. */
static void splice_loop(struct gen *g, u32 task)
{
	new_call(g, CALL_EPOLL, task)->edge = true;
	splice_all(g, task, gen_choose(g, g->tr->pipe_n));
	new_call(g, CALL_EPOLL, task)->edge = true;
	draw_timeout(g, g->tr->stmts[g->tr->stmt_n - 1].call);
}

/* Two on one pipe; the second waits for its mutex, and a signal comes. */
static void splice_contended(struct gen *g, u32 task)
{
	u32 pipe = gen_choose(g, g->tr->pipe_n);
	struct trace_call *c = new_call(g, CALL_SPLICE, task);

	c->pipe = pipe;
	c->iov_n = 1;
	c->iov[0].len = draw_size(g);
	splice_all(g, draw_task(g), pipe);
	if (gen_has(g, GEN_SIGNAL))
		signal_task(g);
}

static void splice_idiom(struct gen *g, u32 task)
{
	if (gen_may(g, GEN_POLL, 2))
		splice_loop(g, task);
	else if (g->tasks > 1)
		splice_contended(g, task);
}

void gen_call_step(struct gen *g)
{
	u32 task, kind;

	g->calls--;
	if (g->keys_due && gen_one_in(g, 3)) {
		late_keys(g);
		return;
	}
	if (g->keyupdates && gen_one_in(g, 3)) {
		rekey(g);
		return;
	}
	if (g->tr->task_n && gen_may(g, GEN_SIGNAL, 4))
		signal_task(g);
	if (gen_may(g, GEN_NO_MEMORY, 4))
		fail_alloc(g);
	task = draw_task(g);
	if (gen_one_in(g, 16))
		look_then_take(g, task);
	if (gen_may(g, GEN_SPLICE, 8))
		splice_idiom(g, task);
	kind = g->menu[gen_choose(g, g->menu_n)];
	draw_call(g, new_call(g, kind, task));
}

void gen_calls_end(struct gen *g)
{
	u32 task, kind, n = gen_choose(g, 3);

	while (n--) {
		task = draw_task(g);
		kind = g->menu[gen_choose(g, 8)];
		draw_call(g, new_call(g, kind, task));
	}
}
