/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The receiving half of TCP, at skb granularity.
 * Mirrors net/ipv4/tcp.c, tcp_input.c, tcp_output.c (window only).
 */
#ifndef MODEL_TCP_H
#define MODEL_TCP_H

#include "model/sock.h"

enum {
	TCPHDR_FIN = 1,
	TCPHDR_RST = 4,
	TCPHDR_PSH = 8,
	TCPHDR_ACK = 16,
	TCPHDR_URG = 32,
};

/* net.ipv4.tcp_rmem: default and limit of sk_rcvbuf. */
enum {
	TCP_RMEM_DEFAULT = 131072,
	TCP_RMEM_MAX = 6291456
};

/* Lower bound of SO_RCVBUF (SOCK_MIN_RCVBUF of a 64-bit kernel). */
enum {
	SOCK_MIN_RCVBUF = 2304
};

/* tp->urg_data: one of these, with the byte itself when valid. */
enum {
	TCP_URG_VALID = 0x0100,
	TCP_URG_NOTYET = 0x0200,
	TCP_URG_READ = 0x0400,
};

/* tp->ack_pending (icsk_ack.pending). */
enum {
	ICSK_ACK_SCHED = 1,
	ICSK_ACK_NOW = 16,
	ICSK_ACK_NOMEM = 32
};

/**
 * enum tcp_drop - why a segment was dropped (enum skb_drop_reason)
 * @TCP_DROP_OLD_DATA: every byte was received before
 * @TCP_DROP_ZEROWINDOW: the window is closed
 * @TCP_DROP_OVERWINDOW: starts behind the window
 * @TCP_DROP_OLD_SEQUENCE: ends before what was last acknowledged
 * @TCP_DROP_INVALID_SEQUENCE: starts behind any window ever advertised
 * @TCP_DROP_INVALID_END_SEQUENCE: ends behind it, and data waits to be read
 * @TCP_DROP_PROTO_MEM: no receive memory, not even after pruning
 * @TCP_DROP_OFOMERGE: the out-of-order queue has (or now has) these bytes
 * @TCP_DROP_OFO_DROP: left the out-of-order queue with nothing new
 * @TCP_DROP_OFO_QUEUE_PRUNE: thrown out of the out-of-order queue for memory
 * @TCP_DROP_OFO_PURGE: thrown out of it by a FIN in front of it
 * @TCP_DROP_RESET: an RST that is not exactly in place
 * @TCP_DROP_ABORT_ON_DATA: data after the reading side was closed
 * @TCP_DROP_AFTER_FIN: starts behind the peer's FIN
 * @TCP_DROP_CLOSE: the socket is closed
 * @TCP_DROP_LISTEN: the socket is listening
 * @TCP_DROP_BACKLOG: the backlog is full
 * @TCP_DROP_COUNT: how many there are
 */
enum tcp_drop {
	TCP_DROP_OLD_DATA,
	TCP_DROP_ZEROWINDOW,
	TCP_DROP_OVERWINDOW,
	TCP_DROP_OLD_SEQUENCE,
	TCP_DROP_INVALID_SEQUENCE,
	TCP_DROP_INVALID_END_SEQUENCE,
	TCP_DROP_PROTO_MEM,
	TCP_DROP_OFOMERGE,
	TCP_DROP_OFO_DROP,
	TCP_DROP_OFO_QUEUE_PRUNE,
	TCP_DROP_OFO_PURGE,
	TCP_DROP_RESET,
	TCP_DROP_ABORT_ON_DATA,
	TCP_DROP_AFTER_FIN,
	TCP_DROP_CLOSE,
	TCP_DROP_LISTEN,
	TCP_DROP_BACKLOG,
	TCP_DROP_COUNT
};

extern const char *const tcp_drop_name[TCP_DROP_COUNT];

/**
 * struct tcp_sock - TCP state of one connection
 * @sk: generic part, must be first
 * @irs: first data sequence number; what the log counts from
 * @rcv_nxt: next sequence number expected
 * @copied_seq: first byte not yet consumed
 * @rcv_wup: rcv_nxt when the window was last advertised
 * @rcv_wnd: window advertised then
 * @rcv_mwnd_seq: highest right edge ever advertised
 * @window_clamp: largest window to advertise
 * @rcv_ssthresh: current window growth limit
 * @scaling_ratio: payload share of truesize, in 1/256
 * @rcv_mss: estimate of the peer's MSS (icsk_ack.rcv_mss)
 * @rcv_wscale: window scale; advertised windows are multiples of 1 << this
 * @advmss: MSS we advertised
 * @out_of_order_queue: segments behind a hole, by seq
 * @ooo_tree: the same as a tree, for the search
 * @last_seg_size: a small segment's size, to see whether the next has it too
 *	(icsk_ack.last_seg_size)
 * @rcvq_space_seq: copied_seq when tcp_rcv_space_adjust() last measured
 * @rcvq_space_space: bytes the reader took in one measured period
 * @rcv_rtt_seq: the measured period ends when rcv_nxt gets here
 * @rcv_rtt_passed: it ended, and nobody looked at it yet
 * @urg_data: TCP_URG_*, 0: no urgent byte
 * @urg_seq: its sequence number
 * @ack_pending: ICSK_ACK_*, 0: no ACK is scheduled
 * @ack_deferred: it leaves in tcp_release_cb() (TCP_ACK_DEFERRED)
 * @snd_closed: FIN was sent by us
 * @inq: TCP_INQ option
 */
struct tcp_sock {
	struct sock sk;
	u32 irs;
	u32 rcv_nxt;
	u32 copied_seq;
	u32 rcv_wup;
	u32 rcv_wnd;
	u32 rcv_mwnd_seq;
	u32 window_clamp;
	u32 rcv_ssthresh;
	u32 scaling_ratio;
	u32 rcv_mss;
	u32 rcv_wscale;
	u32 advmss;
	struct sk_buff_head out_of_order_queue;
	struct rb_root ooo_tree;
	u32 last_seg_size;
	u32 rcvq_space_seq;
	u32 rcvq_space_space;
	u32 rcv_rtt_seq;
	bool rcv_rtt_passed;
	u16 urg_data;
	u32 urg_seq;
	u8 ack_pending;
	bool ack_deferred;
	bool snd_closed;
	bool inq;
};

static inline struct tcp_sock *tcp_sk(const struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

/**
 * struct tcp_opts - how a socket starts
 * @rcvbuf: SO_RCVBUF value the listener had (stored doubled, and the size is
 *	locked); 0 for TCP_RMEM_DEFAULT with automatic growth
 * @mss: MSS of the path (65483 on loopback), also advmss
 * @irs: first data sequence number
 * @state: TCP_ESTABLISHED, or TCP_CLOSE / TCP_LISTEN for attach tests
 */
struct tcp_opts {
	u32 rcvbuf;
	u32 mss;
	u32 irs;
	enum tcp_state state;
};

/* NULL never (socket memory is not a fault site). Owns: caller, see
 * tcp_sock_free(). */
struct sock *tcp_sock_new(struct m_kernel *k, const struct tcp_opts *opts);
/* Frees queues and the socket; it must be closed, unowned, with no sleepers.
 * NULL-safe. */
void tcp_sock_free(struct sock *sk);

/**
 * tcp_v4_rcv() - a segment arrives from the wire
 * @sk: receiving socket
 * @skb: data, seq/end_seq/fin set; ownership passes. An RST has no data
 * @flags: TCPHDR_RST, TCPHDR_URG (@skb->urg_seq set), TCPHDR_PSH (last
 *	segment of a write); TCPHDR_ACK: it acknowledges our FIN. FIN is
 *	@skb->fin
 *
 * Context: softirq (k->in_softirq is raised here). To the backlog when a task
 * owns the socket, else tcp_v4_do_rcv().
 */
void tcp_v4_rcv(struct sock *sk, struct sk_buff *skb, u32 flags);
/* Processes one segment. Owns: takes @skb. Context: socket lock, or softirq
 * with the socket not owned. */
void tcp_v4_do_rcv(struct sock *sk, struct sk_buff *skb);

/* Queues, drops or sets aside an acceptable segment. Owns: takes @skb. */
void tcp_data_queue(struct sock *sk, struct sk_buff *skb);
/* The peer sends no more: shutdown bits, state, wakeup. */
void tcp_fin(struct sock *sk);
/* The peer reset the connection: sk_err, TCP_CLOSE, wakeups. */
void tcp_reset(struct sock *sk);
/* Calls sk_data_ready if a reader should look (facts R24). */
void tcp_data_ready(struct sock *sk);
/* Whether a reader who wants @target bytes should look (facts R23). */
bool tcp_epollin_ready(const struct sock *sk, int target);
/* Receive memory is short: globally, or above 7/8 of sk_rcvbuf. */
bool tcp_rmem_pressure(const struct sock *sk);
/* Bytes of the advertised window not used up yet. */
u32 tcp_receive_window(const struct tcp_sock *tp);
/* The window that would be advertised now, in bytes. */
u32 __tcp_select_window(struct sock *sk);
/* Readable bytes: up to the urgent byte, the FIN not counted. */
int tcp_inq(const struct sock *sk);

/**
 * tcp_recv_skb() - the queued skb that holds a sequence number
 * @sk: owned socket, or softirq
 * @seq: sequence number, not before copied_seq
 * @off: where @seq is in it; may be its end when it carries FIN
 *
 * Frees the skbs in front of it; NULL when none holds @seq.
 */
struct sk_buff *tcp_recv_skb(struct sock *sk, u32 seq, u32 *off);

/**
 * tcp_read_sock() - hand queued bytes to an actor and consume what it takes
 * @sk: owned socket, or softirq
 * @desc: the actor's; its count of 0 stops the loop between skbs
 * @actor: called with part of an skb; returns bytes taken, <= 0 stops
 *
 * Bytes consumed, or the actor's result when that is nothing; -ENOTCONN on a
 * listener.
 */
int tcp_read_sock(struct sock *sk, read_descriptor_t *desc,
		  sk_read_actor_t actor);
/* Consumes @len queued bytes without looking at them. */
void tcp_read_done(struct sock *sk, size_t len);
/* Window update ACK if warranted; @copied bytes were just consumed. */
void tcp_cleanup_rbuf(struct sock *sk, int copied);
/* Grows the receive buffer when the reader keeps up with the sender. */
void tcp_rcv_space_adjust(struct sock *sk);
/* Deferred ACKs; run by release_sock() and sk_flush_backlog(). */
void tcp_release_cb(struct sock *sk);
/* Sends an ACK with the current window; nothing in TCP_CLOSE. */
void tcp_send_ack(struct sock *sk);
/* Takes a used-up skb off the receive queue and frees it. */
void tcp_eat_recv_skb(struct sock *sk, struct sk_buff *skb);

/* recvmsg(2) without TLS keys. Takes the socket lock. Yields. */
int tcp_recvmsg(struct sock *sk, struct msghdr *msg, size_t len, int flags);
/* splice(2) to a pipe without TLS keys; the caller has the pipe mutex. Takes
 * the socket lock. Yields. */
int tcp_splice_read(struct sock *sk, struct pipe_inode_info *pipe, size_t len,
		    unsigned int flags);
/* enum m_poll bits. Context: any. */
u32 tcp_poll(struct sock *sk);
/* ioctl(SIOCINQ): bytes, or -EINVAL on a listener. Takes the lock. Yields. */
int tcp_ioctl_inq(struct sock *sk);
/* close(2) of the last descriptor: RST when data is unread, else FIN. Takes
 * the lock; the socket stays until tcp_sock_free(). Yields. */
void tcp_close(struct sock *sk);
/* shutdown(2), inet_shutdown() included: M_SHUT_*. 0, -EINVAL, -ENOTCONN.
 * Takes the lock. Yields. */
int tcp_shutdown(struct sock *sk, int how);
/* connect(2) to AF_UNSPEC: counts a disconnect, calls sk_prot->disconnect.
 * Takes the lock. Yields. */
int inet_disconnect(struct sock *sk);
/* The protocol's part of it: RST, purge, TCP_CLOSE. Socket lock held. */
int tcp_disconnect(struct sock *sk);
/* Options of SOL_TCP, and of SOL_SOCKET through sock_setsockopt(). Take the
 * lock. Yield. */
int tcp_setsockopt(struct sock *sk, int level, int opt,
		   struct sockopt_arg *arg);
int tcp_getsockopt(struct sock *sk, int level, int opt,
		   struct sockopt_arg *arg);
/* SO_RCVLOWAT: caps @val, may grow the buffer, tells waiting readers. Socket
 * lock held. */
int tcp_set_rcvlowat(struct sock *sk, int val);

extern const struct proto tcp_prot;
extern const struct proto_ops inet_stream_ops;

#endif
