// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `ktlsim run`: performs traces, checks expectations and invariants.
 * How: every file is loaded and run in one reused world; results are printed
 * as they come, as text, KTAP, JSON or JUnit (output.c).
 * Left out: finding files; the shell does that.
 */
#include <getopt.h>
#include <stdlib.h>

#include "sim/cmd/cmd.h"
#include "sim/cmd/output.h"
#include "sim/cmd/tool.h"
#include "sim/world/profile.h"

/**
 * struct run_args - options of `ktlsim run`
 * @profile: --profile, or NULL: what each trace says
 * @format: --format
 * @log: --log: print the event log of each trace
 * @hash: --log-hash: print one hash a trace and nothing else
 * @all: --all: known findings count, too
 * @strict: --strict: so does what a change is known to break
 */
struct run_args {
	const char *profile;
	enum output_format format;
	bool log;
	bool hash;
	bool all;
	bool strict;
};

static const struct option long_opts[] = {
	{ "profile", required_argument, NULL, 'p' },
	{ "format", required_argument, NULL, 'f' },
	{ "log", no_argument, NULL, 'l' },
	{ "log-hash", no_argument, NULL, 'H' },
	{ "all", no_argument, NULL, 'a' },
	{ "strict", no_argument, NULL, 'S' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char usage[] =
	"usage: ktlsim run [--profile P] [--log] [--log-hash] [--all] [--strict]\n"
	"                  [--format text|ktap|json|junit] FILE...\n"
	"Runs traces; checks what they expect and every invariant.\n"
	"  --profile P   kernel to model instead of what the trace names\n"
	"  --log         print every event\n"
	"  --log-hash    print only a hash of each trace's log\n"
	"  --all         report known findings (tests/findings) as well\n"
	"  --strict      report what a change of the profile is known to break\n"
	"Exit: 0 all holds, 1 something was broken, 2 unusable input.\n";

static int parse_args(int argc, char **argv, struct run_args *a)
{
	struct profile p;
	int c;

	while ((c = cmd_getopt(argc, argv, "p:f:lHaSh", long_opts)) != -1) {
		switch (c) {
		case 'p':
			a->profile = optarg;
			break;
		case 'f':
			if (output_format_parse(optarg, &a->format))
				return cmd_bad_value(
					"--format", optarg,
					"text, ktap, json or junit");
			break;
		case 'l':
			a->log = true;
			break;
		case 'H':
			a->hash = true;
			break;
		case 'a':
			a->all = true;
			break;
		case 'S':
			a->strict = true;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(cmd_end(0));
		default:
			return -1;
		}
	}
	if (a->profile && tool_profile("--profile", a->profile, &p))
		return -1;
	if (optind < argc)
		return 0;
	fprintf(stderr, "ktlsim run: no trace given, expected FILE...\n");
	return -1;
}

/* Options of one run; -1 when the trace names an unknown profile. */
static int run_opts(const struct run_args *a, const struct trace *tr,
		    struct sim_opts *out, struct sim_err *err)
{
	const char *name = a->profile;
	char why[PROFILE_WHY_MAX];
	struct profile p;

	if (!name)
		name = tr->opts.profile ? tr->opts.profile : PROFILE_DEFAULT;
	if (profile_parse(name, &p, why)) {
		err->line = 1;
		err->col = 1;
		snprintf(err->msg, sizeof(err->msg), "%.*s",
			 (int)sizeof(err->msg) - 1, why);
		return -1;
	}
	memset(out, 0, sizeof(*out));
	profile_changes(&p, &out->changes);
	out->profile = p.name;
	out->ignore_known = !a->all;
	out->strict = a->strict;
	return 0;
}

/* 0, 1 or 2 as exit codes go. */
static int run_file(struct sim *s, const struct run_args *a, struct output *out,
		    const char *path)
{
	struct trace tr = { .pool = mem_pool_new() };
	struct sim_err err = { .file = path };
	struct sim_opts opts;
	int ret;

	if (trace_load(&tr, path, &err) || run_opts(a, &tr, &opts, &err)) {
		ret = output_input_error(out, path, &err);
		goto out;
	}
	sim_run(s, &tr, &opts, NULL);
	if (s->verdict.kind == VERDICT_INPUT) {
		ret = output_input_error(out, path, &s->verdict.err);
		goto out;
	}
	if (a->hash)
		ret = output_hash(out, s, path);
	else
		ret = output_result(out, s, path, a->log);
out:
	mem_pool_free(tr.pool);
	return ret;
}

int cmd_run(int argc, char **argv)
{
	struct run_args a = { .format = OUTPUT_TEXT };
	struct output *out;
	struct sim *s;
	int i, ret, worst = 0;

	if (parse_args(argc, argv, &a))
		return 2;
	out = output_new(stdout, a.format, (u32)(argc - optind), a.hash);
	s = sim_new();
	for (i = optind; i < argc; i++) {
		ret = run_file(s, &a, out, argv[i]);
		worst = ret > worst ? ret : worst;
	}
	sim_free(s);
	output_end(out);
	return worst;
}
