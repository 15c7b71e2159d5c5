// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/judge/judge_job.c and sim/judge/judge_case.c.
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

START_TEST(judge_job_write__head)
{
	const struct job_trace *job;

	trial_run(&r, "set rcvbuf=8000 mss=500 nonblock=on\n"
		      "+0     peer  A = data 100\n"
		      "+0     r1    recvmsg 50\n"
		      "+0     r2    recvmsg 70\n"
		      "+0     wire  A\n");
	job = trial_job(&r);
	ck_assert_uint_eq(job->magic, JOB_MAGIC);
	ck_assert_uint_eq(job->id, 7);
	ck_assert_uint_eq(job->flags,
			  JOB_ULP | JOB_NONBLOCK | JOB_TUN | JOB_ALL_DATA);
	ck_assert_uint_eq(job->rcvbuf, 8000);
	ck_assert_uint_eq(job->mss, 500);
	ck_assert_uint_eq(job->task_n, 2);
	ck_assert_uint_eq(job->stream_len, 5 + 100 + 1 + 16);
	ck_assert_mem_eq((const u8 *)job + job->stream, "\x17\x03\x03\0\x75",
			 5);
}
END_TEST

START_TEST(judge_job_write__setup_then_statements)
{
	static const u8 kinds[] = { OP_SETUP, OP_SETUP,	 OP_PIPE,  OP_SEND,
				    OP_CALL,  OP_SIGNAL, OP_STATS, OP_FIN };
	u32 i;

	trial_run(&r, "+0     pipe  p 4096 nb\n"
		      "+0     peer  A = data 100\n"
		      "+0     wire  A cut=30\n"
		      "+0     r1    recvmsg 50\n"
		      "+0     signal r1 restart\n"
		      "+0     expect TlsRxSw=1\n"
		      "+0     wire  fin\n");
	ck_assert_uint_eq(trial_job(&r)->op_n, ARRAY_SIZE(kinds));
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		ck_assert_uint_eq(trial_op(&r, i)->kind, kinds[i]);
	ck_assert_uint_eq(trial_op(&r, 0)->stmt, JOB_NO_STMT);
	ck_assert_int_eq(trial_op(&r, 0)->opt, TCP_ULP_M);
	ck_assert_int_eq(trial_op(&r, 1)->opt, TLS_RX);
	ck_assert_int_eq(trial_op(&r, 2)->len, 4096);
	ck_assert_int_eq(trial_op(&r, 2)->val, 1);
	ck_assert_uint_eq(trial_op(&r, 3)->cut, 30);
	ck_assert_int_eq(trial_op(&r, 3)->len, 122);
	ck_assert_uint_eq(trial_op(&r, 4)->stmt, 3);
	ck_assert_int_eq(trial_op(&r, 5)->val, 1);
	ck_assert_uint_eq(trial_op(&r, 7)->off, 122);
}
END_TEST

START_TEST(judge_job_write__raw_segments)
{
	const struct job_op *op;

	trial_run(&r, "+0     peer  A = data 100\n"
		      "+0     wire  A[50,end) urg skb=slab\n"
		      "+0     wire  A[0,60) xor=80@7 skb=head\n"
		      "+0     wire  rst after A[0,60)\n");
	op = trial_op_of(&r, OP_SEGMENT);
	ck_assert_uint_eq(op[0].off, 50);
	ck_assert_int_eq(op[0].len, 72);
	ck_assert_uint_eq(op[0].urg, 1);
	ck_assert_uint_eq(op[0].edge, 2);
	ck_assert_uint_eq(op[1].flip, 0x80);
	ck_assert_uint_eq(op[1].flip_at, 7);
	ck_assert_uint_eq(op[1].edge, 1);
	ck_assert_uint_eq(op[2].kind, OP_RST);
	ck_assert_uint_eq(op[2].off, 60);
}
END_TEST

/* What is behind the operations at offset @at. */
static const void *blob(u32 at)
{
	return (const u8 *)trial_job(&r) + at;
}

static const struct job_op *call_op(const char *text)
{
	trial_run(&r, text);
	return trial_op_of(&r, OP_CALL);
}

START_TEST(judge_job_write__buffers)
{
	const u32 lengths[] = { 10, 20 | JOB_IOV_BAD };
	const struct job_op *op = call_op("+0     r1    recvmsg 10+b20 peek "
					  "dontwait ctl=30\n");

	ck_assert_uint_eq(op->call, JC_RECVMSG);
	ck_assert_uint_eq(op->flags, M_MSG_PEEK | M_MSG_DONTWAIT);
	ck_assert_uint_eq(op->ctl, 30);
	ck_assert_uint_eq(op->data_n, 2);
	ck_assert_mem_eq(blob(op->data), lengths, sizeof(lengths));
	op = call_op("+0     pipe  p 4096\n+0     r1    pread p 99\n");
	ck_assert_uint_eq(op->call, JC_PREAD);
	ck_assert_uint_eq(*(const u32 *)blob(op->data), 99);
	op = call_op("+0     pipe  p 4096\n+0     r1    splice p 77 nb\n");
	ck_assert_uint_eq(op->call, JC_SPLICE);
	ck_assert_int_eq(op->len, 77);
	op = call_op("+0     pipe  p 4096\n+0     r1    pclose p wr\n");
	ck_assert_uint_eq(op->edge, 1);
}
END_TEST

START_TEST(judge_job_write__options)
{
	const struct job_op *op;

	op = call_op("+0     r1    setsockopt rcvlowat 77 len=3\n");
	ck_assert_uint_eq(op->call, JC_SETSOCKOPT);
	ck_assert_int_eq(op->opt, SO_RCVLOWAT_M);
	ck_assert_int_eq(op->len, 3);
	ck_assert_uint_eq(*(const u32 *)blob(op->data), 77);
	op = call_op("+0     r1    getsockopt rcvlowat null\n");
	ck_assert_uint_eq(op->call, JC_GETSOCKOPT);
	ck_assert_int_eq(op->len, 4);
	ck_assert_uint_eq(op->edge, 1);
	ck_assert_uint_eq(op->data_n, 0);
}
END_TEST

START_TEST(judge_job_write__polls)
{
	const struct job_op *op = call_op("+0     r1    poll IN forever\n");

	ck_assert_uint_eq(op->call, JC_POLL);
	ck_assert_uint_eq(op->flags, M_POLLIN);
	ck_assert_int_eq(op->timeout_ns, -1);
	ck_assert_uint_eq(call_op("+0     r1    poll\n")->flags,
			  M_POLLIN | M_POLLPRI | M_POLLOUT | M_POLLRDHUP);
	op = call_op("+0     r1    epoll et\n");
	ck_assert_uint_eq(op->flags, M_POLLIN | M_POLLPRI | M_POLLRDHUP);
	ck_assert_uint_eq(op->edge, 1);
	ck_assert_uint_eq(call_op("+0     r1    epoll lt IN|OUT\n")->flags,
			  M_POLLIN | M_POLLOUT);
}
END_TEST

START_TEST(judge_setup_calls__in_the_worlds_order)
{
	struct trace_opts o = { .rcvlowat = 5,
				.rcvtimeo_ns = 7,
				.ulp = true,
				.rx = true,
				.nopad = true,
				.seq = 9 };
	struct trace_call calls[8];

	ck_assert_uint_eq(judge_setup_calls(&o, calls), 5);
	ck_assert_int_eq(calls[0].opt, SO_RCVLOWAT_M);
	ck_assert_int_eq(calls[1].opt, SO_RCVTIMEO_M);
	ck_assert_int_eq(calls[2].opt, TCP_ULP_M);
	ck_assert_int_eq(calls[3].opt, TLS_RX);
	ck_assert_uint_eq(calls[3].key_seq, 9);
	ck_assert_int_eq(calls[4].opt, TLS_RX_EXPECT_NO_PAD);
	o.ulp = false;
	ck_assert_uint_eq(judge_setup_calls(&o, calls), 2);
}
END_TEST

START_TEST(judge_case_run__expectations_are_left_out)
{
	trial_run(&r, "+0     peer  A = data 100\n"
		      "+0     wire  A\n"
		      "+0     r1    recvmsg 50 = 51\n"
		      "+0     expect calls=77\n"
		      "+0     r1    recvmsg 20 = 51\n"
		      "       end consumed\n");
	ck_assert_uint_eq(r.c.verdict, VERDICT_OK);
	ck_assert_int_eq(r.c.model.call[4].ans.ret, 20);
	ck_assert_uint_eq(r.c.stmt_n, 5);
}
END_TEST

START_TEST(judge_case_run__stops_where_the_trace_is_impossible)
{
	trial_run(&r, "+0     peer  A = data 100\n"
		      "+0     wire  A\n"
		      "+0     wire  fin\n"
		      "+0     send  A\n");
	ck_assert_uint_eq(r.c.verdict, VERDICT_INPUT);
	ck_assert_ptr_eq(strstr(r.c.no, "the model: "), r.c.no);
	ck_assert_str_ne(r.c.verdict_text, "");
}
END_TEST

Suite *judge_job_test_suite(void);
Suite *judge_job_test_suite(void)
{
	Suite *s = suite_create("judge_job");
	TCase *tc = tcase_create("judge_job");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, judge_job_write__head);
	tcase_add_test(tc, judge_job_write__setup_then_statements);
	tcase_add_test(tc, judge_job_write__raw_segments);
	tcase_add_test(tc, judge_job_write__buffers);
	tcase_add_test(tc, judge_job_write__options);
	tcase_add_test(tc, judge_job_write__polls);
	tcase_add_test(tc, judge_setup_calls__in_the_worlds_order);
	tcase_add_test(tc, judge_case_run__expectations_are_left_out);
	tcase_add_test(tc, judge_case_run__stops_where_the_trace_is_impossible);
	suite_add_tcase(s, tc);
	return s;
}
