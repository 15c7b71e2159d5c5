// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * B1 to B5 and X1: who sleeps when, and for how long. A sleep that the model
 * would never do is logged where it would be wrong.
 */
#include "tests/unit/broken.h"

#define RECORD                             \
	"set tls=1.3 cipher=aes-128-gcm\n" \
	"+0 peer A = data 10\n"            \
	"+0 wire A\n"

static struct sim_event *sleeps(struct sim *s, struct sim_event *e,
				enum m_sleep where)
{
	return tamper_insert(s, e, EV_SLEEP, where, -1, 0);
}

static struct sim_event *sleep_in_role(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_READER_OFF)
		return sleeps(s, e, M_SLEEP_SK_WAIT);
	return e;
}

static bool call_of_r1(const struct sim *s, const struct sim_event *e)
{
	return e->kind == EV_CALL && e->task == 0 && s->task_n;
}

/* --- B1 ---------------------------------------------------------------- */

static struct sim_event *sleep_in_poll(struct sim *s, struct sim_event *e)
{
	if (call_of_r1(s, e))
		return sleeps(s, e, M_SLEEP_POLL);
	return e;
}

static struct sim_event *sleep_for_space(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_PIPE_UNLOCK)
		return sleeps(s, e, M_SLEEP_PIPE_SPACE);
	return e;
}

static struct sim_event *sleep_for_data(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_PIPE_UNLOCK)
		return sleeps(s, e, M_SLEEP_PIPE_DATA);
	return e;
}

START_TEST(b1__recvmsg)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 r1 recvmsg 10 dontwait\n";

	expect_holds("set tls=1.3 cipher=aes-128-gcm\n"
		     "+0 r1 recvmsg 10\n",
		     INV_B1);
	expect_breach(text, sleep_in_role, INV_B1, "sleeps");
}
END_TEST

START_TEST(b1__o_nonblock)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm nonblock=on\n"
		      "+0 r1 recvmsg 10\n",
		      sleep_in_role, INV_B1, "sleeps");
	expect_breach("set tls=1.3 cipher=aes-128-gcm nonblock=on\n"
		      "+0 pipe p 4096\n"
		      "+0 r1 splice p 10 nb\n",
		      sleep_in_role, INV_B1, "sleeps");
	expect_breach("set tls=1.3 cipher=aes-128-gcm nonblock=on\n"
		      "+0 pipe p 4096\n"
		      "+0 r1 splice p 10\n",
		      NULL, INV_B1, "splice-o-nonblock");
}
END_TEST

START_TEST(b1__poll_and_pipes)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 r1 poll IN\n",
		      sleep_in_poll, INV_B1, "sleeps");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 pipe p 4096 nb\n"
		      "+0 r1 pwrite p 10\n",
		      sleep_for_space, INV_B1, "sleeps");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 pipe p 4096 nb\n"
		      "+0 r1 pread p 10\n",
		      sleep_for_data, INV_B1, "sleeps");
}
END_TEST

START_TEST(b1__waitforone)
{
	expect_breach(RECORD "+0 r1 recvmmsg 2 10 waitforone\n", sleep_in_role,
		      INV_B2, "sleeps");
	expect_holds(RECORD "+0 r1 recvmmsg 2 10 waitforone\n", INV_D1);
}
END_TEST

/* --- B2 ---------------------------------------------------------------- */

static struct sim_event *sleep_with_bytes(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_CONSUME_TCP && e->task < s->task_n)
		s->ledger->calls[e->task].took = 10;
	if (e->kind == EV_UNLOCK && s->ledger->calls[0].took)
		return sleeps(s, e, M_SLEEP_SK_WAIT);
	return e;
}

START_TEST(b2__tls)
{
	expect_holds(RECORD "+0 r1 recvmsg 100 waitall\n", INV_B2);
	expect_breach(RECORD "+0 r1 recvmsg 100\n", sleep_in_role, INV_B2,
		      "sleeps");
	expect_breach(RECORD "+0 pipe p 4096\n"
			     "+0 r1 splice p 100\n",
		      sleep_in_role, INV_B2, "sleeps");
}
END_TEST

/* The parser's copy mode takes bytes from TCP, too: they are not r1's. */
START_TEST(b2__copy_mode)
{
	expect_holds("set tls=1.2 cipher=aes-128-gcm rcvbuf=1 rx=off\n"
		     "+0 r1 recvmsg 1000 waitall = blocks\n"
		     "+0 peer A = data 100\n"
		     "+0 send A\n"
		     "+0 peer B = data 272\n"
		     "+0 send B\n"
		     "+0 r2 setsockopt tls_rx = 0\n"
		     "+0 peer C = data 100\n"
		     "+0 send C[0,1) skb=pages\n"
		     "+0 peer D = data 327\n"
		     "+0 peer E = data 50\n"
		     "+0 wire D E\n"
		     "+0 peer F = data 0\n"
		     "+0 send F\n"
		     "+1s expect copy_modes=1\n",
		     INV_B2);
}
END_TEST

/* r1 sets SO_RCVLOWAT while r2 begins: which one r2 goes by is not known. */
START_TEST(b2__target_changing)
{
	expect_holds("set tls=1.2 cipher=aes-128-gcm rx=off\n"
		     "at lock_sock#1 run r2\n"
		     "at released#1 run r2\n"
		     "+0 peer A = data 0\n"
		     "+0 send A\n"
		     "+0 r1 setsockopt rcvlowat 1000\n"
		     "+0 r2 recvmsg 4096\n",
		     INV_B2);
}
END_TEST

START_TEST(b2__plain)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm rx=off\n"
		      "+0 peer A = data 10\n"
		      "+0 wire A\n"
		      "+0 r1 recvmsg 100\n",
		      sleep_with_bytes, INV_B2, "sleeps");
}
END_TEST

/* --- B3 ---------------------------------------------------------------- */

static struct sim_event *sleep_before_role(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_READER_ON)
		return sleeps(s, e, M_SLEEP_SK_WAIT);
	return e;
}

static struct sim_event *sleep_for_role(struct sim *s, struct sim_event *e)
{
	if (call_of_r1(s, e))
		return sleeps(s, e, M_SLEEP_READER);
	return e;
}

static struct sim_event *sleep_for_lock(struct sim *s, struct sim_event *e)
{
	if (call_of_r1(s, e))
		return sleeps(s, e, M_SLEEP_LOCK_SOCK);
	return e;
}

static struct sim_event *sleep_for_mutex(struct sim *s, struct sim_event *e)
{
	if (call_of_r1(s, e))
		return sleeps(s, e, M_SLEEP_PIPE_MUTEX);
	return e;
}

START_TEST(b3__socket)
{
	expect_holds("set tls=1.3 cipher=aes-128-gcm\n"
		     "+0 peer A = data 10\n"
		     "+0 r1 recvmsg 10\n"
		     "+0 wire A\n",
		     INV_B3);
	expect_breach(RECORD "+0 r1 recvmsg 10\n", sleep_before_role, INV_B3,
		      "record");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 wire rst\n"
		      "+0 r1 recvmsg 10\n",
		      sleep_before_role, INV_B3, "error");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 wire fin\n"
		      "+0 r1 recvmsg 10\n",
		      sleep_before_role, INV_B3, "end-of-stream");
}
END_TEST

static struct sim_event *sleep_disconnected(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_UNLOCK && e->task == 1)
		return sleeps(s, e, M_SLEEP_SK_WAIT);
	return e;
}

START_TEST(b3__closed)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm ulp=off "
				   "rx=off\n"
				   "+0 r1 disconnect\n"
				   "+0 r1 recv 10\n"
				   "+0 r2 recv 10\n";

	expect_holds(text, INV_E2);
	expect_breach(text, sleep_disconnected, INV_B3, "closed");
}
END_TEST

static struct sim_event *sleep_beside_rekey(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_READER_ON && tamper_rx(s)->key_update_pending)
		return sleeps(s, e, M_SLEEP_SK_WAIT);
	return e;
}

/* The key update is met and another call made before anything is quiet. */
START_TEST(b3__rekey)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer K = keyupdate 5\n"
		      "+0 wire K\n"
		      "+0 r1 recvmmsg 2 10\n",
		      sleep_beside_rekey, INV_B3, "rekey");
}
END_TEST

START_TEST(b3__locks)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 r1 recvmsg 10\n",
		      sleep_for_role, INV_B3, "reader-role");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 r1 recvmsg 10\n",
		      sleep_for_lock, INV_B3, "socket-lock");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 pipe p 4096\n"
		      "+0 r1 pread p 10\n",
		      sleep_for_mutex, INV_B3, "pipe-mutex");
}
END_TEST

START_TEST(b3__pipes)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 pipe p 4096\n"
		      "+0 r1 pread p 10\n",
		      sleep_for_space, INV_B3, "pipe-space");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 pipe p 4096\n"
		      "+0 r1 pwrite p 10\n",
		      sleep_for_data, INV_B3, "pipe-data");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 pipe p 4096\n"
		      "+0 r2 pclose p wr\n"
		      "+0 r1 pread p 10\n",
		      sleep_for_data, INV_B3, "no-pipe-writer");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 pipe p 4096\n"
		      "+0 r2 pclose p rd\n"
		      "+0 r1 pwrite p 10\n",
		      sleep_for_space, INV_B3, "no-pipe-reader");
}
END_TEST

/* --- B4 ---------------------------------------------------------------- */

static struct sim_event *sleep_longer(struct sim *s, struct sim_event *e)
{
	(void)s;
	if (e->kind == EV_SLEEP)
		e->b = 20 * NSEC_PER_MSEC;
	return e;
}

static struct sim_event *wake_later(struct sim *s, struct sim_event *e)
{
	(void)s;
	if (e->kind == EV_SLEPT)
		e->t_ns += NSEC_PER_MSEC;
	return e;
}

static struct sim_event *signal_unseen(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_CALL && e->task == 1)
		s->tasks[0].signalled = true;
	return e;
}

START_TEST(b4__timeout)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm "
				   "rcvtimeo=10ms\n"
				   "+0 r1 recvmsg 10\n"
				   "+20ms r1 returns EAGAIN\n";

	expect_clean(text, INV_B4);
	expect_breach(text, sleep_longer, INV_B4, "timeout");
	expect_breach(text, wake_later, INV_B4, "overslept");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 r1 poll IN 10ms\n"
		      "+20ms r1 returns none\n",
		      sleep_longer, INV_B4, "timeout");
}
END_TEST

START_TEST(b4__signal)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 r1 recvmsg 10\n"
				   "+0 r2 fionread\n";

	expect_clean(text, INV_B4);
	expect_breach(text, signal_unseen, INV_B4, "signal");
}
END_TEST

/* --- B5, X1 ------------------------------------------------------------ */

static struct sim_event *spin(struct sim *s, struct sim_event *e)
{
	int i;

	if (e->kind != EV_READER_ON)
		return e;
	for (i = 0; i < 6000; i++)
		e = tamper_insert(s, e, EV_CONSUME_TCP, 1, 0, 0);
	return e;
}

static struct sim_event *sleep_in_softirq(struct sim *s, struct sim_event *e)
{
	if (!call_of_r1(s, e))
		return e;
	s->k.in_softirq++;
	e = sleeps(s, e, M_SLEEP_SK_WAIT);
	s->k.in_softirq--;
	return e;
}

START_TEST(b5__endless)
{
	expect_clean(RECORD "+0 r1 recvmsg 10\n", INV_B5);
	expect_breach(RECORD "+0 r1 recvmsg 10\n", spin, INV_B5, "endless");
}
END_TEST

START_TEST(x1__sleeps)
{
	expect_holds("set tls=1.3 cipher=aes-128-gcm\n"
		     "+0 r1 recvmsg 10\n",
		     INV_X1);
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 r1 recvmsg 10\n",
		      sleep_in_softirq, INV_X1, "sleeps");
}
END_TEST

/* --- B6 ---------------------------------------------------------------- */

static const char two_records[] = "set tls=1.3 cipher=aes-128-gcm\n"
				  "+0 pipe p 4096\n"
				  "+0 peer A*2 = data 10\n"
				  "+0 wire A\n"
				  "+0 r1 splice p 4096\n";

/* r2 has a signal when it gets the pipe. */
static const char signalled_splice[] = "set tls=1.3 cipher=aes-128-gcm\n"
				       "+0 pipe p 65536\n"
				       "+0 peer A*3 = data 10\n"
				       "+0 r1 splice p 10\n"
				       "+0 r2 splice p 4096\n"
				       "+0 signal r2\n"
				       "+0 wire A\n";

START_TEST(b6__no_room)
{
	expect_holds(two_records, INV_B6);
	expect_breach_in("rfc-splice-coalesce", two_records, NULL, INV_B6,
			 "no-room");
}
END_TEST

START_TEST(b6__signal)
{
	expect_holds(signalled_splice, INV_B6);
	expect_breach_in("rfc-splice-coalesce", signalled_splice, NULL, INV_B6,
			 "signal-ignored");
}
END_TEST

Suite *inv_b_test_suite(void)
{
	Suite *s = suite_create("inv_b");
	TCase *tc = tcase_create("inv_b");

	tcase_add_test(tc, b1__recvmsg);
	tcase_add_test(tc, b1__o_nonblock);
	tcase_add_test(tc, b1__poll_and_pipes);
	tcase_add_test(tc, b1__waitforone);
	tcase_add_test(tc, b2__tls);
	tcase_add_test(tc, b2__copy_mode);
	tcase_add_test(tc, b2__target_changing);
	tcase_add_test(tc, b2__plain);
	tcase_add_test(tc, b3__socket);
	tcase_add_test(tc, b3__closed);
	tcase_add_test(tc, b3__rekey);
	tcase_add_test(tc, b3__locks);
	tcase_add_test(tc, b3__pipes);
	tcase_add_test(tc, b4__timeout);
	tcase_add_test(tc, b4__signal);
	tcase_add_test(tc, b5__endless);
	tcase_add_test(tc, x1__sleeps);
	tcase_add_test(tc, b6__no_room);
	tcase_add_test(tc, b6__signal);
	suite_add_tcase(s, tc);
	return s;
}
