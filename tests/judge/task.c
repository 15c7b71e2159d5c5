// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The threads that make the calls.
 * How: a thread waits on a futex for its next call. On one CPU the threads
 * have a real-time priority and the agent the idle one: once a call was handed
 * over, the agent goes on only when the thread returned or sleeps, and when no
 * kernel thread has anything to do. Which of both it is, the thread's state
 * says, read twice.
 * Left out: anything that depends on how long something takes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/judge/agent.h"

#define TASK_PRIORITY 10
#define HOLD_PRIORITY 20
#define SOFTIRQ_PRIORITY 30
#define KSOFTIRQD_MAX 100 /* its number is below */
#define TASK_STACK (256u << 10)

static int loadavg_fd = -1;

int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

void pause_ns(int64_t ns)
{
	struct timespec ts = { ns / 1000000000, ns % 1000000000 };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

static void futex_wait(uint32_t *word, uint32_t value)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *task_thread(void *arg)
{
	struct sched_param param = { .sched_priority = TASK_PRIORITY };
	struct task *t = arg;
	uint32_t seen = 0, go;

	if (one_cpu)
		sched_setscheduler(0, SCHED_FIFO, &param);
	__atomic_store_n(&t->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	for (;;) {
		while ((go = __atomic_load_n(&t->go, __ATOMIC_ACQUIRE)) == seen)
			futex_wait(&t->go, seen);
		seen = go;
		call_perform(t);
		__atomic_store_n(&t->done, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static int task_create(struct task *t)
{
	pthread_attr_t attr;
	char path[64];
	pthread_t th;

	t->buf = mmap(NULL, BUF_SIZE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	t->part = calloc(PARTS_MAX, sizeof(*t->part));
	if (t->buf == MAP_FAILED || !t->part)
		return trouble("memory of a task", errno);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, TASK_STACK);
	if (pthread_create(&th, &attr, task_thread, t))
		return trouble("thread", EAGAIN);
	while (!__atomic_load_n(&t->tid, __ATOMIC_ACQUIRE))
		sched_yield();
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", t->tid);
	t->stat_fd = open(path, O_RDONLY);
	return t->stat_fd < 0 ? trouble(path, errno) : 0;
}

int task_start(struct task *t, const struct job_op *op)
{
	if (!t->tid && task_create(t))
		return -1;
	t->op = op;
	t->busy = true;
	t->told = false;
	t->hasty = call_hasty(op);
	__atomic_store_n(&t->done, 0, __ATOMIC_RELAXED);
	__atomic_add_fetch(&t->go, 1, __ATOMIC_RELEASE);
	futex_wake(&t->go);
	return 0;
}

/* The letter behind the name in brackets. */
static char task_state(struct task *t)
{
	char text[128];
	ssize_t n = pread(t->stat_fd, text, sizeof(text) - 1, 0);
	char *p;

	if (n <= 0)
		return '?';
	text[n] = '\0';
	p = strrchr(text, ')');
	return p && p[1] ? p[2] : '?';
}

/* Times it went to sleep since the thread began. */
uint64_t task_sleep_count(const struct task *t)
{
	static const char key[] = "\nvoluntary_ctxt_switches:";
	char path[64], text[4096], *p;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", t->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = '\0';
	p = strstr(text, key);
	return p ? strtoull(p + sizeof(key) - 1, NULL, 10) : 0;
}

static bool looks_asleep(struct task *t)
{
	char c = task_state(t);

	return (c == 'S' || c == 'D') &&
	       !__atomic_load_n(&t->done, __ATOMIC_ACQUIRE);
}

bool task_sleeps(struct task *t)
{
	if (!looks_asleep(t))
		return false;
	sched_yield();
	return looks_asleep(t);
}

/* The fourth field of loadavg is RUNNABLE/ALL, and this thread is one. */
bool task_cpu_idle(void)
{
	char text[64], *p;
	ssize_t n;

	if (!one_cpu)
		return true;
	n = pread(loadavg_fd, text, sizeof(text) - 1, 0);
	if (n <= 0)
		return true;
	text[n] = '\0';
	p = strchr(text, '/');
	return !p || (p[-1] == '1' && p[-2] == ' ');
}

void task_hold(bool on)
{
	struct sched_param param = { .sched_priority = on ? HOLD_PRIORITY : 0 };

	if (one_cpu)
		sched_setscheduler(0, on ? SCHED_FIFO : SCHED_IDLE, &param);
}

void task_signal(struct task *t, bool restart)
{
	syscall(SYS_tgkill, getpid(), t->tid, restart ? SIGUSR2 : SIGUSR1);
}

static void nothing(int sig)
{
	(void)sig;
}

/* The kernel puts off network work to this thread when it takes long, as on a
 * busy host. It must come before the tasks that the work wakes. */
static void raise_ksoftirqd(void)
{
	struct sched_param param = { .sched_priority = SOFTIRQ_PRIORITY };
	char path[64], name[32];
	pid_t pid;
	FILE *f;

	for (pid = 2; pid < KSOFTIRQD_MAX; pid++) {
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		f = fopen(path, "re");
		if (!f)
			continue;
		if (fgets(name, sizeof(name), f) &&
		    !strcmp(name, "ksoftirqd/0\n"))
			sched_setscheduler(pid, SCHED_FIFO, &param);
		fclose(f);
	}
}

void task_init(void)
{
	struct sched_param param = { 0 };
	struct sigaction sa = { .sa_handler = nothing };

	sigaction(SIGUSR1, &sa, NULL);
	sa.sa_flags = SA_RESTART;
	sigaction(SIGUSR2, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
	one_cpu = one_cpu && !sched_setscheduler(0, SCHED_IDLE, &param);
	if (one_cpu)
		raise_ksoftirqd();
	loadavg_fd = open("/proc/loadavg", O_RDONLY);
}
