// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * REF: every call that meets no surprise answers as the reference does
 * (sim/ref/ref.h), with the same bytes.
 * How: a call is asked about when it ends and nobody else was in a call, no
 * work item was due, and nothing local failed. The reference is asked with what
 * had arrived when the call began, or woke up last, and with what is there at
 * its end: where the answers differ, timing decided. The result moves the
 * reference on, asked or not.
 * Left out: recvmmsg, splice into a pipe that is not empty, SO_RCVLOWAT, and
 * what a connection with an error of its own (reset, framing) answers when
 * nothing is there.
 */
#include "model/tcp.h"
#include "sim/inv/local.h"
#include "sim/ref/ref.h"

/* So many free slots of a pipe take any record. */
#define SLOTS_ENOUGH 8u

/**
 * struct ref_call_state - a task's call
 * @rcv_nxt: TCP's, when it began or woke up last
 * @fin: a FIN had come by then
 * @ended: nothing more was to come by then
 * @slots: free ones of its pipe then
 * @alone: nothing was under way that may change its answer
 */
struct ref_call_state {
	u32 rcv_nxt;
	bool fin;
	bool ended;
	u32 slots;
	bool alone;
};

/**
 * struct ref_state - state
 * @ref: the reference
 * @calls: one a task
 * @sick: the connection has an error that is no bad record
 */
struct ref_state {
	struct ref ref;
	struct ref_call_state *calls;
	bool sick;
};

static u32 rcv_nxt(const struct sim *s)
{
	return tcp_sk(s->conn.sk)->rcv_nxt;
}

static u32 free_slots(const struct sim *s, const struct trace_call *c)
{
	const struct pipe_inode_info *p;

	if (c->kind != CALL_SPLICE || s->pipe_closed[c->pipe])
		return 0;
	p = s->pipes[c->pipe];
	return p->max_usage - pipe_occupancy(p);
}

/* Nothing is under way around @task's call; those who are in one are no
 * longer alone. */
static bool is_alone(struct sim *s, struct ref_state *st, u32 task)
{
	const struct sock *sk = s->conn.sk;
	bool alone;
	u32 i;

	alone = list_empty(&s->works) && !s->running_work &&
		!sk->backlog.qlen && !sk->owned && sk->sk_rcvlowat <= 1;
	for (i = 0; i < s->task_n; i++) {
		if (i == task || !ledger_call(s, i)->in)
			continue;
		st->calls[i].alone = false;
		alone &= !call_takes_data(s->tasks[i].call->kind) &&
			 s->tasks[i].call->kind != CALL_SETSOCKOPT;
	}
	return alone;
}

/* What there is now. */
static void look(const struct sim *s, struct ref_call_state *c)
{
	const struct sock *sk = s->conn.sk;

	c->rcv_nxt = rcv_nxt(s);
	c->fin = sk->sk_done;
	c->ended = sk->sk_shutdown & RCV_SHUTDOWN || c->fin;
}

/* Awake again: as if the call began now, if still nobody else is about. */
static void woke(struct sim *s, struct ref_state *st, u32 task)
{
	struct ref_call_state *c = &st->calls[task];

	if (!s->conn.sk || s->ledger->closing)
		return;
	c->alone &= list_empty(&s->works) && !s->running_work &&
		    !s->conn.sk->backlog.qlen;
	look(s, c);
}

static void begins(struct sim *s, struct ref_state *st,
		   const struct sim_event *e)
{
	struct ref_call_state *c;

	if (!st->calls)
		st->calls =
			mem_pool_alloc(s->pool, (s->task_n + 2) * sizeof(*c));
	if (!s->conn.sk || s->ledger->closing || e->task >= s->task_n)
		return;
	c = &st->calls[e->task];
	c->alone = is_alone(s, st, e->task);
	look(s, c);
	c->slots = free_slots(s, s->tasks[e->task].call);
}

static void keys(struct sim *s, struct ref_state *st, const struct sim_event *e)
{
	const struct ledger *l = s->ledger;
	u32 i;

	st->ref.pauses = !m_has(&s->k, CHANGE_NO_KEYUPDATE_PAUSES);
	st->ref.bad |= l->failed; /* met by a call that was not asked about */
	if (!e->b)
		ref_keys(&st->ref, l->peer, l->pos, l->gen, l->seq);
	else
		ref_rekey(&st->ref, l->opened, l->gen, l->seq);
	st->ref.lost |= !l->keys_fit;
	for (i = 0; i < s->task_n; i++) {
		if (ledger_call(s, i)->in && s->tasks[i].call &&
		    call_takes_data(s->tasks[i].call->kind))
			st->ref.lost = true;
	}
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	struct ref_state *st = state;

	if (e->kind == EV_CALL)
		begins(s, st, e);
	else if (e->kind == EV_KEYS)
		keys(s, st, e);
	else if (e->kind == EV_SK_ERR_SET)
		st->sick |= e->b != -EBADMSG || !s->ledger->failed;
	else if (st->calls && e->task < s->task_n) /* EV_SLEPT */
		woke(s, st, e->task);
}

static bool question(struct sim *s, const struct ref_state *st,
		     const struct sim_task *t, struct ref_question *q)
{
	static const u32 odd = M_MSG_TRUNC | M_MSG_OOB | M_MSG_ERRQUEUE;
	const struct trace_call *c = t->call;
	const struct sock *sk = s->conn.sk;

	q->asked = call_asked(c);
	q->room = c->kind == CALL_RECVMSG && c->ctl >= CMSG_LEN_1;
	q->ended = sk->sk_shutdown & RCV_SHUTDOWN || sk->sk_done;
	q->arrived = rcv_nxt(s) - s->conn.irs - sk->sk_done; /* FIN counts */
	q->sick = st->sick;
	q->call = REF_RECV;
	if (c->kind == CALL_SPLICE) {
		q->call = REF_SPLICE;
		return q->asked && st->calls[t->t.id].slots >= SLOTS_ENOUGH &&
		       !m_has(&s->k, CHANGE_SPLICE_COALESCE) &&
		       !m_has(&s->k, CHANGE_SPLICE_COALESCE_FIXED);
	}
	if (c->kind == CALL_READ_SOCK) {
		q->call = REF_READ_SOCK;
		return q->asked && !c->take_n;
	}
	return q->asked && c->kind != CALL_RECVMMSG && !(c->flags & odd) &&
	       inv_bad_from(c) == UINT64_MAX;
}

/* Something got between that the reference knows nothing of. */
static bool surprised(struct sim *s, const struct ref_state *st,
		      const struct sim_task *t)
{
	const struct ledger_call *c = ledger_call(s, t->t.id);

	return !st->calls || !st->calls[t->t.id].alone || c->plain ||
	       t->killed || c->met & (MET_SIGNAL | MET_THEFT | MET_TIMED_OUT) ||
	       !ledger_no_urgent(s) || !ledger_wire_clean(s);
}

static bool same_bytes(const struct sim *s, const struct sim_task *t,
		       const struct ref_answer *a)
{
	if (t->res.ret <= 0 || t->call->kind == CALL_SPLICE)
		return true;
	return ledger_compare(s->ledger, a->rec, a->off, t->res.buf,
			      (u64)t->res.ret) < 0;
}

static const char *slug_of(const struct ref_answer *a, s64 ret)
{
	if (ret == a->ret)
		return "bytes";
	if (ret > 0 && a->ret > 0)
		return ret < a->ret ? "fewer" : "more";
	return ret > 0 ? "instead-of-error" : "other-answer";
}

/* What arrived while the call ran makes no difference. */
static bool same_before(const struct sim *s, struct ref_state *st,
			const struct sim_task *t, const struct ref_question *q,
			const struct ref_answer *a)
{
	const struct ref_call_state *c = &st->calls[t->t.id];
	struct ref_question before = *q;
	struct ref_answer b;

	if (c->rcv_nxt == rcv_nxt(s))
		return true;
	before.arrived = c->rcv_nxt - s->conn.irs - c->fin;
	before.ended = c->ended;
	return ref_ask(&st->ref, &before, &b) && b.ret == a->ret;
}

static void compare(struct sim *s, struct ref_state *st,
		    const struct sim_task *t)
{
	struct ref_question q;
	struct ref_answer a;

	if (surprised(s, st, t) || !question(s, st, t, &q) ||
	    !ref_ask(&st->ref, &q, &a) || !same_before(s, st, t, &q, &a))
		return;
	INV_CHECK(s, REF, t->res.ret == a.ret && same_bytes(s, t, &a),
		  slug_of(&a, t->res.ret),
		  "%lld was returned, the reference says %lld",
		  (long long)t->res.ret, (long long)a.ret);
}

/* What the call took, by its result. */
static void move_on(struct ref_state *st, const struct sim_task *t)
{
	const struct call_result *res = &t->res;
	u32 i;

	if (inv_is_peek(t->call))
		return;
	if (t->call->kind == CALL_RECVMMSG) {
		for (i = 0; i < res->part_n; i++) {
			if (res->part[i].ret > 0)
				ref_took(&st->ref, (u64)res->part[i].ret);
		}
		return;
	}
	if (res->ret > 0)
		ref_took(&st->ref, (u64)res->ret);
	else if (!res->ret && res->cmsg_count &&
		 res->cmsg_type != TLS_RECORD_TYPE_DATA)
		ref_took(&st->ref, 0);
}

static void on_return(struct sim *s, void *state, struct sim_task *t)
{
	const struct ledger_call *c = ledger_call(s, t->t.id);
	struct ref_state *st = state;

	if (!call_takes_data(t->call->kind) || !st->ref.keyed ||
	    s->ledger->closing || s->conn.closed)
		return;
	if (!c->plain)
		inv_ref_call(s);
	st->ref.lost |= s->ledger->state != LEDGER_TLS ||
			c->met & (MET_NOMEM | MET_DECRYPT_FAULT) ||
			t->res.ret == -EFAULT;
	if (st->ref.lost)
		return;
	compare(s, st, t);
	if (!c->plain)
		move_on(st, t);
}

static const enum m_event_kind events[] = {
	EV_CALL, EV_KEYS, EV_SLEPT, EV_SK_ERR_SET, M_EVENT_COUNT,
};

const struct inv_ops inv_REF = {
	.id = INV_REF,
	.state_size = sizeof(struct ref_state),
	.events = events,
	.on_event = on_event,
	.on_return = on_return,
};
