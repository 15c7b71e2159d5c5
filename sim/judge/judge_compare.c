// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the kernel answered, beside what the model says.
 * How: answers are sorted by statement; then every call is compared, field by
 * field, and what differs is printed with both results whole and the model's
 * reason.
 * Left out: whether what both say is right.
 */
#include "sim/judge/judge.h"

#include "sim/trace/trace_words.h"

/* --- reading -------------------------------------------------------------- */

static struct judge_seen *seen_at(struct judge_case *c, u32 stmt)
{
	struct judge_side *k = &c->kernel;

	if (stmt == JOB_NO_STMT && k->setup_n < 8)
		return &k->setup[k->setup_n++];
	return stmt < c->stmt_n ? &k->call[stmt] : NULL;
}

static void read_stats(struct judge_case *c, const struct job_answer *ans,
		       const u8 *data)
{
	struct judge_side *k = &c->kernel;
	s64 *stats = mem_pool_alloc_raw(c->tr.pool, ans->size + 1);

	memcpy(stats, data, ans->size);
	k->stat_n = ans->size / sizeof(*stats);
	if (ans->stmt == JOB_NO_STMT)
		k->stats = stats;
	else if (ans->stmt < c->stmt_n)
		k->stats_at[ans->stmt] = stats;
}

static void read_call(struct judge_case *c, const struct job_answer *ans,
		      const u8 *data, struct judge_seen **last)
{
	struct judge_seen *seen = seen_at(c, ans->stmt);

	*last = seen;
	if (!seen)
		return;
	seen->ans = *ans;
	seen->state = SEEN_RETURNED;
	seen->data = (const u8 *)mem_pool_strndup(
		c->tr.pool, (const char *)data, ans->size);
	seen->data_n = ans->size;
	if (ans->part_n)
		seen->part = mem_pool_alloc(c->tr.pool,
					    ans->part_n * sizeof(*seen->part));
	seen->ans.part_n = 0;
}

static void read_part(struct judge_case *c, const struct job_answer *ans,
		      const u8 *data, struct judge_seen *call)
{
	struct judge_seen *part;

	if (!call || !call->part)
		return;
	part = &call->part[call->ans.part_n++];
	part->ans = *ans;
	part->state = SEEN_RETURNED;
	part->data = (const u8 *)mem_pool_strndup(
		c->tr.pool, (const char *)data, ans->size);
	part->data_n = ans->size;
}

static void read_one(struct judge_case *c, const struct job_answer *ans,
		     const u8 *data, struct judge_seen **last)
{
	struct judge_seen *seen;

	switch ((enum job_answer_kind)ans->kind) {
	case ANS_CALL:
		read_call(c, ans, data, last);
		break;
	case ANS_PART:
		read_part(c, ans, data, *last);
		break;
	case ANS_ASLEEP:
	case ANS_BUSY:
		seen = seen_at(c, ans->stmt);
		if (seen)
			seen->state = ans->kind == ANS_BUSY ? SEEN_BUSY :
							      SEEN_ASLEEP;
		break;
	case ANS_STATS:
		read_stats(c, ans, data);
		break;
	case ANS_TROUBLE:
		c->kernel.trouble = mem_pool_strndup(
			c->tr.pool, (const char *)data, ans->size);
		break;
	case ANS_END:
		break;
	}
}

size_t judge_answers_read(struct judge_case *c, const u8 *p, size_t n)
{
	struct judge_seen *last = NULL;
	struct job_answer ans;
	size_t at = 0;

	while (n - at >= sizeof(ans)) {
		memcpy(&ans, p + at, sizeof(ans));
		at += sizeof(ans);
		if (n - at < ans.size)
			return 0;
		if (ans.kind == ANS_END)
			return ans.stmt == c->id ? at : 0;
		read_one(c, &ans, p + at, &last);
		at += ans.size;
	}
	return 0;
}

/* --- printing ------------------------------------------------------------- */

static bool is_poll(enum call_kind kind)
{
	return kind == CALL_POLL || kind == CALL_EPOLL || kind == CALL_PPOLL;
}

static void print_bytes(struct text *t, const struct judge_seen *seen)
{
	u32 i, n = min_t(u32, seen->data_n, 16);

	text_puts(t, " data=");
	for (i = 0; i < n; i++)
		text_printf(t, "%02x", seen->data[i]);
	if (seen->ans.data_len > n)
		text_puts(t, "..");
	text_printf(t, " hash=%08x", (u32)seen->ans.hash);
}

static void print_flags(struct text *t, u32 flags)
{
	static const struct {
		u32 bit;
		const char *name;
	} names[] = {
		{ M_MSG_EOR, "EOR" },
		{ M_MSG_CTRUNC, "CTRUNC" },
		{ M_MSG_TRUNC, "TRUNC" },
		{ M_MSG_OOB, "OOB" },
		{ M_MSG_PEEK, "PEEK" },
		{ M_MSG_DONTWAIT, "DONTWAIT" },
		{ M_MSG_WAITALL, "WAITALL" },
		{ M_MSG_ERRQUEUE, "ERRQUEUE" },
		{ M_MSG_CMSG_CLOEXEC, "CLOEXEC" },
	};
	const char *sep = "";
	u32 i;

	text_puts(t, " flags=");
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!(flags & names[i].bit))
			continue;
		text_printf(t, "%s%s", sep, names[i].name);
		flags &= ~names[i].bit;
		sep = "|";
	}
	if (flags || !*sep)
		text_printf(t, "%s%s%x", sep, flags ? "0x" : "", flags);
}

static void print_msg(struct text *t, const struct job_answer *ans)
{
	if (ans->cmsg_count)
		text_printf(t, " type=%u", ans->cmsg_type);
	if (ans->cmsg_count > 1)
		text_printf(t, " cmsgs=%u", ans->cmsg_count);
	if (ans->cmsg_partial)
		text_puts(t, " cmsg cut");
	if (ans->cmsg_other)
		text_puts(t, " other cmsg");
	print_flags(t, ans->msg_flags);
	text_printf(t, " ctllen=%u", ans->controllen);
}

static void print_ret(struct text *t, s64 ret)
{
	const char *name = ret < 0 ? errno_name((int)-ret) : NULL;

	if (name)
		text_puts(t, name);
	else
		text_printf(t, "%lld", (long long)ret);
}

static void print_result(struct text *t, const struct trace_call *call,
			 const struct judge_seen *seen)
{
	const struct job_answer *ans = &seen->ans;

	if (is_poll(call->kind) && ans->ret >= 0)
		log_print_mask(ans->mask, t);
	else
		print_ret(t, ans->ret);
	if (call->kind == CALL_RECVMSG && ans->ret >= 0)
		print_msg(t, ans);
	if (call->kind == CALL_GETSOCKOPT)
		text_printf(t, " outlen=%d", ans->opt_len);
	if (seen->data_n)
		print_bytes(t, seen);
	if (ans->past)
		text_printf(t, " past=%u", ans->past);
}

static void print_seen(struct text *t, const struct judge_case *c, u32 stmt,
		       const struct judge_seen *seen)
{
	const struct trace_call *call = c->tr.stmts[stmt].call;
	u32 i;

	switch (seen->state) {
	case SEEN_NOT:
		text_puts(t, "no answer");
		return;
	case SEEN_ASLEEP:
		text_puts(t, "sleeps to the end");
		return;
	case SEEN_BUSY:
		text_puts(t, "not made, the task was in its last call");
		return;
	case SEEN_RETURNED:
		break;
	}
	print_result(t, call, seen);
	for (i = 0; i < seen->ans.part_n; i++) {
		text_printf(t, " { %lld", (long long)seen->part[i].ans.ret);
		print_msg(t, &seen->part[i].ans);
		print_bytes(t, &seen->part[i]);
		text_puts(t, " }");
	}
	if (seen->ans.done == stmt)
		return;
	text_puts(t, ", after it slept until: ");
	if (c->tr.stmts[seen->ans.done].line)
		text_printf(t, "line %u: ", c->tr.stmts[seen->ans.done].line);
	trace_print_stmt(&c->tr, seen->ans.done, t);
}

/* --- comparing ------------------------------------------------------------ */

/* Bytes that can be compared one by one are named. */
static void first_difference(struct text *t, const struct judge_seen *m,
			     const struct judge_seen *k)
{
	u32 i, n = min_t(u32, m->data_n, k->data_n);

	for (i = 0; i < n && m->data[i] == k->data[i]; i++)
		;
	if (i < n)
		text_printf(t, " data(byte %u)", i);
	else
		text_puts(t, " data");
}

/* Names of the fields that differ, appended. */
static void fields(struct text *t, const struct trace_call *call,
		   const struct judge_seen *m, const struct judge_seen *k)
{
	const struct job_answer *a = &m->ans, *b = &k->ans;
	bool msg = call->kind == CALL_RECVMSG || call->kind == CALL_RECVMMSG;

	if (a->ret != b->ret) {
		text_puts(t, " ret");
		return;
	}
	if (a->done != b->done)
		text_puts(t, " when");
	if (a->mask != b->mask)
		text_puts(t, " events");
	if (msg &&
	    (a->cmsg_count != b->cmsg_count || a->cmsg_type != b->cmsg_type ||
	     a->cmsg_partial != b->cmsg_partial || b->cmsg_other))
		text_puts(t, " type");
	if (msg && a->msg_flags != b->msg_flags)
		text_puts(t, " flags");
	if (msg && a->controllen != b->controllen)
		text_puts(t, " ctllen");
	if (a->data_len != b->data_len ||
	    ((a->data_len || call->kind == CALL_GETSOCKOPT) &&
	     a->hash != b->hash))
		first_difference(t, m, k);
	if (a->past != b->past)
		text_puts(t, " past");
	if (call->kind == CALL_GETSOCKOPT && !a->ret &&
	    a->opt_len != b->opt_len)
		text_puts(t, " outlen");
}

static void differences(struct text *t, const struct trace_call *call,
			const struct judge_seen *m, const struct judge_seen *k)
{
	u32 i;

	if (m->state != k->state) {
		text_puts(t, m->state == SEEN_RETURNED &&
					     k->state == SEEN_RETURNED ?
				     "" :
				     " sleeps");
		return;
	}
	if (m->state != SEEN_RETURNED)
		return;
	fields(t, call, m, k);
	if (m->ans.part_n != k->ans.part_n) {
		text_puts(t, " messages");
		return;
	}
	for (i = 0; i < m->ans.part_n; i++)
		fields(t, call, &m->part[i], &k->part[i]);
}

static u32 compare_call(struct judge_case *c, u32 stmt, const char *kernel,
			struct text *out)
{
	const struct judge_seen *m = &c->model.call[stmt];
	const struct judge_seen *k = &c->kernel.call[stmt];
	const struct trace_stmt *st = &c->tr.stmts[stmt];
	struct text what = { 0 };

	differences(&what, st->call, m, k);
	if (!what.len)
		return 0;
	text_puts(out, c->name);
	if (st->line)
		text_printf(out, ":%u", st->line);
	text_printf(out, ": %s ", c->tr.tasks[st->task]);
	trace_print_call(&c->tr, st->call, out);
	text_printf(out, ": differs in%s\n    model:  ", what.buf);
	print_seen(out, c, stmt, m);
	if (m->state == SEEN_RETURNED)
		text_printf(out, " (%s: %s)", m_reason_name[m->reason],
			    m_reason_text[m->reason]);
	text_printf(out, "\n    %s: ", kernel);
	print_seen(out, c, stmt, k);
	text_putc(out, '\n');
	text_free(&what);
	return 1;
}

static u32 compare_setup(struct judge_case *c, const char *kernel,
			 struct text *out)
{
	struct trace_call calls[8];
	u32 i, n = judge_setup_calls(&c->tr.opts, calls), bad = 0;
	s64 m, k;

	for (i = 0; i < n; i++) {
		m = c->model.setup[i].ans.ret;
		k = c->kernel.setup[i].ans.ret;
		if (m == k)
			continue;
		text_printf(out, "%s: in front of the trace, ", c->name);
		trace_print_call(&c->tr, &calls[i], out);
		text_puts(out, ": model ");
		print_ret(out, m);
		text_printf(out, ", %s ", kernel);
		print_ret(out, k);
		text_putc(out, '\n');
		bad++;
	}
	return bad;
}

/* Sockets of the trace in front may still be on their way out. */
static bool comparable(u32 mib)
{
	return strncmp(m_mib_name[mib], "TlsCurr", 7) != 0;
}

static u32 compare_stats(struct judge_case *c, const char *kernel,
			 const char *where, const s64 *m, const s64 *k,
			 struct text *out)
{
	u32 i, bad = 0;

	if (!m || !k)
		return 0;
	for (i = 0; i < M_MIB_COUNT && i < c->kernel.stat_n; i++) {
		if (m[i] == k[i] || !comparable(i))
			continue;
		text_printf(out, "%s: %s: counter %s: model %lld, %s %lld\n",
			    c->name, where, m_mib_name[i], (long long)m[i],
			    kernel, (long long)k[i]);
		bad++;
	}
	return bad;
}

u32 judge_compare(struct judge_case *c, const char *kernel, struct text *out)
{
	u32 i, bad = compare_setup(c, kernel, out);
	char where[32];

	for (i = 0; i < c->stmt_n; i++) {
		if (c->tr.stmts[i].kind == ST_CALL)
			bad += compare_call(c, i, kernel, out);
		if (!c->expect[i])
			continue;
		snprintf(where, sizeof(where), "line %u", c->tr.stmts[i].line);
		bad += compare_stats(c, kernel, where, c->model.stats_at[i],
				     c->kernel.stats_at[i], out);
	}
	bad += compare_stats(c, kernel, "at the end", c->model.stats,
			     c->kernel.stats, out);
	return bad;
}

void judge_answers(const struct judge_case *c, const char *version,
		   struct text *out)
{
	const struct trace_stmt *st;
	u32 i;

	for (i = 0; i < c->stmt_n; i++) {
		st = &c->tr.stmts[i];
		if (st->kind != ST_CALL)
			continue;
		text_printf(out, "%s:%u: %s: %s ", c->name, st->line, version,
			    c->tr.tasks[st->task]);
		trace_print_call(&c->tr, st->call, out);
		text_puts(out, " = ");
		print_seen(out, c, i, &c->kernel.call[i]);
		text_putc(out, '\n');
	}
}
