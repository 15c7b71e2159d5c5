// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trace again and again, as fast as a program can: what this kernel costs,
 * without what watching costs.
 * How: no threads, no states of tasks, no answers: connect, options, writes and
 * reads one after the other, and both ends thrown away. Data must come in the
 * lengths that were asked for.
 * Left out: all other calls, and everything that could sleep.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/judge/agent.h"

static int listener = -1;
static struct sockaddr_in addr;

static int open_listener(void)
{
	socklen_t len = sizeof(addr);

	if (listener >= 0)
		return 0;
	addr = (struct sockaddr_in){ .sin_family = AF_INET };
	addr.sin_addr.s_addr = inet_addr(loopback_addr);
	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&addr, len))
		return -1;
	return listen(listener, 16) ||
	       getsockname(listener, (struct sockaddr *)&addr, &len);
}

static int both_ends(int fd[2])
{
	int one = 1;

	fd[1] = -1;
	fd[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd[0] < 0 ||
	    connect(fd[0], (const struct sockaddr *)&addr, sizeof(addr)))
		return -1;
	setsockopt(fd[0], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	fd[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	return fd[1] < 0 ? -1 : 0;
}

static int receive(int fd, const struct job_op *op)
{
	const uint32_t *len = (const void *)job_at(op->data);
	_Alignas(struct cmsghdr) uint8_t control[64];
	static uint8_t buf[65536];
	struct iovec iov = { buf, len[0] };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };

	if (op->call != JC_RECVMSG || op->data_n != 1 || len[0] > sizeof(buf))
		return -1;
	return recvmsg(fd, &msg, MSG_DONTWAIT) == (ssize_t)len[0] ? 0 : -1;
}

static int perform(const int fd[2], const struct job_op *op)
{
	switch ((enum job_op_kind)op->kind) {
	case OP_SETUP:
		return setsockopt(fd[1], op->level, op->opt, job_at(op->data),
				  (socklen_t)op->len);
	case OP_SEND:
		return send(fd[0], job_at(job->stream + op->off),
			    (size_t)op->len, MSG_NOSIGNAL) == op->len ?
			       0 :
			       -1;
	case OP_CALL:
		return receive(fd[1], op);
	default:
		errno = EINVAL;
		return -1;
	}
}

static void throw_away(const int fd[2])
{
	struct linger hard = { 1, 0 };

	if (fd[0] >= 0) {
		setsockopt(fd[0], SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
		close(fd[0]);
	}
	if (fd[1] >= 0)
		close(fd[1]);
}

static int once(void)
{
	const struct job_op *op = (const void *)(job + 1);
	int fd[2], ret = both_ends(fd);
	uint32_t i;

	for (i = 0; i < job->op_n && !ret; i++)
		ret = perform(fd, op + i);
	throw_away(fd);
	return ret;
}

int loop_run(uint32_t rounds)
{
	if (open_listener())
		return -1;
	while (rounds--) {
		if (once())
			return -1;
	}
	return 0;
}
