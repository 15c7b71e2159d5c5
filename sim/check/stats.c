// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sums over many runs.
 * How: plain arrays, one entry a reason, invariant or known finding. The file
 * form names every entry, so that files of different builds can be told apart
 * where it matters and added where it does not.
 * Left out: time; whoever prints a rate has measured it.
 */
#include "sim/check/stats.h"

#include <stdlib.h>
#include <sys/stat.h>

#define LINE_WIDTH 78

void stats_run(struct run_stats *st, const struct sim *s)
{
	u32 i;

	st->worlds++;
	st->calls += s->counters[CNT_CALLS];
	st->events += s->event_n;
	for (i = 0; i < M_REASON_COUNT; i++)
		st->reasons[i] += s->reason_hits[i];
}

void stats_world(struct run_stats *st, const struct sim *s)
{
	u32 i;

	st->ref_calls += inv_ref_calls(s);
	for (i = 0; i < INV_COUNT; i++)
		st->checks[i] += inv_checks(s, (enum inv_id)i);
	for (i = 0; i < finding_count; i++)
		st->known[i] += finding_hits(s, &finding_table[i]);
}

void stats_merge(struct run_stats *into, const struct run_stats *from)
{
	u32 i;

	into->worlds += from->worlds;
	into->calls += from->calls;
	into->events += from->events;
	into->inputs += from->inputs;
	into->ref_calls += from->ref_calls;
	for (i = 0; i < M_REASON_COUNT; i++)
		into->reasons[i] += from->reasons[i];
	for (i = 0; i < INV_COUNT; i++)
		into->checks[i] += from->checks[i];
	for (i = 0; i < finding_count; i++)
		into->known[i] += from->known[i];
}

/* Prints words, broken into lines. @col: where the line is. */
static void put_word(FILE *f, int *col, const char *word)
{
	int len = (int)strlen(word);

	if (*col + 1 + len > LINE_WIDTH) {
		fprintf(f, "\n ");
		*col = 1;
	}
	fprintf(f, " %s", word);
	*col += 1 + len;
}

static void print_reasons(const struct run_stats *st, FILE *f)
{
	u32 i, reached = 0, all = 0;
	int col = LINE_WIDTH;

	for (i = 0; i < M_REASON_COUNT; i++) {
		all += i != REASON_NONE;
		reached += i != REASON_NONE && st->reasons[i];
	}
	fprintf(f, "reasons:  %u of %u reached", reached, all);
	if (reached < all)
		fprintf(f, "; never:");
	for (i = 0; i < M_REASON_COUNT; i++) {
		if (i != REASON_NONE && !st->reasons[i])
			put_word(f, &col, m_reason_name[i]);
	}
	fprintf(f, "\n");
}

static void print_checks(const struct run_stats *st, FILE *f)
{
	int col = LINE_WIDTH;
	char word[40];
	u64 sum = 0;
	u32 i;

	for (i = 0; i < INV_COUNT; i++)
		sum += st->checks[i];
	fprintf(f, "checks:   %llu of %d invariants:", (unsigned long long)sum,
		INV_COUNT);
	for (i = 0; i < INV_COUNT; i++) {
		snprintf(word, sizeof(word), "%s=%llu", inv_name[i],
			 (unsigned long long)st->checks[i]);
		put_word(f, &col, word);
	}
	fprintf(f, "\n");
}

static void print_known(const struct run_stats *st, FILE *f)
{
	int col = LINE_WIDTH;
	u32 i, kinds = 0;
	char word[120];

	for (i = 0; i < finding_count; i++)
		kinds += !!st->known[i];
	fprintf(f, "known:    %u of %u known findings met%s", kinds,
		finding_count, kinds ? ":" : "");
	for (i = 0; i < finding_count; i++) {
		if (!st->known[i])
			continue;
		snprintf(word, sizeof(word), "%s/%s=%llu",
			 inv_name[finding_table[i].inv], finding_table[i].slug,
			 (unsigned long long)st->known[i]);
		put_word(f, &col, word);
	}
	fprintf(f, "\n");
}

/* Of how many calls did the reference know the result? */
static void print_ref(const struct run_stats *st, FILE *f)
{
	u64 knew = st->checks[INV_REF], all = st->ref_calls;

	fprintf(f,
		"reference: knew %llu of %llu calls that take data (%llu %%)\n",
		(unsigned long long)knew, (unsigned long long)all,
		(unsigned long long)(all ? knew * 100 / all : 0));
}

void stats_print(const struct run_stats *st, FILE *f)
{
	print_checks(st, f);
	print_ref(st, f);
	print_reasons(st, f);
	print_known(st, f);
}

static void save_line(struct text *t, const char *word, const char *name, u64 n)
{
	text_printf(t, "%s %s %llu\n", word, name, (unsigned long long)n);
}

int stats_save(const struct run_stats *st, const char *path)
{
	struct text t = { 0 };
	char name[120];
	int ret;
	u32 i;

	save_line(&t, "sum", "worlds", st->worlds);
	save_line(&t, "sum", "calls", st->calls);
	save_line(&t, "sum", "events", st->events);
	save_line(&t, "sum", "inputs", st->inputs);
	save_line(&t, "sum", "ref-calls", st->ref_calls);
	for (i = 0; i < M_REASON_COUNT; i++)
		save_line(&t, "reason", m_reason_name[i], st->reasons[i]);
	for (i = 0; i < INV_COUNT; i++)
		save_line(&t, "check", inv_name[i], st->checks[i]);
	for (i = 0; i < finding_count; i++) {
		snprintf(name, sizeof(name), "%s/%s",
			 inv_name[finding_table[i].inv], finding_table[i].slug);
		save_line(&t, "known", name, st->known[i]);
	}
	ret = text_write(&t, path);
	text_free(&t);
	return ret;
}

static void load_sum(struct run_stats *st, const char *name, u64 n)
{
	if (!strcmp(name, "worlds"))
		st->worlds += n;
	else if (!strcmp(name, "calls"))
		st->calls += n;
	else if (!strcmp(name, "events"))
		st->events += n;
	else if (!strcmp(name, "inputs"))
		st->inputs += n;
	else if (!strcmp(name, "ref-calls"))
		st->ref_calls += n;
}

static void load_named(u64 *sums, const char *const *names, u32 count,
		       const char *name, u64 n)
{
	u32 i;

	for (i = 0; i < count; i++) {
		if (names[i] && !strcmp(names[i], name))
			sums[i] += n;
	}
}

static void load_known(struct run_stats *st, const char *name, u64 n)
{
	char known[120];
	u32 i;

	for (i = 0; i < finding_count; i++) {
		snprintf(known, sizeof(known), "%s/%s",
			 inv_name[finding_table[i].inv], finding_table[i].slug);
		if (!strcmp(known, name))
			st->known[i] += n;
	}
}

static int load_line(struct run_stats *st, const char *line)
{
	char word[16], name[120], digits[20], end[2];
	u64 n;

	/* The newline as well: a line that was cut off is none. */
	if (sscanf(line, "%15s %119s %19[0-9]%1[\n]", word, name, digits,
		   end) != 4)
		return -1;
	n = strtoull(digits, NULL, 10);
	if (!strcmp(word, "sum"))
		load_sum(st, name, n);
	else if (!strcmp(word, "reason"))
		load_named(st->reasons, m_reason_name, M_REASON_COUNT, name, n);
	else if (!strcmp(word, "check"))
		load_named(st->checks, inv_name, INV_COUNT, name, n);
	else if (!strcmp(word, "known"))
		load_known(st, name, n);
	else
		return -1;
	return 0;
}

int stats_load(struct run_stats *st, const char *path)
{
	char line[200];
	struct stat sb;
	u32 lines = 0;
	int ret = 0;
	FILE *f;

	/* A pipe without a writer must not make us wait. */
	if (stat(path, &sb) || !S_ISREG(sb.st_mode))
		return -1;
	f = fopen(path, "re");
	if (!f)
		return -1;
	for (; !ret && fgets(line, sizeof(line), f); lines++)
		ret = load_line(st, line);
	if (ferror(f) || !lines)
		ret = -1;
	fclose(f);
	return ret;
}
