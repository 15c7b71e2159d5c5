// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzz target: any bytes as records and reads, delivered all at once and in
 * pieces; what comes out must be the same (promise F1).
 *
 * The bytes answer the generator's questions, then those of the cutting.
 *
 * Left out: what makes results depend on timing; segdiff.c takes it out.
 */
#include "fuzz/common.h"
#include "sim/check/segdiff.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	(void)seed;
	return fuzz_mutate(data, size, max_size);
}

/* What segdiff.c would take out again. */
#define NOT_COMPARED                                                         \
	(GEN_BIT(SIGNAL) | GEN_BIT(NO_MEMORY) | GEN_BIT(BAD_IOV) |           \
	 GEN_BIT(POLL) | GEN_BIT(OPTIONS) | GEN_BIT(LATE_KEYS) |             \
	 GEN_BIT(END_CALLS) | GEN_BIT(FIN) | GEN_BIT(RST) | GEN_BIT(TASKS) | \
	 GEN_BIT(RECVMMSG) | GEN_BIT(URGENT) | GEN_BIT(XOR) |                \
	 GEN_BIT(SEQ_WRAP))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gen_opts go = { .off = NOT_COMPARED };
	struct fuzz *f = fuzz_begin();
	struct sim_choice c, cuts;
	struct segdiff d;

	fuzz_choices(f, data, size, &c);
	gen_trace(&c, &go, &f->tr);
	cuts = c;
	segdiff_run(f->s, &f->tr, &f->opts, &c, f->pool, &d);
	stats_run(&f->stats, f->s);
	if (d.sig.kind != SIG_NONE)
		fuzz_found(f, &d.sig, d.text, &cuts);
	return 0;
}
