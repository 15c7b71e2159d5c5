// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `ktlsim fmt [--check] FILE...`: traces in canonical text.
 *
 * Prints the text, or with --check says which files differ from theirs.
 *
 * Left out: changing files in place.
 */
#include <getopt.h>
#include <stdlib.h>

#include "sim/cmd/cmd.h"
#include "sim/trace/trace.h"

static const char usage[] =
	"usage: ktlsim fmt [--check] FILE...\n"
	"Prints traces as canonical text.\n"
	"  --check  print nothing but the names of files that are not canonical\n"
	"  --help   print this\n"
	"Exit code: 0, 1 a file is not canonical (--check), 2 unusable input.\n";

/* Is the file byte for byte @text? A file that cannot be read is not. */
static bool file_is(const char *path, const struct text *text)
{
	FILE *f = fopen(path, "rb");
	bool same = false;
	char *buf;
	size_t n;

	if (!f)
		return false;
	buf = malloc(text->len + 1);
	if (buf) {
		n = fread(buf, 1, text->len + 1, f);
		same = n == text->len && !memcmp(buf, text->buf, n);
	}
	free(buf);
	fclose(f);
	return same;
}

static int fmt_file(struct mem_pool *pool, const char *path, bool check)
{
	struct trace tr = { .pool = pool };
	struct text text = { 0 };
	struct sim_err err;
	int rc = 0;

	mem_pool_reset(pool);
	if (trace_load(&tr, path, &err)) {
		sim_err_print(&err, stderr);
		return 2;
	}
	trace_print(&tr, &text);
	if (!check) {
		fwrite(text.buf, 1, text.len, stdout);
	} else if (!file_is(path, &text)) {
		printf("%s: not canonical, 'ktlsim fmt' prints how it should"
		       " be\n",
		       path);
		rc = 1;
	}
	text_free(&text);
	return rc;
}

int cmd_fmt(int argc, char **argv)
{
	static const struct option options[] = {
		{ "check", no_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct mem_pool *pool;
	bool check = false;
	int opt, rc = 0;

	optind = 0;
	while ((opt = cmd_getopt(argc, argv, "", options)) != -1) {
		if (opt == 'h') {
			fputs(usage, stdout);
			return 0;
		}
		if (opt != 'c')
			return 2;
		check = true;
	}
	if (optind == argc) {
		fputs("ktlsim fmt: no file given\n", stderr);
		fputs(usage, stderr);
		return 2;
	}
	pool = mem_pool_new();
	for (; optind < argc; optind++) {
		int file_rc = fmt_file(pool, argv[optind], check);

		rc = max_t(int, rc, file_rc);
	}
	mem_pool_free(pool);
	return rc;
}
