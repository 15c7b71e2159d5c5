// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ledger: which record is which, what was taken, what a read would find.
 * Its state stays readable after a run.
 */
#include "sim/inv/ledger.h"

#include <stdlib.h>

#include "tests/unit/run_text.h"

#define TLS13 "set tls=1.3 cipher=aes-128-gcm\n"

static struct text_run run;

static void setup(void)
{
	text_run_init(&run);
}

static void teardown(void)
{
	text_run_free(&run);
}

static const struct ledger *ledger_after(const char *text)
{
	run_text_ok(&run, text);
	return run.s->ledger;
}

START_TEST(ledger_left__counts_good_records)
{
	ledger_after(TLS13 "+0 peer A = data 10\n"
			   "+0 peer B = alert 2\n"
			   "+0 peer C = data 7 badtag\n"
			   "+0 peer D = data 5\n"
			   "+0 wire A B\n"
			   "+0 r1 recvmsg 4\n");
	/* 6 of A, 2 of B, none of C, 5 of D */
	ck_assert_uint_eq(ledger_left(run.s), 13);
}
END_TEST

START_TEST(ledger_left__peek_takes_nothing)
{
	ledger_after(TLS13 "+0 peer A = data 10\n"
			   "+0 wire A\n"
			   "+0 r1 recvmsg 10 peek\n");
	ck_assert_uint_eq(ledger_left(run.s), 10);
	ledger_after(TLS13 "+0 peer A = data 10\n"
			   "+0 wire A\n"
			   "+0 r1 recvmsg 10 peek\n"
			   "+0 r1 recvmsg 10\n");
	ck_assert_uint_eq(ledger_left(run.s), 0);
}
END_TEST

START_TEST(ledger_left__plain)
{
	const struct ledger *l;

	l = ledger_after("set tls=1.3 cipher=aes-128-gcm rx=off\n"
			 "+0 peer A = data 10\n"
			 "+0 wire A\n"
			 "+0 r1 recvmsg 4 peek\n"
			 "+0 r1 recvmsg 4\n"
			 "+0 pipe p 4096\n"
			 "+0 r1 splice p 8\n"
			 "+0 r1 recvmmsg 2 3\n");
	ck_assert_uint_eq(l->raw_pos, 18);
	ck_assert_uint_eq(ledger_left(run.s), l->peer->size - 18);
	ck_assert(!l->raw_lost);
}
END_TEST

/* Bytes that were read before the keys are no records. */
START_TEST(ledger__keys_in_the_middle)
{
	const struct ledger *l;

	l = ledger_after("set tls=1.3 cipher=aes-128-gcm rx=off\n"
			 "+0 peer A = data 10\n"
			 "+0 peer B = data 20\n"
			 "+0 wire A B\n"
			 "+0 r1 recvmsg 32\n"
			 "+0 r1 setsockopt tls_rx seq=1\n"
			 "+0 r1 recvmsg 5\n");
	ck_assert_int_eq(l->state, LEDGER_TLS);
	ck_assert_uint_eq(l->rec, 1);
	ck_assert_uint_eq(l->off, 5);
	ck_assert_uint_eq(l->opened, 2);
	ck_assert_uint_eq(l->seq, 2);
}
END_TEST

START_TEST(ledger__cursor_rests_on_what_is_next)
{
	const struct ledger *l;

	l = ledger_after(TLS13 "+0 peer A = data 10\n"
			       "+0 peer E*2 = data 0\n"
			       "+0 peer B = data 20\n"
			       "+0 wire A E B\n"
			       "+0 r1 recvmsg 10\n");
	ck_assert_uint_eq(l->rec, 1);
	ck_assert_uint_eq(l->off, 0);
	l = ledger_after(TLS13 "+0 peer A = data 10\n"
			       "+0 peer E*2 = data 0\n"
			       "+0 peer B = data 20\n"
			       "+0 wire A E B\n"
			       "+0 r1 recvmsg 12\n");
	ck_assert_uint_eq(l->rec, 3);
	ck_assert_uint_eq(l->off, 2);
}
END_TEST

/* A reader that slept in plain recv takes the bytes of a record (A18.2). */
START_TEST(ledger__lost_by_theft)
{
	const struct ledger *l;

	l = ledger_after("set tls=1.3 cipher=aes-128-gcm rx=off\n"
			 "+0 peer A = data 10\n"
			 "+0 r1 recv 8\n"
			 "+0 r2 setsockopt tls_rx\n"
			 "+0 wire A\n"
			 "+0 r2 recvmsg 10 dontwait\n");
	ck_assert_int_eq(l->state, LEDGER_LOST);
	ck_assert_uint_eq(ledger_left(run.s), 0);
}
END_TEST

START_TEST(ledger__overlapping_plain_readers)
{
	const struct ledger *l;

	l = ledger_after("set tls=1.3 cipher=aes-128-gcm rx=off\n"
			 "+0 peer A = data 10\n"
			 "+0 r1 recv 8\n"
			 "+0 r2 recv 8\n"
			 "+0 wire A\n");
	ck_assert(l->raw_lost);
}
END_TEST

START_TEST(ledger__rekey)
{
	const struct ledger *l;

	l = ledger_after(TLS13 "+0 peer K = keyupdate 5\n"
			       "+0 peer key 1\n"
			       "+0 peer A = data 10\n"
			       "+0 wire K A\n"
			       "+0 r1 recvmsg 10\n"
			       "+0 r1 setsockopt tls_rx key=1\n"
			       "+0 r1 recvmsg 10\n");
	ck_assert_int_eq(l->state, LEDGER_TLS);
	ck_assert_uint_eq(l->gen, 1);
	ck_assert_uint_eq(l->seq, 1);
	ck_assert_uint_eq(l->opened, 2);
	ck_assert_uint_eq(l->rec, 2);
	ck_assert_uint_eq(ledger_left(run.s), 0);
}
END_TEST

START_TEST(ledger__failed_until_it_opens)
{
	const struct ledger *l;

	l = ledger_after(TLS13 "+0 peer key 1\n"
			       "+0 peer A = data 10\n"
			       "+0 wire A\n"
			       "+0 r1 recvmsg 10\n");
	ck_assert(l->failed);
	ck_assert_uint_eq(l->failed_recno, 0);
	l = ledger_after(TLS13 "+0 peer key 1\n"
			       "+0 peer A = data 10\n"
			       "+0 wire A\n"
			       "+0 r1 recvmsg 10\n"
			       "+0 r1 setsockopt tls_rx key=1\n"
			       "+0 r1 recvmsg 10\n");
	ck_assert(!l->failed);
}
END_TEST

START_TEST(ledger__framing)
{
	const struct ledger *l;

	l = ledger_after(TLS13 "+0 peer A = data 10\n"
			       "+0 peer B = data 10 ver=0301\n"
			       "+0 wire A B\n"
			       "+0 r1 recvmsg 10\n");
	ck_assert_int_eq(l->stopped, EINVAL);
	ck_assert_uint_eq(l->rec, 1);
}
END_TEST

START_TEST(ledger__wrap)
{
	const struct ledger *l;

	l = ledger_after(
		"set tls=1.3 cipher=aes-128-gcm seq=0xffffffffffffffff\n"
		"+0 peer A = data 10\n"
		"+0 wire A\n"
		"+0 r1 recvmsg 10\n");
	ck_assert(l->wrapped);
	ck_assert_uint_eq(l->seq, 0);
}
END_TEST

/* The record arrives in a buffer too small for it (copy mode). */
START_TEST(ledger__copy_mode)
{
	const struct ledger *l;

	l = ledger_after("set tls=1.3 cipher=aes-128-gcm rcvbuf=4096\n"
			 "+0 peer A = data 16384\n"
			 "+0 peer B = data 10\n"
			 "+0 r1 recvmsg 20000 waitall\n"
			 "+0 send A B\n"
			 "+1s send fin\n");
	ck_assert_uint_gt(run.s->counters[CNT_COPY_MODE], 0);
	ck_assert_int_eq(l->state, LEDGER_TLS);
	ck_assert_uint_eq(ledger_left(run.s), 0);
}
END_TEST

START_TEST(ledger__messages_of_recvmmsg)
{
	const struct ledger_call *c;

	ledger_after(TLS13 "+0 peer A = data 10\n"
			   "+0 peer B = alert 2\n"
			   "+0 wire A B\n"
			   "+0 r1 recvmmsg 3 8 dontwait\n");
	c = ledger_call(run.s, 0);
	ck_assert_uint_eq(c->msg_n, 4 - 1);
	ck_assert_uint_eq(ledger_msg(c, 0)->put, 8);
	ck_assert_uint_eq(ledger_msg(c, 1)->put, 2);
	ck_assert_uint_eq(ledger_msg(c, 1)->off, 8);
	ck_assert_uint_eq(ledger_msg(c, 2)->put, 2);
	ck_assert_uint_eq(ledger_msg(c, 2)->type, 21);
}
END_TEST

START_TEST(ledger__target)
{
	ledger_after(TLS13 "+0 r1 setsockopt rcvlowat 30\n"
			   "+0 r1 recvmsg 20 dontwait\n"
			   "+0 r2 recvmsg 50 dontwait\n"
			   "+0 r3 recvmsg 50 waitall dontwait\n");
	ck_assert_uint_eq(ledger_call(run.s, 0)->msg.target, 20);
	ck_assert_uint_eq(ledger_call(run.s, 1)->msg.target, 30);
	ck_assert_uint_eq(ledger_call(run.s, 2)->msg.target, 50);
}
END_TEST

START_TEST(ledger_opens__keys_and_number)
{
	struct sim_peer p = { 0 };
	struct ledger l = { .peer = &p, .gen = 3, .keys_fit = true };
	struct peer_rec r = {
		.gen = 3,
		.seq = 9,
		.framed = true,
		.opens = true,
	};

	ck_assert(ledger_opens(&l, &r, 9));
	ck_assert(!ledger_opens(&l, &r, 8));
	r.gen = 4;
	ck_assert(!ledger_opens(&l, &r, 9));
	r.gen = 3 + 256; /* the same key bytes */
	ck_assert(ledger_opens(&l, &r, 9));
	r.framed = false;
	ck_assert(!ledger_opens(&l, &r, 9));
	r.framed = true;
	l.keys_fit = false;
	ck_assert(!ledger_opens(&l, &r, 9));
}
END_TEST

START_TEST(ledger_wire_clean__xor)
{
	ledger_after(TLS13 "+0 peer A = data 10\n"
			   "+0 wire A\n");
	ck_assert(ledger_wire_clean(run.s));
	ledger_after(TLS13 "+0 peer A = data 10\n"
			   "+0 wire A xor=80@20\n");
	ck_assert(!ledger_wire_clean(run.s));
}
END_TEST

START_TEST(call_asked__kinds)
{
	struct trace_call c = {
		.kind = CALL_READV,
		.iov = { { 3, false }, { 4, true } },
		.iov_n = 2,
	};

	ck_assert_uint_eq(call_asked(&c), 7);
	c = (struct trace_call){ .kind = CALL_READ_SOCK, .count = 50 };
	ck_assert_uint_eq(call_asked(&c), 50);
	c = (struct trace_call){ .kind = CALL_PREAD, .val = 60 };
	ck_assert_uint_eq(call_asked(&c), 60);
}
END_TEST

Suite *ledger_test_suite(void)
{
	Suite *s = suite_create("ledger");
	TCase *tc = tcase_create("ledger");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, ledger_left__counts_good_records);
	tcase_add_test(tc, ledger_left__peek_takes_nothing);
	tcase_add_test(tc, ledger_left__plain);
	tcase_add_test(tc, ledger__keys_in_the_middle);
	tcase_add_test(tc, ledger__cursor_rests_on_what_is_next);
	tcase_add_test(tc, ledger__lost_by_theft);
	tcase_add_test(tc, ledger__overlapping_plain_readers);
	tcase_add_test(tc, ledger__rekey);
	tcase_add_test(tc, ledger__failed_until_it_opens);
	tcase_add_test(tc, ledger__framing);
	tcase_add_test(tc, ledger__wrap);
	tcase_add_test(tc, ledger__copy_mode);
	tcase_add_test(tc, ledger__messages_of_recvmmsg);
	tcase_add_test(tc, ledger__target);
	tcase_add_test(tc, ledger_opens__keys_and_number);
	tcase_add_test(tc, ledger_wire_clean__xor);
	tcase_add_test(tc, call_asked__kinds);
	suite_add_tcase(s, tc);
	return s;
}
