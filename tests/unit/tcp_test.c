// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/tcp.c, in its order (facts R44, R62..R67; rx.md A16, A20).
 */
#include "tests/unit/tcp_mock.h"

static struct pipe_inode_info *pipe_new;

/* R67: the FIN does not count. */
START_TEST(tcp_inq__hides_the_fin)
{
	rx_fin(0, 3);
	ck_assert_int_eq(tcp_inq(sk), 3);
	ck_assert_int_eq(recv_nowait(3), 3);
	ck_assert_int_eq(tcp_inq(sk), 0);
	ck_assert_uint_eq(tp->copied_seq, tp->rcv_nxt);
}
END_TEST

START_TEST(tcp_inq__fin_unread)
{
	rx_held(0, 3);
	rx_fin(3, 0);
	ck_assert_int_eq(recv_nowait(3), 3);
	ck_assert_int_eq(tcp_inq(sk), 0);
}
END_TEST

START_TEST(tcp_inq__syn_states)
{
	rx(0, 3);
	sk->sk_state = TCP_SYN_SENT;
	ck_assert_int_eq(tcp_inq(sk), 0);
	sk->sk_state = TCP_SYN_RECV;
	ck_assert_int_eq(tcp_inq(sk), 0);
}
END_TEST

START_TEST(tcp_inq__urgent)
{
	rx_urg(0, 5);
	rx(5, 5);
	ck_assert_int_eq(tcp_inq(sk), 4);
	sk->sk_oobinline = true;
	ck_assert_int_eq(tcp_inq(sk), 10);
	sk->sk_oobinline = false;
	tp->copied_seq += 5;
	ck_assert_int_eq(tcp_inq(sk), 5);
	tp->urg_seq = tp->rcv_nxt;
	ck_assert_int_eq(tcp_inq(sk), 5);
}
END_TEST

START_TEST(tcp_recv_skb__drops_consumed)
{
	struct sk_buff *skb;
	u32 off = 77;

	ck_assert_ptr_null(tcp_recv_skb(sk, IRS, &off));
	rx_held(0, 10);
	rx_held(10, 10);
	skb = tcp_recv_skb(sk, IRS + 12, &off);
	ck_assert_ptr_eq(skb, skb_peek(&sk->sk_receive_queue));
	ck_assert_uint_eq(off, 2);
	ck_assert_uint_eq(sk->sk_receive_queue.qlen, 1);
	ck_assert_ptr_null(tcp_recv_skb(sk, IRS + 20, &off));
}
END_TEST

START_TEST(tcp_recv_skb__fin_is_kept)
{
	u32 off;

	rx_fin(0, 4);
	ck_assert_ptr_nonnull(tcp_recv_skb(sk, IRS + 4, &off));
	ck_assert_uint_eq(off, 4);
}
END_TEST

/* What the actor of the tests is to do, and what it saw. */
struct actor {
	int most;
	u32 calls;
	size_t offered;
	int stop_after;
};

static int actor_fn(read_descriptor_t *desc, struct sk_buff *skb, u32 offset,
		    size_t len)
{
	struct actor *a = desc->arg;
	int used = (int)min_t(size_t, len, a->most);

	ck_assert_uint_le(offset + len, skb->len);
	a->calls++;
	a->offered = len;
	if (a->most <= 0)
		return a->most;
	ck_assert_int_eq(
		skb_copy_bits(skb, offset, buf + desc->written, (u32)used), 0);
	desc->written += (size_t)used;
	if (a->stop_after && --a->stop_after == 0)
		desc->count = 0;
	return used;
}

static int read_sock(struct actor *a)
{
	read_descriptor_t desc = { .count = 1, .arg = a };

	return tcp_read_sock(sk, &desc, actor_fn);
}

START_TEST(tcp_read_sock__listener)
{
	struct actor a = { .most = 100 };

	sk->sk_state = TCP_LISTEN;
	ck_assert_int_eq(read_sock(&a), -ENOTCONN);
}
END_TEST

/* The actor that took less is asked again. */
START_TEST(tcp_read_sock__offers_the_rest_again)
{
	struct actor a = { .most = 4 };

	rx_held(0, 10);
	rx_held(10, 3);
	ck_assert_int_eq(read_sock(&a), 13);
	ck_assert_uint_eq(a.calls, 4);
	ck_assert(mock_bytes_ok(buf, IRS, 13));
	ck_assert(skb_queue_empty(&sk->sk_receive_queue));
	ck_assert_int_eq(sk->sk_rmem_alloc, 0);
}
END_TEST

START_TEST(tcp_read_sock__actor_stops)
{
	struct actor a = { .most = -EMSGSIZE };

	rx(0, 10);
	ck_assert_int_eq(read_sock(&a), -EMSGSIZE);
	a.most = 0;
	ck_assert_int_eq(read_sock(&a), 0);
	ck_assert_int_eq(tcp_inq(sk), 10);
}
END_TEST

/* The count is looked at between buffers only. */
START_TEST(tcp_read_sock__count)
{
	struct actor a = { .most = 6, .stop_after = 1 };

	rx_held(0, 10);
	rx_held(10, 3);
	ck_assert_int_eq(read_sock(&a), 10);
	ck_assert_uint_eq(a.calls, 2);
	ck_assert_int_eq(tcp_inq(sk), 3);
}
END_TEST

START_TEST(tcp_read_sock__fin)
{
	struct actor a = { .most = 100 };

	rx_fin(0, 5);
	ck_assert_int_eq(read_sock(&a), 5);
	ck_assert_uint_eq(tp->copied_seq, tp->rcv_nxt);
	ck_assert_int_eq(read_sock(&a), 0);
	ck_assert_uint_eq(a.calls, 1);
}
END_TEST

START_TEST(tcp_read_sock__urgent_mark)
{
	struct actor a = { .most = 100 };

	rx_urg(0, 5);
	ck_assert_int_eq(read_sock(&a), 4);
	ck_assert_int_eq(read_sock(&a), 0);
	ck_assert_int_eq(recv_nowait(10), -EAGAIN);
}
END_TEST

/* An actor that let the queue be emptied under it. */
static int actor_purge(read_descriptor_t *desc, struct sk_buff *skb, u32 offset,
		       size_t len)
{
	(void)skb;
	(void)offset;
	(void)desc;
	__skb_queue_purge(&sk->sk_receive_queue);
	return (int)len;
}

START_TEST(tcp_read_sock__queue_changes_under_the_actor)
{
	read_descriptor_t desc = { .count = 1 };

	rx(0, 5);
	ck_assert_int_eq(tcp_read_sock(sk, &desc, actor_purge), 5);
}
END_TEST

/* R51: the peek offset is recvmsg's alone. */
START_TEST(tcp_read_sock__leaves_peek_offset)
{
	struct actor a = { .most = 3, .stop_after = 1 };

	sk->sk_peek_off = 1;
	rx_held(0, 3);
	rx(3, 3);
	ck_assert_int_eq(read_sock(&a), 3);
	ck_assert_int_eq(recv_flags(9, M_MSG_PEEK), 2);
	ck_assert(mock_bytes_ok(buf, IRS + 4, 2));
}
END_TEST

START_TEST(tcp_read_done__parts)
{
	rx_held(0, 10);
	rx_held(10, 10);
	tcp_read_done(sk, 4);
	ck_assert_uint_eq(sk->sk_receive_queue.qlen, 2);
	tcp_read_done(sk, 8);
	ck_assert_uint_eq(sk->sk_receive_queue.qlen, 1);
	ck_assert_uint_eq(tp->copied_seq, IRS + 12);
	tcp_read_done(sk, 8);
	ck_assert(skb_queue_empty(&sk->sk_receive_queue));
}
END_TEST

/* A20.10: a FIN directly behind goes with the bytes. */
START_TEST(tcp_read_done__swallows_the_fin)
{
	rx_held(0, 10);
	rx_fin(10, 0);
	tcp_read_done(sk, 10);
	ck_assert(skb_queue_empty(&sk->sk_receive_queue));
	ck_assert_uint_eq(tp->copied_seq, tp->rcv_nxt);
}
END_TEST

START_TEST(tcp_read_done__nothing)
{
	rx(0, 10);
	tcp_read_done(sk, 0);
	ck_assert_int_eq(tcp_inq(sk), 10);
	sk->sk_state = TCP_LISTEN;
	tcp_read_done(sk, 5);
	ck_assert_int_eq(tcp_inq(sk), 10);
}
END_TEST

static void setup_pipe(void)
{
	tcp_setup();
	pipe_new = alloc_pipe_info(&m->k, 65536);
	pipe_new->readers = 1;
	pipe_new->writers = 1;
}

static void teardown_pipe(void)
{
	free_pipe_info(pipe_new);
	tcp_teardown();
}

static int splice(size_t len)
{
	int ret;

	m->tasks[0].reason = REASON_NONE;
	pipe_lock(pipe_new);
	ret = tcp_splice_read(sk, pipe_new, len, 0);
	pipe_unlock(pipe_new);
	return ret;
}

#define CHECK_SPLICE(len, ret, why)                             \
	do {                                                    \
		ck_assert_int_eq(splice(len), ret);             \
		ck_assert_str_eq(m_reason_name[reason()], why); \
	} while (0)

/* R64: no low-water mark, nothing like MSG_WAITALL. */
START_TEST(tcp_splice_read__takes_what_is_there)
{
	sk->sk_rcvlowat = 50;
	sk->sk_nonblock = true;
	rx(0, 10);
	CHECK_SPLICE(100, 10, "tcp-spliced");
	CHECK_SPLICE(0, 0, "tcp-full");
	rx(10, 10);
	CHECK_SPLICE(4, 4, "tcp-full");
	CHECK_SPLICE(6, 6, "tcp-full");
	ck_assert_uint_eq(pipe_fionread(pipe_new), 20);
}
END_TEST

START_TEST(tcp_splice_read__blocking_takes_what_is_there)
{
	rx(0, 10);
	CHECK_SPLICE(100, 10, "tcp-spliced");
}
END_TEST

/* R44. */
START_TEST(tcp_splice_read__data_then_rst)
{
	rx(0, 5);
	rx_rst(5);
	CHECK_SPLICE(9, 5, "tcp-spliced");
	CHECK_SPLICE(9, -ECONNRESET, "tcp-sk-err");
	CHECK_SPLICE(9, 0, "tcp-shutdown-rd");
}
END_TEST

START_TEST(tcp_splice_read__fin)
{
	rx_fin(0, 5);
	CHECK_SPLICE(9, 5, "tcp-spliced");
	CHECK_SPLICE(9, 0, "tcp-eof");
}
END_TEST

START_TEST(tcp_splice_read__no_connection)
{
	sk->sk_state = TCP_CLOSE;
	CHECK_SPLICE(9, -ENOTCONN, "tcp-notconn");
	sk->sk_state = TCP_LISTEN;
	CHECK_SPLICE(9, -ENOTCONN, "tcp-notconn");
}
END_TEST

START_TEST(tcp_splice_read__waits)
{
	mock_hook(m, hook_rx, HOOK_SEG(0, 7));
	CHECK_SPLICE(7, 7, "tcp-full");
}
END_TEST

START_TEST(tcp_splice_read__timeout_and_signal)
{
	sk->sk_rcvtimeo = 1000;
	CHECK_SPLICE(7, -EAGAIN, "tcp-empty");
	mock_hook(m, hook_signal, NULL);
	CHECK_SPLICE(7, -EINTR, "tcp-signal");
}
END_TEST

static void hook_disconnect(struct mock *mock, void *arg)
{
	(void)mock;
	(void)arg;
	inet_disconnect(sk);
}

START_TEST(tcp_splice_read__disconnect)
{
	mock_hook(m, hook_disconnect, NULL);
	CHECK_SPLICE(7, -EPIPE, "tcp-disconnected");
}
END_TEST

START_TEST(tcp_splice_read__urgent_mark)
{
	rx_urg(0, 5);
	CHECK_SPLICE(9, 4, "tcp-spliced");
	CHECK_SPLICE(9, 0, "tcp-urg-mark");
}
END_TEST

/* The error of a full pipe comes only when nothing was moved. */
START_TEST(tcp_splice_read__pipe_full)
{
	u32 i;

	for (i = 0; i < 17; i++)
		rx_held(i, 1);
	CHECK_SPLICE(100, 16, "tcp-spliced");
	ck_assert_int_eq(splice(100), -EAGAIN);
	ck_assert_int_eq(tcp_inq(sk), 1);
}
END_TEST

static void rx_at_lock(struct mock *mock, enum m_point point, void *arg)
{
	u32 *n = arg;

	(void)mock;
	if (point == POINT_RELEASED && ++*n == 1)
		rx(1, 1);
}

/* R62: between two rounds the lock is dropped, and more may come. */
START_TEST(tcp_splice_read__another_round)
{
	u32 n = 0;

	rx_held(0, 1);
	mock_points(m, rx_at_lock, &n);
	CHECK_SPLICE(2, 2, "tcp-full");
	mock_points(m, NULL, NULL);
}
END_TEST

START_TEST(tcp_splice_read__signal_between_rounds)
{
	rx(0, 1);
	m->signal = true;
	CHECK_SPLICE(2, 1, "tcp-spliced");
}
END_TEST

/* R66. */
START_TEST(tcp_poll__states)
{
	ck_assert_uint_eq(tcp_poll(sk), POLLOUT_SET);
	sk->sk_state = TCP_SYN_SENT;
	ck_assert_uint_eq(tcp_poll(sk), 0);
	sk->sk_state = TCP_LISTEN;
	ck_assert_uint_eq(tcp_poll(sk), 0);
	sk->sk_state = TCP_CLOSE;
	ck_assert_uint_eq(tcp_poll(sk), POLLOUT_SET | M_POLLHUP);
}
END_TEST

START_TEST(tcp_poll__data_and_fin)
{
	sk->sk_rcvlowat = 5;
	rx(0, 4);
	ck_assert_uint_eq(tcp_poll(sk), POLLOUT_SET);
	rx(4, 1);
	ck_assert_uint_eq(tcp_poll(sk), POLLIN_SET | POLLOUT_SET);
	recv_nowait(5);
	rx_fin(5, 0);
	ck_assert_uint_eq(tcp_poll(sk), POLLIN_SET | POLLOUT_SET | M_POLLRDHUP);
	tcp_shutdown(sk, M_SHUT_WR);
	ck_assert_uint_eq(tcp_poll(sk),
			  POLLIN_SET | POLLOUT_SET | M_POLLRDHUP | M_POLLHUP);
}
END_TEST

/* R50: the peek offset does not matter. */
START_TEST(tcp_poll__ignores_peek_offset)
{
	sk->sk_peek_off = 100;
	rx(0, 1);
	ck_assert(tcp_poll(sk) & M_POLLIN);
}
END_TEST

START_TEST(tcp_poll__urgent_byte_in_front)
{
	rx_urg(0, 1);
	ck_assert_uint_eq(tcp_poll(sk), POLLOUT_SET | M_POLLPRI);
	sk->sk_oobinline = true;
	ck_assert_uint_eq(tcp_poll(sk), POLLIN_SET | POLLOUT_SET | M_POLLPRI);
}
END_TEST

static bool always(struct sock *s)
{
	(void)s;
	return true;
}

/* A16.2: the protocol may have something of its own. */
START_TEST(tcp_poll__asks_the_protocol)
{
	struct proto prot = tcp_prot;

	prot.sock_is_readable = always;
	sk->sk_prot = &prot;
	ck_assert_uint_eq(tcp_poll(sk), POLLIN_SET | POLLOUT_SET);
	sk->sk_prot = &tcp_prot;
}
END_TEST

static void add_read_tests(TCase *tc)
{
	tcase_add_test(tc, tcp_inq__hides_the_fin);
	tcase_add_test(tc, tcp_inq__fin_unread);
	tcase_add_test(tc, tcp_inq__syn_states);
	tcase_add_test(tc, tcp_inq__urgent);
	tcase_add_test(tc, tcp_recv_skb__drops_consumed);
	tcase_add_test(tc, tcp_recv_skb__fin_is_kept);
	tcase_add_test(tc, tcp_read_sock__listener);
	tcase_add_test(tc, tcp_read_sock__offers_the_rest_again);
	tcase_add_test(tc, tcp_read_sock__actor_stops);
	tcase_add_test(tc, tcp_read_sock__count);
	tcase_add_test(tc, tcp_read_sock__fin);
	tcase_add_test(tc, tcp_read_sock__urgent_mark);
	tcase_add_test(tc, tcp_read_sock__queue_changes_under_the_actor);
	tcase_add_test(tc, tcp_read_sock__leaves_peek_offset);
	tcase_add_test(tc, tcp_read_done__parts);
	tcase_add_test(tc, tcp_read_done__swallows_the_fin);
	tcase_add_test(tc, tcp_read_done__nothing);
}

static void add_splice_tests(TCase *tc)
{
	tcase_add_test(tc, tcp_splice_read__takes_what_is_there);
	tcase_add_test(tc, tcp_splice_read__blocking_takes_what_is_there);
	tcase_add_test(tc, tcp_splice_read__data_then_rst);
	tcase_add_test(tc, tcp_splice_read__fin);
	tcase_add_test(tc, tcp_splice_read__no_connection);
	tcase_add_test(tc, tcp_splice_read__waits);
	tcase_add_test(tc, tcp_splice_read__timeout_and_signal);
	tcase_add_test(tc, tcp_splice_read__disconnect);
	tcase_add_test(tc, tcp_splice_read__urgent_mark);
	tcase_add_test(tc, tcp_splice_read__pipe_full);
	tcase_add_test(tc, tcp_splice_read__another_round);
	tcase_add_test(tc, tcp_splice_read__signal_between_rounds);
}

Suite *tcp_test_suite(void)
{
	Suite *s = suite_create("tcp");
	TCase *tc = tcase_create("tcp");
	TCase *tc_splice = tcase_create("splice");
	TCase *tc_poll = tcase_create("poll");

	tcase_add_checked_fixture(tc, tcp_setup, tcp_teardown);
	add_read_tests(tc);
	suite_add_tcase(s, tc);
	tcase_add_checked_fixture(tc_splice, setup_pipe, teardown_pipe);
	add_splice_tests(tc_splice);
	suite_add_tcase(s, tc_splice);
	tcase_add_checked_fixture(tc_poll, tcp_setup, tcp_teardown);
	tcase_add_test(tc_poll, tcp_poll__states);
	tcase_add_test(tc_poll, tcp_poll__data_and_fin);
	tcase_add_test(tc_poll, tcp_poll__ignores_peek_offset);
	tcase_add_test(tc_poll, tcp_poll__urgent_byte_in_front);
	tcase_add_test(tc_poll, tcp_poll__asks_the_protocol);
	suite_add_tcase(s, tc_poll);
	return s;
}
