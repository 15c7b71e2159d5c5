// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parser: arguments of the calls a task makes.
 *
 * One function a group of calls; fixed arguments come first, then words and
 * KEY=VALUE in any order.
 *
 * Left out: what the calls do, and whether a kernel accepts the arguments.
 */
#include "sim/trace/trace_parse.h"

#define CTL_DEFAULT 64u
#define CTL_MAX 4096u
#define OPT_LEN_MAX 4096u

/* A number as the whole current word. */
static int arg_num(struct parser *p, const char *what, u64 min, u64 max,
		   u64 *out)
{
	if (lex_num(&p->lex, p->lex.tok, what, min, max, out))
		return -1;
	lex_next(&p->lex);
	return 0;
}

/* One buffer of @call, at most @room bytes. */
static int arg_buffer(struct parser *p, struct span piece, u64 room,
		      struct trace_call *call, u32 iov_max)
{
	struct trace_iov *iov;
	u64 len;

	if (call->iov_n == iov_max)
		return lex_fail(&p->lex, piece.s,
				"too many buffers, expected at most %u",
				iov_max);
	iov = &call->iov[call->iov_n++];
	iov->bad = piece.s < piece.e && *piece.s == 'b';
	if (iov->bad)
		piece.s++;
	if (lex_num(&p->lex, piece, "buffer length", 0, room, &len))
		return -1;
	iov->len = (u32)len;
	return 0;
}

/* "100", "b10", or several joined by '+'. */
static int arg_iov(struct parser *p, struct trace_call *call, u32 iov_max)
{
	struct span w = p->lex.tok, piece = { w.s, w.s };
	u64 room = TRACE_CALL_MAX;

	for (;;) {
		while (piece.e < w.e && *piece.e != '+')
			piece.e++;
		if (arg_buffer(p, piece, room, call, iov_max))
			return -1;
		room -= call->iov[call->iov_n - 1].len;
		if (piece.e == w.e)
			break;
		piece.s = ++piece.e;
	}
	lex_next(&p->lex);
	return 0;
}

/* `peek`, `ctl=17`, ... up to '=' or the line's end. */
static int arg_flags(struct parser *p, struct trace_call *call)
{
	const struct trace_word *words = msg_flag_words.base;
	bool has_ctl = call->kind != CALL_RECV;
	struct lex *lx = &p->lex;

	call->ctl = has_ctl ? CTL_DEFAULT : 0;
	for (; !lex_eol(lx) && !span_is(lx->tok, "="); lex_next(lx)) {
		struct span w = lx->tok, val;
		u64 n;
		int i;

		if (has_ctl && word_key(w, "ctl", &val)) {
			if (lex_num(lx, val, "control buffer", 0, CTL_MAX, &n))
				return -1;
			call->ctl = (u32)n;
			continue;
		}
		i = names_find(&msg_flag_words, w.s, span_len(w));
		if (i < 0 && has_ctl && memchr(w.s, '=', span_len(w)))
			return lex_fail(lx, w.s,
					"unknown option '%s', expected 'ctl='",
					quote(w).s);
		if (i < 0)
			return fail_unknown(p, w, "flag", &msg_flag_words);
		if (words[i].val == M_MSG_WAITFORONE &&
		    call->kind != CALL_RECVMMSG)
			return lex_fail(lx, w.s,
					"'waitforone' is for recvmmsg only");
		call->flags |= words[i].val;
	}
	return 0;
}

static int args_recvmmsg(struct parser *p, struct trace_call *call)
{
	const char *where;
	u64 n, sum = 0;

	if (arg_num(p, "number of messages", 0, TRACE_MSGS_MAX, &n))
		return -1;
	call->count = (u32)n;
	where = p->lex.tok.s;
	if (arg_iov(p, call, TRACE_IOV_MAX))
		return -1;
	for (u32 i = 0; i < call->iov_n; i++)
		sum += call->iov[i].len;
	sum *= n;
	if (sum > TRACE_CALL_MAX)
		return lex_fail(&p->lex, where,
				"all buffers together have %llu bytes, expected"
				" at most %u",
				(unsigned long long)sum, TRACE_CALL_MAX);
	return arg_flags(p, call);
}

static int args_splice(struct parser *p, struct trace_call *call)
{
	const struct trace_word *words = splice_flag_words.base;
	struct lex *lx = &p->lex;
	u64 n;

	if (parse_pipe_ref(p, &call->pipe) ||
	    arg_num(p, "length", 0, UINT32_MAX, &n))
		return -1;
	call->iov[0].len = (u32)n;
	call->iov_n = 1;
	for (; !lex_eol(lx) && !span_is(lx->tok, "="); lex_next(lx)) {
		struct span w = lx->tok;
		int i = names_find(&splice_flag_words, w.s, span_len(w));

		if (i < 0)
			return fail_unknown(p, w, "flag", &splice_flag_words);
		call->flags |= words[i].val;
	}
	return 0;
}

/* A number of bytes, or the errno an actor returns. */
static int arg_take_one(struct parser *p, struct span piece, s32 *take)
{
	struct span err = { piece.s + 1, piece.e };
	s64 n;

	if (piece.s == piece.e || *piece.s != '-') {
		if (lex_signed(&p->lex, piece, "take", 0, INT32_MAX, &n))
			return -1;
		*take = (s32)n;
		return 0;
	}
	*take = -errno_value(err.s, span_len(err));
	if (!*take)
		return fail_unknown(p, err, "errno", &errno_words);
	return 0;
}

/* `take=4,0,-EAGAIN` */
static int arg_take(struct parser *p, struct span val, struct trace_call *call)
{
	struct span piece = { val.s, val.s };

	for (;;) {
		if (call->take_n == ARRAY_SIZE(call->take))
			return lex_fail(&p->lex, piece.s,
					"too many takes, expected at most %u",
					(u32)ARRAY_SIZE(call->take));
		while (piece.e < val.e && *piece.e != ',')
			piece.e++;
		if (arg_take_one(p, piece, &call->take[call->take_n++]))
			return -1;
		if (piece.e == val.e)
			return 0;
		piece.s = ++piece.e;
	}
}

static int args_read_sock(struct parser *p, struct trace_call *call)
{
	struct span val;
	u64 n;

	if (arg_num(p, "count", 0, UINT32_MAX, &n))
		return -1;
	call->count = (u32)n;
	if (!word_key(p->lex.tok, "take", &val))
		return 0;
	if (arg_take(p, val, call))
		return -1;
	lex_next(&p->lex);
	return 0;
}

/* Nothing, a time, or `forever`. */
static int arg_timeout(struct parser *p, struct trace_call *call)
{
	struct lex *lx = &p->lex;

	if (lex_eol(lx) || span_is(lx->tok, "="))
		return 0;
	if (span_is(lx->tok, "forever"))
		call->timeout_ns = -1;
	else if (lex_time(lx, lx->tok, "timeout", &call->timeout_ns))
		return -1;
	lex_next(lx);
	return 0;
}

/* The bits asked for, then the timeout. */
/* [BITS] [TIME] */
static int args_poll(struct parser *p, struct trace_call *call)
{
	struct span w = p->lex.tok;

	if (w.s < w.e && *w.s >= 'A' && *w.s <= 'Z') {
		if (parse_bits(p, w, "poll bit", &poll_words, &call->flags))
			return -1;
		lex_next(&p->lex);
	}
	return arg_timeout(p, call);
}

static int args_epoll(struct parser *p, struct trace_call *call)
{
	call->edge = span_is(p->lex.tok, "et");
	if (!call->edge && !span_is(p->lex.tok, "lt"))
		return lex_fail(&p->lex, p->lex.tok.s,
				"'%s' is wrong, expected 'et' or 'lt'",
				quote(p->lex.tok).s);
	lex_next(&p->lex);
	return args_poll(p, call);
}

/* A name of the table, or LEVEL:OPT. */
static int arg_opt_name(struct parser *p, struct trace_call *call)
{
	struct span w = p->lex.tok;
	const char *colon = memchr(w.s, ':', span_len(w));
	u64 level, opt;

	if (colon) {
		if (lex_num(&p->lex, (struct span){ w.s, colon }, "level", 0,
			    INT32_MAX, &level) ||
		    lex_num(&p->lex, (struct span){ colon + 1, w.e }, "option",
			    0, INT32_MAX, &opt))
			return -1;
		call->level = (s32)level;
		call->opt = (s32)opt;
	} else {
		int i = names_find(&sockopt_words, w.s, span_len(w));
		const struct sockopt_word *words = sockopt_words.base;

		if (i < 0)
			return fail_unknown(p, w, "socket option",
					    &sockopt_words);
		call->level = words[i].level;
		call->opt = words[i].opt;
	}
	call->opt_len = -1;
	lex_next(&p->lex);
	return 0;
}

/* `key=1`, `seq=0`, ...: 1 when the word was one. */
static int arg_key(struct parser *p, struct span w, struct trace_call *call)
{
	const struct trace_word *words = cipher_words.base;
	const struct lex *lx = &p->lex;
	struct span val;
	u64 n = 0;
	int rc;

	if (word_key(w, "key", &val)) {
		rc = lex_num(lx, val, "key generation", 0, 65535, &n);
		call->key = (u32)n;
	} else if (word_key(w, "seq", &val)) {
		rc = lex_num(lx, val, "sequence number", 0, UINT64_MAX, &n);
		call->key_seq = n;
		call->key_seq_set = true;
	} else if (word_key(w, "ver", &val)) {
		rc = lex_hex(lx, val, "version", 4, &n);
		call->key_ver = (u16)n;
		if (!rc && !n)
			return lex_fail(lx, val.s,
					"version 0 is out of range, expected 1"
					" to ffff");
	} else if (word_key(w, "cid", &val)) {
		rc = lex_num(lx, val, "cipher id", 1, 65535, &n);
		call->key_cid = (u16)n;
	} else if (word_key(w, "cipher", &val)) {
		rc = names_find(&cipher_words, val.s, span_len(val));
		if (rc < 0)
			return fail_unknown(p, val, "cipher", &cipher_words);
		call->key_cipher = (u16)words[rc].val;
		rc = 0;
	} else {
		return 0;
	}
	return rc ? -1 : 1;
}

/* `len=`, `null` and, with @keys, those of arg_key(). */
static int arg_opt_words(struct parser *p, struct trace_call *call, bool keys)
{
	static const char *const key_list[] = {
		"len=", "null", "key=", "seq=", "ver=", "cid=", "cipher="
	};
	struct names known = NAMES(key_list);
	struct lex *lx = &p->lex;

	for (; !lex_eol(lx) && !span_is(lx->tok, "="); lex_next(lx)) {
		struct span w = lx->tok, val;
		int rc;
		u64 n;

		if (span_is(w, "null")) {
			call->opt_null = true;
			continue;
		}
		if (word_key(w, "len", &val)) {
			if (lex_num(lx, val, "option length", 0, OPT_LEN_MAX,
				    &n))
				return -1;
			call->opt_len = (s32)n;
			continue;
		}
		rc = keys ? arg_key(p, w, call) : 0;
		if (rc < 0)
			return -1;
		known.n = keys ? ARRAY_SIZE(key_list) : 2;
		if (!rc)
			return fail_unknown(p, w, "word", &known);
	}
	return 0;
}

static int args_setsockopt(struct parser *p, struct trace_call *call)
{
	const struct sockopt_word *so;
	enum sockopt_arg_kind arg;
	struct lex *lx = &p->lex;
	s64 max = INT32_MAX;

	if (arg_opt_name(p, call))
		return -1;
	so = sockopt_find(call->level, call->opt);
	arg = so ? so->arg : SOCKOPT_INT;
	/* The one option that looks at what lies behind its value. */
	if (so && so->level == SOL_TLS_M && so->opt == TLS_RX_EXPECT_NO_PAD)
		max = INT64_MAX;
	if (arg == SOCKOPT_INT && !span_is(lx->tok, "null")) {
		if (lex_signed(lx, lx->tok, "option value", INT32_MIN, max,
			       &call->val))
			return -1;
		lex_next(lx);
	}
	if (arg == SOCKOPT_TIME && !span_is(lx->tok, "null")) {
		if (lex_time(lx, lx->tok, "option value", &call->val))
			return -1;
		lex_next(lx);
	}
	return arg_opt_words(p, call, arg == SOCKOPT_KEYS);
}

static int args_getsockopt(struct parser *p, struct trace_call *call)
{
	if (arg_opt_name(p, call))
		return -1;
	return arg_opt_words(p, call, false);
}

/* A direction, or a number that is none. */
static int args_shutdown(struct parser *p, struct trace_call *call)
{
	struct span w = p->lex.tok;
	int how = names_find(&shut_names, w.s, span_len(w));
	u64 n;

	if (w.s < w.e && is_digit(*w.s)) {
		if (arg_num(p, "direction", M_SHUT_RDWR + 1, INT32_MAX - 1, &n))
			return -1;
		call->val = (s64)n;
		return 0;
	}
	if (how < 0)
		return fail_unknown(p, w, "direction", &shut_names);
	call->val = how;
	lex_next(&p->lex);
	return 0;
}

static int args_nonblock(struct parser *p, struct trace_call *call)
{
	bool on = false;

	if (parse_on_off(p, p->lex.tok, "nonblock", &on))
		return -1;
	call->val = on;
	lex_next(&p->lex);
	return 0;
}

/* PIPE BYTES; pread takes an inaccessible buffer, too. */
static int args_pipe(struct parser *p, struct trace_call *call, u64 max)
{
	struct span w;
	u64 n;

	if (parse_pipe_ref(p, &call->pipe))
		return -1;
	w = p->lex.tok;
	call->iov[0].bad = call->kind == CALL_PREAD && w.s < w.e && *w.s == 'b';
	w.s += call->iov[0].bad;
	if (lex_num(&p->lex, w, "length", 0, max, &n))
		return -1;
	lex_next(&p->lex);
	call->val = (s64)n;
	return 0;
}

static int args_pclose(struct parser *p, struct trace_call *call)
{
	if (parse_pipe_ref(p, &call->pipe))
		return -1;
	call->end = span_is(p->lex.tok, "wr");
	if (!call->end && !span_is(p->lex.tok, "rd"))
		return lex_fail(&p->lex, p->lex.tok.s,
				"'%s' is wrong, expected 'rd' or 'wr'",
				quote(p->lex.tok).s);
	lex_next(&p->lex);
	return 0;
}

int parse_call_args(struct parser *p, struct trace_call *call)
{
	switch (call->kind) {
	case CALL_RECVMSG:
		return arg_iov(p, call, TRACE_IOV_MAX) ?: arg_flags(p, call);
	case CALL_RECV:
		return arg_iov(p, call, 1) ?: arg_flags(p, call);
	case CALL_READ:
		return arg_iov(p, call, 1);
	case CALL_READV:
		return arg_iov(p, call, TRACE_IOV_MAX);
	case CALL_RECVMMSG:
		return args_recvmmsg(p, call);
	case CALL_SPLICE:
		return args_splice(p, call);
	case CALL_READ_SOCK:
		return args_read_sock(p, call);
	case CALL_POLL:
		return args_poll(p, call);
	case CALL_EPOLL:
		return args_epoll(p, call);
	case CALL_SETSOCKOPT:
		return args_setsockopt(p, call);
	case CALL_GETSOCKOPT:
		return args_getsockopt(p, call);
	case CALL_NONBLOCK:
		return args_nonblock(p, call);
	case CALL_SHUTDOWN:
		return args_shutdown(p, call);
	case CALL_PREAD:
	case CALL_PWRITE:
		return args_pipe(p, call, TRACE_CALL_MAX);
	case CALL_PRESIZE:
		return args_pipe(p, call, UINT32_MAX);
	case CALL_PIONREAD:
	case CALL_PPOLL:
		return parse_pipe_ref(p, &call->pipe);
	case CALL_PCLOSE:
		return args_pclose(p, call);
	case CALL_FIONREAD:
	case CALL_CLOSE:
	case CALL_DISCONNECT:
	case CALL_COUNT:
		break;
	}
	return 0;
}
