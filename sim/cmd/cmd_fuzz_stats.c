// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `ktlsim fuzz-stats`: adds up what the processes of a fuzz run wrote down.
 * How: each file is a struct run_stats as text (stats.c); fuzz/run.sh calls
 * this for its summary.
 * Left out: rates; run.sh knows the time.
 */
#include "sim/cmd/cmd.h"
#include "sim/check/stats.h"

int cmd_fuzz_stats(int argc, char **argv)
{
	struct run_stats st = { 0 };
	int i;

	if (argc == 2 && !strcmp(argv[1], "--help")) {
		fputs("usage: ktlsim fuzz-stats FILE...\n"
		      "Adds up what fuzz targets wrote with --stats=FILE.\n",
		      stdout);
		return 0;
	}
	if (argc < 2 || argv[1][0] == '-') {
		fprintf(stderr,
			"ktlsim: %s%s%s, expected files that fuzz targets "
			"wrote with --stats=FILE\n",
			argc < 2 ? "no file given" : "option '",
			argc < 2 ? "" : argv[1],
			argc < 2 ? "" : "' is unknown");
		return 2;
	}
	for (i = 1; i < argc; i++) {
		if (!stats_load(&st, argv[i]))
			continue;
		fprintf(stderr,
			"ktlsim: %s is not readable, or no file of a "
			"fuzz target\n",
			argv[i]);
		return 2;
	}
	printf("inputs:   %llu; %llu worlds, %llu calls, %llu events\n",
	       (unsigned long long)st.inputs, (unsigned long long)st.worlds,
	       (unsigned long long)st.calls, (unsigned long long)st.events);
	stats_print(&st, stdout);
	return 0;
}
