// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/tls_main.c, in its order.
 */
#include "tests/unit/tls_fixture.h"

static struct tls_fix *f;
static const int NB = M_MSG_DONTWAIT;

static void setup(void)
{
	f = tls_fix_plain(TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128, 0);
}

static void setup_keys(void)
{
	f = tls_fix_new(TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128);
}

static void teardown(void)
{
	tls_fix_free(f);
}

static int attach(void)
{
	int err;

	lock_sock(f->sk);
	err = tls_init(f->sk);
	release_sock(f->sk);
	return err;
}

START_TEST(get_cipher_desc__range)
{
	ck_assert_ptr_null(get_cipher_desc(0));
	ck_assert_ptr_null(get_cipher_desc(50));
	ck_assert_ptr_null(get_cipher_desc(59));
	ck_assert_ptr_null(get_cipher_desc(65535));
	ck_assert_uint_eq(get_cipher_desc(51)->crypto_info, 40);
	ck_assert_uint_eq(get_cipher_desc(52)->crypto_info, 56);
	ck_assert_uint_eq(get_cipher_desc(53)->crypto_info, 40);
	ck_assert_uint_eq(get_cipher_desc(54)->crypto_info, 56);
	ck_assert_uint_eq(get_cipher_desc(55)->crypto_info, 40);
	ck_assert_uint_eq(get_cipher_desc(56)->crypto_info, 40);
	ck_assert_uint_eq(get_cipher_desc(57)->crypto_info, 40);
	ck_assert_uint_eq(get_cipher_desc(58)->crypto_info, 56);
}
END_TEST

/* The layout of setsockopt: version, cipher, iv, key, salt, rec_seq. */
START_TEST(tls_crypto_info_pack__round_trip)
{
	struct tls_crypto_info_m info = { 0 };
	u8 raw[56], again[56];
	u32 i, len;

	for (i = 51; i <= 58; i++) {
		f->cipher = i;
		len = tls_fix_info(f, 3, 0x0102030405060708ull, raw);
		ck_assert_uint_eq(len, get_cipher_desc((u16)i)->crypto_info);
		tls_crypto_info_unpack(&info, raw);
		ck_assert_uint_eq(info.version, 0x303);
		ck_assert_uint_eq(info.cipher_type, i);
		ck_assert_uint_eq(info.iv[0], 0x61 + 3);
		ck_assert_uint_eq(info.key[0], 17 + 31 * 3);
		ck_assert_uint_eq(info.rec_seq[7], 8);
		ck_assert_uint_eq(tls_crypto_info_pack(&info, again), len);
		ck_assert_mem_eq(raw, again, len);
	}
	f->cipher = TLS_CIPHER_AES_GCM_128;
}
END_TEST

START_TEST(tls_err_abort__reports)
{
	tls_err_abort(f->sk, -EBADMSG);
	ck_assert_int_eq(f->sk->sk_err, EBADMSG);
	ck_assert_int_eq(mock_event(f->m, EV_SK_ERR_SET, 0)->b, -EBADMSG);
}
END_TEST

START_TEST(tls_init__attach)
{
	ck_assert_int_eq(attach(), 0);
	ck_reason(f, "tls-attached");
	ck_assert_str_eq(f->sk->icsk_ulp_name, "tls");
}
END_TEST

/* Without keys the socket is plain TCP. */
START_TEST(tls_init__reads_stay_plain)
{
	ck_assert_int_eq(attach(), 0);
	tls_fix_raw(f, "hello", 5);
	tls_fix_tx_all(f);
	ck_assert_uint_eq(tls_fix_poll(f), M_POLLIN);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 5);
	ck_assert_mem_eq(f->buf, "hello", 5);
	ck_assert_uint_eq(f->msg.cmsg_count, 0);
}
END_TEST

START_TEST(tls_init__needs_established)
{
	f->sk->sk_state = TCP_CLOSE;
	ck_assert_int_eq(attach(), -ENOTCONN);
	ck_reason(f, "tls-attach-not-connected");
	f->sk->sk_state = TCP_ESTABLISHED;
	tls_fix_fin(f);
	ck_assert_int_eq(attach(), -ENOTCONN);
}
END_TEST

START_TEST(tls_init__nomem)
{
	mock_fail(f->m, SITE_TLS_CTX, 1);
	ck_assert_int_eq(attach(), -ENOMEM);
	ck_reason(f, "tls-attach-nomem");
	ck_assert_ptr_null(f->sk->icsk_ulp_data);
	ck_assert_int_eq(attach(), 0);
}
END_TEST

START_TEST(tls_disconnect__refused)
{
	tls_fix_send(f, "d10");
	ck_assert_int_eq(inet_disconnect(f->sk), -EOPNOTSUPP);
	ck_reason(f, "tls-disconnect");
	tls_fix_data(f, 100, 10, 0);
}
END_TEST

/* Whether close() resets: vector 23. */
static int closed_with_rst(void)
{
	tls_fix_close(f);
	return (int)mock_event(f->m, EV_SOCK_CLOSED, 0)->b;
}

START_TEST(tls_sk_proto_close__unread_record_resets)
{
	tls_fix_send(f, "d10");
	ck_assert_int_eq(closed_with_rst(), 1);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsCurrRxSw), 0);
}
END_TEST

START_TEST(tls_sk_proto_close__half_read_record_does_not)
{
	tls_fix_send(f, "d10");
	tls_fix_data(f, 4, 4, 0);
	ck_assert_int_eq(closed_with_rst(), 0);
}
END_TEST

START_TEST(tls_sk_proto_close__all_read)
{
	tls_fix_send(f, "d10");
	tls_fix_data(f, 100, 10, 0);
	ck_assert_int_eq(closed_with_rst(), 0);
	ck_assert_ptr_null(f->sk->icsk_ulp_data);
}
END_TEST

START_TEST(tls_sk_proto_close__only_attached)
{
	ck_assert_int_eq(attach(), 0);
	ck_assert_int_eq(closed_with_rst(), 0);
}
END_TEST

START_TEST(tls_sk_proto_close__tx_keys)
{
	ck_assert_int_eq(attach(), 0);
	ck_assert_int_eq(tls_fix_keys(f, TLS_TX, 0, 0), 0);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsCurrTxSw), 1);
	tls_fix_close(f);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsCurrTxSw), 0);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsTxSw), 1);
}
END_TEST

Suite *tls_main_test_suite(void)
{
	Suite *s = suite_create("tls_main");
	TCase *tc = tcase_create("plain");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, get_cipher_desc__range);
	tcase_add_test(tc, tls_crypto_info_pack__round_trip);
	tcase_add_test(tc, tls_err_abort__reports);
	tcase_add_test(tc, tls_init__attach);
	tcase_add_test(tc, tls_init__reads_stay_plain);
	tcase_add_test(tc, tls_init__needs_established);
	tcase_add_test(tc, tls_init__nomem);
	tcase_add_test(tc, tls_sk_proto_close__only_attached);
	tcase_add_test(tc, tls_sk_proto_close__tx_keys);
	suite_add_tcase(s, tc);

	tc = tcase_create("keys");
	tcase_add_checked_fixture(tc, setup_keys, teardown);
	tcase_add_test(tc, tls_disconnect__refused);
	tcase_add_test(tc, tls_sk_proto_close__unread_record_resets);
	tcase_add_test(tc, tls_sk_proto_close__half_read_record_does_not);
	tcase_add_test(tc, tls_sk_proto_close__all_read);
	suite_add_tcase(s, tc);
	return s;
}
