/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The world: everything around one simulated kernel. It owns time, tasks,
 * memory, faults, the connection, the pipes and the log, and serves the
 * model's struct m_ops.
 *
 * Order of same-time events, pinned by tests/unit/sched_test.c:
 *  1. runnable tasks, in the order they became runnable;
 *  2. work items, in the order queued;
 *  3. what the peer's sender may transmit;
 *  4. timers due, earliest first, sleeping tasks before the sender's timer,
 *     tasks in the order of their ids;
 *  5. the next statement of the trace.
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include <setjmp.h>

#include "model/pipe.h"
#include "sim/world/choice.h"
#include "sim/world/coro.h"
#include "sim/world/log.h"
#include "sim/peer/peer.h"
#include "sim/world/pool.h"
#include "sim/trace/trace.h"

struct sim;
struct arena;
struct at_line;
struct ledger;
struct inv_state;

enum task_state {
	TASK_IDLE, /* between calls */
	TASK_RUNNING, /* on the CPU, or resumed another and waits for it */
	TASK_RUNNABLE, /* in the run queue */
	TASK_SLEEPING, /* in m_ops.schedule */
	TASK_PREEMPTED, /* at a point, goes on when the other stops */
	TASK_DEAD, /* given up in the middle of a call, after VERDICT_BUG */
};

/* What a call left behind, for expectations, invariants and reports. */
struct call_result {
	s64 ret; /* value or negative errno */
	enum m_reason reason;
	u32 mask; /* poll bits */
	u32 msg_flags;
	u32 controllen;
	u32 cmsg_count;
	u8 cmsg_type;
	bool cmsg_partial;
	u8 *buf; /* user memory, iov pieces one behind the other */
	u32 buf_size;
	u32 watched; /* bytes of @buf that were filled and are looked at */
	u32 data_len; /* delivered bytes at the front of @buf */
	u32 past; /* changed bytes behind them: distance of the last one */
	u8 *opt; /* option value */
	s32 opt_len;
	u32 part_n; /* recvmmsg: messages */
	struct call_result *part;
};

/**
 * struct sim_task - a simulated thread
 * @t: what the model sees
 * @s: world
 * @state: see enum task_state
 * @co: coroutine while inside a call
 * @call: the call it is in, or made last
 * @stmt: statement number of that call
 * @res: its result
 * @returned: the call is over and nobody looked at the result yet
 * @interruptible: current sleep ends on a signal
 * @sleep_deadline: when the current sleep ends, -1 never
 * @sleep_where: enum m_sleep
 * @signalled: a signal is pending
 * @sig_restart: its handler has SA_RESTART
 * @run_link: run queue
 * @ep_lt: epoll registration, level-triggered
 * @ep_et: epoll registration, edge-triggered
 */
struct sim_epoll {
	struct wait_queue_entry wqe;
	bool made; /* there is such an epoll */
	u32 asked; /* events it is registered for */
	bool registered; /* the socket is in it */
	bool ready; /* on the ready list */
	bool edge;
	struct wait_queue_head wq; /* tasks in epoll_wait */
};

struct sim_task {
	struct m_task t; /* must be first */
	struct sim *s;
	enum task_state state;
	struct coro *co;
	const struct trace_call *call;
	u32 stmt;
	struct call_result res;
	bool returned;
	bool interruptible;
	s64 sleep_deadline;
	u32 sleep_where;
	bool signalled;
	bool sig_restart;
	bool in_call; /* uses the socket or a pipe right now */
	struct sim_task *below; /* it runs on top of that one, at a point */
	bool killed; /* world is being torn down */
	struct list_head run_link;
	u64 call_budget; /* points passed in this call, B5 */
};

/**
 * struct sim_conn - one connection: the modelled socket and its peer
 */
struct sim_conn {
	struct sim *s;
	struct sock *sk;
	struct sim_peer peer;
	u32 irs;
	bool closed; /* close(2) was called */
	bool close_pending; /* but somebody still uses the socket */
	struct sim_epoll ep_lt;
	struct sim_epoll ep_et;
};

/* An end of a pipe, 0 read, 1 write: close(2) was called; but somebody is in a
 * call with it, so it closes later. */
#define SIM_FD_CLOSED(end) (1u << (end))
#define SIM_FD_PENDING(end) (4u << (end))

/* How a run ended. */
enum verdict_kind {
	VERDICT_OK,
	VERDICT_EXPECT, /* an expectation of the trace did not hold */
	VERDICT_INVARIANT, /* a promise was broken */
	VERDICT_INPUT, /* the trace asks for something impossible */
	VERDICT_BUG, /* an assertion of the simulator failed */
};

/**
 * struct sim_verdict - the first thing that went wrong
 * @kind: see enum verdict_kind
 * @inv: enum inv_id for VERDICT_INVARIANT
 * @slug: which form of the breach; with @inv the signature of a finding
 * @stmt: statement it belongs to, UINT32_MAX none
 * @event: log position
 * @expected: text
 * @got: text
 * @state: parser, rx_list, socket and pipes at that moment, as text
 * @err: VERDICT_INPUT
 */
struct sim_verdict {
	enum verdict_kind kind;
	u32 inv;
	const char *slug;
	u32 stmt;
	u32 event;
	char expected[400];
	char got[400];
	char state[1000];
	struct sim_err err;
};

/**
 * struct sim_watch - who wants to see a run from outside; any may be NULL
 * @arg: first argument of all
 * @stmt: the next statement is due, its time has not yet passed
 * @returned: a call of @t is over, its result is in @t->res; during which
 *	statement, @s->next_stmt says
 * @end: all statements were performed, or the first failure was met
 * @choose: something may run at @point: 0 nothing (POINT_SCHED: the task that
 *	is first), 1 to @n one of @opt, whose @nth is not set. Asked again until
 *	the answer is 0, but for POINT_SCHED. Not asked in softirq, while the
 *	world finishes or is torn down. What was chosen is kept in @s->recorded.
 */
struct sim_watch {
	void *arg;
	void (*stmt)(void *arg, struct sim *s);
	void (*returned)(void *arg, struct sim *s, const struct sim_task *t);
	void (*end)(void *arg, struct sim *s);
	u32 (*choose)(void *arg, struct sim *s, enum m_point point,
		      const struct at_line *opt, u32 n);
};

/**
 * struct sim_opts - how to run a trace
 * @changes: profile
 * @profile: its name
 * @random_schedule: ask the choice stream at points and for task order, and
 *	keep what was decided in sim->recorded
 * @ignore_known: a breach with the signature of a known finding is counted and
 *	does not end the run
 * @strict: what a change of the profile is known to break ends the run although
 *	@ignore_known is set
 * @go_on: expectations and promises that do not hold are passed over, so that
 *	the trace runs to its end whatever the kernel answers
 * @ignore_all: no promise that does not hold ends the run
 * @watch: told what happens, NULL nobody
 */
struct sim_opts {
	struct m_changes changes;
	const char *profile;
	bool random_schedule;
	bool ignore_known;
	bool strict;
	bool go_on;
	bool ignore_all;
	const struct sim_watch *watch;
};

struct fault {
	enum m_site site;
	u32 nth;
	bool forever;
};

struct at_line {
	enum m_point point;
	u32 nth;
	enum at_what what;
	u32 task;
};

/**
 * struct sim - the world
 */
struct sim {
	struct m_kernel k; /* must be first */
	struct arena *arena;
	struct mem_pool *pool; /* of one run */
	struct coro_pool *coros;
	struct sim_choice choice;
	struct sim_opts opts;
	s64 now_ns;
	u64 bytes_max; /* more than all plaintext and pipe bytes there can be */
	bool dirty; /* something happened since the last inv_quiet() */

	/* the trace being run */
	const struct trace *tr;
	u32 next_stmt;
	u8 *stmt_done; /* one byte a statement: already performed (`at`) */
	u32 next_wire; /* first wire-like statement maybe not yet performed */

	/* tasks */
	struct sim_task *tasks;
	u32 task_n;
	struct list_head runq;
	struct list_head works;
	struct sim_task *kworker; /* runs work items */
	struct m_work *running_work; /* the one it is in */
	struct sim_task *work_waiter; /* cancels it and waits for its end */
	struct sim_task *reaper; /* drains and closes at the end */
	u32 timed_sleepers;

	/* connection and pipes */
	struct sim_conn conn;
	struct pipe_inode_info **pipes;
	u8 *pipe_closed; /* by pipe: SIM_FD_*() of its ends */
	u32 pipe_n;

	/* faults and schedule */
	struct fault *faults;
	u32 fault_n;
	u32 site_count[M_SITE_COUNT];
	u32 point_count[M_POINT_COUNT];
	struct at_line *ats;
	u32 at_n;
	struct at_line *recorded;
	u32 recorded_n;
	u32 point_depth;
	u32 point_skip; /* points until the next random action */

	/* log */
	struct sim_event *events;
	u32 event_n;
	u32 event_size;
	u8 event_todo[M_EVENT_COUNT]; /* fixed, see event.c */
	u64 counters[CNT_COUNT];
	u32 reason_hits[M_REASON_COUNT];

	/* checks */
	struct ledger *ledger;
	struct inv_state *inv;
	struct sim_verdict verdict;
	/* Tests only: breaks the world on purpose before the invariants see
	 * the event, or adds some; returns where the event is now. */
	struct sim_event *(*tamper)(struct sim *s, struct sim_event *e);
	bool stopped; /* first failure: no more statements */
	bool finishing; /* second phase of a random run */
	bool teardown; /* all statements are done, the world ends */
	jmp_buf bug_jmp; /* where m_bug() goes from outside coroutines */
};

static inline struct sim *sim_of(struct m_kernel *k)
{
	return (struct sim *)k;
}

static inline struct sim_task *sim_task_of(struct m_task *t)
{
	return (struct sim_task *)t;
}

/* NULL in softirq and between tasks. */
static inline struct sim_task *sim_current(struct sim *s)
{
	return sim_task_of(s->k.current);
}

/* One world to be used again and again. Owns: caller. */
struct sim *sim_new(void);
void sim_free(struct sim *s);

/**
 * sim_run() - perform a trace in a fresh world
 * @s: world; whatever it held before is gone
 * @tr: trace; must outlive the run
 * @opts: profile and schedule
 * @choice: stream for what is not fixed; NULL: defaults
 *
 * Returns the verdict (in @s, valid until the next run). The log, results and
 * counters stay readable until then. After the last statement the world is
 * torn down: sleeping tasks are ended, the socket closed, leaks checked.
 */
const struct sim_verdict *sim_run(struct sim *s, const struct trace *tr,
				  const struct sim_opts *opts,
				  const struct sim_choice *choice);

/* Leaves the run under way for good: from inside a watch. The verdict is
 * VERDICT_BUG, slug "given-up"; nothing is freed but the world's own. */
void sim_give_up(struct sim *s);
/* The same with the verdict there is. */
void sim_leave(struct sim *s);

/* finish.c */
/* Second phase: the peer sends all, everybody must finish. */
void finish_world(struct sim *s);
void teardown_world(struct sim *s);
/* Gives up on coroutines and memory after an assertion failed. */
void abandon_world(struct sim *s);

/* Sets the verdict unless there is one already. */
void sim_fail_expect(struct sim *s, u32 stmt, const char *expected,
		     const char *got);
void sim_fail_input(struct sim *s, u32 stmt, const struct sim_err *err);
/* state.c: writes @s->verdict.state; whoever sets a verdict calls it. */
void sim_snapshot(struct sim *s);

/* A world by hand, for benchmarks and tests: the connection @tr asks for, no
 * statement performed. An assertion that fails aborts the program. */
void sim_open(struct sim *s, const struct trace *tr,
	      const struct sim_opts *opts);
void sim_close(struct sim *s);

/* Name of a task by id; "kworker" and "-" for the ids no trace has. */
const char *sim_task_name(const struct sim *s, u32 id);

/* sched.c */
void sched_make_runnable(struct sim *s, struct sim_task *t);
/* Starts @call on an idle task; it does not run yet. */
void sched_start_call(struct sim *s, struct sim_task *t,
		      const struct trace_call *call, u32 stmt);
/* As above with a function instead of a call; no result, no invariant that
 * looks at results. */
void sched_start_fn(struct sim *s, struct sim_task *t, void (*fn)(void *arg),
		    void *arg);
/* Runs everything that can run at this instant. */
void sched_settle(struct sim *s);
/* Earliest deadline of sleepers and sender, -1 none. */
s64 sched_next_timer(const struct sim *s);
/* Moves the clock to @t_ns firing timers on the way, settling after each. */
void sched_advance(struct sim *s, s64 t_ns);
void sched_signal(struct sim *s, struct sim_task *t, bool restart);
/* m_ops.schedule, .wake, .queue_work, .cancel_work */
s64 sched_sleep(struct sim *s, s64 timeout_ns, bool interruptible);
void sched_wake(struct sim *s, struct sim_task *t);
void sched_queue_work(struct sim *s, struct m_work *work);
void sched_cancel_work(struct sim *s, struct m_work *work);
/* The current task gives way to the one it runs on top of. */
void sched_yield_below(struct sim *s);
/* Runs @t now, on top of whoever runs; it must be runnable. */
void sched_run_task(struct sim *s, struct sim_task *t);
void sched_run_works(struct sim *s);

/* points.c: m_ops.point: `at` lines and random preemption */
void point_reached(struct sim *s, enum m_point point);
/* Which of the runnable tasks goes first; the run queue is not empty. */
struct sim_task *point_pick_task(struct sim *s);

/* syscall.c: performs @t->call on the current coroutine, fills @t->res. */
void sim_syscall(struct sim *s, struct sim_task *t);

/* stmt.c: performs one statement (not CALL results). */
void stmt_perform(struct sim *s, u32 stmt);
/* The next wire-like statement not yet performed; UINT32_MAX none. */
u32 stmt_next_wire(const struct sim *s);
/* Performs it early, with the records in front of it. */
void stmt_run_next_wire(struct sim *s);
/* The next call of @t not yet made; UINT32_MAX none. */
u32 stmt_next_call(const struct sim *s, u32 task);
/* Makes pipe @i of the trace, if it is not there. */
void stmt_make_pipe(struct sim *s, u32 i);

/* event.c: a log without events; needs the invariants. */
void events_new(struct sim *s);
/* Appends to the log, counts, runs the invariants: m_ops.event. */
void sim_event(struct sim *s, enum m_event_kind kind, s64 a, s64 b, s64 c);

/* expect.c */
void expect_call(struct sim *s, u32 stmt, const struct trace_call *call,
		 const struct trace_result *want, const struct sim_task *t);
void expect_counter(struct sim *s, u32 stmt);

/* arena.c: memory of the model; see m_ops.alloc */
struct arena *arena_new(void);
void arena_free(struct arena *a);
void arena_reset(struct arena *a);
void *arena_alloc(struct arena *a, size_t size);
void arena_release(struct arena *a, void *ptr, size_t size);
/* Blocks and bytes not yet given back. */
u64 arena_live(const struct arena *a);
u64 arena_live_bytes(const struct arena *a);
u64 arena_allocs(const struct arena *a);

#endif
