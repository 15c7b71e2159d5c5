// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * D2: nothing after a record that failed to authenticate or parse is ever
 * delivered.
 * How: a decryption may succeed only on a record that the receiver's keys and
 * number open; behind one that failed nothing is handed out until it opens
 * (new keys may do that); when framing is lost no record is parsed again.
 * Left out: raw bytes of a trace that happen to be a good record.
 */
#include "sim/inv/local.h"

/* Raw bytes may well be a record that somebody sealed elsewhere. */
static bool may_be_foreign(const struct sim *s)
{
	const struct ledger *l = s->ledger;
	u32 i;

	for (i = l->front; i < l->peer->rec_n; i++) {
		if (l->peer->recs[i].off >= l->pos + l->front_len)
			break;
		if (s->tr->recs[i].kind == REC_RAW ||
		    s->tr->recs[i].kind == REC_OPENSSL)
			return true;
	}
	return false;
}

static void opened(struct sim *s, const struct sim_event *e)
{
	const struct ledger *l = s->ledger;

	if (e->c || l->state != LEDGER_TLS)
		return;
	if (ledger_front_good(l)) {
		inv_checked(s, INV_D2);
		return;
	}
	/* a bit flipped on the way may mend one that was flipped before */
	if (may_be_foreign(s) || !ledger_wire_clean(s))
		return;
	inv_fail(
		s, INV_D2,
		l->aligned ? "bad-record-opened" : "no-record-opened",
		"record %lld opened with keys %u, number %llu; it was never sealed so",
		(long long)e->a, l->gen, (unsigned long long)l->seq);
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	const struct ledger *l = s->ledger;

	(void)state;
	if (e->kind == EV_DECRYPT)
		opened(s, e);
	else if (e->kind == EV_PARSED)
		INV_CHECK(s, D2, !l->stopped, "parsed-after-abort",
			  "record %lld was parsed after framing was lost",
			  (long long)e->a);
	else
		INV_CHECK(
			s, D2, !l->failed || (u64)e->a < l->failed_recno,
			"behind-failed",
			"bytes of record %lld were handed out, record %llu failed",
			(long long)e->a, (unsigned long long)l->failed_recno);
}

static const enum m_event_kind events[] = {
	EV_DECRYPT,
	EV_PARSED,
	EV_PUT_USER,
	M_EVENT_COUNT,
};

const struct inv_ops inv_D2 = {
	.id = INV_D2,
	.events = events,
	.on_event = on_event,
};
