/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of the simulated system call layer; entry is sim_syscall().
 * Each performs @t->call on the current coroutine, sets @t->res.
 */
#ifndef SIM_SYSCALL_H
#define SIM_SYSCALL_H

#include "sim/inv/inv.h"

/* Fresh user memory for @n iovecs; fills @res->buf and @out. */
void user_memory(struct sim *s, struct call_result *res,
		 const struct trace_iov *iov, u32 n, struct iovec_m *out);
/* After a call that returned @ret: what was delivered, what was touched. */
void user_measure(struct call_result *res, s64 ret);

/* syscall_sock.c */
void sys_recv(struct sim *s, struct sim_task *t);
void sys_recvmmsg(struct sim *s, struct sim_task *t);
void sys_splice(struct sim *s, struct sim_task *t);
void sys_read_sock(struct sim *s, struct sim_task *t);
void sys_fionread(struct sim *s, struct sim_task *t);
void sys_nonblock(struct sim *s, struct sim_task *t);
void sys_shutdown(struct sim *s, struct sim_task *t);
void sys_close(struct sim *s, struct sim_task *t);
void sys_disconnect(struct sim *s, struct sim_task *t);

/* syscall_opt.c. The value a setsockopt passes when nothing else is said, into
 * @out of 128 bytes; returns its length. */
u32 opt_value(struct sim *s, const struct trace_call *c, u8 *out);
/* Room a getsockopt offers when nothing else is said. */
u32 opt_room(const struct sim *s, const struct trace_call *c);
void sys_setsockopt(struct sim *s, struct sim_task *t);
void sys_getsockopt(struct sim *s, struct sim_task *t);

/* syscall_poll.c */
void sys_poll(struct sim *s, struct sim_task *t);
void sys_epoll(struct sim *s, struct sim_task *t);
void sys_pipe(struct sim *s, struct sim_task *t);
/* What an epoll call waits in. */
struct sim_epoll *epoll_of(struct sim *s, const struct trace_call *c);
/* Takes the registrations off the socket, which is about to go. */
void epoll_close(struct sim_conn *c);

#endif
