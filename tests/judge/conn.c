// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loopback connection: its receiver is the socket on trial, its sender a
 * plain socket with TCP_NODELAY.
 * How: one listener serves all traces without special options; others get
 * their own. Both ends are thrown away with a reset, so no state stays behind.
 * Left out: raw segments (tun.c).
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/judge/agent.h"

#define SENDER_BUF (8 << 20)

const char *loopback_addr = "127.0.0.1";

static int listeners[2] = { -1, -1 }; /* loopback, tun */
static struct sockaddr_in addrs[2];

static int set_int(int fd, int level, int opt, int val)
{
	return setsockopt(fd, level, opt, &val, sizeof(val));
}

static int make_listener(bool tun, struct sockaddr_in *addr)
{
	socklen_t len = sizeof(*addr);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return trouble("socket", errno);
	*addr = (struct sockaddr_in){ .sin_family = AF_INET };
	addr->sin_addr.s_addr = inet_addr(tun ? TUN_ADDR : loopback_addr);
	if (job->rcvbuf && set_int(fd, SOL_SOCKET, SO_RCVBUF, (int)job->rcvbuf))
		goto err;
	if (job->mss && set_int(fd, IPPROTO_TCP, TCP_MAXSEG, (int)job->mss))
		goto err;
	if (!bind(fd, (struct sockaddr *)addr, len) && !listen(fd, 16) &&
	    !getsockname(fd, (struct sockaddr *)addr, &len))
		return fd;
err:
	trouble("listener", errno);
	close(fd);
	return -1;
}

static int connect_sender(const struct sockaddr_in *addr)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return trouble("socket", errno);
	set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	if (set_int(fd, SOL_SOCKET, SO_SNDBUFFORCE, SENDER_BUF))
		set_int(fd, SOL_SOCKET, SO_SNDBUF, SENDER_BUF);
	if (connect(fd, (const struct sockaddr *)addr, sizeof(*addr))) {
		trouble("connect", errno);
		close(fd);
		return -1;
	}
	return fd;
}

static int connect_both(int listener, const struct sockaddr_in *addr)
{
	if (job->flags & JOB_TUN) {
		if (tun_connect(addr->sin_port))
			return -1;
	} else {
		conn.tx = connect_sender(addr);
		if (conn.tx < 0)
			return -1;
	}
	conn.rx = accept4(listener, NULL, NULL,
			  conn.nonblock ? SOCK_NONBLOCK | SOCK_CLOEXEC :
					  SOCK_CLOEXEC);
	if (conn.rx >= 0)
		return 0;
	conn.rx = NO_FD;
	return trouble("accept", errno);
}

int conn_open(void)
{
	bool tun = job->flags & JOB_TUN;
	struct sockaddr_in addr;
	int i, fd, ret;

	conn.nonblock = job->flags & JOB_NONBLOCK;
	conn.rx = NO_FD;
	conn.tx = -1;
	conn.ep[0] = -1;
	conn.ep[1] = -1;
	for (i = 0; i < (int)JOB_PIPES_MAX; i++)
		conn.pipe[i][0] = conn.pipe[i][1] = -1;
	if (tun && tun_open())
		return -1;
	if (job->rcvbuf || job->mss) {
		fd = make_listener(tun, &addr);
		if (fd < 0)
			return -1;
		ret = connect_both(fd, &addr);
		close(fd);
		return ret;
	}
	if (listeners[tun] < 0)
		listeners[tun] = make_listener(tun, &addrs[tun]);
	return listeners[tun] < 0 ? -1 :
				    connect_both(listeners[tun], &addrs[tun]);
}

/* What the connection does not take is lost, as in the model. */
void conn_send(const struct job_op *op)
{
	uint32_t at = op->off, end = op->off + (uint32_t)op->len, n;
	int flags;
	for (; at < end && conn.tx >= 0; at += n) {
		n = op->cut && op->cut < end - at ? op->cut : end - at;
		flags = MSG_NOSIGNAL | MSG_DONTWAIT;
		if (op->urg && at + n == end)
			flags |= MSG_OOB;
		if (send(conn.tx, job_at(job->stream + at), n, flags) < 0)
			return;
	}
}

void conn_fin(void)
{
	if (conn.tx >= 0)
		shutdown(conn.tx, SHUT_WR);
}

void conn_rst(void)
{
	struct linger hard = { 1, 0 };

	if (conn.tx < 0)
		return;
	setsockopt(conn.tx, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
	close(conn.tx);
	conn.tx = -1;
}

static void close_fd(int *fd)
{
	if (*fd >= 0 && *fd != NO_FD)
		close(*fd);
	*fd = -1;
}

void conn_close(void)
{
	int i;

	close_fd(&conn.ep[0]);
	close_fd(&conn.ep[1]);
	close_fd(&conn.rx);
	conn.rx = NO_FD;
	for (i = 0; i < (int)JOB_PIPES_MAX; i++) {
		close_fd(&conn.pipe[i][0]);
		close_fd(&conn.pipe[i][1]);
	}
	if (job->flags & JOB_TUN)
		tun_close();
}

int conn_pipe(const struct job_op *op)
{
	int *fd = conn.pipe[op->pipe];

	if (fd[0] >= 0)
		return 0;
	if (pipe2(fd, O_CLOEXEC | (op->val ? O_NONBLOCK : 0)))
		return trouble("pipe", errno);
	/* 65536 is what a pipe has */
	if (op->len != 65536 && fcntl(fd[0], F_SETPIPE_SZ, op->len) < 0)
		return trouble("F_SETPIPE_SZ", errno);
	return 0;
}
