/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A peer and a modelled socket without the rest of the world, for unit tests.
 *
 * The test adds records, then starts; ACKs of the socket reach the sender at
 * once, unless the test plays the receiver itself.
 */
#ifndef TESTS_UNIT_PEER_FIXTURE_H
#define TESTS_UNIT_PEER_FIXTURE_H

#include <check.h>

#include "sim/world/world.h"

enum {
	PEER_FIX_RECS = 64,
	PEER_FIX_SEGS = 256,
	PEER_FIX_IRS = 5000,
};

/**
 * struct peer_seg - one segment that reached the socket
 * @off: stream offset
 * @len: payload bytes
 * @flags: 1 FIN, 4 RST, 32 URG
 */
struct peer_seg {
	s64 off;
	s64 len;
	s64 flags;
};

/**
 * struct peer_fix - the fixture
 * @s: a world of which only kernel, pool, arena, time and connection are used
 * @tr: its trace; options may be changed before peer_fix_start()
 * @recs: records of the trace
 * @task: runs the test
 * @deaf: ACKs do not reach the sender, the test calls sender_ack()
 * @segs: segments received
 * @seg_n: how many; may be reset by the test
 */
struct peer_fix {
	struct sim s;
	struct trace tr;
	struct trace_rec recs[PEER_FIX_RECS];
	struct m_task task;
	bool deaf;
	struct peer_seg segs[PEER_FIX_SEGS];
	u32 seg_n;
};

struct peer_fix *peer_fix_new(void);
/* Fails the test when an allocation of the model is still live. */
void peer_fix_free(struct peer_fix *f);
/* Adds a record; returned for further changes until the start. */
struct trace_rec *peer_fix_add(struct peer_fix *f, enum rec_kind kind, u8 type,
			       u32 len);
/* Version and cipher, before the start. */
void peer_fix_use(struct peer_fix *f, u16 version, u16 cipher);
/* A record, which must have been built. */
const struct peer_rec *peer_fix_built(struct peer_fix *f, u32 rec);
/* Makes socket and peer, and builds all records. */
void peer_fix_start(struct peer_fix *f);
/* The same without building. */
void peer_fix_open(struct peer_fix *f);
/* The peer. */
static inline struct sim_peer *peer_fix_peer(struct peer_fix *f)
{
	return &f->s.conn.peer;
}

/* Record @rec opened with the keys it was sealed with: plaintext (1.3 inner
 * text) into @out; its length, or negative. Sees only the stream's bytes. */
int peer_fix_unseal(struct peer_fix *f, u32 rec, u8 *out);
/* As peer_fix_unseal(), with other key material. */
int peer_fix_unseal_with(struct peer_fix *f, u32 rec, u8 type,
			 const struct tls_crypto_info_m *info, u8 *out);
/* A statement for all of record @rec, options at their defaults. */
struct stmt_wire peer_fix_wire(struct peer_fix *f, u32 rec);
/* Wire or send bytes of record @rec with the statement's options. */
void peer_fix_send(struct peer_fix *f, const struct stmt_wire *w);
/* Takes everything queued out of the socket; how many bytes. */
u32 peer_fix_drain(struct peer_fix *f);
/* Checks segment @i of the log. */
void peer_fix_check_seg(const struct peer_fix *f, u32 i, s64 off, s64 len,
			s64 flags);

#endif
