// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/trace/trace_print.c and sim/trace/trace_print_call.c: canonical text stays
 * as it is, other text becomes canonical, and a trace made without text is the
 * same after printing and parsing.
 */
#include <check.h>

#include "tests/unit/trace_eq.h"
#include "tests/unit/trace_everything.h"

static struct mem_pool *pool;
static struct trace tr;
static struct sim_err err;
static struct text out;

static void setup(void)
{
	pool = mem_pool_new();
	tr = (struct trace){ .pool = pool };
	out = (struct text){ 0 };
	trace_opts_default(&tr.opts);
}

static void teardown(void)
{
	text_free(&out);
	mem_pool_free(pool);
}

static void parse(const char *text)
{
	ck_assert_msg(!trace_parse(&tr, "t", text, strlen(text), &err),
		      "%u:%u: %s", err.line, err.col, err.msg);
}

/* Prints as @want, and so does what is parsed from that. */
static void prints_as(const char *text, const char *want)
{
	parse(text);
	trace_print(&tr, &out);
	ck_assert_str_eq(out.buf, want);
	if (text != want) {
		out.len = 0;
		prints_as(want, want);
	}
}

static void canonical(const char *text)
{
	prints_as(text, text);
}

#define HEAD "ktlsim-trace 1\nset tls=1.3 cipher=aes-128-gcm\n"

START_TEST(trace_print__design_sample)
{
	canonical("ktlsim-trace 1\n"
		  "# A reader asking for more than the first record.\n"
		  "set tls=1.3 cipher=aes-128-gcm profile=v7.2\n"
		  "\n"
		  "+0     peer  A = data 100                       # a record\n"
		  "+0     peer  B = alert 2\n"
		  "+0     wire  A B[0,3)\n"
		  "+0     r1    recvmsg 4096 = 100 data A[0,100)\n"
		  "+0     r1    recvmsg 4096 = blocks\n"
		  "+1ms   wire  B[3,end)\n"
		  "       r1    returns 2 alert B[0,2)\n"
		  "end    consumed\n");
}
END_TEST

START_TEST(trace_print__every_record)
{
	canonical(HEAD "+0     peer  A = data 100 pad=10 badtag badct ver=0301"
		       " len=5 dlen=+2 outer=0 seq=7 zero noinner\n"
		       "+0     peer  B*3 = type 99 0\n"
		       "+0     peer  C = handshake 4 dlen=-2\n"
		       "+0     peer  D = ccs 1 seq=0xffffffffffffffff\n"
		       "+0     peer  K = keyupdate 5\n"
		       "+0     peer  X = raw 16030300ff\n"
		       "+0     peer  key 1\n"
		       "+0     peer  key 2 seq=0\n");
}
END_TEST

START_TEST(trace_print__openssl_records)
{
	canonical("ktlsim-trace 1\n"
		  "set tls=1.3 cipher=aes-256-gcm peer=openssl\n"
		  "+0     peer  T = openssl ticket\n"
		  "+0     peer  D = openssl data 100\n"
		  "+0     peer  K = openssl keyupdate\n"
		  "+0     peer  Z = openssl close\n"
		  "+0     wire  T[0,5) T[5,end) D K Z\n");
}
END_TEST

START_TEST(trace_print__every_option)
{
	canonical(
		"ktlsim-trace 1\n"
		"set tls=1.2 cipher=chacha20-poly1305 profile=v6.1 rcvbuf=4096"
		" mss=536 rcvlowat=5 rcvtimeo=3ms seq=0xffffffffffffffff"
		" skb=slab held=on nonblock=on ulp=off rx=off peer=openssl"
		" finish=on\n");
	out.len = 0;
	canonical("ktlsim-trace 1\n"
		  "set tls=1.3 cipher=aes-128-ccm skb=head nopad=on\n");
}
END_TEST

START_TEST(trace_print__every_wire)
{
	canonical(HEAD "+0     peer  A = data 100\n"
		       "+0     peer  C*4 = data 10\n"
		       "+0     wire  A[0,3) cut=10 skb=pages held=off urg"
		       " xor=0f@2\n"
		       "+0     wire  A[3,end) C\n"
		       "+0     wire  C.1\n"
		       "+0     wire  C.1..2 C.3[0,5) skb=frag held=on\n"
		       "+0     send  A C[0,70) cut=1400\n"
		       "+0     send  fin\n"
		       "+0     wire  fin\n"
		       "+0     wire  fin after A[0,60)\n"
		       "+0     wire  rst\n"
		       "+0     wire  rst after C.1..2\n");
}
END_TEST

START_TEST(trace_print__every_receive)
{
	canonical(HEAD
		  "+0     peer  A = data 100\n"
		  "+0     pipe  p 65536\n"
		  "+0     pipe  q 4096 nb\n"
		  "+0     r1    recvmsg 3+4+b10 peek waitall dontwait trunc"
		  " oob errqueue cloexec ctl=0 = EFAULT\n"
		  "+0     r1    recvmsg 100 = 100 type 99 A[0,100) ff*3"
		  " stream[0,7) flags=EOR|CTRUNC past=3 ctllen=24 why=none\n"
		  "+0     r1    recvmsg 100 = 0 notype flags=none\n"
		  "+0     r1    recv b10 peek = any A\n"
		  "+0     r1    read 10 = 10 A[90,end)\n"
		  "+0     r1    readv 0+0\n"
		  "+0     r1    recvmmsg 4 20 waitforone = 2"
		  " { 10 data A[0,10) eor } { 2 alert }\n"
		  "+0     r1    splice p 100 nb more move = EAGAIN\n"
		  "+0     r1    read_sock 1000 take=4,0,-EAGAIN = 4 A[0,4)\n");
}
END_TEST

START_TEST(trace_print__every_other_call)
{
	canonical(HEAD "+0     pipe  p 65536\n"
		       "+0     r1    poll = IN|PRI|OUT|ERR|HUP|RDHUP\n"
		       "+0     r1    poll 100ms = none\n"
		       "+0     r1    poll forever = EINTR\n"
		       "+0     r1    poll OUT|RDHUP 1ms = OUT\n"
		       "+0     r1    epoll et = IN\n"
		       "+0     r1    epoll lt 1s\n"
		       "+0     r1    fionread = 139\n"
		       "+0     r1    nonblock on\n"
		       "+0     r1    nonblock off\n"
		       "+0     r1    shutdown rd\n"
		       "+0     r1    shutdown wr\n"
		       "+0     r1    shutdown rdwr = ENOTCONN\n"
		       "+0     r1    shutdown 3 = EINVAL\n"
		       "+0     r1    disconnect = EOPNOTSUPP\n"
		       "+0     d1    pread p 100 = 100 stream[0,100)\n"
		       "+0     d1    pread p b5 = EFAULT\n"
		       "+0     d1    pwrite p 4096\n"
		       "+0     d1    pfionread p = 0\n"
		       "+0     d1    ppoll p = none\n"
		       "+0     d1    presize p 8192 = EBUSY\n"
		       "+0     d1    pclose p rd\n"
		       "+0     d1    pclose p wr\n"
		       "+0     r1    close = 0\n");
}
END_TEST

START_TEST(trace_print__every_socket_option)
{
	canonical(HEAD
		  "+0     r1    setsockopt tls_rx key=1 seq=0"
		  " cipher=aes-256-gcm ver=0304 cid=60 len=12 null = EINVAL\n"
		  "+0     r1    setsockopt tls_tx\n"
		  "+0     r1    setsockopt tls_rx_no_pad 1 len=8 = 0\n"
		  "+0     r1    setsockopt tls_rx_no_pad 4294967297 len=8\n"
		  "+0     r1    setsockopt tls_rx_no_pad null\n"
		  "+0     r1    setsockopt tls_tx_zerocopy 1\n"
		  "+0     r1    setsockopt tls_tx_max_payload 1000 len=2\n"
		  "+0     r1    setsockopt peek_off -1\n"
		  "+0     r1    setsockopt rcvtimeo 100ms\n"
		  "+0     r1    setsockopt rcvtimeo 0\n"
		  "+0     r1    setsockopt rcvlowat 50\n"
		  "+0     r1    setsockopt rcvbuf 4096\n"
		  "+0     r1    setsockopt oobinline 1\n"
		  "+0     r1    setsockopt tcp_inq 1\n"
		  "+0     r1    setsockopt ulp = EEXIST\n"
		  "+0     r1    setsockopt 282:99 1 = ENOPROTOOPT\n"
		  "+0     r1    getsockopt tls_rx len=4 = hex 04033300\n"
		  "+0     r1    getsockopt so_error = 0 err=ECONNRESET\n"
		  "+0     r1    getsockopt so_error = 0 err=0 outlen=4\n"
		  "+0     r1    getsockopt peek_off = 0 value=-1 hex ffffffff"
		  " outlen=4 why=none\n"
		  "+0     r1    getsockopt 1:99 null = EFAULT\n");
}
END_TEST

START_TEST(trace_print__every_other_statement)
{
	canonical(HEAD "+0     r1    recv 1 = blocks\n"
		       "+100us signal r1\n"
		       "+0     signal r1 restart\n"
		       "+0     fail  alloc decrypt_page#2\n"
		       "+0     fail  alloc decrypt_page#*\n"
		       "+0     expect announces=1 TlsDecryptError=0\n"
		       "at     rec_wait:before_sleep#2 run wire\n"
		       "at     rec_done#1 run r1\n"
		       "at     rec_done#1 run work\n"
		       "at     rec_done#1 run timer\n"
		       "+1ms   r1    blocks\n"
		       "       r1    returns EINTR\n"
		       "end    left 10\n");
}
END_TEST

START_TEST(trace_print__normal_forms)
{
	prints_as("ktlsim-trace 1\n"
		  "set cipher=aes-128-gcm\n"
		  "set mss=65483 profile=x held=off\n"
		  "peer A*1 = type 23 0x10\n"
		  "+1000us wire A.0[0,end)\n"
		  "+0 r1 getsockopt 1:4 = -104 value=104 # far",
		  "ktlsim-trace 1\n"
		  "set tls=1.3 cipher=aes-128-gcm profile=x\n"
		  "       peer  A = data 16\n"
		  "+1ms   wire  A\n"
		  "+0     r1    getsockopt so_error = ECONNRESET"
		  " err=ECONNRESET  # far\n");
}
END_TEST

START_TEST(trace_print__comments_stay)
{
	canonical("ktlsim-trace 1                                  # version\n"
		  "\n"
		  "# head\n"
		  "#\n"
		  "set tls=1.3 cipher=aes-128-gcm                  # options\n"
		  "# body\n"
		  "\n"
		  "\n"
		  "+0     r1    close                              # one\n"
		  "#two\n"
		  "+0     expect calls=1 wakes=0                   # three\n"
		  "# \xc3\xa4 last\n"
		  "\n");
}
END_TEST

START_TEST(trace_print__comments_between_options)
{
	prints_as("ktlsim-trace 1\n# a\nset tls=1.3 # b\n# c\n"
		  "set mss=9 # d\n# e\n",
		  "ktlsim-trace 1\n# a\n# b\n# c\n"
		  "set tls=1.3 cipher=aes-128-gcm mss=9            # d\n"
		  "# e\n");
}
END_TEST

START_TEST(trace_print__comments_of_removed_statements)
{
	/* As after shrinking: nothing is lost, nothing is out of order. */
	parse(HEAD "r1 close # a\nr1 close # b\n# c\nr1 close # d\n");
	tr.stmt_n = 1;
	trace_print(&tr, &out);
	ck_assert_str_eq(out.buf, HEAD
			 "       r1    close                              # a\n"
			 "# b\n# c\n# d\n");
}
END_TEST

START_TEST(trace_print__without_set_line)
{
	prints_as("ktlsim-trace 1\n# a\n\nr1 close\n",
		  HEAD "# a\n\n       r1    close\n");
}
END_TEST

START_TEST(trace_print_stmt__alone)
{
	parse(HEAD "r1 recv 1 = blocks\nr1 returns 1\n");
	trace_print_stmt(&tr, 1, &out);
	ck_assert_str_eq(out.buf, "       r1    returns 1");
}
END_TEST

START_TEST(trace_print_result__unknown_errno)
{
	const struct trace_result res = { .what = EXP_RET, .ret = -3999 };

	trace_print_result(&tr, NULL, &res, &out);
	ck_assert_str_eq(out.buf, "-3999");
}
END_TEST

START_TEST(trace_print__one_of_everything_survives)
{
	struct trace again = { .pool = pool };
	const char *what;
	u32 at;

	trace_everything(&tr);
	trace_print(&tr, &out);
	ck_assert_msg(!trace_parse(&again, "t", out.buf, out.len, &err),
		      "%u:%u: %s", err.line, err.col, err.msg);
	what = trace_difference(&tr, &again, &at);
	ck_assert_msg(!what, "%s %u differs", what, at);
}
END_TEST

START_TEST(trace_print__everything_has_every_statement)
{
	u32 seen = 0;

	trace_everything(&tr);
	for (u32 i = 0; i < tr.stmt_n; i++)
		seen |= 1u << tr.stmts[i].kind;
	ck_assert_uint_eq(seen, (1u << ST_KIND_COUNT) - 1);
}
END_TEST

Suite *trace_print_test_suite(void);
Suite *trace_print_test_suite(void)
{
	Suite *s = suite_create("trace_print");
	TCase *tc = tcase_create("trace_print");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, trace_print__design_sample);
	tcase_add_test(tc, trace_print__every_record);
	tcase_add_test(tc, trace_print__openssl_records);
	tcase_add_test(tc, trace_print__every_option);
	tcase_add_test(tc, trace_print__every_wire);
	tcase_add_test(tc, trace_print__every_receive);
	tcase_add_test(tc, trace_print__every_other_call);
	tcase_add_test(tc, trace_print__every_socket_option);
	tcase_add_test(tc, trace_print__every_other_statement);
	tcase_add_test(tc, trace_print__normal_forms);
	tcase_add_test(tc, trace_print__comments_stay);
	tcase_add_test(tc, trace_print__comments_between_options);
	tcase_add_test(tc, trace_print__comments_of_removed_statements);
	tcase_add_test(tc, trace_print__without_set_line);
	tcase_add_test(tc, trace_print_stmt__alone);
	tcase_add_test(tc, trace_print_result__unknown_errno);
	tcase_add_test(tc, trace_print__one_of_everything_survives);
	tcase_add_test(tc, trace_print__everything_has_every_statement);
	suite_add_tcase(s, tc);
	return s;
}
