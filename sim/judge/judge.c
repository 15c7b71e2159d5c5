// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trials of many traces: from files, or random ones.
 * How: traces go to the guest in batches. When it dies or falls silent, it is
 * booted again and the batch is done one by one, so that a trace that kills
 * kernels costs itself only. A trace that differs is done again alone, with all
 * its data; a random one is then made small and written down.
 * Left out: everything about one trace (judge_case.c, judge_compare.c).
 */
#include "sim/judge/judge.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/check/check.h"
#include "sim/gen/gen.h"
#include "sim/check/shrink.h"

#define BATCH 128u
#define BATCH_MS 30000
#define ALONE_MS 15000
#define SHRINK_TRIES 400u
#define SHRUNK_MAX 20u /* differing random traces that are made small */
#define AGAIN_MAX 4 /* times a difference must be there again to count */

/* Nothing a kernel can be told. */
#define NOT_JUDGEABLE (GEN_BIT(NO_MEMORY) | GEN_BIT(READ_SOCK))

/**
 * struct judge_sums - what came out
 * @agree: traces that agree
 * @differ: traces that differ
 * @unstable: those of them that did not differ again
 * @refused: traces that cannot be judged
 * @dead: traces in which the kernel died or fell silent
 * @troubled: traces the agent could not perform
 * @broken: traces in which the model broke a promise or failed
 * @unusable: files that are no traces
 * @batch_ns: time until all answers were there, without the first boot
 */
struct judge_sums {
	u64 agree;
	u64 differ;
	u64 unstable;
	u64 refused;
	u64 dead;
	u64 troubled;
	u64 broken;
	u64 unusable;
	s64 batch_ns;
};

struct trial {
	const struct judge_opts *o;
	struct sim *s;
	struct judge_guest *guest;
	struct judge_case cases[BATCH];
	bool dead[BATCH];
	struct judge_sums *sums;
	struct text console;
	u32 slot;
	FILE *out;
};

static s64 host_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static bool guest_ready(struct trial *t)
{
	const struct judge_opts *o = t->o;
	u32 cpu = (o->cpu + o->cpus - t->slot % o->cpus) % o->cpus;

	if (!t->guest)
		t->guest = judge_guest_boot(&o->kernel, cpu, t->slot);
	return t->guest != NULL;
}

static void guest_lost(struct trial *t)
{
	judge_guest_kill(t->guest);
	t->guest = NULL;
}

/* --- traces --------------------------------------------------------------- */

/* Memory a kernel cannot be told of: drawn, and taken back. */
static void forget_memory(struct trace *tr)
{
	struct stmt_wire *w;
	u32 i;

	tr->opts.held = false;
	if (tr->opts.layout == LAYOUT_PAGES)
		tr->opts.layout = LAYOUT_FRAG;
	for (i = 0; i < tr->stmt_n; i++) {
		if (tr->stmts[i].kind != ST_WIRE &&
		    tr->stmts[i].kind != ST_SEND)
			continue;
		w = &tr->stmts[i].wire;
		w->held = -1;
		if (w->layout == LAYOUT_PAGES)
			w->layout = -1;
	}
}

static void make_random(const struct judge_opts *o, u64 run,
			struct judge_case *c)
{
	struct gen_opts go = { .off = NOT_JUDGEABLE };
	struct sim_choice choice;
	char name[64];

	choice_seed(&choice, check_seed(o->seed, run));
	gen_trace(&choice, &go, &c->tr);
	forget_memory(&c->tr);
	snprintf(name, sizeof(name), "run %llu", (unsigned long long)run);
	c->name = mem_pool_strndup(c->tr.pool, name, strlen(name));
}

/* Trace number @i into @c; false: unusable, which was said. */
static bool make_trace(struct trial *t, u64 i, struct judge_case *c)
{
	struct sim_err err = { 0 };

	judge_case_reset(c);
	c->id = (u32)i;
	if (!t->o->file_n) {
		make_random(t->o, t->o->from + i, c);
		return true;
	}
	c->name = t->o->files[i];
	err.file = c->name;
	if (!trace_load(&c->tr, c->name, &err))
		return true;
	sim_err_print(&err, stderr);
	t->sums->unusable++;
	return false;
}

/* --- a batch -------------------------------------------------------------- */

/* Hands over the jobs of cases [from, to); false if the guest is lost. */
static bool hand_over(struct trial *t, u32 from, u32 to, int timeout_ms)
{
	struct text job = { 0 }, out = { 0 };
	size_t at = 0, n;
	bool ok = false;
	u32 i;

	for (i = from; i < to; i++)
		text_add(&job, t->cases[i].job.buf, t->cases[i].job.len);
	t->console.len = 0;
	if (!job.len) {
		ok = true;
	} else if (guest_ready(t)) {
		ok = !judge_guest_run(t->guest, &job, timeout_ms, &out,
				      &t->console);
	}
	for (i = from; i < to && ok; i++) {
		if (!t->cases[i].job.len)
			continue;
		n = judge_answers_read(&t->cases[i], (u8 *)out.buf + at,
				       out.len - at);
		ok = n != 0;
		at += n;
	}
	if (!ok)
		guest_lost(t);
	text_free(&job);
	text_free(&out);
	return ok;
}

static void report_dead(struct trial *t, struct judge_case *c)
{
	struct text text = { 0 };

	trace_print(&c->tr, &text);
	fprintf(t->out,
		"%s: the kernel died or fell silent; its last words:\n%s\n"
		"The trace:\n%s\n",
		c->name, t->console.buf ? t->console.buf : "", text.buf);
	text_free(&text);
	t->sums->dead++;
}

/* One by one; the answers of a batch that was cut short are forgotten. */
static void one_by_one(struct trial *t, u64 first, u32 n)
{
	struct judge_case *c;
	u32 i;

	for (i = 0; i < n; i++) {
		c = &t->cases[i];
		if (!c->job.len)
			continue;
		make_trace(t, first + i, c);
		judge_case_run(c, t->s, t->o->profile, false);
		if (hand_over(t, i, i + 1, ALONE_MS))
			continue;
		report_dead(t, c);
		t->dead[i] = true;
	}
}

/* --- what differs --------------------------------------------------------- */

/* The same alone, with all data; number of differences, -1: it died. */
static int alone(struct trial *t, struct judge_case *c, struct text *out)
{
	struct judge_case saved = t->cases[0];
	bool ok;

	judge_case_run(c, t->s, t->o->profile, true);
	t->cases[0] = *c;
	ok = hand_over(t, 0, 1, ALONE_MS);
	*c = t->cases[0];
	t->cases[0] = saved;
	if (!ok)
		return -1;
	if (c->kernel.trouble || c->no[0] || c->excuse[0])
		return 0;
	return (int)judge_compare(c, t->o->kernel.name, out);
}

static bool still_differs(void *ctx, const struct trace *tr)
{
	struct trial *t = ctx;
	struct text text = { 0 };
	struct judge_case c;
	int n;

	judge_case_init(&c);
	shrink_copy(tr, &c.tr);
	c.name = "";
	n = alone(t, &c, &text);
	text_free(&text);
	judge_case_free(&c);
	return n > 0;
}

static void write_down(struct trial *t, u64 i, const struct trace *tr)
{
	struct text text = { 0 }, path = { 0 };

	trace_print(tr, &text);
	fputs(text.buf, t->out);
	text_printf(&path, "%s/judge-%s-%llu-%llu.trace", t->o->out,
		    t->o->kernel.version, (unsigned long long)t->o->seed,
		    (unsigned long long)(t->o->from + i));
	if (!text_write(&text, path.buf))
		fprintf(t->out, "written to %s\n", path.buf);
	text_free(&text);
	text_free(&path);
}

/* Makes a random trace small; prints it and how it differs. */
static void make_small(struct trial *t, u64 i)
{
	struct shrink_opts so = { .still = still_differs,
				  .ctx = t,
				  .tries_max = SHRINK_TRIES };
	struct judge_case from, to;
	struct text text = { 0 };

	judge_case_init(&from);
	judge_case_init(&to);
	make_trace(t, i, &from);
	sim_shrink(&so, &from.tr, &to.tr);
	fprintf(t->out, "made small:\n");
	write_down(t, i, &to.tr);
	judge_case_reset(&from);
	shrink_copy(&to.tr, &from.tr);
	from.name = "made small";
	alone(t, &from, &text);
	fputs(text.buf ? text.buf : "", t->out);
	text_free(&text);
	judge_case_free(&from);
	judge_case_free(&to);
}

/* Runs it alone until it agrees once, a few times at most: as alone(). */
static int differs_again(struct trial *t, struct judge_case *c,
			 struct text *again)
{
	int i, n = 0;

	for (i = 0; i < AGAIN_MAX; i++) {
		text_free(again);
		memset(again, 0, sizeof(*again));
		n = alone(t, c, again);
		if (n <= 0)
			break;
	}
	return n;
}

static void report_difference(struct trial *t, u64 i, const struct text *first)
{
	struct text again = { 0 };
	struct judge_case c;
	int n = 0;

	judge_case_init(&c);
	if (make_trace(t, i, &c))
		n = differs_again(t, &c, &again);
	t->sums->differ++;
	if (n > 0) {
		fputs(again.buf, t->out);
		if (!t->o->file_n && t->sums->differ <= SHRUNK_MAX)
			make_small(t, i);
	} else {
		t->sums->unstable += !n;
		t->sums->dead += n < 0;
		fprintf(t->out, "%s%s: not stable: %s\n", first->buf, c.name,
			n ? "the kernel died when asked again" :
			    "it agreed when asked again");
	}
	fflush(t->out);
	text_free(&again);
	judge_case_free(&c);
}

static void report_refused(struct trial *t, const struct judge_case *c,
			   const char *why)
{
	if (!t->o->quiet)
		fprintf(t->out, "%s: not judgeable: %s\n", c->name, why);
	t->sums->refused++;
}

static void judge_one(struct trial *t, u64 i, struct judge_case *c)
{
	struct text text = { 0 };

	if (c->verdict != VERDICT_OK && c->verdict != VERDICT_INPUT) {
		fprintf(t->out, "%s: the model alone: %s\n", c->name,
			c->verdict_text ? c->verdict_text : c->no);
		t->sums->broken++;
	}
	if (c->no[0]) {
		report_refused(t, c, c->no);
	} else if (c->kernel.trouble) {
		fprintf(t->out, "%s: the agent could not go on: %s\n", c->name,
			c->kernel.trouble);
		t->sums->troubled++;
		guest_lost(t);
	} else if (judge_compare(c, t->o->kernel.name, &text)) {
		if (c->excuse[0])
			report_refused(t, c, c->excuse);
		else
			report_difference(t, i, &text);
	} else {
		t->sums->agree++;
		if (t->o->answers)
			judge_answers(c, t->o->kernel.version, &text);
		fputs(text.buf ? text.buf : "", t->out);
	}
	text_free(&text);
}

/* Traces [first, first + n); false: no guest. */
static bool judge_batch(struct trial *t, u64 first, u32 n)
{
	bool usable[BATCH];
	s64 start;
	u32 i;

	if (!guest_ready(t))
		return false;
	start = host_ns();
	memset(t->dead, 0, sizeof(t->dead));
	for (i = 0; i < n; i++) {
		usable[i] = make_trace(t, first + i, &t->cases[i]);
		if (usable[i])
			judge_case_run(&t->cases[i], t->s, t->o->profile,
				       t->o->answers);
	}
	if (!hand_over(t, 0, n, BATCH_MS)) {
		if (!guest_ready(t))
			return false;
		one_by_one(t, first, n);
	}
	t->sums->batch_ns += host_ns() - start;
	for (i = 0; i < n; i++) {
		if (usable[i] && !t->dead[i])
			judge_one(t, first + i, &t->cases[i]);
	}
	return true;
}

/* --- sums ----------------------------------------------------------------- */

static u64 rate(const struct judge_sums *s)
{
	u64 judged = s->agree + s->differ;

	return s->batch_ns ? judged * NSEC_PER_SEC / (u64)s->batch_ns : 0;
}

static void print_sums(const struct judge_opts *o, const struct judge_sums *s,
		       u64 n, FILE *out)
{
	u64 judged = s->agree + s->differ;
	u64 share = judged * 1000 / max_t(u64, n - s->unusable, 1);

	fprintf(out,
		"judge %s (Linux %s, profile %s): %llu traces: %llu agree, "
		"%llu differ (%llu not stable), %llu not judgeable (%llu.%llu %% are), "
		"%llu killed the kernel, %llu troubled, %llu break the model, %llu unusable; "
		"%llu traces/s\n",
		o->kernel.name, o->kernel.version, o->profile->name,
		(unsigned long long)n, (unsigned long long)s->agree,
		(unsigned long long)s->differ, (unsigned long long)s->unstable,
		(unsigned long long)s->refused, (unsigned long long)share / 10,
		(unsigned long long)share % 10, (unsigned long long)s->dead,
		(unsigned long long)s->troubled, (unsigned long long)s->broken,
		(unsigned long long)s->unusable, (unsigned long long)rate(s));
}

/* A difference that is not there again is the machine's: a real kernel's timers
 * do not wait for a host that has too much to do. */
static int exit_code(const struct judge_sums *s)
{
	if (s->unusable)
		return 2;
	if (s->differ > s->unstable || s->dead || s->troubled || s->broken)
		return 1;
	return s->agree ? 0 : 77;
}

static u64 trace_count(const struct judge_opts *o)
{
	return o->file_n ? o->file_n : o->runs;
}

/* Every o->jobs-th batch; false: no guest. */
static bool share(const struct judge_opts *o, u32 slot, struct judge_sums *sums,
		  FILE *out)
{
	struct trial *t = calloc(1, sizeof(*t));
	u64 i, n = trace_count(o);
	bool ok = true;
	u32 k;

	if (!t)
		abort();
	t->o = o;
	t->out = out;
	t->slot = slot;
	t->sums = sums;
	t->s = sim_new();
	for (k = 0; k < BATCH; k++)
		judge_case_init(&t->cases[k]);
	for (i = (u64)slot * BATCH; i < n && ok; i += (u64)o->jobs * BATCH)
		ok = judge_batch(t, i, (u32)min_t(u64, BATCH, n - i));
	guest_lost(t);
	for (k = 0; k < BATCH; k++)
		judge_case_free(&t->cases[k]);
	text_free(&t->console);
	sim_free(t->s);
	free(t);
	return ok;
}

/* What process @slot does; its output goes to a file of its own. */
static pid_t start_share(const struct judge_opts *o, u32 slot,
			 struct judge_sums *sums, FILE *out)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid)
		return pid;
	/* not _exit(): coverage is written on the way out */
	exit(share(o, slot, sums, out) ? 0 : 1);
}

static void copy_output(FILE *from, FILE *to)
{
	char buf[4096];
	size_t n;

	rewind(from);
	while ((n = fread(buf, 1, sizeof(buf), from)) > 0)
		fwrite(buf, 1, n, to);
	fclose(from);
}

static void add_sums(struct judge_sums *to, const struct judge_sums *from)
{
	to->agree += from->agree;
	to->differ += from->differ;
	to->unstable += from->unstable;
	to->refused += from->refused;
	to->dead += from->dead;
	to->troubled += from->troubled;
	to->broken += from->broken;
	to->unusable += from->unusable;
	to->batch_ns = max_t(s64, to->batch_ns, from->batch_ns);
}

/* Shares out to processes; false: one of them had no guest. */
static bool shares(const struct judge_opts *o, struct judge_sums *sum,
		   FILE *out)
{
	struct judge_sums *sums;
	pid_t pid[JUDGE_JOBS_MAX];
	FILE *f[JUDGE_JOBS_MAX];
	bool ok = true;
	int status;
	u32 i;

	sums = mmap(NULL, o->jobs * sizeof(*sums), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sums == MAP_FAILED)
		abort();
	for (i = 0; i < o->jobs; i++) {
		f[i] = tmpfile();
		if (!f[i])
			abort();
		pid[i] = start_share(o, i, &sums[i], f[i]);
	}
	for (i = 0; i < o->jobs; i++) {
		ok = ok && pid[i] > 0 && waitpid(pid[i], &status, 0) > 0 &&
		     WIFEXITED(status) && !WEXITSTATUS(status);
		copy_output(f[i], out);
		add_sums(sum, &sums[i]);
	}
	munmap(sums, o->jobs * sizeof(*sums));
	return ok;
}

int judge_run(const struct judge_opts *o, FILE *out)
{
	struct judge_sums sums = { 0 };
	bool ok;

	signal(SIGPIPE, SIG_IGN);
	if (o->jobs > 1)
		ok = shares(o, &sums, out);
	else
		ok = share(o, 0, &sums, out);
	if (!ok)
		return 2;
	print_sums(o, &sums, trace_count(o), out);
	if (o->rate)
		*o->rate = rate(&sums);
	return exit_code(&sums);
}
