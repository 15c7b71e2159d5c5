// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls each invariant for the events it asked for, and takes down the first
 * promise that was broken.
 * How: inv_new() turns the invariants' wishes into one list of subscribers per
 * event kind. All state of all invariants is one block, zeroed at the start of
 * a world. The ledger sees every event first, and every return last.
 * Left out: what is checked (sim/inv/), the known findings (sim/inv/findings.c).
 */
#include "sim/inv/inv.h"

#include <stdarg.h>
#include <stdlib.h>

#include "sim/inv/local.h"
#include "sim/inv/ledger.h"

const char *const inv_name[INV_COUNT] = {
#define INVARIANT(id, sentence) [INV_##id] = #id,
#include "sim/inv/invariants.def"
#undef INVARIANT
};

const char *const inv_text[INV_COUNT] = {
#define INVARIANT(id, sentence) [INV_##id] = sentence,
#include "sim/inv/invariants.def"
#undef INVARIANT
};

const struct inv_ops *const inv_table[INV_COUNT] = {
#define INVARIANT(id, sentence) [INV_##id] = &inv_##id,
#include "sim/inv/invariants.def"
#undef INVARIANT
};

/* Who wants to hear of something, and its state. */
struct subscriber {
	const struct inv_ops *ops;
	void *state;
};

/* The same, ready to be called for an event. */
struct event_sub {
	void (*fn)(struct sim *s, void *state, const struct sim_event *e);
	void *state;
};

/* Two lists: calls that hand out bytes concern everybody. */
enum return_kind {
	RETURN_OTHER,
	RETURN_BYTES,
	RETURN_KINDS
};

/* A slug asked for last, by its address, and what it is. */
struct inv_asked {
	const char *slug;
	const struct finding *finding;
};

#define STATE_ALIGN 8u
#define STATE_MAX 4096u
#define SUBSCRIPTIONS_MAX 160u

/**
 * struct inv_state - see the head of this file
 * @head: see inv.h
 * @event_first: first subscriber of each kind in @events; one more at the end
 * @events: subscribers, by kind, in the order of the ids
 * @all: every invariant
 * @state_size: bytes of @state in use
 * @state: the invariants' own
 * @task: whose event or return is being looked at, NULL none
 * @part: see @head.part
 * @asked: cache of finding_known()
 * @hits: known findings met and ignored since inv_new()
 */
struct inv_state {
	struct inv_head head; /* must be first */
	u16 event_first[M_EVENT_COUNT + 1];
	struct event_sub events[SUBSCRIPTIONS_MAX];
	struct subscriber all[INV_COUNT];
	struct subscriber returns[RETURN_KINDS][INV_COUNT];
	struct subscriber quiets[INV_COUNT];
	u32 return_n[RETURN_KINDS];
	u32 quiet_n;
	u32 state_size;
	u64 state[STATE_MAX / sizeof(u64)];
	const struct sim_task *task;
	struct inv_part part;
	struct inv_asked asked[INV_COUNT];
	u32 *hits;
};

static bool wants(const struct inv_ops *ops, enum m_event_kind kind)
{
	const enum m_event_kind *k;

	if (!ops->events)
		return false;
	for (k = ops->events; *k != M_EVENT_COUNT; k++) {
		if (*k == kind)
			return true;
	}
	return false;
}

static void place_states(struct inv_state *st)
{
	u32 i, off = 0;

	for (i = 0; i < INV_COUNT; i++) {
		st->all[i].ops = inv_table[i];
		st->all[i].state = (u8 *)st->state + off;
		off += (u32)(inv_table[i]->state_size + STATE_ALIGN - 1) &
		       ~(STATE_ALIGN - 1);
	}
	M_ASSERT(off <= STATE_MAX, "invariants want %u bytes of state", off);
	st->state_size = off;
}

static void list_subscribers(struct inv_state *st)
{
	u32 kind, i, n = 0;

	for (kind = 0; kind < M_EVENT_COUNT; kind++) {
		st->event_first[kind] = (u16)n;
		for (i = 0; i < INV_COUNT; i++) {
			if (!wants(inv_table[i], kind))
				continue;
			M_ASSERT(n < SUBSCRIPTIONS_MAX, "too many wishes");
			st->events[n].fn = inv_table[i]->on_event;
			st->events[n++].state = st->all[i].state;
		}
	}
	st->event_first[M_EVENT_COUNT] = (u16)n;
}

static void list_others(struct inv_state *st)
{
	const struct inv_ops *ops;
	u32 i, kind;

	for (i = 0; i < INV_COUNT; i++) {
		ops = inv_table[i];
		for (kind = 0; kind < RETURN_KINDS && ops->on_return; kind++) {
			if (kind == RETURN_BYTES || ops->every_return)
				st->returns[kind][st->return_n[kind]++] =
					st->all[i];
		}
		if (ops->on_quiet)
			st->quiets[st->quiet_n++] = st->all[i];
	}
}

struct inv_state *inv_new(void)
{
	struct inv_state *st = calloc(1, sizeof(*st));

	if (!st)
		abort();
	st->hits = calloc(finding_count, sizeof(*st->hits));
	if (!st->hits)
		abort();
	st->head.part = &st->part;
	place_states(st);
	list_subscribers(st);
	list_others(st);
	return st;
}

void inv_free(struct inv_state *st)
{
	if (!st)
		return;
	free(st->hits);
	free(st);
}

void inv_start(struct sim *s)
{
	memset(s->inv->state, 0, s->inv->state_size);
	s->inv->task = NULL;
	s->inv->part.at = UINT32_MAX;
}

void *inv_own_state(const struct sim *s, enum inv_id id)
{
	return s->inv->all[id].state;
}

/* Behind the first failure nothing is checked any more. */
static bool over(const struct sim *s)
{
	return unlikely(s->verdict.kind != VERDICT_OK);
}

bool inv_wants(const struct inv_state *st, enum m_event_kind kind)
{
	return st->event_first[kind] < st->event_first[kind + 1] ||
	       ledger_wants(kind);
}

void inv_event(struct sim *s, const struct sim_event *e)
{
	struct inv_state *st = s->inv;
	const struct event_sub *sub, *end;

	if (over(s))
		return;
	ledger_event(s, e);
	sub = &st->events[st->event_first[e->kind]];
	end = &st->events[st->event_first[e->kind + 1]];
	if (sub == end)
		return;
	st->task = e->task == LOG_NO_TASK ? NULL : &s->tasks[e->task];
	for (; sub < end; sub++)
		sub->fn(s, sub->state, e);
}

static bool gives_bytes(enum call_kind kind)
{
	return call_takes_data(kind) || kind == CALL_PREAD;
}

void inv_return(struct sim *s, struct sim_task *t)
{
	enum return_kind kind = gives_bytes(t->call->kind) ? RETURN_BYTES :
							     RETURN_OTHER;
	struct inv_state *st = s->inv;
	const struct subscriber *sub = st->returns[kind];
	const struct subscriber *end = sub + st->return_n[kind];

	if (over(s))
		return;
	st->task = t;
	/* The calls that set a world up hand out nothing. */
	for (; sub < end && t->t.id < s->task_n; sub++)
		sub->ops->on_return(s, sub->state, t);
	ledger_return(s, t);
}

void inv_quiet(struct sim *s)
{
	struct inv_state *st = s->inv;
	u32 i;

	if (over(s))
		return;
	st->task = NULL;
	for (i = 0; i < st->quiet_n; i++)
		st->quiets[i].ops->on_quiet(s, st->quiets[i].state);
}

void inv_finished(struct sim *s)
{
	struct inv_state *st = s->inv;
	u32 i;

	if (over(s))
		return;
	st->task = NULL;
	for (i = 0; i < INV_COUNT; i++) {
		if (st->all[i].ops->on_finished)
			st->all[i].ops->on_finished(s, st->all[i].state);
	}
}

void inv_end(struct sim *s)
{
	struct inv_state *st = s->inv;
	u32 i;

	if (over(s))
		return;
	st->task = NULL;
	for (i = 0; i < INV_COUNT; i++) {
		if (st->all[i].ops->on_end)
			st->all[i].ops->on_end(s, st->all[i].state);
	}
}

u64 inv_checks(const struct sim *s, enum inv_id id)
{
	return s->inv->head.checks[id];
}

u64 inv_ref_calls(const struct sim *s)
{
	return s->inv->head.ref_calls;
}

u32 finding_hits(const struct sim *s, const struct finding *f)
{
	return s->inv->hits[f - finding_table];
}

/* The statement a breach belongs to: the task's, else the one being run. */
static u32 stmt_of(const struct sim *s)
{
	if (s->inv->task)
		return s->inv->task->stmt;
	return s->next_stmt < s->tr->stmt_n ? s->next_stmt : UINT32_MAX;
}

/* finding_known(), which a random world asks again and again. */
static const struct finding *known(struct inv_state *st, enum inv_id id,
				   const char *slug)
{
	struct inv_asked *a = &st->asked[id];

	if (a->slug != slug) {
		a->slug = slug;
		a->finding = finding_known(id, slug);
	}
	return a->finding;
}

void inv_fail(struct sim *s, enum inv_id id, const char *slug, const char *fmt,
	      ...)
{
	const struct finding *f = known(s->inv, id, slug);
	struct sim_verdict *v = &s->verdict;
	va_list ap;

	if (v->kind != VERDICT_OK)
		return;
	if (f && s->opts.ignore_known) {
		s->inv->hits[f - finding_table]++;
		return;
	}
	if (s->opts.ignore_known && !s->opts.strict &&
	    profile_breaks(&s->k, id, slug)) {
		/* Nobody knows what is due behind bytes that are missing. */
		if (id == INV_D1)
			s->ledger->state = LEDGER_LOST;
		return;
	}
	if (s->opts.go_on || s->opts.ignore_all)
		return;
	v->kind = VERDICT_INVARIANT;
	v->inv = id;
	v->slug = slug;
	v->stmt = stmt_of(s);
	v->event = s->event_n ? s->event_n - 1 : 0;
	snprintf(v->expected, sizeof(v->expected), "%s", inv_text[id]);
	va_start(ap, fmt);
	vsnprintf(v->got, sizeof(v->got), fmt, ap);
	va_end(ap);
	s->stopped = true;
}
