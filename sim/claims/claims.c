// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs a set of claims and prints it.
 * How: each claim's function gathers evidence and gives the verdict, which is
 * printed in front of it.
 * Left out: judging the verdicts; tests/check-claims.sh compares them with
 * those of last time.
 */
#include "sim/claims/claims.h"

#define WIDTH 78u

const char *const claim_word[CLAIM_VERDICTS] = {
	[CLAIM_HOLDS] = "holds",
	[CLAIM_FAILS] = "fails",
	[CLAIM_DEPENDS] = "depends",
};

const struct claim_set claim_sets[] = {
	{ "rfc-splice-coalesce",
	  "tls: sw: coalesce records in tls_sw_splice_read() (posted, RFC)",
	  splice_coalesce_claims, &splice_coalesce_claim_n },
	{ "splice-coalesce-fixed",
	  "the same claims, of the version that keeps 7.2's promises",
	  splice_coalesce_claims, &splice_coalesce_claim_n },
};
const u32 claim_set_n = ARRAY_SIZE(claim_sets);

const struct claim_set *claim_set_find(const char *profile)
{
	u32 i;

	for (i = 0; i < claim_set_n; i++) {
		if (!strcmp(claim_sets[i].profile, profile))
			return &claim_sets[i];
	}
	return NULL;
}

/* A sentence, broken into lines behind @indent blanks. */
static void print_wrapped(const char *text, int indent, FILE *out)
{
	size_t room = WIDTH - (size_t)indent;
	const char *end;

	while (strlen(text) > room) {
		for (end = text + room; end > text && *end != ' '; end--)
			;
		fprintf(out, "%.*s\n%*s", (int)(end - text), text, indent, "");
		text = end + 1;
	}
	fprintf(out, "%s\n", text);
}

static enum claim_verdict run_one(struct claims *c, const struct claim *claim,
				  u32 nth, FILE *out)
{
	enum claim_verdict v;

	mem_pool_reset(c->pool);
	v = claim->fn(c);
	fprintf(out, "%2u  %-8s", nth, claim_word[v]);
	print_wrapped(claim->text, 12, out);
	if (c->out.len)
		fputs(c->out.buf, out);
	fputc('\n', out);
	fflush(out);
	text_free(&c->out);
	return v;
}

void claims_init(struct claims *c, const struct profile *trial, u32 runs)
{
	*c = (struct claims){
		.trial = trial,
		.base = profile_find(PROFILE_DEFAULT),
		.runs = runs,
		.s = sim_new(),
		.pool = mem_pool_new(),
		.random = mem_pool_new(),
	};
}

void claims_free(struct claims *c)
{
	sim_free(c->s);
	mem_pool_free(c->pool);
	mem_pool_free(c->random);
	text_free(&c->out);
}

void claims_run(const struct claim_set *set, u32 runs, FILE *out)
{
	u32 i, sums[CLAIM_VERDICTS] = { 0 };
	struct claims c;

	claims_init(&c, profile_find(set->profile), runs);
	fprintf(out, "%s: %s\n\n", set->profile, set->text);
	for (i = 0; i < *set->n; i++)
		sums[run_one(&c, &set->claims[i], i + 1, out)]++;
	fprintf(out, "claims: %u, of which %u hold, %u fail, %u depend\n", i,
		sums[CLAIM_HOLDS], sums[CLAIM_FAILS], sums[CLAIM_DEPENDS]);
	claims_free(&c);
}
