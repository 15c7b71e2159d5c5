/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The generator's state, shared by its parts: gen.c (options, features, the
 * order of statements), gen_wire.c (records and segments), gen_calls.c.
 */
#ifndef SIM_GEN_INT_H
#define SIM_GEN_INT_H

#include "sim/gen/gen.h"

/* Room of the arrays; powers of two, so that pool_push() may go on with them. */
#define GEN_STMTS_ROOM 256u
#define GEN_RECS_ROOM 64u
#define GEN_PIPES_ROOM 8u
#define GEN_TASKS_ROOM 8u
/* Statements kept free for the longest idiom. */
#define GEN_STMTS_SPARE 16u
/* Calls a trace has to choose from, with repetitions. */
#define GEN_MENU_MAX 80u

/**
 * struct gen_pos - a place in the peer's stream
 * @rec: record; rec_n at the end of all
 * @off: byte of it
 */
struct gen_pos {
	u32 rec;
	u32 off;
};

/**
 * struct gen - one trace being made
 * @c: answers
 * @o: limits
 * @tr: the trace
 * @room: statements there is memory for
 * @features: GEN_BIT()s in use
 * @recs: records it shall have
 * @calls: calls it shall still have
 * @len: wire bytes of each record built
 * @front: first byte not put on the wire in order
 * @hole: bytes held back, [@hole, @hole_end); the same place: none
 * @hole_end: likewise
 * @gen: key generation the peer seals with
 * @rx_gen: key generation the receiver was last given
 * @keyupdates: KeyUpdates built and not yet answered with new keys
 * @fin: FIN or RST is out
 * @ulp_due: the ULP must still be set
 * @keys_due: keys must still be set
 * @menu: what kinds of call to draw from
 * @menu_n: how many
 * @drained: pipes that calls read from, and whose read end stays open
 * @closed: pipes whose read end a call closes
 * @task_of: number of each of the tasks drawn, in order of first use + 1
 * @tasks: tasks to draw from
 */
struct gen {
	struct sim_choice *c;
	const struct gen_opts *o;
	struct trace *tr;
	u32 room;
	u64 features;
	u32 recs;
	u32 calls;
	u32 len[GEN_RECS_ROOM];
	struct gen_pos front;
	struct gen_pos hole;
	struct gen_pos hole_end;
	u32 gen;
	u32 rx_gen;
	u32 keyupdates;
	bool fin;
	bool ulp_due;
	bool keys_due;
	u8 menu[GEN_MENU_MAX];
	u32 menu_n;
	u32 drained;
	u32 closed;
	u8 task_of[GEN_TASKS_ROOM];
	u32 tasks;
};

static inline bool gen_has(const struct gen *g, enum gen_feature f)
{
	return g->features >> f & 1;
}

static inline u32 gen_choose(struct gen *g, u32 bound)
{
	return sim_choose(g->c, bound);
}

static inline bool gen_one_in(struct gen *g, u32 n)
{
	return sim_choose(g->c, n) == n - 1;
}

/* A feature the trace has, used in one of @n cases. */
static inline bool gen_may(struct gen *g, enum gen_feature f, u32 n)
{
	return gen_has(g, f) && gen_one_in(g, n);
}

/* Room for one more step. */
static inline bool gen_room(const struct gen *g)
{
	return g->tr->stmt_n + GEN_STMTS_SPARE < g->room;
}

/* gen.c. Next statement, zeroed, with its time; there is room. */
struct trace_stmt *gen_stmt(struct gen *g, enum stmt_kind kind);
/* The same without time passing. */
struct trace_stmt *gen_stmt_now(struct gen *g, enum stmt_kind kind);

/* gen_wire.c. Something more on the wire, with the records it needs; false:
 * everything is out. */
bool gen_wire_step(struct gen *g);
/* All that is not yet out, in order, in as few statements as can be. */
void gen_wire_rest(struct gen *g);

/* gen_calls.c */
/* Declares pipes, fills the menu. */
void gen_calls_start(struct gen *g);
/* One call, or an idiom of several, or a fault or signal. */
void gen_call_step(struct gen *g);
/* A last look at what is there: whoever reads, reads on. */
void gen_calls_end(struct gen *g);

/* gen_options.c */
void gen_set_option(struct trace_call *c, s32 level, s32 opt, s64 val);
/* TLS_RX with the keys of generation @gen. */
void gen_set_keys(struct gen *g, struct trace_call *c, u32 gen);
/* Keys that the kernel must refuse, or that do not fit. */
void gen_wrong_keys(struct gen *g, struct trace_call *c);
void gen_setsockopt(struct gen *g, struct trace_call *c);
void gen_getsockopt(struct gen *g, struct trace_call *c);

#endif
