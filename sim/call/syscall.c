// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * System calls of a task: from arguments to the model and back to a result.
 * How: user memory is one filled block per call, cut into the iovecs; the fill
 * shows afterwards how far the kernel wrote. Restarting after signals is done
 * here, as the entry code of a real kernel does it.
 * Left out: socket calls (syscall_sock.c), options (syscall_opt.c) and pipes
 * and pollers (syscall_poll.c).
 */
#include "sim/call/syscall.h"

#include "sim/inv/ledger.h"

/* What user memory holds before a call; no plaintext of a trace has it. */
#define USER_FILL 0xff

void user_memory(struct sim *s, struct call_result *res,
		 const struct trace_iov *iov, u32 n, struct iovec_m *out)
{
	size_t size = 0, off = 0;
	u32 i;

	for (i = 0; i < n; i++)
		size += iov[i].bad ? 0 : iov[i].len;
	res->buf = mem_pool_alloc_raw(s->pool, size + 1);
	res->buf_size = (u32)size;
	/* no byte comes from nowhere: behind all the peer has, none is written */
	res->watched = (u32)min_t(u64, size, s->bytes_max);
	memset(res->buf, USER_FILL, res->watched);
	for (i = 0; i < n; i++) {
		out[i].base = iov[i].bad ? NULL : res->buf + off;
		out[i].len = iov[i].len;
		off += iov[i].bad ? 0 : iov[i].len;
	}
}

/* Distance of the last byte in p[0..n) that is not the fill byte. */
static u32 touched(const u8 *p, u32 n)
{
	u64 word, fill;

	if (!n || (p[0] == USER_FILL && !memcmp(p, p + 1, n - 1)))
		return 0;
	memset(&fill, USER_FILL, sizeof(fill));
	for (; n >= sizeof(word); n -= sizeof(word)) {
		memcpy(&word, p + n - sizeof(word), sizeof(word));
		if (word != fill)
			break;
	}
	while (n && p[n - 1] == USER_FILL)
		n--;
	return n;
}

void user_measure(struct call_result *res, s64 ret)
{
	u32 n = ret > 0 ? (u32)ret : 0;
	u32 end = res->watched;

	if (n > end)
		n = end;
	res->data_len = n;
	res->past = touched(res->buf + n, end - n);
}

static void call_once(struct sim *s, struct sim_task *t)
{
	const struct trace_call *c = t->call;

	switch (c->kind) {
	case CALL_RECVMSG:
	case CALL_RECV:
	case CALL_READ:
	case CALL_READV:
		sys_recv(s, t);
		break;
	case CALL_RECVMMSG:
		sys_recvmmsg(s, t);
		break;
	case CALL_SPLICE:
		sys_splice(s, t);
		break;
	case CALL_READ_SOCK:
		sys_read_sock(s, t);
		break;
	case CALL_POLL:
		sys_poll(s, t);
		break;
	case CALL_EPOLL:
		sys_epoll(s, t);
		break;
	case CALL_FIONREAD:
		sys_fionread(s, t);
		break;
	case CALL_SETSOCKOPT:
		sys_setsockopt(s, t);
		break;
	case CALL_GETSOCKOPT:
		sys_getsockopt(s, t);
		break;
	case CALL_NONBLOCK:
		sys_nonblock(s, t);
		break;
	case CALL_SHUTDOWN:
		sys_shutdown(s, t);
		break;
	case CALL_CLOSE:
		sys_close(s, t);
		break;
	case CALL_DISCONNECT:
		sys_disconnect(s, t);
		break;
	case CALL_PREAD:
	case CALL_PWRITE:
	case CALL_PIONREAD:
	case CALL_PPOLL:
	case CALL_PRESIZE:
	case CALL_PCLOSE:
		sys_pipe(s, t);
		break;
	case CALL_COUNT:
		break;
	}
}

static bool is_pipe_call(enum call_kind kind)
{
	switch (kind) {
	case CALL_PREAD:
	case CALL_PWRITE:
	case CALL_PIONREAD:
	case CALL_PPOLL:
	case CALL_PRESIZE:
	case CALL_PCLOSE:
		return true;
	default:
		return false;
	}
}

/* A task in epoll_wait does not keep the socket open. */
static bool uses_socket(enum call_kind kind)
{
	return !is_pipe_call(kind) && kind != CALL_EPOLL;
}

static bool uses_pipe(enum call_kind kind)
{
	return kind == CALL_SPLICE || is_pipe_call(kind);
}

/* The end of its pipe that a call is made with; what is no matter of one end
 * is done with one that is open. */
static u32 pipe_end(const struct sim *s, const struct trace_call *c)
{
	switch (c->kind) {
	case CALL_SPLICE:
	case CALL_PWRITE:
		return 1;
	case CALL_PCLOSE:
		return c->end;
	case CALL_PIONREAD:
	case CALL_PRESIZE:
		return s->pipe_closed[c->pipe] & SIM_FD_CLOSED(0) ? 1 : 0;
	default:
		return 0;
	}
}

static bool fd_closed(struct sim *s, const struct trace_call *c)
{
	if (c->kind == CALL_SPLICE && !c->iov[0].len)
		return false; /* the kernel does not get as far as that */
	if (c->kind == CALL_EPOLL)
		return s->conn.closed && !epoll_of(s, c)->made;
	if (uses_socket(c->kind) && s->conn.closed)
		return true;
	return uses_pipe(c->kind) &&
	       s->pipe_closed[c->pipe] & SIM_FD_CLOSED(pipe_end(s, c));
}

/* Is a task other than @t in a call with that end of the pipe? */
static bool end_in_use(const struct sim *s, const struct sim_task *t, u32 pipe,
		       u32 end)
{
	const struct sim_task *other;
	u32 i;

	for (i = 0; i < s->task_n; i++) {
		other = &s->tasks[i];
		if (other != t && other->state != TASK_IDLE && other->in_call &&
		    uses_pipe(other->call->kind) &&
		    other->call->kind != CALL_PCLOSE &&
		    other->call->pipe == pipe &&
		    pipe_end(s, other->call) == end)
			return true;
	}
	return false;
}

/* close(2) takes effect when no call uses the socket any more. */
static void release_socket(struct sim *s, struct sim_task *t)
{
	struct sim_task *other;
	u32 i;

	if (!s->conn.close_pending)
		return;
	for (i = 0; i < s->task_n; i++) {
		other = &s->tasks[i];
		if (other != t && other->state != TASK_IDLE && other->in_call &&
		    uses_socket(other->call->kind))
			return;
	}
	s->conn.close_pending = false;
	epoll_close(&s->conn);
	ledger_closing(s);
	s->conn.sk->sk_prot->close(s->conn.sk);
}

/* The same for the ends of @t's pipe. */
static void release_pipe(struct sim *s, const struct sim_task *t)
{
	u8 *fds = &s->pipe_closed[t->call->pipe];
	u32 end;

	for (end = 0; end < 2; end++) {
		if (!(*fds & SIM_FD_PENDING(end)) ||
		    end_in_use(s, t, t->call->pipe, end))
			continue;
		*fds &= (u8)~SIM_FD_PENDING(end);
		if (end)
			pipe_close_writer(s->pipes[t->call->pipe]);
		else
			pipe_close_reader(s->pipes[t->call->pipe]);
	}
}

/* What the call used is no longer in use. */
static void release(struct sim *s, struct sim_task *t)
{
	t->in_call = false;
	release_socket(s, t);
	if (uses_pipe(t->call->kind))
		release_pipe(s, t);
}

/* From looking up descriptors to letting go of them. */
static void enter(struct sim *s, struct sim_task *t)
{
	if (fd_closed(s, t->call)) {
		m_reason(&s->k, REASON_BAD_FD);
		t->res.ret = -EBADF;
		return;
	}
	t->in_call = true;
	call_once(s, t);
}

void sim_syscall(struct sim *s, struct sim_task *t)
{
	const struct trace_call *c = t->call;

	if (uses_pipe(c->kind))
		stmt_make_pipe(s, c->pipe); /* a schedule may be ahead of it */
	sim_event(s, EV_CALL, c->kind, t->stmt, 0);
	s->counters[CNT_SPLICES] += c->kind == CALL_SPLICE;
	enter(s, t);
	/* SA_RESTART: the call starts over, its handler has run */
	while (t->res.ret == -ERESTARTSYS && t->signalled && t->sig_restart &&
	       !t->killed) {
		t->signalled = false;
		release(s, t);
		enter(s, t);
	}
	/* Without a signal, as recvmmsg may leave it in sk_err, it gets out. */
	if (t->res.ret == -ERESTARTSYS && t->signalled)
		t->res.ret = -EINTR;
	t->signalled = false;
	t->res.reason = t->t.reason;
	release(s, t);
	if (c->kind == CALL_CLOSE)
		t->res.reason = t->t.reason;
	s->reason_hits[t->res.reason]++;
	M_ASSERT(t->res.reason != REASON_NONE, "%s returned %lld for no reason",
		 call_name[c->kind], (long long)t->res.ret);
	sim_event(s, EV_RETURN, c->kind, t->res.ret, t->res.reason);
	if (unlikely(s->opts.watch) && s->opts.watch->returned)
		s->opts.watch->returned(s->opts.watch->arg, s, t);
	inv_return(s, t);
}
