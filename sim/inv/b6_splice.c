// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * B6: a splice that has moved bytes decrypts no data record for which the pipe
 * has no room, and begins none with a signal pending.
 * How: all of a splice is done with the pipe's mutex and the reader role held,
 * and nobody can interrupt it, so its work is bounded. A data record decrypted
 * in the call and put back untouched was in vain; a decryption behind bytes
 * that were handed out with a signal pending keeps the signal waiting.
 * Left out: records of another type, which TLS 1.3 shows only by decryption;
 * recvmsg and read_sock, which hold no pipe.
 */
#include "sim/inv/local.h"

/* Tasks looked at. */
#define TASKS_MAX 16

/**
 * struct b6 - state
 * @signalled: by task: a signal was pending when bytes were last handed out
 */
struct b6 {
	bool signalled[TASKS_MAX];
};

/* The record of @e is data, was decrypted in this call and not touched. */
static bool in_vain(const struct sim *s, const struct sim_event *e)
{
	const struct ledger_msg *m = &ledger_call(s, e->task)->msg;
	const struct ledger *l = s->ledger;
	const struct peer_rec *r = ledger_rec(l, (u64)e->a);
	u32 rec = (u32)(e->a + l->delta);

	return l->state == LEDGER_TLS && m->put && r &&
	       r->type == TLS_RECORD_TYPE_DATA && rec >= m->opened &&
	       rec != m->last;
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	const struct ledger_call *c = ledger_call(s, e->task);
	const struct sim_task *t = &s->tasks[e->task];
	struct b6 *st = state;

	if (e->task >= min_t(u32, s->task_n, TASKS_MAX) || !t->call ||
	    t->call->kind != CALL_SPLICE || c->plain || !c->msg_n)
		return;
	if (e->kind == EV_PUT_USER)
		st->signalled[e->task] = t->signalled;
	else if (e->kind == EV_READER_ON)
		st->signalled[e->task] = false;
	else if (e->kind == EV_RX_LIST_ADD)
		INV_CHECK(s, B6, !in_vain(s, e), "no-room",
			  "%s decrypted record %lld and has no room for it",
			  t->t.name, (long long)e->a);
	else
		INV_CHECK(s, B6, !st->signalled[e->task], "signal-ignored",
			  "%s decrypts another record with a signal pending",
			  t->t.name);
}

static const enum m_event_kind events[] = {
	EV_READER_ON, EV_PUT_USER, EV_DECRYPT, EV_RX_LIST_ADD, M_EVENT_COUNT,
};

const struct inv_ops inv_B6 = {
	.id = INV_B6,
	.state_size = sizeof(struct b6),
	.events = events,
	.on_event = on_event,
};
