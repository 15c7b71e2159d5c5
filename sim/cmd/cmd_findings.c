// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `ktlsim findings`: the promises that 7.2 itself breaks.
 * How: a line each; or, given the directory with a trace for each, runs these on
 * every kernel and prints docs/findings.md's part that is not written by hand:
 * who is hurt, which kernels do it, since which change, and what real kernels
 * answered (SLUG.judge, see scripts/judge-findings.sh).
 * Left out: asking real kernels.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cmd/cmd.h"
#include "sim/cmd/tool.h"
#include "sim/inv/inv.h"
#include "sim/judge/judge.h"

static const char usage[] =
	"usage: ktlsim findings [DIR]\n"
	"Lists the promises that Linux 7.2 breaks itself. With DIR, where each has a\n"
	"trace SLUG.trace and answers of real kernels SLUG.judge, prints what\n"
	"docs/findings.md has: kernels, since when, and those answers.\n";

#define ANSWERS_MAX 8u /* versions in a file */

/* What a kernel makes of a trace. */
enum met {
	MET_NO,
	MET_YES,
	MET_DIES, /* that kernel would use freed memory */
};

/**
 * struct answer - what a real kernel said
 * @version: in the text of the file, @len bytes
 * @len: likewise
 * @lines: a call each, without the version
 * @judged: it was asked; else the line says why not
 */
struct answer {
	const char *version;
	int len;
	struct text lines;
	bool judged;
};

/**
 * struct survey - one finding on all kernels
 * @f: which
 * @s: world
 * @tr: its trace
 * @met: by profile
 * @judge: SLUG.judge
 * @answer: what it says, by version
 * @answer_n: how many
 */
struct survey {
	const struct finding *f;
	struct sim *s;
	struct trace tr;
	enum met met[TOOL_PROFILES_MAX];
	struct text judge;
	struct answer answer[ANSWERS_MAX];
	u32 answer_n;
};

static enum met meets(struct survey *v, const struct m_changes *changes)
{
	struct sim_opts o = { .changes = *changes,
			      .profile = "one of several",
			      .ignore_known = true,
			      .go_on = true };
	u32 before = finding_hits(v->s, v->f);

	sim_run(v->s, &v->tr, &o, NULL);
	if (finding_hits(v->s, v->f) != before)
		return MET_YES;
	return v->s->verdict.kind == VERDICT_BUG ? MET_DIES : MET_NO;
}

/* v6.1 and v6.12 stand for others of the table. */
static bool is_kernel(const struct profile *p)
{
	return p->changes == profile_table[0].changes ||
	       strchr(p->name, '.') != strrchr(p->name, '.');
}

static void survey_all(struct survey *v)
{
	struct m_changes c;
	u32 i;

	for (i = 0; i < profile_n; i++) {
		profile_changes(&profile_table[i], &c);
		v->met[i] = meets(v, &c);
	}
}

/* --- files ---------------------------------------------------------------- */

static int read_file(const char *path, struct text *out)
{
	FILE *f = fopen(path, "r");
	char buf[4096];
	size_t n;

	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		text_add(out, buf, n);
	fclose(f);
	return 0;
}

/* The profile that models a version. */
static const struct profile *version_profile(const char *version, int len)
{
	struct judge_kernel k = { 0 };

	snprintf(k.version, sizeof(k.version), "%.*s", len, version);
	return judge_kernel_profile(&k);
}

static const struct profile *answer_profile(const struct answer *a)
{
	return version_profile(a->version, a->len);
}

static bool same_answer(const struct survey *v, u32 a, u32 b)
{
	return !strcmp(v->answer[a].lines.buf, v->answer[b].lines.buf);
}

/* "VERSION line N: ..." or "VERSION not judgeable: ..."; false: neither. */
static bool add_line(struct survey *v, const char *line, int len)
{
	struct answer *a = v->answer_n ? &v->answer[v->answer_n - 1] : NULL;
	int n = (int)strcspn(line, " \n");

	if (n + 1 >= len || !version_profile(line, n))
		return false;
	if (!a || a->len != n || strncmp(a->version, line, (size_t)n) != 0) {
		if (v->answer_n == ANSWERS_MAX)
			return false;
		a = &v->answer[v->answer_n++];
		a->version = line;
		a->len = n;
	}
	a->judged = !strncmp(line + n, " line ", 6);
	text_printf(&a->lines, "  %.*s", len - n - 1, line + n + 1);
	return a->judged || !strncmp(line + n, " not judgeable: ", 16);
}

static int read_answers(struct survey *v, const char *path)
{
	const char *p, *end;
	u32 line = 1;

	if (read_file(path, &v->judge))
		return -1;
	p = v->judge.buf;
	for (; p && *p; p = end + 1, line++) {
		end = strchr(p, '\n');
		if (!end || !add_line(v, p, (int)(end + 1 - p)))
			break;
	}
	if (p && !*p)
		return 0;
	fprintf(stderr,
		"%s:%u:1: unusable, expected 'VERSION line N: ...' or "
		"'VERSION not judgeable: ...'\n",
		path, line);
	return -1;
}

static int load(struct survey *v, const char *dir)
{
	struct text path = { 0 };
	int ret;

	text_printf(&path, "%s/%s.trace", dir, v->f->slug);
	ret = tool_load(&v->tr, path.buf);
	path.len = 0;
	text_printf(&path, "%s/%s.judge", dir, v->f->slug);
	if (!ret)
		ret = read_answers(v, path.buf);
	text_free(&path);
	return ret;
}

/* --- printing ------------------------------------------------------------- */

static void print_name(const char **sep, const char *name, int len)
{
	printf("%s%.*s", *sep, len, name);
	*sep = ", ";
}

/* Oldest first; those that would die say so. */
static void print_kernels(const struct survey *v)
{
	u32 i, all = 0, n = 0;
	const char *sep = "";

	for (i = 0; i < profile_n; i++) {
		all += is_kernel(&profile_table[i]);
		n += is_kernel(&profile_table[i]) && v->met[i] == MET_YES;
	}
	if (n == all)
		printf("all");
	for (i = profile_n; i-- > 0 && n != all;) {
		if (!is_kernel(&profile_table[i]) || v->met[i] == MET_NO)
			continue;
		print_name(&sep, profile_table[i].name + 1,
			   (int)strlen(profile_table[i].name + 1));
		if (v->met[i] == MET_DIES)
			printf(" (dies)");
	}
}

/* The newest kernel that has not got it; NULL all do. */
static const struct profile *last_without(const struct survey *v)
{
	u32 i;

	for (i = 0; i < profile_n; i++) {
		if (is_kernel(&profile_table[i]) && v->met[i] == MET_NO)
			return &profile_table[i];
	}
	return NULL;
}

/* The commit that a change stands for the lack of: its subject in quotes and
 * its id; else the change's name. */
static void print_commit(u16 change)
{
	const char *title = m_change_title[change];
	const char *from = strchr(title, '"'), *to = strrchr(title, '"');

	if (strncmp(title, "lacks ", 6) != 0 || !from || to == from) {
		printf("`%s` gone", m_change_name[change]);
		return;
	}
	printf("%.*s", (int)(to + 1 - from), from);
	if (strspn(to + 1, " (") == 2 &&
	    strspn(to + 3, "0123456789abcdef") == 12)
		printf(" %.14s", to + 2);
}

/* Changes of that kernel that alone keep 7.2 from it. */
static void print_since(struct survey *v)
{
	const struct profile *p = last_without(v);
	const char *sep = "";
	struct m_changes c;
	const u16 *id;

	if (!p) {
		printf("6.1 or earlier");
		return;
	}
	for (id = p->changes; *id != CHANGE_NONE; id++) {
		memset(&c, 0, sizeof(c));
		c.bits[*id / 64] |= 1ull << (*id % 64);
		if (meets(v, &c) == MET_YES)
			continue;
		printf("%s", sep);
		print_commit(*id);
		sep = "; ";
	}
	if (!*sep)
		printf("several changes together after %s", p->name + 1);
}

/* Versions whose model meets the finding (@want), or does not. */
static u32 print_versions(const struct survey *v, bool want)
{
	const struct profile *p;
	const char *sep = "";
	u32 i, n = 0;

	for (i = 0; i < v->answer_n; i++) {
		p = answer_profile(&v->answer[i]);
		if (!v->answer[i].judged ||
		    (v->met[p - profile_table] == MET_YES) != want)
			continue;
		if (!n && !want)
			printf("; not there in ");
		print_name(&sep, v->answer[i].version, v->answer[i].len);
		n++;
	}
	return n;
}

static void print_row(struct survey *v)
{
	printf("| [%s](#%s) | %s | ", v->f->slug, v->f->slug,
	       inv_name[v->f->inv]);
	print_kernels(v);
	printf(" | ");
	print_since(v);
	printf(" | ");
	if (!print_versions(v, true))
		printf("none can be asked");
	print_versions(v, false);
	printf(" |\n");
}

/* Kernels that said the same have one block. */
static void print_answers(const struct survey *v)
{
	bool told[ANSWERS_MAX] = { false };
	const char *sep;
	u32 i, k;

	for (i = 0; i < v->answer_n; i++) {
		if (told[i])
			continue;
		for (k = i, sep = ""; k < v->answer_n; k++) {
			told[k] = told[k] || same_answer(v, i, k);
			if (same_answer(v, i, k))
				print_name(&sep, v->answer[k].version,
					   v->answer[k].len);
		}
		printf(":\n%s", v->answer[i].lines.buf);
	}
}

static void print_section(const struct survey *v)
{
	printf("\n### %s\n\n%s [Trace](../tests/findings/%s.trace).\n\n```\n",
	       v->f->slug, v->f->text, v->f->slug);
	print_answers(v);
	printf("```\n");
}

static void print_all(struct survey *v)
{
	u32 i;

	printf("| finding | promise | kernels | since | real kernels that do it |\n"
	       "| --- | --- | --- | --- | --- |\n");
	for (i = 0; i < finding_count; i++)
		print_row(&v[i]);
	for (i = 0; i < finding_count; i++)
		print_section(&v[i]);
}

static void free_answers(struct survey *v)
{
	u32 i;

	for (i = 0; i < v->answer_n; i++)
		text_free(&v->answer[i].lines);
	text_free(&v->judge);
}

static int survey_dir(const char *dir)
{
	struct survey *v = calloc(finding_count, sizeof(*v));
	struct sim *s = sim_new();
	int ret = 0;
	u32 i;

	if (!v)
		abort();
	for (i = 0; i < finding_count; i++) {
		v[i].f = &finding_table[i];
		v[i].s = s;
		v[i].tr.pool = mem_pool_new();
		if (!ret)
			ret = load(&v[i], dir);
		if (!ret)
			survey_all(&v[i]);
	}
	if (!ret)
		print_all(v);
	for (i = 0; i < finding_count; i++) {
		free_answers(&v[i]);
		mem_pool_free(v[i].tr.pool);
	}
	sim_free(s);
	free(v);
	return ret ? 2 : 0;
}

int cmd_findings(int argc, char **argv)
{
	u32 i;

	if (argc == 2 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc > 2) {
		fprintf(stderr,
			"ktlsim findings: unexpected argument '%s', expected "
			"at most one directory\n",
			argv[2]);
		return 2;
	}
	if (argc == 2 && argv[1][0] == '-') {
		fprintf(stderr,
			"ktlsim: option '%s' is unknown, expected as `ktlsim "
			"findings --help` tells\n",
			argv[1]);
		return 2;
	}
	if (argc == 2)
		return survey_dir(argv[1]);
	for (i = 0; i < finding_count; i++)
		printf("%-3s %-24s %s\n", inv_name[finding_table[i].inv],
		       finding_table[i].slug, finding_table[i].text);
	return 0;
}
