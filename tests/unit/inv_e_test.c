// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * E1 to E4, C1 and C2: errors, and records that are no data.
 */
#include "tests/unit/broken.h"

#define RESET_BEHIND_RECORD                \
	"set tls=1.3 cipher=aes-128-gcm\n" \
	"+0 peer A = data 10\n"            \
	"+0 wire A\n"                      \
	"+0 wire rst\n"                    \
	"+0 r1 recvmsg 10\n"               \
	"+0 r1 recvmsg 10\n"               \
	"+0 r1 recvmsg 10\n"

#define BAD_RECORD                         \
	"set tls=1.3 cipher=aes-128-gcm\n" \
	"+0 peer A = data 10 badtag\n"     \
	"+0 wire A\n"                      \
	"+0 r1 recvmsg 10 dontwait\n"      \
	"+0 r1 recvmsg 10 dontwait\n"

/* --- E1 ---------------------------------------------------------------- */

static struct sim_event *record_is_there(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_SK_ERR_TAKEN)
		tamper_rx(s)->strp.msg_ready = true;
	else if (s->verdict.kind != VERDICT_OK && tamper_rx(s))
		tamper_rx(s)->strp.msg_ready = false;
	return e;
}

static struct sim_event *forget_error(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_RETURN && e->b == -ECONNRESET)
		tamper_task(s, e)->res.ret = -EAGAIN;
	return e;
}

static struct sim_event *error_with_bytes(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_READER_OFF)
		return tamper_insert(s, e, EV_SK_ERR_TAKEN, 1, -EPIPE, 0);
	return e;
}

static struct sim_event *empty_option(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_RETURN && e->a == CALL_GETSOCKOPT)
		tamper_task(s, e)->res.opt[0] = 0;
	return e;
}

START_TEST(e1__once)
{
	expect_clean(RESET_BEHIND_RECORD, INV_E1);
	expect_breach(RESET_BEHIND_RECORD, forget_error, INV_E1, "lost");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer A = data 10\n"
		      "+0 wire A\n"
		      "+0 r1 recvmsg 10\n",
		      error_with_bytes, INV_E1, "lost-with-bytes");
}
END_TEST

START_TEST(e1__so_error)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 wire rst\n"
				   "+0 r1 getsockopt so_error\n";

	expect_clean(text, INV_E1);
	expect_breach(text, empty_option, INV_E1, "lost");
}
END_TEST

START_TEST(e1__before_bytes)
{
	expect_breach(RESET_BEHIND_RECORD, record_is_there, INV_E1,
		      "before-record");
}
END_TEST

/* --- E2 ---------------------------------------------------------------- */

static struct sim_event *no_memory(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_RETURN && tamper_task(s, e) && e->b == -EAGAIN)
		tamper_task(s, e)->res.ret = -ENOMEM;
	return e;
}

static struct sim_event *odd_errno(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_RETURN && tamper_task(s, e))
		tamper_task(s, e)->res.ret = -EXDEV;
	return e;
}

static struct sim_event *refuse_good(struct sim *s, struct sim_event *e)
{
	(void)s;
	if (e->kind == EV_DECRYPT)
		e->c = -EBADMSG;
	return e;
}

static struct sim_event *header_errno(struct sim *s, struct sim_event *e)
{
	(void)s;
	if (e->kind == EV_PARSE_ERR)
		e->b = -EMSGSIZE;
	return e;
}

static struct sim_event *refuse_header(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_READER_ON)
		return tamper_insert(s, e, EV_PARSE_ERR, 1, -EINVAL, 0);
	return e;
}

START_TEST(e2__no_cause)
{
	static const char nothing[] = "set tls=1.3 cipher=aes-128-gcm\n"
				      "+0 r1 recvmsg 10 dontwait\n";

	expect_clean(nothing, INV_E2);
	expect_breach(nothing, no_memory, INV_E2, "no-cause");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 r1 fionread\n",
		      odd_errno, INV_E2, "no-cause");
}
END_TEST

/* Every errno with what it stands for. */
START_TEST(e2__causes)
{
	expect_holds("set tls=1.3 cipher=aes-128-gcm rcvtimeo=5ms\n"
		     "+0 pipe p 4096\n"
		     "+0 r1 recvmsg 10\n"
		     "+1ms r2 recvmsg 10 dontwait\n"
		     "+1ms signal r1\n"
		     "+0 r1 recvmsg 10\n"
		     "+9ms peer A = alert 2\n"
		     "+0 wire A\n"
		     "+0 r1 recv 10\n"
		     "+0 r1 splice p 10\n"
		     "+0 r1 read_sock 10\n"
		     "+0 r1 recvmsg b10\n"
		     "+0 r1 recvmsg 10\n"
		     "+0 peer K = keyupdate 5\n"
		     "+0 wire K\n"
		     "+0 r1 recvmsg 10\n"
		     "+0 r1 recvmsg 10\n"
		     "+0 r2 pclose p rd\n"
		     "+0 r1 splice p 10\n"
		     "+0 wire rst\n"
		     "+0 r1 recvmsg 10\n",
		     INV_E2);
}
END_TEST

START_TEST(e2__good_record)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer A = data 10\n"
		      "+0 wire A\n"
		      "+0 r1 recvmsg 10\n",
		      refuse_good, INV_E2, "good-record-refused");
	/* changed on the way: then it may be refused */
	expect_holds("set tls=1.3 cipher=aes-128-gcm\n"
		     "+0 peer A = data 10\n"
		     "+0 wire A xor=01@9\n"
		     "+0 r1 recvmsg 10\n",
		     INV_E2);
}
END_TEST

START_TEST(e2__headers)
{
	static const char version[] = "set tls=1.3 cipher=aes-128-gcm\n"
				      "+0 peer A = data 10 ver=0301\n"
				      "+0 wire A\n"
				      "+0 r1 recvmsg 10\n";

	expect_clean(version, INV_E2);
	expect_breach(version, header_errno, INV_E2, "header-errno");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer A = data 10\n"
		      "+0 wire A\n"
		      "+0 r1 recvmsg 10\n",
		      refuse_header, INV_E2, "good-header-refused");
}
END_TEST

/* --- E3 ---------------------------------------------------------------- */

static struct sim_event *say_again(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_RETURN && tamper_task(s, e) &&
	    ledger_call(s, e->task)->msg.failed)
		tamper_task(s, e)->res.ret = -EAGAIN;
	return e;
}

START_TEST(e3__bad_record)
{
	expect_clean(BAD_RECORD, INV_E3);
	expect_breach(BAD_RECORD, say_again, INV_E3, "bad-record-forgotten");
}
END_TEST

START_TEST(e3__framing)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer A = data 10 ver=0301\n"
		      "+0 wire A\n"
		      "+0 r1 recvmsg 10 dontwait\n"
		      "+0 r1 recvmsg 10 dontwait\n",
		      NULL, INV_E3, "framing-error-forgotten");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer A = data 10 ver=0301\n"
		      "+0 wire A\n"
		      "+0 r1 recvmsg 10\n"
		      "+0 r1 recvmsg 10\n",
		      NULL, INV_E3, "framing-error-forgotten");
}
END_TEST

/* recvmmsg left ERESTARTSYS there, and so another call is restarted. */
START_TEST(e1__restarted)
{
	expect_holds("set tls=1.3 cipher=aes-128-gcm ulp=off rx=off\n"
		     "+0 peer A = data 0\n"
		     "+0 wire A\n"
		     "+0 r1 recvmmsg 2 100 = blocks\n"
		     "+0 signal r1\n"
		     "r1 returns 1\n"
		     "+0 r2 recvmsg 100 = ERESTARTSYS\n",
		     INV_E1);
	expect_holds("set tls=1.3 cipher=aes-128-gcm ulp=off rx=off\n"
		     "+0 peer A = data 0\n"
		     "+0 wire A\n"
		     "+0 r1 recvmmsg 2 100 = blocks\n"
		     "+0 r2 recvmsg 100 = blocks\n"
		     "+0 signal r1\n"
		     "r1 returns 1\n"
		     "+0 signal r2 restart\n"
		     "+0 wire fin\n"
		     "r2 returns 0\n",
		     INV_E1);
}
END_TEST

/* A record that is still bad may be told of again, one that was read may not. */
START_TEST(e1__stale_bad_record)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 peer key 1\n"
				   "+0 peer A = data 10\n"
				   "+0 wire A\n"
				   "+0 r1 recvmsg 10 = EBADMSG\n"
				   "+0 r1 recvmsg 10 = EBADMSG\n"
				   "+0 r1 setsockopt tls_rx key=1 = 0\n";
	char more[400];

	expect_holds(text, INV_E3);
	snprintf(more, sizeof(more), "%s+0 r1 recvmsg 11 dontwait = 10\n",
		 text);
	expect_holds(more, INV_E3);
	snprintf(more, sizeof(more), "%s+0 r1 recvmsg 10\n+0 r1 recv 10\n",
		 text);
	expect_breach(more, NULL, INV_E1, "stale-bad-record");
}
END_TEST

/* The role is free in the instant the wait for it ends; the time is up. */
START_TEST(e2__reader_timeout)
{
	expect_clean("set tls=1.3 cipher=aes-128-gcm rcvtimeo=10ms\n"
		     "+0 r1 recvmsg 10 = blocks\n"
		     "+0 r2 recvmsg 10 = blocks\n"
		     "+10ms r1 returns EAGAIN\n"
		     "r2 returns EAGAIN\n",
		     INV_E2);
}
END_TEST

/* --- E4 ---------------------------------------------------------------- */

START_TEST(e4__local_faults)
{
	/* parked on rx_list, the fault is harmless */
	expect_clean("set tls=1.3 cipher=aes-128-gcm\n"
		     "+0 peer A = data 10\n"
		     "+0 wire A\n"
		     "+0 r1 recvmsg b10\n"
		     "+0 r1 recvmsg 10\n",
		     INV_E2);
	expect_breach("set tls=1.2 cipher=aes-128-gcm\n"
		      "+0 peer A = data 10\n"
		      "+0 wire A\n"
		      "+0 r1 recvmsg b10\n",
		      NULL, INV_E4, "fault-aborts");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer A = data 10\n"
		      "+0 wire A\n"
		      "+0 fail alloc decrypt_req#1\n"
		      "+0 r1 recvmsg 10\n",
		      NULL, INV_E4, "fault-aborts");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer A = data 10\n"
		      "+0 peer B = alert 2\n"
		      "+0 wire A B\n"
		      "+0 r1 recvmmsg 2 10 ctl=0\n",
		      NULL, INV_E4, "recvmmsg-keeps-error");
}
END_TEST

START_TEST(e4__peer_faults)
{
	expect_holds(BAD_RECORD, INV_E4);
}
END_TEST

/* --- C1, C2 ------------------------------------------------------------ */

static struct sim_event *hand_out_control(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_READER_OFF)
		return tamper_insert(s, e, EV_PUT_USER, 0, 0, 2);
	return e;
}

static struct sim_event *call_it_data(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_READER_OFF)
		tamper_rx(s)->rx_list.first->cb.control = TLS_RECORD_TYPE_DATA;
	return e;
}

static struct sim_event *join_next(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_READER_OFF && s->ledger->rec == 1)
		return tamper_insert(s, e, EV_PUT_USER, 1, 0, 2);
	return e;
}

/* recv hands out the alert although it cannot say that it is one. */
static struct sim_event *hide_type(struct sim *s, struct sim_event *e)
{
	struct sim_task *t = tamper_task(s, e);

	if (e->kind == EV_READER_OFF)
		return tamper_insert(s, e, EV_PUT_USER, 0, 0, 2);
	if (e->kind == EV_RETURN && t) {
		memset(t->res.buf, 0xfb, 2);
		t->res.ret = 2;
	}
	return e;
}

START_TEST(c1__read_sock)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 peer A = alert 2\n"
				   "+0 wire A\n"
				   "+0 r1 read_sock 100\n"
				   "+0 r1 recvmsg 100\n";

	expect_clean(text, INV_C1);
	expect_breach(text, hand_out_control, INV_C1, "handed-out");
	expect_breach(text, call_it_data, INV_C1, "moved");
}
END_TEST

START_TEST(c2__alone)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 peer A*2 = alert 2\n"
				   "+0 wire A\n"
				   "+0 r1 recvmsg 100\n"
				   "+0 r1 recvmsg 100\n";

	expect_clean(text, INV_C2);
	expect_breach(text, join_next, INV_C2, "joined");
}
END_TEST

START_TEST(c2__typed)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 peer A = alert 2\n"
				   "+0 wire A\n"
				   "+0 r1 recv 100\n";

	expect_clean(text, INV_E2);
	expect_breach(text, hide_type, INV_C2, "untyped");
}
END_TEST

Suite *inv_e_test_suite(void)
{
	Suite *s = suite_create("inv_e");
	TCase *tc = tcase_create("inv_e");

	tcase_add_test(tc, e1__once);
	tcase_add_test(tc, e1__so_error);
	tcase_add_test(tc, e1__before_bytes);
	tcase_add_test(tc, e2__no_cause);
	tcase_add_test(tc, e2__causes);
	tcase_add_test(tc, e2__good_record);
	tcase_add_test(tc, e2__headers);
	tcase_add_test(tc, e1__restarted);
	tcase_add_test(tc, e1__stale_bad_record);
	tcase_add_test(tc, e2__reader_timeout);
	tcase_add_test(tc, e3__bad_record);
	tcase_add_test(tc, e3__framing);
	tcase_add_test(tc, e4__local_faults);
	tcase_add_test(tc, e4__peer_faults);
	tcase_add_test(tc, c1__read_sock);
	tcase_add_test(tc, c2__alone);
	tcase_add_test(tc, c2__typed);
	suite_add_tcase(s, tc);
	return s;
}
