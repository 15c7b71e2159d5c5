// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The claims of "tls: sw: coalesce records in tls_sw_splice_read()", in the
 * order of its text.
 * How: what a claim says a call does is a trace with that result; what it says
 * never happens is looked for in random worlds; figures are in splice_figures.c.
 * "depends" says on what.
 * Left out: nothing of the text but greetings.
 */
#include "sim/claims/claims.h"

#define PIPE "+0 pipe p 65536\n"
#define THREE PIPE "+0 peer A*3 = data 10\n+0 wire A\n"
#define DATA_THEN(record)                                \
	PIPE "+0 peer A = data 100\n+0 peer B = " record \
	     "\n+0 wire A B\n+0 r1 splice p 4096\n"

#define NO_ROOM                    \
	"+0 pipe p 4096\n"         \
	"+0 peer A*2 = data 100\n" \
	"+0 wire A\n"              \
	"+0 r1 splice p 4096\n"

static enum claim_verdict holds_if(bool cond)
{
	return cond ? CLAIM_HOLDS : CLAIM_FAILS;
}

static enum claim_verdict one_record(struct claims *c)
{
	return holds_if(claim_trace(c, c->base, "three records are there",
				    THREE "+0 r1 splice p 100 = 10\n"
					  "+0 r1 pread p 100 = 10 A.0\n"));
}

static enum claim_verdict from_both(struct claims *c)
{
	bool list = claim_trace(c, c->base, "what a peek left on rx_list",
				THREE "+0 r1 recvmsg 10 peek = 10\n"
				      "+0 r1 splice p 100 = 10\n"
				      "+0 r1 pread p 100 = 10 A.0\n");
	bool rest = claim_trace(c, c->base, "the rest of a short read",
				THREE "+0 r1 recvmsg 4 = 4\n"
				      "+0 r1 splice p 100 = 6\n");

	return holds_if(list && rest);
}

static enum claim_verdict recvmsg_coalesces(struct claims *c)
{
	return holds_if(claim_trace(c, c->base, "recvmsg",
				    THREE "+0 r1 recvmsg 100 = 30\n"));
}

static enum claim_verdict until_length(struct claims *c)
{
	bool part = claim_trace(c, c->trial, "inside a record",
				THREE "+0 r1 splice p 25 = 25\n"
				      "+0 r1 splice p 25 = 5\n");
	bool whole = claim_trace(c, c->trial, "behind a record",
				 THREE "+0 r1 splice p 20 = 20\n");

	return holds_if(part && whole);
}

/* The second record lies in one page of four: one slot. */
static enum claim_verdict until_pipe(struct claims *c)
{
	bool full = claim_trace(c, c->trial, "a full pipe ends it",
				"+0 pipe p 4096\n"
				"+0 peer A*2 = data 10\n"
				"+0 wire A\n"
				"+0 r1 splice p 100 = 10\n");
	bool room = claim_trace(c, c->trial, "room for it is used",
				"+0 pipe p 16384\n"
				"+0 peer A = data 100\n"
				"+0 peer B = data 12289\n"
				"+0 wire A B\n"
				"+0 r1 splice p 16384 = 12389\n");

	if (!room)
		claim_say(c, "three slots are free and B takes one; 4 are "
			     "asked for, since B is longer than three pages");
	return holds_if(full && room);
}

static enum claim_verdict until_control(struct claims *c)
{
	return holds_if(claim_trace(
		c, c->trial, "an alert ends it",
		DATA_THEN("alert 2") "+0 r1 pread p 100 = 100 A\n"));
}

static u64 sum(const struct claim_worlds *w, const enum inv_id *ids, u32 n)
{
	u64 breaches = 0;

	while (n)
		breaches += w->breaches[ids[--n]];
	return breaches;
}

/* No random world breaks one of these on the kernel with the patch. */
static bool never_broken(struct claims *c, const enum inv_id *ids, u32 n)
{
	const struct claim_worlds *w = claim_trial(c);
	u64 breaches = sum(w, ids, n);
	u32 i;

	claim_say(c,
		  "%u random worlds, %llu splices with bytes, %llu of them "
		  "of several records:",
		  c->runs, (unsigned long long)w->calls,
		  (unsigned long long)w->batches);
	for (i = 0; i < n; i++)
		claim_say(c, "%s broken in %llu: %s", inv_name[ids[i]],
			  (unsigned long long)w->breaches[ids[i]],
			  inv_text[ids[i]]);
	return !breaches;
}

static enum claim_verdict blocking_preserved(struct claims *c)
{
	static const enum inv_id ids[] = { INV_B1, INV_B2, INV_B3, INV_B4 };
	bool ok = never_broken(c, ids, ARRAY_SIZE(ids));
	enum claim_verdict held = claim_mutex_held(c);

	if (held != CLAIM_HOLDS)
		claim_say(c, "for the caller it is; who reads the pipe, even "
			     "with O_NONBLOCK, waits for all of that");
	return ok ? held : CLAIM_FAILS;
}

static enum claim_verdict only_first_blocks(struct claims *c)
{
	static const char body[] = PIPE "+0 peer E = data 0\n"
					"+0 wire E\n"
					"+0 r1 splice p 100\n";
	const char *trial = claim_answer(c, c->trial, body);

	claim_say(c,
		  "behind an empty record, nothing else there: %s returns "
		  "%s, %s: %s",
		  c->base->name, claim_answer(c, c->base, body), c->trial->name,
		  trial);
	if (strncmp(trial, "sleeps", 6) != 0)
		return CLAIM_HOLDS;
	claim_say(c, "so it is the first record with a byte in it, which is "
		     "better: a 0 looks like end of stream");
	return CLAIM_DEPENDS;
}

static enum claim_verdict short_rather_than_sleep(struct claims *c)
{
	static const enum inv_id ids[] = { INV_B2 };
	bool one = claim_trace(c, c->trial, "two are there, more is asked",
			       PIPE "+0 peer A*2 = data 10\n"
				    "+0 wire A\n"
				    "+0 r1 splice p 4096 = 20\n");

	return holds_if(never_broken(c, ids, 1) && one);
}

static enum claim_verdict fits_already(struct claims *c)
{
	static const char whole[] = "+0 pipe p 8192\n"
				    "+0 peer A = data 100\n"
				    "+0 peer B = data 16384\n"
				    "+0 wire A B\n"
				    "+0 r1 splice p 8192\n";
	if (claim_breaks(c, "no record is decrypted without room", NO_ROOM)) {
		claim_say(c, "the question is asked behind the decryption");
		return CLAIM_FAILS;
	}
	claim_say(c, "one slot taken, one free, then 16384 bytes: %s",
		  claim_answer(c, c->trial, whole));
	if (!strcmp(claim_answer(c, c->trial, whole), "100"))
		return CLAIM_HOLDS;
	claim_say(c, "a part of a record is taken where all does not fit");
	return CLAIM_DEPENDS;
}

static enum claim_verdict bits_never_block(struct claims *c)
{
	static const enum inv_id ids[] = { INV_R1, INV_X1 };

	claim_say(c, "splice_to_pipe() returns what fits and never sleeps, on "
		     "any kernel, so this needs no check of room");
	return holds_if(never_broken(c, ids, ARRAY_SIZE(ids)));
}

static enum claim_verdict control_left(struct claims *c)
{
	u32 same = 0;

	claim_say(c, "behind a splice that returned the data in front of it:");
	claim_say(c, "%-36s %-18s %s", "", c->base->name, c->trial->name);
	same += claim_answers(c, "the next splice, an alert",
			      DATA_THEN("alert 2") "+0 r1 splice p 100\n");
	same += claim_answers(c, "the next recvmsg, an alert",
			      DATA_THEN("alert 2") "+0 r1 recvmsg 100\n");
	same += claim_answers(c, "poll, an alert",
			      DATA_THEN("alert 2") "+0 r1 poll IN\n");
	same += claim_answers(c, "poll, a KeyUpdate",
			      DATA_THEN("keyupdate 5") "+0 r1 poll IN\n");
	same += claim_answers(c, "epoll with edges, an alert",
			      PIPE "+0 peer A = data 100\n"
				   "+0 peer B = alert 2\n"
				   "+0 wire A B\n"
				   "+0 r1 epoll et\n"
				   "+0 r1 splice p 4096\n"
				   "+0 r1 epoll et\n");
	same += claim_answers(c, "FIONREAD, an alert",
			      DATA_THEN("alert 2") "+0 r1 fionread\n");
	if (same == 6)
		return CLAIM_HOLDS;
	claim_say(c, "so it is for who calls again at once, not for who waits "
		     "to be told");
	return CLAIM_DEPENDS;
}

static enum claim_verdict error_masked(struct claims *c)
{
	bool alert = claim_trace(
		c, c->trial, "splice, an alert",
		DATA_THEN("alert 2") "+0 r1 splice p 100 = EINVAL\n");
	bool bad = claim_trace(
		c, c->trial, "splice, a bad record",
		DATA_THEN("data 10 badtag") "+0 r1 splice p 100 = EBADMSG\n");
	bool recv = claim_trace(c, c->trial, "recvmsg, a bad record",
				"+0 peer A = data 100\n"
				"+0 peer B = data 10 badtag\n"
				"+0 wire A B\n"
				"+0 r1 recvmsg 4096 = 100\n"
				"+0 r1 recvmsg 4096 = EBADMSG\n");

	return holds_if(alert && bad && recv);
}

static enum claim_verdict first_unchanged(struct claims *c)
{
	static const char body[] = PIPE "+0 peer A = alert 2\n"
					"+0 wire A\n"
					"+0 r1 splice p 100 = EINVAL\n"
					"+0 r1 splice p 100 = EINVAL\n"
					"+0 r1 recvmsg 100 = 2 alert A\n";
	bool base = claim_trace(c, c->base, "an alert in front", body);
	bool trial = claim_trace(c, c->trial, "an alert in front", body);

	return holds_if(base && trial);
}

static enum claim_verdict released_fed_back(struct claims *c)
{
	static const enum inv_id ids[] = { INV_D1, INV_D2, INV_R3 };
	bool ok = never_broken(c, ids, ARRAY_SIZE(ids));
	u64 n = claim_trial(c)->flushed;

	claim_say(c,
		  "%llu times segments came in between two records of a "
		  "splice",
		  (unsigned long long)n);
	return n ? holds_if(ok) : CLAIM_DEPENDS;
}

static enum claim_verdict sk_err_kept(struct claims *c)
{
	static const enum inv_id ids[] = { INV_E1 };
	bool one = claim_trace(c, c->trial, "a reset behind two records",
			       PIPE "+0 peer A*2 = data 10\n"
				    "+0 wire A\n"
				    "+0 wire rst\n"
				    "+0 r1 splice p 100 = 20\n"
				    "+0 r1 splice p 100 = ECONNRESET\n");

	return holds_if(never_broken(c, ids, 1) && one);
}

static enum claim_verdict recv_unchanged(struct claims *c)
{
	u32 other = claim_other_logs(c);
	u32 same = 0;

	claim_say(c,
		  "%u of %u random worlds without a splice differ in any "
		  "event",
		  other, c->runs);
	claim_say(c, "beside a splice on the same socket:");
	claim_say(c, "%-36s %-18s %s", "", c->base->name, c->trial->name);
	same += claim_answers(c, "poll of a recvmsg user, a KeyUpdate",
			      DATA_THEN("keyupdate 5") "+0 r2 poll IN\n");
	same += claim_answers(c, "poll asleep when an alert comes",
			      PIPE "+0 peer A = data 100\n"
				   "+0 peer B = alert 2\n"
				   "+0 r1 splice p 4096\n"
				   "+0 r2 poll IN forever\n"
				   "+0 wire A\n"
				   "+0 wire B\n"
				   "at sched#1 run r1\n"
				   "at flush_backlog#3 run wire\n"
				   "at rec_wait:parse#1 run r2\n");
	if (other)
		return CLAIM_FAILS;
	return same == 2 ? CLAIM_HOLDS : CLAIM_DEPENDS;
}

static u32 promises_broken(struct claims *c)
{
	u32 n = 0;

	n += claim_breaks(c, "no work in vain", NO_ROOM);
	n += claim_breaks(c, "signals are heeded",
			  PIPE "+0 peer A = data 100\n"
			       "+0 peer B*3 = data 100\n"
			       "+0 r1 splice p 100\n"
			       "+0 r2 splice p 4096\n"
			       "+0 signal r2\n"
			       "+0 wire A B\n");
	n += claim_breaks(c, "FIONREAD", DATA_THEN("alert 2"));
	n += claim_breaks(c, "a KeyUpdate is seen", DATA_THEN("keyupdate 5"));
	n += claim_breaks(c, "edges are told (B is there in part)",
			  PIPE "+0 peer A = data 100\n"
			       "+0 peer close_notify = alert 2\n"
			       "+0 peer B = data 100\n"
			       "+0 wire A close_notify B[0,3)\n"
			       "+0 r1 epoll et\n"
			       "+0 r1 splice p 4096\n"
			       "+0 r1 epoll et forever\n");
	return n;
}

static enum claim_verdict parity_only(struct claims *c)
{
	static const enum inv_id ids[] = { INV_B6, INV_W1, INV_W3 };
	u64 base = sum(claim_base(c), ids, ARRAY_SIZE(ids));
	u32 broken = promises_broken(c);
	bool kept = never_broken(c, ids, ARRAY_SIZE(ids));

	claim_say(c, "on %s the same worlds break them in %llu", c->base->name,
		  (unsigned long long)base);
	return holds_if(!broken && kept);
}

const struct claim splice_coalesce_claims[] = {
	{ "Today splice from a TLS socket returns one record a call.",
	  one_record },
	{ "It takes a record from rx_list or decrypts one, splices it and "
	  "returns.",
	  from_both },
	{ "Draining a stream costs one call for each record of 16 KiB.",
	  claim_one_call_a_record },
	{ "recvmsg already joins several records in one call.",
	  recvmsg_coalesces },
	{ "With the patch splice goes on until the length asked for is reached,",
	  until_length },
	{ "or the pipe cannot take another record,", until_pipe },
	{ "or a record that is not data is hit.", until_control },
	{ "Blocking behaviour is preserved.", blocking_preserved },
	{ "Only the first record may block.", only_first_blocks },
	{ "Later records are fetched without waiting: a short splice rather "
	  "than a sleep.",
	  short_rather_than_sleep },
	{ "A further record is only started if it already fits in the pipe,",
	  fits_already },
	{ "so no short read becomes a blocking skb_splice_bits().",
	  bits_never_block },
	{ "A record that is not data, met in mid-batch, stays on rx_list for "
	  "the next call.",
	  control_left },
	{ "Its EINVAL is masked by the bytes, exactly as recvmsg does with "
	  "errors in mid-batch.",
	  error_masked },
	{ "When it is the first record, EINVAL comes as before.",
	  first_unchanged },
	{ "The backlog is flushed between records.", claim_backlog_flushed },
	{ "That the lock was released is told to the next wait for a record.",
	  released_fed_back },
	{ "A pending sk_err is kept, not consumed by a short splice.",
	  sk_err_kept },
	{ "64 calls/MiB (one a record) became about 12.", claim_calls_per_mib },
	{ "Throughput rose from 2.2 to 2.8 GiB/s,", claim_throughput },
	{ "which is what recvmsg achieves.", claim_as_recvmsg },
	{ "Users of read and recvmsg see no change.", recv_unchanged },
	{ "The patch only brings splice to parity.", parity_only },
};
const u32 splice_coalesce_claim_n = ARRAY_SIZE(splice_coalesce_claims);
