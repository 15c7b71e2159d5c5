// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * D1 to D4 and L1: what is delivered, and what is said about it. Each form of
 * a breach is produced once; traces without a break must pass.
 */
#include "tests/unit/broken.h"

#define TWO_RECORDS                        \
	"set tls=1.3 cipher=aes-128-gcm\n" \
	"+0 peer A = data 10\n"            \
	"+0 peer B = data 20\n"            \
	"+0 wire A B\n"                    \
	"+0 r1 recvmsg 10\n"               \
	"+0 r1 recvmsg 20\n"

#define SPLICED                            \
	"set tls=1.3 cipher=aes-128-gcm\n" \
	"+0 pipe p 65536\n"                \
	"+0 peer A = data 10\n"            \
	"+0 wire A\n"                      \
	"+0 r1 splice p 100\n"             \
	"+0 r1 pread p 100\n"

static bool returns_bytes(const struct sim_event *e)
{
	return e->kind == EV_RETURN && e->b > 0;
}

/* --- D1 ---------------------------------------------------------------- */

static struct sim_event *first_again(struct sim *s, struct sim_event *e)
{
	(void)s;
	if (e->kind == EV_PUT_USER && e->a == 1)
		e->a = 0;
	return e;
}

static struct sim_event *skip_a_byte(struct sim *s, struct sim_event *e)
{
	(void)s;
	if (e->kind == EV_PUT_USER)
		e->b++;
	return e;
}

static struct sim_event *lose_rest(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_READER_OFF)
		kfree_skb(__skb_dequeue(&tamper_rx(s)->rx_list));
	return e;
}

static struct sim_event *wrong_byte(struct sim *s, struct sim_event *e)
{
	if (returns_bytes(e) && tamper_task(s, e)->res.buf)
		tamper_task(s, e)->res.buf[0] ^= 1;
	return e;
}

static struct sim_event *wrong_pipe_byte(struct sim *s, struct sim_event *e)
{
	struct pipe_inode_info *p = s->pipes[0];
	struct pipe_buffer *b;

	if (e->kind != EV_PUT_USER)
		return e;
	b = &p->bufs[(p->head - 1) & (p->ring_size - 1)];
	b->page->data[b->offset] ^= 1;
	return e;
}

static struct sim_event *wrong_read_byte(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_PIPE_DEL)
		s->tasks[e->task].res.buf[3] ^= 1;
	return e;
}

START_TEST(d1__order)
{
	expect_clean(TWO_RECORDS, INV_D1);
	expect_breach(TWO_RECORDS, first_again, INV_D1, "repeated");
	expect_breach(TWO_RECORDS, skip_a_byte, INV_D1, "skipped");
}
END_TEST

START_TEST(d1__dropped)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer A = data 10\n"
		      "+0 wire A\n"
		      "+0 r1 recvmsg 4\n",
		      lose_rest, INV_D1, "dropped");
}
END_TEST

START_TEST(d1__bytes)
{
	expect_breach(TWO_RECORDS, wrong_byte, INV_D1, "bytes");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer A = data 10\n"
		      "+0 wire A\n"
		      "+0 r1 read_sock 100\n",
		      wrong_byte, INV_D1, "bytes");
}
END_TEST

START_TEST(d1__raw_bytes)
{
	static const char plain[] = "set tls=1.3 cipher=aes-128-gcm rx=off\n"
				    "+0 peer A = data 100\n"
				    "+0 wire A\n"
				    "+0 r1 recvmsg 60 peek\n"
				    "+0 r1 recvmsg 60\n"
				    "+0 r1 read 100\n";

	expect_clean(plain, INV_D1);
	expect_breach(plain, wrong_byte, INV_D1, "raw-bytes");
}
END_TEST

START_TEST(d1__pipe)
{
	expect_clean(SPLICED, INV_D1);
	expect_breach(SPLICED, wrong_pipe_byte, INV_D1, "pipe-bytes");
	expect_breach(SPLICED, wrong_read_byte, INV_D1, "pipe-read");
}
END_TEST

START_TEST(d1__pipe_of_all_sources)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm rx=off\n"
				   "+0 pipe p 65536\n"
				   "+0 peer A = data 50\n"
				   "+0 peer B = data 20\n"
				   "+0 peer C = data 20\n"
				   "+0 wire A\n"
				   "+0 r1 splice p 40\n"
				   "+0 r1 pwrite p 5000\n"
				   "+0 r1 recv 100\n"
				   "+0 r1 setsockopt tls_rx seq=1\n"
				   "+0 wire B C\n"
				   "+0 r1 splice p 15\n"
				   "+0 r1 splice p 100\n"
				   "+0 r1 splice p 100\n"
				   "+0 r1 pread p 30\n"
				   "+0 r1 pread p 65536\n";

	expect_clean(text, INV_D1);
	expect_breach(text, wrong_read_byte, INV_D1, "pipe-read");
}
END_TEST

/* A signal is pending while messages without a byte go by. */
START_TEST(d1__messages_and_a_signal)
{
	expect_holds("set tls=1.2 cipher=aes-128-gcm\n"
		     "at flush_backlog#3 run wire\n"
		     "at reader:release#2 run wire\n"
		     "+0 peer A = data 1\n"
		     "+0 wire A\n"
		     "+0 r1 recvmmsg 4 4096 waitall\n"
		     "+0 signal r1\n"
		     "+0 peer B = handshake 0\n"
		     "+0 wire B\n"
		     "+0 peer C = data 1\n"
		     "+0 wire C\n",
		     INV_D1);
}
END_TEST

/* --- D2 ---------------------------------------------------------------- */

static struct sim_event *open_all(struct sim *s, struct sim_event *e)
{
	(void)s;
	if (e->kind == EV_DECRYPT)
		e->c = 0;
	return e;
}

static struct sim_event *go_on_behind(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_DECRYPT)
		s->ledger->state = LEDGER_LOST;
	if (e->kind == EV_READER_OFF && s->ledger->failed)
		return tamper_insert(s, e, EV_PUT_USER, 1, 0, 20);
	return e;
}

static struct sim_event *parse_again(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_CALL && s->ledger->stopped)
		return tamper_insert(s, e, EV_PARSED, 0, 32, 23);
	return e;
}

START_TEST(d2__bad_record)
{
	static const char bad[] = "set tls=1.2 cipher=aes-128-gcm\n"
				  "+0 peer A = data 10 badtag\n"
				  "+0 peer B = data 20\n"
				  "+0 wire A B\n"
				  "+0 r1 recvmsg 10\n"
				  "+0 r1 recvmsg 10\n";

	expect_holds(bad, INV_D2);
	expect_breach(bad, open_all, INV_D2, "bad-record-opened");
	expect_breach(bad, go_on_behind, INV_D2, "behind-failed");
}
END_TEST

START_TEST(d2__wrong_keys)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer key 1\n"
		      "+0 peer A = data 10\n"
		      "+0 wire A\n"
		      "+0 r1 recvmsg 10\n",
		      open_all, INV_D2, "bad-record-opened");
}
END_TEST

START_TEST(d2__no_record)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer A = data 10 dlen=+4\n"
		      "+0 peer B = data 20\n"
		      "+0 wire A B\n"
		      "+0 r1 recvmsg 10\n",
		      open_all, INV_D2, "no-record-opened");
}
END_TEST

START_TEST(d2__parsed_after_abort)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer A = data 10 ver=0301\n"
		      "+0 wire A\n"
		      "+0 r1 recvmsg 10\n",
		      parse_again, INV_D2, "parsed-after-abort");
}
END_TEST

START_TEST(d2__foreign_record)
{
	/* raw bytes that are a good record: nobody can say what is in it */
	expect_holds("set tls=1.2 cipher=aes-128-gcm\n"
		     "+0 peer A = raw 17030300180000000000000000\n"
		     "+0 peer B = data 20\n"
		     "+0 wire A B\n"
		     "+0 r1 recvmsg 10 dontwait\n",
		     INV_D2);
}
END_TEST

/* --- D3 ---------------------------------------------------------------- */

static struct sim_event *add_next(struct sim *s, struct sim_event *e)
{
	if (e->kind == EV_READER_OFF && s->ledger->rec == 1)
		return tamper_insert(s, e, EV_PUT_USER, 1, 0, 2);
	return e;
}

START_TEST(d3__joined)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 peer A = data 10\n"
				   "+0 peer B = alert 2\n"
				   "+0 wire A B\n"
				   "+0 r1 recvmsg 100\n"
				   "+0 r1 recvmsg 100\n";

	expect_clean(text, INV_D3);
	expect_breach(text, add_next, INV_D3, "joined");
}
END_TEST

/* --- D4 ---------------------------------------------------------------- */

static struct sim_event *other_type(struct sim *s, struct sim_event *e)
{
	(void)s;
	if (e->kind == EV_DECRYPTED_TYPE)
		e->b = 22;
	return e;
}

static struct sim_event *other_length(struct sim *s, struct sim_event *e)
{
	(void)s;
	if (e->kind == EV_DECRYPT)
		e->b++;
	return e;
}

static struct sim_event *say_less(struct sim *s, struct sim_event *e)
{
	if (returns_bytes(e))
		tamper_task(s, e)->res.ret--;
	return e;
}

static struct sim_event *say_more(struct sim *s, struct sim_event *e)
{
	if (returns_bytes(e))
		tamper_task(s, e)->res.ret++;
	return e;
}

static struct sim_event *flip_eor(struct sim *s, struct sim_event *e)
{
	if (returns_bytes(e))
		tamper_task(s, e)->res.msg_flags ^= M_MSG_EOR;
	return e;
}

static struct sim_event *flip_ctrunc(struct sim *s, struct sim_event *e)
{
	if (returns_bytes(e))
		tamper_task(s, e)->res.msg_flags ^= M_MSG_CTRUNC;
	return e;
}

static struct sim_event *no_cmsg(struct sim *s, struct sim_event *e)
{
	if (returns_bytes(e))
		tamper_task(s, e)->res.cmsg_count = 0;
	return e;
}

static struct sim_event *wrong_cmsg(struct sim *s, struct sim_event *e)
{
	if (returns_bytes(e))
		tamper_task(s, e)->res.cmsg_type = 21;
	return e;
}

START_TEST(d4__decrypted)
{
	expect_clean(TWO_RECORDS, INV_D4);
	expect_breach(TWO_RECORDS, other_type, INV_D4, "decrypted-type");
	expect_breach(TWO_RECORDS, other_length, INV_D4, "decrypted-length");
}
END_TEST

START_TEST(d4__length)
{
	expect_breach(TWO_RECORDS, say_less, INV_D4, "length");
	expect_breach(TWO_RECORDS, say_more, INV_D4, "too-long");
}
END_TEST

START_TEST(d4__eor)
{
	expect_breach(TWO_RECORDS, flip_eor, INV_D4, "no-eor");
	expect_breach("set tls=1.3 cipher=aes-128-gcm\n"
		      "+0 peer A = data 10\n"
		      "+0 wire A\n"
		      "+0 r1 recvmsg 4\n",
		      flip_eor, INV_D4, "eor-without-end");
}
END_TEST

START_TEST(d4__type)
{
	expect_breach(TWO_RECORDS, flip_ctrunc, INV_D4, "ctrunc");
	expect_breach(TWO_RECORDS, no_cmsg, INV_D4, "cmsg-count");
	expect_breach(TWO_RECORDS, wrong_cmsg, INV_D4, "cmsg-type");
}
END_TEST

START_TEST(d4__control_room)
{
	expect_clean("set tls=1.3 cipher=aes-128-gcm\n"
		     "+0 peer A*3 = data 10\n"
		     "+0 wire A\n"
		     "+0 r1 recvmsg 10 ctl=0\n"
		     "+0 r1 recvmsg 10 ctl=16\n"
		     "+0 r1 recvmsg 10 ctl=17\n",
		     INV_D4);
}
END_TEST

/* --- L1 ---------------------------------------------------------------- */

static struct sim_event *touch(struct sim *s, struct sim_event *e)
{
	if (returns_bytes(e))
		tamper_task(s, e)->res.past = 3;
	return e;
}

START_TEST(l1__touched)
{
	expect_clean(TWO_RECORDS, INV_L1);
	expect_breach(TWO_RECORDS, touch, INV_L1, "touched");
}
END_TEST

/* The known ways are bound to how far they can reach. */
START_TEST(l1__further_than_the_record)
{
	expect_breach("set tls=1.3 cipher=aes-128-gcm nopad=on\n"
		      "+0 peer A = data 10\n"
		      "+0 peer B = alert 2\n"
		      "+0 wire A B\n"
		      "+0 r1 recvmsg 100\n",
		      touch, INV_L1, "touched");
}
END_TEST

/* What lies in front of a bad buffer may be filled, nothing behind it. */
START_TEST(l1__up_to_the_fault)
{
	static const char text[] = "set tls=1.3 cipher=aes-128-gcm\n"
				   "+0 peer A = data 10\n"
				   "+0 wire A\n"
				   "+0 r1 recvmsg 2+b10 = EFAULT past=2\n"
				   "+0 r1 recvmsg 10 = 10 data A\n";

	expect_clean(text, INV_L1);
	expect_breach(text, touch, INV_L1, "touched");
}
END_TEST

Suite *inv_d_test_suite(void)
{
	Suite *s = suite_create("inv_d");
	TCase *tc = tcase_create("inv_d");

	tcase_add_test(tc, d1__order);
	tcase_add_test(tc, d1__dropped);
	tcase_add_test(tc, d1__bytes);
	tcase_add_test(tc, d1__raw_bytes);
	tcase_add_test(tc, d1__pipe);
	tcase_add_test(tc, d1__pipe_of_all_sources);
	tcase_add_test(tc, d1__messages_and_a_signal);
	tcase_add_test(tc, d2__bad_record);
	tcase_add_test(tc, d2__wrong_keys);
	tcase_add_test(tc, d2__no_record);
	tcase_add_test(tc, d2__parsed_after_abort);
	tcase_add_test(tc, d2__foreign_record);
	tcase_add_test(tc, d3__joined);
	tcase_add_test(tc, d4__decrypted);
	tcase_add_test(tc, d4__length);
	tcase_add_test(tc, d4__eor);
	tcase_add_test(tc, d4__type);
	tcase_add_test(tc, d4__control_room);
	tcase_add_test(tc, l1__touched);
	tcase_add_test(tc, l1__further_than_the_record);
	tcase_add_test(tc, l1__up_to_the_fault);
	suite_add_tcase(s, tc);
	return s;
}
