/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent: performs traces with the calls of a real kernel.
 *
 * agent.c takes jobs and runs traces, boot.c is init, conn.c is the loopback
 * connection, tun.c the raw one, task.c has the threads, call.c their calls,
 * loop.c times a trace.
 * A failed call of the agent's own ends the trace with ANS_TROUBLE.
 */
#ifndef JUDGE_AGENT_H
#define JUDGE_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sim/judge/judge_job.h"

#define BUF_SIZE (17u << 20) /* user memory of a task */
#define TUN_ADDR "10.9.0.1"
#define NO_FD 1000000 /* what a closed descriptor is called */

/* Messages of a recvmmsg, results of any call. */
#define PARTS_MAX 1024u

/**
 * struct task - a thread and the call it makes
 * @tid: its number; 0 not yet started
 * @stat_fd: /proc/self/task/TID/stat
 * @go: counts calls; the thread waits for a change
 * @done: the call returned
 * @busy: a call was handed over and its return not yet reported
 * @told: that it sleeps was reported
 * @hasty: the call must not wait
 * @slept: hasty ones: task_sleep_count() when that it sleeps was reported
 * @op: the call
 * @ans: its result
 * @part: results of the messages of recvmmsg
 * @buf: user memory, BUF_SIZE
 * @out: what goes behind @ans in the answer file
 */
struct task {
	pid_t tid;
	int stat_fd;
	uint32_t go;
	uint32_t done;
	bool busy;
	bool told;
	bool hasty;
	uint64_t slept;
	const struct job_op *op;
	struct job_answer ans;
	struct job_answer *part;
	uint8_t *buf;
	const uint8_t *out;
};

/**
 * struct conn - the connection and what calls use beside it
 * @rx: receiver's descriptor, NO_FD when closed
 * @tx: sender's, -1 when closed or the agent is the peer
 * @ep: epoll descriptors, level- and edge-triggered, -1 not made
 * @pipe: read and write ends
 * @nonblock: the socket has O_NONBLOCK
 */
struct conn {
	int rx;
	int tx;
	int ep[2];
	uint32_t ep_asked[2];
	int pipe[JOB_PIPES_MAX][2];
	bool nonblock;
};

extern struct conn conn;
extern struct task tasks[JOB_TASKS_MAX];
extern const struct job_trace *job; /* the trace being run */
extern const char *loopback_addr; /* where receivers listen */
extern bool one_cpu; /* and the tasks come before the agent */

/* Bytes of the job at an offset. */
static inline const uint8_t *job_at(uint32_t off)
{
	return (const uint8_t *)job + off;
}

/* agent.c. Says why the trace cannot go on; returns -1. */
int trouble(const char *what, int err);
/* Says on the console that all is lost, and ends. */
void die(const char *what) __attribute__((noreturn));

/* boot.c. Mounts, modules, loopback: what init does. */
void boot(void);
void boot_halt(void) __attribute__((noreturn));
/* Sets address and flags of an interface. */
int boot_if_up(const char *name, const char *addr, int mtu);
void boot_peer_route(const char *addr, const char *dev, uint32_t advmss);

/* conn.c. 0, or -1 after trouble(). */
int conn_open(void);
void conn_send(const struct job_op *op);
void conn_fin(void);
void conn_rst(void);
void conn_close(void);
int conn_pipe(const struct job_op *op);

/* tun.c. The same with the agent as peer. */
int tun_open(void);
int tun_connect(uint16_t port);
void tun_segments(const struct job_op *op);
void tun_fin(uint32_t off);
void tun_rst(uint32_t off);
/* Hears what the socket sent of itself; true if it may have changed by that. */
bool tun_answer(void);
void tun_close(void);

/* loop.c. Performs the job's one trace so many times, and nothing beside. */
int loop_run(uint32_t rounds);

/* call.c. True for calls that must not wait. */
bool call_hasty(const struct job_op *op);
/* Performs @t->op, fills @t->ans. */
void call_perform(struct task *t);

/* task.c */
int task_start(struct task *t, const struct job_op *op);
/* It sleeps in the kernel: seen twice, with the call not returned. */
bool task_sleeps(struct task *t);
uint64_t task_sleep_count(const struct task *t);
/* Nothing but this thread wants the CPU. */
bool task_cpu_idle(void);
/* While it holds, no task runs. */
void task_hold(bool on);
void task_signal(struct task *t, bool restart);
void task_init(void);
void pause_ns(int64_t ns);
int64_t now_ns(void);

#endif
