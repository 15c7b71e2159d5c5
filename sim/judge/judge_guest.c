// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel as a child process, and the agent in it.
 * How: the user-mode kernel boots with a directory as its root; lines go
 * through its serial line, which is a pair of pipes, jobs and answers are files
 * in that directory. Its console goes to a file, whose end is shown when it
 * dies. It has a session of its own, which is ended with it and with us.
 * Left out: making that directory (scripts/judge-kernel.sh).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/judge/judge.h"

#define BOOT_MS 20000
#define CONSOLE_SHOWN 1500u
#define SCRIPT "scripts/judge-kernel.sh"

/**
 * struct judge_guest - a running kernel
 * @pid: its process, leader of a session
 * @to: agent's input
 * @from: agent's output
 * @dir: where jobs and answers are
 * @console: file
 * @tag: tells the files of all guests apart that run now
 * @job: number of the last job
 */
struct judge_guest {
	pid_t pid;
	int to;
	int from;
	char dir[600];
	char console[600];
	char tag[24];
	u32 job;
};

/* --- which kernel --------------------------------------------------------- */

static int read_line(const char *path, char *out, size_t size)
{
	FILE *f = fopen(path, "re");

	if (!f || !fgets(out, (int)size, f))
		out[0] = '\0';
	if (f)
		fclose(f);
	out[strcspn(out, "\n")] = '\0';
	return out[0] ? 0 : -1;
}

/* Runs the script; its standard output's last line is the answer. */
static int ask_script(const char *name, const char *modules, char *out,
		      size_t size)
{
	int fds[2], status;
	ssize_t n, len = 0;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return 2;
	pid = fork();
	if (!pid) {
		dup2(fds[1], 1);
		execl(SCRIPT, SCRIPT, name, modules, (char *)NULL);
		fprintf(stderr, "ktlsim judge: no " SCRIPT
				" here, expected the top of the repository as "
				"working directory\n");
		_exit(77);
	}
	close(fds[1]);
	while (len < (ssize_t)size - 1 &&
	       (n = read(fds[0], out + len, size - 1 - (size_t)len)) > 0)
		len += n;
	close(fds[0]);
	out[len] = '\0';
	out[strcspn(out, "\n")] = '\0';
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		return 2;
	return WEXITSTATUS(status);
}

static int find_host(struct judge_kernel *k)
{
	struct stat st;
	int ret = ask_script("agent", NULL, k->agent, sizeof(k->agent));

	if (ret)
		return ret;
	read_line("/proc/sys/kernel/osrelease", k->version, sizeof(k->version));
	k->dir[0] = '\0';
	if (!stat("/proc/net/tls_stat", &st))
		return 0;
	fprintf(stderr,
		"ktlsim judge: the running kernel %s has no tls module "
		"loaded (modprobe tls)\n",
		k->version);
	return 77;
}

int judge_kernel_find(struct judge_kernel *k, const char *name,
		      const char *modules)
{
	const char *slash = strrchr(name, '/');
	char path[600];
	int ret;

	memset(k, 0, sizeof(*k));
	snprintf(k->name, sizeof(k->name), "%s", slash ? slash + 1 : name);
	if (!strcmp(name, "host"))
		return find_host(k);
	ret = ask_script(name, modules, k->dir, sizeof(k->dir));
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "%s/version", k->dir);
	return read_line(path, k->version, sizeof(k->version)) ? 77 : 0;
}

/* v6.1.176, then v6.1; 7.2.7 has no profile of its own. */
const struct profile *judge_kernel_profile(const struct judge_kernel *k)
{
	const struct profile *p;
	char name[80];
	char *dot;

	snprintf(name, sizeof(name), "v%.64s", k->version);
	name[strcspn(name, "-+")] = '\0';
	for (;;) {
		p = profile_find(name);
		dot = strrchr(name, '.');
		if (p || !dot)
			return p;
		*dot = '\0';
	}
}

/* --- life of a guest ------------------------------------------------------ */

static void pin(u32 cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* In the child: descriptors 3 and 4 become the serial line. */
static void exec_kernel(const struct judge_kernel *k, int in, int out)
{
	char program[600], root[600], preload[600];
	int high_in = fcntl(in, F_DUPFD, 10), high_out;

	high_out = fcntl(out, F_DUPFD, 10);
	dup2(high_in, 3);
	dup2(high_out, 4);
	close(high_in);
	close(high_out);
	snprintf(program, sizeof(program), "%s/linux", k->dir);
	snprintf(root, sizeof(root), "rootflags=%s/guest", k->dir);
	snprintf(preload, sizeof(preload), "%s/xstate.so", k->dir);
	if (!access(preload, R_OK))
		setenv("LD_PRELOAD", preload, 1);
	execl(program, program, "mem=512M", "rootfstype=hostfs", root, "rw",
	      "init=/init", "con=null", "con0=fd:0,fd:1", "ssl0=fd:3,fd:4",
	      "seccomp=auto", "quiet", "panic=-1", (char *)NULL);
	_exit(127);
}

static void end_session(int sig)
{
	(void)sig;
	kill(0, SIGKILL);
}

/* Whatever ends this program, processes of a user-mode kernel must not be left
 * behind: some of them would spin. The session's leader waits for either, and
 * takes the rest with it; its child goes on. */
static void supervise(void)
{
	pid_t pid;

	signal(SIGTERM, end_session);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	pid = fork();
	if (!pid) {
		signal(SIGTERM, SIG_DFL);
		return;
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	end_session(0);
}

static void child(const struct judge_kernel *k, const char *console, int in,
		  int out, u32 cpu)
{
	int null = open("/dev/null", O_RDONLY);
	int log = open(console, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	setsid();
	pin(cpu);
	supervise();
	if (log >= 0) {
		dup2(log, 2);
		if (k->dir[0])
			dup2(log, 1);
	}
	dup2(k->dir[0] ? null : in, 0);
	if (k->dir[0])
		exec_kernel(k, in, out);
	dup2(out, 1);
	execl(k->agent, k->agent, "build/judge", (char *)NULL);
	_exit(127);
}

/* One line, without its end; -1 when none comes. */
static int agent_line(struct judge_guest *g, int timeout_ms, char *line,
		      size_t size)
{
	struct pollfd p = { .fd = g->from, .events = POLLIN };
	size_t n = 0;

	while (n < size - 1) {
		if (poll(&p, 1, timeout_ms) != 1 ||
		    read(g->from, line + n, 1) != 1)
			return -1;
		if (line[n] == '\n') {
			line[n] = '\0';
			return 0;
		}
		n++;
	}
	return -1;
}

static void last_words(const struct judge_guest *g, struct text *out)
{
	char buf[CONSOLE_SHOWN];
	FILE *f = fopen(g->console, "re");
	size_t n;
	long size;

	if (!f)
		return;
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	fseek(f, size > (long)sizeof(buf) ? size - (long)sizeof(buf) : 0,
	      SEEK_SET);
	n = fread(buf, 1, sizeof(buf), f);
	text_add(out, buf, n);
	fclose(f);
}

/* The last line with anything on it. */
static const char *last_line(const struct text *t)
{
	size_t n = t->len;

	while (n && strchr(" \r\n\t", t->buf[n - 1]))
		t->buf[--n] = '\0';
	while (n && t->buf[n - 1] != '\n')
		n--;
	return t->len ? t->buf + n : "(none)";
}

struct judge_guest *judge_guest_boot(const struct judge_kernel *k, u32 cpu,
				     u32 slot)
{
	struct judge_guest *g = calloc(1, sizeof(*g));
	struct text words = { 0 };
	int in[2], out[2];
	char line[64];

	if (!g || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		abort();
	snprintf(g->dir, sizeof(g->dir), "%s%s",
		 k->dir[0] ? k->dir : "build/judge", k->dir[0] ? "/guest" : "");
	snprintf(g->console, sizeof(g->console), "%s/console.%d.%u",
		 k->dir[0] ? k->dir : "build/judge", (int)getpid(), slot);
	snprintf(g->tag, sizeof(g->tag), "%d.%u", (int)getpid(), slot);
	fflush(NULL); /* the child must not write what waits here */
	g->pid = fork();
	if (!g->pid)
		child(k, g->console, in[0], out[1], cpu);
	close(in[0]);
	close(out[1]);
	g->to = in[1];
	g->from = out[0];
	while (!agent_line(g, BOOT_MS, line, sizeof(line))) {
		if (!strcmp(line, "R"))
			return g;
		if (strcmp(line, "X") != 0)
			continue;
		fprintf(stderr,
			"ktlsim judge: kernel %s has no tls, neither "
			"built in nor as a module\n",
			k->name);
		judge_guest_kill(g);
		return NULL;
	}
	last_words(g, &words);
	fprintf(stderr,
		"ktlsim judge: kernel %s does not boot here; its last line: "
		"%s\n",
		k->name, last_line(&words));
	text_free(&words);
	judge_guest_kill(g);
	return NULL;
}

static int write_file(const char *path, const struct text *t)
{
	FILE *f = fopen(path, "we");
	bool ok;

	if (!f)
		return -1;
	ok = fwrite(t->buf, 1, t->len, f) == t->len;
	return fclose(f) || !ok ? -1 : 0;
}

static int read_file(const char *path, struct text *out)
{
	FILE *f = fopen(path, "re");
	char buf[65536];
	size_t n;

	if (!f)
		return -1;
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		text_add(out, buf, n);
	fclose(f);
	return 0;
}

int judge_guest_run(struct judge_guest *g, const struct text *job,
		    int timeout_ms, struct text *out, struct text *console)
{
	char path[700], answer[700], line[64], want[64];
	int ret = -1, n;

	g->job++;
	snprintf(path, sizeof(path), "%s/job.%s.%u", g->dir, g->tag, g->job);
	snprintf(answer, sizeof(answer), "%s/answer.%s.%u", g->dir, g->tag,
		 g->job);
	snprintf(want, sizeof(want), "D %s.%u", g->tag, g->job);
	unlink(answer);
	if (write_file(path, job)) {
		text_printf(console, "%s cannot be written", path);
		return -1;
	}
	n = snprintf(line, sizeof(line), "J %s.%u\n", g->tag, g->job);
	if (write(g->to, line, (size_t)n) == n &&
	    !agent_line(g, timeout_ms, line, sizeof(line)) &&
	    !strcmp(line, want))
		ret = read_file(answer, out);
	if (ret)
		last_words(g, console);
	unlink(path);
	unlink(answer);
	return ret;
}

int judge_guest_loop(struct judge_guest *g, const struct text *job, u32 rounds,
		     int timeout_ms)
{
	char path[700], line[64], want[64];
	int ret = -1, n;

	g->job++;
	snprintf(path, sizeof(path), "%s/job.%s.%u", g->dir, g->tag, g->job);
	snprintf(want, sizeof(want), "T %u", rounds);
	n = snprintf(line, sizeof(line), "T %s.%u %u\n", g->tag, g->job,
		     rounds);
	if (!write_file(path, job) && write(g->to, line, (size_t)n) == n &&
	    !agent_line(g, timeout_ms, line, sizeof(line)) &&
	    !strcmp(line, want))
		ret = 0;
	unlink(path);
	return ret;
}

void judge_guest_kill(struct judge_guest *g)
{
	if (!g)
		return;
	close(g->to);
	close(g->from);
	if (g->pid > 0) {
		kill(-g->pid, SIGKILL);
		kill(g->pid, SIGKILL);
		waitpid(g->pid, NULL, 0);
	}
	unlink(g->console);
	free(g);
}
