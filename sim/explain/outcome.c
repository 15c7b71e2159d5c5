// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What every call of a trace came to.
 * How: the run is watched; a result becomes the words a trace would state it
 * with, and a hash of the bytes. Which bytes of which record were handed out is
 * read from the log and named only if the caller's memory really holds them.
 * Left out: counters, and what the peer sees; diff.c looks at the log for that.
 */
#include "sim/explain/outcome.h"

#include "sim/inv/ledger.h"

#define PIECES_MAX 64u
#define FNV_INIT 0xcbf29ce484222325ull
#define FNV_PRIME 0x100000001b3ull

/**
 * struct pieces - ranges of records a call was given, in order
 * @d: in the form of an expectation
 * @n: how many; more than PIECES_MAX are not named
 * @at: piece that is used next
 */
struct pieces {
	struct trace_data d[PIECES_MAX];
	u32 n;
	u32 at;
};

static u64 hash_bytes(u64 h, const u8 *p, u32 n)
{
	while (n--)
		h = (h ^ *p++) * FNV_PRIME;
	return h;
}

/* The task's last EV_CALL. */
static u32 call_start(const struct sim *s, u32 task)
{
	u32 i = s->event_n;

	while (i-- > 0) {
		if (s->events[i].kind == EV_CALL && s->events[i].task == task)
			return i;
	}
	return s->event_n;
}

static void add_piece(struct pieces *p, u32 rec, u32 from, u32 len)
{
	struct trace_range *last = p->n ? &p->d[p->n - 1].range : NULL;

	if (last && last->rec == rec && last->to == from) {
		last->to += len;
		return;
	}
	if (p->n < PIECES_MAX)
		p->d[p->n].range =
			(struct trace_range){ rec, 1, from, from + len };
	p->n++;
}

static void collect(const struct sim *s, u32 task, struct pieces *p)
{
	const struct ledger *l = s->ledger;
	const struct sim_event *e;
	const struct peer_rec *r;
	u32 i;

	memset(p, 0, sizeof(*p));
	for (i = call_start(s, task); i < s->event_n; i++) {
		e = &s->events[i];
		if (e->kind != EV_PUT_USER || e->task != task || !e->c)
			continue;
		r = ledger_rec(l, (u64)e->a);
		if (!r || p->n >= PIECES_MAX) {
			p->n = 0;
			return;
		}
		add_piece(p, (u32)(r - l->peer->recs), (u32)e->b, (u32)e->c);
	}
}

static bool held(const struct sim *s, const struct trace_range *r, const u8 *at,
		 u32 len)
{
	const struct peer_rec *rec = &s->conn.peer.recs[r->rec];

	if (!rec->built || r->from + len > rec->plain_len)
		return false;
	return !at ||
	       peer_plain_matches(&s->conn.peer, r->rec, r->from, len, at);
}

/* As much of the pieces as @len bytes at @at are; @out and how many. False:
 * other bytes are there. @at NULL: nobody can look (pipes, actors). */
static bool name_bytes(const struct sim *s, struct pieces *p, const u8 *at,
		       u32 len, struct trace_data *out, u32 *n)
{
	struct trace_range *r;
	u32 part;

	for (*n = 0; len && p->at < p->n; len -= part) {
		r = &p->d[p->at].range;
		part = min_t(u32, r->to - r->from, len);
		if (!held(s, r, at, part))
			return false;
		out[*n] = (struct trace_data){ .kind = DATA_RANGE };
		out[*n].range = (struct trace_range){ r->rec, 1, r->from,
						      r->from + part };
		if (!r->from && part == s->conn.peer.recs[r->rec].plain_len)
			out[*n].range.to = RANGE_END;
		++*n;
		r->from += part;
		p->at += r->from == r->to;
		at = at ? at + part : NULL;
	}
	return !len;
}

static bool is_poll(enum call_kind k)
{
	return k == CALL_POLL || k == CALL_EPOLL || k == CALL_PPOLL;
}

/* A result in the form of an expectation; data through @data. */
static void as_result(struct sim *s, const struct trace_call *c,
		      const struct call_result *res, struct pieces *p,
		      struct trace_data *data, struct trace_result *out)
{
	u32 n = 0;

	memset(out, 0, sizeof(*out));
	out->ret = res->ret;
	out->mask = res->mask;
	out->what = is_poll(c->kind) && res->ret >= 0 ? EXP_MASK : EXP_RET;
	if (res->cmsg_count) {
		out->what |= EXP_TYPE;
		out->type = res->cmsg_type;
	}
	if (call_is_recv(c->kind) && res->msg_flags) {
		out->what |= EXP_FLAGS;
		out->flags = res->msg_flags;
	}
	if (res->past) {
		out->what |= EXP_PAST;
		out->past = res->past;
	}
	if (c->kind == CALL_GETSOCKOPT && !res->ret && res->opt &&
	    res->opt_len > 0) {
		out->what |= EXP_HEX;
		out->hex = res->opt;
		out->hex_n = (u32)res->opt_len;
	}
	if (res->ret > 0 && call_takes_data(c->kind) &&
	    c->kind != CALL_RECVMMSG &&
	    name_bytes(s, p, call_is_recv(c->kind) ? res->buf : NULL,
		       (u32)res->ret, data, &n) &&
	    n) {
		out->what |= EXP_DATA;
		out->data = data;
		out->data_n = n;
	}
}

static void print_messages(struct sim *s, const struct sim_task *t,
			   struct pieces *p, struct text *out)
{
	struct trace_call one = *t->call;
	struct trace_data data[PIECES_MAX];
	struct trace_result r;
	u32 i;

	one.kind = CALL_RECVMSG;
	for (i = 0; i < t->res.part_n; i++) {
		as_result(s, &one, &t->res.part[i], p, data, &r);
		text_puts(out, " { ");
		trace_print_result(s->tr, &one, &r, out);
		text_puts(out, " }");
	}
}

void result_print(struct sim *s, const struct sim_task *t, struct text *out)
{
	struct trace_data data[PIECES_MAX];
	struct trace_result r;
	struct pieces p;

	collect(s, t->t.id, &p);
	as_result(s, t->call, &t->res, &p, data, &r);
	trace_print_result(s->tr, t->call, &r, out);
	if (t->call->kind == CALL_RECVMMSG && t->res.ret > 0)
		print_messages(s, t, &p, out);
}

static u64 result_hash(const struct call_result *res)
{
	u64 h = FNV_INIT;
	u32 i;

	if (res->buf && res->ret >= 0)
		h = hash_bytes(h, res->buf, res->data_len);
	if (res->opt && res->opt_len > 0)
		h = hash_bytes(h, res->opt, (u32)res->opt_len);
	for (i = 0; i < res->part_n; i++)
		h = (h ^ result_hash(&res->part[i])) * FNV_PRIME;
	return h;
}

static char *pool_text(struct mem_pool *pool, struct text *t)
{
	char *s = mem_pool_strndup(pool, t->buf ? t->buf : "", t->len);

	text_free(t);
	return s;
}

void outcome_init(struct outcome *out, struct mem_pool *pool,
		  const struct trace *tr, const char *profile)
{
	memset(out, 0, sizeof(*out));
	out->profile = profile;
	out->pool = pool;
	out->n = tr->stmt_n;
	out->call = mem_pool_alloc(pool, (out->n + 1) * sizeof(*out->call));
}

void outcome_returned(struct outcome *out, struct sim *s,
		      const struct sim_task *t)
{
	struct outcome_call *c;
	struct text text = { 0 };

	if (t->stmt >= out->n || t->t.id >= s->task_n || s->finishing ||
	    s->teardown)
		return;
	c = &out->call[t->stmt];
	c->state = OUTCOME_RETURNED;
	c->ret = t->res.ret;
	c->reason = t->res.reason;
	c->done = s->next_stmt;
	c->slept = c->done > t->stmt; /* `at` lines make calls early */
	result_print(s, t, &text);
	c->text = pool_text(out->pool, &text);
	c->hash = result_hash(&t->res);
}

void outcome_end(struct outcome *out, const struct sim *s)
{
	const struct sim_task *t;
	u32 i;

	for (i = 0; i < s->task_n; i++) {
		t = &s->tasks[i];
		if (t->state != TASK_IDLE && t->stmt < out->n)
			out->call[t->stmt].state = OUTCOME_ASLEEP;
	}
}

void outcome_verdict(struct outcome *out, const struct sim *s)
{
	const struct sim_verdict *v = &s->verdict;
	struct text t = { 0 };

	if (v->kind == VERDICT_INPUT)
		text_printf(&t, "line %u: %s", v->err.line, v->err.msg);
	else if (v->kind == VERDICT_BUG)
		text_printf(&t, "the simulation ends: %s", v->got);
	else
		return;
	out->trouble = pool_text(out->pool, &t);
}

static void on_returned(void *arg, struct sim *s, const struct sim_task *t)
{
	outcome_returned(arg, s, t);
}

static void on_end(void *arg, struct sim *s)
{
	outcome_end(arg, s);
}

void outcome_run(struct sim *s, const struct trace *tr,
		 const struct sim_opts *o, struct mem_pool *pool,
		 struct outcome *out)
{
	const struct sim_watch w = { .arg = out,
				     .returned = on_returned,
				     .end = on_end };
	struct sim_opts opts = *o;

	opts.go_on = true;
	opts.watch = &w;
	outcome_init(out, pool, tr, o->profile);
	sim_run(s, tr, &opts, NULL);
	s->opts.watch = NULL;
	outcome_verdict(out, s);
}

bool outcome_same_call(const struct outcome_call *a,
		       const struct outcome_call *b)
{
	if (a->state != b->state)
		return false;
	if (a->state != OUTCOME_RETURNED)
		return true;
	return a->done == b->done && a->hash == b->hash &&
	       !strcmp(a->text, b->text);
}

u32 outcome_difference(const struct outcome *a, const struct outcome *b)
{
	u32 i;

	for (i = 0; i < a->n && i < b->n; i++) {
		if (!outcome_same_call(&a->call[i], &b->call[i]))
			return i;
	}
	return UINT32_MAX;
}

void outcome_print(const struct outcome_call *c, struct text *out)
{
	switch (c->state) {
	case OUTCOME_NOT_MADE:
		text_puts(out, "not made");
		return;
	case OUTCOME_ASLEEP:
		text_puts(out, "sleeps to the end");
		return;
	case OUTCOME_RETURNED:
		break;
	}
	if (c->slept)
		text_puts(out, "sleeps, then ");
	text_puts(out, c->text);
}
