// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Findings as files.
 * How: the shrinker asks "does it still fail in the same way?" for ever smaller
 * traces. For F1 the question is whether some way of cutting the stream still
 * shows it: the cuts it was found with, or one of a few others.
 * Left out: a finding that is there already under the same name is written
 * anew.
 */
#include "sim/check/save.h"

#include <sys/stat.h>
#include <unistd.h>

#include "sim/check/segdiff.h"
#include "sim/check/shrink.h"

/* Ways of cutting tried on a candidate, and candidates. */
#define CUT_TRIES 8u
#define CUT_SHRINKS 300u

/* What the shrinker asks about. */
struct question {
	struct sim *s;
	const struct save_opts *o;
	struct mem_pool *pool;
	struct sim_choice cuts; /* as when it was found */
};

static bool fails_alike(void *ctx, const struct trace *tr)
{
	struct question *q = ctx;
	struct sim_sig sig;

	sim_run(q->s, tr, &q->o->run, NULL);
	sig_of_run(q->s, &sig);
	return sig_equal(&sig, q->o->sig);
}

/* The pair of which one shows it. */
static bool find_cuts(struct question *q, const struct trace *tr,
		      struct segdiff *d)
{
	struct sim_choice c;
	u32 i;

	for (i = 0; i < CUT_TRIES; i++) {
		mem_pool_reset(q->pool);
		c = q->cuts;
		if (i)
			choice_seed(&c, i);
		segdiff_run(q->s, tr, &q->o->run, &c, q->pool, d);
		if (sig_equal(&d->sig, q->o->sig))
			return true;
	}
	return false;
}

static bool cuts_differ(void *ctx, const struct trace *tr)
{
	struct segdiff d;

	return find_cuts(ctx, tr, &d);
}

static void file_name(const struct save_opts *o, const char *more,
		      struct text *path)
{
	text_printf(path, "%s/", o->dir);
	sig_print(o->sig, '-', path);
	text_printf(path, "%s.trace", more);
}

void save_path(const struct save_opts *o, struct text *path)
{
	file_name(o, "", path);
}

bool save_exists(const struct save_opts *o)
{
	struct text path = { 0 };
	bool there;

	save_path(o, &path);
	there = !access(path.buf, F_OK);
	text_free(&path);
	return there;
}

static void note(struct trace *tr, const struct save_opts *o)
{
	struct text name = { 0 };

	sig_print(o->sig, ' ', &name);
	replay_note(tr, "%.*s: %s", (int)name.len, name.buf, o->seen);
	replay_note(tr, "%s", o->how);
	text_free(&name);
}

static int write_trace(const struct save_opts *o, const struct trace *tr,
		       const char *more)
{
	struct text path = { 0 }, out = { 0 };
	int ret;

	mkdir(o->dir, 0777); /* what fails then is the write */
	file_name(o, more, &path);
	trace_print(tr, &out);
	ret = text_write(&out, path.buf);
	text_free(&path);
	text_free(&out);
	return ret;
}

int save_trace(const struct save_opts *o, const struct trace *tr)
{
	struct trace copy = *tr;

	copy.opts.profile = o->run.profile;
	copy.comments = NULL;
	copy.comment_n = 0;
	note(&copy, o);
	return write_trace(o, &copy, "");
}

static int save_small_as(struct question *q, const struct trace *tr)
{
	struct shrink_opts so = { .still = fails_alike, .ctx = q };
	struct trace small = { .pool = mem_pool_new() };
	int ret;

	sim_shrink(&so, tr, &small);
	ret = save_trace(q->o, &small);
	mem_pool_free(small.pool);
	return ret;
}

int save_small(struct sim *s, const struct save_opts *o, const struct trace *tr)
{
	struct question q = { .s = s, .o = o };

	return save_small_as(&q, tr);
}

static int save_pair(struct question *q, struct segdiff *d)
{
	const struct save_opts *o = q->o;

	if (o->sig->kind != SIG_INVARIANT || o->sig->inv != INV_F1)
		return save_small_as(q, d->cut_ran ? &d->cut : &d->whole);
	d->whole.opts.profile = o->run.profile;
	replay_note(&d->whole, "The same bytes all at once.");
	note(&d->whole, o);
	if (write_trace(o, &d->whole, "-whole"))
		return -1;
	return save_trace(o, &d->cut);
}

int save_cuts(struct sim *s, const struct save_opts *o, const struct trace *tr,
	      const struct sim_choice *c)
{
	struct question q = {
		.s = s, .o = o, .pool = mem_pool_new(), .cuts = *c
	};
	struct shrink_opts so = { .still = cuts_differ,
				  .ctx = &q,
				  .tries_max = CUT_SHRINKS };
	struct trace small = { .pool = mem_pool_new() };
	struct segdiff d;
	int ret = -1;

	sim_shrink(&so, tr, &small);
	if (find_cuts(&q, &small, &d))
		ret = save_pair(&q, &d);
	mem_pool_free(small.pool);
	mem_pool_free(q.pool);
	return ret;
}
