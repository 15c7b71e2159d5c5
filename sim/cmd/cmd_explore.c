// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `ktlsim explore`: all orderings of a trace's events.
 * How: the arguments and the account; enumerating is in explore.c.
 * Left out: processes; shards are for that.
 */
#include <getopt.h>
#include <stdlib.h>

#include "sim/bench/bench.h"
#include "sim/cmd/cmd.h"
#include "sim/explore/explore.h"
#include "sim/cmd/tool.h"

static const struct option long_opts[] = {
	{ "profile", required_argument, NULL, 'p' },
	{ "preemptions", required_argument, NULL, 'k' },
	{ "shard", required_argument, NULL, 'S' },
	{ "max", required_argument, NULL, 'm' },
	{ "all", no_argument, NULL, 'a' },
	{ "no-prune", no_argument, NULL, 'P' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char usage[] =
	"usage: ktlsim explore [--profile P] [--preemptions K|all] "
	"[--shard I/N]\n"
	"                      [--max N] [--all] [--no-prune] FILE\n"
	"Runs the trace in every order of its events: which task goes first,\n"
	"where segments, other tasks and the work item get in among the named\n"
	"points. What breaks a promise is printed as a trace that replays.\n"
	"  --profile P        kernel to model instead of what the trace names\n"
	"  --preemptions K    events that get in out of turn, at most (2)\n"
	"  --shard I/N        only share I of N, from 1\n"
	"  --max N            stop after that many orderings\n"
	"  --all              report known findings as well\n"
	"  --no-prune         follow states met before, too\n"
	"Exit: 0 all holds, 1 something was broken, 2 unusable input.\n";

/**
 * struct args - options
 * @o: of the exploration
 * @profile: name or NULL
 * @all: known findings count
 */
struct args {
	struct explore_opts o;
	const char *profile;
	bool all;
};

static int shard(const char *s, struct explore_opts *o)
{
	char *end;
	u64 i = strtoull(s, &end, 10), n = 0;

	if (*end == '/')
		n = strtoull(end + 1, &end, 10);
	if (*end || !i || i > n || n > 1000000)
		return cmd_bad_value("--shard", s, "I/N with 1 <= I <= N");
	o->shard = (u32)i;
	o->shards = (u32)n;
	return 0;
}

static int option(int c, struct args *a)
{
	struct profile p;
	u64 n;

	switch (c) {
	case 'p':
		a->profile = optarg;
		return tool_profile("--profile", optarg, &p);
	case 'k':
		a->o.preemptions = EXPLORE_ALL;
		if (!strcmp(optarg, "all"))
			return 0;
		if (tool_number("--preemptions", optarg, 0, 200, &n))
			return -1;
		a->o.preemptions = (u32)n;
		return 0;
	case 'S':
		return shard(optarg, &a->o);
	case 'm':
		return tool_number("--max", optarg, 1, UINT64_MAX, &a->o.max);
	case 'a':
		a->all = true;
		return 0;
	case 'P':
		a->o.prune = false;
		return 0;
	default:
		return -1;
	}
}

/* --- the account --------------------------------------------------------- */

static void print_bound(const struct explore_opts *o,
			const struct explore_result *r)
{
	if (!r->complete)
		printf("bound:     --max %llu, not complete\n",
		       (unsigned long long)o->max);
	else if (o->preemptions == EXPLORE_ALL)
		printf("bound:     none, complete\n");
	else if (r->bounded)
		printf("bound:     --preemptions %u, complete within it; %llu "
		       "times more could have got in\n",
		       o->preemptions, (unsigned long long)r->bounded);
	else
		printf("bound:     --preemptions %u, never reached: complete\n",
		       o->preemptions);
	if (o->shards > 1)
		printf("shard:     %u of %u, %llu prefixes are others'\n",
		       o->shard, o->shards, (unsigned long long)r->elsewhere);
	if (r->seen_full)
		printf("memory:    %llu states could not be remembered\n",
		       (unsigned long long)r->seen_full);
}

static void print_account(const char *path, const struct explore_opts *o,
			  const struct explore_result *r, u64 ns)
{
	u64 ms = ns / 1000000, all = r->runs + r->cut;

	printf("%s on %s:\n", path, o->run.profile);
	printf("orderings: %llu to their end, %llu cut at a state met before; "
	       "%llu.%03llu s, %llu a second\n",
	       (unsigned long long)r->runs, (unsigned long long)r->cut,
	       (unsigned long long)(ms / 1000), (unsigned long long)(ms % 1000),
	       (unsigned long long)(ms ? all * 1000 / ms : all));
	printf("states:    %llu with a choice, at most %u choices in a run%s\n",
	       (unsigned long long)r->states, r->longest,
	       o->prune ? "" : " (not told apart)");
	print_bound(o, r);
}

static void print_answer(const struct trace_stmt *st,
			 const struct explore_answer *a)
{
	enum call_kind k = st->call->kind;
	struct text t = { 0 };

	if (a->ret < 0 && errno_name((int)-a->ret))
		text_puts(&t, errno_name((int)-a->ret));
	else if (k == CALL_POLL || k == CALL_EPOLL || k == CALL_PPOLL)
		log_print_mask((u32)a->ret, &t);
	else
		text_printf(&t, "%lld", (long long)a->ret);
	printf(" %s (%s)", t.buf, m_reason_name[a->reason]);
	text_free(&t);
}

/* What each call may return. */
static void print_answers(const struct trace *tr,
			  const struct explore_result *r)
{
	struct trace runs = { .pool = mem_pool_new() };
	const struct trace_stmt *st;
	struct text t = { 0 };
	u32 i;

	explore_trace(tr, &runs);
	for (i = 0; i < r->answer_n; i++) {
		st = &runs.stmts[r->answer[i].stmt];
		if (!i || r->answer[i - 1].stmt != r->answer[i].stmt) {
			trace_print_call(tr, st->call, &t);
			printf("%sanswers:   line %u: %s %s =", i ? "\n" : "",
			       st->line, tr->tasks[st->task], t.buf);
			text_free(&t);
		}
		print_answer(st, &r->answer[i]);
	}
	printf("%s%s", r->answer_n ? "\n" : "",
	       r->answer_n == EXPLORE_ANSWERS_MAX ? "answers:   and more\n" :
						    "");
	mem_pool_free(runs.pool);
}

static void print_found(const struct explore_result *r)
{
	const struct explore_found *f;
	struct text name = { 0 };
	u32 i;

	for (i = 0; i < r->found_n; i++) {
		f = &r->found[i];
		sig_print(&f->sig, ' ', &name);
		printf("\nbroken:    %s in %llu orderings: %s\n", name.buf,
		       (unsigned long long)f->count, f->text);
		if (!f->replays)
			printf("           this does NOT replay: a defect of "
			       "the explorer\n");
		fwrite(f->trace.buf, 1, f->trace.len, stdout);
		text_free(&name);
	}
	printf("%sfound:     %u ways to break a promise\n",
	       r->found_n ? "\n" : "", r->found_n);
}

static int explore_file(struct args *a, const char *path)
{
	struct trace tr = { .pool = mem_pool_new() };
	struct explore_result r;
	u64 start;
	int ret = 2;

	if (tool_load(&tr, path) || tool_opts(&tr, path, a->profile, &a->o.run))
		goto out;
	a->o.run.ignore_known = !a->all;
	start = bench_now_ns();
	explore_run(&tr, &a->o, &r);
	if (r.input && r.input == r.runs) {
		r.err.file = path;
		sim_err_print(&r.err, stderr);
	} else {
		print_account(path, &a->o, &r, bench_now_ns() - start);
		if (r.input)
			printf("input:     %llu orderings are impossible: %s\n",
			       (unsigned long long)r.input, r.err.msg);
		print_answers(&tr, &r);
		print_found(&r);
		ret = r.found_n ? 1 : 0;
	}
	explore_result_free(&r);
out:
	mem_pool_free(tr.pool);
	return ret;
}

int cmd_explore(int argc, char **argv)
{
	struct args a = { .o = { .preemptions = 2,
				 .shard = 1,
				 .shards = 1,
				 .prune = true,
				 .progress = stderr } };
	const char *path;
	int c;

	while ((c = cmd_getopt(argc, argv, "p:k:S:m:aPh", long_opts)) != -1) {
		if (c == 'h') {
			fputs(usage, stdout);
			return 0;
		}
		if (option(c, &a))
			return 2;
	}
	path = tool_one_file(argc, argv, optind);
	return path ? explore_file(&a, path) : 2;
}
