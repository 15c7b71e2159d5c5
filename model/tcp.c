// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading from the TCP receive queue: splice, in-kernel readers, poll.
 *
 *   sk_receive_queue:  [seq ... end_seq) [seq ... end_seq) ...     rcv_nxt
 *                            ^ copied_seq                             ^
 *
 * Bytes are found by sequence number, never by position: skbs may overlap,
 * merge or be collapsed whenever the lock was dropped. copied_seq lies in the
 * first skb, so a lookup is one step.
 *
 * Left out: the transmit half (MODEL: the socket is always writable), zero
 * copy receive, busy polling.
 *
 * Mirrors net/ipv4/tcp.c tcp_recv_skb(), tcp_read_sock(), tcp_read_done(),
 * tcp_splice_read(), tcp_splice_data_recv(), tcp_eat_recv_skb(), tcp_poll();
 * include/net/tcp.h tcp_inq(); net/core/sock.c sk_wait_data(). recvmsg is in
 * tcp_recvmsg.c, everything but reading in tcp_ctl.c.
 */
#include "model/pipe.h"
#include "model/tcp_rcv.h"

int tcp_inq(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 answ = tp->rcv_nxt - tp->copied_seq;

	if (sk->sk_state == TCP_SYN_SENT || sk->sk_state == TCP_SYN_RECV)
		return 0;
	if (unlikely(tp->urg_data) && !sk->sk_oobinline &&
	    !before(tp->urg_seq, tp->copied_seq) &&
	    before(tp->urg_seq, tp->rcv_nxt))
		return (int)(tp->urg_seq - tp->copied_seq);
	/* The FIN takes a sequence number. */
	if (answ && sk->sk_done)
		answ--;
	return (int)answ;
}

void tcp_eat_recv_skb(struct sock *sk, struct sk_buff *skb)
{
	__skb_unlink(skb, &sk->sk_receive_queue);
	kfree_skb(skb);
}

struct sk_buff *tcp_recv_skb(struct sock *sk, u32 seq, u32 *off)
{
	struct sk_buff *skb;
	u32 offset;

	while ((skb = skb_peek(&sk->sk_receive_queue))) {
		offset = seq - skb->seq;
		if (offset < skb->len || skb->fin) {
			*off = offset;
			return skb;
		}
		tcp_eat_recv_skb(sk, skb);
	}
	return NULL;
}

void tcp_set_copied_seq(struct sock *sk, u32 seq)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (seq == tp->copied_seq)
		return;
	tp->copied_seq = seq;
	m_event(sk->k, EV_CONSUME_TCP, sk->id, tcp_rel(tp, seq),
		tcp_rel(tp, tp->rcv_nxt));
}

/* Bytes of @skb from @offset, but not beyond the urgent mark. */
static size_t tcp_read_len(const struct tcp_sock *tp, const struct sk_buff *skb,
			   u32 offset, u32 seq)
{
	size_t len = skb->len - offset;

	if (unlikely(tp->urg_data))
		len = min_t(size_t, len, tp->urg_seq - seq);
	return len;
}

int tcp_read_sock(struct sock *sk, read_descriptor_t *desc,
		  sk_read_actor_t actor)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 seq = tp->copied_seq;
	struct sk_buff *skb;
	int copied = 0;
	u32 offset;

	if (sk->sk_state == TCP_LISTEN)
		return -ENOTCONN;
	while ((skb = tcp_recv_skb(sk, seq, &offset))) {
		if (offset < skb->len) {
			size_t len = tcp_read_len(tp, skb, offset, seq);
			int used;

			if (!len)
				break;
			used = actor(desc, skb, offset, len);
			if (used <= 0) {
				if (!copied)
					copied = used;
				break;
			}
			M_ASSERT((size_t)used <= len,
				 "the actor took %d of %zu bytes", used, len);
			seq += (u32)used;
			copied += used;
			/* The actor may have dropped the lock. */
			skb = tcp_recv_skb(sk, seq - 1, &offset);
			if (!skb)
				break;
			if (offset + 1 != skb->len)
				continue;
		}
		if (skb->fin) {
			tcp_eat_recv_skb(sk, skb);
			seq++;
			break;
		}
		tcp_eat_recv_skb(sk, skb);
		if (!desc->count)
			break;
		tcp_set_copied_seq(sk, seq);
	}
	tcp_set_copied_seq(sk, seq);
	tcp_rcv_space_adjust(sk);
	if (copied > 0) {
		tcp_recv_skb(sk, seq, &offset);
		tcp_cleanup_rbuf(sk, copied);
	}
	return copied;
}

void tcp_read_done(struct sock *sk, size_t len)
{
	u32 seq = tcp_sk(sk)->copied_seq;
	size_t left = len;
	struct sk_buff *skb;
	u32 offset, used;

	if (sk->sk_state == TCP_LISTEN)
		return;
	while ((skb = tcp_recv_skb(sk, seq, &offset))) {
		used = (u32)min_t(size_t, skb->len - offset, left);
		seq += used;
		left -= used;
		if (skb->len > offset + used)
			break;
		seq += skb->fin;
		if (skb->fin) {
			tcp_eat_recv_skb(sk, skb);
			break;
		}
		tcp_eat_recv_skb(sk, skb);
	}
	tcp_set_copied_seq(sk, seq);
	tcp_rcv_space_adjust(sk);
	if (left != len)
		tcp_cleanup_rbuf(sk, (int)(len - left));
}

/* What sk_wait_data() waits for: another skb at the tail of the queue. */
struct wait_data {
	const struct sock *sk;
	const struct sk_buff *last;
};

static bool tail_differs(void *arg)
{
	const struct wait_data *w = arg;

	return skb_peek_tail(&w->sk->sk_receive_queue) != w->last;
}

int sk_wait_data(struct sock *sk, s64 *timeo, const struct sk_buff *last)
{
	struct wait_data w = { sk, last };
	struct wait_queue_entry wait;
	int ret;

	init_wait_entry(&wait, sk->k->current);
	add_wait_queue(&sk->sk_wq, &wait);
	sk->async_waitdata = true;
	ret = sk_wait_event(sk, M_SLEEP_SK_WAIT, timeo, tail_differs, &w);
	sk->async_waitdata = false;
	remove_wait_queue(&wait);
	return ret;
}

int tcp_nothing_there(struct sock *sk, s64 timeo)
{
	if (sk->sk_done)
		return tcp_exit(sk, 0, REASON_TCP_EOF);
	if (sk->sk_err)
		return tcp_exit(sk, sock_error(sk), REASON_TCP_SK_ERR);
	if (sk->sk_shutdown & RCV_SHUTDOWN)
		return tcp_exit(sk, 0, REASON_TCP_SHUTDOWN_RD);
	if (sk->sk_state == TCP_CLOSE)
		return tcp_exit(sk, -ENOTCONN, REASON_TCP_NOTCONN);
	if (!timeo)
		return tcp_exit(sk, -EAGAIN, REASON_TCP_EMPTY);
	return 1;
}

static int tcp_splice_data_recv(read_descriptor_t *desc, struct sk_buff *skb,
				u32 offset, size_t len)
{
	size_t want = min_t(size_t, desc->count, len);
	int ret;

	ret = skb_splice_bits(skb, skb->sk, offset, desc->arg, (u32)want);
	if (ret > 0)
		desc->count -= (size_t)ret;
	return ret;
}

/* Nothing in the drain step. 1: try again, else how the call ends. Yields. */
static int tcp_splice_wait(struct sock *sk, s64 *timeo)
{
	int ret = tcp_nothing_there(sk, *timeo);

	if (ret != 1)
		return ret;
	if (!skb_queue_empty(&sk->sk_receive_queue)) {
		/* The urgent mark; or no page to copy to, which said so. */
		if (tcp_sk(sk)->urg_data)
			m_reason(sk->k, REASON_TCP_URG_MARK);
		return 0;
	}
	ret = sk_wait_data(sk, timeo, NULL);
	if (ret < 0)
		return tcp_exit(sk, ret, REASON_TCP_DISCONNECTED);
	if (tcp_signal_pending(sk))
		return tcp_exit(sk, sock_intr_errno(*timeo), REASON_TCP_SIGNAL);
	return 1;
}

/* Bytes, or how the call ends when there are none. Yields. */
static int tcp_splice_locked(struct sock *sk, struct pipe_inode_info *pipe,
			     size_t len)
{
	s64 timeo = sock_rcvtimeo(sk, sk->sk_nonblock);
	int spliced = 0;
	int ret = 0;

	while (len) {
		read_descriptor_t desc = { .count = len, .arg = pipe };

		ret = tcp_read_sock(sk, &desc, tcp_splice_data_recv);
		if (ret < 0) {
			if (spliced)
				m_reason(sk->k, REASON_TCP_SPLICED);
			else if (sk->sk_state == TCP_LISTEN)
				m_reason(sk->k, REASON_TCP_NOTCONN);
			break;
		}
		if (!ret) {
			if (spliced)
				break;
			ret = tcp_splice_wait(sk, &timeo);
			if (ret != 1)
				break;
			continue;
		}
		len -= (size_t)ret;
		spliced += ret;
		m_reason(sk->k, len ? REASON_TCP_SPLICED : REASON_TCP_FULL);
		if (!timeo ||
		    (!len && !m_has(sk->k, CHANGE_SPLICE_EXTRA_UNLOCK)))
			break;
		release_sock(sk);
		lock_sock(sk);
		if (sk->sk_err || sk->sk_state == TCP_CLOSE ||
		    (sk->sk_shutdown & RCV_SHUTDOWN) || tcp_signal_pending(sk))
			break;
	}
	return spliced ? spliced : ret;
}

/* SPLICE_F_NONBLOCK does not reach the socket (facts R61). */
int tcp_splice_read(struct sock *sk, struct pipe_inode_info *pipe, size_t len,
		    unsigned int flags)
{
	int ret;

	(void)flags;
	m_reason(sk->k, REASON_TCP_FULL);
	lock_sock(sk);
	ret = tcp_splice_locked(sk, pipe, len);
	release_sock(sk);
	return ret;
}

static bool tcp_stream_is_readable(struct sock *sk, int target)
{
	if (tcp_epollin_ready(sk, target))
		return true;
	return sk->sk_prot->sock_is_readable &&
	       sk->sk_prot->sock_is_readable(sk);
}

static u32 tcp_poll_connected(struct sock *sk)
{
	int target = sock_rcvlowat(sk, false, INT32_MAX);
	struct tcp_sock *tp = tcp_sk(sk);
	u32 mask = POLLOUT_SET;

	/* The urgent byte in front is none to read. */
	if (unlikely(tp->urg_data) && tp->urg_seq == tp->copied_seq &&
	    !sk->sk_oobinline)
		target++;
	if (tcp_stream_is_readable(sk, target))
		mask |= POLLIN_SET;
	if (tp->urg_data & TCP_URG_VALID)
		mask |= M_POLLPRI;
	return mask;
}

u32 tcp_poll(struct sock *sk)
{
	u32 mask = 0;

	/* MODEL: nobody connects to the listener, so none waits in accept. */
	if (sk->sk_state == TCP_LISTEN)
		return 0;
	if (sk->sk_shutdown == SHUTDOWN_MASK || sk->sk_state == TCP_CLOSE)
		mask |= M_POLLHUP;
	if (sk->sk_shutdown & RCV_SHUTDOWN)
		mask |= POLLIN_SET | M_POLLRDHUP;
	if (sk->sk_state != TCP_SYN_SENT && sk->sk_state != TCP_SYN_RECV)
		mask |= tcp_poll_connected(sk);
	if (sk->sk_err)
		mask |= M_POLLERR;
	return mask;
}
