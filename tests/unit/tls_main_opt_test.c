// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/tls_main_opt.c, in its order.
 */
#include "tests/unit/tls_fixture.h"

static struct tls_fix *f;
static u8 info[64];

static void start(u16 version)
{
	f = tls_fix_plain(version, TLS_CIPHER_AES_GCM_128, 0);
	lock_sock(f->sk);
	ck_assert_int_eq(tls_init(f->sk), 0);
	release_sock(f->sk);
	tls_fix_info(f, 0, 0, info);
}

static void setup12(void)
{
	start(TLS_1_2_VERSION);
}

static void setup13(void)
{
	start(TLS_1_3_VERSION);
}

static void teardown(void)
{
	tls_fix_free(f);
}

/* TLS_RX with @info, its front changed. */
static int rx(u32 version, u32 cipher, int len)
{
	memcpy(info,
	       (u8[]){ (u8)version, (u8)(version >> 8), (u8)cipher,
		       (u8)(cipher >> 8) },
	       4);
	return tls_fix_setopt(f, TLS_RX, info, len);
}

/* Value of which only @size bytes are accessible. */
static int rx_size(int opt, u8 *val, u32 size, int len)
{
	struct sockopt_arg arg = { .val = val, .size = size, .len = len };

	return tls_setsockopt(f->sk, SOL_TLS_M, opt, &arg);
}

/* First install: the errors in the order in which they win. */
START_TEST(do_tls_setsockopt_conf__order_of_errors)
{
	ck_assert_int_eq(rx_size(TLS_RX, NULL, 0, 40), -EINVAL);
	ck_reason(f, "opt-length");
	ck_assert_int_eq(rx_size(TLS_RX, info, 40, 3), -EINVAL);
	ck_reason(f, "opt-length");
	ck_assert_int_eq(rx_size(TLS_RX, info, 3, 40), -EFAULT);
	ck_reason(f, "opt-fault");
	ck_assert_int_eq(rx(0x302, 99, 7), -EINVAL);
	ck_reason(f, "tls-keys-version");
	ck_assert_int_eq(rx(0x304, TLS_CIPHER_ARIA_GCM_128, 7), -EINVAL);
	ck_reason(f, "tls-keys-aria");
	ck_assert_int_eq(rx(0x303, 99, 7), -EINVAL);
	ck_reason(f, "tls-keys-cipher");
	ck_assert_int_eq(rx(0x303, 51, 39), -EINVAL);
	ck_reason(f, "tls-keys-size");
	ck_assert_int_eq(rx(0x303, 51, 41), -EINVAL);
	ck_assert_int_eq(rx_size(TLS_RX, info, 39, 40), -EFAULT);
	ck_assert_int_eq(rx(0x303, TLS_CIPHER_SM4_GCM, 40), -ENOENT);
	ck_reason(f, "tls-keys-no-module");
	ck_assert_int_eq(rx(0x303, TLS_CIPHER_ARIA_GCM_256, 56), -ENOENT);
	ck_assert_int_eq(rx(0x303, 51, 40), 0);
	ck_reason(f, "tls-keys-set");
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsRxRekeyError), 0);
}
END_TEST

START_TEST(do_tls_setsockopt_conf__other_direction)
{
	ck_assert_int_eq(tls_fix_keys(f, TLS_TX, 0, 0), 0);
	ck_assert_int_eq(rx(0x304, 51, 40), -EINVAL);
	ck_reason(f, "tls-keys-directions");
	ck_assert_int_eq(rx(0x303, 53, 40), -EINVAL);
	ck_assert_int_eq(rx(0x303, 99, 40), -EINVAL);
	ck_reason(f, "tls-keys-directions");
	ck_assert_int_eq(rx(0x303, 51, 40), 0);
}
END_TEST

/* TLS 1.2 keys are for ever; the argument is not looked at. */
START_TEST(do_tls_setsockopt_conf__busy)
{
	u8 junk[4] = { 0 };

	ck_assert_int_eq(rx(0x303, 51, 40), 0);
	ck_assert_int_eq(rx(0x303, 51, 40), -EBUSY);
	ck_reason(f, "tls-keys-busy");
	ck_assert_int_eq(tls_fix_setopt(f, TLS_RX, junk, 4), -EBUSY);
	ck_assert_int_eq(rx_size(TLS_RX, junk, 1, 4), -EBUSY);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsRxRekeyError), 3);
	ck_assert_int_eq(tls_fix_setopt(f, TLS_RX, junk, 3), -EINVAL);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsRxRekeyError), 3);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsTxRekeyError), 0);
}
END_TEST

START_TEST(do_tls_setsockopt_conf__failed_rekeys)
{
	u8 now[40], before[40];

	ck_assert_int_eq(rx(0x304, 51, 40), 0);
	ck_assert_int_eq(tls_fix_getopt(f, TLS_RX, before, 40), 40);
	ck_assert_int_eq(rx(0x303, 51, 40), -EINVAL);
	ck_reason(f, "tls-rekey-mismatch");
	ck_assert_int_eq(rx(0x304, 52, 56), -EINVAL);
	ck_assert_int_eq(rx(0x304, 51, 41), -EINVAL);
	ck_assert_int_eq(rx_size(TLS_RX, info, 3, 40), -EFAULT);
	ck_assert_int_eq(rx_size(TLS_RX, info, 39, 40), -EFAULT);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsRxRekeyError), 5);
	ck_assert_int_eq(tls_fix_getopt(f, TLS_RX, now, 40), 40);
	ck_assert_mem_eq(now, before, 40);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsRxRekeyOk), 0);
}
END_TEST

START_TEST(do_tls_setsockopt_conf__tx_rekey)
{
	u8 now[40];

	ck_assert_int_eq(tls_fix_keys(f, TLS_TX, 0, 0), 0);
	ck_assert_int_eq(tls_fix_keys(f, TLS_TX, 1, 9), 0);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsTxRekeyOk), 1);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsTxSw), 1);
	ck_assert_int_eq(tls_fix_getopt(f, TLS_TX, now, 40), 40);
	ck_assert_uint_eq(tls_fix_info(f, 1, 9, info), 40);
	ck_assert_mem_eq(now, info, 40);
	ck_assert_int_eq(tls_fix_getopt(f, TLS_RX, now, 40), -EBUSY);
	ck_reason(f, "tls-keys-not-set");
}
END_TEST

START_TEST(do_tls_setsockopt_conf__tx_errors)
{
	mock_fail(f->m, SITE_AEAD, 1);
	ck_assert_int_eq(tls_fix_keys(f, TLS_TX, 0, 0), -ENOMEM);
	f->cipher = TLS_CIPHER_SM4_CCM;
	ck_assert_int_eq(tls_fix_keys(f, TLS_TX, 0, 0), -ENOENT);
	f->cipher = TLS_CIPHER_AES_GCM_128;
	ck_assert_int_eq(tls_fix_keys(f, TLS_TX, 0, 0), 0);
}
END_TEST

/* What TCP has already is taken for records, and announced. */
START_TEST(do_tls_setsockopt_conf__bytes_before_keys)
{
	tls_fix_seal_with(f, 0, 0);
	tls_fix_send(f, "d10 d10");
	tls_fix_fin(f);
	ck_assert_int_eq(rx(0x303, 51, 40), 0);
	ck_assert_uint_eq(tls_fix_announces(f), 1);
	tls_fix_data(f, 100, 20, 0);
	ck_assert_int_eq(tls_fix_recv(f, 100, 0), 0);
	ck_reason(f, "tls-eof");
}
END_TEST

START_TEST(do_tls_setsockopt_conf__bad_bytes_before_keys)
{
	tls_fix_raw(f, "GET / HTTP/1.1\r\n", 16);
	tls_fix_tx_all(f);
	ck_assert_int_eq(rx(0x303, 51, 40), 0);
	ck_reason(f, "tls-keys-bad-header");
	ck_assert_uint_eq(tls_fix_poll(f), M_POLLERR);
	ck_assert_int_eq(tls_fix_recv(f, 100, 0), -EINVAL);
	ck_reason(f, "tls-framing");
}
END_TEST

/* No state of the connection is asked for. */
START_TEST(do_tls_setsockopt_conf__after_reset)
{
	tls_fix_rst(f);
	ck_assert_int_eq(rx(0x303, 51, 40), 0);
	ck_assert_int_eq(tls_fix_recv(f, 100, 0), -ECONNRESET);
}
END_TEST

START_TEST(do_tls_setsockopt_no_pad__errors)
{
	u32 val[3] = { 1, 0, 0 };

	ck_assert_int_eq(tls_fix_setopt(f, TLS_RX_EXPECT_NO_PAD, val, 4),
			 -EINVAL);
	ck_reason(f, "tls-no-pad-version");
	ck_assert_int_eq(tls_fix_keys(f, TLS_TX, 0, 0), 0);
	ck_assert_int_eq(tls_fix_setopt(f, TLS_RX_EXPECT_NO_PAD, val, 4),
			 -EINVAL);
	ck_reason(f, "tls-no-pad-no-keys");
	ck_assert_int_eq(tls_fix_getopt(f, TLS_RX_EXPECT_NO_PAD, val, 4),
			 -EINVAL);
	ck_assert_int_eq(rx(0x304, 51, 40), 0);
	ck_assert_int_eq(rx_size(TLS_RX_EXPECT_NO_PAD, NULL, 0, 4), -EINVAL);
	ck_assert_int_eq(tls_fix_setopt(f, TLS_RX_EXPECT_NO_PAD, val, 3),
			 -EINVAL);
	ck_reason(f, "opt-length");
	ck_assert_int_eq(rx_size(TLS_RX_EXPECT_NO_PAD, (u8 *)val, 3, 4),
			 -EFAULT);
	val[0] = 2;
	ck_assert_int_eq(tls_fix_setopt(f, TLS_RX_EXPECT_NO_PAD, val, 4),
			 -EINVAL);
	ck_reason(f, "opt-value");
	val[0] = 1;
	val[2] = 1;
	ck_assert_int_eq(tls_fix_setopt(f, TLS_RX_EXPECT_NO_PAD, val, 12),
			 -EINVAL);
	ck_reason(f, "tls-opt-trailing");
	ck_assert_int_eq(rx_size(TLS_RX_EXPECT_NO_PAD, (u8 *)val, 8, 12),
			 -EFAULT);
	ck_assert_int_eq(tls_fix_setopt(f, TLS_RX_EXPECT_NO_PAD, val, 8), 0);
	ck_assert_int_eq(tls_fix_getopt(f, TLS_RX_EXPECT_NO_PAD, val, 12), 4);
	ck_assert_uint_eq(val[0], 1);
	ck_assert_int_eq(tls_fix_getopt(f, TLS_RX_EXPECT_NO_PAD, val, 3),
			 -EINVAL);
}
END_TEST

START_TEST(do_tls_setsockopt_tx_zc__values)
{
	u32 val[2] = { 1, 0 };

	ck_assert_int_eq(tls_fix_setopt(f, TLS_TX_ZEROCOPY_RO, val, 3),
			 -EINVAL);
	ck_assert_int_eq(tls_fix_setopt(f, TLS_TX_ZEROCOPY_RO, val, 8),
			 -EINVAL);
	ck_assert_int_eq(rx_size(TLS_TX_ZEROCOPY_RO, (u8 *)val, 2, 4), -EFAULT);
	ck_assert_int_eq(tls_fix_setopt(f, TLS_TX_ZEROCOPY_RO, val, 4), 0);
	val[0] = 7;
	ck_assert_int_eq(tls_fix_setopt(f, TLS_TX_ZEROCOPY_RO, val, 4),
			 -EINVAL);
	ck_assert_int_eq(tls_fix_getopt(f, TLS_TX_ZEROCOPY_RO, val, 4), 4);
	ck_assert_uint_eq(val[0], 1);
	ck_assert_int_eq(tls_fix_getopt(f, TLS_TX_ZEROCOPY_RO, val, 8),
			 -EINVAL);
}
END_TEST

static int payload(u16 len)
{
	return tls_fix_setopt(f, TLS_TX_MAX_PAYLOAD_LEN, &len, 2);
}

START_TEST(do_tls_setsockopt_tx_payload_len__limits)
{
	u16 val[2];

	ck_assert_int_eq(tls_fix_getopt(f, TLS_TX_MAX_PAYLOAD_LEN, val, 4), 2);
	ck_assert_uint_eq(val[0], 16384);
	ck_assert_int_eq(payload(63), -EINVAL);
	ck_reason(f, "opt-value");
	ck_assert_int_eq(payload(64), 0);
	ck_assert_int_eq(payload(16385), -EINVAL);
	ck_assert_int_eq(payload(16384), 0);
	ck_assert_int_eq(tls_fix_setopt(f, TLS_TX_MAX_PAYLOAD_LEN, val, 4),
			 -EINVAL);
	ck_assert_int_eq(tls_fix_getopt(f, TLS_TX_MAX_PAYLOAD_LEN, val, 1),
			 -EINVAL);
	ck_assert_int_eq(tls_fix_keys(f, TLS_TX, 0, 0), 0);
	ck_assert_int_eq(payload(62), -EINVAL);
	ck_assert_int_eq(payload(63),
			 f->version == TLS_1_3_VERSION ? 0 : -EINVAL);
}
END_TEST

START_TEST(tls_setsockopt__unknown)
{
	u32 val = 0;

	ck_assert_int_eq(tls_fix_setopt(f, 6, &val, 4), -ENOPROTOOPT);
	ck_reason(f, "opt-unknown");
	ck_assert_int_eq(tls_fix_getopt(f, 0, &val, 4), -ENOPROTOOPT);
}
END_TEST

START_TEST(tls_setsockopt__other_levels)
{
	struct sockopt_arg arg = { .val = info, .size = 3, .len = 3 };

	memcpy(info, "tls", 3);
	ck_assert_int_eq(tls_setsockopt(f->sk, SOL_TCP_M, TCP_ULP_M, &arg),
			 -EEXIST);
}
END_TEST

/* Keys as they are now: number and nonce have moved on. */
START_TEST(do_tls_getsockopt_conf__moves_on)
{
	u8 now[56];

	ck_assert_int_eq(tls_fix_getopt(f, TLS_RX, now, 40), -EBUSY);
	ck_assert_int_eq(tls_fix_keys(f, TLS_RX, 0, 5), 0);
	tls_fix_send(f, "d10 d10");
	tls_fix_data(f, 100, 20, 0);
	ck_assert_int_eq(tls_fix_getopt(f, TLS_RX, now, 40), 40);
	tls_fix_info(f, 0, 7, info);
	if (f->version == TLS_1_2_VERSION)
		info[4 + 7] += 2;
	ck_assert_mem_eq(now, info, 40);
	ck_assert_int_eq(tls_fix_getopt(f, TLS_RX, now, 4), 4);
	ck_assert_mem_eq(now, info, 4);
	ck_assert_int_eq(tls_fix_getopt(f, TLS_RX, now, 3), -EINVAL);
	ck_assert_int_eq(tls_fix_getopt(f, TLS_RX, now, 39), -EINVAL);
	ck_assert_int_eq(tls_fix_getopt(f, TLS_RX, now, 56), -EINVAL);
	ck_assert_int_eq(tls_fix_getopt(f, TLS_RX, NULL, 40), -EINVAL);
}
END_TEST

static TCase *tc_both(const char *name, void (*setup)(void))
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, do_tls_setsockopt_conf__tx_errors);
	tcase_add_test(tc, do_tls_setsockopt_tx_zc__values);
	tcase_add_test(tc, do_tls_setsockopt_tx_payload_len__limits);
	tcase_add_test(tc, tls_setsockopt__unknown);
	tcase_add_test(tc, tls_setsockopt__other_levels);
	tcase_add_test(tc, do_tls_getsockopt_conf__moves_on);
	return tc;
}

Suite *tls_main_opt_test_suite(void)
{
	Suite *s = suite_create("tls_main_opt");
	TCase *tc = tcase_create("tls12");

	tcase_add_checked_fixture(tc, setup12, teardown);
	tcase_add_test(tc, do_tls_setsockopt_conf__order_of_errors);
	tcase_add_test(tc, do_tls_setsockopt_conf__other_direction);
	tcase_add_test(tc, do_tls_setsockopt_conf__busy);
	tcase_add_test(tc, do_tls_setsockopt_conf__bytes_before_keys);
	tcase_add_test(tc, do_tls_setsockopt_conf__bad_bytes_before_keys);
	tcase_add_test(tc, do_tls_setsockopt_conf__after_reset);
	suite_add_tcase(s, tc);

	tc = tcase_create("tls13");
	tcase_add_checked_fixture(tc, setup13, teardown);
	tcase_add_test(tc, do_tls_setsockopt_conf__failed_rekeys);
	tcase_add_test(tc, do_tls_setsockopt_conf__tx_rekey);
	tcase_add_test(tc, do_tls_setsockopt_no_pad__errors);
	suite_add_tcase(s, tc);
	suite_add_tcase(s, tc_both("both as tls12", setup12));
	suite_add_tcase(s, tc_both("both as tls13", setup13));
	return s;
}
