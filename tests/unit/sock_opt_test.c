// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/sock_opt.c, in its order.
 */
#include "model/tcp.h"
#include "tests/unit/mock.h"

static struct mock *m;
static struct sock *sk;
static s64 val[2];

static void setup(void)
{
	static const struct tcp_opts opts = {
		.mss = 65483,
		.irs = 1,
		.state = TCP_ESTABLISHED,
	};

	m = mock_new();
	sk = tcp_sock_new(&m->k, &opts);
}

static void teardown(void)
{
	sk->sk_state = TCP_CLOSE;
	tcp_sock_free(sk);
	mock_free(m);
}

static int set_int(int opt, int v)
{
	struct sockopt_arg arg = { .val = (u8 *)&v,
				   .size = sizeof(v),
				   .len = sizeof(v) };

	return sock_setsockopt(sk, opt, &arg);
}

static int get_int(int opt, int *v)
{
	struct sockopt_arg arg = { .val = (u8 *)v,
				   .size = sizeof(*v),
				   .len = sizeof(*v) };
	int ret = sock_getsockopt(sk, opt, &arg);

	if (!ret)
		ck_assert_int_eq(arg.out_len, sizeof(*v));
	return ret;
}

static int set_timeo(s64 sec, s64 usec)
{
	struct sockopt_arg arg = { .val = (u8 *)val, .size = 16, .len = 16 };

	val[0] = sec;
	val[1] = usec;
	return sock_setsockopt(sk, SO_RCVTIMEO_M, &arg);
}

static enum m_reason reason(void)
{
	return m->k.current->reason;
}

START_TEST(sock_set_rcvbuf__doubles_and_locks)
{
	int v;

	ck_assert_int_eq(set_int(SO_RCVBUF_M, 20000), 0);
	ck_assert_int_eq(get_int(SO_RCVBUF_M, &v), 0);
	ck_assert_int_eq(v, 40000);
	ck_assert(sk->sk_rcvbuf_locked);
	ck_assert_int_eq(set_int(SO_RCVBUF_M, 1), 0);
	ck_assert_int_eq(sk->sk_rcvbuf, 2304);
}
END_TEST

START_TEST(sock_set_rcvbuf__maximum)
{
	ck_assert_int_eq(set_int(SO_RCVBUF_M, -1), 0);
	ck_assert_int_eq(sk->sk_rcvbuf, 2 * 4194304);
	mock_change(m, CHANGE_RMEM_MAX_208K);
	ck_assert_int_eq(set_int(SO_RCVBUF_M, 1000000), 0);
	ck_assert_int_eq(sk->sk_rcvbuf, 2 * 212992);
}
END_TEST

START_TEST(sock_set_timeout__values)
{
	ck_assert_int_eq(set_timeo(1, 500000), 0);
	ck_assert_int_eq(sk->sk_rcvtimeo, 1500 * NSEC_PER_MSEC);
	ck_assert_int_eq(set_timeo(-1, 0), 0);
	ck_assert_int_eq(sk->sk_rcvtimeo, 0);
	ck_assert_int_eq(set_timeo(0, 0), 0);
	ck_assert_int_eq(sk->sk_rcvtimeo, MAX_SCHEDULE_TIMEOUT);
	ck_assert_int_eq(set_timeo(INT64_MAX, 0), 0);
	ck_assert_int_eq(sk->sk_rcvtimeo, MAX_SCHEDULE_TIMEOUT);
}
END_TEST

START_TEST(sock_set_timeout__errors)
{
	struct sockopt_arg arg = { .val = (u8 *)val, .size = 8, .len = 8 };

	ck_assert_int_eq(set_timeo(0, 1000000), -EDOM);
	ck_assert_int_eq(reason(), REASON_OPT_VALUE);
	ck_assert_int_eq(set_timeo(0, -1), -EDOM);
	ck_assert_int_eq(sock_setsockopt(sk, SO_RCVTIMEO_M, &arg), -EINVAL);
	arg.len = 16;
	ck_assert_int_eq(sock_setsockopt(sk, SO_RCVTIMEO_M, &arg), -EFAULT);
	ck_assert_int_eq(sk->sk_rcvtimeo, MAX_SCHEDULE_TIMEOUT);
}
END_TEST

START_TEST(sock_setsockopt__length_then_copy_then_name)
{
	struct sockopt_arg arg = { .val = NULL, .size = 0, .len = 3 };

	ck_assert_int_eq(sock_setsockopt(sk, 9999, &arg), -EINVAL);
	ck_assert_int_eq(reason(), REASON_OPT_LENGTH);
	arg.len = 4;
	ck_assert_int_eq(sock_setsockopt(sk, 9999, &arg), -EFAULT);
	ck_assert_int_eq(reason(), REASON_OPT_FAULT);
	ck_assert_int_eq(set_int(9999, 0), -ENOPROTOOPT);
	ck_assert_int_eq(reason(), REASON_OPT_UNKNOWN);
	ck_assert_int_eq(set_int(SO_ERROR_M, 0), -ENOPROTOOPT);
	ck_assert(!sk->owned);
}
END_TEST

START_TEST(sock_setsockopt__flags_and_offsets)
{
	int v;

	ck_assert_int_eq(set_int(SO_OOBINLINE_M, 7), 0);
	ck_assert_int_eq(get_int(SO_OOBINLINE_M, &v), 0);
	ck_assert_int_eq(v, 1);
	ck_assert_int_eq(set_int(SO_PEEK_OFF_M, -5), 0);
	ck_assert_int_eq(get_int(SO_PEEK_OFF_M, &v), 0);
	ck_assert_int_eq(v, -5);
	ck_assert_int_eq(set_int(SO_RCVLOWAT_M, 0), 0);
	ck_assert_int_eq(get_int(SO_RCVLOWAT_M, &v), 0);
	ck_assert_int_eq(v, 1);
	ck_assert_int_eq(reason(), REASON_OPT_DONE);
}
END_TEST

START_TEST(sock_setsockopt__v6_1_has_no_peek_off)
{
	int v;

	mock_change(m, CHANGE_NO_PEEK_OFF);
	ck_assert_int_eq(set_int(SO_PEEK_OFF_M, 1), -EOPNOTSUPP);
	ck_assert_int_eq(get_int(SO_PEEK_OFF_M, &v), -EOPNOTSUPP);
	ck_assert_int_eq(sk->sk_peek_off, -1);
}
END_TEST

START_TEST(sock_getsockopt__error_is_positive_and_once)
{
	int v;

	sk_set_err(sk, ECONNRESET);
	ck_assert_int_eq(get_int(SO_ERROR_M, &v), 0);
	ck_assert_int_eq(v, ECONNRESET);
	ck_assert_int_eq(get_int(SO_ERROR_M, &v), 0);
	ck_assert_int_eq(v, 0);
}
END_TEST

START_TEST(sock_getsockopt__timeout)
{
	struct sockopt_arg arg = { .val = (u8 *)val, .size = 16, .len = 99 };

	set_timeo(2, 250000);
	ck_assert_int_eq(sock_getsockopt(sk, SO_RCVTIMEO_M, &arg), 0);
	ck_assert_int_eq(arg.out_len, 16);
	ck_assert_int_eq(val[0], 2);
	ck_assert_int_eq(val[1], 250000);
	set_timeo(0, 0);
	ck_assert_int_eq(sock_getsockopt(sk, SO_RCVTIMEO_M, &arg), 0);
	ck_assert_int_eq(val[0], 0);
	ck_assert_int_eq(val[1], 0);
}
END_TEST

START_TEST(sock_getsockopt__lengths)
{
	u8 bytes[4] = { 9, 9, 9, 9 };
	struct sockopt_arg arg = { .val = bytes, .size = 4, .len = -1 };

	ck_assert_int_eq(sock_getsockopt(sk, SO_RCVLOWAT_M, &arg), -EINVAL);
	arg.len = 2;
	ck_assert_int_eq(sock_getsockopt(sk, SO_RCVLOWAT_M, &arg), 0);
	ck_assert_int_eq(arg.out_len, 2);
	ck_assert_uint_eq(bytes[2], 9);
	arg.len = 4;
	arg.val = NULL;
	ck_assert_int_eq(sock_getsockopt(sk, SO_RCVLOWAT_M, &arg), -EFAULT);
	ck_assert_int_eq(sock_getsockopt(sk, 9999, &arg), -ENOPROTOOPT);
}
END_TEST

Suite *sock_opt_test_suite(void)
{
	Suite *s = suite_create("sock_opt");
	TCase *tc = tcase_create("sock_opt");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, sock_set_rcvbuf__doubles_and_locks);
	tcase_add_test(tc, sock_set_rcvbuf__maximum);
	tcase_add_test(tc, sock_set_timeout__values);
	tcase_add_test(tc, sock_set_timeout__errors);
	tcase_add_test(tc, sock_setsockopt__length_then_copy_then_name);
	tcase_add_test(tc, sock_setsockopt__flags_and_offsets);
	tcase_add_test(tc, sock_setsockopt__v6_1_has_no_peek_off);
	tcase_add_test(tc, sock_getsockopt__error_is_positive_and_once);
	tcase_add_test(tc, sock_getsockopt__timeout);
	tcase_add_test(tc, sock_getsockopt__lengths);
	suite_add_tcase(s, tc);
	return s;
}
