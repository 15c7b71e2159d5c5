// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ktlsim: a deterministic simulator of the Linux kernel's TLS receive path.
 * How: the first argument names a command; each is in its own file.
 * Left out: everything else.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/types.h"
#include "sim/cmd/cmd.h"

static const struct {
	const char *name;
	int (*fn)(int argc, char **argv);
	const char *text;
} commands[] = {
	{ "run", cmd_run, "run traces, check expectations and invariants" },
	{ "why", cmd_why, "a trace told call by call, with reasons" },
	{ "check", cmd_check, "random traces against all invariants" },
	{ "diff", cmd_diff, "first difference between kernels" },
	{ "bisect", cmd_bisect, "which change makes the difference" },
	{ "shrink", cmd_shrink, "the smallest trace that breaks the same" },
	{ "explore", cmd_explore, "a trace in every order of its events" },
	{ "exam", cmd_exam, "are bugs of the past found, and how fast" },
	{ "claims", cmd_claims, "what a posted patch says of itself, tested" },
	{ "judge", cmd_judge, "the same traces on a real kernel, compared" },
	{ "fmt", cmd_fmt, "print traces in canonical form" },
	{ "bench", cmd_bench, "the benchmarks, as tables" },
	{ "fuzz-stats", cmd_fuzz_stats, "add up what fuzz targets did" },
	{ "profiles", cmd_profiles, "the kernels there are" },
	{ "changes", cmd_changes, "named differences between kernels" },
	{ "invariants", cmd_invariants, "promises checked in every run" },
	{ "reasons", cmd_reasons, "why calls end as they do" },
	{ "findings", cmd_findings, "promises that Linux 7.2 breaks itself" },
};

static void usage(FILE *f)
{
	u32 i;

	fprintf(f, "usage: ktlsim COMMAND [ARGUMENT...]\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(f, "  %-12s %s\n", commands[i].name, commands[i].text);
	fprintf(f, "`ktlsim COMMAND --help` tells the options; "
		   "docs/commands.md shows each.\n");
}

/* A file must not get the number of a stream that was closed: what is written
 * there would go into it. Writing to a closed stdout fails instead. */
static int keep_streams(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null",
			 fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	u32 i;

	if (keep_streams())
		return 2;
	if (argc < 2) {
		usage(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help")) {
		usage(stdout);
		return cmd_end(0);
	}
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(argv[1], commands[i].name))
			return cmd_end(commands[i].fn(argc - 1, argv + 1));
	}
	fprintf(stderr,
		"ktlsim: unknown command '%s', expected one of "
		"`ktlsim help`\n",
		argv[1]);
	return 2;
}
