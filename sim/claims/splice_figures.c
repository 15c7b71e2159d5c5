// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The figures of the splice coalescing patch: calls for each MiB, and what one
 * call does.
 * How: a stream is drained through an empty pipe, see sim/bench/splice_drain.c;
 * all figures are counts, the same in every run.
 * Left out: time. Where the text gives a throughput, what a call would have to
 * cost is worked out from the counts.
 */
#include "sim/bench/splice_drain.h"
#include "sim/claims/claims.h"

#define RECORD 16384u
#define KIB 1024u
#define SIZES 5u /* of pipes: 64 KiB, doubled */

/* The text's figures: calls/MiB behind, GiB/s before and behind, in tenths. */
#define TOLD_CALLS 12u
#define TOLD_BEFORE 22u
#define TOLD_AFTER 28u
/* Hundredths of a nanosecond that a MiB takes at a tenth of a GiB/s. */
#define MIB_AT_TENTH 976562500ull

static u64 rate(struct claims *c, const struct profile *p, u32 pipe,
		struct splice_drain d)
{
	d.profile = p;
	d.pipe_bytes = pipe;
	d.rec_len = RECORD;
	d.recs = 64;
	splice_drain_run(c->s, &d);
	return splice_drain_rate(&d);
}

static void size_heads(struct claims *c, const char *what)
{
	claim_say(c, "%-28s 64     128     256     512    1024 KiB pipe", what);
}

/* One row of rates over sizes of pipes; how many are not @want. */
static u32 rate_row(struct claims *c, const struct profile *p, const char *what,
		    struct splice_drain d, u64 want)
{
	u64 r[SIZES];
	u32 i, other = 0;

	for (i = 0; i < SIZES; i++) {
		r[i] = rate(c, p, 64 * KIB << i, d);
		other += r[i] != want;
	}
	claim_say(c, "%-25s %4u.%02u %4u.%02u %4u.%02u %4u.%02u %4u.%02u", what,
		  (u32)r[0] / 100, (u32)r[0] % 100, (u32)r[1] / 100,
		  (u32)r[1] % 100, (u32)r[2] / 100, (u32)r[2] % 100,
		  (u32)r[3] / 100, (u32)r[3] % 100, (u32)r[4] / 100,
		  (u32)r[4] % 100);
	return other;
}

enum claim_verdict claim_one_call_a_record(struct claims *c)
{
	const struct splice_drain large = { 0 }, single = { .single_pages = 1 };
	u32 i, pipe, other = 0;
	u64 a, b;

	claim_say(c, "calls/MiB of 16 KiB records on %s:", c->base->name);
	size_heads(c, "");
	other += rate_row(c, c->base, "large pages", large, 6400);
	other += rate_row(c, c->base, "single pages", single, 6400);
	for (i = 1; i <= 4; i *= 2) {
		pipe = i * 8 * KIB;
		a = rate(c, c->base, pipe, large);
		b = rate(c, c->base, pipe, single);
		other += (a != 6400) + (b != 6400);
		claim_say(c,
			  "pipe of %2u KiB: %u.%02u with large pages, "
			  "%u.%02u with single ones",
			  pipe / KIB, (u32)a / 100, (u32)a % 100, (u32)b / 100,
			  (u32)b % 100);
	}
	return other ? CLAIM_DEPENDS : CLAIM_HOLDS;
}

/* Records decrypted with the pipe's mutex held, which nothing interrupts. */
enum claim_verdict claim_mutex_held(struct claims *c)
{
	struct splice_drain d = { .rec_len = RECORD, .recs = 64 };
	u64 old, most = 0;
	u32 pipe;

	for (pipe = 64 * KIB; pipe <= 1024 * KIB; pipe *= 4) {
		d.pipe_bytes = pipe;
		d.profile = c->base;
		splice_drain_run(c->s, &d);
		old = d.per_call;
		d.profile = c->trial;
		splice_drain_run(c->s, &d);
		most = max_t(u64, most, d.per_call);
		claim_say(c,
			  "pipe of %4u KiB: its mutex is held for the "
			  "decryption of %u record, now of %2u",
			  pipe / KIB, (u32)old, (u32)d.per_call);
	}
	return most > 1 ? CLAIM_DEPENDS : CLAIM_HOLDS;
}

enum claim_verdict claim_backlog_flushed(struct claims *c)
{
	struct splice_drain d = { .profile = c->trial,
				  .rec_len = RECORD,
				  .recs = 256 };
	u32 pipe, never = 0;

	claim_say(c, "4 MiB are queued; looks at the backlog between records:");
	for (pipe = 64 * KIB; pipe <= 1024 * KIB; pipe *= 2) {
		d.pipe_bytes = pipe;
		splice_drain_run(c->s, &d);
		claim_say(c,
			  "pipe of %4u KiB: %3u in %3u calls, up to %2u "
			  "records a call",
			  pipe / KIB, (u32)d.flushes, (u32)d.calls,
			  (u32)d.per_call);
		/* the last record of all is looked behind on any kernel */
		never += d.flushes <= 1;
	}
	return never ? CLAIM_DEPENDS : CLAIM_HOLDS;
}

enum claim_verdict claim_calls_per_mib(struct claims *c)
{
	static const u32 ready[] = { 0, 2, 5, 6 };
	struct splice_drain d = { 0 };
	u32 i, other = 0;
	char what[40];

	claim_say(c, "calls/MiB of 16 KiB records on %s, by what is there:",
		  c->trial->name);
	size_heads(c, "");
	for (i = 0; i < 2 * ARRAY_SIZE(ready); i++) {
		d.ready = ready[i % ARRAY_SIZE(ready)];
		d.single_pages = i >= ARRAY_SIZE(ready);
		if (d.ready)
			snprintf(what, sizeof(what), "%s pages, %u records",
				 d.single_pages ? "single" : "large", d.ready);
		else
			snprintf(what, sizeof(what), "%s pages, all records",
				 d.single_pages ? "single" : "large");
		other += rate_row(c, c->trial, what, d, TOLD_CALLS * 100);
	}
	return other ? CLAIM_DEPENDS : CLAIM_HOLDS;
}

enum claim_verdict claim_throughput(struct claims *c)
{
	static const u32 cost_ns[] = { 500, 1000, 2000, 4000 };
	u64 before = MIB_AT_TENTH / TOLD_BEFORE;
	u64 saved = before - MIB_AT_TENTH / TOLD_AFTER;
	u64 old = rate(c, c->base, 64 * KIB, (struct splice_drain){ 0 }) / 100;
	u64 gone = old - TOLD_CALLS;
	u64 tenths, each = saved / gone;
	u32 i;

	/* saved is in hundredths of ns, each is hundredths of ns a call */
	claim_say(c,
		  "no time is measured here; %u calls fewer a MiB give that "
		  "if a call costs %u.%02u us:",
		  (u32)gone, (u32)(each / 100000), (u32)(each / 1000 % 100));
	for (i = 0; i < ARRAY_SIZE(cost_ns); i++) {
		tenths = MIB_AT_TENTH * 10 / (before - gone * cost_ns[i] * 100);
		claim_say(c, "a call costs %u.%u us: %u.%02u GiB/s",
			  cost_ns[i] / 1000, cost_ns[i] % 1000 / 100,
			  (u32)(tenths / 100), (u32)(tenths % 100));
	}
	return CLAIM_DEPENDS;
}

enum claim_verdict claim_as_recvmsg(struct claims *c)
{
	const struct splice_drain recv = { .recv = true };
	struct splice_drain d = { 0 };
	u32 i, other = 0;
	u64 want;

	claim_say(c, "calls/MiB of 16 KiB records, all there:");
	size_heads(c, "");
	rate_row(c, c->trial, "recvmsg, as much", recv, 0);
	rate_row(c, c->trial, "splice, large pages", d, 0);
	d.single_pages = true;
	rate_row(c, c->trial, "splice, single pages", d, 0);
	for (i = 0; i < SIZES; i++) {
		want = rate(c, c->trial, 64 * KIB << i, recv);
		d.single_pages = false;
		other += rate(c, c->trial, 64 * KIB << i, d) != want;
		d.single_pages = true;
		other += rate(c, c->trial, 64 * KIB << i, d) != want;
	}
	return other ? CLAIM_DEPENDS : CLAIM_HOLDS;
}
