// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/tcp_recvmsg.c. The sequences of R33, R39, R40, R44, R48..R54
 * are those measured on real kernels.
 */
#include "tests/unit/tcp_mock.h"

/* The result and why. */
#define CHECK_RECV(len, flags, ret, why)                        \
	do {                                                    \
		ck_assert_int_eq(recv_flags(len, flags), ret);  \
		ck_assert_str_eq(m_reason_name[reason()], why); \
	} while (0)

/* What buf holds, as letters when @off counts from 'a'. */
static bool got(u32 off, u32 len)
{
	return mock_bytes_ok(buf, IRS + off, len);
}

START_TEST(tcp_recvmsg__error_queue)
{
	CHECK_RECV(10, M_MSG_ERRQUEUE, -EAGAIN, "tcp-errqueue-empty");
}
END_TEST

START_TEST(tcp_recvmsg__listener)
{
	sk->sk_state = TCP_LISTEN;
	CHECK_RECV(10, 0, -ENOTCONN, "tcp-notconn");
}
END_TEST

/* R44: a socket that never had a connection. */
START_TEST(tcp_recvmsg__never_connected)
{
	sk->sk_state = TCP_CLOSE;
	CHECK_RECV(10, 0, -ENOTCONN, "tcp-notconn");
}
END_TEST

START_TEST(tcp_recvmsg__nonblocking_file)
{
	sk->sk_nonblock = true;
	CHECK_RECV(10, 0, -EAGAIN, "tcp-empty");
}
END_TEST

/* R44: 5 bytes, then RST. */
START_TEST(tcp_recvmsg__data_then_rst)
{
	rx(0, 5);
	rx_rst(5);
	ck_assert_uint_eq(tcp_poll(sk), POLLIN_SET | POLLOUT_SET | M_POLLERR |
						M_POLLHUP | M_POLLRDHUP);
	ck_assert_int_eq(tcp_ioctl_inq(sk), 5);
	CHECK_RECV(3, 0, 3, "tcp-full");
	CHECK_RECV(3, 0, 2, "tcp-target");
	CHECK_RECV(3, 0, -ECONNRESET, "tcp-sk-err");
	CHECK_RECV(3, 0, 0, "tcp-shutdown-rd");
}
END_TEST

/* R44: FIN, then RST: recv never sees it, SO_ERROR does. */
START_TEST(tcp_recvmsg__fin_then_rst)
{
	rx_fin(0, 0);
	rx_rst(1);
	CHECK_RECV(3, 0, 0, "tcp-eof");
	CHECK_RECV(3, 0, 0, "tcp-eof");
	ck_assert_int_eq(sock_error(sk), -EPIPE);
}
END_TEST

/* R40: a peek without data consumes the error. */
START_TEST(tcp_recvmsg__peek_takes_error)
{
	rx_rst(0);
	CHECK_RECV(3, M_MSG_PEEK, -ECONNRESET, "tcp-sk-err");
	CHECK_RECV(3, 0, 0, "tcp-shutdown-rd");
}
END_TEST

/* R39: the error stays for the next call. */
START_TEST(tcp_recvmsg__waitall_then_rst)
{
	rx(0, 3);
	mock_hook(m, hook_rst, HOOK_SEG(3, 0));
	CHECK_RECV(10, M_MSG_WAITALL, 3, "tcp-short-sk-err");
	CHECK_RECV(10, 0, -ECONNRESET, "tcp-sk-err");
}
END_TEST

START_TEST(tcp_recvmsg__waitall_then_fin)
{
	rx(0, 3);
	mock_hook(m, hook_fin, HOOK_SEG(3, 0));
	CHECK_RECV(10, M_MSG_WAITALL, 3, "tcp-short-eof");
	CHECK_RECV(10, 0, 0, "tcp-eof");
}
END_TEST

/* The FIN is only a flag of an skb that was consumed before. */
START_TEST(tcp_recvmsg__waitall_shut_down)
{
	rx(0, 3);
	tcp_shutdown(sk, M_SHUT_RD);
	CHECK_RECV(10, M_MSG_WAITALL, 3, "tcp-short-eof");
}
END_TEST

START_TEST(tcp_recvmsg__waitall_dontwait)
{
	rx(0, 3);
	CHECK_RECV(10, M_MSG_WAITALL | M_MSG_DONTWAIT, 3, "tcp-short-nowait");
}
END_TEST

START_TEST(tcp_recvmsg__waitall_signal)
{
	rx(0, 3);
	mock_hook(m, hook_signal, NULL);
	CHECK_RECV(10, M_MSG_WAITALL, 3, "tcp-short-signal");
}
END_TEST

START_TEST(tcp_recvmsg__waitall_completes)
{
	rx(0, 3);
	mock_hook(m, hook_rx, HOOK_SEG(3, 3));
	mock_hook(m, hook_rx, HOOK_SEG(6, 10));
	CHECK_RECV(10, M_MSG_WAITALL, 10, "tcp-full");
	ck_assert(got(0, 10));
	ck_assert_int_eq(tcp_inq(sk), 6);
}
END_TEST

/* R37: signal errors by timeout. */
START_TEST(tcp_recvmsg__signal)
{
	m->signal = true;
	CHECK_RECV(10, 0, -ERESTARTSYS, "tcp-signal");
	sk->sk_rcvtimeo = 1000;
	CHECK_RECV(10, 0, -EINTR, "tcp-signal");
	CHECK_RECV(10, M_MSG_DONTWAIT, -EAGAIN, "tcp-empty");
}
END_TEST

START_TEST(tcp_recvmsg__timeout)
{
	sk->sk_rcvtimeo = 1000;
	CHECK_RECV(10, 0, -EAGAIN, "tcp-empty");
	ck_assert_int_eq(m->slept_ns, 1000);
}
END_TEST

/* R33. */
START_TEST(tcp_recvmsg__zero_length)
{
	CHECK_RECV(0, M_MSG_DONTWAIT, -EAGAIN, "tcp-empty");
	mock_hook(m, hook_rx, HOOK_SEG(0, 5));
	CHECK_RECV(0, 0, 0, "tcp-full");
	CHECK_RECV(0, M_MSG_DONTWAIT, 0, "tcp-full");
	ck_assert_int_eq(tcp_inq(sk), 5);
}
END_TEST

/* R24, the trap: the mark counts what lies in the queue, not what the sleeper
 * has taken. */
START_TEST(tcp_recvmsg__low_water_mark_trap)
{
	sk->sk_rcvlowat = 10;
	rx(0, 5);
	mock_hook(m, hook_rx, HOOK_SEG(5, 5));
	mock_hook(m, hook_rx, HOOK_SEG(10, 5));
	CHECK_RECV(100, 0, 15, "tcp-target");
}
END_TEST

START_TEST(tcp_recvmsg__low_water_mark_empty)
{
	sk->sk_rcvlowat = 10;
	mock_hook(m, hook_rx, HOOK_SEG(0, 5));
	mock_hook(m, hook_rx, HOOK_SEG(5, 5));
	CHECK_RECV(100, 0, 10, "tcp-target");
}
END_TEST

/* R36: with enough copied the backlog is still looked at. */
static void rx_at_loop(struct mock *mock, enum m_point point, void *arg)
{
	u32 *n = arg;

	(void)mock;
	if (point == POINT_TCP_RECV_LOOP && ++*n == 2)
		rx(5, 5);
}

START_TEST(tcp_recvmsg__takes_the_backlog_along)
{
	u32 n = 0;

	rx(0, 5);
	mock_points(m, rx_at_loop, &n);
	CHECK_RECV(100, 0, 10, "tcp-target");
	mock_points(m, NULL, NULL);
	ck_assert_uint_eq(mock_event_count(m, EV_SLEEP), 0);
}
END_TEST

/* R38: data that came by the backlog while going to sleep is no reason to. */
static void rx_at_release(struct mock *mock, enum m_point point, void *arg)
{
	(void)mock;
	(void)arg;
	if (point == POINT_RELEASE_SOCK && !tcp_inq(sk) && !rel_nxt())
		rx(0, 5);
}

START_TEST(sk_wait_data__backlog_is_looked_at_first)
{
	mock_points(m, rx_at_release, NULL);
	CHECK_RECV(100, 0, 5, "tcp-target");
	mock_points(m, NULL, NULL);
	ck_assert_uint_eq(mock_event_count(m, EV_SLEEP), 0);
}
END_TEST

static void hook_disconnect(struct mock *mock, void *arg)
{
	(void)mock;
	(void)arg;
	inet_disconnect(sk);
}

START_TEST(sk_wait_data__disconnect)
{
	mock_hook(m, hook_disconnect, NULL);
	CHECK_RECV(10, 0, -EPIPE, "tcp-disconnected");
}
END_TEST

START_TEST(sk_wait_data__disconnect_after_bytes)
{
	rx(0, 3);
	mock_hook(m, hook_disconnect, NULL);
	CHECK_RECV(10, M_MSG_WAITALL, 3, "tcp-disconnected");
}
END_TEST

/* R35. */
START_TEST(tcp_recv_copy__fault)
{
	struct iovec_m iov[] = { { buf, 4 }, { NULL, 10 } };
	struct msghdr msg = { 0 };

	rx_held(0, 4);
	rx(4, 4);
	iov_iter_init(&msg.iter, ITER_IOVEC, iov, 2);
	ck_assert_int_eq(tcp_recvmsg(sk, &msg, 14, 0), 4);
	ck_assert_str_eq(m_reason_name[reason()], "tcp-short-fault");
	ck_assert_int_eq(tcp_recvmsg(sk, &msg, 10, 0), -EFAULT);
	ck_assert_str_eq(m_reason_name[reason()], "tcp-fault");
	CHECK_RECV(10, 0, 4, "tcp-target");
	ck_assert(got(4, 4));
}
END_TEST

START_TEST(tcp_recv_copy__trunc)
{
	rx(0, 10);
	CHECK_RECV(4, M_MSG_TRUNC, 4, "tcp-full");
	ck_assert_uint_eq(buf[0], 0);
	CHECK_RECV(4, 0, 4, "tcp-full");
	ck_assert(got(4, 4));
}
END_TEST

START_TEST(tcp_recv_copy__consume_event)
{
	rx(0, 10);
	recv_nowait(4);
	ck_assert_int_eq(mock_event(m, EV_CONSUME_TCP, 0)->b, 4);
	ck_assert_int_eq(mock_event(m, EV_CONSUME_TCP, 0)->c, 10);
	recv_flags(4, M_MSG_PEEK);
	ck_assert_uint_eq(mock_event_count(m, EV_CONSUME_TCP), 1);
}
END_TEST

/* R41: up to the mark, then over it. */
START_TEST(tcp_recv_until_urg__mark)
{
	rx_urg(0, 5);
	rx(5, 3);
	ck_assert_int_eq(tcp_inq(sk), 4);
	CHECK_RECV(10, 0, 4, "tcp-urg-mark");
	CHECK_RECV(10, M_MSG_PEEK, 3, "tcp-target");
	ck_assert(got(5, 3));
	CHECK_RECV(10, 0, 3, "tcp-target");
	ck_assert(got(5, 3));
	ck_assert_uint_eq(tp->urg_data, 0);
}
END_TEST

START_TEST(tcp_recv_until_urg__in_line)
{
	sk->sk_oobinline = true;
	rx_urg(0, 5);
	ck_assert_int_eq(tcp_inq(sk), 5);
	CHECK_RECV(10, 0, 4, "tcp-urg-mark");
	CHECK_RECV(10, 0, 1, "tcp-target");
	ck_assert(got(4, 1));
}
END_TEST

START_TEST(tcp_recv_until_urg__only_the_byte)
{
	rx_urg(0, 1);
	CHECK_RECV(10, M_MSG_DONTWAIT, -EAGAIN, "tcp-empty");
	ck_assert_uint_eq(tp->copied_seq, IRS + 1);
}
END_TEST

START_TEST(tcp_recv_at_mark__signal)
{
	rx_urg(0, 1);
	m->signal = true;
	CHECK_RECV(10, 0, -ERESTARTSYS, "tcp-signal");
	CHECK_RECV(10, M_MSG_DONTWAIT, -EAGAIN, "tcp-signal");
}
END_TEST

START_TEST(tcp_recv_urg__byte)
{
	CHECK_RECV(1, M_MSG_OOB, -EINVAL, "tcp-oob-none");
	rx_urg(0, 5);
	CHECK_RECV(1, M_MSG_OOB | M_MSG_PEEK, 1, "tcp-oob-byte");
	CHECK_RECV(0, M_MSG_OOB | M_MSG_PEEK, 0, "tcp-oob-byte");
	CHECK_RECV(1, M_MSG_OOB, 1, "tcp-oob-byte");
	ck_assert(got(4, 1));
	CHECK_RECV(1, M_MSG_OOB, -EINVAL, "tcp-oob-none");
}
END_TEST

START_TEST(tcp_recv_urg__not_yet)
{
	struct iovec_m fault = { NULL, 1 };
	struct msghdr msg = { 0 };

	tp->urg_data = TCP_URG_NOTYET;
	CHECK_RECV(1, M_MSG_OOB, -EAGAIN, "tcp-oob-notyet");
	rx_fin(0, 0);
	CHECK_RECV(1, M_MSG_OOB, 0, "tcp-eof");
	tp->urg_data = TCP_URG_VALID;
	iov_iter_init(&msg.iter, ITER_UBUF, &fault, 1);
	ck_assert_int_eq(tcp_recvmsg(sk, &msg, 1, M_MSG_OOB), -EFAULT);
	sk->sk_state = TCP_CLOSE;
	sk->sk_done = false;
	tp->urg_data = TCP_URG_NOTYET;
	CHECK_RECV(1, M_MSG_OOB, -ENOTCONN, "tcp-notconn");
}
END_TEST

/* R48, as measured. */
START_TEST(tcp_move_peek_offset__walk)
{
	rx(0, 10);
	sk->sk_peek_off = 0;
	ck_assert_int_eq(recv_flags(3, M_MSG_PEEK), 3);
	ck_assert(got(0, 3) && sk->sk_peek_off == 3);
	ck_assert_int_eq(recv_flags(3, M_MSG_PEEK), 3);
	ck_assert(got(3, 3) && sk->sk_peek_off == 6);
	ck_assert_int_eq(recv_flags(2, 0), 2);
	ck_assert(got(0, 2) && sk->sk_peek_off == 4);
	ck_assert_int_eq(recv_flags(2, M_MSG_PEEK), 2);
	ck_assert(got(6, 2) && sk->sk_peek_off == 6);
	ck_assert_int_eq(recv_flags(6, 0), 6);
	ck_assert(got(2, 6) && sk->sk_peek_off == 0);
	ck_assert_int_eq(recv_flags(9, M_MSG_PEEK), 2);
	ck_assert(got(8, 2) && sk->sk_peek_off == 2);
}
END_TEST

/* R46: any negative value means off. R54: MSG_TRUNC moves it too. */
START_TEST(tcp_move_peek_offset__off_and_trunc)
{
	rx(0, 10);
	sk->sk_peek_off = -7;
	ck_assert_int_eq(recv_flags(3, M_MSG_PEEK), 3);
	ck_assert(got(0, 3) && sk->sk_peek_off == -7);
	sk->sk_peek_off = 1;
	ck_assert_int_eq(recv_flags(3, M_MSG_PEEK | M_MSG_TRUNC), 3);
	ck_assert_int_eq(sk->sk_peek_off, 4);
	ck_assert_int_eq(recv_flags(2, M_MSG_TRUNC), 2);
	ck_assert_int_eq(sk->sk_peek_off, 2);
}
END_TEST

/* R49. */
START_TEST(tcp_recv_find__offset_behind_data)
{
	rx(0, 3);
	sk->sk_peek_off = 5;
	CHECK_RECV(9, M_MSG_PEEK | M_MSG_DONTWAIT, -EAGAIN, "tcp-empty");
	ck_assert_int_eq(sk->sk_peek_off, 5);
	mock_hook(m, hook_rx, HOOK_SEG(3, 2));
	mock_hook(m, hook_rx, HOOK_SEG(5, 2));
	CHECK_RECV(9, M_MSG_PEEK, 2, "tcp-target");
	ck_assert(got(5, 2));
	rx_fin(7, 0);
	sk->sk_peek_off = 20;
	CHECK_RECV(9, M_MSG_PEEK, 0, "tcp-eof");
	ck_assert_int_eq(sk->sk_peek_off, 20);
}
END_TEST

/* R53. */
START_TEST(tcp_recv_find__waitall_behind_offset)
{
	rx(0, 3);
	sk->sk_peek_off = 3;
	mock_hook(m, hook_rx, HOOK_SEG(3, 3));
	mock_hook(m, hook_rx, HOOK_SEG(6, 3));
	CHECK_RECV(6, M_MSG_PEEK | M_MSG_WAITALL, 6, "tcp-full");
	ck_assert(got(3, 6));
}
END_TEST

/* A peek over several skbs, one of them with bytes twice. */
START_TEST(tcp_recv_find__peek_walks_on)
{
	rx_held(0, 70);
	rx_held(50, 100);
	rx_held(150, 10);
	CHECK_RECV(1000, M_MSG_PEEK, 160, "tcp-target");
	ck_assert(got(0, 160));
	ck_assert_uint_eq(sk->sk_receive_queue.qlen, 3);
}
END_TEST

/* R52: another reader took bytes while the peek slept. */
static void hook_read_2(struct mock *mock, void *arg)
{
	static u8 other[2];
	struct iovec_m iov = { other, 2 };
	struct msghdr msg = { 0 };

	(void)mock;
	(void)arg;
	iov_iter_init(&msg.iter, ITER_UBUF, &iov, 1);
	ck_assert_int_eq(tcp_recvmsg(sk, &msg, 2, 0), 2);
	rx(4, 6);
}

START_TEST(tcp_recv_wait__other_reader_moved_on)
{
	rx(0, 4);
	mock_hook(m, hook_read_2, NULL);
	CHECK_RECV(6, M_MSG_PEEK | M_MSG_WAITALL, 6, "tcp-full");
	ck_assert(got(0, 4));
	ck_assert(mock_bytes_ok(buf + 4, IRS + 2, 2));
}
END_TEST

static void add_end_tests(TCase *tc)
{
	tcase_add_test(tc, tcp_recvmsg__error_queue);
	tcase_add_test(tc, tcp_recvmsg__listener);
	tcase_add_test(tc, tcp_recvmsg__never_connected);
	tcase_add_test(tc, tcp_recvmsg__nonblocking_file);
	tcase_add_test(tc, tcp_recvmsg__data_then_rst);
	tcase_add_test(tc, tcp_recvmsg__fin_then_rst);
	tcase_add_test(tc, tcp_recvmsg__peek_takes_error);
	tcase_add_test(tc, tcp_recvmsg__waitall_then_rst);
	tcase_add_test(tc, tcp_recvmsg__waitall_then_fin);
	tcase_add_test(tc, tcp_recvmsg__waitall_shut_down);
	tcase_add_test(tc, tcp_recvmsg__waitall_dontwait);
	tcase_add_test(tc, tcp_recvmsg__waitall_signal);
	tcase_add_test(tc, tcp_recvmsg__waitall_completes);
	tcase_add_test(tc, tcp_recvmsg__signal);
	tcase_add_test(tc, tcp_recvmsg__timeout);
	tcase_add_test(tc, tcp_recvmsg__zero_length);
	tcase_add_test(tc, tcp_recvmsg__low_water_mark_trap);
	tcase_add_test(tc, tcp_recvmsg__low_water_mark_empty);
	tcase_add_test(tc, tcp_recvmsg__takes_the_backlog_along);
	tcase_add_test(tc, sk_wait_data__backlog_is_looked_at_first);
	tcase_add_test(tc, sk_wait_data__disconnect);
	tcase_add_test(tc, sk_wait_data__disconnect_after_bytes);
}

static void add_copy_tests(TCase *tc)
{
	tcase_add_test(tc, tcp_recv_copy__fault);
	tcase_add_test(tc, tcp_recv_copy__trunc);
	tcase_add_test(tc, tcp_recv_copy__consume_event);
	tcase_add_test(tc, tcp_recv_until_urg__mark);
	tcase_add_test(tc, tcp_recv_until_urg__in_line);
	tcase_add_test(tc, tcp_recv_until_urg__only_the_byte);
	tcase_add_test(tc, tcp_recv_at_mark__signal);
	tcase_add_test(tc, tcp_recv_urg__byte);
	tcase_add_test(tc, tcp_recv_urg__not_yet);
	tcase_add_test(tc, tcp_move_peek_offset__walk);
	tcase_add_test(tc, tcp_move_peek_offset__off_and_trunc);
	tcase_add_test(tc, tcp_recv_find__offset_behind_data);
	tcase_add_test(tc, tcp_recv_find__waitall_behind_offset);
	tcase_add_test(tc, tcp_recv_find__peek_walks_on);
	tcase_add_test(tc, tcp_recv_wait__other_reader_moved_on);
}

Suite *tcp_recvmsg_test_suite(void)
{
	Suite *s = suite_create("tcp_recvmsg");
	TCase *tc = tcase_create("tcp_recvmsg");

	tcase_add_checked_fixture(tc, tcp_setup, tcp_teardown);
	add_end_tests(tc);
	add_copy_tests(tc);
	suite_add_tcase(s, tc);
	return s;
}
