// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Worlds that are broken on purpose.
 * How: sim->tamper sees every event before the invariants do. It may change
 * the event or what the world holds; each test breaks one thing.
 * Left out: breaks that need the model's code to be different; profiles with
 * historic bugs are for those.
 */
#include "tests/unit/broken.h"

#include <stdlib.h>

#include "sim/world/profile.h"

struct broken {
	struct sim *s;
	struct trace tr;
};

static void broken_run(struct broken *b, const char *profile, const char *text,
		       tamper_fn tamper, bool ignore_known)
{
	struct sim_opts opts = { .profile = profile,
				 .ignore_known = ignore_known };
	struct sim_err err = { 0 };
	struct text all = { 0 };

	memset(b, 0, sizeof(*b));
	b->s = sim_new();
	b->tr.pool = mem_pool_new();
	profile_changes(profile_find(profile), &opts.changes);
	text_printf(&all, "ktlsim-trace 1\n%s", text);
	if (trace_parse(&b->tr, "test", all.buf, all.len, &err))
		ck_abort_msg("%u:%u: %s", err.line, err.col, err.msg);
	text_free(&all);
	b->s->tamper = tamper;
	sim_run(b->s, &b->tr, &opts, NULL);
}

static void broken_free(struct broken *b)
{
	sim_free(b->s);
	mem_pool_free(b->tr.pool);
}

static const char *verdict_text(const struct sim *s)
{
	static char text[800];
	const struct sim_verdict *v = &s->verdict;

	snprintf(text, sizeof(text), "kind %u %s (%s): %s %s", v->kind,
		 v->kind == VERDICT_INVARIANT ? inv_name[v->inv] : "-", v->slug,
		 v->got, v->kind == VERDICT_INPUT ? v->err.msg : "");
	return text;
}

void expect_breach_in(const char *profile, const char *text, tamper_fn tamper,
		      enum inv_id id, const char *slug)
{
	const struct sim_verdict *v;
	struct broken b;

	broken_run(&b, profile, text, tamper, false);
	v = &b.s->verdict;
	ck_assert_msg(v->kind == VERDICT_INVARIANT && v->inv == id &&
			      !strcmp(v->slug, slug),
		      "expected %s (%s), got %s", inv_name[id], slug,
		      verdict_text(b.s));
	ck_assert_msg(v->got[0] != '\0', "no explanation");
	broken_free(&b);
}

void expect_breach(const char *text, tamper_fn tamper, enum inv_id id,
		   const char *slug)
{
	expect_breach_in(PROFILE_DEFAULT, text, tamper, id, slug);
}

static void expect_ok(const char *text, enum inv_id id, bool ignore_known)
{
	struct broken b;

	broken_run(&b, PROFILE_DEFAULT, text, NULL, ignore_known);
	ck_assert_msg(b.s->verdict.kind == VERDICT_OK, "%s", verdict_text(b.s));
	ck_assert_msg(inv_checks(b.s, id) > 0, "%s was never checked",
		      inv_name[id]);
	broken_free(&b);
}

void expect_holds(const char *text, enum inv_id id)
{
	expect_ok(text, id, true);
}

void expect_clean(const char *text, enum inv_id id)
{
	expect_ok(text, id, false);
}

struct sim_event *tamper_insert(struct sim *s, struct sim_event *e,
				enum m_event_kind kind, s64 a, s64 b, s64 c)
{
	struct sim_event *(*saved)(struct sim * s, struct sim_event * e);
	struct sim_event last = *e;

	if (s->event_n + 1 >= s->event_size) {
		s->event_size *= 2;
		s->events =
			realloc(s->events, s->event_size * sizeof(*s->events));
	}
	saved = s->tamper;
	s->tamper = NULL;
	s->event_n--;
	sim_event(s, kind, a, b, c);
	s->events[s->event_n] = last;
	s->tamper = saved;
	return &s->events[s->event_n++];
}
