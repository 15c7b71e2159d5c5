// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/tls_sw_ctx.c, in its order.
 */
#include "tests/unit/tls_fixture.h"

static struct tls_fix *f;
static struct tls_context *tls;
static const int NB = M_MSG_DONTWAIT;

static void start(u16 version, enum tls_cipher_type cipher)
{
	f = tls_fix_plain(version, cipher, 0);
	lock_sock(f->sk);
	ck_assert_int_eq(tls_init(f->sk), 0);
	release_sock(f->sk);
	tls = tls_get_ctx(f->sk);
}

static void setup12(void)
{
	start(TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128);
}

static void setup13(void)
{
	start(TLS_1_3_VERSION, TLS_CIPHER_AES_GCM_128);
	ck_assert_int_eq(tls_fix_keys(f, TLS_RX, 0, 0), 0);
}

static void teardown(void)
{
	tls_fix_free(f);
}

static void at_point(struct mock *m, enum m_point point, void *arg)
{
	(void)point;
	*(u32 *)arg = m->k.gfp_atomic;
}

/* Parsing from softirq allocates without sleeping, and only that. */
START_TEST(tls_data_ready__atomic)
{
	u32 seen = 99;

	ck_assert_int_eq(tls_fix_keys(f, TLS_RX, 0, 0), 0);
	tls_fix_send(f, "d10");
	ck_assert_uint_eq(f->m->k.gfp_atomic, 0);
	mock_points(f->m, at_point, &seen);
	tls_fix_data(f, 10, 10, 0);
	ck_assert_uint_eq(seen, 0);
	mock_points(f->m, NULL, NULL);
}
END_TEST

START_TEST(tls_init_prot_info__sizes)
{
	static const struct {
		u16 version;
		u16 cipher;
		u16 prepend, overhead, tail, aad, salt, iv;
	} rows[] = {
		{ 0x303, TLS_CIPHER_AES_GCM_128, 13, 29, 0, 13, 4, 8 },
		{ 0x303, TLS_CIPHER_AES_GCM_256, 13, 29, 0, 13, 4, 8 },
		{ 0x303, TLS_CIPHER_AES_CCM_128, 13, 29, 0, 13, 4, 8 },
		{ 0x303, TLS_CIPHER_CHACHA20_POLY1305, 5, 21, 0, 13, 0, 12 },
		{ 0x304, TLS_CIPHER_AES_GCM_128, 5, 22, 1, 5, 4, 8 },
		{ 0x304, TLS_CIPHER_CHACHA20_POLY1305, 5, 22, 1, 5, 0, 12 },
	};
	struct tls_prot_info p;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		tls_init_prot_info(&p, rows[i].version,
				   get_cipher_desc(rows[i].cipher));
		ck_assert_uint_eq(p.prepend_size, rows[i].prepend);
		ck_assert_uint_eq(p.overhead_size, rows[i].overhead);
		ck_assert_uint_eq(p.tail_size, rows[i].tail);
		ck_assert_uint_eq(p.aad_size, rows[i].aad);
		ck_assert_uint_eq(p.salt_size, rows[i].salt);
		ck_assert_uint_eq(p.iv_size, rows[i].iv);
		ck_assert_uint_eq(p.tag_size, 16);
	}
}
END_TEST

START_TEST(tls_update_rx_zc_capable__versions)
{
	u32 val = 1;

	ck_assert(!tls->rx_ctx->zc_capable);
	ck_assert_int_eq(tls_fix_setopt(f, TLS_RX_EXPECT_NO_PAD, &val, 4), 0);
	ck_assert(tls->rx_ctx->zc_capable);
	/* Stays over a rekey. */
	ck_assert_int_eq(tls_fix_keys(f, TLS_RX, 1, 0), 0);
	ck_assert(tls->rx_ctx->zc_capable);
	val = 0;
	ck_assert_int_eq(tls_fix_setopt(f, TLS_RX_EXPECT_NO_PAD, &val, 4), 0);
	ck_assert(!tls->rx_ctx->zc_capable);
}
END_TEST

START_TEST(tls_set_sw_offload__state_after_first)
{
	ck_assert_int_eq(tls_fix_keys(f, TLS_RX, 0, 0), 0);
	ck_assert(tls->rx_ctx->zc_capable);
	ck_assert(!tls->rx_ctx->async_capable);
	ck_assert_int_eq(tls->rx_ctx->decrypt_pending, 1);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsRxSw), 1);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsCurrRxSw), 1);
	ck_assert_int_eq(mock_event(f->m, EV_KEYS, 0)->b, 0);
	ck_assert_ptr_eq(tls->rx_ctx->saved_data_ready, sock_def_readable);
}
END_TEST

/* Each allocation of a first install fails once; the next try succeeds. */
START_TEST(tls_set_sw_offload__nomem)
{
	static const enum m_site sites[] = { SITE_TLS_RX_CTX, SITE_AEAD,
					     SITE_STRP_ANCHOR };

	mock_fail(f->m, sites[_i], 1);
	ck_assert_int_eq(tls_fix_keys(f, TLS_RX, 0, 0), -ENOMEM);
	ck_reason(f, "tls-keys-nomem");
	ck_assert_ptr_null(tls->rx_ctx);
	ck_assert_ptr_eq(f->sk->sk_data_ready, sock_def_readable);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsRxSw), 0);
	ck_assert_int_eq(tls_fix_keys(f, TLS_RX, 0, 0), 0);
	tls_fix_send(f, "d10");
	tls_fix_data(f, 100, 10, 0);
}
END_TEST

/* KeyUpdate, new keys, and the stream goes on. */
START_TEST(tls_set_sw_offload__rekey)
{
	tls_fix_send(f, "d10 k5");
	tls_fix_seal_with(f, 1, 0);
	tls_fix_send(f, "d20");
	tls_fix_data(f, 100, 10, 0);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 5);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EKEYEXPIRED);
	tls_fix_announces(f);
	ck_assert_int_eq(tls_fix_keys(f, TLS_RX, 1, 0), 0);
	ck_reason(f, "tls-rekeyed");
	ck_assert_int_eq(mock_event(f->m, EV_KEYS, 0)->b, 1);
	ck_assert_int_eq(mock_event(f->m, EV_ANNOUNCE, 0)->b, -1);
	ck_assert_uint_eq(tls_fix_announces(f), 1);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsRxRekeyOk), 1);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsRxSw), 1);
	ck_assert_uint_eq(tls_fix_poll(f), M_POLLIN);
	tls_fix_data(f, 100, 20, 10);
}
END_TEST

/* Vector 21: a record that is parsed already gets the new key. */
START_TEST(tls_set_sw_offload__rekey_out_of_the_blue)
{
	tls_fix_send(f, "d10");
	ck_assert_int_eq(tls_fix_keys(f, TLS_RX, 1, 0), 0);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EBADMSG);
}
END_TEST

/* What is decrypted stays; the record number of the log goes on. */
START_TEST(tls_set_sw_offload__rekey_keeps_list)
{
	tls_fix_send(f, "d10");
	tls_fix_data(f, 4, 4, 0);
	ck_assert_int_eq(tls_fix_keys(f, TLS_RX, 1, 7), 0);
	tls_fix_data(f, 6, 6, 4);
	tls_fix_seal_with(f, 1, 7);
	tls_fix_send(f, "d10");
	tls_fix_data(f, 100, 10, 10);
	ck_assert_int_eq(mock_event(f->m, EV_PARSED, 1)->a, 1);
}
END_TEST

START_TEST(tls_sw_release_resources_rx__rx_list)
{
	tls_fix_send(f, "d10 d10");
	ck_assert_int_eq(tls_fix_recv(f, 20, NB | M_MSG_PEEK), 20);
	tls_fix_close(f);
	ck_assert_uint_eq(mock_event_count(f->m, EV_RX_LIST_DEL), 2);
	ck_assert_ptr_eq(f->sk->sk_data_ready, sock_def_readable);
}
END_TEST

Suite *tls_sw_ctx_test_suite(void)
{
	Suite *s = suite_create("tls_sw_ctx");
	TCase *tc = tcase_create("tls12");

	tcase_add_checked_fixture(tc, setup12, teardown);
	tcase_add_test(tc, tls_data_ready__atomic);
	tcase_add_test(tc, tls_init_prot_info__sizes);
	tcase_add_test(tc, tls_set_sw_offload__state_after_first);
	tcase_add_loop_test(tc, tls_set_sw_offload__nomem, 0, 3);
	suite_add_tcase(s, tc);

	tc = tcase_create("tls13");
	tcase_add_checked_fixture(tc, setup13, teardown);
	tcase_add_test(tc, tls_update_rx_zc_capable__versions);
	tcase_add_test(tc, tls_set_sw_offload__rekey);
	tcase_add_test(tc, tls_set_sw_offload__rekey_out_of_the_blue);
	tcase_add_test(tc, tls_set_sw_offload__rekey_keeps_list);
	tcase_add_test(tc, tls_sw_release_resources_rx__rx_list);
	suite_add_tcase(s, tc);
	return s;
}
