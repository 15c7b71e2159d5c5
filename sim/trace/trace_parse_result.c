// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parser: what a call must return.
 *
 * A result is the returned value (number, errno, poll bits, `any`, `blocks`),
 * then in any order the record type, pieces of data, and NAME=VALUE. The call
 * decides which words make sense.
 *
 * Left out: comparing (expect.c).
 */
#include "sim/trace/trace_parse.h"

static bool is_poll(const struct trace_call *call)
{
	return call->kind == CALL_POLL || call->kind == CALL_EPOLL ||
	       call->kind == CALL_PPOLL;
}

/* What can be stated about a call, EXP_* bits. */
static u32 stateable(const struct trace_call *call)
{
	const u32 always = EXP_RET | EXP_REASON;

	switch (call->kind) {
	case CALL_RECVMSG:
	case CALL_RECV:
	case CALL_READ:
	case CALL_READV:
	case CALL_RECVMMSG:
		return always | EXP_TYPE | EXP_NOTYPE | EXP_DATA | EXP_FLAGS |
		       EXP_PAST | EXP_CTLLEN;
	case CALL_SPLICE:
	case CALL_READ_SOCK:
	case CALL_PREAD:
		return always | EXP_DATA;
	case CALL_POLL:
	case CALL_EPOLL:
	case CALL_PPOLL:
		return always | EXP_MASK;
	case CALL_GETSOCKOPT:
		return always | EXP_HEX | EXP_VALUE | EXP_OUTLEN;
	default:
		return always;
	}
}

int parse_bits(struct parser *p, struct span w, const char *what,
	       const struct names *names, u32 *bits)
{
	const struct trace_word *words = names->base;
	struct span piece = { w.s, w.s };

	*bits = 0;
	if (span_is(w, "none"))
		return 0;
	for (;;) {
		int i;

		while (piece.e < w.e && *piece.e != '|')
			piece.e++;
		i = names_find(names, piece.s, span_len(piece));
		if (i < 0)
			return fail_unknown(p, piece, what, names);
		*bits |= words[i].val;
		if (piece.e == w.e)
			return 0;
		piece.s = ++piece.e;
	}
}

/* The first word: 1 when it was used, 0 when the rest must explain it. */
static int parse_ret(struct parser *p, const struct trace_call *call,
		     struct trace_result *res)
{
	struct span w = p->lex.tok;
	int err = errno_value(w.s, span_len(w));

	if (lex_eol(&p->lex))
		return lex_fail(
			&p->lex, w.s,
			"result is missing, expected a number, an errno,"
			" 'any' or 'blocks'");
	if (span_is(w, "any"))
		return 1;
	if (err) {
		res->what = EXP_RET;
		res->ret = -err;
		return 1;
	}
	if (is_poll(call)) {
		res->what = EXP_MASK;
		return parse_bits(p, w, "poll bit", &poll_words, &res->mask) ?:
									       1;
	}
	if (is_digit(*w.s) || *w.s == '-') {
		res->what = EXP_RET;
		return lex_signed(&p->lex, w, "result", -4095, INT32_MAX, &res->ret) ?:
			       1;
	}
	if (call->kind == CALL_GETSOCKOPT)
		return 0;
	if (*w.s == 'E' && span_len(w) > 2)
		return fail_unknown(p, w, "errno", &errno_words);
	return lex_fail(&p->lex, w.s,
			"result '%s' is wrong, expected a number, an errno,"
			" 'any' or 'blocks'",
			quote(w).s);
}

/* `data`, `alert`, `type 99`, `notype`: 1 when the word was one. */
static int parse_type(struct parser *p, struct span w, struct trace_result *res)
{
	const struct trace_word *types = type_words.base;
	int i = names_find(&type_words, w.s, span_len(w));
	u64 n;

	if (span_is(w, "notype")) {
		res->what |= EXP_NOTYPE;
	} else if (i >= 0) {
		res->what |= EXP_TYPE;
		res->type = (u8)types[i].val;
	} else if (span_is(w, "type")) {
		lex_next(&p->lex);
		if (lex_num(&p->lex, p->lex.tok, "record type", 0, 255, &n))
			return -1;
		res->what |= EXP_TYPE;
		res->type = (u8)n;
	} else {
		return 0;
	}
	if ((res->what & (EXP_TYPE | EXP_NOTYPE)) == (EXP_TYPE | EXP_NOTYPE))
		return lex_fail(&p->lex, w.s,
				"'%s' contradicts the type in front of it",
				quote(w).s);
	return 1;
}

/* `err=ECONNRESET`, for so_error; `err=0`. */
static int parse_err_value(struct parser *p, struct span val,
			   struct trace_result *res)
{
	res->value = errno_value(val.s, span_len(val));
	if (!res->value && !span_is(val, "0"))
		return fail_unknown(p, val, "errno", &errno_words);
	return 0;
}

static int parse_reason(struct parser *p, struct span val,
			struct trace_result *res)
{
	int i = names_find(&reason_names, val.s, span_len(val));

	if (i < 0)
		return fail_unknown(p, val, "reason", &reason_names);
	res->reason = (enum m_reason)i;
	return 0;
}

/* NAME=VALUE: the bit of EXP_* that it states, 0 when it is none. */
static int parse_key_value(struct parser *p, struct span w,
			   struct trace_result *res)
{
	const struct lex *lx = &p->lex;
	struct span val;
	u64 n = 0;
	s64 d = 0;
	int rc;

	if (word_key(w, "flags", &val)) {
		rc = parse_bits(p, val, "flag", &out_flag_words, &res->flags);
		return rc ?: EXP_FLAGS;
	}
	if (word_key(w, "why", &val))
		return parse_reason(p, val, res) ?: EXP_REASON;
	if (word_key(w, "past", &val)) {
		rc = lex_num(lx, val, "distance", 0, UINT32_MAX, &n);
		res->past = (u32)n;
		return rc ?: EXP_PAST;
	}
	if (word_key(w, "ctllen", &val)) {
		rc = lex_num(lx, val, "control length", 0, UINT32_MAX, &n);
		res->ctllen = (u32)n;
		return rc ?: EXP_CTLLEN;
	}
	if (word_key(w, "outlen", &val)) {
		rc = lex_signed(lx, val, "option length", 0, INT32_MAX, &d);
		res->outlen = (s32)d;
		return rc ?: EXP_OUTLEN;
	}
	if (word_key(w, "value", &val)) {
		rc = lex_signed(lx, val, "option value", INT64_MIN, INT64_MAX,
				&res->value);
		return rc ?: EXP_VALUE;
	}
	if (word_key(w, "err", &val))
		return parse_err_value(p, val, res) ?: EXP_VALUE;
	return 0;
}

/* A word of the result that is neither type nor data: 1 when it was one. */
static int parse_attribute(struct parser *p, struct span w,
			   struct trace_result *res)
{
	int bit;

	if (span_is(w, "eor")) {
		res->flags = M_MSG_EOR;
		bit = EXP_FLAGS;
	} else if (span_is(w, "hex")) {
		lex_next(&p->lex);
		if (parse_bytes(p, p->lex.tok, "option value", &res->hex,
				&res->hex_n))
			return -1;
		bit = EXP_HEX;
	} else {
		bit = parse_key_value(p, w, res);
	}
	if (bit <= 0)
		return bit;
	if (res->what & (u32)bit)
		return lex_fail(&p->lex, w.s, "'%s' is stated twice",
				quote(w).s);
	res->what |= (u32)bit;
	return 1;
}

/* Can it only be data? A plain name is, unless it resembles another word. */
static bool looks_like_data(const struct parser *p, struct span w)
{
	struct span name = { w.s, w.s };

	if (span_len(w) > 3 && w.s[2] == '*')
		return true;
	while (name.e < w.e && is_name_char(*name.e))
		name.e++;
	if (span_is(name, "stream") || find_record(p, name) >= 0)
		return true;
	if (name.e < w.e)
		return *name.e == '[' || *name.e == '.';
	return is_name_start(*w.s) &&
	       !names_nearest(&result_words, w.s, span_len(w));
}

static int parse_result_word(struct parser *p, const struct trace_call *call,
			     struct trace_result *res, struct trace_data **data)
{
	struct span w = p->lex.tok;
	int rc = parse_type(p, w, res);

	if (!rc)
		rc = parse_attribute(p, w, res);
	if (rc < 0)
		return -1;
	if (!rc) {
		if (!looks_like_data(p, w))
			return fail_unknown(p, w, "word", &result_words);
		if (parse_data(p, w, pool_push(p->pool, *data, res->data_n)))
			return -1;
		res->what |= EXP_DATA;
	}
	if (res->what & ~stateable(call))
		return lex_fail(&p->lex, w.s, "'%s' cannot be stated about %s",
				quote(w).s, call_name[call->kind]);
	lex_next(&p->lex);
	return 0;
}

/* Up to the end of the line or a brace. */
static int parse_result_words(struct parser *p, const struct trace_call *call,
			      struct trace_result *res)
{
	struct trace_data *data = NULL;
	struct lex *lx = &p->lex;
	int rc = parse_ret(p, call, res);

	if (rc < 0)
		return -1;
	if (rc)
		lex_next(lx);
	while (!lex_eol(lx) && !span_is(lx->tok, "{") &&
	       !span_is(lx->tok, "}")) {
		if (parse_result_word(p, call, res, &data))
			return -1;
	}
	res->data = data;
	return 0;
}

/* `{ 10 data A eor }`, one a message. */
static int parse_msgs(struct parser *p, const struct trace_call *call,
		      struct trace_result *res)
{
	struct trace_result *msgs = NULL;
	struct lex *lx = &p->lex;

	while (span_is(lx->tok, "{")) {
		if (call->kind != CALL_RECVMMSG)
			return lex_fail(lx, lx->tok.s,
					"'{' is for the messages of recvmmsg"
					" only");
		if (res->msg_n == TRACE_MSGS_MAX)
			return lex_fail(lx, lx->tok.s,
					"too many messages, expected at most"
					" %u",
					TRACE_MSGS_MAX);
		lex_next(lx);
		if (parse_result_words(p, call,
				       pool_push(p->pool, msgs, res->msg_n)) ||
		    parse_word(p, "}"))
			return -1;
		res->what |= EXP_MSGS;
	}
	res->msgs = msgs;
	return 0;
}

int parse_result(struct parser *p, const struct trace_call *call,
		 struct trace_result *res, bool returns)
{
	struct lex *lx = &p->lex;

	if (span_is(lx->tok, "blocks")) {
		if (returns)
			return lex_fail(lx, lx->tok.s,
					"a call that returns cannot block,"
					" expected its result");
		res->what = EXP_BLOCKS;
		lex_next(lx);
		return 0;
	}
	return parse_result_words(p, call, res) ?: parse_msgs(p, call, res);
}
