// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * E1: an error is reported once, not lost because bytes came with it, and not
 * before bytes that came ahead of it.
 * How: a call that fetches the socket's error must return it, or leave it
 * there again (what asks for a restart may also do that); when it fetches it,
 * no record that is ahead of the error may be left, neither parsed nor waiting
 * to be, and a record that was bad must still be.
 * Left out: errors that are no sk_err (bad records come again, see E3).
 */
#include "sim/inv/local.h"

/**
 * struct e1 - state
 * @bad_record: the socket's error was set because a record did not open
 */
struct e1 {
	bool bad_record;
};

/* The value a SO_ERROR call handed out. */
static bool told_by_option(const struct sim_task *t, int err)
{
	return t->call->kind == CALL_GETSOCKOPT && !t->res.ret &&
	       t->res.opt_len > 0 && t->res.opt[0] == (u8)err;
}

static const char *lost_slug(const struct sim_task *t)
{
	if (t->call->kind == CALL_GETSOCKOPT)
		return t->res.ret == -EFAULT || t->res.opt_len <= 0 ?
			       "so-error-not-stored" :
			       "lost";
	return t->res.ret > 0 ? "lost-with-bytes" : "lost";
}

static void on_return(struct sim *s, void *state, struct sim_task *t)
{
	const struct ledger_call *c = ledger_call(s, t->t.id);
	int err = c->err_taken;

	(void)state;
	if (!err)
		return;
	if (t->res.ret == -err || told_by_option(t, err) ||
	    (err == ERESTARTSYS && c->met & MET_SIGNAL) ||
	    (s->conn.sk && s->conn.sk->sk_err == err)) {
		inv_checked(s, INV_E1);
		return;
	}
	inv_fail(s, INV_E1, lost_slug(t),
		 "the call took the socket's error %d and returned %lld", err,
		 (long long)t->res.ret);
}

/* What is ahead of the error that is being fetched; NULL nothing. */
static const char *ahead(struct sim *s, const struct sim_event *e)
{
	const struct ledger_call *c = ledger_call(s, e->task);
	const struct tls_sw_context_rx *ctx = ledger_rx(s);
	bool there;

	if (!ctx || c->plain || s->ledger->state != LEDGER_TLS)
		return NULL;
	there = ctx->strp.msg_ready || ledger_listed(s);
	if (inv_call(s, e)->kind == CALL_RECVMMSG &&
	    (!c->msg_n || c->msg.closed))
		return there || ledger_unparsed(s) ? "recvmmsg-error-first" :
						     NULL;
	if (there)
		return "before-record";
	return ledger_unparsed(s) ? "before-unparsed-record" : NULL;
}

/* The event before this one is a decryption that said EBADMSG. */
static bool by_bad_record(const struct sim *s)
{
	const struct sim_event *p = &s->events[s->event_n - 2];

	return s->event_n > 1 && p->kind == EV_DECRYPT && p->c == -EBADMSG;
}

/* The error is about a record that has been opened since, with other keys. */
static bool stale(const struct sim *s, const struct e1 *st)
{
	const struct ledger *l = s->ledger;

	return st->bad_record && l->state == LEDGER_TLS && !l->failed;
}

static void fetched(struct sim *s, const struct e1 *st,
		    const struct sim_event *e)
{
	const char *slug = ahead(s, e);

	INV_CHECK(s, E1, !slug, slug,
		  "error %lld is reported before bytes that came ahead of it",
		  (long long)-e->b);
	INV_CHECK(s, E1, !stale(s, st), "stale-bad-record",
		  "error %lld is reported for a record that has been read",
		  (long long)-e->b);
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	struct e1 *st = state;

	if (e->kind == EV_SK_ERR_SET)
		st->bad_record = by_bad_record(s);
	else if (e->task < s->task_n && call_takes_data(inv_call(s, e)->kind))
		fetched(s, st, e);
}

static const enum m_event_kind events[] = {
	EV_SK_ERR_SET,
	EV_SK_ERR_TAKEN,
	M_EVENT_COUNT,
};

const struct inv_ops inv_E1 = {
	.id = INV_E1,
	.state_size = sizeof(struct e1),
	.events = events,
	.on_event = on_event,
	.every_return = true,
	.on_return = on_return,
};
