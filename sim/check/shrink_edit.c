// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copying traces, and repairing them after something was taken out.
 * How: everything a trace refers to by number (records, tasks, pipes) gets a
 * table "old number to new number"; what has no new number goes, and takes
 * along what cannot be without it.
 * Left out: whether the result still does what it is kept for.
 */
#include "sim/check/shrink.h"

#define GONE UINT32_MAX

static void *copy_of(struct mem_pool *pool, const void *from, size_t size)
{
	void *to = mem_pool_alloc_raw(pool, size + 1);

	if (size)
		memcpy(to, from, size);
	return to;
}

static void copy_stmt(struct mem_pool *pool, struct trace_stmt *st)
{
	if (st->kind == ST_CALL)
		st->call = copy_of(pool, st->call, sizeof(*st->call));
	if (st->kind == ST_WIRE || st->kind == ST_SEND)
		st->wire.range =
			copy_of(pool, st->wire.range,
				st->wire.range_n * sizeof(*st->wire.range));
	if (st->result.data_n)
		st->result.data =
			copy_of(pool, st->result.data,
				st->result.data_n * sizeof(*st->result.data));
}

void shrink_copy(const struct trace *tr, struct trace *out)
{
	struct mem_pool *pool = out->pool;
	u32 i;

	*out = *tr;
	out->pool = pool;
	out->recs = copy_of(pool, tr->recs, tr->rec_n * sizeof(*tr->recs));
	out->tasks = copy_of(pool, tr->tasks, tr->task_n * sizeof(*tr->tasks));
	out->pipes = copy_of(pool, tr->pipes, tr->pipe_n * sizeof(*tr->pipes));
	out->stmts = copy_of(pool, tr->stmts, tr->stmt_n * sizeof(*tr->stmts));
	out->comments = copy_of(pool, tr->comments,
				tr->comment_n * sizeof(*tr->comments));
	for (i = 0; i < out->stmt_n; i++)
		copy_stmt(pool, &out->stmts[i]);
}

/* --- records ------------------------------------------------------------ */

static void keep_record(struct trace *tr, u32 *map, u32 rec, u32 index, u32 of,
			struct trace_rec *to, u32 *n)
{
	map[rec] = *n;
	to[*n] = tr->recs[rec];
	to[*n].index = index;
	to[(*n)++].of = of;
}

/* Records that some `peer` line makes, in the order of those lines. */
static u32 *number_records(struct trace *tr)
{
	u32 *map = mem_pool_alloc_raw(tr->pool, (tr->rec_n + 1) * sizeof(*map));
	struct trace_rec *to =
		mem_pool_alloc_raw(tr->pool, (tr->rec_n + 1) * sizeof(*to));
	struct trace_stmt *st;
	u32 i, j, first, n = 0;

	for (i = 0; i < tr->rec_n; i++)
		map[i] = GONE;
	for (i = 0; i < tr->stmt_n; i++) {
		st = &tr->stmts[i];
		if (st->kind != ST_PEER_RECORD)
			continue;
		first = n;
		for (j = 0; j < st->peer.count; j++)
			keep_record(tr, map, st->peer.first + j, j,
				    st->peer.count, to, &n);
		st->peer.first = first;
	}
	tr->recs = to;
	tr->rec_n = n;
	return map;
}

/* One record's part of a range over several. */
static bool range_part(const struct trace *tr, const u32 *map, u32 old,
		       u64 from, u64 to, struct trace_range *out)
{
	s64 len;

	if (map[old] == GONE)
		return false;
	len = trace_rec_wire_len(&tr->opts, &tr->recs[map[old]]);
	if (len >= 0 && to >= (u64)len)
		to = RANGE_END;
	if (from >= to || (len >= 0 && from >= (u64)len))
		return false;
	out->rec = map[old];
	out->count = 1;
	out->from = (u32)from;
	out->to = (u32)min_t(u64, to, RANGE_END);
	return true;
}

/* All of several records stays one range. */
static bool range_whole(const u32 *map, const struct trace_range *r,
			struct trace_range *out)
{
	u32 n = 1;

	if (r->from || r->to != RANGE_END || map[r->rec] == GONE)
		return false;
	while (n < r->count && map[r->rec + n] != GONE)
		n++;
	*out = (struct trace_range){ map[r->rec], n, 0, RANGE_END };
	return true;
}

/* What is left of a range, as one range a record; @len is the wire length its
 * records had, 0 unknown. */
static u32 split_range(const struct trace *tr, const u32 *map,
		       const struct trace_range *r, u32 len,
		       struct trace_range *out)
{
	u64 to = r->to == RANGE_END ? UINT64_MAX : r->to, start = 0;
	u32 i, n = 0;

	if (range_whole(map, r, out))
		return 1;
	if (r->count == 1 || !len)
		return range_part(tr, map, r->rec, r->from, to, out);
	for (i = 0; i < r->count; i++, start += len) {
		if (start + len <= r->from || start >= to)
			continue;
		n += range_part(tr, map, r->rec + i,
				r->from > start ? r->from - start : 0,
				to - start < len ? to - start : RANGE_END,
				&out[n]);
	}
	return n;
}

/* The changed byte must be one of the segment. */
static void repair_xor(const struct trace *tr, struct stmt_wire *w)
{
	const struct trace_range *r;
	s64 len, total = 0;
	u32 i;

	for (i = 0; i < w->range_n; i++) {
		r = &w->range[i];
		len = trace_rec_wire_len(&tr->opts, &tr->recs[r->rec]);
		if (r->to != RANGE_END)
			len = r->to;
		else
			len *= r->count;
		total += len - r->from;
	}
	if (total > 0 && w->flip_off >= total)
		w->flip_off = (u32)total - 1;
}

static void repair_wire(struct trace *tr, const u32 *map, const u32 *len,
			struct trace_stmt *st)
{
	const struct stmt_wire *w = &st->wire;
	struct trace_range *out;
	u32 i, n = 0, parts = 1;

	for (i = 0; i < w->range_n; i++)
		parts += w->range[i].count;
	out = mem_pool_alloc_raw(tr->pool, parts * sizeof(*out));
	for (i = 0; i < w->range_n; i++)
		n += split_range(tr, map, &w->range[i], len[w->range[i].rec],
				 out + n);
	st->wire.range = out;
	st->wire.range_n = n;
	if (!n)
		st->kind = ST_KIND_COUNT;
	else if (st->wire.flip)
		repair_xor(tr, &st->wire);
}

static void repair_data(const u32 *map, struct trace_result *res)
{
	struct trace_data *d = (struct trace_data *)res->data;
	u32 i;

	for (i = 0; i < res->data_n; i++) {
		if (d[i].kind != DATA_RANGE)
			continue;
		if (map[d[i].range.rec] == GONE) {
			res->what &= ~(u32)EXP_DATA;
			res->data_n = 0;
			return;
		}
		d[i].range.rec = map[d[i].range.rec];
	}
}

static void repair_records(struct trace *tr)
{
	u32 *len = mem_pool_alloc_raw(tr->pool, (tr->rec_n + 1) * sizeof(*len));
	struct trace_stmt *st;
	const u32 *map;
	s64 bytes;
	u32 i;

	for (i = 0; i < tr->rec_n; i++) {
		bytes = trace_rec_wire_len(&tr->opts, &tr->recs[i]);
		len[i] = bytes > 0 ? (u32)bytes : 0;
	}
	map = number_records(tr);
	for (i = 0; i < tr->stmt_n; i++) {
		st = &tr->stmts[i];
		if (st->kind == ST_WIRE || st->kind == ST_SEND)
			repair_wire(tr, map, len, st);
		if ((st->kind == ST_FIN || st->kind == ST_RST) &&
		    st->fin.after && map[st->fin.range.rec] == GONE)
			st->fin.after = false;
		else if ((st->kind == ST_FIN || st->kind == ST_RST) &&
			 st->fin.after)
			st->fin.range.rec = map[st->fin.range.rec];
		if (st->result.what & EXP_DATA)
			repair_data(map, &st->result);
	}
}

/* --- pipes and tasks ---------------------------------------------------- */

static bool uses_pipe(const struct trace_call *c)
{
	return c->kind == CALL_SPLICE ||
	       (c->kind >= CALL_PREAD && c->kind <= CALL_PCLOSE);
}

static void repair_pipes(struct trace *tr)
{
	u32 used[TRACE_PIPES_MAX] = { 0 }, map[TRACE_PIPES_MAX] = { 0 };
	u32 declared[TRACE_PIPES_MAX] = { 0 };
	struct trace_stmt *st;
	u32 i, n = 0;

	for (i = 0; i < tr->stmt_n; i++) {
		st = &tr->stmts[i];
		if (st->kind == ST_PIPE)
			declared[st->pipe.pipe] = 1;
		if (st->kind != ST_CALL || !uses_pipe(st->call))
			continue;
		if (!declared[st->call->pipe])
			st->kind = ST_KIND_COUNT;
		else
			used[st->call->pipe] = 1;
	}
	for (i = 0; i < tr->stmt_n; i++) {
		st = &tr->stmts[i];
		if (st->kind != ST_PIPE)
			continue;
		if (!used[st->pipe.pipe]) {
			st->kind = ST_KIND_COUNT;
			continue;
		}
		map[st->pipe.pipe] = n;
		tr->pipes[n] = tr->pipes[st->pipe.pipe];
		st->pipe.pipe = n++;
	}
	tr->pipe_n = n;
	for (i = 0; i < tr->stmt_n; i++) {
		st = &tr->stmts[i];
		if (st->kind == ST_CALL && uses_pipe(st->call))
			st->call->pipe = map[st->call->pipe];
	}
}

static bool names_task(const struct trace_stmt *st)
{
	return st->kind == ST_CALL || st->kind == ST_RETURNS ||
	       st->kind == ST_SIGNAL ||
	       (st->kind == ST_AT && st->at.what == AT_TASK);
}

/* A `returns` needs a call in front of it. */
static void repair_returns(struct trace *tr)
{
	bool called[TRACE_TASKS_MAX] = { false };
	struct trace_stmt *st;
	u32 i;

	for (i = 0; i < tr->stmt_n; i++) {
		st = &tr->stmts[i];
		called[st->task] |= st->kind == ST_CALL;
		if (st->kind == ST_RETURNS && !called[st->task])
			st->kind = ST_KIND_COUNT;
	}
}

static void repair_tasks(struct trace *tr)
{
	u32 calls[TRACE_TASKS_MAX] = { 0 }, map[TRACE_TASKS_MAX];
	const char *names[TRACE_TASKS_MAX];
	struct trace_stmt *st;
	u32 i, n = 0;

	memset(map, 0xff, sizeof(map));
	for (i = 0; i < tr->stmt_n; i++)
		calls[tr->stmts[i].task] |= tr->stmts[i].kind == ST_CALL;
	for (i = 0; i < tr->stmt_n; i++) {
		st = &tr->stmts[i];
		if (!names_task(st))
			continue;
		if (!calls[st->task]) {
			st->kind = ST_KIND_COUNT;
			continue;
		}
		if (map[st->task] == GONE) {
			names[n] = tr->tasks[st->task];
			map[st->task] = n++;
		}
		st->task = map[st->task];
	}
	if (n)
		memcpy(tr->tasks, names, n * sizeof(*names));
	tr->task_n = n;
}

/* Takes out the holes; comments stand where their statement was. */
static void close_holes(struct trace *tr)
{
	u32 i, c = 0, n = 0;

	for (i = 0; i < tr->stmt_n; i++) {
		for (; c < tr->comment_n && tr->comments[c].before_stmt <= i;
		     c++)
			tr->comments[c].before_stmt = n;
		if (tr->stmts[i].kind != ST_KIND_COUNT)
			tr->stmts[n++] = tr->stmts[i];
	}
	for (; c < tr->comment_n; c++)
		tr->comments[c].before_stmt = n;
	tr->stmt_n = n;
}

void shrink_repair(struct trace *tr)
{
	repair_records(tr);
	repair_pipes(tr);
	repair_returns(tr);
	repair_tasks(tr);
	close_holes(tr);
}
