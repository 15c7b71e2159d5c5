// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `ktlsim check`: random traces against all invariants.
 * How: the arguments; everything else is in check.c.
 * Left out: measuring (`ktlsim bench worlds`).
 */
#include <getopt.h>
#include <stdlib.h>

#include "sim/check/check.h"
#include "sim/cmd/cmd.h"
#include "sim/cmd/tool.h"

static const struct option long_opts[] = {
	{ "profile", required_argument, NULL, 'p' },
	{ "seed", required_argument, NULL, 's' },
	{ "from", required_argument, NULL, 'f' },
	{ "runs", required_argument, NULL, 'n' },
	{ "jobs", required_argument, NULL, 'j' },
	{ "shard", required_argument, NULL, 'S' },
	{ "out", required_argument, NULL, 'o' },
	{ "all", no_argument, NULL, 'a' },
	{ "first", no_argument, NULL, '1' },
	{ "log-hash", no_argument, NULL, 'H' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char usage[] =
	"usage: ktlsim check [--profile P] [--seed S] [--from I] [--runs N]\n"
	"                    [--jobs J] [--shard I/N] [--out DIR] [--all]\n"
	"                    [--first] [--log-hash]\n"
	"Makes random traces, runs them with random schedules, checks every\n"
	"invariant. What is found is made small and written as a trace.\n"
	"  --profile P  kernel to model (v7.2)\n"
	"  --seed S     number everything comes from (1)\n"
	"  --from I     first run (0)\n"
	"  --runs N     how many (100000)\n"
	"  --jobs J     processes (1); 0: this one, for debuggers\n"
	"  --shard I/N  only the runs of share I of N, from 1\n"
	"  --out DIR    where findings go (findings-new)\n"
	"  --all        report known findings as well\n"
	"  --first      stop at the first finding\n"
	"  --log-hash   print a hash of each run's log and judge nothing\n"
	"Exit: 0 all holds, 1 something new was broken, 2 unusable input.\n";

static int shard(const char *s, struct check_opts *o)
{
	unsigned i = 0, n = 0;
	int end = 0;

	if (strspn(s, "0123456789/") != strlen(s) ||
	    sscanf(s, "%7u/%7u%n", &i, &n, &end) != 2 || s[end] || !i ||
	    i > n || n > 1000000)
		return cmd_bad_value("--shard", s,
				     "I/N with 1 <= I <= N <= 1000000");
	o->shard = i;
	o->shards = n;
	return 0;
}

static int option(int c, struct check_opts *o)
{
	u64 n = 0;

	switch (c) {
	case 'p':
		return tool_profile("--profile", optarg, &o->profile);
	case 's':
		return tool_number("--seed", optarg, 0, UINT64_MAX, &o->seed);
	case 'f':
		return tool_number("--from", optarg, 0, 1ull << 48, &o->from);
	case 'n':
		return tool_number("--runs", optarg, 1, 1ull << 40, &o->runs);
	case 'j':
		if (tool_number("--jobs", optarg, 0, CHECK_JOBS_MAX, &n))
			return -1;
		o->jobs = (u32)n;
		break;
	case 'S':
		return shard(optarg, o);
	case 'o':
		o->out = optarg;
		break;
	case 'a':
		o->all = true;
		break;
	case '1':
		o->first = true;
		break;
	case 'H':
		o->hash = true;
		break;
	default:
		return -1;
	}
	return 0;
}

int cmd_check(int argc, char **argv)
{
	struct check_opts o = {
		.profile = *profile_find(PROFILE_DEFAULT),
		.seed = 1,
		.runs = 100000,
		.jobs = 1,
		.shard = 1,
		.shards = 1,
		.out = "findings-new",
	};
	int c;

	while ((c = cmd_getopt(argc, argv, "p:s:f:n:j:S:o:a1Hh", long_opts)) !=
	       -1) {
		if (c == 'h') {
			fputs(usage, stdout);
			return 0;
		}
		if (option(c, &o))
			return 2;
	}
	if (optind < argc) {
		fprintf(stderr,
			"ktlsim check: unexpected argument '%s', "
			"expected options only\n",
			argv[optind]);
		return 2;
	}
	return check_run(&o, stdout);
}
