// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `ktlsim profiles|changes|invariants|reasons`: what there is, one line each.
 * How: walks the tables that the .def files make.
 * Left out: documentation, that is docs/.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cmd/cmd.h"
#include "sim/inv/inv.h"
#include "sim/world/profile.h"

int cmd_bad_value(const char *option, const char *value, const char *what)
{
	fprintf(stderr, "ktlsim: %s '%s' is not usable, expected %s\n", option,
		value, what);
	return -1;
}

int cmd_end(int ret)
{
	bool lost = ferror(stdout);

	/* What does not get through may show only when the file is closed. */
	errno = 0;
	if (!fclose(stdout) && !lost)
		return ret;
	fprintf(stderr, "ktlsim: cannot write to stdout: %s\n",
		errno ? strerror(errno) : "some of it was lost");
	return 2;
}

/* Lists take no arguments but --help, which ends the program. */
static int no_args(int argc, char **argv)
{
	if (argc < 2)
		return 0;
	if (argc == 2 && !strcmp(argv[1], "--help")) {
		printf("usage: ktlsim %s\n", argv[0]);
		exit(cmd_end(0));
	}
	fprintf(stderr, "ktlsim %s: unexpected argument '%s', expected none\n",
		argv[0], argv[1]);
	return -1;
}

int cmd_profiles(int argc, char **argv)
{
	u32 i;

	if (no_args(argc, argv))
		return 2;
	for (i = 0; i < profile_n; i++)
		printf("%-24s %s\n", profile_table[i].name,
		       profile_table[i].text);
	return 0;
}

int cmd_changes(int argc, char **argv)
{
	int i;

	if (no_args(argc, argv))
		return 2;
	puts("differences of kernels and patches from v7.2:");
	for (i = CHANGE_NONE + 1; i < M_CHANGE_KNOWN_BAD; i++)
		printf("%-28s %s\n", m_change_name[i], m_change_title[i]);
	puts("\nbugs of the past, brought back into v7.2 (ktlsim exam):");
	for (; i < M_CHANGE_COUNT; i++)
		printf("%-28s %s\n", m_change_name[i], m_change_title[i]);
	return 0;
}

int cmd_invariants(int argc, char **argv)
{
	int i;

	if (no_args(argc, argv))
		return 2;
	for (i = 0; i < INV_COUNT; i++)
		printf("%-4s %s\n", inv_name[i], inv_text[i]);
	return 0;
}

int cmd_reasons(int argc, char **argv)
{
	int i;

	if (no_args(argc, argv))
		return 2;
	for (i = 0; i < M_REASON_COUNT; i++) {
		if (i != REASON_NONE)
			printf("%-28s %s\n", m_reason_name[i],
			       m_reason_text[i]);
	}
	return 0;
}
