// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs a trace written as text in a test.
 */
#include "tests/unit/run_text.h"

#include <stdlib.h>

#include "sim/world/profile.h"
#include "sim/check/report.h"

void text_run_init(struct text_run *r)
{
	memset(r, 0, sizeof(*r));
	r->s = sim_new();
	r->tr.pool = mem_pool_new();
}

void text_run_free(struct text_run *r)
{
	sim_free(r->s);
	mem_pool_free(r->tr.pool);
}

static void parse(struct text_run *r, const char *text)
{
	struct sim_err err = { 0 };
	struct text all = { 0 };
	int ret;

	mem_pool_reset(r->tr.pool);
	text_printf(&all, "ktlsim-trace 1\n%s", text);
	ret = trace_parse(&r->tr, "test", all.buf, all.len, &err);
	if (ret)
		ck_abort_msg("%u:%u: %s", err.line, err.col, err.msg);
	text_free(&all);
}

const struct sim_verdict *run_text(struct text_run *r, const char *text)
{
	struct sim_opts opts = { .profile = PROFILE_DEFAULT,
				 .ignore_known = true };

	parse(r, text);
	return sim_run(r->s, &r->tr, &opts, NULL);
}

const struct sim_verdict *run_text_seed(struct text_run *r, const char *text,
					u64 seed)
{
	struct sim_opts opts = { .profile = PROFILE_DEFAULT,
				 .random_schedule = true,
				 .ignore_known = true };
	struct sim_choice c;

	parse(r, text);
	choice_seed(&c, seed);
	return sim_run(r->s, &r->tr, &opts, &c);
}

void run_text_ok(struct text_run *r, const char *text)
{
	const struct sim_verdict *v = run_text(r, text);
	struct text report = { 0 };

	if (v->kind == VERDICT_OK)
		return;
	report_failure(r->s, "test", &report);
	ck_abort_msg("%s%s", report.buf, v->err.msg);
}

u32 count_events(const struct sim *s, enum m_event_kind kind)
{
	u32 i, n = 0;

	for (i = 0; i < s->event_n; i++)
		n += s->events[i].kind == kind;
	return n;
}
