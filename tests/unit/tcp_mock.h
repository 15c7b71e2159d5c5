/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One TCP socket in the mock world, and short names for what happens to it.
 * Sequence numbers count from the first data byte, as in the log.
 */
#ifndef TESTS_UNIT_TCP_MOCK_H
#define TESTS_UNIT_TCP_MOCK_H

#include "model/tcp_rcv.h"
#include "tests/unit/mock.h"

/* Close to the end of the sequence space, so that tests pass over it. */
#define IRS 0xfffffff0u

static struct mock *m;
static struct sock *sk;
static struct tcp_sock *tp;
static u8 buf[200000];

/* @rcvbuf: as SO_RCVBUF, 0 for the default. */
static inline void tcp_setup_with(u32 rcvbuf, u32 mss)
{
	struct tcp_opts opts = {
		.rcvbuf = rcvbuf,
		.mss = mss,
		.irs = IRS,
		.state = TCP_ESTABLISHED,
	};

	m = mock_new();
	sk = tcp_sock_new(&m->k, &opts);
	tp = tcp_sk(sk);
	mock_events_clear(m);
}

static inline void tcp_setup(void)
{
	tcp_setup_with(0, 65483);
}

static inline void tcp_teardown(void)
{
	sk->sk_state = TCP_CLOSE;
	tcp_sock_free(sk);
	mock_free(m);
}

static inline void rx_skb(struct sk_buff *skb, u32 flags)
{
	tcp_v4_rcv(sk, skb, flags | TCPHDR_PSH);
}

/* A segment with bytes [off, off+len). */
static inline void rx(u32 off, u32 len)
{
	rx_skb(mock_skb(m, IRS + off, len), 0);
}

/* The same, and the sender keeps it for a retransmission. */
static inline void rx_held(u32 off, u32 len)
{
	struct sk_buff *skb = mock_skb(m, IRS + off, len);

	skb->cloned = true;
	rx_skb(skb, 0);
}

static inline void rx_fin(u32 off, u32 len)
{
	struct sk_buff *skb = mock_skb(m, IRS + off, len);

	skb->fin = true;
	skb->end_seq++;
	rx_skb(skb, 0);
}

static inline void rx_rst(u32 off)
{
	rx_skb(mock_skb(m, IRS + off, 0), TCPHDR_RST);
}

/* Bytes [off, off+len), the last of which is urgent. */
static inline void rx_urg(u32 off, u32 len)
{
	struct sk_buff *skb = mock_skb(m, IRS + off, len);

	skb->urg_seq = IRS + off + len - 1;
	rx_skb(skb, TCPHDR_URG);
}

/* recvmsg into buf, which is cleared first. */
static inline int recv_flags(size_t len, int flags)
{
	struct iovec_m iov = { buf, len };
	struct msghdr msg = { 0 };

	memset(buf, 0, len);
	m->tasks[0].reason = REASON_NONE;
	iov_iter_init(&msg.iter, ITER_UBUF, &iov, 1);
	return tcp_recvmsg(sk, &msg, len, flags);
}

static inline int recv_nowait(size_t len)
{
	return recv_flags(len, M_MSG_DONTWAIT);
}

static inline enum m_reason reason(void)
{
	return m->tasks[0].reason;
}

/* A queued hook: a segment whose start and length are in one number. */
#define HOOK_SEG(off, len) ((void *)(uintptr_t)((off) << 16 | (len)))

static inline void hook_rx(struct mock *mock, void *arg)
{
	uintptr_t seg = (uintptr_t)arg;

	(void)mock;
	rx((u32)(seg >> 16), (u32)(seg & 0xffff));
}

static inline void hook_fin(struct mock *mock, void *arg)
{
	(void)mock;
	rx_fin((u32)((uintptr_t)arg >> 16), 0);
}

static inline void hook_rst(struct mock *mock, void *arg)
{
	(void)mock;
	rx_rst((u32)((uintptr_t)arg >> 16));
}

static inline void hook_signal(struct mock *mock, void *arg)
{
	(void)arg;
	mock->signal = true;
}

/* Why the last segment was dropped. */
static inline s64 last_drop(void)
{
	u32 n = mock_event_count(m, EV_SEG_DROP);

	return n ? mock_event(m, EV_SEG_DROP, n - 1)->c : TCP_DROP_COUNT;
}

static inline u32 rel_nxt(void)
{
	return tp->rcv_nxt - IRS;
}

static inline u32 last_win(void)
{
	ck_assert_uint_gt(m->xmit_count, 0);
	return m->xmits[m->xmit_count - 1].win;
}

/* Takes the window to 0, as a sender that fills it does. */
static inline u32 fill_window(void)
{
	u32 off = 0;
	u32 len;

	while ((len = tcp_receive_window(tp))) {
		len = min_t(u32, len, 512);
		rx(off, len);
		off += len;
	}
	return off;
}

#endif
