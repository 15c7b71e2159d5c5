// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzz target: any bytes as a random trace and its schedule, against all
 * invariants.
 *
 * The bytes answer the generator's questions, then those of the scheduler. No
 * input is refused. Now and then the same input runs twice, and the logs must
 * be the same (promise T1).
 *
 * Left out: traces as text (fuzz_trace.c).
 */
#include "fuzz/common.h"

#define TWICE_EVERY 256u

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	(void)seed;
	return fuzz_mutate(data, size, max_size);
}

static void run_twice(struct fuzz *f, const struct sim_choice *c)
{
	u64 hash = log_hash(f->s);
	struct sim_sig sig;

	sim_run(f->s, &f->tr, &f->opts, c);
	if (log_hash(f->s) == hash) {
		inv_checked(f->s, INV_T1);
		return;
	}
	sig_set(&sig, SIG_INVARIANT, INV_T1, "run-twice");
	fuzz_found(f, &sig, "the log is another one", NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz *f = fuzz_begin();
	struct gen_opts go;
	struct sim_choice c;

	gen_opts_default(&go);
	fuzz_choices(f, data, size, &c);
	gen_trace(&c, &go, &f->tr);
	sim_run(f->s, &f->tr, &f->opts, &c);
	stats_run(&f->stats, f->s);
	fuzz_judge_run(f);
	if (f->stats.inputs % TWICE_EVERY == 0)
		run_twice(f, &c);
	return 0;
}
