// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `ktlsim why`: a trace told call by call.
 * How: the arguments; the telling is in why.c.
 * Left out: several files; one is enough to read.
 */
#include <getopt.h>

#include "sim/cmd/cmd.h"
#include "sim/cmd/tool.h"
#include "sim/explain/why.h"

static const struct option long_opts[] = {
	{ "profile", required_argument, NULL, 'p' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char usage[] =
	"usage: ktlsim why [--profile P] FILE\n"
	"Runs a trace and tells of every call why it ended as it did, what was\n"
	"in front, which state decided, which profiles answer otherwise, and\n"
	"what to do about answers that mislead.\n"
	"  --profile P  kernel to model instead of what the trace names\n"
	"Exit: 0 all holds, 1 something was broken, 2 unusable input.\n";

static int tell(const char *path, const char *profile)
{
	struct trace tr = { .pool = mem_pool_new() };
	struct text out = { 0 };
	struct sim_opts o;
	int ret = 2;

	if (!tool_load(&tr, path) && !tool_opts(&tr, path, profile, &o))
		ret = why_run(&tr, path, &o, &out);
	if (ret != 2)
		fwrite(out.buf, 1, out.len, stdout);
	text_free(&out);
	mem_pool_free(tr.pool);
	return ret;
}

int cmd_why(int argc, char **argv)
{
	const char *path, *profile = NULL;
	struct profile p;
	int c;

	while ((c = cmd_getopt(argc, argv, "p:h", long_opts)) != -1) {
		switch (c) {
		case 'p':
			profile = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			return 2;
		}
	}
	path = tool_one_file(argc, argv, optind);
	if (!path)
		return 2;
	if (profile && tool_profile("--profile", profile, &p))
		return 2;
	return tell(path, profile);
}
