/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reference: a list of records and a cursor. No kernel structure, no loop
 * of the kernel; what a call that meets no surprise has to answer.
 *
 *   [A][B][C][alert][D]...       the peer's records
 *       ^ at, off                next byte
 *
 * It is told of arrivals and keys, asked what a call must return, and moved on
 * by what calls took. "Cannot say" is an answer, too: it knows nothing of
 * timing. sim/inv/ref_answer.c asks in every run.
 */
#ifndef SIM_REF_H
#define SIM_REF_H

#include "sim/peer/peer.h"

/**
 * struct ref - the cursor
 * @peer: whose records
 * @keyed: keys are set
 * @lost: it does not know where the stream is any more
 * @pauses: behind a KeyUpdate nothing is read until new keys come
 * @bad: a record that does not open was met with these keys or earlier
 * @at: record of the next byte
 * @off: that byte
 * @first: first record that the keys now in force have to open
 * @gen: their generation
 * @seq: record number of @first
 */
struct ref {
	const struct sim_peer *peer;
	bool keyed;
	bool lost;
	bool pauses;
	bool bad;
	u32 at;
	u32 off;
	u32 first;
	u32 gen;
	u64 seq;
};

/* Who asks. */
enum ref_call {
	REF_RECV, /* recvmsg, recv, read, readv */
	REF_SPLICE, /* one record */
	REF_READ_SOCK,
};

/**
 * struct ref_question - a call
 * @call: which
 * @asked: bytes, at least 1
 * @room: for the type of a record
 * @arrived: stream bytes that are there, in order
 * @ended: nothing more will come
 * @sick: the connection has an error of its own: behind what is there it
 *	cannot say
 */
struct ref_question {
	enum ref_call call;
	u64 asked;
	bool room;
	u64 arrived;
	bool ended;
	bool sick;
};

/**
 * struct ref_answer - what it must return
 * @ret: bytes or negative errno; -EAGAIN where a call that may wait sleeps
 * @rec: record of the first byte
 * @off: that byte
 */
struct ref_answer {
	s64 ret;
	u32 rec;
	u32 off;
};

/* TLS_RX was set for the first time, the stream is at byte @pos. */
void ref_keys(struct ref *r, const struct sim_peer *p, u64 pos, u32 gen,
	      u64 seq);
/* And again; the records in front of @opened were opened before. */
void ref_rekey(struct ref *r, u32 opened, u32 gen, u64 seq);
/* False: cannot say. */
bool ref_ask(struct ref *r, const struct ref_question *q, struct ref_answer *a);
/* A call took @len bytes, or with 0 an empty record that is no data. */
void ref_took(struct ref *r, u64 len);

#endif
