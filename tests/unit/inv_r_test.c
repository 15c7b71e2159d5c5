// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * R1 to R3: locks, memory and record numbers.
 */
#include "tests/unit/broken.h"

#define RECORD                             \
	"set tls=1.3 cipher=aes-128-gcm\n" \
	"+0 peer A = data 10\n"            \
	"+0 wire A\n"                      \
	"+0 r1 recvmsg 10\n"

#define NOTHING_TO_READ                    \
	"set tls=1.3 cipher=aes-128-gcm\n" \
	"+0 r1 recvmsg 10\n"

static bool in_r1(const struct sim *s, const struct sim_event *e,
		  enum m_event_kind kind)
{
	return e->kind == kind && e->task == 0 && s->task_n;
}

/* --- R1 ---------------------------------------------------------------- */

static struct sim_event *role_twice(struct sim *s, struct sim_event *e)
{
	if (in_r1(s, e, EV_DECRYPT))
		return tamper_insert(s, e, EV_READER_ON, 1, 0, 0);
	return e;
}

static struct sim_event *role_of_nobody(struct sim *s, struct sim_event *e)
{
	if (in_r1(s, e, EV_READER_ON))
		return tamper_insert(s, e, EV_READER_OFF, 1, 0, 0);
	return e;
}

static struct sim_event *sleep_with_lock(struct sim *s, struct sim_event *e)
{
	if (in_r1(s, e, EV_READER_ON))
		return tamper_insert(s, e, EV_SLEEP, M_SLEEP_SK_WAIT, -1, 0);
	return e;
}

static struct sim_event *wait_for_own_role(struct sim *s, struct sim_event *e)
{
	struct sock *sk = s->conn.sk;

	if (!in_r1(s, e, EV_DECRYPT))
		return e;
	sk->owned = false;
	e = tamper_insert(s, e, EV_SLEEP, M_SLEEP_READER, -1, 0);
	sk->owned = true;
	return e;
}

static struct sim_event *sleep_with_pipe(struct sim *s, struct sim_event *e)
{
	if (in_r1(s, e, EV_PIPE_DEL))
		return tamper_insert(s, e, EV_SLEEP, M_SLEEP_PIPE_DATA, -1, 0);
	return e;
}

static struct sim_event *keep_lock(struct sim *s, struct sim_event *e)
{
	if (in_r1(s, e, EV_RETURN)) {
		s->conn.sk->owned = true;
		s->conn.sk->owner = &s->tasks[0].t;
	} else if (e->kind == EV_CALL && s->verdict.kind != VERDICT_OK) {
		s->conn.sk->owned = false;
	}
	return e;
}

static struct sim_event *keep_role(struct sim *s, struct sim_event *e)
{
	if (in_r1(s, e, EV_RETURN))
		return tamper_insert(s, e, EV_READER_ON, 1, 0, 0);
	return e;
}

static struct sim_event *keep_pipe(struct sim *s, struct sim_event *e)
{
	if (in_r1(s, e, EV_RETURN))
		s->pipes[0]->mutex_owner = &s->tasks[0].t;
	else if (s->verdict.kind != VERDICT_OK)
		s->pipes[0]->mutex_owner = NULL;
	return e;
}

static struct sim_event *worker_keeps_lock(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_UNLOCK && e->task == s->kworker->t.id)
		s->conn.sk->owned = true;
	else if (e->kind == EV_CALL && s->verdict.kind != VERDICT_OK)
		s->conn.sk->owned = false;
	return e;
}

START_TEST(r1__balance)
{
	expect_clean(RECORD, INV_R1);
	expect_breach(RECORD, role_twice, INV_R1, "taken-twice");
	expect_breach(RECORD, role_of_nobody, INV_R1, "not-the-holder");
}
END_TEST

START_TEST(r1__sleeps)
{
	expect_clean(NOTHING_TO_READ, INV_R1);
	expect_breach(NOTHING_TO_READ, sleep_with_lock, INV_R1,
		      "sleeps-with-socket");
	expect_breach(RECORD, wait_for_own_role, INV_R1, "sleeps-with-role");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 pipe p 4096\n"
		      "+0 r1 pwrite p 10\n"
		      "+0 r1 pread p 10\n",
		      sleep_with_pipe, INV_R1, "sleeps-with-pipe");
	/* the kernel does hold the pipe over this sleep */
	expect_clean("set tls=1.3 cipher=aes-128-gcm\n"
		     "+0 pipe p 4096\n"
		     "+0 r1 splice p 10\n",
		     INV_R1);
}
END_TEST

START_TEST(r1__returns)
{
	expect_breach(RECORD, keep_lock, INV_R1, "returns-with-socket");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 r1 fionread\n",
		      keep_role, INV_R1, "returns-with-role");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 pipe p 4096\n"
		      "+0 r1 pwrite p 10\n",
		      keep_pipe, INV_R1, "returns-with-pipe");
}
END_TEST

/* The record arrives while r1 owns the socket, so the worker parses it. */
START_TEST(r1__at_rest)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer A = data 10\n"
		      "+0 r1 recvmsg 10 dontwait\n"
		      "at reader:release#1 run wire\n"
		      "+0 wire A\n",
		      worker_keeps_lock, INV_R1, "owned-at-rest");
}
END_TEST

/* --- R2 ---------------------------------------------------------------- */

static struct sim_event *charge(struct sim *s, struct sim_event *e)
{
	if (in_r1(s, e, EV_RETURN))
		s->conn.sk->sk_rmem_alloc += 100;
	else if (e->kind == EV_CALL && s->verdict.kind != VERDICT_OK)
		s->conn.sk->sk_rmem_alloc -= 100;
	return e;
}

static struct sim_event *leak(struct sim *s, struct sim_event *e)
{
	if (in_r1(s, e, EV_CALL))
		ck_assert_ptr_nonnull(arena_alloc(s->arena, 64));
	return e;
}

START_TEST(r2__memory)
{
	expect_clean(RECORD, INV_R2);
	expect_breach(RECORD, charge, INV_R2, "rmem");
	expect_breach(RECORD, leak, INV_R2, "leak");
}
END_TEST

/* --- R3 ---------------------------------------------------------------- */

static struct sim_event *other_record(struct sim *s, struct sim_event *e)
{
	(void)s;
	if (e->kind == EV_DECRYPTED_TYPE)
		e->a += 5;
	return e;
}

static struct sim_event *other_number(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_DECRYPTED_TYPE)
		tls_get_ctx(s->conn.sk)->rx.rec_seq[7]++;
	return e;
}

START_TEST(r3__numbers)
{
	expect_holds("set tls=1.3 cipher=aes-128-gcm seq=1000\n"
		     "+0 peer A*5 = data 10\n"
		     "+0 wire A\n"
		     "+0 r1 recvmsg 15 peek\n"
		     "+0 r1 recvmsg 50\n"
		     "+0 peer key 3 seq=7\n"
		     "+0 peer B = data 10\n"
		     "+0 r1 setsockopt tls_rx key=3 seq=7\n"
		     "+0 wire B\n"
		     "+0 r1 recvmsg 50\n",
		     INV_R3);
	expect_clean(RECORD, INV_R3);
	expect_breach(RECORD, other_record, INV_R3, "order");
	expect_breach(RECORD, other_number, INV_R3, "number");
}
END_TEST

Suite *inv_r_test_suite(void)
{
	Suite *s = suite_create("inv_r");
	TCase *tc = tcase_create("inv_r");

	tcase_add_test(tc, r1__balance);
	tcase_add_test(tc, r1__sleeps);
	tcase_add_test(tc, r1__returns);
	tcase_add_test(tc, r1__at_rest);
	tcase_add_test(tc, r2__memory);
	tcase_add_test(tc, r3__numbers);
	suite_add_tcase(s, tc);
	return s;
}
