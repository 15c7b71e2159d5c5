// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Looks for one bug of the past with the random checker.
 * How: the same runs as `ktlsim check` makes, on v7.2 with the bug's change,
 * until one goes wrong; that run must go well on v7.2. It is made small as
 * findings are; if that is not small enough, the next finding may be.
 * Left out: processes; one bug is one search on one core.
 */
#include "sim/exam/exam.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/bench/bench.h"
#include "sim/check/check.h"

const struct exam_bug exam_bugs[] = {
#define EXAM(nr, slug, change) { nr, slug, CHANGE_##change, NULL },
#define LEFT_OUT(nr, slug, why) { nr, slug, CHANGE_NONE, why },
#include "sim/exam/exam.def"
#undef EXAM
#undef LEFT_OUT
};
const u32 exam_bug_n = ARRAY_SIZE(exam_bugs);

const struct exam_bug *exam_find(const char *slug)
{
	u32 i;

	for (i = 0; i < exam_bug_n; i++) {
		if (!strcmp(exam_bugs[i].slug, slug))
			return &exam_bugs[i];
	}
	return NULL;
}

/* Does v7.2 go wrong in run @run as well? */
static bool baseline_fails(struct check_share *share, u64 seed, u64 run)
{
	struct check_opts o = { .profile = *profile_find(PROFILE_DEFAULT),
				.seed = seed,
				.shard = 1,
				.shards = 1 };
	struct check_world w;

	memset(share, 0, sizeof(*share));
	check_world_init(&w, &o, share);
	check_one(&w, run);
	check_world_free(&w);
	return share->found_n;
}

/* Goes on from run *@run until one goes wrong; false when time is up. */
static bool search(struct check_world *w, const struct exam_opts *o, u64 start,
		   u64 *run, struct check_found *f)
{
	struct check_share *other = calloc(1, sizeof(*other));
	u64 limit = o->seconds * 1000000000ull;
	bool found = false;

	if (!other)
		abort();
	for (; !found && bench_cpu_ns() - start < limit; ++*run) {
		w->share->found_n = 0;
		check_one(w, *run);
		*f = w->share->found[0];
		found = w->share->found_n &&
			!baseline_fails(other, o->seed, *run);
	}
	free(other);
	return found;
}

static int count_events(const char *path, u32 *n)
{
	struct trace tr = { .pool = mem_pool_new() };
	struct sim_err err = { .file = path };
	int ret = trace_load(&tr, path, &err);

	if (ret)
		sim_err_print(&err, stderr);
	*n = tr.stmt_n;
	mem_pool_free(tr.pool);
	return ret;
}

/* A finding that another one is smaller than; F1 has two files. */
static void drop(const struct text *path)
{
	struct text whole = { 0 };

	text_printf(&whole, "%.*s-whole.trace",
		    (int)(path->len - strlen(".trace")), path->buf);
	unlink(path->buf);
	unlink(whole.buf);
	text_free(&whole);
}

/* The finding as a file; @r keeps the smallest so far. */
static int make_small(struct check_world *w, const struct check_found *f,
		      struct exam_result *r)
{
	u64 start = bench_cpu_ns();
	struct text path = { 0 };
	u32 events;

	if (check_save(w, f, &path) || count_events(path.buf, &events)) {
		text_free(&path);
		return -1;
	}
	r->shrink_ns += bench_cpu_ns() - start;
	if (r->events && r->events <= events) {
		if (strcmp(path.buf, r->path.buf) != 0)
			drop(&path);
		text_free(&path);
		return 0;
	}
	if (r->events && strcmp(path.buf, r->path.buf) != 0)
		drop(&r->path);
	text_free(&r->path);
	r->path = path;
	r->sig = f->sig;
	r->events = events;
	return 0;
}

/* Until there is a trace that is small enough, or time is up. */
static int look_for(struct check_world *w, const struct exam_opts *o,
		    struct exam_result *r)
{
	u64 start = bench_cpu_ns(), run = 0;
	struct check_found f;

	while (!r->events || r->events > o->events) {
		if (!search(w, o, start, &run, &f))
			break;
		if (!r->found) {
			r->worlds = run;
			r->search_ns = bench_cpu_ns() - start;
		}
		r->found = true;
		if (make_small(w, &f, r))
			return -1;
	}
	if (!r->found) {
		r->worlds = run;
		r->search_ns = bench_cpu_ns() - start;
	}
	return 0;
}

int exam_run(const struct exam_opts *o, const struct exam_bug *bug,
	     struct exam_result *r)
{
	struct check_share *share = calloc(1, sizeof(*share));
	struct text name = { 0 }, dir = { 0 };
	struct check_opts co = {
		.seed = o->seed, .shard = 1, .shards = 1, .strict = true
	};
	char why[PROFILE_WHY_MAX];
	struct check_world w;
	int ret;

	if (!share)
		abort();
	memset(r, 0, sizeof(*r));
	text_printf(&name, PROFILE_DEFAULT "+%s", m_change_name[bug->change]);
	if (profile_parse(name.buf, &co.profile, why))
		abort();
	mkdir(o->out, 0777); /* what fails then is the write */
	text_printf(&dir, "%s/%s", o->out, bug->slug);
	co.out = dir.buf;
	check_world_init(&w, &co, share);
	ret = look_for(&w, o, r);
	check_world_free(&w);
	text_free(&name);
	text_free(&dir);
	free(share);
	return ret;
}
