// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the fuzz targets that run worlds share.
 * How: see common.h. Sums are written at exit and in front of an abort,
 * since that runs no exit handlers.
 * Left out: libFuzzer's own options; reading the environment (run.sh passes
 * arguments).
 */
#include "fuzz/common.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/world/profile.h"
#include "sim/check/save.h"

/* Bytes a "seed N" stands for; more than most inputs use. */
#define SEED_BYTES 1024u

static struct fuzz fuzz;

static const char *value_of(const char *arg, const char *name)
{
	size_t len = strlen(name);

	return strncmp(arg, name, len) ? NULL : arg + len;
}

static void use_profile(const char *name)
{
	char why[PROFILE_WHY_MAX];
	struct profile p;

	if (profile_parse(name, &p, why)) {
		fprintf(stderr, "fuzz: %s\n", why);
		exit(2);
	}
	profile_changes(&p, &fuzz.opts.changes);
	fuzz.opts.profile = p.name;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *arg, *val;
	int i;

	fuzz.out = "findings-new";
	fuzz.opts.random_schedule = true;
	fuzz.opts.ignore_known = true;
	use_profile(PROFILE_DEFAULT);
	for (i = 1; i < *argc; i++) {
		arg = (*argv)[i];
		if ((val = value_of(arg, "--profile=")))
			use_profile(val);
		else if ((val = value_of(arg, "--out=")))
			fuzz.out = val;
		else if ((val = value_of(arg, "--stats=")))
			fuzz.stats_path = val;
	}
	return 0;
}

static void write_stats(void)
{
	struct run_stats all = fuzz.stats;

	if (!fuzz.s || !fuzz.stats_path)
		return;
	stats_world(&all, fuzz.s);
	if (stats_save(&all, fuzz.stats_path))
		fprintf(stderr, "fuzz: cannot write %s\n", fuzz.stats_path);
}

static void at_exit(void)
{
	write_stats();
	sim_free(fuzz.s);
	mem_pool_free(fuzz.tr.pool);
	mem_pool_free(fuzz.pool);
	memset(&fuzz, 0, sizeof(fuzz));
}

struct fuzz *fuzz_begin(void)
{
	if (!fuzz.s) {
		fuzz.s = sim_new();
		fuzz.tr.pool = mem_pool_new();
		fuzz.pool = mem_pool_new();
		atexit(at_exit);
	}
	mem_pool_reset(fuzz.tr.pool);
	mem_pool_reset(fuzz.pool);
	fuzz.stats.inputs++;
	return &fuzz;
}

/* "seed 17", nothing but white space behind it. */
static bool seed_of(const uint8_t *data, size_t size, u64 *seed)
{
	size_t i = 5;

	if (size < 6 || size > 32 || memcmp(data, "seed ", 5) != 0)
		return false;
	for (*seed = 0; i < size && data[i] >= '0' && data[i] <= '9'; i++)
		*seed = *seed * 10 + (data[i] - '0');
	return i > 5 && (i == size || (i + 1 == size && data[i] == '\n'));
}

static void seed_bytes(u64 seed, uint8_t *out, size_t size)
{
	struct sim_choice c;
	size_t i;

	choice_seed(&c, seed);
	for (i = 0; i < size; i++)
		out[i] = (uint8_t)sim_choose(&c, 256);
}

void fuzz_choices(struct fuzz *f, const uint8_t *data, size_t size,
		  struct sim_choice *c)
{
	uint8_t *bytes;
	u64 seed;

	if (seed_of(data, size, &seed)) {
		bytes = mem_pool_alloc_raw(f->pool, SEED_BYTES);
		seed_bytes(seed, bytes, SEED_BYTES);
		data = bytes;
		size = SEED_BYTES;
	}
	choice_bytes(c, data, size);
}

size_t fuzz_mutate(uint8_t *data, size_t size, size_t max_size)
{
	u64 seed;

	if (seed_of(data, size, &seed)) {
		size = max_size < SEED_BYTES ? max_size : SEED_BYTES;
		seed_bytes(seed, data, size);
	}
	return LLVMFuzzerMutate(data, size, max_size);
}

static void tell(const struct save_opts *so)
{
	struct text name = { 0 }, path = { 0 };

	sig_print(so->sig, ' ', &name);
	save_path(so, &path);
	fprintf(stderr, "fuzz: new finding %.*s: %s\n  ktlsim run --log %.*s\n",
		(int)name.len, name.buf, so->seen, (int)path.len, path.buf);
	text_free(&name);
	text_free(&path);
}

void fuzz_found(struct fuzz *f, const struct sim_sig *sig, const char *seen,
		const struct sim_choice *cuts)
{
	struct save_opts so = { .dir = f->out,
				.run = f->opts,
				.sig = sig,
				.how = "Found by a fuzzer.",
				.seen = seen };

	so.run.random_schedule = false;
	if (save_exists(&so))
		return;
	write_stats(); /* saving runs more worlds, which do not count */
	if (cuts)
		save_cuts(f->s, &so, &f->tr, cuts);
	else
		save_trace(&so, &f->tr);
	tell(&so);
	abort();
}

void fuzz_judge_run(struct fuzz *f)
{
	const struct sim_verdict *v = &f->s->verdict;
	struct save_opts so = { .dir = f->out,
				.run = f->opts,
				.how = "Found by a fuzzer." };
	char seen[400];
	struct trace again;
	struct sim_sig sig;

	if (v->kind == VERDICT_OK)
		return;
	sig_of_run(f->s, &sig);
	so.sig = &sig;
	so.run.random_schedule = false;
	if (save_exists(&so))
		return;
	write_stats();
	snprintf(seen, sizeof(seen), "%s",
		 v->kind == VERDICT_INPUT ? v->err.msg : v->got);
	so.seen = seen;
	replay_trace(f->s, f->pool, &again);
	save_small(f->s, &so, &again);
	tell(&so);
	abort();
}
