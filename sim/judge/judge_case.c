// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The model's side of a trial: runs the trace and notes what a program would
 * have seen of each call.
 * How: a struct sim_watch takes every result as it comes and turns it into the
 * form the agent's answers have; expectations of the trace are left out, so
 * that the run goes on behind one that does not hold.
 * Left out: results of the second phase of random runs.
 */
#include "sim/judge/judge.h"

#include <stdlib.h>

#include "sim/trace/trace_words.h"

void judge_case_init(struct judge_case *c)
{
	*c = (struct judge_case){ .tr.pool = mem_pool_new() };
}

void judge_case_reset(struct judge_case *c)
{
	struct mem_pool *pool = c->tr.pool;
	struct text job = c->job;

	mem_pool_reset(pool);
	job.len = 0;
	*c = (struct judge_case){ .tr.pool = pool, .job = job };
}

void judge_case_free(struct judge_case *c)
{
	text_free(&c->job);
	mem_pool_free(c->tr.pool);
}

static const u8 *keep(struct judge_case *c, const u8 *p, u32 n)
{
	u8 *to = mem_pool_alloc_raw(c->tr.pool, n + 1);

	if (n)
		memcpy(to, p, n);
	return to;
}

static bool has_data(enum call_kind kind)
{
	return kind == CALL_RECVMSG || kind == CALL_RECV || kind == CALL_READ ||
	       kind == CALL_READV || kind == CALL_PREAD;
}

static void seen_data(struct judge_case *c, const struct call_result *res,
		      struct judge_seen *out)
{
	out->ans.data_len = res->data_len;
	out->ans.past = res->past;
	out->ans.hash = job_hash(res->buf, res->data_len);
	out->data = keep(c, res->buf, res->data_len);
	out->data_n = res->data_len;
}

static void seen_msg(const struct call_result *res, struct job_answer *ans)
{
	ans->msg_flags = res->msg_flags;
	ans->controllen = res->controllen;
	ans->cmsg_count = res->cmsg_count;
	ans->cmsg_type = res->cmsg_count ? res->cmsg_type : 0;
	ans->cmsg_partial = res->cmsg_partial;
}

static void seen_option(struct judge_case *c, const struct trace_call *call,
			const struct call_result *res, struct judge_seen *out)
{
	s32 n = min_t(s32, res->opt_len, 128);

	out->ans.opt_len = res->opt_len;
	if (res->ret || call->opt_null || n < 0)
		return;
	out->ans.hash = job_hash(res->opt, (size_t)n);
	out->data = keep(c, res->opt, (u32)n);
	out->data_n = (u32)n;
}

static void seen_parts(struct judge_case *c, const struct call_result *res,
		       struct judge_seen *out)
{
	u32 i;

	out->ans.part_n = res->part_n;
	out->part = mem_pool_alloc(c->tr.pool,
				   (res->part_n + 1) * sizeof(*out->part));
	for (i = 0; i < res->part_n; i++) {
		out->part[i].state = SEEN_RETURNED;
		out->part[i].ans.ret = res->part[i].ret;
		seen_data(c, &res->part[i], &out->part[i]);
		seen_msg(&res->part[i], &out->part[i].ans);
	}
}

void judge_seen_of(struct judge_case *c, const struct trace_call *call,
		   const struct call_result *res, struct judge_seen *out)
{
	out->state = SEEN_RETURNED;
	out->ans.ret = res->ret;
	out->reason = res->reason;
	if (res->ret > 0)
		out->ans.mask = res->mask;
	if (has_data(call->kind) && res->buf)
		seen_data(c, res, out);
	if (call->kind == CALL_RECVMSG && res->ret >= 0)
		seen_msg(res, &out->ans);
	if (call->kind == CALL_RECVMMSG)
		seen_parts(c, res, out);
	if (call->kind == CALL_GETSOCKOPT)
		seen_option(c, call, res, out);
}

/* --- watching ------------------------------------------------------------ */

struct watching {
	struct judge_case *c;
	bool all_data;
};

static s64 *copy_stats(struct judge_case *c, const struct sim *s)
{
	s64 *to = mem_pool_alloc(c->tr.pool, M_MIB_COUNT * sizeof(*to));
	u32 i;

	for (i = 0; i < M_MIB_COUNT; i++)
		to[i] = (s64)s->k.mib[i];
	return to;
}

static void note_rcv_mss(struct judge_case *c, const struct sim *s)
{
	c->rcv_mss = max_t(u32, c->rcv_mss, tcp_sk(s->conn.sk)->rcv_mss);
}

/* Where FIN and RST go, and whether the sender's timer will fire. */
static void before_stmt(void *arg, struct sim *s)
{
	struct judge_case *c = ((struct watching *)arg)->c;
	u32 i = s->next_stmt;
	const struct trace_stmt *st = &s->tr->stmts[i];
	const struct sim_sender *tx = &s->conn.peer.sender;

	note_rcv_mss(c, s);
	c->end_off[i] = max_t(u64, tx->wire_end, tx->queued);
	if (st->kind == ST_RST)
		c->end_off[i] += tx->fin_wired || tx->fin_sent;
	if (st->dt_ns && tx->timer_ns >= 0 &&
	    tx->timer_ns <= s->now_ns + st->dt_ns)
		c->sender[i] = 1;
	if (c->expect[i])
		c->model.stats_at[i] = copy_stats(c, s);
}

static void call_returned(void *arg, struct sim *s, const struct sim_task *t)
{
	struct judge_case *c = ((struct watching *)arg)->c;
	struct judge_side *m = &c->model;
	u32 now = s->next_stmt;
	struct judge_seen *seen;

	if (s->finishing || s->teardown)
		return;
	if (t->stmt == UINT32_MAX) {
		seen = &m->setup[m->setup_n++];
		judge_seen_of(c, t->call, &t->res, seen);
		return;
	}
	seen = &m->call[t->stmt];
	judge_seen_of(c, t->call, &t->res, seen);
	seen->ans.stmt = t->stmt;
	seen->ans.done = now;
	if (!s->stmt_done[now] && t->stmt != now)
		c->fired[now] |= 1ull << t->t.id;
}

/* Calls that were made and did not return; those that were not made. */
static void note_sleepers(struct judge_case *c, const struct sim *s)
{
	struct judge_seen *call = c->model.call;
	u32 i;

	for (i = 0; i < s->task_n; i++) {
		if (s->tasks[i].state != TASK_IDLE)
			call[s->tasks[i].stmt].state = SEEN_ASLEEP;
	}
	for (i = 0; i < c->stmt_n; i++) {
		if (c->tr.stmts[i].kind == ST_CALL && call[i].state == SEEN_NOT)
			call[i].state = SEEN_BUSY;
	}
}

static void at_the_end(void *arg, struct sim *s)
{
	struct watching *w = arg;
	struct judge_case *c = w->c;

	c->verdict = s->verdict.kind;
	/* not the statement it stopped at: not all of it may have happened */
	c->stmt_n = s->next_stmt - s->stopped;
	note_sleepers(c, s);
	c->model.stats = copy_stats(c, s);
	c->model.stat_n = M_MIB_COUNT;
	note_rcv_mss(c, s);
	judge_time_plan(c);
	if (!c->no[0] &&
	    judge_accepts_run(c, s->counters[CNT_ACKS], s->counters[CNT_FINS],
			      m_has(&s->k, CHANGE_HEADER_OVER_OVERLAP)))
		judge_job_write(c, s, w->all_data);
}

static void make_room(struct judge_case *c)
{
	struct mem_pool *pool = c->tr.pool;
	u32 n = c->tr.stmt_n + 1;

	c->model.setup = mem_pool_alloc(pool, 8 * sizeof(struct judge_seen));
	c->model.call = mem_pool_alloc(pool, n * sizeof(struct judge_seen));
	c->model.stats_at = mem_pool_alloc(pool, n * sizeof(s64 *));
	c->kernel.setup = mem_pool_alloc(pool, 8 * sizeof(struct judge_seen));
	c->kernel.call = mem_pool_alloc(pool, n * sizeof(struct judge_seen));
	c->kernel.stats_at = mem_pool_alloc(pool, n * sizeof(s64 *));
	c->end_off = mem_pool_alloc(pool, n * sizeof(*c->end_off));
	c->fired = mem_pool_alloc(pool, n * sizeof(*c->fired));
	c->sender = mem_pool_alloc(pool, n);
	c->expect = mem_pool_alloc(pool, n);
}

static void note_verdict(struct judge_case *c, const struct sim *s)
{
	const struct sim_verdict *v = &s->verdict;
	struct text t = { 0 };
	const char *what;

	if (c->verdict == VERDICT_OK)
		return;
	if (v->kind == VERDICT_INPUT)
		text_printf(&t, "%s", v->err.msg);
	else
		text_printf(&t, "%s; got %s", v->expected, v->got);
	c->verdict_text = mem_pool_strndup(c->tr.pool, t.buf, t.len);
	text_free(&t);
	if (v->kind == VERDICT_INPUT)
		snprintf(c->no, sizeof(c->no), "the model: %.120s",
			 c->verdict_text);
	if (v->kind != VERDICT_BUG)
		return;
	/* Where in the source, in front, would make answers age. */
	what = strstr(v->got, ": ");
	snprintf(c->no, sizeof(c->no), "the model failed: %.120s",
		 what ? what + 2 : v->got);
	/* a kernel whose fault is to read what it freed may do anything */
	if (strstr(v->got, "a kernel with "))
		c->verdict = VERDICT_INPUT;
}

/* What a trace states is not what is compared. */
static void forget_expectations(struct judge_case *c)
{
	struct trace_stmt *st;
	u32 i;

	for (i = 0; i < c->tr.stmt_n; i++) {
		st = &c->tr.stmts[i];
		st->result.what = 0;
		c->expect[i] = st->kind == ST_EXPECT &&
			       st->expect.counter >= CNT_MIB;
		if (st->kind == ST_EXPECT)
			st->kind = ST_RETURNS; /* does nothing */
	}
	if (i && c->tr.stmts[i - 1].kind == ST_END)
		c->tr.stmt_n--;
}

void judge_case_run(struct judge_case *c, struct sim *s,
		    const struct profile *profile, bool all_data)
{
	struct watching w = { c, all_data };
	struct sim_watch watch = { .arg = &w,
				   .stmt = before_stmt,
				   .returned = call_returned,
				   .end = at_the_end };
	struct sim_opts opts = { .profile = profile->name,
				 .ignore_all = true,
				 .watch = &watch };

	if (!judge_accepts(c))
		return;
	make_room(c);
	forget_expectations(c);
	profile_changes(profile, &opts.changes);
	c->verdict = VERDICT_BUG;
	sim_run(s, &c->tr, &opts, NULL);
	if (c->verdict != VERDICT_BUG && s->verdict.kind == VERDICT_BUG)
		return; /* in the second phase, which is not on trial */
	note_verdict(c, s);
}
