// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Everything a task asks of a TCP socket besides reading: close, shutdown,
 * disconnect, ioctl, options; and the tables of entry points.
 *
 * Left out: SO_LINGER, lingering in close(), tcp_linger2, accept queues, all
 * SOL_TCP options but TCP_ULP and TCP_INQ. MODEL: FIN leaves at once, there is
 * no output in front of it.
 *
 * Mirrors net/ipv4/tcp.c tcp_ioctl(), __tcp_close(), tcp_close_state(),
 * tcp_shutdown(), tcp_disconnect(), do_tcp_setsockopt(), do_tcp_getsockopt(),
 * tcp_set_rcvlowat(); net/ipv4/tcp_ulp.c tcp_set_ulp(); net/ipv4/af_inet.c
 * inet_shutdown(), inet_stream_connect().
 */
#include "model/tcp_rcv.h"
#include "model/tls.h"

enum {
	TCP_ULP_NAME_MAX = 16
};

int tcp_ioctl_inq(struct sock *sk)
{
	int answ;

	if (sk->sk_state == TCP_LISTEN)
		return tcp_exit(sk, -EINVAL, REASON_TCP_NOTCONN);
	lock_sock(sk);
	answ = tcp_inq(sk);
	release_sock(sk);
	return tcp_exit(sk, answ, REASON_TCP_INQ);
}

/* The state after a close from this side; true: it takes a FIN. */
static bool tcp_close_state(struct sock *sk)
{
	switch (sk->sk_state) {
	case TCP_ESTABLISHED:
	case TCP_SYN_RECV:
		sk->sk_state = TCP_FIN_WAIT1;
		return true;
	case TCP_CLOSE_WAIT:
		sk->sk_state = TCP_LAST_ACK;
		return true;
	case TCP_SYN_SENT:
	case TCP_TIME_WAIT:
	case TCP_CLOSE:
	case TCP_LISTEN:
		sk->sk_state = TCP_CLOSE;
		return false;
	case TCP_FIN_WAIT1:
	case TCP_FIN_WAIT2:
	case TCP_LAST_ACK:
	case TCP_CLOSING:
		return false;
	}
	return false;
}

/* Empties the receive queue; whether somebody had still to read from it. */
static bool tcp_toss_receive_queue(struct sock *sk)
{
	bool unread = false;
	struct sk_buff *skb;

	while ((skb = skb_peek(&sk->sk_receive_queue))) {
		if (after(skb->end_seq - skb->fin, tcp_sk(sk)->copied_seq))
			unread = true;
		tcp_eat_recv_skb(sk, skb);
	}
	return unread;
}

/* True: RST was sent. */
static bool __tcp_close(struct sock *sk)
{
	bool unread;

	sk->sk_shutdown = SHUTDOWN_MASK;
	if (sk->sk_state == TCP_LISTEN) {
		sk->sk_state = TCP_CLOSE;
		return false;
	}
	unread = tcp_toss_receive_queue(sk);
	if (sk->sk_state == TCP_CLOSE)
		return false;
	if (unread) {
		sk->sk_state = TCP_CLOSE;
		tcp_send_active_reset(sk);
		return true;
	}
	if (tcp_close_state(sk))
		tcp_send_fin(sk);
	return false;
}

void tcp_close(struct sock *sk)
{
	bool rst;

	lock_sock(sk);
	rst = __tcp_close(sk);
	sk->sk_dead = true;
	m_event(sk->k, EV_SOCK_CLOSED, sk->id, rst, 0);
	m_reason(sk->k, rst ? REASON_TCP_CLOSED_RST : REASON_TCP_CLOSED_FIN);
	release_sock(sk);
}

/* RST where the peer still waits for something. */
static bool tcp_need_reset(enum tcp_state state)
{
	return state == TCP_ESTABLISHED || state == TCP_CLOSE_WAIT ||
	       state == TCP_FIN_WAIT1 || state == TCP_FIN_WAIT2 ||
	       state == TCP_SYN_RECV;
}

int tcp_disconnect(struct sock *sk)
{
	enum tcp_state old_state = sk->sk_state;
	struct tcp_sock *tp = tcp_sk(sk);

	sk->sk_state = TCP_CLOSE;
	if (tcp_need_reset(old_state)) {
		tcp_send_active_reset(sk);
		sk_set_err(sk, ECONNRESET);
	} else if (old_state == TCP_SYN_SENT) {
		sk_set_err(sk, ECONNRESET);
	}
	__skb_queue_purge(&sk->sk_receive_queue);
	__tcp_ofo_purge(tp);
	tcp_set_copied_seq(sk, tp->rcv_nxt);
	tp->urg_data = 0;
	tp->rcv_mss = TCP_MIN_MSS;
	tp->last_seg_size = 0;
	tp->ack_pending = 0;
	sk->sk_peek_off = -1;
	sk->sk_shutdown = 0;
	sk->sk_done = false;
	sk_error_report(sk);
	return tcp_exit(sk, 0, REASON_TCP_DISCONNECT);
}

int inet_disconnect(struct sock *sk)
{
	int ret;

	lock_sock(sk);
	sk->sk_disconnects++;
	ret = sk->sk_prot->disconnect(sk);
	release_sock(sk);
	return ret;
}

/* Socket lock held. */
static int inet_shutdown_locked(struct sock *sk, u8 mask)
{
	enum tcp_state state = sk->sk_state;
	int ret = 0;

	if (state == TCP_SYN_SENT ||
	    (state == TCP_LISTEN && (mask & RCV_SHUTDOWN)))
		return sk->sk_prot->disconnect(sk);
	if (state == TCP_LISTEN)
		return 0;
	if (state == TCP_CLOSE)
		ret = tcp_exit(sk, -ENOTCONN, REASON_TCP_NOTCONN);
	sk->sk_shutdown |= mask;
	if ((mask & SEND_SHUTDOWN) &&
	    (state == TCP_ESTABLISHED || state == TCP_CLOSE_WAIT) &&
	    tcp_close_state(sk))
		tcp_send_fin(sk);
	return ret;
}

int tcp_shutdown(struct sock *sk, int how)
{
	int ret;

	if (how < M_SHUT_RD || how > M_SHUT_RDWR)
		return tcp_exit(sk, -EINVAL, REASON_TCP_SHUTDOWN_HOW);
	lock_sock(sk);
	m_reason(sk->k, REASON_TCP_SHUTDOWN);
	ret = inet_shutdown_locked(sk, (u8)(how + 1));
	sk->sk_state_change(sk);
	release_sock(sk);
	return ret;
}

int tcp_set_rcvlowat(struct sock *sk, int val)
{
	struct tcp_sock *tp = tcp_sk(sk);
	int cap = sk->sk_rcvbuf_locked ? sk->sk_rcvbuf >> 1 : TCP_RMEM_MAX >> 1;
	s32 space;

	val = min_t(int, val, cap);
	sk->sk_rcvlowat = val ? val : 1;
	tcp_data_ready(sk);
	if (sk->sk_rcvbuf_locked)
		return 0;
	space = tcp_space_from_win(sk, val);
	if (space > sk->sk_rcvbuf) {
		sk->sk_rcvbuf = space;
		if (tp->window_clamp < (u32)val)
			tp->window_clamp = (u32)val;
	}
	return 0;
}

/* Socket lock held. */
static int tcp_set_ulp(struct sock *sk, const char *name)
{
	int ret;

	if (strcmp(name, "tls") != 0)
		return tcp_exit(sk, -ENOENT, REASON_TCP_ULP_UNKNOWN);
	if (sk->icsk_ulp_name)
		return tcp_exit(sk, -EEXIST, REASON_TCP_ULP_EXISTS);
	if (sk->sk_state == TCP_LISTEN)
		return tcp_exit(sk, -ENOTCONN, REASON_TCP_NOTCONN);
	m_reason(sk->k, REASON_OPT_DONE);
	ret = tls_init(sk);
	if (!ret)
		sk->icsk_ulp_name = "tls";
	return ret;
}

/* strncpy_from_user(): up to a NUL or @max bytes; false on a fault. */
static bool copy_name_from_opt(char *to, const struct sockopt_arg *arg, u32 max)
{
	u32 i;

	for (i = 0; i < max; i++) {
		if (!arg->val || i >= arg->size)
			return false;
		to[i] = (char)arg->val[i];
		if (!to[i])
			return true;
	}
	to[i] = '\0';
	return true;
}

static int tcp_set_ulp_opt(struct sock *sk, const struct sockopt_arg *arg)
{
	char name[TCP_ULP_NAME_MAX];
	int ret;

	if (arg->len < 1)
		return tcp_exit(sk, -EINVAL, REASON_OPT_LENGTH);
	if (!copy_name_from_opt(name, arg,
				min_t(u32, TCP_ULP_NAME_MAX - 1, arg->len)))
		return tcp_exit(sk, -EFAULT, REASON_OPT_FAULT);
	lock_sock(sk);
	ret = tcp_set_ulp(sk, name);
	release_sock(sk);
	return ret;
}

static int tcp_set_int_opt(struct sock *sk, int opt,
			   const struct sockopt_arg *arg)
{
	int val;

	if (arg->len < (int)sizeof(val))
		return tcp_exit(sk, -EINVAL, REASON_OPT_LENGTH);
	if (!arg->val || arg->size < sizeof(val))
		return tcp_exit(sk, -EFAULT, REASON_OPT_FAULT);
	memcpy(&val, arg->val, sizeof(val));
	if (opt != TCP_INQ_M)
		return tcp_exit(sk, -ENOPROTOOPT, REASON_OPT_UNKNOWN);
	if (val < 0 || val > 1)
		return tcp_exit(sk, -EINVAL, REASON_OPT_VALUE);
	lock_sock(sk);
	tcp_sk(sk)->inq = val;
	release_sock(sk);
	return tcp_exit(sk, 0, REASON_OPT_DONE);
}

int tcp_setsockopt(struct sock *sk, int level, int opt, struct sockopt_arg *arg)
{
	if (level == SOL_SOCKET_M)
		return sock_setsockopt(sk, opt, arg);
	if (level != SOL_TCP_M)
		return tcp_exit(sk, -ENOPROTOOPT, REASON_OPT_UNKNOWN);
	if (opt == TCP_ULP_M)
		return tcp_set_ulp_opt(sk, arg);
	return tcp_set_int_opt(sk, opt, arg);
}

/* At most what the caller has room for. */
static int tcp_copy_to_opt(struct sock *sk, struct sockopt_arg *arg,
			   const void *from, u32 size)
{
	u32 len = min_t(u32, arg->len, size);

	arg->out_len = (int)len;
	if (len && (!arg->val || arg->size < len))
		return tcp_exit(sk, -EFAULT, REASON_OPT_FAULT);
	if (len)
		memcpy(arg->val, from, len);
	return tcp_exit(sk, 0, REASON_OPT_DONE);
}

int tcp_getsockopt(struct sock *sk, int level, int opt, struct sockopt_arg *arg)
{
	char name[TCP_ULP_NAME_MAX] = "";
	int val;

	if (level == SOL_SOCKET_M)
		return sock_getsockopt(sk, opt, arg);
	arg->out_len = arg->len;
	/* Setting gives another errno than getting: ip_getsockopt(). */
	if (level != SOL_TCP_M)
		return tcp_exit(sk, -EOPNOTSUPP, REASON_OPT_UNKNOWN);
	if (arg->len < 0)
		return tcp_exit(sk, -EINVAL, REASON_OPT_LENGTH);
	switch (opt) {
	case TCP_ULP_M:
		if (!sk->icsk_ulp_name)
			return tcp_copy_to_opt(sk, arg, name, 0);
		memcpy(name, sk->icsk_ulp_name, strlen(sk->icsk_ulp_name));
		return tcp_copy_to_opt(sk, arg, name, sizeof(name));
	case TCP_INQ_M:
		val = tcp_sk(sk)->inq;
		return tcp_copy_to_opt(sk, arg, &val, sizeof(val));
	default:
		return tcp_exit(sk, -ENOPROTOOPT, REASON_OPT_UNKNOWN);
	}
}

const struct proto tcp_prot = {
	.name = "TCP",
	.recvmsg = tcp_recvmsg,
	.close = tcp_close,
	.setsockopt = tcp_setsockopt,
	.getsockopt = tcp_getsockopt,
	.disconnect = tcp_disconnect,
};

const struct proto_ops inet_stream_ops = {
	.poll = tcp_poll,
	.splice_read = tcp_splice_read,
	.read_sock = tcp_read_sock,
};
