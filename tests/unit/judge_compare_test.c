// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/judge/judge_compare.c.
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

/* One call of each form of result: statements 2 to 8. */
static const char all_forms[] = "+0     peer  A*4 = data 100\n"
				"+0     wire  A\n"
				"+0     r1    recvmsg 50 ctl=64\n"
				"+0     r1    recv 50 peek\n"
				"+0     r1    recvmmsg 2 50 ctl=64 dontwait\n"
				"+0     r1    poll IN\n"
				"+0     r1    getsockopt rcvlowat\n"
				"+0     expect TlsRxSw=1\n"
				"+0     r2    recvmsg 1000 waitall\n";

static struct judge_seen *answered(const char *text, u32 stmt)
{
	trial_run(&r, text);
	trial_answer(&r);
	ck_assert_uint_eq(trial_compare(&r), 0);
	ck_assert_uint_lt(stmt, r.c.stmt_n);
	return &r.c.kernel.call[stmt];
}

/* It is part of what was said about the difference. */
static void says(const char *want)
{
	text_putc(&r.differ, '\0');
	ck_assert_msg(strstr(r.differ.buf, want) != NULL,
		      "expected '%s' in: %s", want, r.differ.buf);
}

/* Exactly one thing differs, and it is said like this. */
static void one_difference(const char *want)
{
	ck_assert_uint_eq(trial_compare(&r), 1);
	says(want);
}

START_TEST(judge_answers_read__cut_off_or_of_another_trace)
{
	struct text out = { 0 };
	size_t n;

	trial_run(&r, all_forms);
	trial_answers(&r, &out);
	for (n = 0; n < out.len; n += 7)
		ck_assert_uint_eq(
			judge_answers_read(&r.c, (const u8 *)out.buf, n), 0);
	r.c.id++;
	ck_assert_uint_eq(
		judge_answers_read(&r.c, (const u8 *)out.buf, out.len), 0);
	text_free(&out);
}
END_TEST

START_TEST(judge_answers_read__trouble)
{
	struct job_answer ans[2] = { { .kind = ANS_TROUBLE, .size = 0 },
				     { .kind = ANS_END, .stmt = 7 } };
	struct text out = { 0 };

	trial_run(&r, "+0     r1    poll\n");
	ans[0].size = 5;
	text_add(&out, (const char *)&ans[0], sizeof(ans[0]));
	text_add(&out, "no op", 5);
	text_add(&out, (const char *)&ans[1], sizeof(ans[1]));
	ck_assert_uint_eq(judge_answers_read(&r.c, (const u8 *)out.buf,
					     out.len),
			  out.len);
	ck_assert_str_eq(r.c.kernel.trouble, "no op");
	text_free(&out);
}
END_TEST

START_TEST(judge_answers_read__unknown_statements_are_passed_over)
{
	struct job_answer ans[3] = { { .kind = ANS_CALL, .stmt = 500 },
				     { .kind = ANS_PART },
				     { .kind = ANS_END, .stmt = 7 } };

	trial_run(&r, "+0     r1    poll\n");
	ck_assert_uint_eq(judge_answers_read(&r.c, (const u8 *)ans,
					     sizeof(ans)),
			  sizeof(ans));
	one_difference("no answer");
}
END_TEST

START_TEST(judge_compare__same_answers_agree)
{
	answered(all_forms, 8);
	ck_assert_uint_eq(r.differ.len, 0);
	ck_assert_uint_eq(r.c.kernel.call[4].ans.part_n, 2);
	ck_assert_uint_eq(r.c.kernel.call[8].state, SEEN_ASLEEP);
}
END_TEST

START_TEST(judge_compare__return_value)
{
	answered(all_forms, 2)->ans.ret = -EBADMSG;
	one_difference("test:4: r1 recvmsg 50: differs in ret\n"
		       "    model:  50 type=23 flags=");
	says("\n    K: EBADMSG");
}
END_TEST

START_TEST(judge_compare__message)
{
	struct judge_seen *seen = answered(all_forms, 2);

	seen->ans.cmsg_type = 21;
	one_difference("differs in type\n");
	says("K: 50 type=21 ");
	seen = answered(all_forms, 2);
	seen->ans.cmsg_count = 2;
	seen->ans.cmsg_partial = 1;
	seen->ans.cmsg_other = 1;
	one_difference(" cmsgs=2 cmsg cut other cmsg flags=");
	seen = answered(all_forms, 2);
	seen->ans.msg_flags = M_MSG_TRUNC | M_MSG_CTRUNC | 1u << 28;
	one_difference("differs in flags\n");
	says("flags=CTRUNC|TRUNC|0x10000000 ");
	answered(all_forms, 2)->ans.controllen++;
	one_difference("differs in ctllen\n");
}
END_TEST

START_TEST(judge_compare__data)
{
	struct judge_seen *seen = answered(all_forms, 3);

	((u8 *)seen->data)[31] ^= 1;
	seen->ans.hash ^= 1;
	one_difference("differs in data(byte 31)\n");
	answered(all_forms, 3)->ans.hash ^= 1;
	one_difference("differs in data\n");
	answered(all_forms, 3)->ans.past = 12;
	one_difference("differs in past\n");
	says(" past=12\n");
}
END_TEST

START_TEST(judge_compare__messages_of_recvmmsg)
{
	answered(all_forms, 4)->part[1].ans.cmsg_type = 22;
	one_difference("differs in type\n");
	says(" { 50 type=22 flags=");
	answered(all_forms, 4)->ans.part_n = 1;
	one_difference("differs in messages\n");
}
END_TEST

START_TEST(judge_compare__poll_and_options)
{
	answered(all_forms, 5)->ans.mask = M_POLLHUP;
	one_difference("differs in events\n");
	says("K: HUP");
	answered(all_forms, 6)->ans.opt_len = 8;
	one_difference("differs in outlen\n");
	says(" outlen=8 data=01000000");
}
END_TEST

START_TEST(judge_compare__who_sleeps)
{
	static const char text[] = "+0     peer  A*2 = data 100\n"
				   "+0     r1    recvmsg 150 waitall\n"
				   "+0     r2    poll IN\n"
				   "+0     wire  A.0\n"
				   "+0     wire  A.1\n";
	struct judge_seen *seen = answered(text, 1);

	ck_assert_uint_eq(seen->state, SEEN_RETURNED);
	seen->ans.done = 3;
	one_difference("differs in when\n");
	says(", after it slept until: line 6: ");
	says(", after it slept until: line 5: ");
	answered(text, 1)->state = SEEN_ASLEEP;
	one_difference("K: sleeps to the end\n");
	answered(text, 1)->state = SEEN_BUSY;
	one_difference("K: not made, the task was in its last call\n");
}
END_TEST

START_TEST(judge_compare__both_sleep)
{
	ck_assert_uint_eq(answered("set finish=on\n"
				   "+0     r1    recvmsg 10\n"
				   "+0     r1    recvmsg 20\n",
				   0)
				  ->state,
			  SEEN_ASLEEP);
	ck_assert_uint_eq(r.c.kernel.call[1].state, SEEN_BUSY);
}
END_TEST

START_TEST(judge_compare__setup)
{
	answered("set rcvlowat=5\n+0     r1    poll\n", 0);
	ck_assert_uint_eq(r.c.kernel.setup_n, 3);
	r.c.kernel.setup[0].ans.ret = -EPERM;
	one_difference("test: in front of the trace, setsockopt rcvlowat 5: "
		       "model 0, K EPERM\n");
}
END_TEST

START_TEST(judge_compare__counters)
{
	answered(all_forms, 8);
	r.c.kernel.stats_at[7][MIB_TlsRxSw]++;
	one_difference("test: line 9: counter TlsRxSw: model 1, K 2\n");
	answered(all_forms, 8);
	r.c.kernel.stats[MIB_TlsDecryptError] = 3;
	one_difference("at the end: counter TlsDecryptError: model 0, K 3\n");
	answered(all_forms, 8);
	r.c.kernel.stats[MIB_TlsCurrRxSw] += 5;
	ck_assert_uint_eq(trial_compare(&r), 0);
}
END_TEST

Suite *judge_compare_test_suite(void);
Suite *judge_compare_test_suite(void)
{
	Suite *s = suite_create("judge_compare");
	TCase *tc = tcase_create("judge_compare");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, judge_answers_read__cut_off_or_of_another_trace);
	tcase_add_test(tc, judge_answers_read__trouble);
	tcase_add_test(tc,
		       judge_answers_read__unknown_statements_are_passed_over);
	tcase_add_test(tc, judge_compare__same_answers_agree);
	tcase_add_test(tc, judge_compare__return_value);
	tcase_add_test(tc, judge_compare__message);
	tcase_add_test(tc, judge_compare__data);
	tcase_add_test(tc, judge_compare__messages_of_recvmmsg);
	tcase_add_test(tc, judge_compare__poll_and_options);
	tcase_add_test(tc, judge_compare__who_sleeps);
	tcase_add_test(tc, judge_compare__both_sleep);
	tcase_add_test(tc, judge_compare__setup);
	tcase_add_test(tc, judge_compare__counters);
	suite_add_tcase(s, tc);
	return s;
}
