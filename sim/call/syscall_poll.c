// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * poll, epoll, and the calls on pipes.
 * How: poll hangs an entry on the socket's queue while it waits. An epoll
 * registration is made at first use, changed by a call that asks for other
 * events, and stays until the socket goes; its entry's callback puts it on the
 * (one-element) ready list, edge-triggered waits take it off, level-triggered
 * ones put it back while events are there, as fs/eventpoll.c does.
 * Left out: EPOLLONESHOT, EPOLLEXCLUSIVE, nested epolls.
 */
#include "sim/call/syscall.h"

#define POLL_ALWAYS (M_POLLERR | M_POLLHUP)
/* What a program asks for by default; RDNORM and the like would only repeat these. */
#define POLL_ASKED \
	(M_POLLIN | M_POLLPRI | M_POLLOUT | M_POLLRDHUP | POLL_ALWAYS)
#define EPOLL_ASKED (M_POLLIN | M_POLLPRI | M_POLLRDHUP)

static void mask_reason(struct sim *s, u32 mask)
{
	m_reason(&s->k, mask ? REASON_POLL_READY : REASON_POLL_NOTHING);
}

/* TLS says why the socket is (not) readable, TCP does not. */
static u32 sock_mask(struct sim *s, u32 asked)
{
	struct sock *sk = s->conn.sk;
	u32 mask;

	m_reason(&s->k, REASON_NONE);
	mask = sk->ops->poll(sk) & asked;
	if (s->k.current->reason == REASON_NONE)
		mask_reason(s, mask);
	return mask;
}

static void result_mask(struct sim_task *t, u32 mask)
{
	t->res.mask = mask;
	t->res.ret = mask ? 1 : 0;
}

/* Milliseconds and "for ever" to a sleep. */
static s64 poll_timeout(const struct trace_call *c)
{
	return c->timeout_ns < 0 ? MAX_SCHEDULE_TIMEOUT : c->timeout_ns;
}

/* True: sleep on. Sets the result and a reason otherwise. */
static bool nothing_yet(struct sim *s, struct sim_task *t, u32 mask, s64 left)
{
	result_mask(t, mask);
	if (mask)
		return false;
	if (!left) {
		if (t->call->timeout_ns)
			m_reason(&s->k, REASON_POLL_TIMEOUT);
		return false;
	}
	if (t->signalled) {
		m_reason(&s->k, REASON_POLL_SIGNAL);
		t->res.ret = -EINTR; /* poll is never restarted */
		return false;
	}
	return true;
}

void sys_poll(struct sim *s, struct sim_task *t)
{
	u32 asked = t->call->flags ? t->call->flags | POLL_ALWAYS : POLL_ASKED;
	struct wait_queue_entry wait;
	s64 left = poll_timeout(t->call);

	init_wait_entry(&wait, &t->t);
	add_wait_queue(&s->conn.sk->sk_wq, &wait);
	while (nothing_yet(s, t, sock_mask(s, asked), left))
		left = m_schedule(&s->k, M_SLEEP_POLL, left, true);
	remove_wait_queue(&wait);
}

static void epoll_callback(struct wait_queue_entry *wqe, u32 mask)
{
	struct sim_epoll *ep = container_of(wqe, struct sim_epoll, wqe);

	if (mask && !(mask & ep->asked))
		return;
	ep->ready = true;
	if (wq_has_sleeper(&ep->wq))
		wake_up_poll(wqe->priv, &ep->wq, 0);
}

static void epoll_register(struct sim *s, struct sim_epoll *ep)
{
	ep->made = true;
	ep->registered = true;
	init_wait_entry(&ep->wqe, NULL);
	ep->wqe.func = epoll_callback;
	ep->wqe.priv = &s->k;
	init_waitqueue_head(&ep->wq);
	add_wait_queue(&s->conn.sk->sk_wq, &ep->wqe);
	ep->ready = sock_mask(s, ep->asked) != 0;
}

static u32 epoll_asked(const struct trace_call *c)
{
	return (c->flags ? c->flags : EPOLL_ASKED) | POLL_ALWAYS;
}

/* EPOLL_CTL_ADD, or EPOLL_CTL_MOD if there is another one; false: it failed,
 * the socket is gone. */
static bool epoll_control(struct sim *s, struct sim_epoll *ep,
			  const struct trace_call *c)
{
	u32 asked = epoll_asked(c);

	ep->edge = c->edge;
	if (ep->made && ep->asked == asked)
		return true;
	if (ep->made && !ep->registered)
		return false;
	ep->asked = asked;
	if (!ep->made)
		epoll_register(s, ep);
	else if (!ep->ready && sock_mask(s, asked))
		epoll_callback(&ep->wqe, 0);
	return true;
}

/* What one look at the ready list gives. */
static u32 epoll_collect(struct sim *s, struct sim_epoll *ep)
{
	u32 mask;

	if (!ep->ready) {
		mask_reason(s, 0);
		return 0;
	}
	ep->ready = false;
	mask = sock_mask(s, ep->asked);
	if (mask && !ep->edge)
		ep->ready = true;
	if (ep->ready && wq_has_sleeper(&ep->wq))
		wake_up_poll(&s->k, &ep->wq, 0); /* for the next waiter, too */
	return mask;
}

/* One wakeup wakes one waiter, the youngest: exclusive, but at the head. */
static s64 epoll_sleep(struct sim *s, struct sim_epoll *ep, s64 left)
{
	struct wait_queue_entry wait;

	init_wait_entry(&wait, s->k.current);
	add_wait_queue(&ep->wq, &wait);
	wait.exclusive = true;
	left = m_schedule(&s->k, M_SLEEP_POLL, left, true);
	remove_wait_queue(&wait);
	return left;
}

struct sim_epoll *epoll_of(struct sim *s, const struct trace_call *c)
{
	return c->edge ? &s->conn.ep_et : &s->conn.ep_lt;
}

/* The epoll outlives the socket: then there is nothing to wait for in it. */
void sys_epoll(struct sim *s, struct sim_task *t)
{
	struct sim_epoll *ep = epoll_of(s, t->call);
	s64 left = poll_timeout(t->call);

	if (!epoll_control(s, ep, t->call)) {
		m_reason(&s->k, REASON_BAD_FD);
		t->res.ret = -EBADF;
		return;
	}
	t->t.woken = false;
	while (nothing_yet(s, t, epoll_collect(s, ep), left)) {
		if (left)
			left = epoll_sleep(s, ep, left);
	}
}

static void epoll_forget(struct sim_epoll *ep)
{
	if (ep->registered)
		remove_wait_queue(&ep->wqe);
	ep->registered = false;
	ep->ready = false;
}

void epoll_close(struct sim_conn *c)
{
	epoll_forget(&c->ep_lt);
	epoll_forget(&c->ep_et);
}

static s64 pipe_read_call(struct sim *s, struct sim_task *t,
			  struct pipe_inode_info *pipe)
{
	const struct trace_iov buf = { .len = (u32)t->call->val,
				       .bad = t->call->iov[0].bad };
	struct iovec_m iov;
	struct iov_iter it;
	s64 ret;

	user_memory(s, &t->res, &buf, 1, &iov);
	iov_iter_init(&it, ITER_UBUF, &iov, 1);
	ret = pipe_read(pipe, &it);
	user_measure(&t->res, ret);
	return ret;
}

static s64 pipe_write_call(struct sim *s, struct sim_task *t,
			   struct pipe_inode_info *pipe)
{
	u32 len = (u32)t->call->val;
	u8 *buf = mem_pool_alloc_raw(s->pool, len + 1);

	memset(buf, 0xff, len);
	return pipe_write(pipe, buf, len);
}

void sys_pipe(struct sim *s, struct sim_task *t)
{
	struct pipe_inode_info *pipe = s->pipes[t->call->pipe];
	s64 ret = 0;

	m_reason(&s->k, REASON_DONE);
	switch (t->call->kind) {
	case CALL_PREAD:
		ret = pipe_read_call(s, t, pipe);
		break;
	case CALL_PWRITE:
		ret = pipe_write_call(s, t, pipe);
		break;
	case CALL_PIONREAD:
		ret = pipe_fionread(pipe);
		break;
	case CALL_PPOLL:
		result_mask(t, pipe_poll_read(pipe) & POLL_ASKED);
		mask_reason(s, t->res.mask);
		return;
	case CALL_PRESIZE:
		ret = pipe_resize(pipe, (u32)t->call->val);
		break;
	case CALL_PCLOSE:
		s->pipe_closed[t->call->pipe] |= SIM_FD_CLOSED(t->call->end) |
						 SIM_FD_PENDING(t->call->end);
		break;
	default:
		break;
	}
	t->res.ret = ret;
}
