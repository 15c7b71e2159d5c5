/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves that an invariant can fail: runs a trace in a world that is broken on
 * purpose at one event, and expects exactly that breach.
 */
#ifndef TESTS_BROKEN_H
#define TESTS_BROKEN_H

#include <check.h>

#include "sim/inv/inv.h"
#include "sim/inv/ledger.h"

/* Changes the event, or the world around it; see struct sim. */
typedef struct sim_event *(*tamper_fn)(struct sim *s, struct sim_event *e);

/* The trace (without its first line) breaks @id in the form @slug when @tamper
 * is at work (NULL: by itself), with known findings reported. */
void expect_breach(const char *text, tamper_fn tamper, enum inv_id id,
		   const char *slug);
/* It breaks nothing, known findings passed over, and @id was checked. */
void expect_holds(const char *text, enum inv_id id);
/* It breaks nothing at all, findings included, and @id was checked. */
void expect_clean(const char *text, enum inv_id id);
/* The same as expect_breach() in another profile. */
void expect_breach_in(const char *profile, const char *text, tamper_fn tamper,
		      enum inv_id id, const char *slug);

/* Logs one more event in front of @e, as if the model had; where @e is now. */
struct sim_event *tamper_insert(struct sim *s, struct sim_event *e,
				enum m_event_kind kind, s64 a, s64 b, s64 c);

/* Task of an event's call; NULL in softirq and for the kworker. */
static inline struct sim_task *tamper_task(struct sim *s,
					   const struct sim_event *e)
{
	return e->task < s->task_n ? &s->tasks[e->task] : NULL;
}

/* NULL before the keys and after close. */
static inline struct tls_sw_context_rx *tamper_rx(struct sim *s)
{
	struct tls_context *ctx = s->conn.sk ? tls_get_ctx(s->conn.sk) : NULL;

	return ctx ? ctx->rx_ctx : NULL;
}

#endif
