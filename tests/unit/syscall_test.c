// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/call/syscall*.c, in their order.
 */
#include "tests/unit/run_text.h"

#include "sim/call/syscall.h"

static struct text_run r;

static void setup(void)
{
	text_run_init(&r);
}

static void teardown(void)
{
	text_run_free(&r);
}

START_TEST(user_memory__cut_into_iovecs)
{
	const struct trace_iov iov[] = { { 3, false },
					 { 5, true },
					 { 2, false } };
	struct call_result res = { 0 };
	struct iovec_m out[3];

	user_memory(r.s, &res, iov, 3, out);
	ck_assert_uint_eq(res.buf_size, 5);
	ck_assert_ptr_eq(out[0].base, res.buf);
	ck_assert_ptr_null(out[1].base);
	ck_assert_uint_eq(out[1].len, 5);
	ck_assert_ptr_eq(out[2].base, res.buf + 3);
}
END_TEST

START_TEST(user_measure__finds_the_last_changed_byte)
{
	const struct trace_iov iov[] = { { 100, false } };
	struct call_result res = { 0 };
	struct iovec_m out[1];

	r.s->bytes_max = 4096;
	user_memory(r.s, &res, iov, 1, out);
	user_measure(&res, 10);
	ck_assert_uint_eq(res.past, 0);
	res.buf[9] = 1;
	user_measure(&res, 10);
	ck_assert_uint_eq(res.past, 0);
	res.buf[59] = 1;
	user_measure(&res, 10);
	ck_assert_uint_eq(res.past, 50);
	user_measure(&res, -EAGAIN);
	ck_assert_uint_eq(res.past, 60);
	ck_assert_uint_eq(res.data_len, 0);
}
END_TEST

START_TEST(sys_recv__read_of_nothing)
{
	run_text_ok(&r, "+0     a     read 0 = 0 why=zero-read\n");
}
END_TEST

START_TEST(sys_recvmmsg__messages_and_late_error)
{
	run_text_ok(&r, "+0     peer  A = data 10\n"
			"+0     peer  B = data 10\n"
			"+0     peer  C = data 10 badtag\n"
			"+0     wire  A B C\n"
			"+0     a     recvmmsg 4 10 = 2\n"
			"+0     a     recvmmsg 4 10 = EBADMSG "
			"why=recvmmsg-sk-err\n"
			"+0     a     recvmmsg 0 10 = 0\n");
}
END_TEST

START_TEST(sys_recvmmsg__error_queue_leaves_sk_err)
{
	run_text_ok(&r, "+0     wire  rst\n"
			"+0     a     recvmmsg 1 10 errqueue = EAGAIN\n"
			"+0     a     recvmmsg 0 10 errqueue = 0\n"
			"+0     a     recvmmsg 1 10 = ECONNRESET "
			"why=recvmmsg-sk-err\n");
}
END_TEST

START_TEST(sys_splice__restarts_after_a_signal)
{
	run_text_ok(&r, "+0     pipe  p 65536\n"
			"+0     peer  A = data 10\n"
			"+0     a     splice p 10 = blocks\n"
			"+0     signal a restart\n"
			"+0     a     blocks\n"
			"+0     wire  A\n"
			"       a     returns 10\n"
			"+0     b     pread p 100 = 10 A\n");
}
END_TEST

START_TEST(sys_read_sock__takes_less_then_stops)
{
	run_text_ok(&r, "+0     peer  A*3 = data 10\n"
			"+0     wire  A\n"
			"+0     a     read_sock 100 take=4,0 = 4 A[0,4)\n"
			"+0     a     read_sock 8 = 8 A[4,12)\n"
			"+0     a     read_sock 100 take=-EINVAL = EINVAL\n"
			"+0     a     read_sock 100 take=5 = 18 A[12,30)\n"
			"+0     a     read_sock 100 = EAGAIN\n");
}
END_TEST

START_TEST(sys_shutdown__needs_a_connection)
{
	run_text_ok(&r, "+0     a     shutdown rd = 0\n"
			"+0     a     recvmsg 10 = 0\n"
			"+0     wire  rst\n"
			"+0     a     shutdown wr = ENOTCONN\n");
}
END_TEST

START_TEST(sys_disconnect__refused_with_tls)
{
	run_text_ok(&r, "+0     a     disconnect = EOPNOTSUPP\n");
}
END_TEST

START_TEST(sys_setsockopt__lengths_and_null)
{
	run_text_ok(&r, "set tls=1.3 ulp=off rx=off\n"
			"+0     a     setsockopt ulp = 0\n"
			"+0     a     setsockopt ulp = EEXIST\n"
			"+0     a     setsockopt tls_rx len=3 = EINVAL\n"
			"+0     a     setsockopt tls_rx null = EINVAL\n"
			"+0     a     setsockopt tls_rx len=41 = EINVAL\n"
			"+0     a     setsockopt tls_rx cid=60 = EINVAL\n"
			"+0     a     setsockopt tls_rx ver=0302 = EINVAL\n"
			"+0     a     setsockopt tls_rx = 0\n"
			"+0     a     setsockopt tls_rx cipher=aes-256-gcm = "
			"EINVAL\n");
}
END_TEST

START_TEST(sys_getsockopt__values)
{
	run_text_ok(&r,
		    "set tls=1.3\n"
		    "+0     a     setsockopt rcvtimeo 1500ms = 0\n"
		    "+0     a     getsockopt rcvtimeo = 0 hex "
		    "0100000000000000"
		    "20a1070000000000\n"
		    "+0     a     getsockopt tls_rx len=4 = 0 hex 04033300\n"
		    "+0     a     setsockopt tls_tx_max_payload 1000 = 0\n"
		    "+0     a     getsockopt tls_tx_max_payload = 0 "
		    "value=1000 outlen=2\n");
}
END_TEST

START_TEST(sys_poll__waits_and_times_out)
{
	run_text_ok(&r, "+0     peer  A = data 10\n"
			"+0     a     epoll lt 5ms = blocks\n"
			"+5ms   a     returns none why=poll-timeout\n"
			"+0     a     epoll lt forever = blocks\n"
			"+0     signal a\n"
			"       a     returns EINTR why=poll-signal\n"
			"+0     a     epoll lt forever = blocks\n"
			"+0     wire  A\n"
			"       a     returns IN\n");
}
END_TEST

/* Other bits change the registration, and what is there counts as an edge. */
START_TEST(sys_epoll__asks_for_other_events)
{
	run_text_ok(&r, "+0     peer  A*2 = data 10\n"
			"+0     p     epoll et OUT = OUT\n"
			"+0     p     epoll et OUT = none\n"
			"+0     wire  A.0\n"
			"+0     p     epoll et OUT = none\n"
			"+0     p     epoll et IN|OUT = IN|OUT\n"
			"+0     p     epoll et IN|OUT = none\n"
			"+0     p     epoll et = IN\n"
			"+0     p     epoll et forever = blocks\n"
			"+0     q     epoll et IN|OUT = IN|OUT\n"
			"+0     wire  A.1\n"
			"+0     a     close = 0\n"
			"+0     q     epoll et = EBADF why=bad-fd\n"
			"+0     q     epoll et IN|OUT = none\n");
}
END_TEST

START_TEST(sys_epoll__edge_and_level)
{
	run_text_ok(&r, "+0     peer  A*2 = data 10\n"
			"+0     p     epoll et = none\n"
			"+0     p     epoll lt = none\n"
			"+0     wire  A.0\n"
			"+0     p     epoll et = IN\n"
			"+0     p     epoll et = none\n"
			"+0     p     epoll lt = IN\n"
			"+0     p     epoll lt = IN\n"
			"+0     a     recvmsg 10 = 10\n"
			"+0     p     epoll lt = none\n");
}
END_TEST

START_TEST(sys_epoll__close_ends_the_registration)
{
	run_text_ok(&r, "+0     p     epoll et = none\n"
			"+0     a     close = 0\n"
			"+0     p     epoll et = none\n"
			"+0     p     epoll lt = EBADF\n");
}
END_TEST

START_TEST(sys_pipe__read_write_resize_close)
{
	run_text_ok(&r, "+0     pipe  p 8192 nb\n"
			"+0     a     ppoll p = none\n"
			"+0     a     pwrite p 5000 = 5000\n"
			"+0     a     ppoll p = IN\n"
			"+0     a     pfionread p = 5000\n"
			"+0     a     presize p 4096 = EBUSY\n"
			"+0     a     pread p 6000 = 5000 ff*5000\n"
			"+0     a     pread p 10 = EAGAIN\n"
			"+0     a     presize p 4096 = 4096\n"
			"+0     a     pclose p wr = 0\n"
			"+0     a     pread p 10 = 0\n"
			"+0     a     pclose p rd = 0\n"
			"+0     a     pwrite p 10 = EBADF\n");
}
END_TEST

Suite *syscall_test_suite(void)
{
	Suite *s = suite_create("syscall");
	TCase *tc = tcase_create("syscall");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, user_memory__cut_into_iovecs);
	tcase_add_test(tc, user_measure__finds_the_last_changed_byte);
	tcase_add_test(tc, sys_recv__read_of_nothing);
	tcase_add_test(tc, sys_recvmmsg__messages_and_late_error);
	tcase_add_test(tc, sys_recvmmsg__error_queue_leaves_sk_err);
	tcase_add_test(tc, sys_splice__restarts_after_a_signal);
	tcase_add_test(tc, sys_read_sock__takes_less_then_stops);
	tcase_add_test(tc, sys_shutdown__needs_a_connection);
	tcase_add_test(tc, sys_disconnect__refused_with_tls);
	tcase_add_test(tc, sys_setsockopt__lengths_and_null);
	tcase_add_test(tc, sys_getsockopt__values);
	tcase_add_test(tc, sys_poll__waits_and_times_out);
	tcase_add_test(tc, sys_epoll__asks_for_other_events);
	tcase_add_test(tc, sys_epoll__edge_and_level);
	tcase_add_test(tc, sys_epoll__close_ends_the_registration);
	tcase_add_test(tc, sys_pipe__read_write_resize_close);
	suite_add_tcase(s, tc);
	return s;
}
