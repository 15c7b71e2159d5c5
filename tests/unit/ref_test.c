// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of sim/ref/ref.c: answers worked out by hand.
 */
#include "sim/ref/ref.h"

#include "tests/unit/peer_fixture.h"

static struct peer_fix *f;
static struct ref r;

static void setup(void)
{
	f = peer_fix_new();
	f->tr.opts.version = TLS_1_3_VERSION;
	memset(&r, 0, sizeof(r));
	r.pauses = true;
}

static void teardown(void)
{
	peer_fix_free(f);
}

static void data(u32 len)
{
	peer_fix_add(f, REC_SEALED, TLS_RECORD_TYPE_DATA, len);
}

static void start(void)
{
	peer_fix_start(f);
	ref_keys(&r, peer_fix_peer(f), 0, 0, 0);
}

/* All of the first @n records are there. */
static u64 upto(u32 n)
{
	const struct peer_rec *rec = &peer_fix_peer(f)->recs[n - 1];

	return rec->off + rec->len;
}

static struct ref_question ask(enum ref_call call, u64 asked, u64 arrived)
{
	return (struct ref_question){
		.call = call, .asked = asked, .room = true, .arrived = arrived
	};
}

static void says(struct ref_question q, s64 ret)
{
	struct ref_answer a;

	ck_assert(ref_ask(&r, &q, &a));
	ck_assert_int_eq(a.ret, ret);
	ck_assert_uint_eq(a.rec, r.at);
	ck_assert_uint_eq(a.off, r.off);
}

static void cannot_say(struct ref_question q)
{
	struct ref_answer a;

	ck_assert(!ref_ask(&r, &q, &a));
}

START_TEST(ref_ask__data)
{
	data(10);
	data(20);
	data(30);
	start();
	says(ask(REF_RECV, 100, upto(3)), 60);
	says(ask(REF_RECV, 15, upto(3)), 15);
	says(ask(REF_RECV, 100, upto(3) - 1), 30);
	says(ask(REF_RECV, 100, 5), -EAGAIN);
	says(ask(REF_SPLICE, 100, upto(3)), 10);
	says(ask(REF_READ_SOCK, 100, upto(2)), 30);
	ref_took(&r, 15);
	says(ask(REF_SPLICE, 100, upto(3)), 15);
	says(ask(REF_RECV, 100, upto(3)), 45);
	ref_took(&r, 45);
	says(ask(REF_RECV, 100, upto(3)), -EAGAIN);
}
END_TEST

START_TEST(ref_ask__end)
{
	struct ref_question q;

	data(10);
	start();
	q = ask(REF_RECV, 100, upto(1));
	q.ended = true;
	says(q, 10);
	ref_took(&r, 10);
	says(q, 0);
	q.sick = true;
	cannot_say(q);
}
END_TEST

START_TEST(ref_ask__control)
{
	struct ref_question q;

	data(10);
	peer_fix_add(f, REC_SEALED, 21, 2);
	data(10);
	start();
	says(ask(REF_RECV, 100, upto(3)), 10);
	ref_took(&r, 10);
	says(ask(REF_RECV, 100, upto(3)), 2);
	says(ask(REF_RECV, 1, upto(3)), 1);
	says(ask(REF_SPLICE, 100, upto(3)), -EINVAL);
	says(ask(REF_READ_SOCK, 100, upto(3)), -EINVAL);
	q = ask(REF_RECV, 100, upto(3));
	q.room = false;
	says(q, -EIO);
	ref_took(&r, 2);
	says(q, 10);
}
END_TEST

START_TEST(ref_ask__bad_record)
{
	data(10);
	peer_fix_add(f, REC_SEALED, TLS_RECORD_TYPE_DATA, 10)->mods =
		MOD_BADTAG;
	data(10);
	start();
	says(ask(REF_RECV, 100, upto(3)), 10);
	ref_took(&r, 10);
	says(ask(REF_RECV, 100, upto(3)), -EBADMSG);
	says(ask(REF_SPLICE, 100, upto(3)), -EBADMSG);
	ref_rekey(&r, 1, 1, 0);
	cannot_say(ask(REF_RECV, 100, upto(3)));
}
END_TEST

START_TEST(ref_ask__empty_record)
{
	data(10);
	data(0);
	data(10);
	start();
	says(ask(REF_RECV, 100, upto(3)), 20);
	ref_took(&r, 10);
	cannot_say(ask(REF_RECV, 100, upto(3)));
	ref_took(&r, 5);
	says(ask(REF_RECV, 100, upto(3)), 5);
}
END_TEST

START_TEST(ref_ask__key_update)
{
	peer_fix_add(f, REC_KEYUPDATE, 22, 5);
	data(10);
	start();
	says(ask(REF_RECV, 100, upto(2)), 5);
	ref_took(&r, 5);
	says(ask(REF_RECV, 100, upto(2)), -EKEYEXPIRED);
	ref_rekey(&r, 1, 0, 1);
	says(ask(REF_RECV, 100, upto(2)), 10);
}
END_TEST

START_TEST(ref_ask__wrong_keys)
{
	data(10);
	peer_fix_start(f);
	ref_keys(&r, peer_fix_peer(f), 0, 0, 7);
	says(ask(REF_RECV, 100, upto(1)), -EBADMSG);
}
END_TEST

START_TEST(ref_keys__inside_a_record)
{
	data(10);
	data(10);
	peer_fix_start(f);
	ref_keys(&r, peer_fix_peer(f), 3, 0, 0);
	cannot_say(ask(REF_RECV, 100, upto(2)));
}
END_TEST

START_TEST(ref_took__more_than_there_is)
{
	data(10);
	start();
	ref_took(&r, 11);
	cannot_say(ask(REF_RECV, 100, upto(1)));
}
END_TEST

Suite *ref_test_suite(void)
{
	Suite *s = suite_create("ref");
	TCase *tc = tcase_create("ref");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, ref_ask__data);
	tcase_add_test(tc, ref_ask__end);
	tcase_add_test(tc, ref_ask__control);
	tcase_add_test(tc, ref_ask__bad_record);
	tcase_add_test(tc, ref_ask__empty_record);
	tcase_add_test(tc, ref_ask__key_update);
	tcase_add_test(tc, ref_ask__wrong_keys);
	tcase_add_test(tc, ref_keys__inside_a_record);
	tcase_add_test(tc, ref_took__more_than_there_is);
	suite_add_tcase(s, tc);
	return s;
}
