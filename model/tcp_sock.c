// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A TCP socket comes to life as accept() would hand it out, and goes.
 *
 * Left out: the handshake (its results are struct tcp_opts), the transmit
 * half, timers.
 *
 * Mirrors net/ipv4/tcp.c tcp_init_sock(), net/ipv4/tcp_minisocks.c
 * tcp_create_openreq_child(), net/ipv4/af_inet.c inet_sock_destruct().
 */
#include "model/tcp_rcv.h"

static void tcp_init_rcvbuf(struct sock *sk, u32 rcvbuf)
{
	sk->sk_rcvbuf = TCP_RMEM_DEFAULT;
	if (!rcvbuf)
		return;
	sock_set_rcvbuf(sk, (int)rcvbuf);
}

struct sock *tcp_sock_new(struct m_kernel *k, const struct tcp_opts *opts)
{
	struct tcp_sock *tp = m_alloc(k, SITE_SOCK, sizeof(*tp));
	struct sock *sk = &tp->sk;

	M_ASSERT(tp, "no memory for a socket");
	sock_init_data(sk, k);
	sk->sk_prot = &tcp_prot;
	sk->ops = &inet_stream_ops;
	sk->sk_state = opts->state;
	tcp_init_rcvbuf(sk, opts->rcvbuf);
	tp->irs = opts->irs;
	tp->rcv_nxt = opts->irs;
	tp->copied_seq = opts->irs;
	tp->advmss = opts->mss;
	tp->scaling_ratio = TCP_DEFAULT_SCALING_RATIO;
	skb_queue_head_init(&tp->out_of_order_queue);
	tp->ooo_tree.rb_node = NULL;
	tp->last_seg_size = 0;
	tp->urg_data = 0;
	tp->urg_seq = opts->irs;
	tp->ack_pending = 0;
	tp->ack_deferred = false;
	tp->snd_closed = false;
	tp->inq = false;
	tcp_init_window(sk, sk->sk_rcvbuf_locked);
	return sk;
}

void tcp_sock_free(struct sock *sk)
{
	struct m_kernel *k;

	if (!sk)
		return;
	k = sk->k;
	M_ASSERT(sk->sk_dead || sk->sk_state != TCP_ESTABLISHED,
		 "sock %u freed while connected", sk->id);
	__tcp_ofo_purge(tcp_sk(sk));
	sk_destruct(sk);
	m_free(k, tcp_sk(sk), sizeof(struct tcp_sock));
}
