// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A segment arrives: is it acceptable, is it an RST, where do its bytes go.
 *
 *   tcp_v4_rcv() -- owned --> backlog -- release, flush, sleep --+
 *        |                                                       |
 *        +-- not owned ------> tcp_v4_do_rcv() <-----------------+
 *                                  sequence, RST, state, urgent pointer
 *                                  tcp_data_queue()
 *                                    in order -> receive queue, FIN, holes
 *                                    behind a hole -> tcp_ofo.c
 *                                  one ACK, at once or by tcp_release_cb()
 *
 * Left out: SYN states, the header-prediction fast path (MODEL: every segment
 * passes the memory gate, where the fast path skips it as long as memory
 * already reserved for the socket lasts), timestamps, SACK and ECN, the ack
 * number (TCPHDR_ACK means "covers our FIN"), rate limits of duplicate ACKs.
 *
 * Mirrors net/ipv4/tcp_ipv4.c tcp_v4_rcv(), tcp_v4_do_rcv();
 * net/ipv4/tcp_input.c tcp_sequence(), tcp_validate_incoming(), tcp_urg(),
 * tcp_check_urg(), tcp_data_queue(), tcp_queue_rcv(), tcp_try_coalesce(),
 * tcp_event_data_recv(), tcp_fin(), tcp_reset(), tcp_data_ready(),
 * tcp_ack_snd_check(), tcp_rcv_established(), tcp_rcv_state_process();
 * include/net/tcp.h tcp_epollin_ready(), tcp_rmem_pressure().
 */
#include "model/tcp_rcv.h"

/* Flag of EV_SEG_IN: the segment went to the backlog. */
enum {
	SEG_IN_BACKLOG = 256
};

const char *const tcp_drop_name[TCP_DROP_COUNT] = {
	[TCP_DROP_OLD_DATA] = "old-data",
	[TCP_DROP_ZEROWINDOW] = "zero-window",
	[TCP_DROP_OVERWINDOW] = "over-window",
	[TCP_DROP_OLD_SEQUENCE] = "old-sequence",
	[TCP_DROP_INVALID_SEQUENCE] = "invalid-sequence",
	[TCP_DROP_INVALID_END_SEQUENCE] = "invalid-end-sequence",
	[TCP_DROP_PROTO_MEM] = "no-memory",
	[TCP_DROP_OFOMERGE] = "ofo-merge",
	[TCP_DROP_OFO_DROP] = "ofo-drop",
	[TCP_DROP_OFO_QUEUE_PRUNE] = "ofo-prune",
	[TCP_DROP_OFO_PURGE] = "ofo-purge",
	[TCP_DROP_RESET] = "reset",
	[TCP_DROP_ABORT_ON_DATA] = "abort-on-data",
	[TCP_DROP_AFTER_FIN] = "after-fin",
	[TCP_DROP_CLOSE] = "closed",
	[TCP_DROP_LISTEN] = "listening",
	[TCP_DROP_BACKLOG] = "backlog-full",
};

void tcp_drop(struct sock *sk, struct sk_buff *skb, enum tcp_drop why)
{
	m_event(sk->k, EV_SEG_DROP, tcp_rel(tcp_sk(sk), skb->seq), skb->len,
		why);
	kfree_skb(skb);
}

void tcp_call_data_ready(struct sock *sk)
{
	m_event(sk->k, EV_DATA_READY, sk->id, 0, 0);
	sk->sk_data_ready(sk);
}

bool tcp_rmem_pressure(const struct sock *sk)
{
	if (tcp_under_memory_pressure(sk))
		return true;
	return sk->sk_rmem_alloc > sk->sk_rcvbuf - (sk->sk_rcvbuf >> 3);
}

bool tcp_epollin_ready(const struct sock *sk, int target)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	int avail = (int)(tp->rcv_nxt - tp->copied_seq);

	if (avail <= 0)
		return false;
	return avail >= target || tcp_rmem_pressure(sk) ||
	       tcp_receive_window(tp) <= tp->rcv_mss;
}

void tcp_data_ready(struct sock *sk)
{
	if (tcp_epollin_ready(sk, sk->sk_rcvlowat) || sk->sk_done)
		tcp_call_data_ready(sk);
}

void tcp_done(struct sock *sk)
{
	sk->sk_state = TCP_CLOSE;
	sk->sk_shutdown = SHUTDOWN_MASK;
	if (!sk->sk_dead)
		sk->sk_state_change(sk);
}

/* What sk_err becomes; 0: the state has no connection to reset. */
static int tcp_reset_errno(const struct sock *sk)
{
	switch (sk->sk_state) {
	case TCP_SYN_SENT:
		return ECONNREFUSED;
	case TCP_CLOSE_WAIT:
		return EPIPE;
	case TCP_CLOSE:
		return 0;
	case TCP_ESTABLISHED:
	case TCP_SYN_RECV:
	case TCP_FIN_WAIT1:
	case TCP_FIN_WAIT2:
	case TCP_TIME_WAIT:
	case TCP_LAST_ACK:
	case TCP_LISTEN:
	case TCP_CLOSING:
		break;
	}
	return ECONNRESET;
}

/* The write queue, purged here by the kernel, is not modelled. */
void tcp_reset(struct sock *sk)
{
	int err = tcp_reset_errno(sk);

	if (!err)
		return;
	sk_set_err(sk, err);
	tcp_done(sk);
	if (!sk->sk_dead)
		sk_error_report(sk);
}

static void tcp_ofo_purge(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(&tp->out_of_order_queue)))
		tcp_drop(sk, skb, TCP_DROP_OFO_PURGE);
	__tcp_ofo_purge(tp);
}

/* MODEL: in TIME_WAIT the kernel keeps a small socket of its own for the
 * connection; the user's socket ends in TCP_CLOSE, here as there. */
static void tcp_fin_state(struct sock *sk)
{
	switch (sk->sk_state) {
	case TCP_SYN_RECV:
	case TCP_ESTABLISHED:
		sk->sk_state = TCP_CLOSE_WAIT;
		break;
	case TCP_FIN_WAIT1:
		tcp_send_ack(sk);
		sk->sk_state = TCP_CLOSING;
		break;
	case TCP_FIN_WAIT2:
		tcp_send_ack(sk);
		tcp_done(sk);
		break;
	case TCP_CLOSE_WAIT:
	case TCP_CLOSING:
	case TCP_LAST_ACK:
	case TCP_SYN_SENT:
	case TCP_TIME_WAIT:
	case TCP_CLOSE:
	case TCP_LISTEN:
		break;
	}
}

void tcp_fin(struct sock *sk)
{
	m_event(sk->k, EV_FIN_RCVD, sk->id,
		tcp_rel(tcp_sk(sk), tcp_sk(sk)->rcv_nxt - 1), 0);
	inet_csk_schedule_ack(sk);
	sk->sk_shutdown |= RCV_SHUTDOWN;
	sk->sk_done = true;
	tcp_fin_state(sk);
	tcp_ofo_purge(sk);
	if (!sk->sk_dead)
		sk->sk_state_change(sk);
}

bool tcp_try_coalesce(struct sock *sk, struct sk_buff *to, struct sk_buff *from,
		      bool *fragstolen)
{
	u32 delta;

	*fragstolen = false;
	if (from->seq != to->end_seq || from->decrypted != to->decrypted)
		return false;
	if (!skb_try_coalesce(to, from, &delta, fragstolen))
		return false;
	sk->sk_rmem_alloc += (s32)delta;
	to->end_seq = from->end_seq;
	to->fin |= from->fin;
	return true;
}

bool tcp_queue_rcv(struct sock *sk, struct sk_buff *skb)
{
	struct sk_buff *tail = skb_peek_tail(&sk->sk_receive_queue);
	struct tcp_sock *tp = tcp_sk(sk);
	bool fragstolen = false;
	u32 from = tp->rcv_nxt;
	bool eaten;

	eaten = tail && tcp_try_coalesce(sk, tail, skb, &fragstolen);
	tp->rcv_nxt = skb->end_seq;
	m_event(sk->k, EV_QUEUED, tcp_rel(tp, from), tcp_rel(tp, tp->rcv_nxt),
		eaten);
	if (eaten) {
		kfree_skb_partial(skb, fragstolen);
		return true;
	}
	__skb_queue_tail(&sk->sk_receive_queue, skb);
	return false;
}

static void tcp_event_data_recv(struct sock *sk, const struct tcp_seg *seg)
{
	inet_csk_schedule_ack(sk);
	tcp_measure_rcv_mss(sk, seg);
	tcp_rcv_rtt_measure(tcp_sk(sk));
	if (seg->len >= 128)
		tcp_grow_window(sk, seg, true);
}

/* Memory for an in-order segment. False: it is to be dropped; an ACK that
 * closes the window is scheduled and the readers know (facts R6). */
static bool tcp_rcv_admit(struct sock *sk, const struct sk_buff *skb)
{
	bool silent = m_has(sk->k, CHANGE_RMEM_DROP_SILENT);

	if (silent && skb_queue_empty(&sk->sk_receive_queue))
		return true;
	if (tcp_try_rmem_schedule(sk, skb))
		return true;
	if (silent) {
		tcp_call_data_ready(sk);
		return false;
	}
	tcp_sk(sk)->ack_pending |= ICSK_ACK_NOMEM | ICSK_ACK_NOW;
	inet_csk_schedule_ack(sk);
	tcp_call_data_ready(sk);
	return skb_queue_empty(&sk->sk_receive_queue) || !skb->len;
}

/* The whole segment goes to the receive queue, overlap untrimmed. */
static void tcp_data_queue_in_order(struct sock *sk, struct sk_buff *skb)
{
	struct tcp_seg seg = tcp_seg_of(skb);
	struct tcp_sock *tp = tcp_sk(sk);
	bool fin = skb->fin;

	if (!tcp_rcv_admit(sk, skb)) {
		tcp_drop(sk, skb, TCP_DROP_PROTO_MEM);
		return;
	}
	if (!tcp_queue_rcv(sk, skb))
		skb_set_owner_r(skb, sk);
	if (seg.len)
		tcp_event_data_recv(sk, &seg);
	if (fin)
		tcp_fin(sk);
	if (!skb_queue_empty(&tp->out_of_order_queue)) {
		tcp_ofo_queue(sk);
		if (skb_queue_empty(&tp->out_of_order_queue))
			tp->ack_pending |= ICSK_ACK_NOW;
	}
	if (!sk->sk_dead)
		tcp_data_ready(sk);
}

static void tcp_out_of_window(struct sock *sk, struct sk_buff *skb,
			      enum tcp_drop why)
{
	inet_csk_schedule_ack(sk);
	tcp_drop(sk, skb, why);
}

void tcp_data_queue(struct sock *sk, struct sk_buff *skb)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 win = tcp_receive_window(tp);

	if (skb->seq == skb->end_seq) {
		kfree_skb(skb);
		return;
	}
	if (skb->seq == tp->rcv_nxt) {
		/* A bare FIN is taken even into a closed window. */
		if (!win && (skb->len || !skb->fin ||
			     m_has(sk->k, CHANGE_NO_BARE_FIN_ZERO_WINDOW)))
			tcp_out_of_window(sk, skb, TCP_DROP_ZEROWINDOW);
		else
			tcp_data_queue_in_order(sk, skb);
		return;
	}
	if (!after(skb->end_seq, tp->rcv_nxt)) {
		tcp_out_of_window(sk, skb, TCP_DROP_OLD_DATA);
		return;
	}
	if (!before(skb->seq, tp->rcv_nxt + win)) {
		tcp_out_of_window(sk, skb, TCP_DROP_OVERWINDOW);
		return;
	}
	if (!before(skb->seq, tp->rcv_nxt)) {
		tcp_data_queue_ofo(sk, skb);
		return;
	}
	if (!win)
		tcp_out_of_window(sk, skb, TCP_DROP_ZEROWINDOW);
	else
		tcp_data_queue_in_order(sk, skb);
}

/* A new urgent pointer (facts R41). */
static void tcp_check_urg(struct sock *sk, u32 ptr)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct sk_buff *skb;

	if (after(tp->copied_seq, ptr) || before(ptr, tp->rcv_nxt))
		return;
	if (tp->urg_data && !after(ptr, tp->urg_seq))
		return;
	/* The reader stands at an old urgent byte, which must not turn into
	 * ordinary data now that the mark moves on. */
	if (tp->urg_seq == tp->copied_seq && tp->urg_data &&
	    !sk->sk_oobinline && tp->copied_seq != tp->rcv_nxt) {
		tp->copied_seq++;
		skb = skb_peek(&sk->sk_receive_queue);
		if (skb && !before(tp->copied_seq, skb->end_seq))
			tcp_eat_recv_skb(sk, skb);
	}
	tp->urg_data = TCP_URG_NOTYET;
	tp->urg_seq = ptr;
}

static void tcp_urg(struct sock *sk, struct sk_buff *skb)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u8 byte;

	if (unlikely(skb->urg))
		tcp_check_urg(sk, skb->urg_seq);
	if (likely(tp->urg_data != TCP_URG_NOTYET))
		return;
	if (skb_copy_bits(skb, tp->urg_seq - skb->seq, &byte, 1) < 0)
		return;
	tp->urg_data = TCP_URG_VALID | byte;
	if (!sk->sk_dead)
		tcp_call_data_ready(sk);
}

/* TCP_DROP_COUNT: acceptable (facts R5). */
static enum tcp_drop tcp_sequence(const struct sock *sk,
				  const struct sk_buff *skb)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 edge = tp->rcv_nxt;

	if (before(skb->end_seq, tp->rcv_wup))
		return TCP_DROP_OLD_SEQUENCE;
	if (m_has(sk->k, CHANGE_SEQ_BEYOND_WINDOW))
		return after(skb->seq, edge + tcp_receive_window(tp)) ?
			       TCP_DROP_INVALID_SEQUENCE :
			       TCP_DROP_COUNT;
	if (after(tp->rcv_mwnd_seq, tp->rcv_nxt))
		edge = tp->rcv_mwnd_seq;
	if (likely(!after(skb->end_seq, edge)))
		return TCP_DROP_COUNT;
	if (!after(skb->end_seq - skb->fin,
		   tp->rcv_nxt + tcp_receive_window(tp)))
		return TCP_DROP_COUNT;
	if (after(skb->seq, edge))
		return TCP_DROP_INVALID_SEQUENCE;
	if (!skb_queue_empty(&sk->sk_receive_queue))
		return TCP_DROP_INVALID_END_SEQUENCE;
	return TCP_DROP_COUNT;
}

/* An RST one byte early, from a peer that does not count its FIN. */
static bool tcp_reset_check(const struct sock *sk, const struct sk_buff *skb)
{
	if (skb->seq != tcp_sk(sk)->rcv_nxt - 1)
		return false;
	return sk->sk_state == TCP_CLOSE_WAIT || sk->sk_state == TCP_LAST_ACK ||
	       sk->sk_state == TCP_CLOSING;
}

/* MODEL: the right edge of the last out-of-order segment stands for the
 * highest SACK block. */
static bool tcp_reset_acceptable(const struct sock *sk,
				 const struct sk_buff *skb)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	const struct sk_buff *last = skb_peek_tail(&tp->out_of_order_queue);

	if (skb->seq == tp->rcv_nxt || tcp_reset_check(sk, skb))
		return true;
	return last && skb->seq == last->end_seq;
}

static void tcp_reset_rcvd(struct sock *sk, struct sk_buff *skb)
{
	m_event(sk->k, EV_RST_RCVD, sk->id, -tcp_reset_errno(sk), 0);
	tcp_reset(sk);
	kfree_skb(skb);
}

/* False: the segment is done with and freed. */
static bool tcp_validate_incoming(struct sock *sk, struct sk_buff *skb)
{
	enum tcp_drop why = tcp_sequence(sk, skb);

	if (unlikely(why != TCP_DROP_COUNT)) {
		if (skb->rst && tcp_reset_check(sk, skb)) {
			tcp_reset_rcvd(sk, skb);
			return false;
		}
		if (!skb->rst)
			tcp_send_ack(sk);
		tcp_drop(sk, skb, why);
		return false;
	}
	if (likely(!skb->rst))
		return true;
	if (tcp_reset_acceptable(sk, skb)) {
		tcp_reset_rcvd(sk, skb);
		return false;
	}
	/* The challenge ACK of RFC 5961. */
	tcp_send_ack(sk);
	tcp_drop(sk, skb, TCP_DROP_RESET);
	return false;
}

/* Our FIN is acknowledged. False: the connection is over, @skb is freed. */
static bool tcp_fin_acked(struct sock *sk, struct sk_buff *skb)
{
	if (sk->sk_state == TCP_FIN_WAIT1) {
		sk->sk_state = TCP_FIN_WAIT2;
		if (!sk->sk_dead)
			sk->sk_state_change(sk);
		return true;
	}
	if (sk->sk_state == TCP_CLOSING || sk->sk_state == TCP_LAST_ACK) {
		tcp_done(sk);
		kfree_skb(skb);
		return false;
	}
	return true;
}

/* Whether the state still lets data in; else @skb is freed (facts R31). */
static bool tcp_state_takes_data(struct sock *sk, struct sk_buff *skb)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (likely(sk->sk_state == TCP_ESTABLISHED))
		return true;
	if ((sk->sk_state == TCP_CLOSE_WAIT || sk->sk_state == TCP_CLOSING ||
	     sk->sk_state == TCP_LAST_ACK) &&
	    !before(skb->seq, tp->rcv_nxt)) {
		tcp_drop(sk, skb, TCP_DROP_AFTER_FIN);
		return false;
	}
	if ((sk->sk_shutdown & RCV_SHUTDOWN) && skb->seq != skb->end_seq &&
	    after(skb->end_seq - skb->fin, tp->rcv_nxt)) {
		tcp_reset(sk);
		tcp_send_active_reset(sk);
		tcp_drop(sk, skb, TCP_DROP_ABORT_ON_DATA);
		return false;
	}
	return true;
}

/* MODEL: every accepted segment is acknowledged at once (quick ACK mode for
 * ever), so that there is no delayed-ACK timer. The kernel does so for the
 * first segments only, as many as half a window has, at most 16. A program sees
 * it in receive buffers of a few KiB and in the slots of a plain TCP splice.
 * While the socket is owned the ACK waits for tcp_release_cb(). */
static void tcp_ack_snd_check(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!(tp->ack_pending & ICSK_ACK_SCHED) || sk->sk_state == TCP_CLOSE)
		return;
	if (sock_owned_by_user(sk) && !m_has(sk->k, CHANGE_NO_ACK_DEFER))
		tp->ack_deferred = true;
	else
		tcp_send_ack(sk);
}

void tcp_v4_do_rcv(struct sock *sk, struct sk_buff *skb)
{
	if (unlikely(sk->sk_state == TCP_CLOSE)) {
		tcp_drop(sk, skb, TCP_DROP_CLOSE);
		return;
	}
	if (!tcp_validate_incoming(sk, skb))
		return;
	if (unlikely(skb->ack) && tcp_sk(sk)->snd_closed &&
	    !tcp_fin_acked(sk, skb))
		return;
	tcp_urg(sk, skb);
	if (tcp_state_takes_data(sk, skb))
		tcp_data_queue(sk, skb);
	tcp_ack_snd_check(sk);
}

static u32 seg_in_flags(const struct sock *sk, const struct sk_buff *skb)
{
	return (skb->fin ? TCPHDR_FIN : 0) | (skb->rst ? TCPHDR_RST : 0) |
	       (skb->urg ? TCPHDR_URG : 0) |
	       (sock_owned_by_user(sk) ? SEG_IN_BACKLOG : 0);
}

/* Nobody has this connection any more, or not yet. */
static void tcp_v4_no_connection(struct sock *sk, struct sk_buff *skb)
{
	if (!skb->rst)
		tcp_send_active_reset(sk);
	tcp_drop(sk, skb,
		 sk->sk_state == TCP_LISTEN ? TCP_DROP_LISTEN : TCP_DROP_CLOSE);
}

static void tcp_v4_add_backlog(struct sock *sk, struct sk_buff *skb)
{
	s64 seq = tcp_rel(tcp_sk(sk), skb->seq);
	u32 len = skb->len;

	if (!sk_add_backlog(sk, skb))
		m_event(sk->k, EV_SEG_DROP, seq, len, TCP_DROP_BACKLOG);
}

void tcp_v4_rcv(struct sock *sk, struct sk_buff *skb, u32 flags)
{
	struct m_kernel *k = sk->k;
	struct m_task *task = k->current;

	M_ASSERT(skb->end_seq == skb->seq + skb->len + skb->fin,
		 "segment %u: end_seq does not fit its length", skb->id);
	skb->rst = flags & TCPHDR_RST;
	skb->urg = flags & TCPHDR_URG;
	skb->psh = flags & TCPHDR_PSH;
	skb->ack = flags & TCPHDR_ACK;
	/* MODEL: a segment is never larger than the MSS (no GSO on the wire);
	 * merging in the backlog keeps the largest. */
	skb->gso_size = skb->len;
	k->current = NULL;
	k->in_softirq++;
	m_event(k, EV_SEG_IN, tcp_rel(tcp_sk(sk), skb->seq), skb->len,
		seg_in_flags(sk, skb));
	if (unlikely(sk->sk_state == TCP_CLOSE || sk->sk_state == TCP_LISTEN))
		tcp_v4_no_connection(sk, skb);
	else if (sock_owned_by_user(sk))
		tcp_v4_add_backlog(sk, skb);
	else
		tcp_v4_do_rcv(sk, skb);
	k->in_softirq--;
	k->current = task;
}
