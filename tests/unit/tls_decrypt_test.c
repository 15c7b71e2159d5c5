// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/tls_decrypt.c, in its order.
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

static void setup13(void)
{
	start(TLS_1_3_VERSION, TLS_CIPHER_AES_GCM_128);
}

static void teardown(void)
{
	tls_fix_free(f);
}

static void no_pad(void)
{
	u32 one = 1;

	ck_assert_int_eq(tls_fix_setopt(f, TLS_RX_EXPECT_NO_PAD, &one, 4), 0);
}

/* Takes the record in front as splice would: decrypted into an skb. */
static int one_record(struct tls_decrypt_arg *darg)
{
	int err;

	lock_sock(f->sk);
	err = tls_rx_rec_wait(f->sk, true, true, false);
	ck_assert_int_eq(err, 1);
	err = tls_rx_one_record(f->sk, NULL, darg);
	release_sock(f->sk);
	return err;
}

static const struct {
	u16 version;
	enum tls_cipher_type cipher;
} kinds[] = {
	{ TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128 },
	{ TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_256 },
	{ TLS_1_2_VERSION, TLS_CIPHER_AES_CCM_128 },
	{ TLS_1_2_VERSION, TLS_CIPHER_CHACHA20_POLY1305 },
	{ TLS_1_3_VERSION, TLS_CIPHER_AES_GCM_128 },
	{ TLS_1_3_VERSION, TLS_CIPHER_AES_GCM_256 },
	{ TLS_1_3_VERSION, TLS_CIPHER_AES_CCM_128 },
	{ TLS_1_3_VERSION, TLS_CIPHER_CHACHA20_POLY1305 },
};

/* Every cipher, zero copy and not, in one and in many segments. */
START_TEST(tls_decrypt_sg__all_ciphers)
{
	start(kinds[_i].version, kinds[_i].cipher);
	tls_fix_send(f, "d0 d1 d100 d16384");
	tls_fix_data(f, 20000, 16485, 0);
	tls_fix_build(f, "d333 d16000");
	while (f->sent < f->built)
		tls_fix_tx(f, f->built - f->sent < 777 ?
				      (int)(f->built - f->sent) :
				      777);
	tls_fix_data(f, 5000, 5000, 16485);
	tls_fix_data(f, 20000, 11333, 21485);
	teardown();
}
END_TEST

/* More pieces than the stack has room for, in and out. */
START_TEST(tls_decrypt_sg__many_pieces)
{
	static struct iovec_m iov[400];
	struct msghdr msg = { .controllen = 64 };
	u32 i;

	start(kinds[_i].version, kinds[_i].cipher);
	tls_fix_build(f, "d400");
	for (i = f->sent; i < f->built; i++)
		tls_fix_tx(f, 1);
	for (i = 0; i < 400; i++)
		iov[i] = (struct iovec_m){ f->buf + i, 1 };
	iov_iter_init(&msg.iter, ITER_IOVEC, iov, 400);
	ck_assert_int_eq(tls_sw_recvmsg(f->sk, &msg, 400, NB), 400);
	ck_assert(tls_fix_is_stream(f->buf, 0, 400));
	teardown();
}
END_TEST

/* The record's geometry stays: plaintext starts behind the prepend. */
START_TEST(tls_decrypt_sg__geometry)
{
	struct tls_decrypt_arg darg = { 0 };

	tls_fix_send(f, "d100");
	ck_assert_int_eq(one_record(&darg), 0);
	ck_assert_uint_eq(darg.skb->len, 129);
	ck_assert_uint_eq(darg.skb->cb.offset, 13);
	ck_assert_uint_eq(darg.skb->cb.full_len, 100);
	ck_assert_uint_eq(darg.skb->cb.control, 23);
	ck_assert_uint_eq(darg.skb->cb.recno, 0);
	ck_assert_ptr_ne(darg.skb, tls_strp_msg(ctx));
	kfree_skb(darg.skb);
}
END_TEST

START_TEST(tls_decrypt_sg__geometry_13)
{
	struct tls_decrypt_arg darg = { 0 };

	tls_fix_send(f, "d100,pad=7");
	ck_assert_int_eq(one_record(&darg), 0);
	ck_assert_uint_eq(darg.skb->len, 129);
	ck_assert_uint_eq(darg.skb->cb.offset, 5);
	ck_assert_uint_eq(darg.skb->cb.full_len, 100);
	kfree_skb(darg.skb);
}
END_TEST

/* No memory kills the connection, yet the record stays readable. */
START_TEST(tls_decrypt_sg__nomem)
{
	static const enum m_site sites[] = { SITE_DECRYPT_SKB,
					     SITE_DECRYPT_REQ };

	setup13();
	tls_fix_send(f, "d10");
	mock_fail(f->m, sites[_i], 1);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -ENOMEM);
	ck_reason(f, "tls-decrypt-nomem");
	ck_assert_int_eq(f->sk->sk_err, EBADMSG);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsDecryptError), 0);
	tls_fix_data(f, 100, 10, 0);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EBADMSG);
	teardown();
}
END_TEST

/* One request a decryption, whatever its size. */
START_TEST(tls_decrypt_sg__one_request_each)
{
	tls_fix_send(f, "d10 d10 d10");
	tls_fix_data(f, 100, 30, 0);
	ck_assert_uint_eq(f->m->allocs[SITE_DECRYPT_REQ], 3);
	ck_assert_uint_eq(f->m->allocs[SITE_DECRYPT_SKB], 0);
}
END_TEST

/* Garbage of a bad record reaches the buffer in zero copy, not otherwise. */
START_TEST(tls_decrypt_sg__bad_tag_writes_user_memory)
{
	tls_fix_send(f, "d10,badtag");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EBADMSG);
	ck_assert(tls_fix_is_stream(f->buf, 0, 10));
	ck_assert_uint_eq(f->buf[10], 0xee);
	ck_assert_uint_eq(mock_event_count(f->m, EV_PUT_USER), 0);
	ck_assert_int_eq(tls_fix_recv(f, 9, NB), -EBADMSG);
	ck_assert_uint_eq(f->buf[0], 0xee);
}
END_TEST

/* A good record that only a synchronous cipher could decrypt is not pending. */
START_TEST(tls_do_decryption__finishes_at_once)
{
	ctx->async_capable = true;
	tls_fix_send(f, "d10 d10,badtag");
	tls_fix_data(f, 10, 10, 0);
	ck_assert_int_eq(ctx->decrypt_pending, 1);
	ck_assert_int_eq(tls_fix_recv(f, 10, NB), -EBADMSG);
	ck_assert_int_eq(ctx->decrypt_pending, 1);
}
END_TEST

/* The type byte of a TLS 1.3 header is neither checked nor authenticated. */
START_TEST(tls_make_aad__outer_type_13)
{
	tls_fix_send(f, "d10,outer=21 a2,outer=0");
	tls_fix_data(f, 100, 10, 0);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 2);
	ck_msg(f, M_MSG_EOR, 21);
}
END_TEST

START_TEST(tls_make_aad__outer_type_12)
{
	tls_fix_send(f, "d10,outer=21");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EBADMSG);
	ck_reason(f, "tls-bad-tag");
}
END_TEST

/* TLS 1.2 takes the nonce from the record and does not compare it. */
START_TEST(tls_make_nonce__from_record_12)
{
	struct tls_context *tls = tls_get_ctx(f->sk);

	memset(tls->rx.iv + 4, 0, 8);
	tls_fix_send(f, "d10");
	tls_fix_data(f, 100, 10, 0);
}
END_TEST

/* Padding and type, TLS 1.3 */

START_TEST(tls_padding_length__lengths)
{
	static const char *const recs[] = {
		"d10",	      "d10,pad=1",    "d10,pad=63",    "d10,pad=64",
		"d10,pad=65", "d10,pad=1000", "d10,pad=16374",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(recs); i++) {
		tls_fix_send(f, recs[i]);
		tls_fix_data(f, 100, 10, 10 * i);
	}
	tls_fix_send(f, "d0,pad=200 a2,pad=3");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 0);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 2);
	ck_msg(f, M_MSG_EOR, 21);
}
END_TEST

/* Authentic but senseless: an error that is not counted as one. */
START_TEST(tls_padding_length__all_zero)
{
	tls_fix_send(f, "h10,zero,pad=5");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EBADMSG);
	ck_reason(f, "tls-all-padding");
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsDecryptError), 0);
	ck_assert_int_eq(f->sk->sk_err, EBADMSG);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EBADMSG);
}
END_TEST

START_TEST(tls_padding_length__no_inner_type)
{
	no_pad();
	tls_fix_send(f, "d0,noinner");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EBADMSG);
	ck_reason(f, "tls-no-inner-type");
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsDecryptError), 0);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsDecryptRetry), 0);
}
END_TEST

START_TEST(tls_padding_length__no_inner_type_bad_tag)
{
	tls_fix_send(f, "d0,noinner,badtag");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EBADMSG);
	ck_reason(f, "tls-bad-tag");
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsDecryptError), 1);
}
END_TEST

/* Zero copy of TLS 1.3, and its retry */

START_TEST(tls_decrypt_sw__no_pad_zero_copy)
{
	no_pad();
	tls_fix_send(f, "d100");
	tls_fix_data(f, 200, 100, 0);
	ck_assert_uint_eq(f->buf[100], 0xee);
	ck_assert_int_eq(mock_event(f->m, EV_DECRYPTED_TYPE, 0)->c, 1);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsDecryptRetry), 0);
}
END_TEST

START_TEST(tls_decrypt_sw__retries)
{
	no_pad();
	tls_fix_send(f, "d10,pad=3 d10 h5 h5,pad=2");
	tls_fix_data(f, 100, 20, 0);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 5);
	ck_msg(f, M_MSG_EOR, 22);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 5);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsDecryptRetry), 3);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsRxNoPadViolation), 2);
}
END_TEST

/* The iterator goes back for the retry (bug 90). */
START_TEST(tls_decrypt_sw__retry_restores_iterator)
{
	no_pad();
	tls_fix_send(f, "h32");
	memset(f->buf, 0xee, 200);
	f->iov[0] = (struct iovec_m){ f->buf, 20 };
	f->iov[1] = (struct iovec_m){ f->buf + 100, 20 };
	f->iov[2] = (struct iovec_m){ f->buf + 150, 50 };
	memset(&f->msg, 0, sizeof(f->msg));
	f->msg.controllen = 64;
	iov_iter_init(&f->msg.iter, ITER_IOVEC, f->iov, 3);
	ck_assert_int_eq(tls_sw_recvmsg(f->sk, &f->msg, 90, NB), 32);
	ck_assert_uint_eq(f->buf[19], 0xfc);
	ck_assert_uint_eq(f->buf[111], 0xfc);
	ck_assert_uint_eq(f->buf[112], 0xee);
	ck_assert_uint_eq(f->buf[150], 0xee);
}
END_TEST

START_TEST(tls_decrypt_sw__retry_nomem)
{
	no_pad();
	tls_fix_send(f, "h32");
	mock_fail(f->m, SITE_DECRYPT_REQ, 2);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -ENOMEM);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 32);
}
END_TEST

/* KeyUpdate */

START_TEST(tls_check_pending_rekey__first_byte_decides)
{
	tls_fix_send(f, "h5 h0");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 5);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 0);
	ck_assert(!ctx->key_update_pending);
	tls_fix_send(f, "k1");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 1);
	ck_assert(ctx->key_update_pending);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsRxRekeyReceived), 1);
	ck_assert_int_eq(mock_event(f->m, EV_KEY_UPDATE, 0)->a, 2);
}
END_TEST

/* Detected when decrypted, even if the caller has no room for the type. */
START_TEST(tls_check_pending_rekey__parked_record)
{
	tls_fix_send(f, "k5 d10");
	f->ctl = 0;
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EIO);
	ck_assert(ctx->key_update_pending);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EIO);
	f->ctl = 64;
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 5);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EKEYEXPIRED);
}
END_TEST

/* The record */

START_TEST(tls_rx_one_record__nonce_state_12)
{
	static const u8 iv[8] = {
		0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x69
	};
	struct tls_context *tls = tls_get_ctx(f->sk);

	tls_fix_send(f, "d10");
	tls_fix_data(f, 100, 10, 0);
	ck_assert_uint_eq(tls->rx.rec_seq[7], 1);
	ck_assert_mem_eq(tls->rx.iv + 4, iv, 8);
}
END_TEST

START_TEST(tls_rx_one_record__nonce_state_13)
{
	struct tls_context *tls = tls_get_ctx(f->sk);

	tls_fix_send(f, "d10");
	tls_fix_data(f, 100, 10, 0);
	ck_assert_uint_eq(tls->rx.rec_seq[7], 1);
	ck_assert_uint_eq(tls->rx.iv[11], 0x68);
}
END_TEST

START_TEST(tls_rx_one_record__failure_keeps_number)
{
	struct tls_context *tls = tls_get_ctx(f->sk);

	tls_fix_send(f, "d10,badtag");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EBADMSG);
	ck_assert_uint_eq(tls->rx.rec_seq[7], 0);
	ck_assert(ctx->strp.msg_ready);
	ck_assert_int_eq(mock_event(f->m, EV_DECRYPT, 0)->c, -EBADMSG);
	ck_assert_int_eq(mock_event(f->m, EV_DECRYPT, 0)->b, 10);
}
END_TEST

/* After the wrap a record that was parsed already is tried with number 0. */
START_TEST(tls_rx_one_record__number_zero_after_wrap)
{
	struct tls_context *tls = tls_get_ctx(f->sk);

	memset(tls->rx.rec_seq, 0xff, 8);
	tls_fix_seal_with(f, 0, UINT64_MAX);
	tls_fix_send(f, "d10 d10");
	tls_fix_data(f, 100, 20, 0);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EBADMSG);
	ck_reason(f, "tls-aborted");
}
END_TEST

START_TEST(tls_decrypt_async_wait__nothing_outstanding)
{
	ctx->async_wait_err = -EBADMSG;
	tls_fix_send(f, "d10");
	ck_assert_int_eq(tls_strp_msg_hold(&ctx->strp, &ctx->async_hold), 0);
	ck_assert_int_eq(tls_decrypt_async_wait(ctx), -EBADMSG);
	ck_assert(skb_queue_empty(&ctx->async_hold));
}
END_TEST

static TCase *tc_all(void)
{
	TCase *tc = tcase_create("all");
	int n = (int)ARRAY_SIZE(kinds);

	tcase_add_loop_test(tc, tls_decrypt_sg__all_ciphers, 0, n);
	tcase_add_loop_test(tc, tls_decrypt_sg__many_pieces, 0, n);
	tcase_add_loop_test(tc, tls_decrypt_sg__nomem, 0, 2);
	return tc;
}

static TCase *tc12(void)
{
	TCase *tc = tcase_create("tls12");

	tcase_add_checked_fixture(tc, setup12, teardown);
	tcase_add_test(tc, tls_make_aad__outer_type_12);
	tcase_add_test(tc, tls_make_nonce__from_record_12);
	tcase_add_test(tc, tls_do_decryption__finishes_at_once);
	tcase_add_test(tc, tls_decrypt_sg__geometry);
	tcase_add_test(tc, tls_decrypt_sg__one_request_each);
	tcase_add_test(tc, tls_decrypt_sg__bad_tag_writes_user_memory);
	tcase_add_test(tc, tls_check_pending_rekey__first_byte_decides);
	tcase_add_test(tc, tls_rx_one_record__nonce_state_12);
	tcase_add_test(tc, tls_rx_one_record__failure_keeps_number);
	tcase_add_test(tc, tls_rx_one_record__number_zero_after_wrap);
	tcase_add_test(tc, tls_decrypt_async_wait__nothing_outstanding);
	return tc;
}

static TCase *tc13(void)
{
	TCase *tc = tcase_create("tls13");

	tcase_add_checked_fixture(tc, setup13, teardown);
	tcase_add_test(tc, tls_make_aad__outer_type_13);
	tcase_add_test(tc, tls_decrypt_sg__geometry_13);
	tcase_add_test(tc, tls_padding_length__lengths);
	tcase_add_test(tc, tls_padding_length__all_zero);
	tcase_add_test(tc, tls_padding_length__no_inner_type);
	tcase_add_test(tc, tls_padding_length__no_inner_type_bad_tag);
	tcase_add_test(tc, tls_decrypt_sw__no_pad_zero_copy);
	tcase_add_test(tc, tls_decrypt_sw__retries);
	tcase_add_test(tc, tls_decrypt_sw__retry_restores_iterator);
	tcase_add_test(tc, tls_decrypt_sw__retry_nomem);
	tcase_add_test(tc, tls_check_pending_rekey__first_byte_decides);
	tcase_add_test(tc, tls_check_pending_rekey__parked_record);
	tcase_add_test(tc, tls_rx_one_record__nonce_state_13);
	return tc;
}

Suite *tls_decrypt_test_suite(void)
{
	Suite *s = suite_create("tls_decrypt");

	suite_add_tcase(s, tc_all());
	suite_add_tcase(s, tc12());
	suite_add_tcase(s, tc13());
	return s;
}
