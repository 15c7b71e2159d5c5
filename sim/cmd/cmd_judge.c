// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `ktlsim judge`: the same traces on a real kernel and on the model, compared.
 * How: options only; judge.c does it.
 * Left out: downloading kernels (scripts/judge-kernel.sh).
 */
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/cmd/cmd.h"
#include "sim/judge/judge.h"
#include "sim/cmd/tool.h"

static const struct option long_opts[] = {
	{ "kernel", required_argument, NULL, 'k' },
	{ "modules", required_argument, NULL, 'm' },
	{ "profile", required_argument, NULL, 'p' },
	{ "runs", required_argument, NULL, 'n' },
	{ "seed", required_argument, NULL, 's' },
	{ "from", required_argument, NULL, 'F' },
	{ "jobs", required_argument, NULL, 'j' },
	{ "cpu", required_argument, NULL, 'c' },
	{ "out", required_argument, NULL, 'o' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "answers", no_argument, NULL, 'a' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char usage[] =
	"usage: ktlsim judge [--kernel 6.1|6.12|7.2|PROGRAM|host] [--modules DIR]\n"
	"                    [--profile P] [--jobs N] [--cpu N] [--quiet] [--answers]\n"
	"                    [--out DIR] --runs N [--seed S] [--from I] | FILE...\n"
	"Performs traces on a real kernel and on the model and compares every result.\n"
	"  --kernel K    Debian's user-mode kernel of that version (6.1), any other\n"
	"                user-mode kernel, or the running kernel\n"
	"  --modules DIR PROGRAM's modules, if what is needed is not built in\n"
	"  --profile P   the model, if not the one of the kernel's version\n"
	"  --runs N      that many random traces instead of files\n"
	"  --seed S      which ones (1)\n"
	"  --from I      first of them (0)\n"
	"  --jobs N      kernels at the same time (1)\n"
	"  --cpu N       where the kernel runs (the last one)\n"
	"  --out DIR     where traces that differ are written, made small (.)\n"
	"  --quiet       no line on traces that cannot be judged\n"
	"  --answers     what the kernel answered, call by call, where both agree\n"
	"Exit: 0 all agree, 1 something differs, 2 unusable input, 77 no kernel, or\n"
	"nothing that can be judged.\n";

struct args {
	struct judge_opts o;
	const char *kernel;
	const char *modules;
	const char *profile;
	struct profile given;
};

static int parse_one(int c, struct args *a)
{
	u64 n;

	switch (c) {
	case 'k':
		a->kernel = optarg;
		return 0;
	case 'm':
		a->modules = optarg;
		return 0;
	case 'p':
		a->profile = optarg;
		return 0;
	case 'n':
		return tool_number("--runs", optarg, 1, 1ull << 40, &a->o.runs);
	case 's':
		return tool_number("--seed", optarg, 0, UINT64_MAX, &a->o.seed);
	case 'F':
		return tool_number("--from", optarg, 0, 1ull << 48, &a->o.from);
	case 'j':
		if (tool_number("--jobs", optarg, 1, JUDGE_JOBS_MAX, &n))
			return -1;
		a->o.jobs = (u32)n;
		return 0;
	case 'c':
		if (tool_number("--cpu", optarg, 0, a->o.cpus - 1, &n))
			return -1;
		a->o.cpu = (u32)n;
		return 0;
	case 'o':
		a->o.out = optarg;
		return 0;
	case 'q':
		a->o.quiet = true;
		return 0;
	case 'a':
		a->o.answers = true;
		return 0;
	case 'h':
		fputs(usage, stdout);
		exit(cmd_end(0));
	default:
		return -1;
	}
}

static int parse_args(int argc, char **argv, struct args *a)
{
	int c;

	while ((c = cmd_getopt(argc, argv, "k:m:p:n:s:o:j:qh", long_opts)) !=
	       -1) {
		if (parse_one(c, a))
			return -1;
	}
	if (a->profile && tool_profile("--profile", a->profile, &a->given))
		return -1;
	a->o.files = argv + optind;
	a->o.file_n = (u32)(argc - optind);
	if (a->o.file_n || a->o.runs)
		return 0;
	fprintf(stderr, "ktlsim judge: nothing to judge, expected FILE... or "
			"--runs N\n");
	return -1;
}

static int choose_profile(struct args *a)
{
	a->o.profile = a->profile ? &a->given :
				    judge_kernel_profile(&a->o.kernel);
	if (a->o.profile)
		return 0;
	fprintf(stderr,
		"ktlsim judge: no profile models Linux %s, expected "
		"--profile P\n",
		a->o.kernel.version);
	return -1;
}

int cmd_judge(int argc, char **argv)
{
	struct args a = { .kernel = "6.1",
			  .o = { .seed = 1, .out = ".", .jobs = 1 } };
	int ret;

	a.o.cpus = (u32)sysconf(_SC_NPROCESSORS_ONLN);
	a.o.cpu = a.o.cpus - 1;
	if (parse_args(argc, argv, &a))
		return 2;
	ret = judge_kernel_find(&a.o.kernel, a.kernel, a.modules);
	if (ret)
		return ret;
	if (choose_profile(&a))
		return 2;
	return judge_run(&a.o, stdout);
}
