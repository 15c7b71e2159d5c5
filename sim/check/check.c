// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Deals random worlds out to processes.
 * How: process J of N takes every N-th run. All write into shared memory, so
 * that nothing is lost when one dies; the run it died in is a finding of its
 * own, and a new process goes on behind it. Findings are sorted by run, so what
 * is reported does not depend on the number of processes.
 * Left out: worlds that never end (B5 and the event limit see to those).
 */
#include "sim/check/check.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/bench/bench.h"

#define CRASHES_MAX 20u

/**
 * struct check_all - everything the processes share
 * @stop: no run behind this one is needed
 * @hashes: one a run, with --log-hash
 * @shares: one a process
 */
struct check_all {
	u64 stop;
	u64 *hashes;
	struct check_share *shares;
};

u64 check_seed(u64 seed, u64 run)
{
	u64 z = seed * 0x9e3779b97f4a7c15ull + run * 0xd1b54a32d192ed03ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static void *shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		fprintf(stderr, "ktlsim check: no memory for results\n");
		exit(2);
	}
	return p;
}

void check_note(struct check_share *share, const struct check_found *f)
{
	u32 i;

	share->failed++;
	for (i = 0; i < share->found_n; i++) {
		if (sig_equal(&share->found[i].sig, &f->sig))
			return;
	}
	if (share->found_n < CHECK_FOUND_MAX)
		share->found[share->found_n++] = *f;
}

void check_note_run(struct check_share *share, u64 run, enum check_judge judge,
		    const struct sim_sig *sig, const char *text)
{
	struct check_found f = { .run = run, .judge = judge, .sig = *sig };

	snprintf(f.text, sizeof(f.text), "%s", text);
	check_note(share, &f);
}

static u64 end_of(const struct check_opts *o)
{
	return o->from + o->runs;
}

static bool in_shard(const struct check_opts *o, u64 run)
{
	return run % o->shards == o->shard - 1;
}

/* With --first nobody goes on behind the first finding. */
static void maybe_stop(const struct check_opts *o, struct check_all *all,
		       u64 run)
{
	u64 stop = __atomic_load_n(&all->stop, __ATOMIC_RELAXED);

	if (!o->first)
		return;
	while (run < stop &&
	       !__atomic_compare_exchange_n(&all->stop, &stop, run, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* The runs of process @job from @share->at on. */
static void work(const struct check_opts *o, struct check_all *all,
		 struct check_share *share, u32 step)
{
	struct check_world w;
	u64 hash, end = end_of(o);
	u32 found;

	check_world_init(&w, o, share);
	for (; share->at < end; share->at += step) {
		if (share->at > __atomic_load_n(&all->stop, __ATOMIC_RELAXED))
			break;
		if (!in_shard(o, share->at))
			continue;
		found = share->found_n;
		hash = check_one(&w, share->at);
		if (o->hash)
			all->hashes[share->at - o->from] = hash;
		if (share->found_n != found)
			maybe_stop(o, all, share->at);
	}
	stats_world(&share->stats, w.s);
	check_world_free(&w);
}

static pid_t start(const struct check_opts *o, struct check_all *all, u32 job)
{
	pid_t pid, parent = getpid();

	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		fprintf(stderr, "ktlsim check: cannot fork\n");
		exit(2);
	}
	if (pid)
		return pid;
	/* Whoever ends ktlsim ends this, too. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		exit(2);
	work(o, all, &all->shares[job], o->jobs);
	exit(0); /* not _exit(): coverage is written on the way out */
}

static void note_crash(const struct check_opts *o, struct check_all *all,
		       struct check_share *share, int status)
{
	struct sim_sig sig;
	char how[40];

	if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "signal-%d", WTERMSIG(status));
	else
		snprintf(how, sizeof(how), "exit-%d", WEXITSTATUS(status));
	sig_set(&sig, SIG_CRASH, 0, how);
	check_note_run(share, share->at, JUDGE_CRASH, &sig,
		       "the process died in this run");
	maybe_stop(o, all, share->at);
	share->at += o->jobs;
}

static void work_in_processes(const struct check_opts *o, struct check_all *all)
{
	pid_t pids[CHECK_JOBS_MAX], pid;
	u32 job, alive = o->jobs, crashes = 0;
	int status;

	for (job = 0; job < o->jobs; job++)
		pids[job] = start(o, all, job);
	while (alive) {
		pid = wait(&status);
		if (pid < 0)
			break;
		for (job = 0; job < o->jobs && pids[job] != pid; job++)
			;
		if (job == o->jobs)
			continue;
		alive--;
		if (!status)
			continue;
		note_crash(o, all, &all->shares[job], status);
		if (++crashes > CRASHES_MAX)
			continue;
		pids[job] = start(o, all, job);
		alive++;
	}
}

static int by_run(const void *a, const void *b)
{
	const struct check_found *x = a, *y = b;

	return x->run < y->run ? -1 : x->run > y->run;
}

/* Sums of all processes; of findings the first of each kind. */
static void merge(const struct check_opts *o, const struct check_all *all,
		  struct check_share *sum)
{
	u32 i, j, n = 0, jobs = o->jobs ?: 1;
	struct check_found *found;

	found = malloc((size_t)jobs * CHECK_FOUND_MAX * sizeof(*found));
	if (!found)
		abort();
	for (i = 0; i < jobs; i++) {
		const struct check_share *share = &all->shares[i];

		stats_merge(&sum->stats, &share->stats);
		for (j = 0; j < share->found_n; j++) {
			if (share->found[j].run <= all->stop)
				found[n++] = share->found[j];
		}
		sum->failed += share->failed;
	}
	qsort(found, n, sizeof(*found), by_run);
	for (i = 0; i < n; i++)
		check_note(sum, &found[i]);
	sum->failed -= n;
	free(found);
}

static void print_hashes(const struct check_opts *o,
			 const struct check_all *all, FILE *out)
{
	u64 run;

	for (run = o->from; run < end_of(o); run++) {
		if (in_shard(o, run))
			fprintf(out, "%llu %016llx\n", (unsigned long long)run,
				(unsigned long long)all->hashes[run - o->from]);
	}
}

/* How to have the same again. */
static void print_options(const struct check_opts *o, FILE *out)
{
	fprintf(out,
		"ktlsim check --profile %s --seed %llu --from %llu --runs "
		"%llu",
		o->profile.name, (unsigned long long)o->seed,
		(unsigned long long)o->from, (unsigned long long)o->runs);
	if (o->shards > 1)
		fprintf(out, " --shard %u/%u", o->shard, o->shards);
	fprintf(out, "%s%s%s\n", o->all ? " --all" : "",
		o->first ? " --first" : "", o->hash ? " --log-hash" : "");
}

static void run_all(const struct check_opts *o, struct check_all *all)
{
	u32 i, jobs = o->jobs ?: 1;

	all->stop = UINT64_MAX;
	all->shares = shared(jobs * sizeof(*all->shares));
	if (o->hash)
		all->hashes = shared((o->runs + 1) * sizeof(*all->hashes));
	for (i = 0; i < jobs; i++)
		all->shares[i].at = o->from + i;
	if (o->jobs)
		work_in_processes(o, all);
	else
		work(o, all, &all->shares[0], 1);
}

int check_run(const struct check_opts *o, FILE *out)
{
	struct check_all *all = shared(sizeof(*all));
	struct check_share *sum = shared(sizeof(*sum));
	u64 start_ns = bench_now_ns();
	u32 i, news = 0;
	int lost;

	print_options(o, out);
	run_all(o, all);
	merge(o, all, sum);
	if (o->hash) {
		print_hashes(o, all, out);
		return 0;
	}
	lost = check_summary(o, sum, bench_now_ns() - start_ns, out);
	for (i = 0; i < sum->found_n; i++)
		news += !sig_known(&sum->found[i].sig);
	munmap(all->shares, (o->jobs ?: 1) * sizeof(*all->shares));
	munmap(all, sizeof(*all));
	munmap(sum, sizeof(*sum));
	if (lost)
		return 2;
	return news ? 1 : 0;
}
