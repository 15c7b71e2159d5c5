/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ledger: which record of the peer every record of the receiver is, what
 * has been handed out, and what each call has met so far.
 *
 *   peer:      A B C D E F G H ...      struct peer_rec, by index
 *              ^cursor   ^opened  ^front
 *   taken -----+         |        |     before: handed out by consuming calls
 *   rx_list -------------+        |     before: decrypted well
 *   parser -----------------------+     the record it is at, at stream byte pos
 *
 * Everything is O(1) an event, however many records wait. The ledger runs
 * before the invariants: at an event they see it up to date, and what changed
 * in @put. When bytes go another way (a plain read that took some after the
 * keys were set, a raw record that really opens) the ledger is lost: byte
 * checks stop and are counted as such.
 */
#ifndef SIM_LEDGER_H
#define SIM_LEDGER_H

#include "sim/world/world.h"

/**
 * enum ledger_state - what the receiver is doing
 * @LEDGER_PLAIN: no TLS_RX keys, calls hand out the raw stream
 * @LEDGER_TLS: keys are set and every byte is accounted for
 * @LEDGER_LOST: no longer known
 */
enum ledger_state {
	LEDGER_PLAIN,
	LEDGER_TLS,
	LEDGER_LOST
};

/* Does the trace change bytes on the wire? */
enum ledger_wire {
	WIRE_UNKNOWN,
	WIRE_CLEAN,
	WIRE_DIRTY
};

/* Which kinds of call hand out bytes of the socket. */
static inline bool call_is_recv(enum call_kind k)
{
	return k <= CALL_RECVMMSG;
}

static inline bool call_takes_data(enum call_kind k)
{
	return k <= CALL_READ_SOCK;
}

/**
 * struct ledger_msg - one stay in the reader role: what one recvmsg, splice or
 * read_sock handed out
 * @rec: cursor at its start
 * @off: likewise, byte of that record
 * @put: plaintext bytes handed out
 * @last: record the last byte came from
 * @last_off: one behind it, in that record
 * @whole: records handed out to their last byte
 * @opened: records decrypted well when it began
 * @seen: records it decrypted well itself
 * @zc_reach: how far zero-copy attempts that came to nothing may have written,
 *	from the start of the message
 * @zc_met: MET_ZC_* bits of those attempts
 * @target: bytes the call must not sleep with
 * @type: content type of the first byte
 * @typed: @type is set
 * @zc_capable: zero copy was possible when it began
 * @listed: rx_list had records when it began
 * @failed: a bad record had been met when it began
 * @wrapped: the record number had gone round
 * @stopped: framing had been lost, with that errno
 * @closed: the role was given up
 * @interrupted: by a signal; a restarted call takes its place
 * @next_type: type of the record that came next then, if it was decrypted, -1
 *	otherwise
 * @ready_left: records were there when it gave the role up: parsed, or on
 *	rx_list
 */
struct ledger_msg {
	u32 rec;
	u32 off;
	u64 put;
	u32 last;
	u32 last_off;
	u32 whole;
	u32 opened;
	u32 seen;
	u64 zc_reach;
	u32 zc_met;
	u32 target;
	u8 type;
	bool typed;
	bool zc_capable;
	bool listed;
	bool failed;
	bool wrapped;
	int stopped;
	bool closed;
	bool interrupted;
	bool ready_left;
	int next_type;
};

/* What a call met, and with it why it may answer as it does. */
enum ledger_met {
	MET_NOMEM = 1 << 0, /* an allocation failed */
	MET_SIGNAL = 1 << 1, /* a signal came while it ran */
	MET_DECRYPT_BAD = 1 << 2, /* a decryption failed with EBADMSG */
	MET_DECRYPT_FAULT = 1 << 3, /* with EFAULT */
	MET_DECRYPT_NOMEM = 1 << 4, /* with ENOMEM */
	MET_TIMED_OUT = 1 << 5, /* a sleep ran out */
	MET_REKEY = 1 << 6, /* a rekey was pending while it had the role */
	MET_ZC_PADDED = 1 << 7, /* zero copy backed out of padding */
	MET_ZC_TYPE = 1 << 8, /* or of another type */
	MET_ZC_BAD_TAG = 1 << 9, /* it may have failed in user memory */
	MET_THEFT = 1 << 10, /* the record it was about to read had gone */
};

/**
 * struct ledger_call - what is known of a task's current call
 * @msg: the current or last message
 * @older: messages before it (recvmmsg), in the run's pool
 * @older_n: how many
 * @msg_n: messages, @msg included; 0: it never had the reader role
 * @met: enum ledger_met bits
 * @err_taken: sk_err it fetched, positive; 0 none
 * @target: bytes a plain recv must not sleep with
 * @took: raw stream bytes it took from TCP (before the keys)
 * @raw: raw stream bytes that went into a pipe (before the keys)
 * @sleep_where: enum m_sleep of the last sleep
 * @in: between EV_CALL and EV_RETURN
 * @plain: it hands out TCP's bytes: it began before the keys were set, or is
 *	read_sock of a kernel that has none of TLS
 * @overlapped: another call took raw bytes meanwhile
 * @nonblock: it must not wait for the socket
 * @unsure: O_NONBLOCK or SO_RCVLOWAT changed while it ran
 */
struct ledger_call {
	struct ledger_msg msg;
	struct ledger_msg *older;
	u32 older_n;
	u32 msg_n;
	u32 met;
	int err_taken;
	u32 target;
	u64 took;
	u64 raw;
	u32 sleep_where;
	bool in;
	bool plain;
	bool overlapped;
	bool nonblock;
	bool unsure;
};

/**
 * struct ledger_put - what the last EV_PUT_USER did
 * @rec: record of the peer
 * @off: first byte
 * @len: bytes
 * @want_rec: record that was due
 * @want_off: byte of it that was due
 * @peek: the call peeks
 * @known: the other fields mean something
 */
struct ledger_put {
	u32 rec;
	u32 off;
	u32 len;
	u32 want_rec;
	u32 want_off;
	bool peek;
	bool known;
};

/**
 * struct ledger - see the head of this file
 * @state: see enum ledger_state
 * @peer: the other end
 * @rec: cursor: record the next byte of a consuming call comes from, or an
 *	empty one in front of that
 * @off: cursor: byte of it, always less than its length or 0
 * @peek_rec: the same for the peek under way
 * @peek_off: likewise
 * @pos: stream byte the parser is at
 * @front_len: bytes of the parsed record there, 0: none parsed
 * @front: record of the peer at @pos, if @aligned
 * @front_recno: the receiver's number of it
 * @aligned: what was parsed is exactly the record @front
 * @delta: record of the peer minus the receiver's number
 * @mapped: @delta is known
 * @opened: one behind the last record decrypted well
 * @solid: first record from @rec on that is not a good empty data record;
 *	only ever moves forward
 * @ahead: receiver's number, plus one, of a record that a splice decrypted, did
 *	not touch and put on rx_list, returning bytes that came ahead of it, so
 *	that nobody was told; 0 none
 * @gen: key generation of the receiver
 * @seq: number of the record it opens next
 * @keys_fit: cipher and version are the peer's
 * @wrapped: the record number went round
 * @stopped: framing is lost, with that positive errno
 * @failed: a record failed to authenticate or to parse inside, and has not
 *	been opened since
 * @failed_recno: which
 * @tcp_pos: where TCP's copied_seq was last seen, relative
 * @raw_pos: next raw stream byte a plain call hands out
 * @raw_lost: not known
 * @wire_dirty: see enum ledger_wire
 * @urgent: the trace sends urgent bytes; likewise
 * @closing: close(2) has begun
 * @violated: the zero copy about to be retried met padding
 * @put: see struct ledger_put
 * @calls: one a task
 * @sick: sk_err that recvmmsg left behind without telling anybody, positive
 * @lost_checks: byte checks not made because the ledger is lost
 */
struct ledger {
	enum ledger_state state;
	const struct sim_peer *peer;
	u32 rec;
	u32 off;
	u32 peek_rec;
	u32 peek_off;
	u64 pos;
	u32 front_len;
	u32 front;
	u64 front_recno;
	bool aligned;
	bool mapped;
	s64 delta;
	u32 opened;
	u32 solid;
	u64 ahead;
	u32 gen;
	u64 seq;
	bool keys_fit;
	bool wrapped;
	int stopped;
	bool failed;
	u64 failed_recno;
	s64 tcp_pos;
	u64 raw_pos;
	bool raw_lost;
	enum ledger_wire wire_dirty;
	enum ledger_wire urgent;
	bool closing;
	bool violated;
	int sick;
	struct ledger_put put;
	struct ledger_call *calls;
	u64 lost_checks;
};

struct ledger *ledger_new(void);
void ledger_free(struct ledger *l);
/* A fresh world; the connection exists, no call was made yet. */
void ledger_start(struct sim *s);
/* close(2) is about to throw away what is left. */
void ledger_closing(struct sim *s);

/**
 * ledger_left() - what no call has taken
 *
 * Plaintext bytes of the records the peer has built, spoilt ones not counted;
 * before the keys are set, raw stream bytes. 0 when the ledger is lost. O(n).
 */
u64 ledger_left(const struct sim *s);

/* ledger_event() must see events of this kind. */
bool ledger_wants(enum m_event_kind kind);
/* Called by inv_event(), before the invariants. */
void ledger_event(struct sim *s, const struct sim_event *e);
/* Called by inv_return(), behind them. */
void ledger_return(struct sim *s, struct sim_task *t);

static inline struct ledger_call *ledger_call(const struct sim *s, u32 task)
{
	return &s->ledger->calls[task];
}

/* Receive state, NULL before the keys and after close. */
static inline struct tls_sw_context_rx *ledger_rx(const struct sim *s)
{
	const struct tls_context *ctx;

	if (s->ledger->closing || !s->conn.sk)
		return NULL;
	ctx = tls_get_ctx(s->conn.sk);
	return ctx ? ctx->rx_ctx : NULL;
}

/* Message @i of a call, from 0. */
const struct ledger_msg *ledger_msg(const struct ledger_call *c, u32 i);

/* Record @recno of the receiver; NULL when not known. */
const struct peer_rec *ledger_rec(const struct ledger *l, u64 recno);

/* The receiver's keys open it: sealed with its generation and that number. */
bool ledger_opens(const struct ledger *l, const struct peer_rec *r, u64 seq);
/* The record in front of the parser is whole, good and the next to open. */
bool ledger_front_good(const struct ledger *l);

/**
 * ledger_unparsed() - a whole record waits in TCP that nobody has parsed
 *
 * Nothing is ready in the parser, but a read that parsed now would find a
 * whole record, or a header that it must refuse. What one backlog segment
 * would complete does not count.
 */
bool ledger_unparsed(struct sim *s);

/* rx_list has something else than empty data records. */
bool ledger_listed(const struct sim *s);

/* What is first on rx_list was left there by a splice that did not say so, see
 * struct ledger. */
bool ledger_listed_ahead(const struct sim *s);

/**
 * ledger_read_answers() - parser and TCP have what a read waits for
 * @s: world
 * @want: bytes it waits for, at least 1
 *
 * That many bytes of data, or a record behind fewer that ends the read: of
 * another type, bad, or with a header that must be refused. False when it
 * depends on what has not arrived; rx_list, sk_err, a pending rekey and end of
 * stream are not looked at.
 */
bool ledger_read_answers(struct sim *s, u64 want);

/* A record of @data_len plaintext bytes may be decrypted to user memory by the
 * task's call (facts rx.md A9.3). */
bool ledger_maybe_zc(const struct sim *s, u32 task, u32 data_len);
/* Bytes a call asks for: its buffers, or read_sock's count. */
u64 call_asked(const struct trace_call *c);
/* Raw bytes a plain call took. */
u64 ledger_raw_taken(const struct sim_task *t);

/* First record, from the cursor on, that is not empty data; at most @opened
 * plus the one in front. */
u32 ledger_solid(struct ledger *l);

/* The first mismatch of @len bytes at @at with the plaintext that follows
 * (@rec, @off); -1: they match. Empty records are stepped over. */
s64 ledger_compare(const struct ledger *l, u32 rec, u32 off, const u8 *at,
		   u64 len);
/* The same with raw stream bytes. */
s64 ledger_compare_raw(const struct ledger *l, u64 pos, const u8 *at, u64 len);

/* No statement of the trace changes bytes on the wire. */
bool ledger_wire_clean(struct sim *s);
/* No statement of the trace sends urgent bytes. */
bool ledger_no_urgent(struct sim *s);
/* What the parser holds is what the peer built, byte for byte. */
bool ledger_front_intact(struct sim *s);
/* What the header check must say of the bytes the parser is at: 0 or a
 * positive errno; -1: not known. */
int ledger_header_errno(struct sim *s);

#endif
