// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `ktlsim bisect`: which change between two kernels makes the difference.
 * How: the arguments; the search is in bisect.c.
 * Left out: several files.
 */
#include <getopt.h>

#include "sim/explain/bisect.h"
#include "sim/cmd/cmd.h"
#include "sim/cmd/tool.h"

static const struct option long_opts[] = {
	{ "good", required_argument, NULL, 'g' },
	{ "bad", required_argument, NULL, 'b' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char usage[] =
	"usage: ktlsim bisect --good A --bad B FILE\n"
	"Names the change between two profiles that makes them run the trace\n"
	"differently; several that are needed together are named together.\n"
	"Exit: 0 no difference, 1 there is one, 2 unusable input.\n";

static int bisect_file(const char *path, const struct profile *good,
		       const struct profile *bad)
{
	struct trace tr = { .pool = mem_pool_new() };
	struct text out = { 0 };
	int ret = 2;

	if (!tool_load(&tr, path))
		ret = bisect_run(&tr, path, good, bad, &out);
	if (ret != 2)
		fwrite(out.buf, 1, out.len, stdout);
	text_free(&out);
	mem_pool_free(tr.pool);
	return ret;
}

int cmd_bisect(int argc, char **argv)
{
	struct profile good = { 0 }, bad = { 0 };
	const char *path;
	int c, ret = 0;

	while ((c = cmd_getopt(argc, argv, "g:b:h", long_opts)) != -1) {
		switch (c) {
		case 'g':
			ret = tool_profile("--good", optarg, &good);
			break;
		case 'b':
			ret = tool_profile("--bad", optarg, &bad);
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			return 2;
		}
		if (ret)
			return 2;
	}
	if (!good.name || !bad.name) {
		fprintf(stderr,
			"ktlsim bisect: no %s kernel given, expected "
			"--good A --bad B\n",
			good.name ? "bad" : "good");
		return 2;
	}
	path = tool_one_file(argc, argv, optind);
	return path ? bisect_file(path, &good, &bad) : 2;
}
