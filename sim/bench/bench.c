// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `ktlsim bench`: runs benchmarks and prints their tables.
 * How: every benchmark fills a table of rows; here they become text or JSON
 * ({"bench": ..., "rows": [{"name", "value", "unit", "ratio"}]}, one object a
 * line).
 * Left out: judging. Goals are printed beside the figures, a person compares.
 */
#include "sim/bench/bench.h"

#include <getopt.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/cmd/cmd.h"

/* Widths of a name and of a column, with the ratio in brackets. */
#define NAME 42
#define COLUMN 22
#define NAME_NARROW 34
#define COLUMN_NARROW 16

static const struct {
	const char *name;
	void (*fn)(struct bench_table *t);
	const char *text;
	bool when_named;
} benches[] = {
	{ "worlds", bench_worlds, "random worlds a second, one core", false },
	{ "drain", bench_drain, "receiving 16 KiB records against raw EVP",
	  false },
	{ "scale", bench_scale, "cost per record and memory as things grow",
	  false },
	{ "splice-drain", bench_splice_drain,
	  "splice calls per MiB with and without the coalescing patch", false },
	{ "wakeups", bench_wakeups,
	  "announcements, by where records are parsed and announced", false },
	{ "judge", bench_judge,
	  "real kernels against the model, traces a second; only when named",
	  true },
};

struct bench_row *bench_add(struct bench_table *t, const char *fmt, ...)
{
	struct bench_row *row = &t->rows[t->n++];
	va_list ap;

	if (t->n > BENCH_ROWS_MAX)
		abort();
	memset(row, 0, sizeof(*row));
	va_start(ap, fmt);
	vsnprintf(row->name, sizeof(row->name), fmt, ap);
	va_end(ap);
	return row;
}

static void print_text(const char *name, const struct bench_table *t)
{
	const struct bench_row *r;
	u32 i;

	printf("%s\n", name);
	for (i = 0; i < t->n; i++) {
		r = &t->rows[i];
		if (r->missing) {
			printf("  %-44s %s\n", r->name, r->missing);
			continue;
		}
		printf("  %-44s %14.2f %-14s", r->name, r->value, r->unit);
		if (r->base)
			printf(" %.3f of %s", r->ratio, r->base);
		if (r->goal)
			printf("  (goal: %s)", r->goal);
		printf("\n");
	}
}

/* The part of a name behind "; ". */
static const char *head(const struct bench_row *r)
{
	const char *at = strstr(r->name, "; ");

	return at ? at + 2 : "";
}

static void print_heads(const struct bench_table *t)
{
	int wide = t->narrow ? COLUMN_NARROW : COLUMN;
	u32 i;

	printf("  %-*s", t->narrow ? NAME_NARROW : NAME, "");
	for (i = 0; i < t->columns; i++)
		printf(" %*s", wide, head(&t->rows[i]));
	printf("\n");
}

static void print_columns(const char *name, const struct bench_table *t)
{
	int name_wide = t->narrow ? NAME_NARROW : NAME;
	int wide = t->narrow ? COLUMN_NARROW : COLUMN;
	const struct bench_row *r;
	u32 i, n;

	printf("%s: %s, in brackets %s\n", name, t->rows[0].unit,
	       t->rows[0].base);
	print_heads(t);
	for (i = 0; i + t->columns <= t->n; i += t->columns) {
		r = &t->rows[i];
		n = (u32)strcspn(r->name, ";");
		printf("  %-*.*s", name_wide, (int)n, r->name);
		for (n = 0; n < t->columns; n++)
			printf(" %*.2f (%4.2f)", wide - 7, r[n].value,
			       r[n].ratio);
		printf("\n");
	}
}

static void print_json(const char *name, const struct bench_table *t)
{
	struct json_object *obj = json_object_new_object();
	struct json_object *rows = json_object_new_array();
	struct json_object *row;
	u32 i;

	json_object_object_add(obj, "bench", json_object_new_string(name));
	for (i = 0; i < t->n; i++) {
		row = json_object_new_object();
		json_object_object_add(row, "name",
				       json_object_new_string(t->rows[i].name));
		json_object_object_add(
			row, "value",
			t->rows[i].missing ?
				NULL :
				json_object_new_double(t->rows[i].value));
		json_object_object_add(row, "unit",
				       json_object_new_string(t->rows[i].unit));
		json_object_object_add(
			row, "ratio",
			t->rows[i].base ?
				json_object_new_double(t->rows[i].ratio) :
				NULL);
		json_object_array_add(rows, row);
	}
	json_object_object_add(obj, "rows", rows);
	printf("%s\n",
	       json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PLAIN));
	json_object_put(obj);
}

/* False: what it needs is not here. */
static bool run_bench(u32 i, bool json, bool quick)
{
	static struct bench_table table;

	table.n = 0;
	table.columns = 0;
	table.skipped = false;
	table.narrow = false;
	table.divide = quick ? 100 : 1;
	benches[i].fn(&table);
	if (json)
		print_json(benches[i].name, &table);
	else if (table.columns)
		print_columns(benches[i].name, &table);
	else
		print_text(benches[i].name, &table);
	fflush(stdout);
	return !table.skipped;
}

static const struct option long_opts[] = {
	{ "format", required_argument, NULL, 'f' },
	{ "quick", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int usage(FILE *f, int code)
{
	u32 i;

	fprintf(f,
		"usage: ktlsim bench [--format text|json] [--quick] "
		"[NAME...]\n"
		"  --quick    a hundredth of the work, to see that it runs\n");
	for (i = 0; i < ARRAY_SIZE(benches); i++)
		fprintf(f, "  %-12s %s\n", benches[i].name, benches[i].text);
	return code;
}

static int find_bench(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(benches); i++) {
		if (!strcmp(benches[i].name, name))
			return (int)i;
	}
	return cmd_bad_value("benchmark", name,
			     "worlds, drain, scale, splice-drain, "
			     "wakeups or judge");
}

int cmd_bench(int argc, char **argv)
{
	bool json = false, quick = false, all = true;
	int c, i;
	u32 n;

	while ((c = cmd_getopt(argc, argv, "f:qh", long_opts)) != -1) {
		if (c == 'h')
			return usage(stdout, 0);
		if (c == 'q') {
			quick = true;
			continue;
		}
		if (c != 'f')
			return 2;
		json = !strcmp(optarg, "json");
		if (!json && strcmp(optarg, "text") != 0) {
			cmd_bad_value("--format", optarg, "text or json");
			return 2;
		}
	}
	for (i = optind; i < argc; i++) {
		if (find_bench(argv[i]) < 0)
			return 2;
	}
	for (i = optind; i < argc; i++)
		all &= run_bench((u32)find_bench(argv[i]), json, quick);
	for (n = 0; optind == argc && n < ARRAY_SIZE(benches); n++)
		all &= benches[n].when_named || run_bench(n, json, quick);
	return all ? 0 : 77;
}
