/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sender.c and sender_push.c share: state that follows from other state.
 */
#ifndef SIM_SENDER_INT_H
#define SIM_SENDER_INT_H

#include "sim/world/world.h"

#define RTO_MIN_NS (200 * NSEC_PER_MSEC)
#define RTO_MAX_NS (120 * NSEC_PER_SEC)

/* Nobody will ever take another byte. */
static inline bool is_over(const struct sim_peer *p)
{
	return !p->conn->sk || p->conn->sk->sk_dead || p->sender.dead ||
	       p->rx_closed == 2;
}

static inline bool in_flight(const struct sim_sender *s)
{
	return s->snd_nxt + s->fin_sent > s->snd_una;
}

static inline bool unsent(const struct sim_sender *s)
{
	return s->snd_nxt < s->queued || (s->fin_queued && !s->fin_sent);
}

static inline void arm_timer(struct sim_peer *p)
{
	p->sender.timer_ns = p->conn->s->now_ns + p->sender.rto_ns;
}

#endif
