/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct sock: ownership, backlog, wait queue, errors, receive memory.
 * Mirrors include/net/sock.h and net/core/sock.c.
 */
#ifndef MODEL_SOCK_H
#define MODEL_SOCK_H

#include "model/skb.h"
#include "model/wait.h"

/* TCP states that the receive path tells apart (net/tcp_states.h values). */
enum tcp_state {
	TCP_ESTABLISHED = 1,
	TCP_SYN_SENT,
	TCP_SYN_RECV,
	TCP_FIN_WAIT1,
	TCP_FIN_WAIT2,
	TCP_TIME_WAIT,
	TCP_CLOSE,
	TCP_CLOSE_WAIT,
	TCP_LAST_ACK,
	TCP_LISTEN,
	TCP_CLOSING,
};

enum {
	RCV_SHUTDOWN = 1,
	SEND_SHUTDOWN = 2,
	SHUTDOWN_MASK = 3
};
enum {
	M_SHUT_RD,
	M_SHUT_WR,
	M_SHUT_RDWR
};

/* getsockopt/setsockopt levels and names, Linux numbers. */
enum {
	SOL_SOCKET_M = 1,
	SOL_TCP_M = 6,
	SOL_TLS_M = 282
};
enum {
	SO_ERROR_M = 4,
	SO_RCVBUF_M = 8,
	SO_OOBINLINE_M = 10,
	SO_RCVLOWAT_M = 18,
	SO_RCVTIMEO_M = 20,
	SO_PEEK_OFF_M = 42,
};
enum {
	TCP_ULP_M = 31,
	TCP_INQ_M = 36
};

/**
 * struct read_descriptor - what a read_sock consumer still wants
 * @written: bytes taken
 * @count: 0 stops the loop
 * @error: set by the actor
 * @arg: the consumer's own
 */
typedef struct read_descriptor {
	size_t written;
	size_t count;
	int error;
	void *arg;
} read_descriptor_t;

typedef int (*sk_read_actor_t)(read_descriptor_t *desc, struct sk_buff *skb,
			       u32 offset, size_t len);

/**
 * struct sockopt_arg - value of a get/setsockopt call
 * @val: the caller's memory, NULL for a null pointer
 * @size: how many bytes really are accessible at @val
 * @len: the optlen the caller passes
 * @out_len: getsockopt: optlen written back; equals @len when not written
 */
struct sockopt_arg {
	u8 *val;
	u32 size;
	int len;
	int out_len;
};

/**
 * struct proto - per-protocol entry points, swapped when TLS_RX is set
 */
struct proto {
	const char *name;
	int (*recvmsg)(struct sock *sk, struct msghdr *msg, size_t len,
		       int flags);
	bool (*sock_is_readable)(struct sock *sk);
	void (*close)(struct sock *sk);
	int (*setsockopt)(struct sock *sk, int level, int opt,
			  struct sockopt_arg *arg);
	int (*getsockopt)(struct sock *sk, int level, int opt,
			  struct sockopt_arg *arg);
	int (*disconnect)(struct sock *sk);
};

/**
 * struct proto_ops - socket-layer entry points
 */
struct proto_ops {
	u32 (*poll)(struct sock *sk);
	int (*splice_read)(struct sock *sk, struct pipe_inode_info *pipe,
			   size_t len, unsigned int flags);
	int (*read_sock)(struct sock *sk, read_descriptor_t *desc,
			 sk_read_actor_t actor);
};

/**
 * struct sock - a TCP socket's generic part
 * @k: kernel
 * @id: small number, for the log
 * @sk_prot: protocol entry points in force
 * @ops: socket entry points in force (sk->sk_socket->ops)
 * @sk_state: enum tcp_state
 * @sk_shutdown: RCV_SHUTDOWN | SEND_SHUTDOWN
 * @sk_done: SOCK_DONE
 * @sk_dead: SOCK_DEAD, orphaned by close
 * @sk_err: pending error, positive errno
 * @owned: sk_lock.owned, some task owns the socket
 * @owner: which task; for R1 and the log
 * @lock_wq: tasks waiting in lock_sock()
 * @sk_wq: readers and pollers
 * @async_waitdata: SOCKWQ_ASYNC_WAITDATA
 * @sk_receive_queue: in-order data
 * @backlog: segments that arrived while owned
 * @backlog_len: their truesize
 * @sk_rcvbuf: receive buffer limit
 * @sk_rcvbuf_locked: SOCK_RCVBUF_LOCK
 * @sk_rmem_alloc: charged receive memory
 * @sk_rcvlowat: SO_RCVLOWAT
 * @sk_rcvtimeo: SO_RCVTIMEO in ns, MAX_SCHEDULE_TIMEOUT when unset
 * @sk_peek_off: SO_PEEK_OFF
 * @sk_nonblock: the file's O_NONBLOCK
 * @sk_oobinline: SO_OOBINLINE
 * @sk_disconnects: disconnect counter, see sk_wait_event()
 * @sk_frag_offset: used part of @sk_frag_page
 * @sk_data_ready: new data or state; replaced by tls_data_ready()
 * @sk_state_change: state changed
 * @sk_error_report: sk_err was set
 * @icsk_ulp_data: struct tls_context, or NULL
 * @icsk_ulp_name: "tls" or NULL
 * @sk_frag_page: area that skb_splice_bits() copies slab heads to; owned
 * @user_data: the world's own (its connection)
 */
struct sock {
	struct m_kernel *k;
	u32 id;
	const struct proto *sk_prot;
	const struct proto_ops *ops;
	enum tcp_state sk_state;
	u8 sk_shutdown;
	bool sk_done;
	bool sk_dead;
	int sk_err;
	bool owned;
	struct m_task *owner;
	struct wait_queue_head lock_wq;
	struct wait_queue_head sk_wq;
	bool async_waitdata;
	struct sk_buff_head sk_receive_queue;
	struct sk_buff_head backlog;
	u32 backlog_len;
	s32 sk_rcvbuf;
	bool sk_rcvbuf_locked;
	s32 sk_rmem_alloc;
	s32 sk_rcvlowat;
	s64 sk_rcvtimeo;
	s32 sk_peek_off;
	bool sk_nonblock;
	bool sk_oobinline;
	u32 sk_disconnects;
	u32 sk_frag_offset;
	void (*sk_data_ready)(struct sock *sk);
	void (*sk_state_change)(struct sock *sk);
	void (*sk_error_report)(struct sock *sk);
	struct tls_context *icsk_ulp_data;
	const char *icsk_ulp_name;
	struct page *sk_frag_page;
	void *user_data;
};

/* Every field of a new socket's generic part; no protocol, TCP_CLOSE. */
void sock_init_data(struct sock *sk, struct m_kernel *k);
/* Frees queues, backlog and fragment area; nobody may sleep on it. */
void sk_destruct(struct sock *sk);

/* Context: process. Sleeps uninterruptibly while owned. Yields. */
void lock_sock(struct sock *sk);
/* Processes the backlog, runs the release callback, drops ownership, wakes
 * lock waiters. Yields. */
void release_sock(struct sock *sk);
static inline bool sock_owned_by_user(const struct sock *sk)
{
	return sk->owned;
}

/* Processes the backlog keeping ownership; true iff there was one. Yields. */
bool sk_flush_backlog(struct sock *sk);
/* Runs tcp_v4_do_rcv() on every backlog packet until none is left. */
void __release_sock(struct sock *sk);
/* False: the packet did not fit and was dropped (freed). */
bool sk_add_backlog(struct sock *sk, struct sk_buff *skb);

/**
 * sk_wait_event() - drop the lock, sleep until @cond, take the lock
 * @sk: owned socket; the current task hangs on @sk->sk_wq or another queue
 * @where: M_SLEEP_SK_WAIT or M_SLEEP_READER
 * @timeo_ns: in: longest sleep; out: what is left
 * @cond: evaluated without and again with the lock
 * @arg: for @cond
 *
 * Returns -EPIPE if the socket was disconnected meanwhile, else the condition
 * as evaluated under the lock (facts rx.md A20.4). Yields.
 */
int sk_wait_event(struct sock *sk, enum m_sleep where, s64 *timeo_ns,
		  bool (*cond)(void *arg), void *arg);

/* Fetch and clear sk_err; negative errno or 0. */
int sock_error(struct sock *sk);
s64 sock_rcvtimeo(const struct sock *sk, bool nonblock);
int sock_rcvlowat(const struct sock *sk, bool waitall, int len);
int sock_intr_errno(s64 timeo_ns);

/* Default callbacks: wake sk_wq with POLLIN, everything, POLLERR. */
void sock_def_readable(struct sock *sk);
void sock_def_wakeup(struct sock *sk);
void sock_def_error_report(struct sock *sk);
static inline void sk_error_report(struct sock *sk)
{
	sk->sk_error_report(sk);
}
/* Sets sk_err and logs it. @err positive. */
void sk_set_err(struct sock *sk, int err);

void skb_set_owner_r(struct sk_buff *skb, struct sock *sk);
void skb_orphan(struct sk_buff *skb);

/* SOL_SOCKET options (net/core/sock.c). Take the socket lock. Yield. */
int sock_setsockopt(struct sock *sk, int opt, struct sockopt_arg *arg);
/* SO_RCVBUF: @val doubled, between the smallest size and net.core.rmem_max. */
void sock_set_rcvbuf(struct sock *sk, int val);
int sock_getsockopt(struct sock *sk, int opt, struct sockopt_arg *arg);

#endif
