// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Socket calls: the recv family, splice, read_sock, shutdown, close.
 * How: what net/socket.c does around sk_prot->recvmsg, then the model.
 * Left out: MSG_CMSG_COMPAT, time stamps, security hooks.
 */
#include "sim/call/syscall.h"

/* One message: arguments in, result out. */
static s64 recv_one(struct sim *s, struct call_result *res,
		    const struct trace_call *c, enum iter_type type, u32 ctl,
		    u32 flags)
{
	struct sock *sk = s->conn.sk;
	struct iovec_m iov[TRACE_IOV_MAX];
	struct msghdr msg = { 0 };
	int ret;

	user_memory(s, res, c->iov, c->iov_n, iov);
	iov_iter_init(&msg.iter, type, iov, c->iov_n);
	msg.controllen = ctl;
	msg.msg_flags = flags & M_MSG_CMSG_CLOEXEC;
	if (sk->sk_nonblock)
		flags |= M_MSG_DONTWAIT;
	ret = sk->sk_prot->recvmsg(sk, &msg, iov_iter_count(&msg.iter),
				   (int)flags);
	user_measure(res, ret);
	res->msg_flags = msg.msg_flags;
	res->controllen = msg.control_used;
	res->cmsg_count = msg.cmsg_count;
	res->cmsg_type = msg.cmsg_type;
	res->cmsg_partial = msg.cmsg_partial;
	return ret;
}

/* read(2) and readv(2) of nothing in all stop in the file layer. */
static bool reads_nothing(const struct trace_call *c)
{
	u32 i;

	if (c->kind != CALL_READ && c->kind != CALL_READV)
		return false;
	for (i = 0; i < c->iov_n; i++) {
		if (c->iov[i].len)
			return false;
	}
	return true;
}

void sys_recv(struct sim *s, struct sim_task *t)
{
	const struct trace_call *c = t->call;
	bool one = c->kind == CALL_RECV || c->kind == CALL_READ;
	u32 ctl = c->kind == CALL_RECVMSG ? c->ctl : 0;

	if (reads_nothing(c)) {
		m_reason(&s->k, REASON_ZERO_READ);
		t->res.ret = 0;
		return;
	}
	t->res.ret = recv_one(s, &t->res, c, one ? ITER_UBUF : ITER_IOVEC, ctl,
			      c->flags);
}

/* What recvmmsg of no message returns without having looked at sk_err. */
static int recvmmsg_none(const struct sim *s, u32 flags)
{
	if (flags & M_MSG_ERRQUEUE && m_has(&s->k, CHANGE_RECVMMSG_NONE_EBADF))
		return -EBADF;
	return 0;
}

/* Messages until one fails; an error behind good ones goes to sk_err. */
void sys_recvmmsg(struct sim *s, struct sim_task *t)
{
	const struct trace_call *c = t->call;
	struct sock *sk = s->conn.sk;
	u32 flags = c->flags & ~(u32)M_MSG_WAITFORONE;
	struct call_result *part;
	s64 ret = 0;

	if (!(flags & M_MSG_ERRQUEUE))
		ret = sock_error(sk);
	if (ret) {
		m_reason(&s->k, REASON_RECVMMSG_SK_ERR);
		t->res.ret = ret;
		return;
	}
	t->res.part = mem_pool_alloc(s->pool, (c->count + 1) * sizeof(*part));
	while (t->res.part_n < c->count) {
		part = &t->res.part[t->res.part_n];
		ret = recv_one(s, part, c, ITER_IOVEC, c->ctl, flags);
		part->ret = ret;
		if (ret < 0)
			break;
		t->res.part_n++;
		if (c->flags & M_MSG_WAITFORONE)
			flags |= M_MSG_DONTWAIT;
		if (part->msg_flags & M_MSG_OOB)
			break;
	}
	t->res.ret = t->res.part_n ? t->res.part_n : ret;
	if (ret < 0 && t->res.part_n && ret != -EAGAIN)
		sk_set_err(sk, (int)-ret);
	if (!c->count) {
		m_reason(&s->k, REASON_ZERO_READ);
		t->res.ret = recvmmsg_none(s, flags);
	}
}

void sys_splice(struct sim *s, struct sim_task *t)
{
	const struct trace_call *c = t->call;
	struct pipe_inode_info *pipe = s->pipes[c->pipe];

	t->res.ret =
		splice_file_to_pipe(s->conn.sk, pipe, c->iov[0].len, c->flags);
}

/* The consumer behind read_sock: keeps what it takes. */
struct actor {
	struct sim *s;
	struct sim_task *t;
	u32 calls;
};

static void keep_bytes(struct actor *a, struct sk_buff *skb, u32 offset,
		       u32 len)
{
	struct call_result *res = &a->t->res;
	u32 want = res->data_len + len;
	u8 *bigger;

	if (want > res->buf_size) {
		res->buf_size = want > 2 * res->buf_size ? want :
							   2 * res->buf_size;
		bigger = mem_pool_alloc_raw(a->s->pool, res->buf_size);
		if (res->data_len)
			memcpy(bigger, res->buf, res->data_len);
		res->buf = bigger;
	}
	M_ASSERT(!skb_copy_bits(skb, offset, res->buf + res->data_len, len),
		 "read_sock offered bytes that are not there");
	res->data_len = want;
}

static int take_some(read_descriptor_t *desc, struct sk_buff *skb, u32 offset,
		     size_t len)
{
	struct actor *a = desc->arg;
	const struct trace_call *c = a->t->call;
	size_t n = min_t(size_t, len, desc->count);
	s32 take;

	if (c->take_n) {
		take = c->take[min_t(u32, a->calls, c->take_n - 1)];
		a->calls++;
		if (take <= 0)
			return take;
		n = min_t(size_t, n, (size_t)take);
	}
	if (n)
		keep_bytes(a, skb, offset, (u32)n);
	desc->count -= n;
	desc->written += n;
	return (int)n;
}

void sys_read_sock(struct sim *s, struct sim_task *t)
{
	struct sock *sk = s->conn.sk;
	struct actor a = { .s = s, .t = t };
	read_descriptor_t desc = { .count = t->call->count, .arg = &a };

	m_reason(&s->k, REASON_DONE); /* plain TCP's has none of its own */
	lock_sock(sk);
	t->res.ret = sk->ops->read_sock(sk, &desc, take_some);
	release_sock(sk);
}

void sys_fionread(struct sim *s, struct sim_task *t)
{
	t->res.ret = tcp_ioctl_inq(s->conn.sk);
}

void sys_nonblock(struct sim *s, struct sim_task *t)
{
	s->conn.sk->sk_nonblock = t->call->val != 0;
	m_reason(&s->k, REASON_DONE);
	t->res.ret = 0;
}

void sys_shutdown(struct sim *s, struct sim_task *t)
{
	t->res.ret = tcp_shutdown(s->conn.sk, (int)t->call->val);
}

/* The descriptor is gone at once; the socket goes when its last user does. */
void sys_close(struct sim *s, struct sim_task *t)
{
	(void)t;
	m_reason(&s->k, REASON_DONE);
	s->conn.closed = true;
	s->conn.close_pending = true;
}

void sys_disconnect(struct sim *s, struct sim_task *t)
{
	t->res.ret = inet_disconnect(s->conn.sk);
}
