// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * W1, W2, W3: wakeups, poll, announces and FIONREAD. Wakeups are lost by emptying the wait
 * queue before it is walked.
 */
#include "tests/unit/broken.h"

static struct sim_event *lose_wakeup(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_WAKE_SK)
		init_waitqueue_head(&s->conn.sk->sk_wq);
	return e;
}

static u32 poll_nothing(struct sock *sk)
{
	(void)sk;
	return 0;
}

static u32 poll_always(struct sock *sk)
{
	(void)sk;
	return M_POLLIN;
}

/* The socket's operations with another poll, for as long as r1 is in a call. */
static struct sim_event *poll_is(struct sim *s, struct sim_event *e,
				 u32 (*poll)(struct sock *sk))
{
	static struct proto_ops ops;

	if (e->kind != EV_CALL || e->task >= s->task_n)
		return e;
	ops = *s->conn.sk->ops;
	ops.poll = poll;
	s->conn.sk->ops = &ops;
	return e;
}

static struct sim_event *silent_poll(struct sim *s, struct sim_event *e)
{
	return poll_is(s, e, poll_nothing);
}

static struct sim_event *eager_poll(struct sim *s, struct sim_event *e)
{
	return poll_is(s, e, poll_always);
}

static struct sim_event *lose_edge(struct sim *s, struct sim_event *e)
{
	if (e->kind != EV_WAKE_SK)
		return e;
	tamper_rx(s)->strp.msg_announced = false;
	return lose_wakeup(s, e);
}

/* The role is dropped behind the sleeping reader's back. */
static struct sim_event *drop_role(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_CALL && e->task == 2)
		tamper_rx(s)->reader_present = false;
	if (s->verdict.kind != VERDICT_OK && tamper_rx(s))
		tamper_rx(s)->reader_present = true;
	return e;
}

static struct sim_event *lose_pipe_wakeup(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_PIPE_DEL)
		init_waitqueue_head(&s->pipes[0]->wr_wait);
	return e;
}

/* The parser does not look at what arrives. */
static struct sim_event *miss_arrival(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_QUEUED)
		tamper_rx(s)->strp.stopped = true;
	else if (e->kind == EV_ACK && tamper_rx(s))
		tamper_rx(s)->strp.stopped = false;
	return e;
}

/* r1 is said to sleep for the socket lock. */
static struct sim_event *sleep_for_lock(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_CALL && e->task == 1)
		s->ledger->calls[0].sleep_where = M_SLEEP_LOCK_SOCK;
	return e;
}

/* --- W1 ---------------------------------------------------------------- */

START_TEST(w1__reader)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 r1 recvmsg 10\n"
				   "+0 peer A = data 10\n"
				   "+0 wire A\n";

	expect_clean(text, INV_W1);
	expect_breach(text, lose_wakeup, INV_W1, "reader-asleep");
}
END_TEST

START_TEST(w1__poll)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer A = data 10\n"
		      "+0 wire A\n"
		      "+0 r1 recvmsg 4\n",
		      silent_poll, INV_W1, "poll-silent");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 r1 fionread\n",
		      eager_poll, INV_W1, "poll-spurious");
}
END_TEST

START_TEST(w1__poll_of_plain_tcp)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm rx=off\n"
				   "+0 peer A = data 10\n"
				   "+0 wire A\n"
				   "+0 r1 recvmsg 4\n";

	expect_clean(text, INV_W1);
	expect_breach(text, silent_poll, INV_W1, "poll-silent");
}
END_TEST

START_TEST(w1__pollers)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 r1 epoll lt forever\n"
		      "+0 peer A = data 10\n"
		      "+0 wire A\n",
		      lose_wakeup, INV_W1, "poller-asleep");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 r1 poll IN forever\n"
		      "+0 peer A = data 10\n"
		      "+0 wire A\n",
		      lose_wakeup, INV_W1, "poller-asleep");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 r1 epoll et forever\n"
		      "+0 peer A = data 10\n"
		      "+0 wire A\n",
		      lose_edge, INV_W1, "edge-lost");
}
END_TEST

/* A peek has put an empty record on rx_list, behind which an alert comes that
 * is below SO_RCVLOWAT. */
START_TEST(w1__poller_and_lowat)
{
	expect_holds("set tls=1.3 cipher=aes-128-gcm rcvlowat=300\n"
		     "+0 peer A = data 0\n"
		     "+0 wire A\n"
		     "+0 r1 epoll lt 50ms\n"
		     "+0 r2 recvmsg 4096 peek\n"
		     "+0 peer B = alert 2\n"
		     "+0 wire B\n",
		     INV_W1);
}
END_TEST

START_TEST(w1__two_pollers)
{
	expect_clean("set tls=1.3 cipher=aes-128-gcm\n"
		     "+0 r1 epoll lt forever\n"
		     "+0 r2 epoll lt forever\n"
		     "+0 r3 poll IN forever\n"
		     "+0 peer A = data 10\n"
		     "+0 wire A\n"
		     "r1 returns IN\n"
		     "r2 returns IN\n"
		     "r3 returns IN\n",
		     INV_W1);
}
END_TEST

START_TEST(w1__role)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 r1 recvmsg 10\n"
				   "+0 r2 recvmsg 10\n"
				   "+0 r3 fionread\n";

	expect_clean(text, INV_W1);
	expect_breach(text, drop_role, INV_W1, "role-free");
}
END_TEST

START_TEST(w1__lock)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 r1 recvmsg 10\n"
				   "+0 r2 fionread\n";

	expect_clean(text, INV_W1);
	expect_breach(text, sleep_for_lock, INV_W1, "lock-free");
}
END_TEST

START_TEST(w1__unparsed)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 peer A = data 10\n"
				   "+0 wire A\n";

	expect_clean(text, INV_W1);
	expect_breach(text, miss_arrival, INV_W1, "poll-unparsed");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 r1 recvmsg 10\n"
		      "+0 peer A = data 10\n"
		      "+0 wire A\n",
		      miss_arrival, INV_W1, "reader-unparsed");
}
END_TEST

/* SO_RCVLOWAT hides fewer bytes than that, and nothing else. */
START_TEST(w1__lowat)
{
	expect_clean("set tls=1.3 cipher=aes-128-gcm rcvlowat=1000\n"
		     "+0 r1 poll IN forever\n"
		     "+0 r2 recvmsg 4096\n"
		     "+0 peer A*2 = data 10\n"
		     "+0 wire A\n",
		     INV_W1);
	expect_clean("set tls=1.3 cipher=aes-128-gcm rcvlowat=1000 rx=off\n"
		     "+0 peer A = raw 68656c6c6f\n"
		     "+0 wire A\n"
		     "+0 r1 poll IN = none\n",
		     INV_W1);
	expect_breach("set tls=1.3 cipher=aes-128-gcm rcvlowat=1000\n"
		      "+0 r1 recvmsg 20\n"
		      "+0 peer A*2 = data 10\n"
		      "+0 wire A\n",
		      NULL, INV_W1, "lowat-unparsed");
	expect_breach("set tls=1.3 cipher=aes-128-gcm rcvlowat=1000\n"
		      "+0 peer A = data 10\n"
		      "+0 peer B = alert 2\n"
		      "+0 wire A B\n",
		      NULL, INV_W1, "lowat-unparsed");
	expect_breach("set tls=1.3 cipher=aes-128-gcm rcvlowat=1000\n"
		      "+0 peer A = data 10 ver=0301\n"
		      "+0 wire A\n",
		      NULL, INV_W1, "lowat-unparsed");
	/* bytes that the parser could not get at for another reason */
	expect_breach("set tls=1.3 cipher=aes-128-gcm rcvlowat=10\n"
		      "+0 peer A = data 10\n"
		      "+0 wire A\n",
		      miss_arrival, INV_W1, "poll-unparsed");
}
END_TEST

/* poll says an empty record is there; what is below SO_RCVLOWAT is not. */
START_TEST(w1__empty_record_listed)
{
	expect_holds(
		"set tls=1.2 cipher=aes-128-gcm rcvlowat=1000 rcvtimeo=1ms\n"
		"+0 peer A = data 0\n"
		"+0 r1 epoll lt forever\n"
		"+0 r2 recvmsg 4096 peek\n"
		"+0 wire A\n"
		"+1ms peer E = data 1\n"
		"+0 wire E\n",
		INV_W1);
}
END_TEST

/* Nobody is told of a rekey, though the bytes of half a record make poll say
 * something when asked. */
START_TEST(w1__rekey_half_closed)
{
	expect_breach("set tls=1.2 cipher=aes-128-gcm\n"
		      "at lock_sock#1 run r2\n"
		      "at rec_wait:check#1 run wire\n"
		      "+0 r1 shutdown wr\n"
		      "+0 r1 epoll lt forever\n"
		      "+0 peer A = keyupdate 1\n"
		      "+0 send A\n"
		      "+0 peer B = data 0\n"
		      "+0 send B[0,4)\n"
		      "+0 r2 recvmsg 4096\n",
		      NULL, INV_W1, "poll-hides-rekey");
	expect_holds("set tls=1.2 cipher=aes-128-gcm\n"
		     "at lock_sock#1 run r2\n"
		     "at rec_wait:check#1 run wire\n"
		     "+0 r1 shutdown wr\n"
		     "+0 r1 epoll lt forever\n"
		     "+0 peer A = keyupdate 1\n"
		     "+0 send A\n"
		     "+0 peer B = data 0\n"
		     "+0 send B[0,4)\n"
		     "+0 r2 recvmsg 4096\n",
		     INV_W1);
}
END_TEST

/* r2 changes what the epoll is asked for, so r1 sleeps on. */
START_TEST(w1__registration_changed)
{
	expect_clean("set tls=1.3 cipher=aes-128-gcm\n"
		     "+0 r1 epoll lt IN forever = blocks\n"
		     "+0 r2 epoll lt PRI = none\n"
		     "+0 peer A = data 10\n"
		     "+0 wire A\n"
		     "+0 r1 blocks\n",
		     INV_W1);
}
END_TEST

/* Who waits for edges is told once of what arrives, not of what another reader
 * leaves of it. */
START_TEST(w1__edges)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 r1 epoll et = none\n"
				   "+0 peer A = data 10\n"
				   "+0 wire A\n"
				   "+0 r1 epoll et = IN\n"
				   "+0 r2 recvmsg 4 = 4\n"
				   "+0 r1 epoll et forever = blocks\n";

	expect_clean(text, INV_W1);
	expect_breach("set tls=1.3 cipher=aes-128-gcm rcvlowat=1000\n"
		      "+0 r1 epoll et = none\n"
		      "+0 peer A = data 10\n"
		      "+0 wire A\n"
		      "+0 r2 recvmsg 4 dontwait\n"
		      "+0 r1 epoll et forever\n",
		      NULL, INV_W1, "poller-list");
	/* registered later, and told by that */
	expect_clean("set tls=1.3 cipher=aes-128-gcm rcvlowat=1000\n"
		     "+0 peer A = data 10\n"
		     "+0 wire A\n"
		     "+0 r2 recvmsg 4 dontwait\n"
		     "+0 r1 epoll et = IN\n"
		     "+0 r1 epoll et forever = blocks\n",
		     INV_W1);
}
END_TEST

START_TEST(w1__pipe)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 pipe p 4096\n"
				   "+0 r1 pwrite p 4096\n"
				   "+0 r2 splice p 10\n"
				   "+0 r3 pread p 4096\n";

	expect_clean(text, INV_W1);
	expect_breach(text, lose_pipe_wakeup, INV_W1, "pipe-sleeper");
}
END_TEST

/* A peek sleeps beside what it shows; an empty record wakes nobody up. */
START_TEST(w1__sleeps_for_more)
{
	expect_holds("set tls=1.3 cipher=aes-128-gcm\n"
		     "+0 peer A = data 10\n"
		     "+0 wire A\n"
		     "+0 r1 recvmsg 20 peek waitall\n"
		     "+0 r2 recvmsg 10\n",
		     INV_W1);
	expect_holds("set tls=1.3 cipher=aes-128-gcm\n"
		     "+0 r1 recvmsg 20\n"
		     "+0 peer A*3 = data 0\n"
		     "+0 wire A\n",
		     INV_W1);
}
END_TEST

/* --- W2 ---------------------------------------------------------------- */

static struct sim_event *announce_again(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_CALL && e->task == 0)
		return tamper_insert(s, e, EV_ANNOUNCE, 1, 0, 0);
	return e;
}

static struct sim_event *announce_taken(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_CONSUMED && e->a == 1)
		return tamper_insert(s, e, EV_ANNOUNCE, 1, 1, 0);
	return e;
}

START_TEST(w2__twice)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 peer A = data 10\n"
				   "+0 wire A\n"
				   "+0 r1 recvmsg 10\n";

	expect_clean(text, INV_W2);
	expect_breach(text, announce_again, INV_W2, "twice");
}
END_TEST

START_TEST(w2__of_nothing)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 r1 fionread\n",
		      announce_again, INV_W2, "of-nothing");
}
END_TEST

START_TEST(w2__self_consumed)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 peer A*2 = data 10\n"
				   "+0 wire A\n"
				   "+0 r1 recvmsg 20\n";

	expect_clean(text, INV_W2);
	expect_breach(text, announce_taken, INV_W2, "self-consumed");
}
END_TEST

/* The rest of a record may be told of again when it is put back. */
START_TEST(w2__rest_of_a_record)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm "
				   "profile=splice-coalesce-fixed\n"
				   "+0 pipe p 65536\n"
				   "+0 peer A = data 100\n"
				   "+0 wire A\n"
				   "+0 r1 splice p 10\n";

	expect_holds(text, INV_W2);
	expect_breach_in("splice-coalesce-fixed", text, announce_again, INV_W2,
			 "twice");
}
END_TEST

/* --- what a splice decrypted ahead: W1, W3 ------------------------------ */

#define THEN(record)                       \
	"set tls=1.3 cipher=aes-128-gcm\n" \
	"+0 pipe p 65536\n"                \
	"+0 peer A = data 100\n"           \
	"+0 peer B = " record "\n"         \
	"+0 peer C = data 100\n"

static void breaks_on_rfc(const char *text, enum inv_id id, const char *slug)
{
	expect_holds(text, id);
	expect_breach_in("rfc-splice-coalesce", text, NULL, id, slug);
}

START_TEST(w1__ahead)
{
	breaks_on_rfc(THEN("alert 2") "+0 wire A B C[0,3)\n"
				      "+0 r1 epoll et\n"
				      "+0 r1 splice p 4096\n"
				      "+0 r1 epoll et forever\n",
		      INV_W1, "poller-ahead");
	breaks_on_rfc(THEN("alert 2") "+0 r1 splice p 4096\n"
				      "+0 r2 poll IN forever\n"
				      "+0 wire A\n"
				      "+0 wire B C[0,3)\n"
				      "at sched#1 run r1\n"
				      "at flush_backlog#3 run wire\n"
				      "at rec_wait:parse#1 run r2\n",
		      INV_W1, "poller-ahead");
	breaks_on_rfc(THEN("keyupdate 5") "+0 wire A B C[0,3)\n"
					  "+0 r1 splice p 4096\n",
		      INV_W1, "poll-hides-ahead");
}
END_TEST

START_TEST(w3__fionread)
{
	breaks_on_rfc(THEN("alert 2") "+0 wire A B\n"
				      "+0 r1 splice p 4096\n",
		      INV_W3, "fionread-ahead");
	/* a short reader knows that there is more */
	expect_clean("set tls=1.3 cipher=aes-128-gcm\n"
		     "+0 peer A = data 100\n"
		     "+0 wire A\n"
		     "+0 r1 recvmsg 10\n",
		     INV_W3);
}
END_TEST

/* Only what was put on the list by the splice itself was not told of. */
START_TEST(w3__left_by_a_peek)
{
	static const char text[] = THEN("alert 2") "+0 wire A B\n"
						   "+0 r1 recvmsg 50 peek\n"
						   "+0 r1 splice p 4096\n";

	expect_breach_in("rfc-splice-coalesce", text, NULL, INV_W3,
			 "fionread-ahead");
	expect_holds(THEN("alert 2") "+0 wire A B\n"
				     "+0 r1 recvmsg 4096 peek\n"
				     "+0 r1 splice p 4096\n",
		     INV_W3);
}
END_TEST

Suite *inv_w_test_suite(void)
{
	Suite *s = suite_create("inv_w");
	TCase *tc = tcase_create("inv_w");

	tcase_add_test(tc, w1__reader);
	tcase_add_test(tc, w1__poll);
	tcase_add_test(tc, w1__poll_of_plain_tcp);
	tcase_add_test(tc, w1__pollers);
	tcase_add_test(tc, w1__poller_and_lowat);
	tcase_add_test(tc, w1__two_pollers);
	tcase_add_test(tc, w1__role);
	tcase_add_test(tc, w1__lock);
	tcase_add_test(tc, w1__unparsed);
	tcase_add_test(tc, w1__lowat);
	tcase_add_test(tc, w1__empty_record_listed);
	tcase_add_test(tc, w1__rekey_half_closed);
	tcase_add_test(tc, w1__registration_changed);
	tcase_add_test(tc, w1__edges);
	tcase_add_test(tc, w1__pipe);
	tcase_add_test(tc, w1__sleeps_for_more);
	tcase_add_test(tc, w2__twice);
	tcase_add_test(tc, w2__of_nothing);
	tcase_add_test(tc, w2__self_consumed);
	tcase_add_test(tc, w2__rest_of_a_record);
	tcase_add_test(tc, w1__ahead);
	tcase_add_test(tc, w3__fionread);
	tcase_add_test(tc, w3__left_by_a_peek);
	suite_add_tcase(s, tc);
	return s;
}
