// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Consumers that are told of records.
 * How: a world for each connection (they share nothing but the machine). The
 * peer has so many requests on their way; the next one starts when one was
 * taken. Each record arrives as a segment: while the consumer is idle, or at a
 * named point inside its call, as a seeded stream of choices says. Connections
 * take turns by the same stream. What counts is read off the event log and the
 * counters of the kernel.
 * Left out: threads that take over each other's connections; with one reader a
 * connection at a time it makes no difference here.
 */
#include "sim/bench/wakeups.h"

#include <stdlib.h>

#include "sim/bench/bench_world.h"
#include "sim/inv/ledger.h"

#define MARKER 4u /* bytes of a request that tell its length */
#define REC_MAX TLS_MAX_PAYLOAD_SIZE
/* A segment arrives at one in so many points passed. */
#define ARRIVE_ODDS 60u
/* So long nobody may be called although the window probe went out. */
#define PROBES 3u

/**
 * struct conn - one connection
 * @w: the load
 * @s: its world
 * @tr: its records
 * @ops: those of the world, with our points
 * @choice: what happens next
 * @marked: the consumer was told
 * @again: it will look again by itself
 * @busy: it is in its turn (edges: the reader)
 * @taken: bytes it has of all requests
 * @in_turn: bytes of this turn
 * @told: this turn is because it was told
 * @recs_per_req: records of a request
 * @sent: records that arrived
 * @depth: something arrives right now
 * @probes: of the window, with nothing new since
 * @seen: events looked at
 */
struct conn {
	struct wakeups *w;
	struct sim *s;
	struct trace tr;
	struct m_ops ops;
	struct sim_choice *choice;
	bool marked;
	bool again;
	bool busy;
	u64 taken;
	u64 in_turn;
	bool told;
	u32 recs_per_req;
	u32 sent;
	bool depth;
	u32 probes;
	u32 seen;
};

static struct conn *conn_of(struct m_kernel *k)
{
	return (struct conn *)((char *)(uintptr_t)k->ops -
			       offsetof(struct conn, ops));
}

static struct sock *sk_of(const struct conn *c)
{
	return c->s->conn.sk;
}

/* --- the peer ------------------------------------------------------------ */

static bool can_arrive(const struct conn *c)
{
	u64 reqs = c->taken / c->w->req_len + c->w->jobs;

	return c->sent < min_t(u64, reqs, c->w->reqs) * c->recs_per_req;
}

static void arrive(struct conn *c)
{
	struct sim_peer *p = &c->s->conn.peer;
	struct sim_err err;

	M_ASSERT(!peer_build(p, c->sent, &err), "%s", err.msg);
	c->sent++;
	c->probes = 0;
	sender_queue_rest(p);
	sender_push(p);
}

static void at_point(struct m_kernel *k, enum m_point point)
{
	struct sim *s = sim_of(k);
	struct conn *c = conn_of(k);
	struct sim_task *t = sim_current(s);

	s->point_count[point]++;
	if (c->depth || k->in_softirq || !t || !can_arrive(c) ||
	    !sim_one_in(c->choice, ARRIVE_ODDS))
		return;
	c->depth = true;
	t->state = TASK_PREEMPTED;
	arrive(c);
	t->state = TASK_RUNNING;
	c->depth = false;
}

/* What every call begins and ends with, for those who keep the books. */
static void call_begin(struct conn *c, const struct trace_call *call)
{
	sim_current(c->s)->call = call;
	sim_event(c->s, EV_CALL, call->kind, 0, 0);
}

static void call_end(struct conn *c, int ret)
{
	struct sim_task *t = sim_current(c->s);

	sim_event(c->s, EV_RETURN, t->call->kind, ret, t->t.reason);
}

/* --- NFSD ---------------------------------------------------------------- */

static void nfsd_data_ready(struct sock *sk)
{
	conn_of(sk->k)->marked = true;
}

static int nfsd_actor(read_descriptor_t *desc, struct sk_buff *skb, u32 offset,
		      size_t len)
{
	struct conn *c = desc->arg;
	size_t n = min_t(size_t, len, desc->count);

	(void)skb;
	(void)offset;
	desc->count -= n;
	c->taken += n;
	c->in_turn += n;
	return (int)n;
}

static void nfsd_read(struct conn *c, u32 want)
{
	static const struct trace_call call = { .kind = CALL_READ_SOCK,
						.count = INT32_MAX };
	read_descriptor_t desc = { .count = want, .arg = c };
	struct sock *sk = sk_of(c);
	int ret;

	call_begin(c, &call);
	lock_sock(sk);
	ret = sk->ops->read_sock(sk, &desc, nfsd_actor);
	release_sock(sk);
	call_end(c, ret);
}

static void nfsd_turn(void *arg)
{
	struct conn *c = arg;
	u32 have = (u32)(c->taken % c->w->req_len);

	if (have < MARKER)
		nfsd_read(c, MARKER - have);
	have = (u32)(c->taken % c->w->req_len);
	if (have < MARKER)
		return;
	nfsd_read(c, c->w->req_len - have);
	c->again = c->taken % c->w->req_len == 0;
}

/* --- epoll --------------------------------------------------------------- */

static const struct trace_call epoll_level = { .kind = CALL_EPOLL,
					       .timeout_ns = -1 };
static const struct trace_call epoll_edge = { .kind = CALL_EPOLL,
					      .timeout_ns = -1,
					      .edge = true };

static void recv_once(struct conn *c)
{
	static const struct trace_call call = {
		.kind = CALL_RECVMSG,
		.flags = M_MSG_DONTWAIT,
		.iov = { { .len = INT32_MAX } },
		.iov_n = 1,
	};
	u32 len = c->w->consumer == CONSUMER_EDGE_HALF ? c->w->req_len / 2 :
							 c->w->req_len;
	struct sock *sk = sk_of(c);
	struct iovec_m iov = { .base = malloc(len), .len = len };
	struct msghdr msg = { 0 };
	int ret;

	if (!iov.base)
		abort();
	call_begin(c, &call);
	iov_iter_init(&msg.iter, ITER_UBUF, &iov, 1);
	ret = sk->sk_prot->recvmsg(sk, &msg, len, M_MSG_DONTWAIT);
	call_end(c, ret);
	free(iov.base);
	c->again = ret > 0 && c->w->consumer == CONSUMER_EDGE;
	if (ret <= 0)
		return;
	c->taken += (u64)ret;
	c->in_turn += (u64)ret;
}

static void epoll_turn(void *arg)
{
	struct conn *c = arg;

	do {
		recv_once(c);
	} while (c->again);
}

/* The thread that waits; with edges it passes on what it is told and goes back,
 * with levels it is the one that reads. */
static void wait_on(struct conn *c)
{
	bool level = c->w->consumer == CONSUMER_LEVEL;
	struct sim_task *t = &c->s->tasks[0];

	if (c->w->consumer == CONSUMER_NFSD)
		return;
	while (t->state == TASK_IDLE && !(level && c->marked)) {
		sched_start_call(c->s, t, level ? &epoll_level : &epoll_edge,
				 UINT32_MAX);
		sched_settle(c->s);
		c->marked |= t->state == TASK_IDLE;
	}
}

/* Lets everything run that can; a waiting thread that came back was told. */
static void settle(struct conn *c)
{
	struct sim_task *t = &c->s->tasks[0];
	bool waits = c->w->consumer != CONSUMER_NFSD && t->state != TASK_IDLE;

	sched_settle(c->s);
	c->marked |= waits && t->state == TASK_IDLE;
	wait_on(c);
}

/* --- turns --------------------------------------------------------------- */

/* Sleeps of the waiting thread that ended for nothing: all but one a call. */
static void count_vain(struct conn *c)
{
	const struct sim_event *e;
	u32 sleeps = 0;

	for (; c->seen < c->s->event_n; c->seen++) {
		e = &c->s->events[c->seen];
		if (e->task != 0)
			continue;
		if (e->kind == EV_SLEEP)
			sleeps++;
		else if (e->kind == EV_CALL)
			sleeps = 0;
		if (e->kind == EV_SLEEP && sleeps > 1)
			c->w->spurious++;
	}
}

static void turn(struct conn *c)
{
	bool nfsd = c->w->consumer == CONSUMER_NFSD;
	struct sim_task *t = &c->s->tasks[nfsd ? 0 : 1];

	c->told = c->marked && !c->again;
	c->marked = false;
	c->again = false;
	c->in_turn = 0;
	sched_start_fn(c->s, t, nfsd ? nfsd_turn : epoll_turn, c);
	settle(c);
	M_ASSERT(t->state == TASK_IDLE, "a consumer sleeps in a read");
	if (c->told && !c->in_turn)
		c->w->spurious++;
	if (!nfsd)
		c->again = false;
}

static bool readable(const struct conn *c)
{
	const struct sock *sk = sk_of(c);

	return tcp_inq(sk) > 0 || tls_sw_sock_is_readable(sk_of(c));
}

/* Nothing comes and nobody was told. False: all is done. */
static bool standstill(struct conn *c)
{
	s64 timer = sched_next_timer(c->s);

	if (c->taken == (u64)c->w->reqs * c->w->req_len)
		return false;
	if (timer >= 0 && !tls_sw_sock_is_readable(sk_of(c)) &&
	    c->probes < PROBES) {
		c->probes++;
		sched_advance(c->s, timer);
		settle(c);
		return true;
	}
	M_ASSERT(readable(c), "a load that does not go on");
	c->w->lost++;
	c->probes = 0;
	c->again = true;
	return true;
}

/* One thing more; false: all is done. */
static bool step(struct conn *c)
{
	bool may_run;

	wait_on(c);
	may_run = c->marked || c->again;
	if (may_run && (!can_arrive(c) || sim_choose(c->choice, 2))) {
		turn(c);
		return true;
	}
	if (!can_arrive(c))
		return standstill(c);
	arrive(c);
	settle(c);
	return true;
}

/* --- a load -------------------------------------------------------------- */

static void load_trace(struct conn *c)
{
	u32 i, at, last = c->w->req_len % REC_MAX;

	c->recs_per_req = (c->w->req_len + REC_MAX - 1) / REC_MAX;
	bench_trace(&c->tr, c->w->reqs * c->recs_per_req, REC_MAX, false);
	for (i = 0; last && i < c->w->reqs; i++) {
		at = (i + 1) * c->recs_per_req - 1;
		c->tr.recs[at].len = last;
	}
	c->tr.tasks = mem_pool_alloc(c->tr.pool, 2 * sizeof(*c->tr.tasks));
	c->tr.tasks[0] = "r1";
	c->tr.tasks[1] = "r2";
	c->tr.task_n = 2;
}

static void conn_open(struct conn *c, struct wakeups *w, struct sim_choice *ch)
{
	struct sim_opts opts = { .profile = w->profile.name,
				 .ignore_all = true };

	c->w = w;
	c->choice = ch;
	c->s = sim_new();
	load_trace(c);
	profile_changes(&w->profile, &opts.changes);
	sim_open(c->s, &c->tr, &opts);
	c->ops = *c->s->k.ops;
	c->ops.point = at_point;
	c->s->k.ops = &c->ops;
	c->s->k.points_armed = true;
	if (w->consumer == CONSUMER_NFSD)
		tls_sw_ctx_rx(tls_get_ctx(sk_of(c)))->saved_data_ready =
			nfsd_data_ready;
}

static void conn_close(struct conn *c)
{
	const struct tls_sw_context_rx *ctx =
		tls_sw_ctx_rx(tls_get_ctx(sk_of(c)));
	struct wakeups *w = c->w;

	count_vain(c);
	w->records += c->tr.rec_n;
	w->bytes += c->taken;
	w->announces += c->s->counters[CNT_ANNOUNCES];
	w->looks += ctx->strp.looks;
	w->rounds += c->s->point_count[POINT_REC_WAIT_CHECK];
	sim_close(c->s);
	sim_free(c->s);
	mem_pool_free(c->tr.pool);
}

void wakeups_run(struct wakeups *w)
{
	struct conn *conns = calloc(w->conns, sizeof(*conns));
	u32 i, left = w->conns;
	struct sim_choice ch;
	bool *done = calloc(w->conns, sizeof(*done));

	if (!conns || !done)
		abort();
	w->records = w->bytes = w->announces = w->spurious = 0;
	w->lost = w->looks = w->rounds = 0;
	choice_seed(&ch, w->seed);
	for (i = 0; i < w->conns; i++)
		conn_open(&conns[i], w, &ch);
	while (left) {
		i = sim_choose(&ch, w->conns);
		if (!done[i] && !step(&conns[i])) {
			done[i] = true;
			left--;
		}
	}
	for (i = 0; i < w->conns; i++)
		conn_close(&conns[i]);
	free(done);
	free(conns);
}
