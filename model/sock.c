// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The generic part of a socket: ownership, backlog, waiting, errors, receive
 * memory, wakeups.
 *
 * A task that owns the socket keeps softirqs out: their segments wait in the
 * backlog and are processed where the owner releases the socket, flushes it or
 * is about to sleep. Between the end of the backlog and the moment ownership
 * is dropped nothing can run, as in the kernel (bottom halves are off there),
 * so there is no named point in between.
 *
 * Left out: SIGIO (async_waitdata is kept, nobody reads it), the fast path of
 * lock_sock_fast(), memory cgroups, other protocols: backlog and release
 * callback are TCP's. Options are in sock_opt.c.
 *
 * Mirrors net/core/sock.c: lock_sock_nested(), release_sock(),
 * __release_sock(), __sk_flush_backlog(), sock_def_*(), sock_rfree();
 * include/net/sock.h: sk_wait_event(), sock_error(), sock_rcvtimeo(),
 * sock_rcvlowat(), sock_intr_errno(); net/ipv4/tcp_ipv4.c tcp_add_backlog().
 */
#include "model/tcp.h"

/* MODEL: the send buffer is not modelled; this is what loopback grows it to,
 * and half of it counts in the backlog limit. */
enum {
	M_SK_SNDBUF = 2626560
};

void sock_init_data(struct sock *sk, struct m_kernel *k)
{
	sk->k = k;
	sk->id = ++k->sock_id;
	sk->sk_prot = NULL;
	sk->ops = NULL;
	sk->sk_state = TCP_CLOSE;
	sk->sk_shutdown = 0;
	sk->sk_done = false;
	sk->sk_dead = false;
	sk->sk_err = 0;
	sk->owned = false;
	sk->owner = NULL;
	init_waitqueue_head(&sk->lock_wq);
	init_waitqueue_head(&sk->sk_wq);
	sk->async_waitdata = false;
	skb_queue_head_init(&sk->sk_receive_queue);
	skb_queue_head_init(&sk->backlog);
	sk->backlog_len = 0;
	sk->sk_rcvbuf = 212992;
	sk->sk_rcvbuf_locked = false;
	sk->sk_rmem_alloc = 0;
	sk->sk_rcvlowat = 1;
	sk->sk_rcvtimeo = MAX_SCHEDULE_TIMEOUT;
	sk->sk_peek_off = -1;
	sk->sk_nonblock = false;
	sk->sk_oobinline = false;
	sk->sk_disconnects = 0;
	sk->sk_data_ready = sock_def_readable;
	sk->sk_state_change = sock_def_wakeup;
	sk->sk_error_report = sock_def_error_report;
	sk->icsk_ulp_data = NULL;
	sk->icsk_ulp_name = NULL;
	sk->sk_frag_page = NULL;
	sk->sk_frag_offset = 0;
	sk->user_data = NULL;
}

void sk_destruct(struct sock *sk)
{
	M_ASSERT(!sk->owned && !wq_has_sleeper(&sk->lock_wq) &&
			 !wq_has_sleeper(&sk->sk_wq),
		 "sock %u freed in use", sk->id);
	__skb_queue_purge(&sk->sk_receive_queue);
	__skb_queue_purge(&sk->backlog);
	sk->backlog_len = 0;
	if (sk->sk_frag_page)
		put_page(sk->k, sk->sk_frag_page);
	sk->sk_frag_page = NULL;
	M_ASSERT(!sk->sk_rmem_alloc, "sock %u: %d bytes still charged", sk->id,
		 sk->sk_rmem_alloc);
}

static bool sk_lock_free(const void *arg)
{
	const struct sock *sk = arg;

	return !sk->owned;
}

void lock_sock(struct sock *sk)
{
	struct m_kernel *k = sk->k;

	M_ASSERT(!k->in_softirq && k->current, "lock_sock in softirq");
	M_ASSERT(!sk->owned || sk->owner != k->current,
		 "task %s locks sock %u twice", k->current->name, sk->id);
	wait_exclusive(k, &sk->lock_wq, M_SLEEP_LOCK_SOCK, false, sk_lock_free,
		       sk);
	sk->owned = true;
	sk->owner = k->current;
	m_event(k, EV_LOCK, sk->id, 0, 0);
	softirq_point(k, POINT_LOCK_SOCK);
}

void __release_sock(struct sock *sk)
{
	struct sk_buff_head batch;
	struct sk_buff *skb;
	u32 packets = 0;

	/* Taken over as a whole: what arrives meanwhile starts a new batch and
	 * cannot be merged into this one. backlog_len goes on counting it, so
	 * that a fast sender cannot keep this loop busy for ever. */
	while (!skb_queue_empty(&sk->backlog)) {
		batch = sk->backlog;
		skb_queue_head_init(&sk->backlog);
		packets += batch.qlen;
		while ((skb = __skb_dequeue(&batch)))
			tcp_v4_do_rcv(sk, skb);
	}
	sk->backlog_len = 0;
	m_event(sk->k, EV_BACKLOG_RUN, sk->id, packets, 0);
}

void release_sock(struct sock *sk)
{
	struct m_kernel *k = sk->k;

	M_ASSERT(sk->owned && sk->owner == k->current,
		 "sock %u released by a stranger", sk->id);
	softirq_point(k, POINT_RELEASE_SOCK);
	if (!skb_queue_empty(&sk->backlog))
		__release_sock(sk);
	tcp_release_cb(sk);
	sk->owned = false;
	sk->owner = NULL;
	m_event(k, EV_UNLOCK, sk->id, 0, 0);
	if (wq_has_sleeper(&sk->lock_wq))
		wake_up_poll(k, &sk->lock_wq, 0);
	softirq_point(k, POINT_RELEASED);
}

bool sk_flush_backlog(struct sock *sk)
{
	struct m_kernel *k = sk->k;

	M_ASSERT(sk->owned, "sock %u flushed without the lock", sk->id);
	softirq_point(k, POINT_FLUSH_BACKLOG);
	if (skb_queue_empty(&sk->backlog))
		return false;
	__release_sock(sk);
	if (!m_has(k, CHANGE_FLUSH_NO_RELEASE_CB))
		tcp_release_cb(sk);
	return true;
}

/* Whether @skb may join the backlog's tail (facts tcp-splice.md R27). */
static bool backlog_may_merge(const struct sk_buff *tail,
			      const struct sk_buff *skb)
{
	if (tail->end_seq != skb->seq)
		return false;
	if (tail->rst || skb->rst || tail->urg || skb->urg)
		return false;
	return tail->decrypted == skb->decrypted;
}

static bool backlog_merge(struct sock *sk, struct sk_buff *skb)
{
	struct sk_buff *tail = skb_peek_tail(&sk->backlog);
	bool headstolen;
	u32 delta;

	if (!tail || !backlog_may_merge(tail, skb))
		return false;
	if (!skb_try_coalesce(tail, skb, &delta, &headstolen))
		return false;
	tail->end_seq = skb->end_seq;
	tail->fin |= skb->fin;
	tail->psh |= skb->psh;
	tail->ack |= skb->ack;
	tail->gso_size = max_t(u32, tail->gso_size, skb->gso_size);
	kfree_skb_partial(skb, headstolen);
	return true;
}

bool sk_add_backlog(struct sock *sk, struct sk_buff *skb)
{
	u64 limit = 2ull * (u32)sk->sk_rcvbuf + M_SK_SNDBUF / 2 + 64 * 1024;
	u32 truesize = skb->truesize;

	if (backlog_merge(sk, skb))
		return true;
	if ((u64)sk->backlog_len + (u32)sk->sk_rmem_alloc > limit) {
		kfree_skb(skb);
		return false;
	}
	__skb_queue_tail(&sk->backlog, skb);
	sk->backlog_len += truesize;
	return true;
}

int sk_wait_event(struct sock *sk, enum m_sleep where, s64 *timeo_ns,
		  bool (*cond)(void *arg), void *arg)
{
	u32 disconnects = sk->sk_disconnects;
	struct m_kernel *k = sk->k;

	M_ASSERT(!k->in_softirq, "waits in softirq");
	release_sock(sk);
	softirq_point(k, POINT_WAIT_UNLOCKED);
	if (!cond(arg)) {
		*timeo_ns = wait_woken(k, where, *timeo_ns);
		softirq_point(k, POINT_WAIT_SLEPT);
	}
	lock_sock(sk);
	if (disconnects != sk->sk_disconnects)
		return -EPIPE;
	return cond(arg);
}

int sock_error(struct sock *sk)
{
	int err = sk->sk_err;

	if (!err)
		return 0;
	sk->sk_err = 0;
	m_event(sk->k, EV_SK_ERR_TAKEN, sk->id, -err, 0);
	return -err;
}

void sk_set_err(struct sock *sk, int err)
{
	M_ASSERT(err > 0, "sk_err=%d", err);
	sk->sk_err = err;
	m_event(sk->k, EV_SK_ERR_SET, sk->id, -err, 0);
}

s64 sock_rcvtimeo(const struct sock *sk, bool nonblock)
{
	return nonblock ? 0 : sk->sk_rcvtimeo;
}

int sock_rcvlowat(const struct sock *sk, bool waitall, int len)
{
	int target = waitall ? len : min_t(int, sk->sk_rcvlowat, len);

	return target ? target : 1;
}

int sock_intr_errno(s64 timeo_ns)
{
	return timeo_ns == MAX_SCHEDULE_TIMEOUT ? -ERESTARTSYS : -EINTR;
}

static void sock_wake(struct sock *sk, u32 mask)
{
	if (!wq_has_sleeper(&sk->sk_wq))
		return;
	m_event(sk->k, EV_WAKE_SK, sk->id, mask, 0);
	wake_up_poll(sk->k, &sk->sk_wq, mask);
}

void sock_def_readable(struct sock *sk)
{
	sock_wake(sk, POLLIN_SET | M_POLLPRI | M_POLLRDBAND);
}

void sock_def_wakeup(struct sock *sk)
{
	sock_wake(sk, 0);
}

void sock_def_error_report(struct sock *sk)
{
	sock_wake(sk, M_POLLERR);
}

void skb_orphan(struct sk_buff *skb)
{
	struct sock *sk = skb->sk;

	if (!sk)
		return;
	sk->sk_rmem_alloc -= (s32)skb->truesize;
	M_ASSERT(sk->sk_rmem_alloc >= 0, "sock %u: receive memory %d", sk->id,
		 sk->sk_rmem_alloc);
	skb->sk = NULL;
}

void skb_set_owner_r(struct sk_buff *skb, struct sock *sk)
{
	skb_orphan(skb);
	skb->sk = sk;
	sk->sk_rmem_alloc += (s32)skb->truesize;
}
