// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Failure reports.
 * How: everything comes from the verdict and the log; the order of the parts is
 * fixed, see report.h and docs/architecture.md.
 * Left out: colours, and any opinion.
 */
#include "sim/check/report.h"

#include "sim/inv/inv.h"

#define LAST_EVENTS 20u

void report_signature(const struct sim *s, struct text *out)
{
	const struct sim_verdict *v = &s->verdict;

	switch (v->kind) {
	case VERDICT_OK:
		text_printf(out, "ok");
		break;
	case VERDICT_EXPECT:
		text_printf(out, "expect");
		break;
	case VERDICT_INVARIANT:
		text_printf(out, "%s %s", inv_name[v->inv], v->slug);
		break;
	case VERDICT_INPUT:
		text_printf(out, "input");
		break;
	case VERDICT_BUG:
		text_printf(out, "assertion");
		break;
	}
}

void report_headline(const struct sim *s, struct text *out)
{
	const struct sim_verdict *v = &s->verdict;

	switch (v->kind) {
	case VERDICT_OK:
		text_printf(out, "all holds");
		break;
	case VERDICT_EXPECT:
		text_printf(out, "the trace expects another result");
		break;
	case VERDICT_INVARIANT:
		text_printf(out, "%s (%s): %s", inv_name[v->inv], v->slug,
			    inv_text[v->inv]);
		break;
	case VERDICT_INPUT:
		text_printf(out, "the trace asks for something impossible");
		break;
	case VERDICT_BUG:
		text_printf(out, "an assertion of the simulator failed");
		break;
	}
}

static void put_line(const struct sim *s, const char *path, struct text *out)
{
	const struct sim_verdict *v = &s->verdict;

	if (v->stmt >= s->tr->stmt_n) {
		text_printf(out, "where:    %s, after the last statement\n",
			    path ? path : "generated trace");
		return;
	}
	text_printf(out, "where:    %s:%u: ", path ? path : "generated trace",
		    s->tr->stmts[v->stmt].line);
	trace_print_stmt(s->tr, v->stmt, out);
	text_printf(out, "\n");
}

void report_failure(const struct sim *s, const char *path, struct text *out)
{
	const struct sim_verdict *v = &s->verdict;
	u32 from = v->event > LAST_EVENTS ? v->event - LAST_EVENTS : 0;

	text_printf(out, "broken:   ");
	report_headline(s, out);
	text_printf(out, "\n");
	put_line(s, path, out);
	if (v->kind == VERDICT_EXPECT || v->kind == VERDICT_BUG)
		text_printf(out, "expected: %s\n", v->expected);
	text_printf(out, "got:      %s\n", v->got);
	text_printf(out, "events:   the last %u of %u before it\n",
		    v->event - from, v->event);
	log_print(s, from, v->event, out);
	text_printf(out, "state:\n%s", v->state);
	text_printf(out, "profile:  %s\n",
		    s->opts.profile ? s->opts.profile : "?");
	if (!path)
		return;
	text_printf(out, "replay:   ktlsim run --log --profile %s %s\n",
		    s->opts.profile, path);
}
