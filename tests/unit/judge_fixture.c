// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trace on trial without a kernel.
 * How: what the model saw is written down in the form of answers; tests change
 * what was read back.
 * Left out: the agent (tests/judge), which needs a kernel.
 */
#include "tests/unit/judge_fixture.h"

void trial_init(struct trial_run *r)
{
	memset(r, 0, sizeof(*r));
	r->s = sim_new();
	judge_case_init(&r->c);
}

void trial_free(struct trial_run *r)
{
	text_free(&r->differ);
	judge_case_free(&r->c);
	sim_free(r->s);
}

void trial_run_on(struct trial_run *r, const char *text, const char *profile)
{
	struct sim_err err = { 0 };
	struct text all = { 0 };
	int ret;

	judge_case_reset(&r->c);
	r->c.id = 7;
	r->c.name = "test";
	text_printf(&all, "ktlsim-trace 1\n%s", text);
	ret = trace_parse(&r->c.tr, "test", all.buf, all.len, &err);
	if (ret)
		ck_abort_msg("%u:%u: %s", err.line, err.col, err.msg);
	text_free(&all);
	judge_case_run(&r->c, r->s, profile_find(profile), true);
}

void trial_run(struct trial_run *r, const char *text)
{
	trial_run_on(r, text, PROFILE_DEFAULT);
}

const struct job_trace *trial_job(const struct trial_run *r)
{
	const struct job_trace *job = (const void *)r->c.job.buf;

	ck_assert_msg(!r->c.no[0], "%s", r->c.no);
	ck_assert_uint_ge(r->c.job.len, sizeof(*job));
	ck_assert_uint_eq(job->size, r->c.job.len);
	return job;
}

const struct job_op *trial_op(const struct trial_run *r, u32 i)
{
	const struct job_trace *job = trial_job(r);

	ck_assert_uint_lt(i, job->op_n);
	return (const struct job_op *)(job + 1) + i;
}

const struct job_op *trial_op_of(const struct trial_run *r,
				 enum job_op_kind kind)
{
	u32 i;

	for (i = 0; trial_op(r, i)->kind != kind; i++)
		;
	return trial_op(r, i);
}

static void put(struct text *out, struct job_answer ans, const void *data,
		u32 n)
{
	ans.size = n;
	text_add(out, (const char *)&ans, sizeof(ans));
	text_add(out, data, n);
}

static void put_call(struct text *out, const struct judge_seen *seen, u32 stmt)
{
	struct job_answer ans = seen->ans;
	u32 i;

	ans.kind = ANS_CALL;
	ans.stmt = stmt;
	if (seen->state == SEEN_ASLEEP)
		ans = (struct job_answer){ .kind = ANS_ASLEEP, .stmt = stmt };
	if (seen->state == SEEN_BUSY)
		ans = (struct job_answer){ .kind = ANS_BUSY, .stmt = stmt };
	put(out, ans, seen->data, seen->data_n);
	for (i = 0; i < seen->ans.part_n; i++) {
		ans = seen->part[i].ans;
		ans.kind = ANS_PART;
		put(out, ans, seen->part[i].data, seen->part[i].data_n);
	}
}

static void put_stats(struct text *out, const s64 *stats, u32 stmt)
{
	struct job_answer ans = { .kind = ANS_STATS, .stmt = stmt };

	put(out, ans, stats, M_MIB_COUNT * sizeof(*stats));
}

void trial_answers(const struct trial_run *r, struct text *out)
{
	struct job_answer end = { .kind = ANS_END, .stmt = r->c.id };
	const struct judge_side *m = &r->c.model;
	u32 i;

	for (i = 0; i < m->setup_n; i++)
		put_call(out, &m->setup[i], JOB_NO_STMT);
	for (i = 0; i < r->c.stmt_n; i++) {
		if (m->call[i].state != SEEN_NOT)
			put_call(out, &m->call[i], i);
		if (m->stats_at[i])
			put_stats(out, m->stats_at[i], i);
	}
	put_stats(out, m->stats, JOB_NO_STMT);
	put(out, end, "", 0);
}

void trial_answer(struct trial_run *r)
{
	struct text out = { 0 };

	trial_answers(r, &out);
	ck_assert_uint_eq(judge_answers_read(&r->c, (const u8 *)out.buf,
					     out.len),
			  out.len);
	text_free(&out);
}

u32 trial_compare(struct trial_run *r)
{
	r->differ.len = 0;
	return judge_compare(&r->c, "K", &r->differ);
}
