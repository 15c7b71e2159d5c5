// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `ktlsim exam`: does the random checker find the bugs of the past?
 * How: one after the other, each with its own budget of CPU time; the table is
 * written as it comes.
 * Left out: looking for several at once.
 */
#include <getopt.h>
#include <stdlib.h>

#include "sim/cmd/cmd.h"
#include "sim/cmd/tool.h"
#include "sim/exam/exam.h"

static const struct option long_opts[] = {
	{ "seed", required_argument, NULL, 's' },
	{ "seconds", required_argument, NULL, 't' },
	{ "events", required_argument, NULL, 'e' },
	{ "out", required_argument, NULL, 'o' },
	{ "list", no_argument, NULL, 'l' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static const char usage[] =
	"usage: ktlsim exam [OPTION...] [BUG...]\n"
	"Brings bugs of the past back into v7.2, one at a time, and looks for\n"
	"each with the random checker.\n"
	"  --seed S      of the random runs (default 1)\n"
	"  --seconds N   CPU time a bug (default 60)\n"
	"  --events N    a trace with more statements fails (default 8)\n"
	"  --out DIR     where the small traces go (default exam-found)\n"
	"  --list        the bugs there are, and those left out with the reason\n"
	"Exit: 0 all were found, 1 one was not, 2 unusable input.\n";

/**
 * struct exam - one run of the command
 * @o: how to look
 * @n: bugs looked for
 * @found: of them found
 * @long_n: found, but the trace is too long
 * @most: statements of the longest trace
 * @ns: search times of those found
 */
struct exam {
	struct exam_opts o;
	u32 n;
	u32 found;
	u32 long_n;
	u32 most;
	u64 *ns;
};

static void list(void)
{
	u32 i;

	for (i = 0; i < exam_bug_n; i++) {
		const struct exam_bug *b = &exam_bugs[i];

		if (b->left_out)
			printf("%3u  %-32s left out: %s\n", b->nr, b->slug,
			       b->left_out);
		else
			printf("%3u  %-32s %s\n", b->nr, b->slug,
			       m_change_title[b->change]);
	}
}

/* Hundredths of a second. */
static u32 cs(u64 ns)
{
	return (u32)((ns + 5000000) / 10000000);
}

static void print_row(const struct exam_bug *b, const struct exam_result *r)
{
	struct text name = { 0 };

	if (r->found)
		sig_print(&r->sig, ' ', &name);
	else
		text_puts(&name, "NOT FOUND");
	printf("%3u  %-30s %-36.*s %8llu %5u.%02u", b->nr, b->slug,
	       (int)name.len, name.buf, (unsigned long long)r->worlds,
	       cs(r->search_ns) / 100, cs(r->search_ns) % 100);
	if (r->found)
		printf(" %5u.%02u %6u", cs(r->shrink_ns) / 100,
		       cs(r->shrink_ns) % 100, r->events);
	puts("");
	fflush(stdout);
	text_free(&name);
}

static int one(struct exam *e, const struct exam_bug *b)
{
	struct exam_result r;
	int ret = exam_run(&e->o, b, &r);

	if (!ret) {
		print_row(b, &r);
		e->n++;
		if (r.found) {
			e->ns[e->found++] = r.search_ns;
			e->long_n += r.events > e->o.events;
			e->most = r.events > e->most ? r.events : e->most;
		}
	}
	text_free(&r.path);
	return ret;
}

static int by_size(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The exit code. */
static int sum_up(struct exam *e)
{
	u32 median = 0, slowest = 0;

	qsort(e->ns, e->found, sizeof(*e->ns), by_size);
	if (e->found) {
		median = cs(e->ns[e->found / 2]);
		slowest = cs(e->ns[e->found - 1]);
	}
	printf("exam: %u of %u found, median %u.%02u s, slowest %u.%02u s; "
	       "longest trace %u events, %u with more than %llu\n",
	       e->found, e->n, median / 100, median % 100, slowest / 100,
	       slowest % 100, e->most, e->long_n,
	       (unsigned long long)e->o.events);
	return e->found == e->n && !e->long_n ? 0 : 1;
}

static int look_for_all(struct exam *e)
{
	u32 i;

	for (i = 0; i < exam_bug_n; i++) {
		if (!exam_bugs[i].left_out && one(e, &exam_bugs[i]))
			return -1;
	}
	return 0;
}

static int look_for(struct exam *e, char **names, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		if (one(e, exam_find(names[i])))
			return -1;
	}
	return 0;
}

static int option(int c, struct exam *e)
{
	switch (c) {
	case 's':
		return tool_number("--seed", optarg, 0, UINT64_MAX, &e->o.seed);
	case 't':
		return tool_number("--seconds", optarg, 1, 86400,
				   &e->o.seconds);
	case 'e':
		return tool_number("--events", optarg, 1, 10000, &e->o.events);
	case 'o':
		e->o.out = optarg;
		return 0;
	default:
		return -1;
	}
}

static int check_names(char **names, int n)
{
	const struct exam_bug *b;
	int i;

	for (i = 0; i < n; i++) {
		b = exam_find(names[i]);
		if (!b || b->left_out)
			return cmd_bad_value("bug", names[i],
					     "one of `ktlsim exam --list` that "
					     "is not left out");
	}
	return 0;
}

static int look(struct exam *e, char **names, int n)
{
	int ret;

	if (check_names(names, n))
		return 2;
	e->ns = calloc((u32)n + exam_bug_n, sizeof(*e->ns));
	if (!e->ns)
		abort();
	printf("%3s  %-30s %-36s %8s %8s %8s %6s\n", "nr", "bug", "found by",
	       "worlds", "CPU s", "shrink s", "events");
	ret = n ? look_for(e, names, n) : look_for_all(e);
	ret = ret ? 2 : sum_up(e);
	free(e->ns);
	return ret;
}

int cmd_exam(int argc, char **argv)
{
	struct exam e = { .o = { .seed = 1,
				 .seconds = 60,
				 .events = 8,
				 .out = "exam-found" } };
	int c;

	while ((c = cmd_getopt(argc, argv, "s:t:e:o:lh", long_opts)) != -1) {
		if (c == 'h' || c == 'l') {
			c == 'h' ? (void)fputs(usage, stdout) : list();
			return 0;
		}
		if (option(c, &e))
			return 2;
	}
	return look(&e, argv + optind, argc - optind);
}
