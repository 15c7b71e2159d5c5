// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/tls_sw.c, in its order; "vector N" is a row of what real
 * kernels answered.
 */
#include "tests/unit/tls_fixture.h"

static struct tls_fix *f;
static const u32 EOR = M_MSG_EOR;
static const int NB = M_MSG_DONTWAIT;

static void setup12(void)
{
	f = tls_fix_new(TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128);
}

static void setup13(void)
{
	f = tls_fix_new(TLS_1_3_VERSION, TLS_CIPHER_AES_GCM_128);
}

static void teardown(void)
{
	tls_fix_free(f);
}

/* recvmsg */

START_TEST(tls_sw_recvmsg__several_records)
{
	tls_fix_send(f, "d10 d20 d30");
	tls_fix_data(f, 100, 60, 0);
	ck_msg(f, EOR, 23);
	ck_reason(f, "tls-recv-target");
	ck_assert_uint_eq(tls_fix_poll(f), 0);
}
END_TEST

START_TEST(tls_sw_recvmsg__buffer_full)
{
	tls_fix_send(f, "d10 d20");
	tls_fix_data(f, 10, 10, 0);
	ck_msg(f, EOR, 23);
	ck_reason(f, "tls-recv-full");
	ck_assert_uint_eq(f->buf[10], 0xee);
}
END_TEST

/* Vector 1: a record with a bad tag stays in front for ever. */
START_TEST(tls_sw_recvmsg__bad_tag)
{
	int i;

	tls_fix_send(f, "d10 d10,badtag d10");
	tls_fix_data(f, 10, 10, 0);
	ck_assert_uint_eq(tls_fix_poll(f), M_POLLIN);
	for (i = 1; i <= 3; i++) {
		ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EBADMSG);
		ck_reason(f, i == 1 ? "tls-bad-tag" : "tls-bad-tag-again");
		ck_assert_int_eq(tls_fix_mib(f, MIB_TlsDecryptError), i);
		ck_assert_uint_eq(tls_fix_poll(f), M_POLLIN | M_POLLERR);
	}
	ck_assert_int_eq(tls_fix_so_error(f), -EBADMSG);
	ck_assert_uint_eq(tls_fix_poll(f), M_POLLIN);
}
END_TEST

/* Good records ahead are returned; the bad one is the next call's. */
START_TEST(tls_sw_recvmsg__bad_tag_after_data)
{
	tls_fix_send(f, "d10 d10,badtag d10");
	tls_fix_data(f, 100, 10, 0);
	ck_reason(f, "tls-deferred-decrypt");
	ck_assert_uint_eq(tls_fix_poll(f), M_POLLIN | M_POLLERR);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EBADMSG);
}
END_TEST

/* Vector 2: framing errors are reported once, then nothing ever comes. */
START_TEST(tls_sw_recvmsg__bad_version)
{
	tls_fix_send(f, "d10 d10,ver=0302");
	ck_assert_uint_eq(tls_fix_poll(f), M_POLLIN);
	tls_fix_data(f, 100, 10, 0);
	ck_assert_uint_eq(tls_fix_poll(f), M_POLLERR);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EINVAL);
	ck_reason(f, "tls-framing");
	ck_assert_uint_eq(tls_fix_poll(f), 0);
	tls_fix_send(f, "d10");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EAGAIN);
	ck_reason(f, "tls-again-framing");
	tls_fix_fin(f);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 0);
	ck_reason(f, "tls-eof-framing");
}
END_TEST

START_TEST(tls_sw_recvmsg__bad_version_waitall)
{
	tls_fix_send(f, "d10 d10,ver=0302");
	ck_assert_int_eq(tls_fix_recv(f, 100, M_MSG_WAITALL), 10);
	ck_reason(f, "tls-sk-err-kept");
	ck_assert_int_eq(tls_fix_recv(f, 100, M_MSG_WAITALL), -EINVAL);
}
END_TEST

/* Vector 4: empty data records are swallowed. */
START_TEST(tls_sw_recvmsg__empty_data)
{
	tls_fix_send(f, "d0 d0 d11");
	tls_fix_data(f, 100, 11, 0);
	ck_msg(f, EOR, 23);
	tls_fix_send(f, "d0");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EAGAIN);
}
END_TEST

/* Vector 5: 0 that is not end of stream. */
START_TEST(tls_sw_recvmsg__empty_data_then_control)
{
	tls_fix_send(f, "d0 a2");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 0);
	ck_msg(f, EOR, 23);
	ck_reason(f, "tls-empty-then-control");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 2);
	ck_msg(f, EOR, 21);
}
END_TEST

/* Vector 6 */
START_TEST(tls_sw_recvmsg__empty_control)
{
	tls_fix_send(f, "d5 a0 d6");
	tls_fix_data(f, 100, 5, 0);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 0);
	ck_msg(f, EOR, 21);
	ck_reason(f, "tls-list-control");
	tls_fix_data(f, 100, 6, 5);
	tls_fix_send(f, "a0");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 0);
	ck_msg(f, EOR, 21);
	ck_reason(f, "tls-control-empty");
}
END_TEST

START_TEST(tls_sw_recvmsg__control_in_parts)
{
	tls_fix_send(f, "h10 h3");
	ck_assert_int_eq(tls_fix_recv(f, 4, NB), 4);
	ck_msg(f, 0, 22);
	ck_reason(f, "tls-control-part");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 6);
	ck_msg(f, EOR, 22);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 3);
	ck_reason(f, "tls-control");
}
END_TEST

START_TEST(tls_sw_recvmsg__waitall_stops_at_control)
{
	tls_fix_send(f, "d10 a2 d10");
	ck_assert_int_eq(tls_fix_recv(f, 20, M_MSG_WAITALL), 10);
	ck_reason(f, "tls-type-change");
	ck_assert_int_eq(tls_fix_recv(f, 20, M_MSG_WAITALL), 2);
	ck_assert_int_eq(tls_fix_recv(f, 10, M_MSG_WAITALL), 10);
}
END_TEST

/* Vector 10 */
START_TEST(tls_sw_recvmsg__reset_after_records)
{
	tls_fix_build(f, "d10 d10 d10 d10");
	tls_fix_tx(f, -5);
	tls_fix_rst(f);
	tls_fix_data(f, 10, 10, 0);
	tls_fix_data(f, 10, 10, 10);
	tls_fix_data(f, 10, 10, 20);
	ck_assert_int_eq(tls_fix_recv(f, 10, NB), -ECONNRESET);
	ck_reason(f, "tls-reset");
	ck_assert_int_eq(tls_fix_recv(f, 10, NB), 0);
	ck_assert_int_eq(tls_fix_recv(f, 10, NB), 0);
	ck_reason(f, "tls-eof-truncated");
}
END_TEST

START_TEST(tls_sw_recvmsg__reset_after_big_read)
{
	tls_fix_send(f, "d10 d10 d10");
	tls_fix_rst(f);
	ck_assert_int_eq(tls_fix_recv(f, 100, M_MSG_WAITALL), 30);
	ck_reason(f, "tls-sk-err-kept");
	ck_assert_int_eq(tls_fix_recv(f, 100, 0), -ECONNRESET);
	ck_assert_int_eq(tls_fix_recv(f, 100, 0), 0);
	ck_reason(f, "tls-eof-reset");
}
END_TEST

/* Vector 11 */
START_TEST(tls_sw_recvmsg__truncated_record_then_fin)
{
	tls_fix_build(f, "d10 d10");
	tls_fix_tx(f, -1);
	tls_fix_fin(f);
	tls_fix_data(f, 100, 10, 0);
	ck_reason(f, "tls-recv-target");
	ck_assert_int_eq(tls_fix_recv(f, 100, 0), 0);
	ck_reason(f, "tls-eof-truncated");
	ck_assert_int_eq(tls_fix_recv(f, 100, 0), 0);
}
END_TEST

/* Vector 14: the last record number works; then nothing does. */
START_TEST(tls_sw_recvmsg__number_wraps)
{
	f = tls_fix_plain(TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128, 0);
	lock_sock(f->sk);
	ck_assert_int_eq(tls_init(f->sk), 0);
	release_sock(f->sk);
	ck_assert_int_eq(tls_fix_keys(f, TLS_RX, 0, UINT64_MAX), 0);
	tls_fix_send(f, "d1");
	ck_assert_int_eq(tls_fix_recv(f, 100, M_MSG_WAITALL), 1);
	ck_assert_uint_eq(tls_fix_poll(f), M_POLLERR);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EBADMSG);
	ck_reason(f, "tls-aborted");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EAGAIN);
	tls_fix_free(f);
}
END_TEST

START_TEST(tls_sw_recvmsg__length_zero)
{
	ck_assert_int_eq(tls_fix_recv(f, 0, 0), 0);
	ck_reason(f, "tls-recv-nothing-asked");
	tls_fix_send(f, "d1");
	ck_assert_int_eq(tls_fix_recv(f, 0, 0), 0);
	tls_fix_data(f, 1, 1, 0);
}
END_TEST

START_TEST(tls_sw_recvmsg__lowat)
{
	f->sk->sk_rcvlowat = 50;
	tls_fix_send(f, "d10 d10 d10");
	tls_fix_data(f, 100, 30, 0);
	ck_reason(f, "tls-again-empty");
}
END_TEST

START_TEST(tls_sw_recvmsg__errqueue)
{
	tls_fix_send(f, "d10");
	ck_assert_int_eq(tls_fix_recv(f, 100, M_MSG_ERRQUEUE), -EAGAIN);
	ck_reason(f, "tls-errqueue");
	tls_fix_data(f, 100, 10, 0);
}
END_TEST

START_TEST(tls_sw_recvmsg__other_flags_ignored)
{
	tls_fix_send(f, "d10 d10");
	ck_assert_int_eq(tls_fix_recv(f, 4, NB | M_MSG_TRUNC), 4);
	ck_assert_int_eq(tls_fix_recv(f, 6, NB | M_MSG_OOB), 6);
	tls_fix_data(f, 10, 10, 10);
}
END_TEST

/* Vector 27: zero copy to a bad address kills the connection, not the data. */
START_TEST(tls_sw_recvmsg__bad_address_12)
{
	tls_fix_send(f, "d10 d10");
	ck_assert_int_eq(tls_fix_recv_bad(f, 0, 100), -EFAULT);
	ck_reason(f, "tls-zc-fault");
	ck_assert_uint_eq(tls_fix_poll(f), M_POLLIN | M_POLLERR);
	tls_fix_data(f, 100, 20, 0);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EBADMSG);
	ck_reason(f, "tls-aborted");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EAGAIN);
}
END_TEST

/* The first record fits in front of the bad address, the second does not. */
START_TEST(tls_sw_recvmsg__bad_address_behind_data)
{
	tls_fix_send(f, "d10 d10");
	ck_assert_int_eq(tls_fix_recv_bad(f, 15, 10), 10);
	ck_reason(f, "tls-zc-fault");
	ck_assert_uint_eq(f->buf[10], 0xee);
	tls_fix_data(f, 100, 10, 10);
}
END_TEST

/* Vector 26: a copied record is only parked. */
START_TEST(tls_sw_recvmsg__bad_address_13)
{
	tls_fix_send(f, "d10 d10");
	ck_assert_int_eq(tls_fix_recv_bad(f, 0, 100), -EFAULT);
	ck_reason(f, "tls-copy-fault");
	ck_assert_uint_eq(tls_fix_poll(f), M_POLLIN);
	tls_fix_data(f, 100, 20, 0);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EAGAIN);
}
END_TEST

/* Zero copy lands at once in the caller's buffer and nowhere behind it. */
START_TEST(tls_sw_recvmsg__zero_copy)
{
	const struct mock_event *e;

	tls_fix_send(f, "d100 d50");
	mock_events_clear(f->m);
	tls_fix_data(f, 120, 120, 0);
	ck_assert_uint_eq(f->buf[120], 0xee);
	e = mock_event(f->m, EV_DECRYPTED_TYPE, 0);
	ck_assert_int_eq(e->c, 1);
	e = mock_event(f->m, EV_DECRYPTED_TYPE, 1);
	ck_assert_int_eq(e->a, 1);
	ck_assert_int_eq(e->c, 0);
	e = mock_event(f->m, EV_PUT_USER, 1);
	ck_assert_int_eq(e->a, 1);
	ck_assert_int_eq(e->b, 0);
	ck_assert_int_eq(e->c, 20);
	tls_fix_data(f, 120, 30, 120);
	e = mock_event(f->m, EV_PUT_USER, 2);
	ck_assert_int_eq(e->a, 1);
	ck_assert_int_eq(e->b, 20);
	ck_assert_int_eq(e->c, 30);
}
END_TEST

START_TEST(tls_sw_recvmsg__no_zero_copy)
{
	tls_fix_send(f, "d10 d10 d10");
	mock_events_clear(f->m);
	ck_assert_int_eq(tls_fix_recv(f, 10, NB | M_MSG_PEEK), 10);
	ck_assert_int_eq(mock_event(f->m, EV_DECRYPTED_TYPE, 0)->c, 2);
	tls_fix_data(f, 10, 10, 0);
	f->iov[0] = (struct iovec_m){ f->buf, 100 };
	iov_iter_init(&f->msg.iter, ITER_KVEC, f->iov, 1);
	ck_assert_int_eq(tls_sw_recvmsg(f->sk, &f->msg, 100, NB), 20);
	ck_assert_int_eq(mock_event(f->m, EV_DECRYPTED_TYPE, 1)->c, 0);
}
END_TEST

/* An asynchronous failure of the past is for ever. */
START_TEST(tls_sw_recvmsg__async_error)
{
	tls_fix_send(f, "d10");
	tls_sw_ctx_rx(tls_get_ctx(f->sk))->async_wait_err = -EBADMSG;
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EBADMSG);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EBADMSG);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsDecryptError), 0);
}
END_TEST

START_TEST(tls_sw_recvmsg__rekey_behind_data)
{
	tls_fix_send(f, "d10 k5 d10");
	tls_fix_data(f, 100, 10, 0);
	ck_reason(f, "tls-type-change");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 5);
	ck_msg(f, EOR, 22);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EKEYEXPIRED);
	ck_reason(f, "tls-key-expired");
}
END_TEST

/* Left over data stays readable while a rekey is pending. */
START_TEST(tls_sw_recvmsg__rekey_behind_list)
{
	tls_fix_send(f, "d10");
	tls_fix_data(f, 4, 4, 0);
	tls_sw_ctx_rx(tls_get_ctx(f->sk))->key_update_pending = true;
	tls_fix_data(f, 100, 6, 4);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EKEYEXPIRED);
	tls_fix_send(f, "d10");
	tls_sw_ctx_rx(tls_get_ctx(f->sk))->key_update_pending = false;
	tls_fix_data(f, 4, 4, 10);
	tls_sw_ctx_rx(tls_get_ctx(f->sk))->key_update_pending = true;
	ck_assert_int_eq(tls_fix_recv(f, 100, M_MSG_WAITALL), 6);
	ck_reason(f, "tls-key-expired");
}
END_TEST

START_TEST(tls_sw_recvmsg__many_records_many_reads)
{
	u32 off = 0;
	int i, ret;

	for (i = 0; i < 50; i++)
		tls_fix_build(f, "d17 d0 d333");
	tls_fix_tx_all(f);
	while ((ret = tls_fix_recv(f, 1 + off % 97, NB)) > 0) {
		ck_assert(tls_fix_is_stream(f->buf, off, (u32)ret));
		off += (u32)ret;
	}
	ck_assert_int_eq(ret, -EAGAIN);
	ck_assert_uint_eq(off, 50 * 350);
}
END_TEST

static TCase *tc12(void)
{
	TCase *tc = tcase_create("tls12");

	tcase_add_checked_fixture(tc, setup12, teardown);
	tcase_add_test(tc, tls_sw_recvmsg__bad_address_12);
	tcase_add_test(tc, tls_sw_recvmsg__bad_address_behind_data);
	tcase_add_test(tc, tls_sw_recvmsg__zero_copy);
	tcase_add_test(tc, tls_sw_recvmsg__no_zero_copy);
	return tc;
}

static TCase *tc13(void)
{
	TCase *tc = tcase_create("tls13");

	tcase_add_checked_fixture(tc, setup13, teardown);
	tcase_add_test(tc, tls_sw_recvmsg__bad_address_13);
	return tc;
}

static TCase *tc_none(void)
{
	TCase *tc = tcase_create("none");

	tcase_add_test(tc, tls_sw_recvmsg__number_wraps);
	return tc;
}

/* What does not depend on the version runs with both. */
static TCase *tc_both(const char *name, void (*setup)(void))
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, tls_sw_recvmsg__several_records);
	tcase_add_test(tc, tls_sw_recvmsg__buffer_full);
	tcase_add_test(tc, tls_sw_recvmsg__bad_tag);
	tcase_add_test(tc, tls_sw_recvmsg__bad_tag_after_data);
	tcase_add_test(tc, tls_sw_recvmsg__bad_version);
	tcase_add_test(tc, tls_sw_recvmsg__bad_version_waitall);
	tcase_add_test(tc, tls_sw_recvmsg__empty_data);
	tcase_add_test(tc, tls_sw_recvmsg__empty_data_then_control);
	tcase_add_test(tc, tls_sw_recvmsg__empty_control);
	tcase_add_test(tc, tls_sw_recvmsg__control_in_parts);
	tcase_add_test(tc, tls_sw_recvmsg__waitall_stops_at_control);
	tcase_add_test(tc, tls_sw_recvmsg__reset_after_records);
	tcase_add_test(tc, tls_sw_recvmsg__reset_after_big_read);
	tcase_add_test(tc, tls_sw_recvmsg__truncated_record_then_fin);
	tcase_add_test(tc, tls_sw_recvmsg__length_zero);
	tcase_add_test(tc, tls_sw_recvmsg__lowat);
	tcase_add_test(tc, tls_sw_recvmsg__errqueue);
	tcase_add_test(tc, tls_sw_recvmsg__other_flags_ignored);
	tcase_add_test(tc, tls_sw_recvmsg__async_error);
	tcase_add_test(tc, tls_sw_recvmsg__rekey_behind_data);
	tcase_add_test(tc, tls_sw_recvmsg__rekey_behind_list);
	tcase_add_test(tc, tls_sw_recvmsg__many_records_many_reads);
	return tc;
}

Suite *tls_sw_test_suite(void)
{
	Suite *s = suite_create("tls_sw");

	suite_add_tcase(s, tc_both("both as tls12", setup12));
	suite_add_tcase(s, tc_both("both as tls13", setup13));
	suite_add_tcase(s, tc12());
	suite_add_tcase(s, tc13());
	suite_add_tcase(s, tc_none());
	return s;
}
