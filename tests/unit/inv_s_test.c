// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * S1 to S3: how many bytes a call may return.
 */
#include "sim/inv/local.h"
#include "tests/unit/broken.h"

static bool is_return(struct sim *s, const struct sim_event *e)
{
	return e->kind == EV_RETURN && tamper_task(s, e) &&
	       call_takes_data(tamper_task(s, e)->call->kind);
}

/* --- S1 ---------------------------------------------------------------- */

static struct sim_event *say_full(struct sim *s, struct sim_event *e)
{
	if (is_return(s, e))
		tamper_task(s, e)->res.reason = REASON_TLS_RECV_FULL;
	return e;
}

static struct sim_event *say_reset(struct sim *s, struct sim_event *e)
{
	if (is_return(s, e))
		tamper_task(s, e)->res.reason = REASON_TLS_RESET;
	return e;
}

static struct sim_event *say_option(struct sim *s, struct sim_event *e)
{
	if (is_return(s, e))
		tamper_task(s, e)->res.reason = REASON_OPT_DONE;
	return e;
}

/* The call asked for more than it went for. */
static struct sim_event *ask_more(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_READER_OFF)
		((struct trace_call *)s->tasks[e->task].call)->iov[0].len = 100;
	return e;
}

START_TEST(s1__every_reason_has_a_row)
{
	u32 i;

	for (i = 0; i < M_REASON_COUNT; i++)
		ck_assert_msg(short_rule_of(i) != RULE_MISSING,
			      "%s has no row in sim/inv/s1_short.c",
			      m_reason_name[i]);
}
END_TEST

START_TEST(s1__reason)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 peer A = data 10\n"
				   "+0 wire A\n"
				   "+0 r1 recvmsg 100\n";

	expect_clean(text, INV_S1);
	expect_breach(text, say_full, INV_S1, "reason");
	expect_breach(text, say_reset, INV_S1, "reason");
	expect_breach(text, say_option, INV_S1, "reason");
}
END_TEST

START_TEST(s1__splice_is_cut_to_the_pipe)
{
	expect_clean("set tls=1.3 cipher=aes-128-gcm\n"
		     "+0 pipe p 4096\n"
		     "+0 peer A = data 10000\n"
		     "+0 wire A\n"
		     "+0 r1 splice p 8192\n",
		     INV_S1);
}
END_TEST

START_TEST(s1__stopped_early)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer A = data 10\n"
		      "+0 peer B = data 20\n"
		      "+0 wire A B\n"
		      "+0 r1 recvmsg 10\n",
		      ask_more, INV_S1, "stopped-early");
}
END_TEST

START_TEST(s1__may_stop)
{
	/* in front of another type, a bad record, a key update */
	expect_holds("set tls=1.3 cipher=aes-128-gcm\n"
		     "+0 peer A = data 10\n"
		     "+0 peer B = alert 2\n"
		     "+0 peer C = data 10\n"
		     "+0 peer D = data 20 badtag\n"
		     "+0 wire A B C D\n"
		     "+0 r1 recvmsg 100\n"
		     "+0 r1 recvmsg 100\n"
		     "+0 r1 recvmsg 100\n"
		     "+0 r1 recvmsg 100\n",
		     INV_S1);
}
END_TEST

/* --- S2 ---------------------------------------------------------------- */

static struct sim_event *say_zero(struct sim *s, struct sim_event *e)
{
	if (is_return(s, e) && e->b == -EAGAIN)
		tamper_task(s, e)->res.ret = 0;
	return e;
}

static struct sim_event *leave_a_record(struct sim *s, struct sim_event *e)
{
	struct ledger_call *c = ledger_call(s, e->task);

	if (e->kind == EV_RETURN && is_return(s, e))
		c->msg.ready_left = true;
	return e;
}

START_TEST(s2__zero)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 r1 recvmsg 10 dontwait\n",
		      say_zero, INV_S2, "zero");
	expect_breach("set tls=1.3 cipher=aes-128-gcm rx=off\n"
		      "+0 r1 recvmsg 10 dontwait\n",
		      say_zero, INV_S2, "zero");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 pipe p 4096\n"
		      "+0 r1 splice p 10 nb\n",
		      say_zero, INV_S2, "zero");
}
END_TEST

START_TEST(s2__end_of_stream)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 peer A = data 10\n"
				   "+0 wire A\n"
				   "+0 wire fin\n"
				   "+0 r1 recvmsg 0\n"
				   "+0 r1 recvmsg 10\n"
				   "+0 r1 recvmsg 10\n";

	expect_clean(text, INV_S2);
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 wire fin\n"
		      "+0 r1 recvmsg 10\n",
		      leave_a_record, INV_S2, "zero");
}
END_TEST

/* What is known of 7.2 must not cover anything else. */
START_TEST(s2__empty_records)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer A = data 0\n"
		      "+0 peer B = alert 2\n"
		      "+0 wire A B\n"
		      "+0 r1 recvmsg 10\n",
		      NULL, INV_S2, "empty-then-control");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer A = alert 0\n"
		      "+0 wire A\n"
		      "+0 r1 recvmsg 10\n",
		      NULL, INV_S2, "empty-control");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer A = alert 2\n"
		      "+0 wire A\n"
		      "+0 r1 recvmsg 10\n"
		      "+0 r1 recvmsg 10 dontwait\n",
		      say_zero, INV_S2, "zero");
}
END_TEST

/* --- S3 ---------------------------------------------------------------- */

static struct sim_event *say_target(struct sim *s, struct sim_event *e)
{
	if (is_return(s, e))
		tamper_task(s, e)->res.reason = REASON_TLS_RECV_TARGET;
	return e;
}

/* The urgent byte is read before the splice has returned. */
START_TEST(s2__urgent_byte_gone)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm rx=off\n"
		      "at pipe:unlocked#2 run r2\n"
		      "+0 pipe p 65536\n"
		      "+0 peer A = raw 68656c6c6f\n"
		      "+0 wire A urg\n"
		      "+0 r1 splice p 4\n"
		      "+0 r1 splice p 100\n"
		      "+0 r2 recvmsg 100\n",
		      NULL, INV_S2, "tcp-splice-urgent");
}
END_TEST

START_TEST(s3__below_target)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 peer A = data 10\n"
				   "+0 wire A\n"
				   "+0 wire fin\n"
				   "+0 r1 recvmsg 100 waitall\n";

	expect_clean(text, INV_S3);
	expect_breach(text, say_target, INV_S3, "below-target");
}
END_TEST

START_TEST(s3__lowat)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 peer A*3 = data 10\n"
				   "+0 wire A\n"
				   "+0 r1 setsockopt rcvlowat 20\n"
				   "+0 r1 recvmsg 100\n";

	expect_clean(text, INV_S3);
	/* it says how long a call waits, and this one does not */
	expect_clean("set tls=1.3 cipher=aes-128-gcm\n"
		     "+0 peer A = data 10\n"
		     "+0 wire A\n"
		     "+0 r1 setsockopt rcvlowat 20\n"
		     "+0 r1 recvmsg 100 dontwait = 10\n",
		     INV_S3);
}
END_TEST

Suite *inv_s_test_suite(void)
{
	Suite *s = suite_create("inv_s");
	TCase *tc = tcase_create("inv_s");

	tcase_add_test(tc, s1__every_reason_has_a_row);
	tcase_add_test(tc, s1__reason);
	tcase_add_test(tc, s1__splice_is_cut_to_the_pipe);
	tcase_add_test(tc, s1__stopped_early);
	tcase_add_test(tc, s1__may_stop);
	tcase_add_test(tc, s2__zero);
	tcase_add_test(tc, s2__end_of_stream);
	tcase_add_test(tc, s2__empty_records);
	tcase_add_test(tc, s2__urgent_byte_gone);
	tcase_add_test(tc, s3__below_target);
	tcase_add_test(tc, s3__lowat);
	suite_add_tcase(s, tc);
	return s;
}
