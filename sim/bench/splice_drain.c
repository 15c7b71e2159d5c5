// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A proxy that drains a TLS stream with splice.
 * How: a world by hand; before each call as many records are delivered as are
 * to be there, the call asks for 1 MiB and must not wait, and behind it the
 * pipe is emptied as a splice to another socket would. What a call did is
 * counted from its events and the points it passes; nothing happens there.
 * A waiting reader looks at the backlog once a turn, all other looks are between
 * records. Single pages are had by an allocator that refuses
 * larger ones for plaintext.
 * Left out: the second splice of a proxy, from the pipe to where the bytes go.
 */
#include "sim/bench/splice_drain.h"

#include <stdlib.h>

#include "sim/bench/bench.h"
#include "sim/bench/bench_world.h"

#define ASK (1u << 20)

/**
 * struct run - a drain under way
 * @d: what is drained
 * @s: world
 * @pipe: the pipe
 * @buf: for recvmsg
 * @sent: records delivered
 * @taken: bytes out of the socket
 * @ret: of the last call
 */
struct run {
	struct splice_drain *d;
	struct sim *s;
	struct pipe_inode_info *pipe;
	u8 *buf;
	u32 sent;
	u64 taken;
	int ret;
};

static void *no_large_page(struct m_kernel *k, enum m_site site, size_t size)
{
	struct sim *s = sim_of(k);

	if (site == SITE_DECRYPT_PAGE && size > PAGE_SIZE + sizeof(struct page))
		return NULL;
	return arena_alloc(s->arena, size);
}

static void count_point(struct m_kernel *k, enum m_point point)
{
	sim_of(k)->point_count[point]++;
}

static void deliver(struct run *r)
{
	const struct splice_drain *d = r->d;
	u32 upto = d->recs;

	if (d->ready)
		upto = min_t(u32, upto,
			     (u32)(r->taken / d->rec_len) + d->ready);
	if (upto > r->sent)
		bench_deliver_some(r->s, r->sent, upto);
	r->sent = max_t(u32, r->sent, upto);
}

static int splice_once(struct run *r)
{
	return splice_file_to_pipe(r->s->conn.sk, r->pipe, ASK,
				   M_SPLICE_F_NONBLOCK);
}

static int recv_once(struct run *r)
{
	struct iovec_m iov = { .base = r->buf, .len = r->d->pipe_bytes };
	struct msghdr msg = { .controllen = 64 };
	struct sock *sk = r->s->conn.sk;

	iov_iter_init(&msg.iter, ITER_UBUF, &iov, 1);
	return sk->sk_prot->recvmsg(sk, &msg, iov.len, M_MSG_DONTWAIT);
}

static void one_call(void *arg)
{
	static const struct trace_call splice = {
		.kind = CALL_SPLICE,
		.flags = M_SPLICE_F_NONBLOCK,
		.iov = { { .len = ASK } },
		.iov_n = 1,
	};
	static const struct trace_call recvmsg = {
		.kind = CALL_RECVMSG,
		.flags = M_MSG_DONTWAIT,
		.ctl = 64,
		.iov = { { .len = ASK } },
		.iov_n = 1,
	};
	struct run *r = arg;
	struct sim_task *t = &r->s->tasks[0];

	t->call = r->d->recv ? &recvmsg : &splice;
	sim_event(r->s, EV_CALL, t->call->kind, 0, 0);
	r->ret = r->d->recv ? recv_once(r) : splice_once(r);
	sim_event(r->s, EV_RETURN, t->call->kind, r->ret, t->t.reason);
}

static void empty_pipe(struct pipe_inode_info *pipe)
{
	for (; pipe_occupancy(pipe); pipe->tail++)
		put_page(pipe->k, pipe_buf(pipe, pipe->tail)->page);
}

/* What the call did, from the events since @from. */
static void count(struct run *r, u32 from)
{
	const struct sim_event *e;
	u64 records = 0;
	bool put = false;
	u32 i;

	for (i = from; i < r->s->event_n; i++) {
		e = &r->s->events[i];
		if (e->kind == EV_DECRYPTED_TYPE ||
		    e->kind == EV_DECRYPT_UNDONE)
			records++;
		put |= e->kind == EV_PUT_USER;
		if (put && e->kind == EV_RX_LIST_ADD && e->b == r->d->rec_len)
			r->d->in_vain++;
	}
	r->d->per_call = max_t(u64, r->d->per_call, records);
	r->d->calls += r->ret > 0;
}

static void drain(struct run *r)
{
	struct splice_drain *d = r->d;
	u32 from;
	u64 start;

	while (r->taken < (u64)d->recs * d->rec_len) {
		deliver(r);
		from = r->s->event_n;
		start = bench_now_ns();
		sched_start_fn(r->s, &r->s->tasks[0], one_call, r);
		sched_settle(r->s);
		d->ns += bench_now_ns() - start;
		M_ASSERT(r->ret > 0, "draining by splice got %d", r->ret);
		r->taken += (u64)r->ret;
		count(r, from);
		empty_pipe(r->pipe);
	}
}

void splice_drain_run(struct sim *s, struct splice_drain *d)
{
	struct sim_opts opts = { .profile = d->profile->name,
				 .ignore_all = true };
	struct trace tr;
	struct run r = { .d = d, .s = s };
	struct m_ops ops;

	d->calls = d->per_call = d->in_vain = d->ns = 0;
	r.buf = malloc(d->pipe_bytes);
	if (!r.buf)
		abort();
	profile_changes(d->profile, &opts.changes);
	bench_trace(&tr, d->recs, d->rec_len, false);
	bench_open_as(s, &tr, &opts);
	ops = *s->k.ops;
	ops.point = count_point;
	if (d->single_pages)
		ops.alloc = no_large_page;
	s->k.ops = &ops;
	s->k.points_armed = true;
	r.pipe = alloc_pipe_info(&s->k, d->pipe_bytes);
	s->pipes[0] = r.pipe; /* the world frees it */
	drain(&r);
	d->flushes = s->point_count[POINT_FLUSH_BACKLOG] -
		     s->point_count[POINT_REC_WAIT_CHECK];
	sim_close(s);
	free(r.buf);
	mem_pool_free(tr.pool);
}

u64 splice_drain_rate(const struct splice_drain *d)
{
	return d->calls * 100 * (1u << 20) / ((u64)d->recs * d->rec_len);
}
