// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/call/expect.c: each part of a result, right and wrong.
 */
#include "tests/unit/run_text.h"

static struct text_run r;

static void setup(void)
{
	text_run_init(&r);
}

static void teardown(void)
{
	text_run_free(&r);
}

#define TWO                          \
	"+0     peer  A = data 10\n" \
	"+0     peer  B = alert 2\n" \
	"+0     wire  A B\n"

/* The last line of @text holds as @good and fails as @bad, which names what. */
static void both(const char *text, const char *good, const char *bad,
		 const char *got)
{
	const struct sim_verdict *v;
	char all[600];

	snprintf(all, sizeof(all), "%s%s\n", text, good);
	run_text_ok(&r, all);
	snprintf(all, sizeof(all), "%s%s\n", text, bad);
	v = run_text(&r, all);
	ck_assert_int_eq(v->kind, VERDICT_EXPECT);
	ck_assert_msg(strstr(v->got, got) != NULL, "'%s' is not in '%s'", got,
		      v->got);
}

START_TEST(expect_call__value_and_errno)
{
	both(TWO, "+0     a     recvmsg 10 = 10", "+0     a     recvmsg 10 = 9",
	     "10");
	both("", "+0     a     recvmsg 10 dontwait = EAGAIN",
	     "+0     a     recvmsg 10 dontwait = EINVAL", "EAGAIN");
}
END_TEST

START_TEST(expect_call__blocks)
{
	both("", "+0     a     recvmsg 10 = blocks",
	     "+0     a     recvmsg 10 = 10", "blocks");
	both(TWO, "+0     a     recvmsg 10 = 10",
	     "+0     a     recvmsg 10 = blocks", "(tls-");
}
END_TEST

START_TEST(expect_call__type)
{
	both(TWO, "+0     a     recvmsg 10 = 10 data",
	     "+0     a     recvmsg 10 = 10 alert", "data");
}
END_TEST

START_TEST(expect_call__flags)
{
	both(TWO, "+0     a     recvmsg 10 = 10 flags=EOR",
	     "+0     a     recvmsg 10 = 10 flags=EOR|CTRUNC", "eor");
}
END_TEST

START_TEST(expect_call__bytes)
{
	both(TWO, "+0     a     recvmsg 10 = 10 data A[0,4) A[4,end)",
	     "+0     a     recvmsg 10 = 10 data A[0,4) A[3,9)", "piece 2");
	both(TWO, "+0     a     recvmsg 10 = 10 data stream[0,10)",
	     "+0     a     recvmsg 10 = 10 data stream[1,11)", "piece 1");
	both(TWO "+0     a     recvmsg 10\n",
	     "+0     a     recvmsg 10 = 2 alert fb*2",
	     "+0     a     recvmsg 10 = 2 alert fb*1", "2 bytes where");
}
END_TEST

/* Raw bytes are stated as written: nobody decrypts them. */
START_TEST(expect_call__raw_records)
{
	both("set rx=off\n+0     peer  A = raw 68656c6c6f\n"
	     "+0     wire  A\n",
	     "+0     a     recvmsg 4 = 4 A[0,4)",
	     "+0     a     recvmsg 4 = 4 A[1,5)", "piece 1");
}
END_TEST

START_TEST(expect_call__repeated_records)
{
	run_text_ok(&r, "+0     peer  A*3 = data 10\n"
			"+0     wire  A\n"
			"+0     a     recvmsg 25 = 25 data A[0,25)\n"
			"+0     a     recvmsg 25 = 5 data A.2[5,end)\n");
}
END_TEST

START_TEST(expect_call__reason)
{
	both("", "+0     a     read 0 = 0 why=zero-read",
	     "+0     a     read 0 = 0 why=bad-fd", "zero-read");
}
END_TEST

START_TEST(expect_call__mask)
{
	both(TWO, "+0     a     poll = IN|OUT", "+0     a     poll = OUT",
	     "IN|OUT");
}
END_TEST

START_TEST(expect_call__past)
{
	/* TLS 1.3 padding with NO_PAD: decrypted in place, then again */
	both("set tls=1.3 nopad=on\n"
	     "+0     peer  A = data 10 pad=5\n"
	     "+0     wire  A\n",
	     "+0     a     recvmsg 100 = 10 data A past=5",
	     "+0     a     recvmsg 100 = 10 data A past=0", "past=5");
}
END_TEST

START_TEST(expect_call__option)
{
	both("", "+0     a     getsockopt rcvlowat = 0 value=1",
	     "+0     a     getsockopt rcvlowat = 0 value=2", "value=1");
	both("", "+0     a     getsockopt tls_rx len=4 = 0 hex 04033300",
	     "+0     a     getsockopt tls_rx len=4 = 0 hex 03033300",
	     "04033300");
	both("", "+0     a     getsockopt rcvlowat = 0 outlen=4",
	     "+0     a     getsockopt rcvlowat = 0 outlen=8", "outlen=4");
}
END_TEST

START_TEST(expect_call__messages)
{
	both(TWO, "+0     a     recvmmsg 2 10 = 2 { 10 data A } { 2 alert B }",
	     "+0     a     recvmmsg 2 10 = 2 { 10 data A } { 3 alert B }",
	     "message 2 of 2");
}
END_TEST

START_TEST(expect_call__task_still_asleep)
{
	both("+0     a     recvmsg 10 = blocks\n", "       a     blocks",
	     "       a     returns 10", "blocks");
}
END_TEST

START_TEST(expect_counter__world_and_tls)
{
	both(TWO, "+0     expect announces=1", "+0     expect announces=2",
	     "announces=1");
	both(TWO, "+0     expect TlsRxSw=1", "+0     expect TlsRxSw=0",
	     "TlsRxSw=1");
}
END_TEST

Suite *expect_test_suite(void)
{
	Suite *s = suite_create("expect");
	TCase *tc = tcase_create("expect");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, expect_call__value_and_errno);
	tcase_add_test(tc, expect_call__blocks);
	tcase_add_test(tc, expect_call__type);
	tcase_add_test(tc, expect_call__flags);
	tcase_add_test(tc, expect_call__bytes);
	tcase_add_test(tc, expect_call__raw_records);
	tcase_add_test(tc, expect_call__repeated_records);
	tcase_add_test(tc, expect_call__reason);
	tcase_add_test(tc, expect_call__mask);
	tcase_add_test(tc, expect_call__past);
	tcase_add_test(tc, expect_call__option);
	tcase_add_test(tc, expect_call__messages);
	tcase_add_test(tc, expect_call__task_still_asleep);
	tcase_add_test(tc, expect_counter__world_and_tls);
	suite_add_tcase(s, tc);
	return s;
}
