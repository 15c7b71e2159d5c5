// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/judge/judge_accept.c.
 */
#include "tests/unit/judge_fixture.h"

static struct trial_run r;

static void setup(void)
{
	trial_init(&r);
}

static void teardown(void)
{
	trial_free(&r);
}

static const char *refusal(const char *text)
{
	trial_run(&r, text);
	ck_assert_msg(r.c.no[0], "judged: %s", text);
	ck_assert_uint_eq(r.c.job.len, 0);
	return r.c.no;
}

START_TEST(judge_accepts__not_what_a_kernel_cannot_be_told)
{
	ck_assert_str_eq(refusal("set held=on\n"
				 "+0     peer  A*3 = data 16000\n"
				 "+0     wire  A\n"),
			 "option held=on");
	ck_assert_str_eq(refusal("set rcvbuf=9000\n"
				 "+0     peer  A = data 10\n"
				 "+0     wire  A held=on\n"),
			 "memory of segments: +0     wire  A held=on");
	ck_assert_str_eq(
		refusal("+0     fail  alloc decrypt_skb#1\n"),
		"a failing allocation: +0     fail  alloc decrypt_skb#1");
	ck_assert_str_eq(refusal("       at    lock_sock#1 run work\n"),
			 "a chosen moment: at     lock_sock#1 run work");
	ck_assert_str_eq(refusal("+0     r1    read_sock 5\n"),
			 "an in-kernel consumer: +0     r1    read_sock 5");
	ck_assert_str_eq(refusal("set peer=openssl\n"
				 "+0     peer  A*10 = data 16000\n"),
			 "much data of a libssl peer");
	ck_assert_str_eq(refusal("+0     r1    setsockopt rcvtimeo 5ms\n"
				 "+0     r1    getsockopt rcvtimeo\n"),
			 "finer than a tick of the kernel: "
			 "+0     r1    getsockopt rcvtimeo");
	ck_assert_str_eq(refusal("+0     peer  A*10 = data 16000\n"
				 "+0     r1    getsockopt rcvbuf\n"),
			 "it grows with round-trip times: "
			 "+0     r1    getsockopt rcvbuf");
}
END_TEST

START_TEST(judge_accepts__not_what_the_agent_cannot_send)
{
	ck_assert_str_eq(refusal("+0     peer  A*3 = data 16000\n"
				 "+0     wire  A.1\n"
				 "+0     send  A.0\n"),
			 "a sender beside raw segments: +0     send  A.0");
	ck_assert_str_eq(refusal("set rcvbuf=9000\n"
				 "+0     peer  A = data 100\n"
				 "+0     wire  A skb=pages\n"),
			 "memory of segments: +0     wire  A skb=pages");
	ck_assert_str_eq(refusal("+0     peer  A = data 10000\n"
				 "+0     wire  A cut=100 skb=pages\n"),
			 "memory of many segments");
	ck_assert_str_eq(
		refusal("+0     peer  A = data 5000\n"
			"+0     wire  A skb=head\n"),
		"skb=head in a large segment: +0     wire  A skb=head");
}
END_TEST

static const char *excuse(const char *text)
{
	trial_run(&r, text);
	ck_assert_msg(!r.c.no[0], "%s: %s", text, r.c.no);
	ck_assert_uint_gt(r.c.job.len, 0);
	return r.c.excuse;
}

START_TEST(judge_accepts__memory_that_is_not_the_kernels)
{
	ck_assert_str_eq(excuse("set rcvbuf=2304\n"
				"+0     peer  A = data 100\n"
				"+0     wire  A skb=slab\n"),
			 "raw segments into a small rcvbuf=");
	ck_assert_str_eq(
		excuse("set rx=off\n"
		       "+0     pipe  p 4096\n"
		       "+0     peer  A*2 = data 100\n"
		       "+0     wire  A.1\n"
		       "+0     r1    splice p 10\n"),
		"where raw segments lie in memory: +0     r1    splice p 10");
}
END_TEST

/* Where nothing shows of it, the memory need not be the trace's. */
START_TEST(judge_accepts__memory_that_does_not_show)
{
	ck_assert_str_eq(excuse("set held=on\n"
				"+0     peer  A = data 100\n"
				"+0     wire  A skb=pages\n"),
			 "");
	ck_assert(!r.c.tun);
}
END_TEST

START_TEST(judge_accepts_run__first_acks_are_quick)
{
	ck_assert_str_eq(excuse("set rcvbuf=6000\n"
				"+0     peer  A*5 = data 100\n"
				"+0     send  A.0\n+0     send  A.1\n"
				"+0     send  A.2\n+0     send  A.3\n"
				"+0     send  A.4\n"),
			 "");
	ck_assert_str_eq(excuse("set rcvbuf=6000\n"
				"+0     peer  A*6 = data 100\n"
				"+0     send  A.0\n+0     send  A.1\n"
				"+0     send  A.2\n+0     send  A.3\n"
				"+0     send  A.4\n+0     send  A.5\n"),
			 "delayed ACKs of a small receive buffer");
	ck_assert_str_eq(excuse("+0     r1    setsockopt rcvbuf 2304\n"
				"+0     peer  A = data 100\n"
				"+0     send  A cut=40\n"),
			 "delayed ACKs of a small receive buffer");
}
END_TEST

START_TEST(judge_accepts_run__time_for_the_ack_of_a_fin)
{
	ck_assert_str_eq(excuse("+0     r1    shutdown wr\n"
				"+100ms r1    poll\n"),
			 "");
	ck_assert_str_eq(excuse("+0     r1    shutdown wr\n"
				"+0     r1    poll PRI 50ms\n"
				"+100ms r2    poll\n"),
			 "delayed ACK of our FIN");
	ck_assert_str_eq(excuse("+0     r1    shutdown wr\n"
				"+0     r1    recvmsg 100\n"
				"+0     r2    recvmsg 100 dontwait\n"),
			 "delayed ACK of our FIN");
}
END_TEST

/* Only kernels that read headers over overlaps show it. */
START_TEST(judge_accepts_run__overlaps_of_linear_heads)
{
	static const char text[] = "+0     peer  A*2 = data 0\n"
				   "+0     wire  A.1[0,6) skb=slab\n"
				   "+0     wire  A.1\n"
				   "+0     wire  A.0\n";

	ck_assert_str_eq(excuse(text), "");
	trial_run_on(&r, text, "v6.1.176");
	ck_assert_str_eq(r.c.excuse, "how overlapping segments merge");
}
END_TEST

START_TEST(judge_accepts_run__pieces_of_plain_tcp)
{
	ck_assert_str_eq(
		excuse("set rx=off\n"
		       "+0     pipe  p 65536\n"
		       "+0     peer  A = raw 00112233445566778899aabbccddeeff\n"
		       "+0     send  A cut=1\n"
		       "+0     r1    splice p 100\n"),
		"");
	ck_assert_str_eq(
		excuse("set rx=off\n"
		       "+0     pipe  p 65536\n"
		       "+0     peer  A = raw 00112233445566778899aabbccddeeff11\n"
		       "+0     send  A cut=1\n"
		       "+0     r1    splice p 100\n"),
		"delayed ACKs keep what is spliced in pieces");
	/* A large segment leaves only one quick ACK. */
	ck_assert_str_eq(excuse("set rx=off\n"
				"+0     pipe  p 65536\n"
				"+0     peer  A = data 16384\n"
				"+0     peer  B = raw 0011\n"
				"+0     send  A\n+0     send  B\n"
				"+0     r1    splice p 100\n"),
			 "delayed ACKs keep what is spliced in pieces");
}
END_TEST

static bool needs_tun(const char *text)
{
	trial_run(&r, text);
	ck_assert_msg(!r.c.no[0], "%s: %s", text, r.c.no);
	ck_assert_uint_eq(!!(trial_job(&r)->flags & JOB_TUN), r.c.tun);
	return r.c.tun;
}

/* A few small segments fit a pipe however they lie in memory. */
START_TEST(judge_accepts__small_pieces)
{
	ck_assert(needs_tun("set rx=off\n"
			    "+0     pipe  p 65536\n"
			    "+0     peer  A*2 = data 100\n"
			    "+0     wire  A.1\n"
			    "+0     r1    splice p 10\n"));
}
END_TEST

START_TEST(judge_accepts__loopback_for_segments_in_order)
{
	ck_assert(!needs_tun("+0     peer  A*3 = data 100\n"
			     "+0     wire  A[0,50)\n"
			     "+0     wire  A[50,end)\n"
			     "+0     wire  fin\n"));
	ck_assert(!needs_tun("+0     peer  A*10 = data 16000\n"
			     "+0     send  A\n"
			     "+0     send  fin\n"));
}
END_TEST

START_TEST(judge_accepts__raw_segments_for_all_others)
{
	ck_assert(needs_tun("+0     peer  A*2 = data 100\n"
			    "+0     wire  A.1\n"
			    "+0     wire  A.0\n"));
	ck_assert(needs_tun("+0     peer  A = data 100\n"
			    "+0     wire  A urg\n"));
	ck_assert(needs_tun("+0     peer  A = data 100\n"
			    "+0     wire  A xor=01@7\n"));
	ck_assert(needs_tun("+0     peer  A = data 100\n"
			    "+0     wire  A skb=slab\n"));
	ck_assert(needs_tun("set mss=500\n"
			    "+0     peer  A = data 100\n"
			    "+0     wire  A\n"));
	ck_assert(needs_tun("+0     peer  A = data 100\n"
			    "+0     wire  fin after A\n"));
	ck_assert(needs_tun("+0     peer  A = data 100\n"
			    "+0     wire  fin\n"
			    "+0     wire  A\n"));
}
END_TEST

Suite *judge_accept_test_suite(void);
Suite *judge_accept_test_suite(void)
{
	Suite *s = suite_create("judge_accept");
	TCase *tc = tcase_create("judge_accept");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, judge_accepts__small_pieces);
	tcase_add_test(tc, judge_accepts__memory_that_is_not_the_kernels);
	tcase_add_test(tc, judge_accepts__memory_that_does_not_show);
	tcase_add_test(tc, judge_accepts_run__first_acks_are_quick);
	tcase_add_test(tc, judge_accepts_run__time_for_the_ack_of_a_fin);
	tcase_add_test(tc, judge_accepts_run__overlaps_of_linear_heads);
	tcase_add_test(tc, judge_accepts_run__pieces_of_plain_tcp);
	tcase_add_test(tc, judge_accepts__not_what_a_kernel_cannot_be_told);
	tcase_add_test(tc, judge_accepts__not_what_the_agent_cannot_send);
	tcase_add_test(tc, judge_accepts__loopback_for_segments_in_order);
	tcase_add_test(tc, judge_accepts__raw_segments_for_all_others);
	suite_add_tcase(s, tc);
	return s;
}
