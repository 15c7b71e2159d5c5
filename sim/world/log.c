// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The event log: text and hash of it.
 * How: an event's format comes from model/events.def; words in braces stand for
 * names of the lists. The hash covers every field of every event.
 * Left out: storing events, that is event.c.
 */
#include "sim/world/log.h"

#include "model/wait.h"
#include "sim/world/world.h"

#define FNV64_INIT 0xcbf29ce484222325ull
#define FNV64_PRIME 0x100000001b3ull

static void print_errno(struct text *out, s64 v)
{
	const char *name = v < 0 ? errno_name((int)-v) : NULL;

	if (name)
		text_printf(out, "%s", name);
	else
		text_printf(out, "%lld", (long long)v);
}

static void print_type(struct text *out, s64 v)
{
	const char *name = v >= 0 && v <= 255 ? rec_type_name((u8)v) : NULL;

	if (name)
		text_printf(out, "%s", name);
	else
		text_printf(out, "%lld", (long long)v);
}

void log_print_mask(u32 mask, struct text *out)
{
	static const struct {
		u32 bit;
		const char *name;
	} bits[] = {
		{ M_POLLIN, "IN" },	    { M_POLLPRI, "PRI" },
		{ M_POLLOUT, "OUT" },	    { M_POLLERR, "ERR" },
		{ M_POLLHUP, "HUP" },	    { M_POLLRDHUP, "RDHUP" },
		{ M_POLLRDNORM, "RDNORM" }, { M_POLLRDBAND, "RDBAND" },
		{ M_POLLWRNORM, "WRNORM" }, { M_POLLWRBAND, "WRBAND" },
	};
	const char *sep = "";
	u32 i;

	if (!mask)
		text_printf(out, "none");
	for (i = 0; i < ARRAY_SIZE(bits); i++) {
		if (!(mask & bits[i].bit))
			continue;
		text_printf(out, "%s%s", sep, bits[i].name);
		sep = "|";
	}
}

static void print_name(struct text *out, const char *const *names, u32 n, s64 v)
{
	if (v >= 0 && v < n && names[v])
		text_printf(out, "%s", names[v]);
	else
		text_printf(out, "%lld", (long long)v);
}

/* Prints @v as the word between braces at @w says; length of the word. */
static size_t print_word(struct text *out, const char *w, s64 v)
{
	size_t len = strcspn(w, "}") + 1;

	if (!strncmp(w, "{errno}", len))
		print_errno(out, v);
	else if (!strncmp(w, "{type}", len))
		print_type(out, v);
	else if (!strncmp(w, "{mask}", len))
		log_print_mask((u32)v, out);
	else if (!strncmp(w, "{reason}", len))
		print_name(out, m_reason_name, M_REASON_COUNT, v);
	else if (!strncmp(w, "{point}", len))
		print_name(out, m_point_name, M_POINT_COUNT, v);
	else if (!strncmp(w, "{site}", len))
		print_name(out, m_site_name, M_SITE_COUNT, v);
	else if (!strncmp(w, "{mib}", len))
		print_name(out, m_mib_name, M_MIB_COUNT, v);
	else if (!strncmp(w, "{sleep}", len))
		print_name(out, m_sleep_name, M_SLEEP_COUNT, v);
	else if (!strncmp(w, "{call}", len))
		print_name(out, call_name, CALL_COUNT, v);
	return len;
}

static s64 nth_arg(const struct sim_event *e, u32 n)
{
	if (!n)
		return e->a;
	return n == 1 ? e->b : e->c;
}

/* %lld and {word} print an argument, %.0lld skips one. */
static void print_args(struct text *out, const char *fmt,
		       const struct sim_event *e)
{
	u32 n = 0;

	while (*fmt) {
		if (!strncmp(fmt, "%lld", 4)) {
			text_printf(out, "%lld", (long long)nth_arg(e, n++));
			fmt += 4;
		} else if (!strncmp(fmt, "%.0lld", 6)) {
			n++;
			fmt += 6;
		} else if (*fmt == '{') {
			fmt += print_word(out, fmt, nth_arg(e, n++));
		} else {
			text_printf(out, "%c", *fmt++);
		}
	}
}

static void print_time(struct text *out, s64 t_ns)
{
	text_printf(out, "%6lld.%06lldms", (long long)(t_ns / 1000000),
		    (long long)(t_ns % 1000000));
}

static void print_stmt(const struct sim *s, const struct sim_event *e,
		       struct text *out)
{
	const struct trace_stmt *st = &s->tr->stmts[e->a];

	text_printf(out, "  line %-4u ", st->line);
	trace_print_stmt(s->tr, (u32)e->a, out);
	text_printf(out, "\n");
}

static void print_event(const struct sim *s, const struct sim_event *e,
			struct text *out)
{
	print_time(out, e->t_ns);
	if (e->kind == EV_STMT) {
		print_stmt(s, e, out);
		return;
	}
	text_printf(out, "  %-8s%-14s",
		    e->softirq ? "softirq" : sim_task_name(s, e->task),
		    m_event_name[e->kind]);
	print_args(out, m_event_fmt[e->kind], e);
	text_printf(out, "\n");
}

void log_print(const struct sim *s, u32 from, u32 to, struct text *out)
{
	u32 i;

	for (i = from; i < to && i < s->event_n; i++)
		print_event(s, &s->events[i], out);
}

static u64 hash_u64(u64 h, u64 v)
{
	int i;

	for (i = 0; i < 8; i++) {
		h = (h ^ (v & 0xff)) * FNV64_PRIME;
		v >>= 8;
	}
	return h;
}

u64 log_hash(const struct sim *s)
{
	const struct sim_event *e;
	u64 h = FNV64_INIT;
	u32 i;

	for (i = 0; i < s->event_n; i++) {
		e = &s->events[i];
		h = hash_u64(h, (u64)e->t_ns);
		h = hash_u64(h, (u64)e->kind << 48 | (u64)e->task << 32 |
					e->softirq);
		h = hash_u64(h, (u64)e->a);
		h = hash_u64(h, (u64)e->b);
		h = hash_u64(h, (u64)e->c);
	}
	return h;
}
