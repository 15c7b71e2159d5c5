// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls and results as canonical text.
 *
 * Arguments and attributes come in a fixed order and only where they differ
 * from what the parser assumes without them.
 *
 * Left out: the statement around them (trace_print.c).
 */
#include "sim/trace/trace_print.h"

#define CTL_DEFAULT 64u

static void print_iov(const struct trace_call *call, struct text *out)
{
	if (!call->iov_n)
		text_putc(out, '0');
	for (u32 i = 0; i < call->iov_n; i++)
		text_printf(out, "%s%s%u", i ? "+" : "",
			    call->iov[i].bad ? "b" : "", call->iov[i].len);
}

static void print_flags(u32 flags, const struct names *names, struct text *out)
{
	const struct trace_word *words = names->base;

	for (u32 i = 0; i < names->n; i++) {
		if (flags & words[i].val)
			text_printf(out, " %s", words[i].name);
	}
}

/* Bits joined by '|', or `none`. */
static void print_bits(u32 bits, const struct names *names, struct text *out)
{
	const struct trace_word *words = names->base;
	const char *sep = "";

	for (u32 i = 0; i < names->n; i++) {
		if (!(bits & words[i].val))
			continue;
		text_printf(out, "%s%s", sep, words[i].name);
		sep = "|";
	}
	if (!*sep)
		text_puts(out, "none");
}

static void print_recv(const struct trace_call *call, struct text *out)
{
	if (call->kind == CALL_RECVMMSG)
		text_printf(out, "%u ", call->count);
	print_iov(call, out);
	print_flags(call->flags, &msg_flag_words, out);
	if (call->kind != CALL_RECV && call->ctl != CTL_DEFAULT)
		text_printf(out, " ctl=%u", call->ctl);
}

/* A negative errno as `-EAGAIN`. */
static void print_take(const struct trace_call *call, struct text *out)
{
	for (u32 i = 0; i < call->take_n; i++) {
		s32 take = call->take[i];

		text_puts(out, i ? "," : " take=");
		if (take < 0)
			text_printf(out, "-%s", errno_name(-take) ?: "EIO");
		else
			text_printf(out, "%d", take);
	}
}

static void print_timeout(const struct trace_call *call, struct text *out)
{
	if (call->timeout_ns < 0) {
		text_puts(out, " forever");
	} else if (call->timeout_ns) {
		text_putc(out, ' ');
		print_time(out, call->timeout_ns);
	}
}

static void print_opt_name(const struct trace_call *call, struct text *out)
{
	const struct sockopt_word *so = sockopt_find(call->level, call->opt);

	if (so)
		text_puts(out, so->name);
	else
		text_printf(out, "%d:%d", call->level, call->opt);
}

static void print_keys(const struct trace_call *call, struct text *out)
{
	if (call->key)
		text_printf(out, " key=%u", call->key);
	if (call->key_seq_set) {
		text_puts(out, " seq=");
		print_seq(out, call->key_seq);
	}
	if (call->key_cipher)
		text_printf(out, " cipher=%s",
			    word_name(&cipher_words, call->key_cipher));
	if (call->key_ver)
		text_printf(out, " ver=%04x", call->key_ver);
	if (call->key_cid)
		text_printf(out, " cid=%u", call->key_cid);
}

static void print_setsockopt(const struct trace_call *call, struct text *out)
{
	const struct sockopt_word *so = sockopt_find(call->level, call->opt);

	switch (so ? so->arg : SOCKOPT_INT) {
	case SOCKOPT_INT:
		if (!call->opt_null)
			text_printf(out, " %lld", (long long)call->val);
		break;
	case SOCKOPT_TIME:
		if (!call->opt_null) {
			text_putc(out, ' ');
			print_time(out, call->val);
		}
		break;
	case SOCKOPT_KEYS:
		print_keys(call, out);
		break;
	case SOCKOPT_NAME:
		break;
	}
}

static void print_opt_tail(const struct trace_call *call, struct text *out)
{
	if (call->opt_len >= 0)
		text_printf(out, " len=%d", call->opt_len);
	if (call->opt_null)
		text_puts(out, " null");
}

/* [BITS] [TIME] */
static void print_poll(const struct trace_call *call, struct text *out)
{
	if (call->flags) {
		text_putc(out, ' ');
		print_bits(call->flags, &poll_words, out);
	}
	print_timeout(call, out);
}

static void print_args(const struct trace *tr, const struct trace_call *call,
		       struct text *out)
{
	switch (call->kind) {
	case CALL_RECVMSG:
	case CALL_RECV:
	case CALL_RECVMMSG:
		print_recv(call, out);
		break;
	case CALL_READ:
	case CALL_READV:
		print_iov(call, out);
		break;
	case CALL_SPLICE:
		text_printf(out, "%s %u", tr->pipes[call->pipe].name,
			    call->iov[0].len);
		print_flags(call->flags, &splice_flag_words, out);
		break;
	case CALL_READ_SOCK:
		text_printf(out, "%u", call->count);
		print_take(call, out);
		break;
	case CALL_EPOLL:
		text_puts(out, call->edge ? "et" : "lt");
		print_poll(call, out);
		break;
	case CALL_SETSOCKOPT:
		print_opt_name(call, out);
		print_setsockopt(call, out);
		print_opt_tail(call, out);
		break;
	case CALL_GETSOCKOPT:
		print_opt_name(call, out);
		print_opt_tail(call, out);
		break;
	case CALL_NONBLOCK:
		text_puts(out, call->val ? "on" : "off");
		break;
	case CALL_SHUTDOWN:
		if (call->val > M_SHUT_RDWR)
			text_printf(out, "%lld", (long long)call->val);
		else
			text_puts(out, names_at(&shut_names, (u32)call->val));
		break;
	case CALL_PREAD:
	case CALL_PWRITE:
	case CALL_PRESIZE:
		text_printf(out, "%s %s%lld", tr->pipes[call->pipe].name,
			    call->iov[0].bad ? "b" : "", (long long)call->val);
		break;
	case CALL_PIONREAD:
	case CALL_PPOLL:
		text_puts(out, tr->pipes[call->pipe].name);
		break;
	case CALL_PCLOSE:
		text_printf(out, "%s %s", tr->pipes[call->pipe].name,
			    call->end ? "wr" : "rd");
		break;
	case CALL_POLL:
	case CALL_FIONREAD:
	case CALL_CLOSE:
	case CALL_DISCONNECT:
	case CALL_COUNT:
		break;
	}
}

void trace_print_call(const struct trace *tr, const struct trace_call *call,
		      struct text *out)
{
	text_puts(out, call_name[call->kind]);
	if (call->kind == CALL_POLL) {
		print_poll(call, out);
		return;
	}
	if (call->kind == CALL_FIONREAD || call->kind == CALL_CLOSE ||
	    call->kind == CALL_DISCONNECT)
		return;
	text_putc(out, ' ');
	print_args(tr, call, out);
}

static void print_data(const struct trace *tr, const struct trace_data *data,
		       struct text *out)
{
	switch (data->kind) {
	case DATA_RANGE:
		trace_print_range(tr, &data->range, out);
		break;
	case DATA_STREAM:
		text_printf(out, "stream[%u,%u)", data->range.from,
			    data->range.to);
		break;
	case DATA_FILL:
		text_printf(out, "%02x*%u", data->fill, data->fill_n);
		break;
	}
}

/* The returned value; nothing when other words say enough. */
static const char *print_ret(const struct trace_result *res, struct text *out)
{
	const char *name = NULL;

	if (res->what & EXP_MASK) {
		print_bits(res->mask, &poll_words, out);
		return " ";
	}
	if (!(res->what & EXP_RET)) {
		if (res->what & (EXP_HEX | EXP_VALUE))
			return "";
		text_puts(out, "any");
		return " ";
	}
	if (res->ret < 0)
		name = errno_name((int)-res->ret);
	if (name)
		text_puts(out, name);
	else
		text_printf(out, "%lld", (long long)res->ret);
	return " ";
}

static void print_type(const struct trace_result *res, struct text *out)
{
	const char *name = rec_type_name(res->type);

	if (res->what & EXP_NOTYPE)
		text_puts(out, " notype");
	if (!(res->what & EXP_TYPE))
		return;
	if (name)
		text_printf(out, " %s", name);
	else
		text_printf(out, " type %u", res->type);
}

/* The option value read; @sep in front of the first word. */
static void print_option(const struct trace_call *call,
			 const struct trace_result *res, const char *sep,
			 struct text *out)
{
	bool so_error = call && call->level == SOL_SOCKET_M &&
			call->opt == SO_ERROR_M;
	const char *name = NULL;

	if (so_error && res->value > 0 && res->value < 4096)
		name = errno_name((int)res->value);
	if (res->what & EXP_VALUE) {
		if (name)
			text_printf(out, "%serr=%s", sep, name);
		else if (so_error && !res->value)
			text_printf(out, "%serr=0", sep);
		else
			text_printf(out, "%svalue=%lld", sep,
				    (long long)res->value);
		sep = " ";
	}
	if (res->what & EXP_HEX) {
		text_printf(out, "%shex ", sep);
		print_hex(out, res->hex, res->hex_n);
		sep = " ";
	}
	if (res->what & EXP_OUTLEN)
		text_printf(out, "%soutlen=%d", sep, res->outlen);
}

static void print_attributes(const struct trace_result *res, struct text *out)
{
	if (res->what & EXP_FLAGS && res->flags == M_MSG_EOR) {
		text_puts(out, " eor");
	} else if (res->what & EXP_FLAGS) {
		text_puts(out, " flags=");
		print_bits(res->flags, &out_flag_words, out);
	}
	if (res->what & EXP_PAST)
		text_printf(out, " past=%u", res->past);
	if (res->what & EXP_CTLLEN)
		text_printf(out, " ctllen=%u", res->ctllen);
	if (res->what & EXP_REASON)
		text_printf(out, " why=%s", m_reason_name[res->reason]);
}

static void print_one_result(const struct trace *tr,
			     const struct trace_call *call,
			     const struct trace_result *res, struct text *out)
{
	const char *sep = print_ret(res, out);

	print_type(res, out);
	if (res->what & EXP_DATA) {
		for (u32 i = 0; i < res->data_n; i++) {
			text_putc(out, ' ');
			print_data(tr, &res->data[i], out);
		}
	}
	print_option(call, res, sep, out);
	print_attributes(res, out);
}

void trace_print_result(const struct trace *tr, const struct trace_call *call,
			const struct trace_result *res, struct text *out)
{
	if (res->what & EXP_BLOCKS) {
		text_puts(out, "blocks");
		return;
	}
	print_one_result(tr, call, res, out);
	if (!(res->what & EXP_MSGS))
		return;
	for (u32 i = 0; i < res->msg_n; i++) {
		text_puts(out, " { ");
		print_one_result(tr, call, &res->msgs[i], out);
		text_puts(out, " }");
	}
}
