// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One call of a task, with the arguments of the job, and what it gave.
 * How: buffers lie one behind the other in the task's memory, filled with a
 * byte that no plaintext has, so that afterwards can be seen how far the kernel
 * wrote. Runs on the task's thread.
 * Left out: calls on the closed socket: NO_FD makes them fail by themselves.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/judge/agent.h"

#define IOV_N 16
#define BAD_ADDRESS ((void *)8)
#define OPT_ROOM 65536u
#define OPT_SHOWN 128u
#define SOL_TLS_LEVEL 282
#define RECORD_TYPE 2

/* User memory of one message. */
struct memory {
	struct iovec iov[IOV_N];
	uint8_t *at;
	uint32_t size;
	uint32_t watched;
};

static int64_t result(int64_t ret)
{
	return ret < 0 ? -errno : ret;
}

/* Cuts @m out of @at; returns how much was taken. */
static uint32_t prepare(const struct job_op *op, uint8_t *at, struct memory *m)
{
	const uint32_t *len = (const void *)job_at(op->data);
	uint32_t i, n = op->data_n < IOV_N ? op->data_n : IOV_N;

	m->at = at;
	m->size = 0;
	for (i = 0; i < n; i++) {
		m->iov[i].iov_len = len[i] & ~JOB_IOV_BAD;
		m->iov[i].iov_base = BAD_ADDRESS;
		if (len[i] & JOB_IOV_BAD)
			continue;
		m->iov[i].iov_base = at + m->size;
		m->size += len[i];
	}
	m->watched = m->size < job->watched ? m->size : job->watched;
	memset(at, JOB_USER_FILL, m->watched);
	return m->size;
}

static bool untouched(const uint8_t *p, uint32_t n)
{
	return !n || (p[0] == JOB_USER_FILL && !memcmp(p, p + 1, n - 1));
}

/* What was delivered, what was touched behind it. */
static void measure(const struct memory *m, struct job_answer *ans)
{
	uint32_t n = ans->ret > 0 ? (uint32_t)ans->ret : 0, end = m->watched;
	uint32_t room = job->flags & JOB_ALL_DATA ? UINT32_MAX : JOB_DATA_SHORT;

	if (n > end)
		n = end;
	ans->data_len = n;
	ans->hash = job_hash(m->at, n);
	ans->size = n < room ? n : room;
	if (untouched(m->at + n, end - n))
		return;
	while (end > n && m->at[end - 1] == JOB_USER_FILL)
		end--;
	ans->past = end - n;
}

static void record_types(struct msghdr *msg, struct job_answer *ans)
{
	struct cmsghdr *c;

	ans->msg_flags = (uint32_t)msg->msg_flags;
	ans->controllen = (uint32_t)msg->msg_controllen;
	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_TLS_LEVEL ||
		    c->cmsg_type != RECORD_TYPE) {
			ans->cmsg_other = 1;
		} else if (c->cmsg_len >= CMSG_LEN(1)) {
			ans->cmsg_type = *CMSG_DATA(c);
			ans->cmsg_count++;
		} else {
			ans->cmsg_partial = 1;
		}
	}
}

static void do_recvmsg(struct task *t)
{
	const struct job_op *op = t->op;
	_Alignas(struct cmsghdr) uint8_t control[1024];
	struct msghdr msg = { 0 };
	struct memory m;

	prepare(op, t->buf, &m);
	msg.msg_iov = m.iov;
	msg.msg_iovlen = op->data_n;
	if (op->ctl) {
		msg.msg_control = control;
		msg.msg_controllen =
			op->ctl < sizeof(control) ? op->ctl : sizeof(control);
	}
	t->ans.ret = result(recvmsg(conn.rx, &msg, (int)op->flags));
	measure(&m, &t->ans);
	if (t->ans.ret >= 0)
		record_types(&msg, &t->ans);
	t->out = m.at;
}

static void do_read(struct task *t)
{
	const struct job_op *op = t->op;
	struct memory m;
	void *at;
	size_t n;

	prepare(op, t->buf, &m);
	at = m.iov[0].iov_base;
	n = m.iov[0].iov_len;
	if (op->call == JC_RECV)
		t->ans.ret = recv(conn.rx, at, n, (int)op->flags);
	else if (op->call == JC_READ)
		t->ans.ret = read(conn.rx, at, n);
	else if (op->call == JC_PREAD)
		t->ans.ret = read(conn.pipe[op->pipe][0], at, n);
	else
		t->ans.ret = readv(conn.rx, m.iov, (int)op->data_n);
	t->ans.ret = result(t->ans.ret);
	measure(&m, &t->ans);
	t->out = m.at;
}

static void do_recvmmsg(struct task *t)
{
	static struct mmsghdr mm[JOB_TASKS_MAX][PARTS_MAX];
	static struct memory mem[JOB_TASKS_MAX][PARTS_MAX];
	_Alignas(struct cmsghdr) uint8_t control[64][64];
	const struct job_op *op = t->op;
	struct mmsghdr *h = mm[op->task];
	struct memory *m = mem[op->task];
	uint32_t i, at = 0, n = op->count < PARTS_MAX ? op->count : PARTS_MAX;
	struct job_answer *part;

	for (i = 0; i < n; i++) {
		at += prepare(op, t->buf + at, &m[i]);
		memset(&h[i], 0, sizeof(h[i]));
		h[i].msg_hdr.msg_iov = m[i].iov;
		h[i].msg_hdr.msg_iovlen = op->data_n;
		if (op->ctl && i < 64) {
			h[i].msg_hdr.msg_control = control[i];
			h[i].msg_hdr.msg_controllen = op->ctl < 64 ? op->ctl :
								     64;
		}
	}
	t->ans.ret = result(recvmmsg(conn.rx, h, n, (int)op->flags, NULL));
	t->ans.part_n = t->ans.ret > 0 ? (uint32_t)t->ans.ret : 0;
	for (i = 0; i < t->ans.part_n; i++) {
		part = &t->part[i];
		memset(part, 0, sizeof(*part));
		part->kind = ANS_PART;
		part->ret = h[i].msg_len;
		measure(&m[i], part);
		record_types(&h[i].msg_hdr, part);
		part->pad2 = (uint32_t)(m[i].at - t->buf);
	}
}

static void do_splice(struct task *t)
{
	const struct job_op *op = t->op;

	t->ans.ret = result(splice(conn.rx, NULL, conn.pipe[op->pipe][1], NULL,
				   (size_t)op->len, op->flags));
}

static void set_mask(struct task *t, int64_t ret, uint32_t mask)
{
	t->ans.ret = result(ret);
	t->ans.mask = ret > 0 ? mask : 0;
}

static int timeout_ms(const struct job_op *op)
{
	return op->timeout_ns < 0 ? -1 : (int)(op->timeout_ns / 1000000);
}

static void do_poll(struct task *t, int fd)
{
	struct pollfd p = { .fd = fd, .events = (short)t->op->flags };
	int ret = poll(&p, 1, timeout_ms(t->op));

	if (ret > 0 && (p.revents & POLLNVAL))
		t->ans.ret = -EBADF; /* as if poll knew only one descriptor */
	else
		set_mask(t, ret, (uint16_t)p.revents);
}

static void do_epoll(struct task *t)
{
	const struct job_op *op = t->op;
	struct epoll_event ev = { .events = op->flags };
	int *ep = &conn.ep[op->edge], ret;

	if (op->edge)
		ev.events |= EPOLLET;
	if (*ep < 0) {
		*ep = epoll_create1(EPOLL_CLOEXEC);
		if (epoll_ctl(*ep, EPOLL_CTL_ADD, conn.rx, &ev)) {
			t->ans.ret = -errno;
			close(*ep);
			*ep = -1;
			return;
		}
	} else if (conn.ep_asked[op->edge] != op->flags &&
		   epoll_ctl(*ep, EPOLL_CTL_MOD, conn.rx, &ev)) {
		t->ans.ret = -errno;
		return;
	}
	conn.ep_asked[op->edge] = op->flags;
	ret = epoll_wait(*ep, &ev, 1, timeout_ms(op));
	set_mask(t, ret, ev.events);
}

static void do_fionread(struct task *t, int fd)
{
	int n = 0;

	t->ans.ret = ioctl(fd, FIONREAD, &n) ? -errno : n;
}

/* Zeroed memory with the value in it. */
static uint8_t *option_memory(struct task *t)
{
	const struct job_op *op = t->op;
	uint32_t n = OPT_SHOWN;

	if (op->len > (int32_t)n)
		n = op->len < (int32_t)OPT_ROOM ? (uint32_t)op->len : OPT_ROOM;
	memset(t->buf, 0, n);
	memcpy(t->buf, job_at(op->data), op->data_n);
	return op->edge ? NULL : t->buf;
}

static void do_setsockopt(struct task *t)
{
	const struct job_op *op = t->op;

	t->ans.ret = result(setsockopt(conn.rx, op->level, op->opt,
				       option_memory(t), (socklen_t)op->len));
}

static void do_getsockopt(struct task *t)
{
	const struct job_op *op = t->op;
	socklen_t len = (socklen_t)op->len;
	uint32_t n;

	t->ans.ret = result(getsockopt(conn.rx, op->level, op->opt,
				       option_memory(t), &len));
	t->ans.opt_len = (int32_t)len;
	if (t->ans.ret || op->edge || t->ans.opt_len < 0)
		return;
	n = len < OPT_SHOWN ? len : OPT_SHOWN;
	t->ans.hash = job_hash(t->buf, n);
	t->ans.size = n;
	t->out = t->buf;
}

static void do_nonblock(struct task *t)
{
	int fl = fcntl(conn.rx, F_GETFL);

	if (fl >= 0)
		fl = fcntl(conn.rx, F_SETFL,
			   t->op->val ? fl | O_NONBLOCK : fl & ~O_NONBLOCK);
	t->ans.ret = fl < 0 ? -errno : 0;
	if (fl >= 0)
		conn.nonblock = t->op->val;
}

static void do_close(struct task *t)
{
	int fd = conn.rx;

	conn.rx = NO_FD;
	t->ans.ret = result(close(fd));
}

static void do_disconnect(struct task *t)
{
	struct sockaddr sa = { .sa_family = AF_UNSPEC };

	t->ans.ret = result(connect(conn.rx, &sa, sizeof(sa)));
}

static void do_pwrite(struct task *t)
{
	const struct job_op *op = t->op;

	memset(t->buf, 0xff, (size_t)op->val);
	t->ans.ret =
		result(write(conn.pipe[op->pipe][1], t->buf, (size_t)op->val));
}

static void do_pclose(struct task *t)
{
	int *fd = &conn.pipe[t->op->pipe][t->op->edge];
	int old = *fd;

	*fd = NO_FD;
	t->ans.ret = result(close(old));
}

/* An end that is open, for what concerns the pipe as a whole. */
static int pipe_end(uint8_t pipe)
{
	const int *fd = conn.pipe[pipe];

	return fd[0] != NO_FD ? fd[0] : fd[1];
}

static void perform(struct task *t)
{
	const struct job_op *op = t->op;

	switch ((enum job_call)op->call) {
	case JC_RECVMSG:
		do_recvmsg(t);
		break;
	case JC_RECV:
	case JC_READ:
	case JC_READV:
	case JC_PREAD:
		do_read(t);
		break;
	case JC_RECVMMSG:
		do_recvmmsg(t);
		break;
	case JC_SPLICE:
		do_splice(t);
		break;
	case JC_POLL:
		do_poll(t, conn.rx);
		break;
	case JC_PPOLL:
		do_poll(t, conn.pipe[op->pipe][0]);
		break;
	case JC_EPOLL:
		do_epoll(t);
		break;
	case JC_FIONREAD:
		do_fionread(t, conn.rx);
		break;
	case JC_PIONREAD:
		do_fionread(t, pipe_end(op->pipe));
		break;
	case JC_SETSOCKOPT:
		do_setsockopt(t);
		break;
	case JC_GETSOCKOPT:
		do_getsockopt(t);
		break;
	case JC_NONBLOCK:
		do_nonblock(t);
		break;
	case JC_SHUTDOWN:
		t->ans.ret = result(shutdown(conn.rx, (int)op->val));
		break;
	case JC_CLOSE:
		do_close(t);
		break;
	case JC_DISCONNECT:
		do_disconnect(t);
		break;
	case JC_PWRITE:
		do_pwrite(t);
		break;
	case JC_PRESIZE:
		t->ans.ret = result(
			fcntl(pipe_end(op->pipe), F_SETPIPE_SZ, (int)op->val));
		break;
	case JC_PCLOSE:
		do_pclose(t);
		break;
	}
}

bool call_hasty(const struct job_op *op)
{
	switch ((enum job_call)op->call) {
	case JC_RECVMSG:
	case JC_RECV:
	case JC_READ:
	case JC_READV:
		return conn.nonblock || op->flags & MSG_DONTWAIT;
	case JC_RECVMMSG:
		return conn.nonblock ||
		       op->flags & (MSG_DONTWAIT | MSG_WAITFORONE);
	case JC_SPLICE:
		return conn.nonblock || op->flags & SPLICE_F_NONBLOCK ||
		       fcntl(conn.pipe[op->pipe][1], F_GETFL) & O_NONBLOCK;
	default:
		return false;
	}
}

void call_perform(struct task *t)
{
	memset(&t->ans, 0, sizeof(t->ans));
	t->ans.kind = ANS_CALL;
	t->ans.stmt = t->op->stmt;
	t->out = NULL;
	perform(t);
}
