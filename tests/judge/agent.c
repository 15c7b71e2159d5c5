// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guest agent: takes job files, performs their traces, writes answers.
 *
 * How: as init of a guest it prepares the system, then reads lines "J n" from
 * the serial line: the job is in /job.n, the answers go to /answer.n, and the
 * line "D n" says that they are there. "T n ROUNDS" has a job done by loop.c,
 * "T ROUNDS" says that all went well. With two arguments (a directory, and a
 * name for messages) it does the same on the running kernel, over its standard
 * input and output. In a trace the agent is the one that walks through the
 * statements; it never makes a call that could sleep for ever.
 * Left out: what the answers mean; the host compares them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "tests/judge/agent.h"

#define SPIN_MAX_NS 3000000000ll /* neither asleep nor back: it spins */
#define END_MAX_NS 3000000000ll
#define TICK_NS 1000000ll
/* A call that must not wait may sleep until the next tick all the same. */
#define PATIENCE_NS 80000000ll
#define SETTLE_NS 2000000ll /* after the sender, where there are more CPUs */

struct conn conn;
struct task tasks[JOB_TASKS_MAX];
const struct job_trace *job;
bool one_cpu;

static const char *dir = "";
static uint8_t *out;
static size_t out_len, out_size;
static int stat_fd = -1;
static int64_t stats_then[JOB_STATS_MAX];
static bool stuck; /* a call of an earlier trace never ends */

void die(const char *what)
{
	dprintf(2, "agent: %s: %s\n", what, strerror(errno));
	if (getpid() == 1)
		boot_halt();
	exit(2);
}

/* --- answers ------------------------------------------------------------ */

static void put(const void *data, size_t n)
{
	if (out_len + n > out_size) {
		out_size = 2 * (out_len + n);
		out = realloc(out, out_size);
		if (!out)
			die("memory for answers");
	}
	if (n)
		memcpy(out + out_len, data, n);
	out_len += n;
}

static void answer(const struct job_answer *ans, const void *data)
{
	put(ans, sizeof(*ans));
	put(data, ans->size);
}

int trouble(const char *what, int err)
{
	struct job_answer ans = { .kind = ANS_TROUBLE, .ret = -err };
	char text[200];

	ans.size = (uint32_t)snprintf(text, sizeof(text), "%s: %s", what,
				      strerror(err));
	answer(&ans, text);
	return -1;
}

/* The numbers of /proc/net/tls_stat, in its order. */
static uint32_t read_stats(int64_t *to)
{
	char text[2048], *p = text;
	uint32_t n = 0;
	ssize_t len;

	if (stat_fd < 0)
		stat_fd = open("/proc/net/tls_stat", O_RDONLY | O_CLOEXEC);
	len = pread(stat_fd, text, sizeof(text) - 1, 0);
	if (len <= 0)
		return 0;
	text[len] = '\0';
	while (n < JOB_STATS_MAX && (p = strpbrk(p, " \t"))) {
		to[n++] = strtoll(p, &p, 10);
		p = strchr(p, '\n');
		if (!p)
			break;
		p++;
	}
	return n;
}

static void answer_stats(enum job_answer_kind kind, uint32_t stmt)
{
	struct job_answer ans = { .kind = kind, .stmt = stmt };
	int64_t now[JOB_STATS_MAX];
	uint32_t i, n = read_stats(now);

	for (i = 0; i < n; i++)
		now[i] -= stats_then[i];
	ans.size = n * sizeof(now[0]);
	answer(&ans, now);
}

/* --- tasks -------------------------------------------------------------- */

static void collect(struct task *t, uint32_t stmt)
{
	uint32_t i;

	t->ans.done = stmt;
	answer(&t->ans, t->out);
	for (i = 0; i < t->ans.part_n; i++)
		answer(&t->part[i], t->buf + t->part[i].pad2);
	t->busy = false;
}

static bool returned(struct task *t)
{
	return __atomic_load_n(&t->done, __ATOMIC_ACQUIRE);
}

/* A call that a signal restarts may find O_NONBLOCK set since. */
static bool hasty(const struct task *t)
{
	return t->hasty || call_hasty(t->op);
}

static void tell_asleep(struct task *t)
{
	struct job_answer ans = { .kind = ANS_ASLEEP, .stmt = t->op->stmt };

	if (!t->told)
		answer(&ans, NULL);
	t->told = true;
	if (hasty(t))
		t->slept = task_sleep_count(t);
}

/* Asleep for good: a sleep of a call that must not wait ends by itself, unless
 * it is in line for a mutex; then it may come to the other one later. */
static bool stays_asleep(struct task *t)
{
	int64_t end;

	if (!task_sleeps(t) || !task_cpu_idle() || !task_sleeps(t))
		return false;
	if (!hasty(t) || (t->told && task_sleep_count(t) == t->slept))
		return true;
	for (end = now_ns() + PATIENCE_NS; now_ns() < end;) {
		if (returned(t))
			return false;
		pause_ns(TICK_NS);
	}
	return task_sleeps(t);
}

/* Waits until it returned or sleeps. */
static void settle_task(struct task *t, uint32_t stmt)
{
	int64_t end = 0;

	for (;;) {
		if (returned(t)) {
			collect(t, stmt);
			return;
		}
		if (stays_asleep(t)) {
			tell_asleep(t);
			return;
		}
		if (!end)
			end = now_ns() + SPIN_MAX_NS;
		if (now_ns() > end) {
			trouble("a call neither sleeps nor returns", EBUSY);
			stuck = true;
			return;
		}
		sched_yield();
	}
}

static void settle(uint32_t stmt)
{
	uint32_t i;

	for (i = 0; i < job->task_n; i++) {
		if (tasks[i].busy)
			settle_task(&tasks[i], stmt);
	}
}

/* Time the trace wants, and the timeouts that have to fire in it. */
static void pass_time(const struct job_op *op)
{
	int64_t end = now_ns() + op->wait_max_ns;
	uint64_t left = op->wait_for;
	uint32_t i;

	if (op->wait_ns)
		pause_ns(op->wait_ns);
	while (left && now_ns() < end) {
		for (i = 0; i < job->task_n; i++) {
			if (!tasks[i].busy || returned(&tasks[i]))
				left &= ~(1ull << i);
		}
		if (left)
			pause_ns(TICK_NS);
	}
	if (op->wait_ns || op->wait_for)
		settle(op->stmt);
}

static void call(const struct job_op *op)
{
	struct job_answer ans = { .kind = ANS_BUSY, .stmt = op->stmt };

	if (tasks[op->task].busy)
		answer(&ans, NULL);
	else if (task_start(&tasks[op->task], op))
		stuck = true;
}

/* --- a trace ------------------------------------------------------------ */

/* A socket option in front of the trace. */
static void setup(const struct job_op *op)
{
	static struct task t;

	if (!t.buf)
		t.buf = malloc(1 << 17);
	t.op = op;
	call_perform(&t);
	answer(&t.ans, NULL);
}

static void from_peer(const struct job_op *op)
{
	bool tun = job->flags & JOB_TUN;

	if (op->kind == OP_SEGMENT)
		tun_segments(op);
	else if (op->kind == OP_SEND)
		conn_send(op);
	else if (op->kind == OP_FIN)
		tun ? tun_fin(op->off) : conn_fin();
	else
		tun ? tun_rst(op->off) : conn_rst();
	if (!one_cpu)
		pause_ns(SETTLE_NS);
}

static bool from_wire(const struct job_op *op)
{
	return op->kind == OP_SEND || op->kind == OP_SEGMENT;
}

static bool somebody_asleep(void)
{
	uint32_t i;

	for (i = 0; i < job->task_n; i++) {
		if (tasks[i].busy)
			return true;
	}
	return false;
}

/* All segments of a statement arrive before anybody whom they wake runs.
 * Returns how many operations the statement has. */
static uint32_t segments(const struct job_op *op, const struct job_op *end)
{
	const struct job_op *next = op;
	bool hold = somebody_asleep();

	if (hold)
		task_hold(true);
	for (; next < end && next->stmt == op->stmt && from_wire(next); next++)
		from_peer(next);
	if (hold)
		task_hold(false);
	return (uint32_t)(next - op);
}

/* Returns how many operations were performed, 0: no further. */
static uint32_t perform(const struct job_op *op, const struct job_op *end)
{
	uint32_t n = 1;

	pass_time(op);
	switch ((enum job_op_kind)op->kind) {
	case OP_SETUP:
		setup(op);
		return 1;
	case OP_SEND:
	case OP_SEGMENT:
		n = segments(op, end);
		break;
	case OP_FIN:
	case OP_RST:
		from_peer(op);
		break;
	case OP_CALL:
		call(op);
		break;
	case OP_CHECK:
		break;
	case OP_PIPE:
		return !conn_pipe(op);
	case OP_SIGNAL:
		if (tasks[op->task].busy && !returned(&tasks[op->task]))
			task_signal(&tasks[op->task], op->val);
		break;
	case OP_STATS:
		answer_stats(ANS_STATS, op->stmt);
		break;
	}
	settle(op->stmt);
	if (job->flags & JOB_TUN && tun_answer())
		settle(op->stmt);
	return stuck ? 0 : n;
}

static bool somebody_busy(void)
{
	bool any = false;
	uint32_t i;

	for (i = 0; i < job->task_n; i++) {
		if (tasks[i].busy && returned(&tasks[i]))
			tasks[i].busy = false;
		any |= tasks[i].busy;
	}
	return any;
}

/* Ends what still sleeps: a reset, then signals. */
static void end_calls(void)
{
	int64_t end = now_ns() + END_MAX_NS;
	uint32_t i;

	if (job->flags & JOB_TUN)
		tun_close();
	else
		conn_rst();
	while (somebody_busy()) {
		for (i = 0; i < job->task_n; i++) {
			if (tasks[i].busy)
				task_signal(&tasks[i], false);
		}
		if (!somebody_busy())
			break;
		if (now_ns() > end) {
			stuck = true;
			return;
		}
		pause_ns(TICK_NS);
	}
}

static void run_trace(void)
{
	const struct job_op *op = (const void *)(job + 1);
	struct job_answer ans = { .kind = ANS_END, .stmt = job->id };
	const struct job_op *end = op + job->op_n;
	uint32_t n;

	read_stats(stats_then);
	if (stuck) {
		trouble("a call of an earlier trace never ended", EBUSY);
	} else if (!conn_open()) {
		for (; op < end; op += n) {
			n = perform(op, end);
			if (!n)
				break;
		}
		answer_stats(ANS_STATS, JOB_NO_STMT);
		end_calls();
	}
	conn_close();
	conn_rst();
	answer(&ans, NULL);
}

/* --- jobs --------------------------------------------------------------- */

static void run_job(const uint8_t *p, const uint8_t *end)
{
	while (p < end) {
		job = (const void *)p;
		if (job->magic != JOB_MAGIC)
			die("job without magic");
		run_trace();
		p += job->size;
	}
}

static void write_answers(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	size_t done = 0;
	ssize_t n;

	if (fd < 0)
		die(name);
	while (done < out_len) {
		n = write(fd, out + done, out_len - done);
		if (n <= 0)
			die(name);
		done += (size_t)n;
	}
	if (fsync(fd) || close(fd))
		die(name);
}

/* The job of that name; malloc. */
static uint8_t *load_job(const char *number, size_t *size)
{
	char name[300];
	struct stat st;
	uint8_t *p;
	int fd;

	snprintf(name, sizeof(name), "%s/job.%s", dir, number);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		die(name);
	p = malloc((size_t)st.st_size + 1);
	if (!p || read(fd, p, (size_t)st.st_size) != st.st_size)
		die(name);
	close(fd);
	*size = (size_t)st.st_size;
	return p;
}

static void job_file(const char *number)
{
	char name[300];
	size_t size;
	uint8_t *p = load_job(number, &size);

	out_len = 0;
	run_job(p, p + size);
	free(p);
	snprintf(name, sizeof(name), "%s/answer.%s", dir, number);
	write_answers(name);
}

/* "NAME ROUNDS": says how many rounds went well, all or none. */
static void timed_job(char *words, int out_fd)
{
	char *end = words + strcspn(words, " ");
	uint32_t rounds = (uint32_t)strtoul(end, NULL, 10);
	size_t size;
	uint8_t *p;

	*end = '\0';
	p = load_job(words, &size);
	job = (const void *)p;
	if (job->magic != JOB_MAGIC)
		die("job without magic");
	dprintf(out_fd, "T %u\n", loop_run(rounds) ? 0 : rounds);
	free(p);
}

static void serve(int in_fd, int out_fd)
{
	FILE *in = fdopen(in_fd, "r");
	char line[64];

	if (access("/proc/net/tls_stat", R_OK)) {
		dprintf(out_fd, "X\n");
		return;
	}
	dprintf(out_fd, "R\n");
	while (in && fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\r\n")] = '\0';
		if (line[0] == 'Q')
			break;
		if (line[0] == 'T')
			timed_job(line + 2, out_fd);
		if (line[0] != 'J')
			continue;
		job_file(line + 2);
		dprintf(out_fd, "D %s\n", line + 2);
	}
}

static int serial_line(void)
{
	int fd = open("/dev/ttyS0", O_RDWR | O_NOCTTY);
	struct termios t;

	if (fd < 0 || tcgetattr(fd, &t))
		die("/dev/ttyS0");
	cfmakeraw(&t);
	tcsetattr(fd, TCSANOW, &t);
	return fd;
}

static void console(void)
{
	int fd = open("/dev/console", O_RDWR);

	if (fd < 0)
		return;
	dup2(fd, 1);
	dup2(fd, 2);
}

static void lift_limits(void)
{
	int fd = open("/proc/sys/kernel/sched_rt_runtime_us", O_WRONLY);

	if (fd < 0)
		return;
	if (write(fd, "-1", 2) < 0)
		one_cpu = false;
	close(fd);
}

int main(int argc, char **argv)
{
	int fd;

	if (getpid() != 1) {
		if (argc != 2) {
			fprintf(stderr, "usage: agent DIR, or as init\n");
			return 2;
		}
		dir = argv[1];
		task_init();
		serve(0, 1);
		return 0;
	}
	boot();
	console();
	one_cpu = sysconf(_SC_NPROCESSORS_CONF) == 1;
	lift_limits();
	task_init();
	fd = serial_line();
	serve(fd, fd);
	boot_halt();
}
