/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Invariants: promises checked in every run of every trace. Each lives in its
 * own file under sim/inv/ and registers for the events it needs; the ids and
 * sentences are in sim/inv/invariants.def.
 */
#ifndef SIM_INV_H
#define SIM_INV_H

#include "sim/world/world.h"

enum inv_id {
#define INVARIANT(id, sentence) INV_##id,
#include "sim/inv/invariants.def"
#undef INVARIANT
	INV_COUNT,
};
extern const char *const inv_name[INV_COUNT];
extern const char *const inv_text[INV_COUNT];

/**
 * struct inv_ops - one invariant
 * @id: which
 * @state_size: bytes of state, zeroed at the start of a world
 * @events: kinds it wants, ended by M_EVENT_COUNT
 * @on_event: called after the event was logged
 * @every_return: @on_return wants to hear of calls, too, that hand out no bytes
 * @on_return: a call ended; @t->res is complete (after EV_RETURN was logged)
 * @on_quiet: nothing more can run at this instant (before the clock moves or
 *	the next statement runs)
 * @on_finished: second phase of a random run is over: the peer sent all and
 *	closed, pipes were drained, nothing more will happen
 * @on_end: the world was torn down
 */
struct inv_ops {
	enum inv_id id;
	size_t state_size;
	const enum m_event_kind *events;
	void (*on_event)(struct sim *s, void *st, const struct sim_event *e);
	bool every_return;
	void (*on_return)(struct sim *s, void *st, struct sim_task *t);
	void (*on_quiet)(struct sim *s, void *st);
	void (*on_finished)(struct sim *s, void *st);
	void (*on_end)(struct sim *s, void *st);
};

extern const struct inv_ops *const inv_table[INV_COUNT];

/* Called by the world. */
struct inv_state *inv_new(void);
void inv_free(struct inv_state *st);
void inv_start(struct sim *s);
/* False: inv_event() would do nothing with this kind. */
bool inv_wants(const struct inv_state *st, enum m_event_kind kind);
void inv_event(struct sim *s, const struct sim_event *e);
void inv_return(struct sim *s, struct sim_task *t);
void inv_quiet(struct sim *s);
void inv_finished(struct sim *s);
void inv_end(struct sim *s);

struct inv_part;

/**
 * struct inv_head - the part of struct inv_state that is looked at often
 * @checks: checks made since inv_new()
 * @ref_calls: calls that take data and may be asked the reference about (REF)
 * @part: message of the returned call looked at last (sim/inv/parts.c)
 */
struct inv_head {
	u64 checks[INV_COUNT];
	u64 ref_calls;
	struct inv_part *part;
};

/* Called by invariants. A check that held is counted, too. */
static inline void inv_checked(struct sim *s, enum inv_id id)
{
	((struct inv_head *)s->inv)->checks[id]++;
}

/* A call that takes data has returned; inv_checked() says that the reference
 * knew its result. */
static inline void inv_ref_call(struct sim *s)
{
	((struct inv_head *)s->inv)->ref_calls++;
}

/**
 * inv_fail() - a promise is broken
 * @s: world
 * @id: which promise
 * @slug: short name of this form of the breach, a literal; with @id it is the
 *	signature by which known findings are recognised
 * @fmt: printf format of what was seen instead
 *
 * The first one becomes the verdict and stops the world. With
 * sim_opts.ignore_known a known finding is only counted, and what a change of
 * the profile is known to break is passed over.
 */
void inv_fail(struct sim *s, enum inv_id id, const char *slug, const char *fmt,
	      ...) __printf(4, 5);
/* Checks made since inv_new(), over all worlds. */
u64 inv_checks(const struct sim *s, enum inv_id id);
/* Calls the reference may be asked about, since inv_new(). */
u64 inv_ref_calls(const struct sim *s);

/**
 * struct finding - a breach that the kernel of profile v7.2 commits itself
 * @inv: the promise
 * @slug: form of the breach, see inv_fail()
 * @text: how a user could be hurt
 */
struct finding {
	enum inv_id inv;
	const char *slug;
	const char *text;
};

/* sim/inv/findings.def, in its order. */
extern const struct finding finding_table[];
extern const u32 finding_count;
/* NULL: not a known one. */
const struct finding *finding_known(enum inv_id id, const char *slug);
/* A change of the profile is known to break this promise (sim/inv/breaches.def). */
bool profile_breaks(const struct m_kernel *k, enum inv_id id, const char *slug);
/* How often it was met and ignored since inv_new(). */
u32 finding_hits(const struct sim *s, const struct finding *f);

#endif
