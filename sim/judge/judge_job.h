/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the host tells the guest agent and what the agent answers.
 *
 * A job file is a row of traces, each made of one struct job_trace, its
 * operations, and a blob of bytes (stream, keys, option values, buffers). An
 * answer file is a row of struct job_answer, each followed by @size bytes. Both
 * are of one machine, so fields are as the compiler lays them out. The agent
 * uses nothing else of this repository.
 */
#ifndef SIM_JUDGE_JOB_H
#define SIM_JUDGE_JOB_H

#include <stdint.h>
#include <string.h>

#define JOB_MAGIC 0x6b746a31u /* "ktj1" */
#define JOB_TASKS_MAX 64u
#define JOB_PIPES_MAX 64u
#define JOB_STATS_MAX 32u
#define JOB_NO_STMT UINT32_MAX
/* What user memory holds before a call; as in sim/call/syscall.c. */
#define JOB_USER_FILL 0xff
/* Bytes of data an answer holds when the trace does not ask for all. */
#define JOB_DATA_SHORT 32u

enum job_flag {
	JOB_ULP = 1 << 0, /* TCP_ULP "tls" at start */
	JOB_NONBLOCK = 1 << 1, /* O_NONBLOCK on the socket */
	JOB_TUN = 1 << 2, /* the agent is the TCP peer, on a TAP device */
	JOB_ALL_DATA = 1 << 3, /* answers hold all data */
};

/**
 * struct job_trace - one trace; offsets count from its start
 * @magic: JOB_MAGIC
 * @id: number of the host's choice
 * @size: bytes, this structure included
 * @flags: enum job_flag
 * @rcvbuf: SO_RCVBUF of the listener, 0 not set
 * @mss: TCP_MAXSEG of the listener, 0 not set
 * @watched: no call writes more bytes than that
 * @task_n: tasks
 * @op_n: operations, behind this structure
 * @stream: offset of the peer's bytes on the wire
 * @stream_len: how many
 */
struct job_trace {
	uint32_t magic;
	uint32_t id;
	uint32_t size;
	uint32_t flags;
	uint32_t rcvbuf;
	uint32_t mss;
	uint32_t watched;
	uint32_t task_n;
	uint32_t op_n;
	uint32_t stream;
	uint32_t stream_len;
	uint32_t pad;
};

enum job_op_kind {
	OP_SETUP, /* setsockopt by the agent itself, before the trace */
	OP_SEND, /* @len stream bytes from @off, in writes of @cut */
	OP_SEGMENT, /* the same as raw segments, from the agent as peer */
	OP_FIN, /* shutdown(SHUT_WR), or a raw FIN at @off */
	OP_RST, /* close with SO_LINGER 0, or a raw RST at @off */
	OP_CALL, /* a task's call */
	OP_CHECK, /* nothing: who has returned is looked at */
	OP_PIPE, /* makes a pipe of @len bytes, @val: O_NONBLOCK */
	OP_SIGNAL, /* @val: SA_RESTART */
	OP_STATS, /* the counters at this point */
};

enum job_call {
	JC_RECVMSG,
	JC_RECV,
	JC_READ,
	JC_READV,
	JC_RECVMMSG,
	JC_SPLICE,
	JC_POLL,
	JC_EPOLL,
	JC_FIONREAD,
	JC_SETSOCKOPT,
	JC_GETSOCKOPT,
	JC_NONBLOCK,
	JC_SHUTDOWN,
	JC_CLOSE,
	JC_DISCONNECT,
	JC_PREAD,
	JC_PWRITE,
	JC_PIONREAD,
	JC_PPOLL,
	JC_PRESIZE,
	JC_PCLOSE,
};

/**
 * struct job_op - one operation
 * @kind: enum job_op_kind
 * @call: enum job_call
 * @task: who
 * @pipe: which pipe
 * @stmt: statement number
 * @flags: MSG_*, SPLICE_F_*, poll bits
 * @ctl: room for control messages
 * @off: OP_SEND and raw ones: first stream byte
 * @len: bytes; optlen
 * @cut: bytes per write, 0 all in one
 * @flip_at: OP_SEGMENT: byte changed, with @flip
 * @flip: mask, 0 none
 * @urg: the last byte is urgent
 * @edge: epoll; write end of a pipe; null pointer as option value; OP_SEGMENT:
 *	bytes in page fragments (0), a page-fragment head (1), a slab head (2)
 * @bad: inaccessible buffer
 * @level: get/setsockopt
 * @opt: likewise
 * @val: value
 * @timeout_ns: poll, epoll; -1 for ever
 * @wait_ns: before it, time has to pass for the kernel's timers
 * @wait_max_ns: before it, the tasks in @wait_for have to return by timeout,
 *	at most that long
 * @wait_for: bit mask of tasks
 * @data: offset of buffer lengths (uint32_t, bit 31: inaccessible) or of the
 *	option's value
 * @data_n: number of buffers, or bytes of the value
 * @count: messages of recvmmsg
 */
struct job_op {
	uint8_t kind;
	uint8_t call;
	uint8_t task;
	uint8_t pipe;
	uint32_t stmt;
	uint32_t flags;
	uint32_t ctl;
	uint32_t off;
	int32_t len;
	uint32_t cut;
	uint32_t flip_at;
	uint8_t flip;
	uint8_t urg;
	uint8_t edge;
	uint8_t bad;
	int32_t level;
	int32_t opt;
	uint32_t count;
	uint32_t data;
	uint32_t data_n;
	int64_t val;
	int64_t timeout_ns;
	int64_t wait_ns;
	int64_t wait_max_ns;
	uint64_t wait_for;
};

#define JOB_IOV_BAD 0x80000000u

enum job_answer_kind {
	ANS_CALL, /* a call returned */
	ANS_PART, /* a message of the recvmmsg in front */
	ANS_ASLEEP, /* a call made at @stmt sleeps */
	ANS_BUSY, /* the task was still inside an earlier call */
	ANS_STATS, /* changes of the counters since the start, int64_t each */
	ANS_TROUBLE, /* the agent cannot go on; text behind */
	ANS_END, /* of the trace; the counters behind */
};

/**
 * struct job_answer - one thing seen
 * @kind: enum job_answer_kind
 * @size: bytes behind it: option value or data, at most JOB_DATA_SHORT unless
 *	all are asked for
 * @stmt: statement of the call
 * @done: statement during which it returned
 * @ret: value or negative errno
 * @mask: poll bits
 * @msg_flags: msg_flags
 * @controllen: msg_controllen
 * @cmsg_count: whole record types in the control messages
 * @cmsg_type: the last of them
 * @cmsg_partial: one was cut
 * @cmsg_other: there was something else
 * @data_len: delivered bytes
 * @past: distance of the last byte changed behind them
 * @opt_len: option length written back
 * @part_n: messages
 * @hash: of the delivered bytes or the option's value, job_hash()
 */
struct job_answer {
	uint32_t kind;
	uint32_t size;
	uint32_t stmt;
	uint32_t done;
	int64_t ret;
	uint32_t mask;
	uint32_t msg_flags;
	uint32_t controllen;
	uint32_t cmsg_count;
	uint8_t cmsg_type;
	uint8_t cmsg_partial;
	uint8_t cmsg_other;
	uint8_t pad;
	uint32_t data_len;
	uint32_t past;
	int32_t opt_len;
	uint32_t part_n;
	uint32_t pad2;
	uint64_t hash;
};

/* FNV-1a over words of 8 bytes, the last one filled with zeros. */
static inline uint64_t job_hash(const uint8_t *p, size_t n)
{
	uint64_t h = 0xcbf29ce484222325ull, w;

	for (; n >= 8; p += 8, n -= 8) {
		memcpy(&w, p, 8);
		h = (h ^ w) * 0x100000001b3ull;
		h ^= h >> 29;
	}
	w = 0;
	memcpy(&w, p, n);
	h = (h ^ w) * 0x100000001b3ull;
	return h ^ h >> 32;
}

#endif
