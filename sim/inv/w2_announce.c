// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * W2: the consumer is told at most once per record, and never of nothing.
 * How: at every announce: of a record that is ready, not told of before, and
 * that a read could take; what is put back on rx_list may be told of again, for
 * a poll meanwhile has not seen it; at every standstill: of the record that is
 * ready, it was told; and the reader that announced a record must not be
 * the one that swallows it in the same stay.
 * Left out: wakeups that are no announce (state changes, errors).
 */
#include "sim/inv/local.h"

/**
 * struct w2 - state
 * @told: recno of the last record announced while it was ready, plus one
 * @listed: of the last one announced from rx_list
 * @told_by: who announced it, LOG_NO_TASK in softirq
 * @told_at: length of the log then
 * @role_at: length of the log when the reader role was last taken
 */
struct w2 {
	u64 told;
	u64 listed;
	u32 told_by;
	u32 told_at;
	u32 role_at;
};

static void rekeyed(struct sim *s, const struct tls_sw_context_rx *ctx)
{
	INV_CHECK(s, W2, ctx->strp.msg_ready || !skb_queue_empty(&ctx->rx_list),
		  "rekey-of-nothing",
		  "new keys were announced, and there is nothing to read");
}

static const char *wrong(const struct w2 *st,
			 const struct tls_sw_context_rx *ctx, u64 recno)
{
	const struct sk_buff *rest = skb_peek(&ctx->rx_list);

	if (st->told == recno + 1 || st->listed == recno + 1)
		return "twice";
	if (!ctx->strp.msg_ready && (!rest || rest->cb.recno != recno))
		return "of-nothing";
	return ctx->key_update_pending ? "while-rekey" : NULL;
}

static void announced(struct sim *s, struct w2 *st, const struct sim_event *e)
{
	const struct tls_sw_context_rx *ctx = ledger_rx(s);
	const char *slug;

	if (!ctx)
		return;
	if (e->b < 0) {
		rekeyed(s, ctx);
		return;
	}
	slug = wrong(st, ctx, (u64)e->b);
	INV_CHECK(s, W2, !slug, slug, "record %lld is announced%s",
		  (long long)e->b,
		  ctx->key_update_pending ? " while a rekey is pending" : "");
	if (!ctx->strp.msg_ready || (u64)e->b + 1 != ctx->strp.recno) {
		st->listed = (u64)e->b + 1;
		return;
	}
	st->told = (u64)e->b + 1;
	st->told_by = e->task;
	st->told_at = s->event_n;
}

/* It may be told of again. */
static void put_back(struct w2 *st, u64 recno)
{
	if (st->told == recno + 1)
		st->told = 0;
	if (st->listed == recno + 1)
		st->listed = 0;
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	struct w2 *st = state;

	if (e->kind == EV_ANNOUNCE)
		announced(s, st, e);
	else if (e->kind == EV_READER_ON)
		st->role_at = s->event_n;
	else if (e->kind == EV_RX_LIST_ADD)
		put_back(st, (u64)e->a);
	else if (st->told == (u64)e->a + 1)
		INV_CHECK(
			s, W2,
			st->told_by != e->task || st->told_at < st->role_at,
			"self-consumed",
			"record %lld is announced by the reader that takes it",
			(long long)e->a);
}

/* Nobody is at work: whoever reads on being told must have been. */
static void on_quiet(struct sim *s, void *state)
{
	const struct tls_sw_context_rx *ctx = ledger_rx(s);
	const struct w2 *st = state;

	if (!ctx || s->ledger->closing || ctx->reader_present ||
	    !ctx->strp.msg_ready)
		return;
	INV_CHECK(s, W2, st->told == ctx->strp.recno, "never",
		  "record %llu is ready and was never announced",
		  (unsigned long long)ctx->strp.recno - 1);
}

static const enum m_event_kind events[] = {
	EV_ANNOUNCE, EV_READER_ON, EV_CONSUMED, EV_RX_LIST_ADD, M_EVENT_COUNT,
};

const struct inv_ops inv_W2 = {
	.id = INV_W2,
	.state_size = sizeof(struct w2),
	.events = events,
	.on_event = on_event,
	.on_quiet = on_quiet,
};
