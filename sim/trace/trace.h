/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace in memory: options, then statements in order.
 *
 * trace_parse() makes one from text (lexer, parser), gen.c makes one from
 * choices, run.c performs one, trace_print() writes the canonical text. The
 * language is described in docs/trace-language.md. Everything a trace owns
 * lives in its struct mem_pool.
 */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include <stdio.h>

#include "model/tls.h"
#include "sim/world/pool.h"

#define TRACE_FORMAT_VERSION 1
#define TRACE_FILE_MAX (16u << 20) /* bytes of text accepted */
#define TRACE_RECORDS_MAX 200000u
#define TRACE_STMTS_MAX 500000u
#define TRACE_NAME_MAX 31
#define TRACE_PROFILE_MAX 255
#define TRACE_LINE_MAX 65536u /* bytes of one line */
#define TRACE_RAW_MAX 20480u /* bytes of one raw record or hex value */
#define TRACE_STREAM_MAX (1u << 30) /* bytes of all records on the wire */
#define TRACE_SEGMENTS_MAX (1u << 20) /* of one statement with cut= */
#define TRACE_BODY_MAX 65535u /* body bytes of one record */
#define TRACE_TASKS_MAX 64u
#define TRACE_PIPES_MAX 64u
#define TRACE_PIPE_SIZE_MAX (1u << 20)
#define TRACE_CALL_MAX (16u << 20) /* bytes all buffers of one call have */
#define TRACE_MSGS_MAX 1024u /* messages of one recvmmsg */
#define TRACE_TIME_MAX_NS 1000000000000000ll /* end of time, 1e6 s */

/**
 * struct sim_err - unusable input, reported as file:line:column: msg
 * @file: path as given
 * @line: from 1; 0 when the file as a whole is meant
 * @col: from 1; 0 likewise
 * @msg: what is wrong, what was expected
 */
struct sim_err {
	const char *file;
	u32 line;
	u32 col;
	char msg[240];
};
/* One line: file:line:col: msg, or file: msg. */
void sim_err_print(const struct sim_err *err, FILE *to);

/* How the world builds the skb of an arriving segment. */
enum skb_layout {
	LAYOUT_FRAG, /* no head; page frags of one compound area (loopback) */
	LAYOUT_PAGES, /* no head; one frag per 4096-byte page */
	LAYOUT_HEAD_FRAG, /* all bytes in a page-fragment head */
	LAYOUT_HEAD_SLAB, /* all bytes in a slab head */
	LAYOUT_COUNT,
};

/**
 * struct trace_opts - the `set` lines
 * Defaults are trace_opts_default().
 * @version: TLS_1_2_VERSION or TLS_1_3_VERSION                 tls=
 * @cipher: enum tls_cipher_type                                 cipher=
 * @profile: name, NULL means the runner's default               profile=
 * @rcvbuf: SO_RCVBUF of the listener, 0 default                 rcvbuf=
 * @mss: path MSS                                                mss=
 * @rcvlowat: SO_RCVLOWAT set at start, 0: not set               rcvlowat=
 * @rcvtimeo_ns: SO_RCVTIMEO set at start, 0: not set            rcvtimeo=
 * @seq: first record sequence number, both sides                seq=
 * @layout: default skb layout                                   skb=
 * @held: sender keeps its clone until ACKed (no coalescing)     held=on|off
 * @nopad: TLS_RX_EXPECT_NO_PAD set at start                     nopad=on|off
 * @nonblock: socket has O_NONBLOCK                              nonblock=on|off
 * @ulp: TCP_ULP "tls" attached at start                         ulp=on|off
 * @rx: TLS_RX keys of generation 0 installed at start           rx=on|off
 * @openssl: the peer is a libssl endpoint                       peer=raw|openssl
 * @finish: after the last statement faults stop, the peer sends all, every
 *	reader must finish (random runs)                         finish=on|off
 */
struct trace_opts {
	u16 version;
	u16 cipher;
	const char *profile;
	u32 rcvbuf;
	u32 mss;
	u32 rcvlowat;
	s64 rcvtimeo_ns;
	u64 seq;
	enum skb_layout layout;
	bool held;
	bool nopad;
	bool nonblock;
	bool ulp;
	bool rx;
	bool openssl;
	bool finish;
};

/* `end` inside a range: up to the record's last byte. */
#define RANGE_END UINT32_MAX

/**
 * struct trace_range - bytes of a record: NAME[from,to)
 * @rec: index into trace->recs of the first record meant
 * @count: a repeated record (NAME*N) stands for N in a row; else 1. With
 *	@count > 1 @from and @to count over all of them.
 * @from: first byte
 * @to: one behind the last, RANGE_END for all
 */
struct trace_range {
	u32 rec;
	u32 count;
	u32 from;
	u32 to;
};

/* Ways to spoil or shape a record, in the words of the answers' README. */
enum rec_mod {
	MOD_BADTAG = 1 << 0, /* last bit of the tag flipped */
	MOD_BADCT = 1 << 1, /* first ciphertext bit flipped */
	MOD_VER = 1 << 2, /* header version replaced by @ver */
	MOD_LEN = 1 << 3, /* header length replaced by @hdr_len */
	MOD_DLEN = 1 << 4, /* header length changed by @dlen */
	MOD_OUTER = 1 << 5, /* header type replaced by @outer */
	MOD_SEQ = 1 << 6, /* sealed with @seq; the counter stays */
	MOD_ZERO = 1 << 7, /* 1.3: inner plaintext all zeros */
	MOD_NOINNER = 1 << 8, /* 1.3: not even a type byte */
};

/* What a record is made of. */
enum rec_kind {
	REC_SEALED, /* type and length, filled with the pattern, sealed */
	REC_KEYUPDATE, /* handshake 18 00 00 01 00 cut or zero-filled to @len */
	REC_RAW, /* bytes as written */
	REC_OPENSSL, /* what libssl writes for @ossl */
};

/* What a libssl peer is asked to write. */
enum ossl_what {
	OSSL_DATA, /* SSL_write of @len pattern bytes */
	OSSL_TICKET, /* SSL_new_session_ticket */
	OSSL_KEYUPDATE, /* SSL_key_update */
	OSSL_CLOSE, /* SSL_shutdown */
};

/**
 * struct trace_rec - one record (or raw bytes) of the peer's stream
 * @name: as written; records of one NAME*N share it
 * @index: 0.. within NAME*N
 * @of: N
 * @kind: see enum rec_kind
 * @type: content type
 * @len: plaintext length, or length of @raw
 * @pad: TLS 1.3 zeros after the inner type
 * @mods: enum rec_mod bits
 * @ver: for MOD_VER
 * @hdr_len: for MOD_LEN
 * @dlen: for MOD_DLEN
 * @outer: for MOD_OUTER
 * @seq: for MOD_SEQ
 * @raw: bytes of REC_RAW
 * @ossl: for REC_OPENSSL
 */
struct trace_rec {
	const char *name;
	u32 index;
	u32 of;
	enum rec_kind kind;
	u8 type;
	u32 len;
	u32 pad;
	u32 mods;
	u16 ver;
	u16 hdr_len;
	s32 dlen;
	u8 outer;
	u64 seq;
	const u8 *raw;
	enum ossl_what ossl;
};

enum stmt_kind {
	ST_PEER_RECORD, /* peer NAME = ... */
	ST_PEER_KEY, /* peer key G [seq=N] */
	ST_WIRE, /* wire RANGE...: raw segments */
	ST_SEND, /* send RANGE...: through the peer's TCP sender */
	ST_FIN, /* wire fin [after RANGE] | send fin */
	ST_RST, /* wire rst [after RANGE] */
	ST_CALL, /* TASK CALL ... = RESULT */
	ST_RETURNS, /* TASK returns RESULT | TASK blocks: still inside */
	ST_PIPE, /* pipe NAME BYTES [nb] */
	ST_FAIL, /* fail alloc SITE#N */
	ST_AT, /* at POINT#N run WHAT */
	ST_SIGNAL, /* signal TASK [restart] */
	ST_EXPECT, /* expect COUNTER=N ... */
	ST_END, /* end consumed | end left N */
	ST_KIND_COUNT,
};

/* The calls a task can make; docs/trace-language.md has one line on each. */
enum call_kind {
#define CALL(id, name, what) CALL_##id,
#include "sim/trace/calls.def"
#undef CALL
	CALL_COUNT,
};
extern const char *const call_name[CALL_COUNT];

#define TRACE_IOV_MAX 16

/* One buffer of a call; @bad is an inaccessible address. */
struct trace_iov {
	u32 len;
	bool bad;
};

/**
 * struct trace_call - a call and its arguments; unused ones are zero
 * @kind: which call
 * @iov: buffers of recvmsg, recv, readv; read and splice use iov[0].len,
 *	pread iov[0].bad
 * @iov_n: how many
 * @flags: enum m_msg_flags, M_SPLICE_F_*, or the bits poll and epoll ask for (0: IN PRI
 *	OUT RDHUP)
 * @ctl: bytes offered for control messages; 64 unless ctl=, 0 none
 * @pipe: index of the pipe
 * @count: recvmmsg vlen; read_sock desc.count
 * @take: read_sock: what the actor takes, the last entry repeats; negative is
 *	an errno it returns
 * @take_n: entries, 0: takes all
 * @level: get/setsockopt
 * @opt: get/setsockopt
 * @val: integer value (setsockopt), SHUT_* (shutdown), 0/1 (nonblock), bytes
 *	(pipe calls)
 * @opt_len: optlen, -1: the natural one
 * @opt_null: null pointer as value
 * @key: TLS_RX/TLS_TX: key generation
 * @key_seq: first sequence number
 * @key_seq_set: @key_seq is given, else 0
 * @key_ver: version to put in the structure, 0: the trace's
 * @key_cipher: cipher whose structure is passed, 0: the trace's
 * @key_cid: cipher id to put in, 0: that of @key_cipher
 * @timeout_ns: poll, epoll: how long to wait; 0 not at all, -1 for ever
 * @edge: epoll: edge-triggered registration
 * @end: pipe close: 0 read end, 1 write end
 */
struct trace_call {
	enum call_kind kind;
	struct trace_iov iov[TRACE_IOV_MAX];
	u32 iov_n;
	u32 flags;
	u32 ctl;
	u32 pipe;
	u32 count;
	s32 take[8];
	u32 take_n;
	s32 level;
	s32 opt;
	s64 val;
	s32 opt_len;
	bool opt_null;
	u32 key;
	u64 key_seq;
	bool key_seq_set;
	u16 key_ver;
	u16 key_cipher;
	u16 key_cid;
	s64 timeout_ns;
	bool edge;
	u8 end;
};

/* A piece of expected data. */
enum data_kind {
	DATA_RANGE, /* plaintext bytes of a record: NAME[a,b) */
	DATA_STREAM, /* bytes of the data pattern: stream[a,b) */
	DATA_FILL, /* HH*N */
};

struct trace_data {
	enum data_kind kind;
	struct trace_range range; /* DATA_RANGE; DATA_STREAM uses from/to */
	u8 fill;
	u32 fill_n;
};

/* Which parts of a result a trace states. */
enum expect_bits {
	EXP_RET = 1 << 0,
	EXP_BLOCKS = 1 << 1,
	EXP_TYPE = 1 << 2,
	EXP_NOTYPE = 1 << 3,
	EXP_DATA = 1 << 4,
	EXP_FLAGS = 1 << 5,
	EXP_MASK = 1 << 6,
	EXP_REASON = 1 << 7,
	EXP_PAST = 1 << 8,
	EXP_HEX = 1 << 9,
	EXP_OUTLEN = 1 << 10,
	EXP_VALUE = 1 << 11,
	EXP_CTLLEN = 1 << 12,
	EXP_MSGS = 1 << 13,
};

/**
 * struct trace_result - `= ...`
 * @what: enum expect_bits
 * @ret: value, or negative errno
 * @type: record type of the cmsg
 * @flags: exact msg_flags
 * @mask: poll bits
 * @reason: enum m_reason
 * @past: last changed byte lies so many behind the returned ones
 * @data: expected bytes, in order
 * @data_n: how many pieces
 * @hex: expected option value
 * @hex_n: its length
 * @outlen: expected optlen
 * @value: getsockopt: the value as an integer; so_error: positive errno
 * @ctllen: msg_controllen after the call
 * @msgs: recvmmsg: what each message got, its length in @ret
 * @msg_n: how many
 */
struct trace_result {
	u32 what;
	s64 ret;
	u8 type;
	u32 flags;
	u32 mask;
	enum m_reason reason;
	u32 past;
	const struct trace_data *data;
	u32 data_n;
	const u8 *hex;
	u32 hex_n;
	s32 outlen;
	s64 value;
	u32 ctllen;
	const struct trace_result *msgs;
	u32 msg_n;
};

/* Counters for `expect`. */
enum trace_counter {
#define COUNTER(id, name, what) CNT_##id,
#include "sim/world/counters.def"
#undef COUNTER
	CNT_COUNT,
	CNT_MIB = 1000, /* CNT_MIB + enum m_mib */
};

/* `run` part of an `at` line. */
enum at_what {
	AT_WIRE, /* the next wire/send/fin/rst statement not yet done */
	AT_TASK, /* let that task run (preemption) */
	AT_WORK, /* the pending work item */
	AT_TIMER, /* the next timer of the peer's sender */
};

/* ST_WIRE and ST_SEND arguments. */
struct stmt_wire {
	const struct trace_range *range;
	u32 range_n;
	u32 cut; /* bytes per segment, 0: one segment */
	int layout; /* enum skb_layout, -1: default */
	int held; /* 0/1, -1: default */
	bool urg; /* last byte is urgent */
	u32 flip_off; /* with @flip: this byte of the segment is changed */
	u8 flip;
};

/**
 * struct trace_stmt - one statement
 * @kind: which; selects the union member
 * @line: in the text, 0 when generated
 * @dt_ns: time since the previous statement
 * @timed: a time was written
 * @task: acting task, index into trace->tasks, for CALL, RETURNS, SIGNAL, AT
 * @result: expectation of CALL and RETURNS
 */
struct trace_stmt {
	enum stmt_kind kind;
	u32 line;
	s64 dt_ns;
	bool timed;
	u32 task;
	struct trace_result result;
	union {
		struct {
			u32 first, count;
		} peer; /* PEER_RECORD: into trace->recs */
		struct {
			u32 gen;
			u64 seq;
			bool seq_set;
		} key; /* PEER_KEY */
		struct stmt_wire wire; /* WIRE, SEND */
		struct {
			bool send;
			bool after;
			struct trace_range range;
		} fin; /* FIN: through the sender, behind its data; FIN and
			* RST: at the sequence number behind @range */
		struct trace_call *call; /* CALL */
		struct {
			u32 pipe; /* index into trace->pipes */
		} pipe; /* PIPE */
		struct {
			enum m_site site;
			u32 nth; /* from 1; 0: every one from now on */
		} fail; /* FAIL */
		struct {
			enum m_point point;
			u32 nth; /* from 1, counted since the start */
			enum at_what what;
		} at; /* AT */
		struct {
			bool restart;
		} signal; /* SIGNAL */
		struct {
			u32 counter;
			u64 value;
			bool more; /* the next EXPECT is on the same line */
		} expect; /* EXPECT */
		struct {
			bool consumed;
			u32 left;
		} end; /* END */
	};
};

struct trace_pipe {
	const char *name;
	u32 size;
	bool nonblock;
};

/* Which part of the text a comment belongs to. */
enum comment_place {
	COMMENT_BODY, /* among the statements */
	COMMENT_VERSION, /* behind the version, on its line */
	COMMENT_HEAD, /* in front of the `set` line */
	COMMENT_SET, /* behind the options, on their line */
};

/* A comment or an empty line, kept for printing; in order of @place. */
struct trace_comment {
	enum comment_place place;
	u32 before_stmt; /* COMMENT_BODY: printed in front of that statement */
	bool trailing; /* COMMENT_BODY: behind that statement, on its line */
	const char *text; /* without the '#'; NULL is an empty line */
};

/**
 * struct trace - a whole trace
 * @pool: owns everything below
 * @file: path, for messages
 * @opts: options
 * @recs: records in stream order
 * @tasks: names
 * @pipes: pipes
 * @stmts: statements
 * @comments: comments in order
 */
struct trace {
	struct mem_pool *pool;
	const char *file;
	struct trace_opts opts;
	struct trace_rec *recs;
	u32 rec_n;
	const char **tasks;
	u32 task_n;
	struct trace_pipe *pipes;
	u32 pipe_n;
	struct trace_stmt *stmts;
	u32 stmt_n;
	struct trace_comment *comments;
	u32 comment_n;
};

/* What holds without a `set` line. */
void trace_opts_default(struct trace_opts *opts);
/* Bytes of a record on the wire; -1 for openssl records, which only libssl
 * knows. */
s64 trace_rec_wire_len(const struct trace_opts *opts,
		       const struct trace_rec *rec);
/**
 * trace_parse() - text to trace
 * @tr: out; @tr->pool must be set, the rest is overwritten
 * @file: for messages
 * @text: not necessarily terminated
 * @size: bytes
 * @err: filled on failure
 *
 * 0, or -1 with @err. Owns: everything in @tr->pool.
 */
int __must_check trace_parse(struct trace *tr, const char *file,
			     const char *text, size_t size,
			     struct sim_err *err);
/* Reads a regular file of at most TRACE_FILE_MAX bytes, then parses. */
int __must_check trace_load(struct trace *tr, const char *path,
			    struct sim_err *err);

/* Growing text buffer; bytes are owned by malloc. */
struct text {
	char *buf;
	size_t len;
	size_t size;
};
/* All append, keep a NUL behind the text, and abort without memory. */
void text_printf(struct text *t, const char *fmt, ...) __printf(2, 3);
void text_add(struct text *t, const char *s, size_t len);
void text_puts(struct text *t, const char *s);
void text_putc(struct text *t, char c);
/* Empty and usable again afterwards. */
void text_free(struct text *t);
/**
 * text_write() - a file of that text
 * @t: what it shall hold
 * @path: its name
 *
 * A file that is there is replaced when all is written, and stays as it is when
 * that fails. Return: 0, or -1 when it was told on stderr what went wrong.
 */
int text_write(const struct text *t, const char *path);

/* Canonical text, appended; @tr may be generated, with lines and comments 0. */
void trace_print(const struct trace *tr, struct text *out);
/* One statement, result, call or range, without newline. @call may be NULL:
 * it only decides how a value of so_error is written. */
void trace_print_stmt(const struct trace *tr, u32 stmt, struct text *out);
void trace_print_result(const struct trace *tr, const struct trace_call *call,
			const struct trace_result *res, struct text *out);
void trace_print_call(const struct trace *tr, const struct trace_call *call,
		      struct text *out);
void trace_print_range(const struct trace *tr, const struct trace_range *range,
		       struct text *out);
const char *errno_name(int err); /* positive errno, "EAGAIN"; NULL unknown */
int errno_value(const char *name, size_t len); /* 0 unknown */
const char *rec_type_name(u8 type); /* "data"...; NULL: print `type N` */

#endif
