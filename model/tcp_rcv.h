/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tcp_*.c files share among themselves and nobody else needs:
 * window arithmetic, memory gate, queues.
 */
#ifndef MODEL_TCP_RCV_H
#define MODEL_TCP_RCV_H

#include "model/tcp.h"

/* As the kernel's of the same names; advmss and options of loopback. */
enum {
	TCP_MSS_DEFAULT = 536,
	TCP_MIN_MSS = 88,
	TCP_INIT_CWND = 10,
	TCP_MAX_WSCALE = 14,
	TCP_RMEM_TO_WIN_SCALE = 8,
	TCP_DEFAULT_SCALING_RATIO = 128,
};

/**
 * struct tcp_seg - a segment's numbers, kept while its skb may be merged away
 * @len: payload bytes
 * @truesize: charged memory when it came alone
 * @gso_size: MSS it was cut by
 * @linear: has payload in its linear head
 * @psh: last of a write
 */
struct tcp_seg {
	u32 len;
	u32 truesize;
	u32 gso_size;
	bool linear;
	bool psh;
};

static inline struct tcp_seg tcp_seg_of(const struct sk_buff *skb)
{
	return (struct tcp_seg){
		.len = skb->len,
		.truesize = skb->truesize,
		.gso_size = skb->gso_size,
		.linear = skb_headlen(skb) != 0,
		.psh = skb->psh,
	};
}

/* Sequence number as the log shows it. */
static inline s64 tcp_rel(const struct tcp_sock *tp, u32 seq)
{
	return (s64)(u32)(seq - tp->irs);
}

/* Payload bytes that @space bytes of memory can hold, and back. */
static inline s32 tcp_win_from_space(const struct sock *sk, s32 space)
{
	s64 scaled = (s64)space * tcp_sk(sk)->scaling_ratio;

	if (unlikely(m_has(sk->k, CHANGE_WINDOW_FROM_HALF_SPACE)))
		return space - (space >> 1);
	return (s32)(scaled >> TCP_RMEM_TO_WIN_SCALE);
}

static inline s32 tcp_space_from_win(const struct sock *sk, s32 win)
{
	u64 val = (u64)win << TCP_RMEM_TO_WIN_SCALE;

	return (s32)(val / tcp_sk(sk)->scaling_ratio);
}

static inline s32 tcp_full_space(const struct sock *sk)
{
	return tcp_win_from_space(sk, sk->sk_rcvbuf);
}

static inline s32 tcp_space(const struct sock *sk)
{
	return tcp_win_from_space(sk, sk->sk_rcvbuf - (s32)sk->backlog_len -
					      sk->sk_rmem_alloc);
}

static inline bool tcp_under_memory_pressure(const struct sock *sk)
{
	return sk->k->memory_pressure;
}

static inline void inet_csk_schedule_ack(struct sock *sk)
{
	tcp_sk(sk)->ack_pending |= ICSK_ACK_SCHED;
}

/* tcp_input.c */
/* Logs the drop and frees @skb. */
void tcp_drop(struct sock *sk, struct sk_buff *skb, enum tcp_drop why);
/* Calls sk_data_ready, and logs that. */
void tcp_call_data_ready(struct sock *sk);
/* Merges @from into @to when it follows without a gap (facts R9..R13); charges
 * the growth. True: @from's bytes are gone, kfree_skb_partial() it. */
bool tcp_try_coalesce(struct sock *sk, struct sk_buff *to, struct sk_buff *from,
		      bool *fragstolen);
/* Appends to the receive queue, advances rcv_nxt. True: merged into the tail
 * and freed. Owns: takes @skb; it is not charged when it was not before. */
bool tcp_queue_rcv(struct sock *sk, struct sk_buff *skb);
/* The connection is over; wakes everybody. Receive queue stays. */
void tcp_done(struct sock *sk);

/* tcp_ofo.c */
void tcp_data_queue_ofo(struct sock *sk, struct sk_buff *skb);
/* Moves what has become in order to the receive queue. */
void tcp_ofo_queue(struct sock *sk);
/* Off the queue. Owns: caller gets @skb. */
void tcp_ofo_unlink(struct tcp_sock *tp, struct sk_buff *skb);
/* Frees the whole queue. */
void __tcp_ofo_purge(struct tcp_sock *tp);
/* Builds the tree anew, from a queue that was changed. */
void tcp_ofo_replant(struct tcp_sock *tp);

/* tcp_prune.c */
/* May @skb be charged? Prunes if it must. False: no room. */
bool tcp_try_rmem_schedule(struct sock *sk, const struct sk_buff *skb);

/* tcp_output.c */
void tcp_send_fin(struct sock *sk);
void tcp_send_active_reset(struct sock *sk);
void tcp_init_window(struct sock *sk, bool rcvbuf_locked);
void tcp_measure_rcv_mss(struct sock *sk, const struct tcp_seg *seg);
void tcp_rcv_rtt_measure(struct tcp_sock *tp);
void tcp_grow_window(struct sock *sk, const struct tcp_seg *seg, bool adjust);
void tcp_clamp_window(struct sock *sk);
void tcp_adjust_rcv_ssthresh(struct sock *sk);
void tcp_rcvbuf_grow(struct sock *sk, u32 newval);

/* tcp.c */
/* Moves copied_seq, and logs that. */
void tcp_set_copied_seq(struct sock *sk, u32 seq);
/* Until the queue's tail is no longer @last, or a wakeup: as sk_wait_event().
 * Yields. */
int sk_wait_data(struct sock *sk, s64 *timeo, const struct sk_buff *last);
/* Nothing was delivered and the queue has nothing: how the call ends, or 1
 * when it may wait, if no signal is pending (facts R37, R62). */
int tcp_nothing_there(struct sock *sk, s64 timeo);

/* Result @ret of a call, for @reason. */
static inline int tcp_exit(struct sock *sk, int ret, enum m_reason reason)
{
	m_reason(sk->k, reason);
	return ret;
}

static inline bool tcp_signal_pending(const struct sock *sk)
{
	return sk->k->ops->signal_pending(sk->k);
}

#endif
