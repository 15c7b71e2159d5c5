// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `ktlsim claims`: the text of a posted patch, put to the test.
 * How: the arguments; everything else is in sim/claims.
 * Left out: an exit code for claims that fail. A text that promises too much is
 * what this is about, not a fault of the run.
 */
#include <getopt.h>
#include <stdio.h>

#include "sim/claims/claims.h"
#include "sim/cmd/cmd.h"
#include "sim/cmd/tool.h"

static const struct option long_opts[] = {
	{ "runs", required_argument, NULL, 'n' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char usage[] =
	"usage: ktlsim claims [--runs N] [PROFILE]\n"
	"Puts what a posted patch says of itself to the test, sentence by\n"
	"sentence, on v7.2 with and without it: holds, fails (with a trace),\n"
	"or depends (on what). Without PROFILE: lists the patches there are.\n"
	"  --runs N     random worlds, where a claim is about all (10000)\n"
	"Exit: 0 it ran, whatever the verdicts; 2 unusable input.\n";

static int list(void)
{
	u32 i;

	for (i = 0; i < claim_set_n; i++)
		printf("%-24s %u claims: %s\n", claim_sets[i].profile,
		       *claim_sets[i].n, claim_sets[i].text);
	return 0;
}

static int put_to_the_test(const char *profile, u32 runs)
{
	const struct claim_set *set = claim_set_find(profile);

	if (!set) {
		cmd_bad_value("PROFILE", profile, "one of `ktlsim claims`");
		return 2;
	}
	claims_run(set, runs, stdout);
	return 0;
}

int cmd_claims(int argc, char **argv)
{
	u64 runs = 10000;
	int c;

	while ((c = cmd_getopt(argc, argv, "n:h", long_opts)) != -1) {
		if (c == 'h') {
			fputs(usage, stdout);
			return 0;
		}
		if (c != 'n' ||
		    tool_number("--runs", optarg, 1, 100000000, &runs))
			return 2;
	}
	if (optind == argc)
		return list();
	if (optind + 1 < argc) {
		fprintf(stderr,
			"ktlsim claims: unexpected argument '%s', expected one "
			"PROFILE\n",
			argv[optind + 1]);
		return 2;
	}
	return put_to_the_test(argv[optind], (u32)runs);
}
