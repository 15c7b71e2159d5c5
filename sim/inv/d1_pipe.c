// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * D1's account of the pipes: what went in must come out.
 * How: a list of runs per pipe; runs that continue each other are one. Reads
 * of a pipe hold its mutex, so their bytes are the oldest ones.
 * Left out: pipes filled by a call whose bytes are not known.
 */
#include "sim/inv/d1_pipe.h"

#include "sim/inv/local.h"

static bool continues(const struct d1_run *r, enum d1_source source, u32 rec,
		      u64 off)
{
	if (r->source != source)
		return false;
	return source == D1_WRITTEN || source == D1_UNKNOWN ||
	       (r->rec == rec && r->off + r->len == off);
}

void d1_push(struct sim *s, struct d1_pipe **pipes, u32 pipe,
	     enum d1_source source, u32 rec, u64 off, u64 len)
{
	struct d1_pipe *p;
	struct d1_run *r;

	if (!*pipes)
		*pipes = mem_pool_alloc(s->pool, s->pipe_n * sizeof(**pipes));
	p = &(*pipes)[pipe];
	if (p->n > p->first &&
	    continues(&p->runs[p->n - 1], source, rec, off)) {
		p->runs[p->n - 1].len += len;
		return;
	}
	r = pool_push(s->pool, p->runs, p->n);
	r->source = source;
	r->rec = rec;
	r->off = off;
	r->len = len;
}

bool d1_newest_match(const struct sim *s, u32 pipe, u32 rec, u32 off, u32 len)
{
	const struct pipe_inode_info *p = s->pipes[pipe];
	const struct pipe_buffer *b;
	u32 slot = p->head, n;

	while (len && slot != p->tail) {
		b = &p->bufs[--slot & (p->ring_size - 1)];
		n = min_t(u32, len, b->len);
		len -= n;
		if (!peer_plain_matches(&s->conn.peer, rec, off + len, n,
					b->page->data + b->offset + b->len - n))
			return false;
	}
	return !len;
}

static bool run_matches(struct sim *s, const struct d1_run *r, const u8 *at,
			u32 n)
{
	switch (r->source) {
	case D1_RECORD:
		return peer_plain_matches(&s->conn.peer, r->rec, (u32)r->off, n,
					  at);
	case D1_RAW:
		return ledger_compare_raw(s->ledger, r->off, at, n) < 0 ||
		       !ledger_wire_clean(s);
	case D1_WRITTEN:
		return at[0] == 0xff && !memcmp(at, at + 1, n - 1);
	case D1_UNKNOWN:
		break;
	}
	return true;
}

void d1_read(struct sim *s, struct d1_pipe *pipes, const struct sim_event *e)
{
	const struct sim_task *t = &s->tasks[e->task];
	const struct trace_call *call = t->call;
	u32 n, done, len = (u32)e->b;
	struct d1_pipe *p;
	struct d1_run *r;

	if (call->kind != CALL_PREAD || !pipes || !t->res.buf)
		return;
	p = &pipes[call->pipe];
	for (done = 0; done < len && p->first < p->n; done += n) {
		r = &p->runs[p->first];
		n = (u32)min_t(u64, r->len, len - done);
		if (!run_matches(s, r, t->res.buf + done, n)) {
			inv_fail(
				s, INV_D1, "pipe-read",
				"bytes [%u,%u) read from the pipe are not those that went in",
				done, done + n);
			return;
		}
		inv_checked(s, INV_D1);
		r->off += n;
		r->len -= n;
		p->first += !r->len;
	}
}
