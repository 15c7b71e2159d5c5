// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * S1: a call returns less than asked only for a reason that allows it.
 * How: the reason of the exit, looked up in a table that says how many bytes
 * it allows; and when a reader gives the role up with room left, no good
 * record of its type may be ready.
 * Left out: messages of recvmmsg but the last, whose reasons are not kept. A
 * reason without a row allows nothing; tests/unit/inv_s_test.c finds it first.
 */
#include "sim/inv/local.h"

#define ROW(rule, reason) [REASON_##reason] = RULE_##rule

static const u8 rules[M_REASON_COUNT] = {
	/* TLS recvmsg: full, or as much as there was */
	ROW(WHOLE, TLS_RECV_FULL),
	ROW(WHOLE, TLS_RECV_PART),
	ROW(WHOLE, TLS_LIST_FULL),
	ROW(WHOLE, TLS_PEEK_FULL),
	ROW(WHOLE, TLS_PEEK_LIST),
	ROW(TARGET, TLS_RECV_TARGET),
	ROW(TARGET, TLS_PEEK_TARGET),
	/* one record a call, and its end */
	ROW(SHORT, TLS_CONTROL),
	ROW(WHOLE, TLS_CONTROL_PART),
	ROW(ANY, TLS_LIST_CONTROL),
	ROW(SHORT, TLS_TYPE_CHANGE),
	ROW(SHORT, TLS_SPLICE_RECORD),
	ROW(WHOLE, TLS_SPLICE_PART),
	ROW(SHORT, TLS_SPLICE_PIPE_SHORT),
	ROW(WHOLE, TLS_SPLICE_FULL),
	ROW(SHORT, TLS_SPLICE_NO_ROOM),
	ROW(SHORT, TLS_SPLICE_THEN_CONTROL),
	/* the consumer decides */
	ROW(ANY, TLS_READ_SOCK_CIPHERTEXT),
	ROW(WHOLE, TLS_READ_SOCK_COUNT),
	ROW(ANY, TLS_READ_SOCK_STOPPED),
	ROW(SHORT, TLS_READ_SOCK_THEN_CONTROL),
	/* an error, the end or the clock; bytes may have come first */
	ROW(ANY, TLS_EOF),
	ROW(ANY, TLS_EOF_TRUNCATED),
	ROW(ANY, TLS_EOF_FRAMING),
	ROW(ANY, TLS_EOF_RESET),
	ROW(ANY, TLS_EOF_SHUTDOWN),
	ROW(ANY, TLS_AGAIN_EMPTY),
	ROW(ANY, TLS_AGAIN_PARTIAL),
	ROW(ANY, TLS_AGAIN_FRAMING),
	ROW(ANY, TLS_TIMEOUT),
	ROW(ANY, TLS_SIGNAL),
	ROW(ANY, TLS_COPY_FAULT),
	ROW(ANY, TLS_CONTROL_NO_ROOM),
	ROW(ANY, TLS_TYPE_ZERO),
	ROW(ANY, TLS_DISCONNECTED),
	ROW(ANY, TLS_KEY_EXPIRED),
	ROW(SHORT, TLS_SK_ERR_DROPPED),
	ROW(SHORT, TLS_SK_ERR_KEPT),
	ROW(SHORT, TLS_DEFERRED_DECRYPT),
	/* no bytes */
	ROW(NOTHING, TLS_READER_BUSY),
	ROW(NOTHING, TLS_READER_TIMEOUT),
	ROW(NOTHING, TLS_READER_SIGNAL),
	ROW(NOTHING, TLS_RESET),
	ROW(NOTHING, TLS_FRAMING),
	ROW(NOTHING, TLS_ABORTED),
	ROW(NOTHING, TLS_BAD_TAG),
	ROW(NOTHING, TLS_BAD_TAG_AGAIN),
	ROW(NOTHING, TLS_ALL_PADDING),
	ROW(NOTHING, TLS_NO_INNER_TYPE),
	ROW(ANY, TLS_ZC_FAULT),
	ROW(ANY, TLS_DECRYPT_NOMEM),
	ROW(NOTHING, TLS_ERRQUEUE),
	ROW(NOTHING, TLS_RECV_NOTHING_ASKED),
	ROW(NOTHING, TLS_CONTROL_EMPTY),
	ROW(NOTHING, TLS_EMPTY_THEN_CONTROL),
	ROW(NOTHING, TLS_SPLICE_EMPTY),
	ROW(NOTHING, TLS_SPLICE_CONTROL),
	ROW(NOTHING, TLS_READ_SOCK_NOTHING_ASKED),
	ROW(NOTHING, TLS_READ_SOCK_CONTROL),
	/* plain TCP */
	ROW(WHOLE, TCP_FULL),
	ROW(TARGET, TCP_TARGET),
	ROW(ANY, TCP_EOF),
	ROW(NOTHING, TCP_SHUTDOWN_RD),
	ROW(NOTHING, TCP_SK_ERR),
	ROW(NOTHING, TCP_NOTCONN),
	ROW(NOTHING, TCP_EMPTY),
	ROW(NOTHING, TCP_SIGNAL),
	ROW(ANY, TCP_DISCONNECTED),
	ROW(NOTHING, TCP_FAULT),
	ROW(SHORT, TCP_SHORT_NOWAIT),
	ROW(SHORT, TCP_SHORT_SK_ERR),
	ROW(SHORT, TCP_SHORT_EOF),
	ROW(SHORT, TCP_SHORT_SIGNAL),
	ROW(SHORT, TCP_SHORT_FAULT),
	ROW(ANY, TCP_URG_MARK),
	ROW(ANY, TCP_OOB_BYTE),
	ROW(NOTHING, TCP_OOB_NONE),
	ROW(NOTHING, TCP_OOB_NOTYET),
	ROW(NOTHING, TCP_ERRQUEUE_EMPTY),
	ROW(SHORT, TCP_SPLICED),
	/* pipes and the splice core */
	ROW(SHORT, PIPE_READ_DATA),
	ROW(NOTHING, PIPE_READ_ZERO),
	ROW(NOTHING, PIPE_READ_EOF),
	ROW(NOTHING, PIPE_READ_EAGAIN),
	ROW(NOTHING, PIPE_READ_SIGNAL),
	ROW(NOTHING, PIPE_READ_FAULT),
	ROW(OTHER, PIPE_WRITE_DONE),
	ROW(OTHER, PIPE_WRITE_ZERO),
	ROW(OTHER, PIPE_WRITE_SHORT),
	ROW(OTHER, PIPE_WRITE_NO_READER),
	ROW(OTHER, PIPE_WRITE_EAGAIN),
	ROW(OTHER, PIPE_WRITE_SIGNAL),
	ROW(OTHER, PIPE_WRITE_NOMEM),
	ROW(OTHER, PIPE_SIZE_SET),
	ROW(OTHER, PIPE_SIZE_VALUE),
	ROW(OTHER, PIPE_SIZE_NOMEM),
	ROW(OTHER, PIPE_SIZE_BUSY),
	ROW(NOTHING, SPLICE_ZERO),
	ROW(ANY, SPLICE_NO_READER),
	ROW(NOTHING, SPLICE_PIPE_FULL),
	ROW(NOTHING, SPLICE_SIGNAL),
	ROW(ANY, SPLICE_NO_PAGE),
	/* the system call layer */
	ROW(NOTHING, BAD_FD),
	ROW(NOTHING, ZERO_READ),
	ROW(NOTHING, RECVMMSG_SK_ERR),
	/* calls that hand out no bytes */
	ROW(OTHER, NONE),
	ROW(ANY, DONE),
	ROW(OTHER, POLL_READY),
	ROW(OTHER, POLL_NOTHING),
	ROW(OTHER, POLL_TIMEOUT),
	ROW(OTHER, POLL_SIGNAL),
	ROW(OTHER, OPT_DONE),
	ROW(OTHER, OPT_LENGTH),
	ROW(OTHER, OPT_FAULT),
	ROW(OTHER, OPT_VALUE),
	ROW(OTHER, OPT_UNKNOWN),
	ROW(OTHER, TLS_ATTACHED),
	ROW(OTHER, TLS_ATTACH_NOT_CONNECTED),
	ROW(OTHER, TLS_ATTACH_NOMEM),
	ROW(OTHER, TLS_DISCONNECT),
	ROW(OTHER, TLS_KEYS_SET),
	ROW(OTHER, TLS_KEYS_BAD_HEADER),
	ROW(OTHER, TLS_REKEYED),
	ROW(OTHER, TLS_KEYS_BUSY),
	ROW(OTHER, TLS_KEYS_NO_REKEY),
	ROW(OTHER, TLS_KEYS_VERSION),
	ROW(OTHER, TLS_KEYS_ARIA),
	ROW(OTHER, TLS_KEYS_DIRECTIONS),
	ROW(OTHER, TLS_REKEY_MISMATCH),
	ROW(OTHER, TLS_KEYS_CIPHER),
	ROW(OTHER, TLS_KEYS_SIZE),
	ROW(OTHER, TLS_KEYS_NOMEM),
	ROW(OTHER, TLS_KEYS_NO_MODULE),
	ROW(OTHER, TLS_KEYS_NOT_SET),
	ROW(OTHER, TLS_NO_PAD_VERSION),
	ROW(OTHER, TLS_NO_PAD_NO_KEYS),
	ROW(OTHER, TLS_OPT_TRAILING),
	ROW(OTHER, TLS_POLL_RECORD),
	ROW(OTHER, TLS_POLL_NO_RECORD),
	ROW(OTHER, TLS_POLL_REKEY),
	ROW(OTHER, TLS_POLL_BYTES),
	ROW(OTHER, TLS_POLL_AS_TCP),
	ROW(OTHER, TCP_INQ),
	ROW(OTHER, TCP_CLOSED_FIN),
	ROW(OTHER, TCP_CLOSED_RST),
	ROW(OTHER, TCP_SHUTDOWN),
	ROW(OTHER, TCP_SHUTDOWN_HOW),
	ROW(OTHER, TCP_DISCONNECT),
	ROW(OTHER, TCP_ULP_EXISTS),
	ROW(OTHER, TCP_ULP_UNKNOWN),
};

enum short_rule short_rule_of(enum m_reason reason)
{
	return rules[reason];
}

/* The splice core cuts the length to the pipe's free slots times a page. */
static bool whole(const struct sim_task *t, s64 ret, u64 asked)
{
	return ret == (s64)asked ||
	       (t->call->kind == CALL_SPLICE && ret && !(ret % PAGE_SIZE));
}

static bool allowed(const struct sim_task *t, s64 ret, u64 asked)
{
	switch (short_rule_of(t->res.reason)) {
	case RULE_WHOLE:
		return whole(t, ret, asked);
	case RULE_TARGET: /* how many is S3's question */
	case RULE_SHORT:
		return ret > 0;
	case RULE_NOTHING:
		return ret <= 0;
	case RULE_ANY:
		return true;
	case RULE_OTHER:
	case RULE_MISSING:
		return false;
	}
	return false;
}

static void on_return(struct sim *s, void *state, struct sim_task *t)
{
	enum m_reason r = t->res.reason;
	u64 asked = call_asked(t->call);

	(void)state;
	if ((!call_takes_data(t->call->kind) && t->call->kind != CALL_PREAD) ||
	    t->call->kind == CALL_RECVMMSG)
		return;
	INV_CHECK(s, S1, allowed(t, t->res.ret, asked), "reason",
		  "%lld of %llu bytes were returned because of %s",
		  (long long)t->res.ret, (unsigned long long)asked,
		  m_reason_name[r]);
}

/* With data in hand, room left and a good data record ready it goes on. */
static bool should_go_on(struct sim *s, const struct sim_event *e)
{
	const struct ledger_call *c = ledger_call(s, e->task);
	const struct tls_sw_context_rx *ctx = ledger_rx(s);
	const struct ledger_msg *m = &c->msg;
	u32 fault = MET_NOMEM | MET_SIGNAL | MET_DECRYPT_BAD;

	if (!m->put || m->type != TLS_RECORD_TYPE_DATA || c->met & fault ||
	    m->put >= call_asked(inv_call(s, e)) ||
	    inv_bad_from(inv_call(s, e)) != UINT64_MAX)
		return false;
	return ctx->strp.msg_ready && !ctx->key_update_pending &&
	       (inv_is_peek(inv_call(s, e)) ||
		skb_queue_empty(&ctx->rx_list)) &&
	       ledger_front_good(s->ledger) &&
	       s->ledger->peer->recs[s->ledger->front].type ==
		       TLS_RECORD_TYPE_DATA;
}

/* A peek leaves what it showed on rx_list; what follows there is of another
 * type when the peek stopped inside the list. */
static bool peek_stopped_in_list(const struct sim *s, const struct sim_event *e)
{
	const struct ledger_msg *m = &ledger_call(s, e->task)->msg;

	return inv_is_peek(inv_call(s, e)) && m->last + 1 < s->ledger->opened;
}

static void on_event(struct sim *s, void *state, const struct sim_event *e)
{
	(void)state;
	if (!call_is_recv(inv_call(s, e)->kind))
		return;
	INV_CHECK(s, S1, !should_go_on(s, e) || peek_stopped_in_list(s, e),
		  "stopped-early",
		  "%s stops with %llu bytes though record %u is ready",
		  s->tasks[e->task].t.name,
		  (unsigned long long)ledger_call(s, e->task)->msg.put,
		  s->ledger->front);
}

static const enum m_event_kind events[] = { EV_READER_OFF, M_EVENT_COUNT };

const struct inv_ops inv_S1 = {
	.id = INV_S1,
	.events = events,
	.on_event = on_event,
	.on_return = on_return,
};
