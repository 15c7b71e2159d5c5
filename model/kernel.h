/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the model asks of the world, and nothing else: memory, sleep and wake,
 * softirq points, work queues, transmit, and the event log.
 *
 * One struct m_kernel is one simulated kernel with one profile. Any number of
 * them live in one process; the model has no other state. The world (sim/)
 * fills in @ops and embeds struct m_kernel and struct m_task in its own types.
 *
 * Start here when reading model/; then skb.h, sock.h, tcp.h, tls.h, pipe.h.
 */
#ifndef MODEL_KERNEL_H
#define MODEL_KERNEL_H

#include "model/types.h"

struct sock;
struct m_kernel;
struct m_task;

/* Named places where a softirq may land or a task may be preempted. */
enum m_point {
#define POINT(id, name, what) POINT_##id,
#include "model/points.def"
#undef POINT
	M_POINT_COUNT
};

/* Allocation sites, for `fail alloc <site> #n`. */
enum m_site {
#define SITE(id, name, what) SITE_##id,
#include "model/sites.def"
#undef SITE
	M_SITE_COUNT
};

/* Why a call ended as it did. */
enum m_reason {
#define REASON(id, name, sentence) REASON_##id,
#include "model/reasons.def"
#undef REASON
	M_REASON_COUNT
};

/* Named differences between kernels, then bugs of the past brought back. */
enum m_change {
#define CHANGE(id, name, title) CHANGE_##id,
#include "model/changes.def"
	M_CHANGE_KNOWN_BAD,
	M_CHANGE_BEFORE_KNOWN_BAD = M_CHANGE_KNOWN_BAD - 1,
#include "model/known_bad.def"
#undef CHANGE
	M_CHANGE_COUNT
};

/* TLS MIB counters, in the order of /proc/net/tls_stat. */
enum m_mib {
#define MIB(id) MIB_##id,
#include "model/mib.def"
#undef MIB
	M_MIB_COUNT
};

/* Events, the only observable of the model. */
enum m_event_kind {
#define EVENT(id, name, fmt, what) EV_##id,
#include "model/events.def"
#undef EVENT
	M_EVENT_COUNT
};

extern const char *const m_point_name[M_POINT_COUNT];
extern const char *const m_site_name[M_SITE_COUNT];
extern const char *const m_reason_name[M_REASON_COUNT];
extern const char *const m_reason_text[M_REASON_COUNT];
extern const char *const m_change_name[M_CHANGE_COUNT];
extern const char *const m_change_title[M_CHANGE_COUNT];
extern const char *const m_mib_name[M_MIB_COUNT];
extern const char *const m_event_name[M_EVENT_COUNT];
extern const char *const m_event_fmt[M_EVENT_COUNT];

/**
 * struct m_work - a deferred function, run once in process context
 * @fn: called by the world, with no socket owned
 * @list: world's queue of pending items
 * @pending: queued and not yet started; queueing again is then a no-op
 */
struct m_work {
	void (*fn)(struct m_work *work);
	struct list_head list;
	bool pending;
};

/**
 * struct m_task - what the model knows of a simulated thread
 * @name: printable name (`r1`); owned by the world
 * @id: small number, unique in one world
 * @reason: why the current call ends as it does; the last exit passed wins
 * @woken: set by wake, cleared when a sleep starts (as WQ_FLAG_WOKEN)
 * @sigpipe: a SIGPIPE was raised in the current call
 */
struct m_task {
	const char *name;
	u32 id;
	enum m_reason reason;
	bool woken;
	bool sigpipe;
};

/**
 * struct m_ops - the world's services
 * @alloc: @size bytes, uninitialised (poisoned); NULL when the fault plan of
 *	@site says so. Never NULL otherwise.
 * @free: give back what @alloc returned; @size must be the same
 * @schedule: sleep the current task until m_wake() on it, until @timeout_ns
 *	passed (MAX_SCHEDULE_TIMEOUT: never), or, if @interruptible, until a
 *	signal is pending. Returns the time left, 0 when it ran out. Returns at
 *	once when the task is already woken. Yields.
 * @wake: make @task runnable, from any context
 * @signal_pending: the current task has a signal to handle
 * @sigpipe: raise SIGPIPE in the current task
 * @point: a named place was reached; the world may run softirqs or other
 *	tasks. Yields.
 * @queue_work: run @work->fn later in process context
 * @cancel_work: the item is neither pending nor running after this. Yields.
 * @xmit: the socket sends a segment: @flags of TCPHDR_ACK, _FIN, _RST; @win is
 *	the window in bytes
 * @event: append to the log; current task and time are added by the world
 */
struct m_ops {
	void *(*alloc)(struct m_kernel *k, enum m_site site, size_t size);
	void (*free)(struct m_kernel *k, void *ptr, size_t size);
	s64 (*schedule)(struct m_kernel *k, s64 timeout_ns, bool interruptible);
	void (*wake)(struct m_kernel *k, struct m_task *task);
	bool (*signal_pending)(struct m_kernel *k);
	void (*sigpipe)(struct m_kernel *k);
	void (*point)(struct m_kernel *k, enum m_point point);
	void (*queue_work)(struct m_kernel *k, struct m_work *work);
	void (*cancel_work)(struct m_kernel *k, struct m_work *work);
	void (*xmit)(struct sock *sk, u32 flags, u32 ack, u32 win);
	void (*event)(struct m_kernel *k, enum m_event_kind kind, s64 a, s64 b,
		      s64 c);
};

/* A set of changes, one bit each. */
struct m_changes {
	u64 bits[(M_CHANGE_COUNT + 63) / 64];
};

/**
 * struct m_kernel - one simulated kernel
 * @ops: services of the world
 * @current: the running task; NULL in softirq
 * @changes: the profile: which named changes this kernel has
 * @mib: TLS counters of the (only) network namespace
 * @in_softirq: depth; sleeping while it is not zero is a bug (X1)
 * @gfp_atomic: depth of tls_strp_data_ready's forced GFP_ATOMIC
 * @memory_pressure: global TCP memory pressure
 * @points_armed: somebody wants to hear of m_point(); else it costs a test
 * @sock_id: source of struct sock ids
 * @skb_id: source of struct sk_buff ids, for the log
 * @page_id: source of struct page ids, for the log
 * @pipe_id: source of struct pipe_inode_info ids
 * @aead_pool: idle crypto transforms, kept across worlds (see crypto.h)
 */
struct m_kernel {
	const struct m_ops *ops;
	struct m_task *current;
	struct m_changes changes;
	u64 mib[M_MIB_COUNT];
	u32 in_softirq;
	u32 gfp_atomic;
	bool memory_pressure;
	bool points_armed;
	u32 sock_id;
	u32 skb_id;
	u32 page_id;
	u32 pipe_id;
	struct crypto_pool *aead_pool;
};

static inline bool m_has(const struct m_kernel *k, enum m_change c)
{
	return k->changes.bits[c / 64] >> (c % 64) & 1;
}

static inline void *m_alloc(struct m_kernel *k, enum m_site site, size_t size)
{
	return k->ops->alloc(k, site, size);
}

static inline void m_free(struct m_kernel *k, void *ptr, size_t size)
{
	k->ops->free(k, ptr, size);
}

static inline void m_event(struct m_kernel *k, enum m_event_kind kind, s64 a,
			   s64 b, s64 c)
{
	k->ops->event(k, kind, a, b, c);
}

/* Sets why the current call ends; a later exit of the same call overrides. */
static inline void m_reason(struct m_kernel *k, enum m_reason reason)
{
	if (k->current)
		k->current->reason = reason;
}

/* Yields: other actors may run here. */
static inline void softirq_point(struct m_kernel *k, enum m_point point)
{
	if (unlikely(k->points_armed))
		k->ops->point(k, point);
}

static inline void m_count(struct m_kernel *k, enum m_mib mib)
{
	k->mib[mib]++;
	m_event(k, EV_MIB, mib, (s64)k->mib[mib], 0);
}

/**
 * m_bug() - something impossible happened; report and stop
 * @file: source file
 * @line: source line
 * @fmt: printf format of the explanation
 *
 * Provided by the world; prints the failure report and does not return.
 */
_Noreturn void m_bug(const char *file, int line, const char *fmt, ...)
	__printf(3, 4);

/* Always compiled in. */
#define M_ASSERT(cond, ...)                                     \
	do {                                                    \
		if (unlikely(!(cond)))                          \
			m_bug(__FILE__, __LINE__, __VA_ARGS__); \
	} while (0)

#endif
