// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/tls_rx_msg.c, in its order.
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

/* Header check */

static const struct {
	u16 version;
	enum tls_cipher_type cipher;
	u32 min, max, prepend;
} limits[] = {
	{ TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128, 24, 16408, 13 },
	{ TLS_1_2_VERSION, TLS_CIPHER_AES_CCM_128, 24, 16408, 13 },
	{ TLS_1_2_VERSION, TLS_CIPHER_CHACHA20_POLY1305, 16, 16400, 5 },
	{ TLS_1_3_VERSION, TLS_CIPHER_AES_GCM_256, 16, 16401, 5 },
	{ TLS_1_3_VERSION, TLS_CIPHER_CHACHA20_POLY1305, 16, 16401, 5 },
};

/* Sends a header with this length and @n bytes in all; returns sk_err. */
static int header(int i, u32 len, u32 n)
{
	u8 hdr[16] = { 23, 3, 3, (u8)(len >> 8), (u8)len };
	int err;

	start(limits[i].version, limits[i].cipher);
	tls_fix_raw(f, hdr, n);
	tls_fix_tx_all(f);
	err = f->sk->sk_err;
	tls_fix_free(f);
	return err;
}

START_TEST(tls_rx_msg_size__length_limits)
{
	ck_assert_int_eq(header(_i, limits[_i].min - 1, 13), EBADMSG);
	ck_assert_int_eq(header(_i, limits[_i].min, 13), 0);
	ck_assert_int_eq(header(_i, limits[_i].max, 13), 0);
	ck_assert_int_eq(header(_i, limits[_i].max + 1, 13), EMSGSIZE);
	ck_assert_int_eq(header(_i, 0, 13), EBADMSG);
	ck_assert_int_eq(header(_i, 65535, 13), EMSGSIZE);
}
END_TEST

/* Nothing is judged before the whole prepend is there (vector 3). */
START_TEST(tls_rx_msg_size__looks_at_prepend)
{
	ck_assert_int_eq(header(_i, 65535, limits[_i].prepend - 1), 0);
	ck_assert_int_eq(header(_i, 65535, limits[_i].prepend), EMSGSIZE);
}
END_TEST

START_TEST(tls_rx_msg_size__order_of_checks)
{
	tls_fix_build(f, "d10,ver=0302,len=65535 d10,ver=0302,len=3");
	tls_fix_tx_all(f);
	ck_assert_int_eq(f->sk->sk_err, EMSGSIZE);
	ck_assert_int_eq(tls_fix_recv(f, 10, NB), -EMSGSIZE);
	ck_reason(f, "tls-framing");
}
END_TEST

START_TEST(tls_rx_msg_size__bad_version)
{
	tls_fix_send(f, "d10,ver=0301");
	ck_assert_int_eq(f->sk->sk_err, EINVAL);
	ck_assert_int_eq(mock_event(f->m, EV_PARSE_ERR, 0)->b, -EINVAL);
}
END_TEST

START_TEST(tls_rx_msg_size__middlebox_ccs)
{
	start(TLS_1_3_VERSION, TLS_CIPHER_AES_GCM_128);
	tls_fix_raw(f, "\x14\x03\x03\x00\x01\x01", 6);
	tls_fix_tx_all(f);
	ck_assert_int_eq(tls_fix_recv(f, 10, NB), -EBADMSG);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsDecryptError), 0);
	tls_fix_free(f);
}
END_TEST

/* Any type is a record, 0 too; it is what the anchor says. */
START_TEST(tls_rx_msg_size__mark)
{
	tls_fix_send(f, "u0:3");
	ck_assert(ctx->strp.msg_ready);
	ck_assert_uint_eq(ctx->strp.mark, 0);
	ck_assert_int_eq(mock_event(f->m, EV_PARSED, 0)->c, 0);
}
END_TEST

/* Announce */

START_TEST(tls_rx_msg_maybe_announce__once_a_record)
{
	tls_fix_send(f, "d10 d10 d10 d10");
	ck_assert_uint_eq(tls_fix_announces(f), 1);
	tls_fix_data(f, 100, 40, 0);
	ck_assert_uint_eq(tls_fix_announces(f), 0);
}
END_TEST

START_TEST(tls_rx_msg_maybe_announce__what_the_reader_leaves)
{
	int i;

	tls_fix_send(f, "d10 d10 d10 d10");
	ck_assert_uint_eq(tls_fix_announces(f), 1);
	for (i = 0; i < 4; i++) {
		tls_fix_data(f, 10, 10, (u32)i * 10);
		ck_assert_uint_eq(tls_fix_announces(f), i < 3);
	}
}
END_TEST

/* What is decrypted already is never announced. */
START_TEST(tls_rx_msg_maybe_announce__not_for_rx_list)
{
	tls_fix_send(f, "d30");
	ck_assert_uint_eq(tls_fix_announces(f), 1);
	tls_fix_data(f, 10, 10, 0);
	tls_fix_data(f, 10, 10, 10);
	ck_assert_uint_eq(tls_fix_announces(f), 0);
	ck_assert_uint_eq(tls_fix_poll(f), M_POLLIN);
}
END_TEST

START_TEST(tls_rx_msg_maybe_announce__bad_record_once)
{
	tls_fix_send(f, "d10 d10,badtag");
	tls_fix_announces(f);
	tls_fix_data(f, 10, 10, 0);
	ck_assert_uint_eq(tls_fix_announces(f), 1);
	ck_assert_int_eq(tls_fix_recv(f, 10, NB), -EBADMSG);
	ck_assert_int_eq(tls_fix_recv(f, 10, NB), -EBADMSG);
	ck_assert_uint_eq(tls_fix_announces(f), 0);
}
END_TEST

START_TEST(tls_rx_msg_maybe_announce__parked_control)
{
	tls_fix_send(f, "d10 a2 d10");
	tls_fix_announces(f);
	tls_fix_data(f, 100, 10, 0);
	ck_assert_uint_eq(tls_fix_announces(f), 1);
}
END_TEST

/* The exit of a call announces even what a pending rekey will not give out. */
START_TEST(tls_rx_msg_maybe_announce__rekey_pending)
{
	tls_fix_send(f, "d10 k5 d10");
	tls_fix_announces(f);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 10);
	ck_assert_uint_eq(tls_fix_announces(f), 1);
	ck_assert_uint_eq(tls_fix_poll(f), 0);
}
END_TEST

static TCase *tc_header(void)
{
	TCase *tc = tcase_create("header");
	int n = (int)ARRAY_SIZE(limits);

	tcase_add_loop_test(tc, tls_rx_msg_size__length_limits, 0, n);
	tcase_add_loop_test(tc, tls_rx_msg_size__looks_at_prepend, 0, n);
	tcase_add_test(tc, tls_rx_msg_size__middlebox_ccs);
	return tc;
}

Suite *tls_rx_msg_test_suite(void)
{
	Suite *s = suite_create("tls_rx_msg");
	TCase *tc = tcase_create("tls12");

	suite_add_tcase(s, tc_header());
	tcase_add_checked_fixture(tc, setup12, teardown);
	tcase_add_test(tc, tls_rx_msg_size__order_of_checks);
	tcase_add_test(tc, tls_rx_msg_size__bad_version);
	tcase_add_test(tc, tls_rx_msg_size__mark);
	tcase_add_test(tc, tls_rx_msg_maybe_announce__once_a_record);
	tcase_add_test(tc, tls_rx_msg_maybe_announce__what_the_reader_leaves);
	tcase_add_test(tc, tls_rx_msg_maybe_announce__not_for_rx_list);
	tcase_add_test(tc, tls_rx_msg_maybe_announce__bad_record_once);
	tcase_add_test(tc, tls_rx_msg_maybe_announce__parked_control);
	tcase_add_test(tc, tls_rx_msg_maybe_announce__rekey_pending);
	suite_add_tcase(s, tc);
	return s;
}
