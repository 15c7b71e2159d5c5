/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the invariants share: their names and small questions.
 */
#ifndef SIM_INV_LOCAL_H
#define SIM_INV_LOCAL_H

#include "sim/inv/inv.h"
#include "sim/inv/ledger.h"

#define INVARIANT(id, sentence) extern const struct inv_ops inv_##id;
#include "sim/inv/invariants.def"
#undef INVARIANT

#define CMSG_LEN_1 17u /* control bytes that one record type needs */

/* State of an invariant, for its tests. */
void *inv_own_state(const struct sim *s, enum inv_id id);

/* The check of @id holds, or fails with @slug and the rest as text. */
#define INV_CHECK(s, id, cond, slug, ...)                         \
	do {                                                      \
		if (likely(cond))                                 \
			inv_checked(s, INV_##id);                 \
		else                                              \
			inv_fail(s, INV_##id, slug, __VA_ARGS__); \
	} while (0)

static inline const struct trace_call *inv_call(const struct sim *s,
						const struct sim_event *e)
{
	return s->tasks[e->task].call;
}

/* What keeps a record's length less than a call asked for. */
enum short_rule {
	RULE_MISSING, /* no row in the table */
	RULE_WHOLE, /* all bytes asked for */
	RULE_TARGET, /* at least the target */
	RULE_SHORT, /* any number of bytes, at least one */
	RULE_NOTHING, /* no bytes: 0 or an error */
	RULE_ANY, /* both: the exit does not decide it */
	RULE_OTHER, /* no call that hands out bytes ends so */
};

/* Row of a reason (s1_short.c). */
enum short_rule short_rule_of(enum m_reason reason);

/**
 * struct inv_part - one message of a call that hands out bytes
 * @ret: what it returned
 * @asked: bytes it asked for
 * @res: the rest of the result
 * @msg: what the ledger knows, NULL: it never had the reader role
 * @at: length of the log when this was filled in
 * @i: which message
 */
struct inv_part {
	s64 ret;
	u64 asked;
	const struct call_result *res;
	const struct ledger_msg *msg;
	u32 at;
	u32 i;
};

/* Messages of @t's call: 1, or those of recvmmsg, a failed last one counted. */
u32 inv_part_count(const struct sim_task *t);
/* The @i-th; good until the next is asked for. */
const struct inv_part *inv_part(const struct sim *s, const struct sim_task *t,
				u32 i);

/* The call was a consumer of TLS records from its start. */
static inline bool inv_tls_call(const struct sim *s, const struct sim_task *t)
{
	const struct ledger_call *c = ledger_call(s, t->t.id);

	return call_takes_data(t->call->kind) && !c->plain && c->msg_n;
}

static inline bool inv_is_peek(const struct trace_call *c)
{
	return call_is_recv(c->kind) && c->flags & M_MSG_PEEK;
}

/* The first of the bytes asked for that is in an inaccessible buffer. */
u64 inv_bad_from(const struct trace_call *c);

#endif
