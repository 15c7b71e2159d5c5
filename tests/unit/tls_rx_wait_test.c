// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/tls_rx_wait.c, in its order.
 */
#include "tests/unit/tls_fixture.h"

static struct tls_fix *f;
static struct tls_sw_context_rx *ctx;
static const int NB = M_MSG_DONTWAIT;

static void start(u16 version, enum tls_cipher_type cipher)
{
	f = tls_fix_new(version, cipher);
	ctx = tls_sw_ctx_rx(tls_get_ctx(f->sk));
}

static void setup12(void)
{
	start(TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128);
}

static void teardown(void)
{
	tls_fix_free(f);
}

/* Reader role */

static void hold_role(struct tls_fix *fix)
{
	lock_sock(fix->sk);
	ck_assert_int_eq(tls_rx_reader_acquire(fix->sk, ctx, true), 0);
	release_sock(fix->sk);
}

static void drop_role(struct mock *m, void *arg)
{
	(void)m;
	(void)arg;
	lock_sock(f->sk);
	tls_rx_reader_unlock(f->sk, ctx);
}

START_TEST(tls_rx_reader_acquire__busy)
{
	tls_fix_send(f, "d10");
	tls_fix_announces(f);
	hold_role(f);
	ck_assert_int_eq(tls_fix_recv(f, 10, NB), -EAGAIN);
	ck_reason(f, "tls-reader-busy");
	ck_assert_uint_eq(mock_event_count(f->m, EV_ANNOUNCE), 0);
	ck_assert(ctx->reader_contended);
	drop_role(f->m, NULL);
	ck_assert(!ctx->reader_contended);
	tls_fix_data(f, 10, 10, 0);
}
END_TEST

START_TEST(tls_rx_reader_acquire__waits)
{
	tls_fix_send(f, "d10");
	hold_role(f);
	mock_hook(f->m, drop_role, NULL);
	ck_assert_int_eq(tls_fix_recv(f, 10, 0), 10);
	/* The first release cannot know that nobody waits; the second does. */
	ck_assert(!ctx->reader_contended);
}
END_TEST

START_TEST(tls_rx_reader_acquire__timeout)
{
	f->sk->sk_rcvtimeo = NSEC_PER_SEC;
	hold_role(f);
	ck_assert_int_eq(tls_fix_recv(f, 10, 0), -EAGAIN);
	ck_reason(f, "tls-reader-timeout");
	drop_role(f->m, NULL);
}
END_TEST

static void hook_signal(struct mock *m, void *arg)
{
	(void)arg;
	m->signal = true;
}

START_TEST(tls_rx_reader_acquire__signal)
{
	hold_role(f);
	mock_hook(f->m, hook_signal, NULL);
	ck_assert_int_eq(tls_fix_recv(f, 10, 0), -ERESTARTSYS);
	ck_reason(f, "tls-reader-signal");
	f->m->signal = false;
	drop_role(f->m, NULL);
}
END_TEST

static void hook_disconnect(struct mock *m, void *arg)
{
	(void)arg;
	f->sk->sk_disconnects++;
	drop_role(m, NULL);
}

START_TEST(tls_rx_reader_acquire__disconnect)
{
	hold_role(f);
	mock_hook(f->m, hook_disconnect, NULL);
	ck_assert_int_eq(tls_fix_recv(f, 10, 0), -EPIPE);
	ck_reason(f, "tls-disconnected");
	ck_assert(!ctx->reader_present);
}
END_TEST

/* Waiting for a record */

START_TEST(tls_rx_rec_wait__nonblock)
{
	ck_assert_int_eq(tls_fix_recv(f, 10, NB), -EAGAIN);
	ck_reason(f, "tls-again-empty");
	tls_fix_build(f, "d10");
	tls_fix_tx(f, 20);
	ck_assert_int_eq(tls_fix_recv(f, 10, NB), -EAGAIN);
	ck_reason(f, "tls-again-partial");
	tls_fix_tx_all(f);
	tls_fix_data(f, 10, 10, 0);
}
END_TEST

START_TEST(tls_rx_rec_wait__sleeps_until_record)
{
	tls_fix_build(f, "d10");
	mock_hook(f->m, tls_hook_tx_all, f);
	ck_assert_int_eq(tls_fix_recv(f, 100, 0), 10);
	ck_reason(f, "tls-recv-target");
	ck_assert(!f->sk->async_waitdata);
}
END_TEST

static void hook_one_byte(struct mock *m, void *arg)
{
	(void)m;
	(void)arg;
	ck_assert(f->sk->async_waitdata);
	tls_fix_tx(f, 1);
}

/* Part of a record wakes nobody. */
START_TEST(tls_rx_rec_wait__sleeps_through_parts)
{
	tls_fix_build(f, "d10");
	mock_hook(f->m, hook_one_byte, NULL);
	mock_hook(f->m, hook_one_byte, NULL);
	mock_hook(f->m, tls_hook_tx_all, f);
	ck_assert_int_eq(tls_fix_recv(f, 100, 0), 10);
	ck_assert_uint_eq(mock_event_count(f->m, EV_ANNOUNCE), 1);
}
END_TEST

START_TEST(tls_rx_rec_wait__fin_ends_sleep)
{
	mock_hook(f->m, tls_hook_fin, f);
	ck_assert_int_eq(tls_fix_recv(f, 100, 0), 0);
	ck_reason(f, "tls-eof");
}
END_TEST

START_TEST(tls_rx_rec_wait__rst_ends_sleep)
{
	mock_hook(f->m, tls_hook_rst, f);
	ck_assert_int_eq(tls_fix_recv(f, 100, 0), -ECONNRESET);
	ck_reason(f, "tls-reset");
	ck_assert_int_eq(tls_fix_recv(f, 100, 0), 0);
	ck_reason(f, "tls-eof-reset");
}
END_TEST

START_TEST(tls_rx_rec_wait__timeout)
{
	f->sk->sk_rcvtimeo = NSEC_PER_SEC;
	ck_assert_int_eq(tls_fix_recv(f, 100, 0), -EAGAIN);
	ck_reason(f, "tls-timeout");
}
END_TEST

static void hook_later_tx(struct mock *m, void *arg)
{
	m->slept_ns += 600 * NSEC_PER_MSEC;
	tls_fix_tx(arg, 39);
}

/* SO_RCVTIMEO starts again for every record of one call. */
START_TEST(tls_rx_rec_wait__timeout_per_record)
{
	f->sk->sk_rcvtimeo = NSEC_PER_SEC;
	tls_fix_build(f, "d10 d10 d10");
	mock_hook(f->m, hook_later_tx, f);
	mock_hook(f->m, hook_later_tx, f);
	mock_hook(f->m, hook_later_tx, f);
	ck_assert_int_eq(tls_fix_recv(f, 100, M_MSG_WAITALL), 30);
	ck_reason(f, "tls-timeout");
	ck_assert_int_eq(f->m->slept_ns, 2800 * NSEC_PER_MSEC);
}
END_TEST

static void hook_record_and_signal(struct mock *m, void *arg)
{
	tls_fix_tx_all(arg);
	m->signal = true;
}

/* The signal wins even when the record has come meanwhile. */
START_TEST(tls_rx_rec_wait__signal)
{
	tls_fix_build(f, "d10");
	mock_hook(f->m, hook_record_and_signal, f);
	ck_assert_int_eq(tls_fix_recv(f, 100, 0), -ERESTARTSYS);
	ck_reason(f, "tls-signal");
	f->sk->sk_rcvtimeo = NSEC_PER_SEC;
	f->m->signal = false;
	tls_fix_data(f, 100, 10, 0);
	mock_hook(f->m, hook_signal, NULL);
	ck_assert_int_eq(tls_fix_recv(f, 100, 0), -EINTR);
	f->m->signal = false;
}
END_TEST

static void hook_counts_disconnect(struct mock *m, void *arg)
{
	(void)m;
	f->sk->sk_disconnects++;
	tls_fix_fin(arg);
}

START_TEST(tls_rx_rec_wait__disconnect)
{
	mock_hook(f->m, hook_counts_disconnect, f);
	ck_assert_int_eq(tls_fix_recv(f, 100, 0), -EPIPE);
	ck_reason(f, "tls-disconnected");
	ck_assert_int_eq(tls_fix_recv(f, 100, 0), 0);
}
END_TEST

/* A ready record comes before errors, shutdown and end of stream. */
START_TEST(tls_rx_rec_wait__ready_record_first)
{
	tls_fix_send(f, "d10");
	tls_fix_rst(f);
	tls_fix_data(f, 10, 10, 0);
	ck_assert_int_eq(tls_fix_recv(f, 10, NB), -ECONNRESET);
}
END_TEST

START_TEST(tls_rx_rec_wait__shut_rd)
{
	tls_fix_send(f, "d10");
	f->sk->sk_shutdown |= RCV_SHUTDOWN;
	tls_fix_data(f, 10, 10, 0);
	ck_assert_int_eq(tls_fix_recv(f, 10, 0), 0);
	ck_reason(f, "tls-eof-shutdown");
	tls_fix_send(f, "d10");
	tls_fix_data(f, 10, 10, 10);
}
END_TEST

/* Rekey pending comes before everything. */
START_TEST(tls_rx_rec_wait__key_update)
{
	tls_fix_send(f, "k5 d10");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 5);
	tls_fix_fin(f);
	ck_assert_int_eq(tls_fix_recv(f, 100, 0), -EKEYEXPIRED);
	ck_reason(f, "tls-key-expired");
}
END_TEST

START_TEST(tls_rx_rec_wait__key_update_keeps_sk_err)
{
	tls_fix_send(f, "k5 d10");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 5);
	tls_fix_rst(f);
	ck_assert_int_eq(tls_fix_recv(f, 100, 0), -EKEYEXPIRED);
	ck_assert_int_eq(tls_fix_so_error(f), -ECONNRESET);
}
END_TEST

/* What lands in the backlog while the reader owns the socket. */
static void (*at_check)(struct tls_fix *fix);

static void point_check(struct mock *m, enum m_point point, void *arg)
{
	void (*what)(struct tls_fix * fix) = at_check;

	(void)m;
	if (point != POINT_REC_WAIT_CHECK || !what)
		return;
	at_check = NULL;
	what(arg);
}

static int recv_with(void (*what)(struct tls_fix *fix))
{
	int ret;

	at_check = what;
	mock_points(f->m, point_check, f);
	mock_events_clear(f->m);
	ret = tls_fix_recv(f, 100, NB);
	mock_points(f->m, NULL, NULL);
	ck_assert(!at_check);
	return ret;
}

/* Vector 15: taken by the reader itself, nobody is told. */
START_TEST(tls_rx_rec_wait__record_in_backlog)
{
	tls_fix_build(f, "d10");
	ck_assert_int_eq(recv_with(tls_fix_tx_all), 10);
	ck_assert_uint_eq(tls_fix_announces(f), 0);
	/* The softirq queued the worker; it finds nothing. */
	mock_run_works(f->m);
	ck_assert_uint_eq(tls_fix_announces(f), 0);
}
END_TEST

static void tx_all_rst(struct tls_fix *fix)
{
	tls_fix_tx_all(fix);
	tls_fix_rst(fix);
}

/* Vector 16 */
START_TEST(tls_rx_rec_wait__fin_in_backlog)
{
	ck_assert_int_eq(recv_with(tls_fix_fin), 0);
	ck_reason(f, "tls-eof");
	mock_run_works(f->m);
}
END_TEST

START_TEST(tls_rx_rec_wait__rst_in_backlog)
{
	ck_assert_int_eq(recv_with(tls_fix_rst), -ECONNRESET);
	mock_run_works(f->m);
}
END_TEST

START_TEST(tls_rx_rec_wait__record_and_rst_in_backlog)
{
	tls_fix_build(f, "d10");
	ck_assert_int_eq(recv_with(tx_all_rst), 10);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -ECONNRESET);
	mock_run_works(f->m);
}
END_TEST

/* Somebody else reads the raw bytes of a parsed record (A3.8c). */
START_TEST(tls_rx_rec_wait__bytes_stolen)
{
	tls_fix_send(f, "d10");
	ck_assert(ctx->strp.msg_ready);
	lock_sock(f->sk);
	tcp_read_done(f->sk, 39);
	release_sock(f->sk);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EAGAIN);
	ck_assert_uint_eq(mock_event_count(f->m, EV_UNPARSED), 1);
	ck_assert(!ctx->strp.msg_ready);
}
END_TEST

/* Flush */

static bool flush(size_t len_left, size_t decrypted, ssize_t done, size_t at)
{
	struct tls_prot_info *prot = &tls_get_ctx(f->sk)->prot_info;
	size_t flushed_at = at;
	bool ret;

	lock_sock(f->sk);
	ret = tls_read_flush_backlog(f->sk, prot, len_left, decrypted, done,
				     &flushed_at);
	release_sock(f->sk);
	if (flushed_at != at)
		ck_assert_uint_eq(flushed_at, (size_t)done);
	ck_assert(!ret);
	return flushed_at != at;
}

START_TEST(tls_read_flush_backlog__when)
{
	u32 i;

	/* Nothing is wanted any more. */
	ck_assert(!flush(10, 10, 5, 0));
	/* Little is queued: look for more. */
	ck_assert(flush(11, 10, 5, 0));
	for (i = 0; i < 17; i++)
		tls_fix_build(f, "d1000");
	tls_fix_tx(f, 16413);
	ck_assert(flush(11, 10, 5, 0));
	tls_fix_tx(f, 1);
	/* More than a record is queued: only now and then. */
	ck_assert(!flush(11, 10, 5, 0));
	ck_assert(!flush(11, 10, 128 * 1024 + 6, 7));
	ck_assert(flush(11, 10, 128 * 1024 + 7, 7));
}
END_TEST

static void add_wait(TCase *tc)
{
	tcase_add_test(tc, tls_rx_rec_wait__nonblock);
	tcase_add_test(tc, tls_rx_rec_wait__sleeps_until_record);
	tcase_add_test(tc, tls_rx_rec_wait__sleeps_through_parts);
	tcase_add_test(tc, tls_rx_rec_wait__fin_ends_sleep);
	tcase_add_test(tc, tls_rx_rec_wait__rst_ends_sleep);
	tcase_add_test(tc, tls_rx_rec_wait__timeout);
	tcase_add_test(tc, tls_rx_rec_wait__timeout_per_record);
	tcase_add_test(tc, tls_rx_rec_wait__signal);
	tcase_add_test(tc, tls_rx_rec_wait__disconnect);
	tcase_add_test(tc, tls_rx_rec_wait__ready_record_first);
	tcase_add_test(tc, tls_rx_rec_wait__shut_rd);
	tcase_add_test(tc, tls_rx_rec_wait__key_update);
	tcase_add_test(tc, tls_rx_rec_wait__key_update_keeps_sk_err);
	tcase_add_test(tc, tls_rx_rec_wait__record_in_backlog);
	tcase_add_test(tc, tls_rx_rec_wait__fin_in_backlog);
	tcase_add_test(tc, tls_rx_rec_wait__rst_in_backlog);
	tcase_add_test(tc, tls_rx_rec_wait__record_and_rst_in_backlog);
	tcase_add_test(tc, tls_rx_rec_wait__bytes_stolen);
}

Suite *tls_rx_wait_test_suite(void)
{
	Suite *s = suite_create("tls_rx_wait");
	TCase *tc = tcase_create("tls12");

	tcase_add_checked_fixture(tc, setup12, teardown);
	tcase_add_test(tc, tls_rx_reader_acquire__busy);
	tcase_add_test(tc, tls_rx_reader_acquire__waits);
	tcase_add_test(tc, tls_rx_reader_acquire__timeout);
	tcase_add_test(tc, tls_rx_reader_acquire__signal);
	tcase_add_test(tc, tls_rx_reader_acquire__disconnect);
	add_wait(tc);
	tcase_add_test(tc, tls_read_flush_backlog__when);
	suite_add_tcase(s, tc);
	return s;
}
