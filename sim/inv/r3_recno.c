// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * R3: every record number is used once, in order, per key generation.
 * How: records decrypt well in the order they were parsed, none twice and none
 * left out, and the number in the nonce goes up by one for each from where the
 * keys set it. Behind a KeyUpdate none is decrypted before new keys are set.
 * Left out: numbers that the program reuses itself by setting the same keys
 * again.
 */
#include "sim/inv/local.h"

/**
 * struct r3 - state
 * @next: recno of the record to decrypt next
 * @before_wrap: the number had gone round before the last record
 * @spent: a KeyUpdate was decrypted: the keys are not to be used again
 */
struct r3 {
	u64 next;
	bool before_wrap;
	bool spent;
};

/* Did the record that was opened last announce new keys? */
static bool was_keyupdate(const struct sim *s)
{
	const struct ledger *l = s->ledger;
	const struct peer_rec *rec;

	if (l->state != LEDGER_TLS || !l->opened)
		return false;
	rec = &l->peer->recs[l->opened - 1];
	return rec->type == TLS_RECORD_TYPE_HANDSHAKE && rec->plain_len &&
	       (rec->plain ? rec->plain[0] : rec->fill) ==
		       TLS_HANDSHAKE_KEYUPDATE;
}

static u64 number(const struct sim *s)
{
	const u8 *p = tls_get_ctx(s->conn.sk)->rx.rec_seq;
	u64 v = 0;
	u32 i;

	for (i = 0; i < 8; i++)
		v = v << 8 | p[i];
	return v;
}

/* The ledger has counted this record; the model counts behind the event. */
static void opened(struct sim *s, struct r3 *st, const struct sim_event *e)
{
	INV_CHECK(s, R3, (u64)e->a == st->next, "order",
		  "record %lld was decrypted, due was %llu", (long long)e->a,
		  (unsigned long long)st->next);
	INV_CHECK(s, R3, number(s) + 1 == s->ledger->seq, "number",
		  "the number in use is %llu, due is %llu",
		  (unsigned long long)number(s),
		  (unsigned long long)s->ledger->seq - 1);
	INV_CHECK(s, R3, !st->before_wrap, "wrapped",
		  "record %lld was opened with a number that had gone round",
		  (long long)e->a);
	st->spent = was_keyupdate(s);
	st->next = (u64)e->a + 1;
	st->before_wrap = s->ledger->wrapped;
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	struct r3 *st = state;

	if (e->kind == EV_DECRYPTED_TYPE)
		opened(s, st, e);
	else if (e->kind == EV_DECRYPT)
		INV_CHECK(s, R3, !st->spent, "past-keyupdate",
			  "record %lld meets the keys of before the KeyUpdate",
			  (long long)e->a);
	else if (e->kind == EV_KEYS)
		st->before_wrap = st->spent = false;
	else if (st->next == (u64)e->b)
		st->next++; /* it vanished and comes again as another */
}

static const enum m_event_kind events[] = {
	EV_DECRYPT, EV_DECRYPTED_TYPE, EV_KEYS, EV_UNPARSED, M_EVENT_COUNT,
};

const struct inv_ops inv_R3 = {
	.id = INV_R3,
	.state_size = sizeof(struct r3),
	.events = events,
	.on_event = on_event,
};
