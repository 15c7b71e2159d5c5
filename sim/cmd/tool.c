// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loading a trace and choosing its kernel, for why, diff, bisect, shrink and
 * explore.
 * How: each function tells what is wrong in one line on stderr.
 * Left out: `ktlsim run`, whose formats have other places for errors.
 */
#include "sim/cmd/tool.h"

#include <stdlib.h>

#include "sim/cmd/cmd.h"

int tool_load(struct trace *tr, const char *path)
{
	struct sim_err err = { .file = path };

	if (!trace_load(tr, path, &err))
		return 0;
	sim_err_print(&err, stderr);
	return -1;
}

void tool_opts_of(const struct profile *p, struct sim_opts *out)
{
	memset(out, 0, sizeof(*out));
	profile_changes(p, &out->changes);
	out->profile = p->name;
	out->ignore_known = true;
}

int tool_opts(const struct trace *tr, const char *path, const char *name,
	      struct sim_opts *out)
{
	const struct profile *p;

	if (!name)
		name = tr->opts.profile ? tr->opts.profile : PROFILE_DEFAULT;
	p = profile_find(name);
	if (!p) {
		fprintf(stderr,
			"%s: unknown profile '%s', expected one of `ktlsim "
			"profiles`\n",
			path, name);
		return -1;
	}
	tool_opts_of(p, out);
	return 0;
}

static const struct profile *find_n(const char *name, size_t len)
{
	u32 i;

	for (i = 0; i < profile_n; i++) {
		if (strlen(profile_table[i].name) == len &&
		    !memcmp(profile_table[i].name, name, len))
			return &profile_table[i];
	}
	return NULL;
}

int tool_profiles(const char *option, const char *list, u32 min,
		  const struct profile *out[TOOL_PROFILES_MAX])
{
	const char *at = list;
	size_t len;
	u32 n = 0;

	for (;; at += len + 1) {
		len = strcspn(at, ",");
		if (n == TOOL_PROFILES_MAX || !(out[n] = find_n(at, len)))
			return cmd_bad_value(option, list,
					     "names of `ktlsim profiles`, "
					     "joined by commas");
		n++;
		if (!at[len])
			break;
	}
	if (n < min)
		return cmd_bad_value(option, list, "two profiles or more");
	return (int)n;
}

int tool_input_error(const struct sim *s, const char *path)
{
	struct sim_err err = s->verdict.err;

	err.file = path;
	sim_err_print(&err, stderr);
	return -1;
}

int tool_number(const char *option, const char *s, u64 min, u64 max, u64 *out)
{
	char *end, what[64];

	errno = 0;
	*out = strtoull(s, &end, 0);
	if (*s >= '0' && *s <= '9' && !*end && !errno && *out >= min &&
	    *out <= max)
		return 0;
	snprintf(what, sizeof(what), "a number from %llu to %llu",
		 (unsigned long long)min, (unsigned long long)max);
	return cmd_bad_value(option, s, what);
}

const char *tool_one_file(int argc, char **argv, int at)
{
	if (at + 1 == argc)
		return argv[at];
	if (at >= argc)
		fprintf(stderr, "ktlsim %s: no trace given, expected FILE\n",
			argv[0]);
	else
		fprintf(stderr,
			"ktlsim %s: unexpected argument '%s', expected one "
			"FILE\n",
			argv[0], argv[at + 1]);
	return NULL;
}
