// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `ktlsim diff`: traces on several kernels, and where these part.
 * How: the arguments; comparing is in diff.c.
 * Left out: which change makes the difference (`ktlsim bisect`).
 */
#include <getopt.h>

#include "sim/cmd/cmd.h"
#include "sim/explain/diff.h"
#include "sim/cmd/tool.h"

static const struct option long_opts[] = {
	{ "profiles", required_argument, NULL, 'p' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char usage[] =
	"usage: ktlsim diff --profiles A,B[,...] FILE...\n"
	"Runs each trace on every profile and shows which calls answer\n"
	"otherwise, and both logs side by side around the first difference\n"
	"that a program, a consumer or the peer can see.\n"
	"Exit: 0 no difference, 1 there is one, 2 unusable input.\n";

static int diff_file(const char *path, const struct profile *p, u32 n)
{
	struct trace tr = { .pool = mem_pool_new() };
	struct text out = { 0 };
	int ret = 2;

	if (!tool_load(&tr, path)) {
		ret = diff_run(&tr, path, p, n, &out);
		fwrite(out.buf, 1, out.len, stdout);
	}
	text_free(&out);
	mem_pool_free(tr.pool);
	return ret;
}

static int diff_files(const char *list, char **files, int file_n)
{
	struct mem_pool *pool = mem_pool_new();
	struct profile p[TOOL_PROFILES_MAX];
	int i, n, ret, worst = 0;

	n = tool_profiles(pool, "--profiles", list, 2, p);
	if (n < 0)
		worst = 2;
	for (i = 0; n > 0 && i < file_n; i++) {
		ret = diff_file(files[i], p, (u32)n);
		worst = ret > worst ? ret : worst;
	}
	mem_pool_free(pool);
	return worst;
}

int cmd_diff(int argc, char **argv)
{
	const char *list = NULL;
	int c;

	while ((c = cmd_getopt(argc, argv, "p:h", long_opts)) != -1) {
		switch (c) {
		case 'p':
			list = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			return 2;
		}
	}
	if (!list || optind >= argc) {
		fprintf(stderr, "ktlsim diff: no %s given, expected %s\n",
			list ? "trace" : "profiles",
			list ? "FILE..." : "--profiles A,B[,...]");
		return 2;
	}
	return diff_files(list, argv + optind, argc - optind);
}
