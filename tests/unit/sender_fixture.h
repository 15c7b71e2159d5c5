/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Short words for the tests of the peer's TCP sender. Where windows and losses
 * matter the sender is deaf to the socket and the test says what arrived.
 */
#ifndef TESTS_UNIT_SENDER_FIXTURE_H
#define TESTS_UNIT_SENDER_FIXTURE_H

#include "tests/unit/peer_fixture.h"

#define MS NSEC_PER_MSEC

static struct peer_fix *f;
static struct sim_peer *p;
static struct sim_sender *s;

static inline void setup(void)
{
	f = peer_fix_new();
	p = peer_fix_peer(f);
	s = &p->sender;
}

static inline void teardown(void)
{
	peer_fix_free(f);
}

/* @n raw records of @len bytes. */
static inline void add_raw(u32 n, u32 len)
{
	while (n--)
		peer_fix_add(f, REC_RAW, 0, len)->raw =
			mem_pool_alloc(f->s.pool, len);
}

/* @n records of @len bytes, and a receiver played by the test. */
static inline void start_deaf(u32 n, u32 len)
{
	add_raw(n, len);
	f->deaf = true;
	peer_fix_start(f);
}

static inline void send_rec(u32 rec)
{
	struct stmt_wire w = peer_fix_wire(f, rec);

	peer_fix_send(f, &w);
}

static inline void wire_rec(u32 rec)
{
	struct stmt_wire w = peer_fix_wire(f, rec);
	struct sim_err err;

	ck_assert_int_eq(wire_deliver(p, &f->tr, &w, &err), 0);
}

static inline void ack(u64 off, u32 win)
{
	sender_ack(p, TCPHDR_ACK, off, win);
	sender_push(p);
}

/* The window is withdrawn, then opened to @win bytes. */
static inline void window(u64 off, u32 win)
{
	ack(off, 0);
	ack(off, win);
}

/* The clock goes to the timer, which fires. */
static inline void fire(void)
{
	ck_assert_int_ge(s->timer_ns, 0);
	f->s.now_ns = s->timer_ns;
	sender_timer(p);
	sender_push(p);
}

static inline void check_seg(u32 i, s64 off, s64 len, s64 flags)
{
	peer_fix_check_seg(f, i, off, len, flags);
}

#endif
