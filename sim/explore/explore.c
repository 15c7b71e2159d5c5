// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All orderings of a trace's events, one run each.
 * How: a depth-first walk over the answers to "what runs here?". A run replays
 * the answers of its prefix and takes the first one everywhere behind it; then
 * the last answer that has a successor is changed. A run that reaches a state
 * met before, with no more preemptions used, is given up there: what can follow
 * was or will be tried from the first visit. Shares are dealt out by the first
 * SHARD_LEVELS answers.
 * Left out: switches between points, the sender's timer at points, statements
 * other than calls, segments and what tasks do: those stay in their order.
 */
#include "sim/explore/explore.h"

#include "sim/bench/bench.h"
#include "sim/inv/ledger.h"

#define SHARD_LEVELS 3u
#define PROGRESS_EVERY 4096u
#define NSEC 1000000000ull

/**
 * struct node - a question and the answer in force
 * @choice: 0: nothing; else an option
 * @last: the highest answer
 */
struct node {
	u8 choice;
	u8 last;
};

/* How a run ended before its end. */
enum given_up {
	GO_ON,
	CUT, /* state met before */
	ELSEWHERE, /* another shard's */
};

/**
 * struct explorer - one enumeration
 * @o: options
 * @tr: trace
 * @s: world
 * @again: world for replays of what was found
 * @seen: states met
 * @st: state of the run under way
 * @path: answers
 * @path_n: entries there are
 * @depth: questions whose answer is fixed, then those of the run
 * @pos: next question of this run
 * @used: preemptions in this run
 * @given_up: how it ended early
 * @r: account
 * @start_ns: clock at the start
 * @told_ns: clock at the last progress line
 */
struct explorer {
	const struct explore_opts *o;
	struct trace tr;
	struct sim *s;
	struct sim *again;
	struct explore_seen *seen;
	struct explore_state st;
	struct node *path;
	u32 path_n;
	u32 depth;
	u32 pos;
	u32 used;
	enum given_up given_up;
	struct explore_result *r;
	u64 start_ns;
	u64 told_ns;
};

/* --- choosing ------------------------------------------------------------ */

static u32 give_up(struct explorer *ex, enum given_up why)
{
	ex->given_up = why;
	sim_give_up(ex->s);
	return 0;
}

static bool of_my_shard(const struct explorer *ex)
{
	u64 h = 0;
	u32 i;

	for (i = 0; i < SHARD_LEVELS; i++)
		h = (h + ex->path[i].choice + 1) * 0x9fb21c651e98df25ull;
	return (h >> 32) % ex->o->shards == ex->o->shard - 1;
}

/* The call of the statement whose turn it is cannot be made, its task is in
 * another one; as long as anything else can run, that goes first. */
static bool must_wait(const struct sim *s, enum m_point point)
{
	const struct trace_stmt *st = &s->tr->stmts[s->next_stmt];

	return point == POINT_STMT && st->kind == ST_CALL &&
	       s->tasks[st->task].state != TASK_IDLE;
}

static void push(struct explorer *ex, u32 choice, u32 last)
{
	if (ex->depth == ex->path_n)
		pool_push(ex->tr.pool, ex->path, ex->path_n);
	ex->path[ex->depth].choice = (u8)choice;
	ex->path[ex->depth++].last = (u8)last;
}

/* Behind the prefix: is this a state to go on from? */
static bool go_on(struct explorer *ex, enum m_point point)
{
	u32 used = ex->o->preemptions == EXPLORE_ALL ? 0 : ex->used;

	if (ex->o->shards > 1 && ex->pos == SHARD_LEVELS && !of_my_shard(ex)) {
		give_up(ex, ELSEWHERE);
		return false;
	}
	if (!ex->o->prune)
		return true;
	switch (explore_look(ex->seen, explore_key(&ex->st, ex->s, point),
			     used)) {
	case LOOK_NEW:
		ex->r->states++;
		return true;
	case LOOK_FULL:
		ex->r->seen_full++;
		return true;
	case LOOK_OLD:
		break;
	}
	give_up(ex, CUT);
	return false;
}

/* Does that option first of all want the socket's lock? */
static bool wants_lock(const struct sim *s, const struct at_line *opt)
{
	const struct sim_task *t = &s->tasks[opt->task];
	const struct trace_call *c = t->call;

	if (opt->what != AT_TASK)
		return true; /* a segment, or the parser's work */
	if (t->state == TASK_IDLE)
		c = s->tr->stmts[stmt_next_call(s, opt->task)].call;
	return call_is_recv(c->kind) && c->kind != CALL_RECVMMSG;
}

/*
 * While a task owns the socket, segments go to the backlog and who wants the
 * lock queues up. Nobody looks at either before the owner lets go, so it is the
 * same wherever that happens in between: it is tried where the owner lets go.
 */
static bool same_later(const struct sim *s, enum m_point point,
		       const struct at_line *opt)
{
	if (!s->conn.sk->owned || point == POINT_RELEASE_SOCK ||
	    point == POINT_SCHED)
		return false;
	if (point == POINT_FLUSH_BACKLOG && opt->what == AT_WIRE)
		return false;
	return wants_lock(s, opt);
}

/* The options worth trying, through @map; how many. */
static u32 worth_trying(const struct explorer *ex, enum m_point point,
			const struct at_line *opt, u32 n, u8 *map)
{
	u32 i, left = 0;

	for (i = 0; i < n; i++) {
		if (!ex->o->prune || !same_later(ex->s, point, &opt[i]))
			map[left++] = (u8)(i + 1);
	}
	return left;
}

static u32 choose(void *arg, struct sim *s, enum m_point point,
		  const struct at_line *opt, u32 n)
{
	struct explorer *ex = arg;
	bool wait = must_wait(s, point);
	bool costs = point != POINT_SCHED && !wait;
	u8 map[TRACE_TASKS_MAX + 2];
	u32 choice;

	explore_step(&ex->st, s, point);
	n = worth_trying(ex, point, opt, n, map);
	if (!n)
		return 0;
	if (ex->pos == ex->depth && !go_on(ex, point))
		return 0;
	if (costs && ex->used >= ex->o->preemptions) {
		ex->r->bounded++;
		return 0;
	}
	if (ex->pos == ex->depth)
		push(ex, wait, n);
	choice = ex->path[ex->pos++].choice;
	ex->used += costs && choice;
	return choice ? map[choice - 1] : 0;
}

/* --- answers ------------------------------------------------------------- */

/* Where @a belongs in the sorted list. */
static u32 answer_place(const struct explore_result *r,
			const struct explore_answer *a)
{
	u32 lo = 0, hi = r->answer_n, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (r->answer[mid].stmt < a->stmt ||
		    (r->answer[mid].stmt == a->stmt &&
		     r->answer[mid].ret < a->ret))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void on_returned(void *arg, struct sim *s, const struct sim_task *t)
{
	struct explorer *ex = arg;
	struct explore_result *r = ex->r;
	struct explore_answer a = { .stmt = t->stmt,
				    .ret = t->res.mask ?: t->res.ret,
				    .reason = t->res.reason };
	u32 i;

	if (ex->given_up || s->finishing || s->teardown ||
	    t->stmt >= s->tr->stmt_n)
		return;
	i = answer_place(r, &a);
	if (r->answer_n == EXPLORE_ANSWERS_MAX ||
	    (i < r->answer_n && r->answer[i].stmt == a.stmt &&
	     r->answer[i].ret == a.ret))
		return;
	memmove(&r->answer[i + 1], &r->answer[i],
		(r->answer_n - i) * sizeof(a));
	r->answer[i] = a;
	r->answer_n++;
}

/* --- found --------------------------------------------------------------- */

static void keep_trace(struct explorer *ex, struct explore_found *f)
{
	struct mem_pool *pool = mem_pool_new();
	struct sim_opts o = replay_opts(&ex->o->run);
	struct text name = { 0 };
	struct trace tr;
	struct sim_sig sig;

	replay_trace(ex->s, pool, &tr);
	sig_print(&f->sig, ' ', &name);
	replay_note(&tr, "%s: %s", name.buf, f->text);
	replay_note(&tr, "Found by: ktlsim explore, ordering %llu",
		    (unsigned long long)ex->r->runs);
	trace_print(&tr, &f->trace);
	sim_run(ex->again, &tr, &o, NULL);
	sig_of_run(ex->again, &sig);
	f->replays = sig_equal(&sig, &f->sig);
	text_free(&name);
	mem_pool_free(pool);
}

static void note_failure(struct explorer *ex)
{
	struct explore_result *r = ex->r;
	struct explore_found *f;
	struct sim_sig sig;
	u32 i;

	sig_of_run(ex->s, &sig);
	for (i = 0; i < r->found_n; i++) {
		if (sig_equal(&r->found[i].sig, &sig)) {
			r->found[i].count++;
			return;
		}
	}
	if (r->found_n == EXPLORE_FOUND_MAX)
		return;
	f = &r->found[r->found_n++];
	f->sig = sig;
	f->count = 1;
	snprintf(f->text, sizeof(f->text), "%s", ex->s->verdict.got);
	keep_trace(ex, f);
}

/* --- running ------------------------------------------------------------- */

/* What an abandoned world does not give back by itself. */
static void release(struct sim *s)
{
	struct tls_sw_context_rx *rx = ledger_rx(s);

	if (rx && rx->aead_recv)
		crypto_free_aead(s->k.aead_pool, rx->aead_recv);
}

static void run_once(struct explorer *ex, const struct sim_watch *w)
{
	struct sim_opts o = ex->o->run;

	memset(&ex->st, 0, sizeof(ex->st));
	ex->pos = 0;
	ex->used = 0;
	ex->given_up = GO_ON;
	o.watch = w;
	sim_run(ex->s, &ex->tr, &o, NULL);
	ex->r->longest = max_t(u32, ex->r->longest, ex->depth);
	if (ex->given_up == CUT)
		ex->r->cut++;
	else if (ex->given_up == ELSEWHERE)
		ex->r->elsewhere++;
	else
		ex->r->runs++;
	if (ex->given_up != GO_ON) {
		release(ex->s);
	} else if (ex->s->verdict.kind == VERDICT_INPUT) {
		ex->r->err = ex->s->verdict.err;
		ex->r->input++;
	} else if (ex->s->verdict.kind != VERDICT_OK) {
		note_failure(ex);
	}
}

/* The next prefix; false: there is none. */
static bool next_prefix(struct explorer *ex)
{
	while (ex->depth) {
		if (ex->path[ex->depth - 1].choice <
		    ex->path[ex->depth - 1].last) {
			ex->path[ex->depth - 1].choice++;
			return true;
		}
		ex->depth--;
	}
	return false;
}

static void progress(struct explorer *ex)
{
	u64 now, all = ex->r->runs + ex->r->cut + ex->r->elsewhere;

	if (!ex->o->progress || all % PROGRESS_EVERY)
		return;
	now = bench_now_ns();
	if (now - ex->told_ns < NSEC)
		return;
	ex->told_ns = now;
	fprintf(ex->o->progress,
		"explore: %llu orderings, %llu cut, %llu states, %u found, "
		"%llu a second\n",
		(unsigned long long)ex->r->runs, (unsigned long long)ex->r->cut,
		(unsigned long long)ex->r->states, ex->r->found_n,
		(unsigned long long)(all * 1000 /
				     ((now - ex->start_ns) / 1000000)));
}

static bool enough(const struct explorer *ex)
{
	return ex->o->max && ex->r->runs + ex->r->cut >= ex->o->max;
}

void explore_trace(const struct trace *tr, struct trace *out)
{
	struct mem_pool *pool = out->pool;
	struct trace_stmt *st;
	u32 i;

	*out = *tr;
	out->pool = pool;
	out->comments = NULL;
	out->comment_n = 0;
	out->opts.finish = true;
	out->stmt_n = 0;
	out->stmts = mem_pool_alloc_raw(pool,
					(tr->stmt_n + 1) * sizeof(*out->stmts));
	for (i = 0; i < tr->stmt_n; i++) {
		if (tr->stmts[i].kind == ST_RETURNS ||
		    tr->stmts[i].kind == ST_AT ||
		    tr->stmts[i].kind == ST_EXPECT ||
		    tr->stmts[i].kind == ST_END)
			continue;
		st = &out->stmts[out->stmt_n++];
		*st = tr->stmts[i];
		memset(&st->result, 0, sizeof(st->result));
	}
}

void explore_run(const struct trace *tr, const struct explore_opts *o,
		 struct explore_result *out)
{
	struct explorer ex = { .o = o, .r = out };
	const struct sim_watch w = { .arg = &ex,
				     .returned = on_returned,
				     .choose = choose };

	memset(out, 0, sizeof(*out));
	ex.tr.pool = mem_pool_new();
	explore_trace(tr, &ex.tr);
	ex.s = sim_new();
	ex.again = sim_new();
	ex.seen = explore_seen_new();
	ex.start_ns = bench_now_ns();
	ex.told_ns = ex.start_ns;
	do {
		run_once(&ex, &w);
		progress(&ex);
		out->complete = !next_prefix(&ex);
	} while (!out->complete && !enough(&ex));
	explore_seen_free(ex.seen);
	sim_free(ex.s);
	sim_free(ex.again);
	mem_pool_free(ex.tr.pool);
}

void explore_result_free(struct explore_result *r)
{
	u32 i;

	for (i = 0; i < r->found_n; i++)
		text_free(&r->found[i].trace);
}
