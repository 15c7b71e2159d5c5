// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recvmsg on a TCP socket without TLS keys.
 *
 *   copied_seq            seq                          rcv_nxt
 *       |--- peek_offset --|--- copied --> ... target ... |
 *
 * One turn of the loop copies from one skb, or finds nothing and decides:
 * enough is copied, waiting is not allowed, or sleep. A reader stays asleep in
 * here when TLS keys are set meanwhile and then takes bytes of a record (facts
 * rx.md A18.2). The cursor is copied_seq, for a peek a copy of it; only a peek
 * walks behind the first skb, and remembers where it was.
 *
 * Left out: the error queue (always empty), device memory, timestamps, the
 * TCP_CM_INQ control message (MODEL: struct msghdr has room for the TLS one
 * only; the option itself is kept).
 *
 * Mirrors net/ipv4/tcp.c tcp_recvmsg(), tcp_recvmsg_locked(), tcp_recv_urg();
 * include/net/sock.h sk_peek_offset_fwd(), sk_peek_offset_bwd().
 */
#include "model/tcp_rcv.h"

/* Something was delivered: whether and why waiting for more is no option. */
static bool tcp_must_stop(struct sock *sk, s64 timeo)
{
	enum m_reason reason;

	if (!timeo)
		reason = REASON_TCP_SHORT_NOWAIT;
	else if (sk->sk_err)
		reason = REASON_TCP_SHORT_SK_ERR;
	else if (sk->sk_state == TCP_CLOSE || sk->sk_shutdown & RCV_SHUTDOWN)
		reason = REASON_TCP_SHORT_EOF;
	else if (tcp_signal_pending(sk))
		reason = REASON_TCP_SHORT_SIGNAL;
	else
		return false;
	m_reason(sk->k, reason);
	return true;
}

/* MSG_OOB (facts R41). */
static int tcp_recv_urg(struct sock *sk, struct msghdr *msg, size_t len,
			int flags)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u8 byte = (u8)tp->urg_data;

	if (sk->sk_oobinline || !tp->urg_data || tp->urg_data == TCP_URG_READ)
		return tcp_exit(sk, -EINVAL, REASON_TCP_OOB_NONE);
	if (sk->sk_state == TCP_CLOSE && !sk->sk_done)
		return tcp_exit(sk, -ENOTCONN, REASON_TCP_NOTCONN);
	if (tp->urg_data & TCP_URG_VALID) {
		if (!(flags & M_MSG_PEEK))
			tp->urg_data = TCP_URG_READ;
		msg->msg_flags |= M_MSG_OOB;
		m_reason(sk->k, REASON_TCP_OOB_BYTE);
		if (!len) {
			msg->msg_flags |= M_MSG_TRUNC;
			return 0;
		}
		if (!(flags & M_MSG_TRUNC) &&
		    copy_to_iter(&byte, 1, &msg->iter) != 1)
			return tcp_exit(sk, -EFAULT, REASON_TCP_FAULT);
		return 1;
	}
	if (sk->sk_state == TCP_CLOSE || (sk->sk_shutdown & RCV_SHUTDOWN))
		return tcp_exit(sk, 0, REASON_TCP_EOF);
	return tcp_exit(sk, -EAGAIN, REASON_TCP_OOB_NOTYET);
}

/**
 * struct tcp_recv - one recvmsg call under way
 * @msg: where bytes go
 * @flags: of the call
 * @len: bytes still wanted
 * @timeo: how long it may still sleep, ns
 * @target: bytes after which it may return
 * @copied: bytes delivered
 * @seq: cursor; copied_seq unless peeking
 * @peek_offset: where a peek starts, beyond copied_seq
 * @urg_hole: urgent bytes a peek stepped over
 * @hint: the skb @seq was last seen in or behind; NULL: walk from the front
 */
struct tcp_recv {
	struct msghdr *msg;
	int flags;
	size_t len;
	s64 timeo;
	int target;
	int copied;
	u32 seq;
	u32 peek_offset;
	u32 urg_hole;
	struct sk_buff *hint;
};

static void tcp_recv_advance(struct sock *sk, struct tcp_recv *r, u32 used)
{
	r->seq += used;
	if (!(r->flags & M_MSG_PEEK))
		tcp_set_copied_seq(sk, r->seq);
}

/* sk_peek_offset_fwd() and _bwd(). */
static void tcp_move_peek_offset(struct sock *sk, int flags, u32 used)
{
	u32 off = (u32)sk->sk_peek_off;

	if (sk->sk_peek_off < 0)
		return;
	off = flags & M_MSG_PEEK ? off + used : off - used;
	sk->sk_peek_off = max_t(s32, off, 0);
}

/* The skb to copy from and where; also one whose FIN is next, then at its end.
 * NULL: nothing there. @last: where the walk ended. */
static struct sk_buff *tcp_recv_find(struct sock *sk, struct tcp_recv *r,
				     u32 *offset, struct sk_buff **last)
{
	struct sk_buff *skb = r->hint;

	*last = skb_peek_tail(&sk->sk_receive_queue);
	if (!skb)
		skb = skb_peek(&sk->sk_receive_queue);
	for (; skb; skb = skb->next) {
		*last = skb;
		r->hint = skb;
		*offset = r->seq - skb->seq;
		M_ASSERT(!before(r->seq, skb->seq),
			 "sock %u: the queue starts behind the cursor", sk->id);
		if (*offset < skb->len || skb->fin)
			return skb;
	}
	return NULL;
}

/* Consumes the FIN, or an skb without more bytes. True: it was the FIN. */
static bool tcp_recv_skb_end(struct sock *sk, struct tcp_recv *r,
			     struct sk_buff *skb)
{
	bool fin = skb->fin;

	if (fin)
		tcp_recv_advance(sk, r, 1);
	if (!(r->flags & M_MSG_PEEK)) {
		r->hint = NULL;
		tcp_eat_recv_skb(sk, skb);
	}
	if (fin)
		m_reason(sk->k,
			 r->copied ? REASON_TCP_SHORT_EOF : REASON_TCP_EOF);
	return fin;
}

/* The urgent byte itself is skipped, ordinary bytes end in front of it. */
static u32 tcp_recv_until_urg(struct sock *sk, struct tcp_recv *r, u32 *offset,
			      u32 used)
{
	u32 urg_offset = tcp_sk(sk)->urg_seq - r->seq;

	if (urg_offset >= used)
		return used;
	if (urg_offset)
		return urg_offset;
	if (sk->sk_oobinline)
		return used;
	tcp_recv_advance(sk, r, 1);
	r->urg_hole++;
	(*offset)++;
	return used - 1;
}

/* Copies from @skb. 0 goes on, 1 ends the call (FIN or fault). */
static int tcp_recv_copy(struct sock *sk, struct tcp_recv *r,
			 struct sk_buff *skb, u32 offset)
{
	u32 used = (u32)min_t(size_t, skb->len - offset, r->len);
	struct tcp_sock *tp = tcp_sk(sk);

	if (unlikely(tp->urg_data))
		used = tcp_recv_until_urg(sk, r, &offset, used);
	if (used) {
		if (!(r->flags & M_MSG_TRUNC) &&
		    skb_copy_datagram_iter(skb, offset, &r->msg->iter, used)) {
			m_reason(sk->k, r->copied ? REASON_TCP_SHORT_FAULT :
						    REASON_TCP_FAULT);
			if (!r->copied)
				r->copied = -EFAULT;
			return 1;
		}
		tcp_recv_advance(sk, r, used);
		r->copied += (int)used;
		r->len -= used;
		tcp_move_peek_offset(sk, r->flags, used);
		tcp_rcv_space_adjust(sk);
	}
	if (unlikely(tp->urg_data) && after(tp->copied_seq, tp->urg_seq))
		tp->urg_data = 0;
	if (used + offset < skb->len)
		return 0;
	return tcp_recv_skb_end(sk, r, skb);
}

/* At the urgent mark. True: the call ends here. */
static bool tcp_recv_at_mark(struct sock *sk, struct tcp_recv *r)
{
	if (r->copied) {
		m_reason(sk->k, REASON_TCP_URG_MARK);
		return true;
	}
	if (!tcp_signal_pending(sk))
		return false;
	m_reason(sk->k, REASON_TCP_SIGNAL);
	r->copied = r->timeo ? sock_intr_errno(r->timeo) : -EAGAIN;
	return true;
}

/* Nothing to copy right now. 0: look again, 1: the call ends, or an errno that
 * skips the final window update. Yields. */
static int tcp_recv_wait(struct sock *sk, struct tcp_recv *r,
			 const struct sk_buff *last)
{
	int err;

	if (r->copied >= r->target && skb_queue_empty(&sk->backlog)) {
		m_reason(sk->k, REASON_TCP_TARGET);
		return 1;
	}
	if (r->copied) {
		if (tcp_must_stop(sk, r->timeo))
			return 1;
	} else {
		err = tcp_nothing_there(sk, r->timeo);
		if (err == 1 && tcp_signal_pending(sk))
			err = tcp_exit(sk, sock_intr_errno(r->timeo),
				       REASON_TCP_SIGNAL);
		if (err != 1) {
			r->copied = err;
			return 1;
		}
	}
	r->hint = NULL;
	if (r->copied >= r->target) {
		sk_flush_backlog(sk);
	} else {
		tcp_cleanup_rbuf(sk, r->copied);
		err = sk_wait_data(sk, &r->timeo, last);
		if (err < 0)
			return tcp_exit(sk, err, REASON_TCP_DISCONNECTED);
	}
	/* Another reader moved on meanwhile (facts R52); only a peek has a
	 * cursor of its own. */
	if (!(r->flags & M_MSG_PEEK))
		r->seq = tcp_sk(sk)->copied_seq;
	else if (r->seq - r->peek_offset - (u32)r->copied - r->urg_hole !=
		 tcp_sk(sk)->copied_seq)
		r->seq = tcp_sk(sk)->copied_seq + r->peek_offset;
	return 0;
}

/* 1: another turn, 0: the call ends, negative: it ends with that. Yields. */
static int tcp_recv_turn(struct sock *sk, struct tcp_recv *r)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct sk_buff *skb, *last;
	u32 offset;
	int ret;

	softirq_point(sk->k, POINT_TCP_RECV_LOOP);
	if (unlikely(tp->urg_data) && tp->urg_seq == r->seq &&
	    tcp_recv_at_mark(sk, r))
		return 0;
	skb = tcp_recv_find(sk, r, &offset, &last);
	if (!skb) {
		ret = tcp_recv_wait(sk, r, last);
		return ret < 0 ? ret : !ret;
	}
	if (offset < skb->len)
		return !tcp_recv_copy(sk, r, skb, offset);
	return !tcp_recv_skb_end(sk, r, skb);
}

/* The loop runs at least once, for @len 0 too (facts R33). Yields. */
static int tcp_recvmsg_locked(struct sock *sk, struct msghdr *msg, size_t len,
			      int flags)
{
	struct tcp_recv r = {
		.msg = msg,
		.flags = flags,
		.len = len,
		.seq = tcp_sk(sk)->copied_seq,
	};
	int ret;

	if (sk->sk_state == TCP_LISTEN)
		return tcp_exit(sk, -ENOTCONN, REASON_TCP_NOTCONN);
	if (flags & M_MSG_OOB)
		return tcp_recv_urg(sk, msg, len, flags);
	r.timeo = sock_rcvtimeo(sk, flags & M_MSG_DONTWAIT);
	r.target = sock_rcvlowat(sk, flags & M_MSG_WAITALL,
				 (int)min_t(size_t, len, INT32_MAX));
	if (flags & M_MSG_PEEK) {
		r.peek_offset = (u32)max_t(s32, sk->sk_peek_off, 0);
		r.seq += r.peek_offset;
	}
	do {
		m_reason(sk->k, REASON_TCP_FULL);
		ret = tcp_recv_turn(sk, &r);
		if (ret < 0)
			return r.copied ? r.copied : ret;
	} while (ret && r.len > 0);
	tcp_cleanup_rbuf(sk, r.copied);
	return r.copied;
}

/* The file's O_NONBLOCK becomes MSG_DONTWAIT in the socket layer. */
int tcp_recvmsg(struct sock *sk, struct msghdr *msg, size_t len, int flags)
{
	int ret;

	if (flags & M_MSG_ERRQUEUE)
		return tcp_exit(sk, -EAGAIN, REASON_TCP_ERRQUEUE_EMPTY);
	if (sk->sk_nonblock)
		flags |= M_MSG_DONTWAIT;
	lock_sock(sk);
	ret = tcp_recvmsg_locked(sk, msg, len, flags);
	release_sock(sk);
	return ret;
}
