// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options of the commands: getopt_long() with messages that say what was
 * expected.
 * Left out: values of options, which tool.h reads.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "sim/cmd/cmd.h"

/* What getopt does not know or miss a value of, as it was written. */
static void tell(char **argv, const char *what)
{
	const char *word = argv[optind - 1];

	fprintf(stderr, "ktlsim: option '");
	if (optopt && strncmp(word, "--", 2) != 0)
		fprintf(stderr, "-%c", optopt);
	else
		fprintf(stderr, "%s", word);
	fprintf(stderr, "' %s, expected as `ktlsim %s --help` tells\n", what,
		argv[0]);
}

int cmd_getopt(int argc, char **argv, const char *brief,
	       const struct option *opts)
{
	char letters[64];
	int c;

	snprintf(letters, sizeof(letters), ":%s", brief);
	opterr = 0;
	c = getopt_long(argc, argv, letters, opts, NULL);
	if (c == ':')
		tell(argv, "has no value");
	else if (c == '?' && optopt && strchr(argv[optind - 1], '='))
		tell(argv, "takes no value");
	else if (c == '?')
		tell(argv, "is unknown or not unique");
	return c == ':' ? '?' : c;
}
