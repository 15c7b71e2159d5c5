// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `ktlsim shrink`: the smallest trace that breaks the same promise.
 * How: the trace is run; whatever it breaks must stay broken in the same form
 * (invariant and slug, failed assertion, or expectation and the answer it got)
 * while the shrinker takes away what it can.
 * Left out: two traces that only together break F1; `ktlsim check` makes those
 * small.
 */
#include <getopt.h>

#include "sim/cmd/cmd.h"
#include "sim/check/replay.h"
#include "sim/check/shrink.h"
#include "sim/cmd/tool.h"

static const struct option long_opts[] = {
	{ "profile", required_argument, NULL, 'p' },
	{ "out", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char usage[] =
	"usage: ktlsim shrink [--profile P] FILE -o OUT\n"
	"Writes the smallest trace found that breaks the same promise in the\n"
	"same form, or the same expectation with the same answer. Minimal: no\n"
	"statement, schedule line, word or range can go, no length or count\n"
	"can be one less. Known findings are kept, too, when the trace breaks\n"
	"nothing else.\n"
	"  --profile P  kernel to model instead of what the trace names\n"
	"  -o OUT       file to write\n"
	"Exit: 0 written, 2 unusable input or nothing to shrink.\n";

/**
 * struct shrinking - what must stay
 * @s: world
 * @o: options of a run
 * @sig: how it fails
 * @expected: SIG_EXPECT: what the trace wants
 * @got: likewise: what it gets
 */
struct shrinking {
	struct sim *s;
	struct sim_opts o;
	struct sim_sig sig;
	char expected[400];
	char got[400];
};

static bool same_failure(void *ctx, const struct trace *tr)
{
	struct shrinking *sh = ctx;
	const struct sim_verdict *v = sim_run(sh->s, tr, &sh->o, NULL);
	struct sim_sig sig;

	sig_of_run(sh->s, &sig);
	if (!sig_equal(&sig, &sh->sig))
		return false;
	return sig.kind != SIG_EXPECT ||
	       (!strcmp(v->expected, sh->expected) && !strcmp(v->got, sh->got));
}

/* Runs it; known findings count when there is nothing else. False: it cannot
 * be shrunk, which is told. */
static bool find_failure(struct shrinking *sh, const struct trace *tr,
			 const char *path)
{
	const struct sim_verdict *v = sim_run(sh->s, tr, &sh->o, NULL);

	if (v->kind == VERDICT_OK) {
		sh->o.ignore_known = false;
		v = sim_run(sh->s, tr, &sh->o, NULL);
	}
	if (v->kind == VERDICT_INPUT) {
		tool_input_error(sh->s, path);
		return false;
	}
	if (v->kind == VERDICT_OK) {
		fprintf(stderr,
			"%s: all holds on %s, expected a trace that breaks "
			"something\n",
			path, sh->o.profile);
		return false;
	}
	sig_of_run(sh->s, &sh->sig);
	snprintf(sh->expected, sizeof(sh->expected), "%s", v->expected);
	snprintf(sh->got, sizeof(sh->got), "%s", v->got);
	return true;
}

static void note(const struct shrinking *sh, struct trace *tr)
{
	struct text name = { 0 };

	tr->comments = NULL;
	tr->comment_n = 0;
	tr->opts.profile = sh->o.profile;
	sig_print(&sh->sig, ' ', &name);
	replay_note(tr, "%s: %s", name.buf, sh->s->verdict.got);
	text_free(&name);
}

static int write_out(const char *name, const struct trace *tr)
{
	struct text out = { 0 };
	int ret;

	trace_print(tr, &out);
	ret = text_write(&out, name);
	text_free(&out);
	return ret;
}

static void tell(const struct shrinking *sh, const char *path,
		 const struct trace *from, const struct trace *to, u32 tries)
{
	struct text name = { 0 };

	sig_print(&sh->sig, ' ', &name);
	printf("%s: %s on %s: %u of %u statements left, %u tries, %s\n", path,
	       name.buf, sh->o.profile, to->stmt_n, from->stmt_n, tries,
	       tries < SHRINK_MINIMAL_TRIES ? "minimal" :
					      "not minimal, tries used up");
	text_free(&name);
}

static int shrink_to(struct shrinking *sh, const struct trace *tr,
		     const char *path, const char *out)
{
	const struct shrink_opts so = { .still = same_failure,
					.ctx = sh,
					.minimal = true };
	struct trace small = { .pool = mem_pool_new() };
	u32 tries;
	int ret = 2;

	tries = sim_shrink(&so, tr, &small);
	same_failure(sh, &small); /* the last try was another one */
	note(sh, &small);
	if (!write_out(out, &small)) {
		tell(sh, path, tr, &small, tries);
		ret = 0;
	}
	mem_pool_free(small.pool);
	return ret;
}

static int shrink_file(const char *path, const char *profile, const char *out)
{
	struct trace tr = { .pool = mem_pool_new() };
	struct shrinking sh = { .s = NULL };
	int ret = 2;

	if (!tool_load(&tr, path) && !tool_opts(&tr, path, profile, &sh.o)) {
		sh.s = sim_new();
		if (find_failure(&sh, &tr, path))
			ret = shrink_to(&sh, &tr, path, out);
		sim_free(sh.s);
	}
	mem_pool_free(tr.pool);
	return ret;
}

int cmd_shrink(int argc, char **argv)
{
	const char *path, *profile = NULL, *out = NULL;
	struct profile p;
	int c;

	while ((c = cmd_getopt(argc, argv, "p:o:h", long_opts)) != -1) {
		switch (c) {
		case 'p':
			profile = optarg;
			break;
		case 'o':
			out = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			return 2;
		}
	}
	path = tool_one_file(argc, argv, optind);
	if (!path)
		return 2;
	if (!out) {
		fprintf(stderr, "ktlsim shrink: nowhere to write, expected "
				"-o OUT\n");
		return 2;
	}
	if (profile && tool_profile("--profile", profile, &p))
		return 2;
	return shrink_file(path, profile, out);
}
