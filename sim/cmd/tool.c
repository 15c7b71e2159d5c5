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
	char why[PROFILE_WHY_MAX];
	struct profile p;

	if (!name)
		name = tr->opts.profile ? tr->opts.profile : PROFILE_DEFAULT;
	if (profile_parse(name, &p, why)) {
		fprintf(stderr, "%s: %s\n", path, why);
		return -1;
	}
	tool_opts_of(&p, out);
	return 0;
}

int tool_profile(const char *option, const char *name, struct profile *out)
{
	char why[PROFILE_WHY_MAX];

	if (!profile_parse(name, out, why))
		return 0;
	fprintf(stderr, "ktlsim: %s: %s\n", option, why);
	return -1;
}

int tool_profiles(struct mem_pool *pool, const char *option, const char *list,
		  u32 min, struct profile out[TOOL_PROFILES_MAX])
{
	const char *at = list;
	size_t len;
	u32 n = 0;

	for (;; at += len + 1) {
		len = strcspn(at, ",");
		if (n == TOOL_PROFILES_MAX)
			return cmd_bad_value(option, list,
					     "16 profiles at most");
		if (tool_profile(option, mem_pool_strndup(pool, at, len),
				 &out[n]))
			return -1;
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
