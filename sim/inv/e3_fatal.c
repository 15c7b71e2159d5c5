// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * E3: after a fatal record error every later call says so.
 * How: a call that takes the reader role after a record failed, framing was
 * lost or the record number went round, and has no bytes from ahead of that,
 * must not report end of stream or EAGAIN, and must not sleep for more.
 * Left out: which errno it is (E2).
 */
#include "sim/inv/local.h"

/* Slug of what is forgotten when such a call sleeps or says "nothing". */
static const char *slug_of(const struct ledger_msg *m)
{
	if (m->stopped)
		return "framing-error-forgotten";
	return m->failed ? "bad-record-forgotten" : "wrap-error-forgotten";
}

/* A bad record may also have been stolen by a plain read meanwhile. */
static bool fatal_before(const struct sim *s, const struct ledger_msg *m)
{
	bool failed = m->failed && s->ledger->failed;

	return (m->stopped || failed || m->wrapped) && !m->listed;
}

static void part(struct sim *s, const struct inv_part *p)
{
	if (!p->msg || !fatal_before(s, p->msg) || !p->asked)
		return;
	if (p->ret && p->ret != -EAGAIN)
		inv_checked(s, INV_E3);
	else if (!p->msg->seen)
		inv_fail(s, INV_E3, slug_of(p->msg),
			 "%lld was returned after a fatal error of the stream",
			 (long long)p->ret);
}

static void on_return(struct sim *s, void *state, struct sim_task *t)
{
	const struct inv_part *p;
	u32 i;

	(void)state;
	if (!inv_tls_call(s, t) || t->call->flags & M_MSG_ERRQUEUE)
		return;
	for (i = 0; i < inv_part_count(t); i++) {
		p = inv_part(s, t, i);
		if (t->call->kind != CALL_READ_SOCK || !t->call->take_n)
			part(s, p);
	}
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	const struct ledger_call *c = ledger_call(s, e->task);

	(void)state;
	if (e->a != M_SLEEP_SK_WAIT || c->plain || !c->msg_n || c->msg.closed ||
	    !fatal_before(s, &c->msg))
		return;
	INV_CHECK(s, E3, s->tasks[e->task].t.woken, slug_of(&c->msg),
		  "%s sleeps for records after a fatal error of the stream",
		  s->tasks[e->task].t.name);
}

static const enum m_event_kind events[] = { EV_SLEEP, M_EVENT_COUNT };

const struct inv_ops inv_E3 = {
	.id = INV_E3,
	.events = events,
	.on_event = on_event,
	.on_return = on_return,
};
