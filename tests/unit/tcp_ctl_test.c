// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/tcp_ctl.c, in its order (facts R25, R45, R46, R67; rx.md
 * A18).
 */
#include "model/tls.h"
#include "tests/unit/tcp_mock.h"

START_TEST(tcp_ioctl_inq__states)
{
	rx(0, 3);
	ck_assert_int_eq(tcp_ioctl_inq(sk), 3);
	sk->sk_state = TCP_LISTEN;
	ck_assert_int_eq(tcp_ioctl_inq(sk), -EINVAL);
}
END_TEST

/* R45. */
START_TEST(tcp_close__unread_data_resets)
{
	rx(0, 10);
	recv_nowait(4);
	tcp_close(sk);
	ck_assert_uint_eq(m->xmits[m->xmit_count - 1].flags,
			  TCPHDR_RST | TCPHDR_ACK);
	ck_assert_int_eq(sk->sk_state, TCP_CLOSE);
	ck_assert_int_eq(mock_event(m, EV_SOCK_CLOSED, 0)->b, 1);
	ck_assert_int_eq(sk->sk_rmem_alloc, 0);
}
END_TEST

START_TEST(tcp_close__all_read_sends_fin)
{
	rx(0, 10);
	recv_nowait(10);
	tcp_close(sk);
	ck_assert_uint_eq(m->xmits[m->xmit_count - 1].flags,
			  TCPHDR_FIN | TCPHDR_ACK);
	ck_assert_int_eq(sk->sk_state, TCP_FIN_WAIT1);
	ck_assert(sk->sk_dead);
	ck_assert(tp->snd_closed);
}
END_TEST

/* An unread FIN is not unread data. */
START_TEST(tcp_close__after_fin)
{
	rx_fin(0, 0);
	tcp_close(sk);
	ck_assert_int_eq(sk->sk_state, TCP_LAST_ACK);
	rx_skb(mock_skb(m, IRS + 1, 0), TCPHDR_ACK);
	ck_assert_int_eq(sk->sk_state, TCP_CLOSE);
}
END_TEST

START_TEST(tcp_close__after_rst)
{
	u32 n;

	rx(0, 5);
	rx_rst(5);
	n = m->xmit_count;
	tcp_close(sk);
	ck_assert_uint_eq(m->xmit_count, n);
}
END_TEST

START_TEST(tcp_close__listener_and_earlier_fin)
{
	tcp_shutdown(sk, M_SHUT_WR);
	tcp_close(sk);
	ck_assert_uint_eq(m->xmit_count, 1);
	sk->sk_state = TCP_LISTEN;
	tcp_close(sk);
	ck_assert_int_eq(sk->sk_state, TCP_CLOSE);
}
END_TEST

START_TEST(tcp_close__while_connecting)
{
	sk->sk_state = TCP_SYN_SENT;
	tcp_close(sk);
	ck_assert_int_eq(sk->sk_state, TCP_CLOSE);
	ck_assert_uint_eq(m->xmit_count, 0);
}
END_TEST

START_TEST(tcp_disconnect__established)
{
	rx(0, 5);
	rx(10, 5);
	sk->sk_peek_off = 3;
	ck_assert_int_eq(inet_disconnect(sk), 0);
	ck_assert_uint_eq(sk->sk_disconnects, 1);
	ck_assert_int_eq(sk->sk_err, ECONNRESET);
	ck_assert_int_eq(sk->sk_state, TCP_CLOSE);
	ck_assert_int_eq(sk->sk_peek_off, -1);
	ck_assert_int_eq(sk->sk_rmem_alloc, 0);
	ck_assert_int_eq(recv_nowait(1), -ECONNRESET);
	ck_assert_int_eq(recv_nowait(1), -ENOTCONN);
}
END_TEST

START_TEST(tcp_disconnect__quiet_states)
{
	sk->sk_state = TCP_LAST_ACK;
	inet_disconnect(sk);
	ck_assert_int_eq(sk->sk_err, 0);
	sk->sk_state = TCP_SYN_SENT;
	inet_disconnect(sk);
	ck_assert_int_eq(sk->sk_err, ECONNRESET);
	ck_assert_uint_eq(m->xmit_count, 0);
}
END_TEST

START_TEST(tcp_shutdown__directions)
{
	ck_assert_int_eq(tcp_shutdown(sk, 3), -EINVAL);
	ck_assert_int_eq(tcp_shutdown(sk, -1), -EINVAL);
	ck_assert_int_eq(tcp_shutdown(sk, M_SHUT_RD), 0);
	ck_assert_int_eq(sk->sk_shutdown, RCV_SHUTDOWN);
	ck_assert_uint_eq(m->xmit_count, 0);
	ck_assert_int_eq(tcp_shutdown(sk, M_SHUT_WR), 0);
	ck_assert_int_eq(sk->sk_shutdown, SHUTDOWN_MASK);
	ck_assert_uint_eq(m->xmit_count, 1);
	ck_assert_int_eq(tcp_shutdown(sk, M_SHUT_RDWR), 0);
	ck_assert_uint_eq(m->xmit_count, 1);
}
END_TEST

START_TEST(tcp_shutdown__no_connection)
{
	sk->sk_state = TCP_CLOSE;
	ck_assert_int_eq(tcp_shutdown(sk, M_SHUT_RD), -ENOTCONN);
	ck_assert_int_eq(sk->sk_shutdown, RCV_SHUTDOWN);
	sk->sk_state = TCP_LISTEN;
	ck_assert_int_eq(tcp_shutdown(sk, M_SHUT_WR), 0);
	ck_assert_int_eq(sk->sk_state, TCP_LISTEN);
	ck_assert_int_eq(tcp_shutdown(sk, M_SHUT_RD), 0);
	ck_assert_int_eq(sk->sk_state, TCP_CLOSE);
}
END_TEST

/* R25: caps. */
START_TEST(tcp_set_rcvlowat__caps)
{
	tcp_set_rcvlowat(sk, 0);
	ck_assert_int_eq(sk->sk_rcvlowat, 1);
	tcp_set_rcvlowat(sk, INT32_MAX);
	ck_assert_int_eq(sk->sk_rcvlowat, TCP_RMEM_MAX / 2);
	ck_assert_int_eq(sk->sk_rcvbuf, TCP_RMEM_MAX);
	ck_assert_uint_eq(tp->window_clamp, TCP_RMEM_MAX / 2);
	sk->sk_rcvbuf = 10000;
	sk->sk_rcvbuf_locked = true;
	tcp_set_rcvlowat(sk, 6000);
	ck_assert_int_eq(sk->sk_rcvlowat, 5000);
	ck_assert_int_eq(sk->sk_rcvbuf, 10000);
}
END_TEST

/* Setting it tells a reader for whom there is now enough. */
START_TEST(tcp_set_rcvlowat__tells_readers)
{
	sk->sk_rcvlowat = 100;
	rx(0, 50);
	ck_assert_uint_eq(mock_event_count(m, EV_DATA_READY), 0);
	tcp_set_rcvlowat(sk, 60);
	ck_assert_uint_eq(mock_event_count(m, EV_DATA_READY), 0);
	tcp_set_rcvlowat(sk, 50);
	ck_assert_uint_eq(mock_event_count(m, EV_DATA_READY), 1);
	ck_assert_int_eq(sk->sk_rcvbuf, 131072);
}
END_TEST

static int set_opt(int level, int opt, const void *val, u32 size, int len)
{
	u8 copy[64];
	struct sockopt_arg arg = { val ? copy : NULL, size, len, 0 };

	if (val)
		memcpy(copy, val, size);
	return tcp_setsockopt(sk, level, opt, &arg);
}

static int set_ulp(const char *name)
{
	return set_opt(SOL_TCP_M, TCP_ULP_M, name, (u32)strlen(name),
		       (int)strlen(name));
}

/* A18.1. */
START_TEST(tcp_set_ulp__errors)
{
	ck_assert_int_eq(set_ulp("espintcp"), -ENOENT);
	ck_assert_int_eq(set_opt(SOL_TCP_M, TCP_ULP_M, "", 0, 0), -EINVAL);
	ck_assert_int_eq(set_opt(SOL_TCP_M, TCP_ULP_M, "tl", 2, 3), -EFAULT);
	ck_assert_int_eq(set_opt(SOL_TCP_M, TCP_ULP_M, NULL, 0, 3), -EFAULT);
	sk->icsk_ulp_name = "tls";
	ck_assert_int_eq(set_ulp("tls"), -EEXIST);
	sk->icsk_ulp_name = NULL;
	sk->sk_state = TCP_LISTEN;
	ck_assert_int_eq(set_ulp("tls"), -ENOTCONN);
	sk->sk_state = TCP_CLOSE_WAIT;
	ck_assert_int_eq(set_ulp("tls"), -ENOTCONN);
	ck_assert_ptr_null(sk->icsk_ulp_name);
}
END_TEST

/* A NUL ends the name whatever the length says. */
START_TEST(tcp_set_ulp__name_with_nul)
{
	ck_assert_int_eq(set_opt(SOL_TCP_M, TCP_ULP_M, "xy\0z", 4, 40),
			 -ENOENT);
	ck_assert_str_eq(m_reason_name[reason()], "tcp-ulp-unknown");
	ck_assert_int_eq(set_opt(SOL_TCP_M, TCP_ULP_M, "0123456789012345678",
				 19, 19),
			 -ENOENT);
}
END_TEST

START_TEST(tcp_set_int_opt__inq)
{
	int one = 1, two = 2;

	ck_assert_int_eq(set_opt(SOL_TCP_M, TCP_INQ_M, &one, 4, 3), -EINVAL);
	ck_assert_int_eq(set_opt(SOL_TCP_M, TCP_INQ_M, NULL, 0, 4), -EFAULT);
	ck_assert_int_eq(set_opt(SOL_TCP_M, TCP_INQ_M, &two, 4, 4), -EINVAL);
	ck_assert_int_eq(set_opt(SOL_TCP_M, TCP_INQ_M, &one, 4, 4), 0);
	ck_assert(tp->inq);
	ck_assert_int_eq(set_opt(SOL_TCP_M, 9999, &one, 4, 4), -ENOPROTOOPT);
	ck_assert_int_eq(set_opt(SOL_TLS_M, 1, &one, 4, 4), -ENOPROTOOPT);
	ck_assert_int_eq(set_opt(SOL_SOCKET_M, SO_RCVLOWAT_M, &two, 4, 4), 0);
	ck_assert_int_eq(sk->sk_rcvlowat, 2);
}
END_TEST

static u8 opt_buf[64];

static int get_opt(int level, int opt, int len, int *out_len)
{
	struct sockopt_arg arg = { opt_buf, sizeof(opt_buf), len, 0 };
	int ret = tcp_getsockopt(sk, level, opt, &arg);

	*out_len = arg.out_len;
	return ret;
}

START_TEST(tcp_getsockopt__ulp)
{
	int len;

	ck_assert_int_eq(get_opt(SOL_TCP_M, TCP_ULP_M, 40, &len), 0);
	ck_assert_int_eq(len, 0);
	sk->icsk_ulp_name = "tls";
	ck_assert_int_eq(get_opt(SOL_TCP_M, TCP_ULP_M, 40, &len), 0);
	ck_assert_int_eq(len, 16);
	ck_assert_str_eq((char *)opt_buf, "tls");
	ck_assert_int_eq(get_opt(SOL_TCP_M, TCP_ULP_M, 2, &len), 0);
	ck_assert_int_eq(len, 2);
	sk->icsk_ulp_name = NULL;
}
END_TEST

START_TEST(tcp_getsockopt__others)
{
	struct sockopt_arg null = { NULL, 0, 4, 0 };
	int len;

	ck_assert_int_eq(get_opt(SOL_TCP_M, TCP_INQ_M, 40, &len), 0);
	ck_assert_int_eq(len, 4);
	ck_assert_int_eq(get_opt(SOL_TCP_M, TCP_INQ_M, -1, &len), -EINVAL);
	ck_assert_int_eq(get_opt(SOL_TCP_M, 9999, 4, &len), -ENOPROTOOPT);
	ck_assert_int_eq(get_opt(SOL_TLS_M, 1, 4, &len), -EOPNOTSUPP);
	ck_assert_int_eq(get_opt(SOL_SOCKET_M, SO_RCVLOWAT_M, 4, &len), 0);
	ck_assert_int_eq(tcp_getsockopt(sk, SOL_TCP_M, TCP_INQ_M, &null),
			 -EFAULT);
}
END_TEST

static void add_close_tests(TCase *tc)
{
	tcase_add_test(tc, tcp_ioctl_inq__states);
	tcase_add_test(tc, tcp_close__unread_data_resets);
	tcase_add_test(tc, tcp_close__all_read_sends_fin);
	tcase_add_test(tc, tcp_close__after_fin);
	tcase_add_test(tc, tcp_close__after_rst);
	tcase_add_test(tc, tcp_close__listener_and_earlier_fin);
	tcase_add_test(tc, tcp_close__while_connecting);
	tcase_add_test(tc, tcp_disconnect__established);
	tcase_add_test(tc, tcp_disconnect__quiet_states);
	tcase_add_test(tc, tcp_shutdown__directions);
	tcase_add_test(tc, tcp_shutdown__no_connection);
}

Suite *tcp_ctl_test_suite(void)
{
	Suite *s = suite_create("tcp_ctl");
	TCase *tc = tcase_create("tcp_ctl");

	tcase_add_checked_fixture(tc, tcp_setup, tcp_teardown);
	add_close_tests(tc);
	tcase_add_test(tc, tcp_set_rcvlowat__caps);
	tcase_add_test(tc, tcp_set_rcvlowat__tells_readers);
	tcase_add_test(tc, tcp_set_ulp__errors);
	tcase_add_test(tc, tcp_set_ulp__name_with_nul);
	tcase_add_test(tc, tcp_set_int_opt__inq);
	tcase_add_test(tc, tcp_getsockopt__ulp);
	tcase_add_test(tc, tcp_getsockopt__others);
	suite_add_tcase(s, tc);
	return s;
}
