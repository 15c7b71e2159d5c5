// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/tls_rx_list.c, in its order; "vector N" is a row of what real
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

/* Types */

START_TEST(tls_record_content_type__types_one_by_one)
{
	static const struct {
		int ret;
		u8 type;
	} want[] = { { 10, 23 }, { 2, 21 }, { 7, 22 },
		     { 1, 20 },	 { 3, 99 }, { 10, 23 } };
	u32 i;

	tls_fix_send(f, "d10 a2 h7 c1 u99:3 d10");
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		ck_assert_int_eq(tls_fix_recv(f, 100, NB), want[i].ret);
		ck_msg(f, EOR, want[i].type);
	}
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EAGAIN);
	ck_reason(f, "tls-again-empty");
}
END_TEST

/* Data without a control buffer works, but says that the type was lost. */
START_TEST(tls_record_content_type__no_control_buffer)
{
	tls_fix_send(f, "d10 a2 d3");
	f->ctl = 0;
	tls_fix_data(f, 100, 10, 0);
	ck_assert_uint_eq(f->msg.msg_flags, M_MSG_EOR | M_MSG_CTRUNC);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EIO);
	ck_reason(f, "tls-control-no-room");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EIO);
	f->ctl = 64;
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 2);
	ck_msg(f, EOR, 21);
	ck_reason(f, "tls-list-control");
	tls_fix_data(f, 100, 3, 10);
}
END_TEST

START_TEST(tls_record_content_type__control_len_17)
{
	tls_fix_send(f, "a2");
	f->ctl = 16;
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EIO);
	f->ctl = 17;
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 2);
	ck_msg(f, EOR, 21);
}
END_TEST

/* Type 0 cannot be reported; it is no connection error but blocks for ever. */
START_TEST(tls_record_content_type__type_zero)
{
	tls_fix_send(f, "u0:3 d5");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EBADMSG);
	ck_reason(f, "tls-type-zero");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), -EBADMSG);
	ck_assert_uint_eq(tls_fix_poll(f), M_POLLIN);
	ck_assert_int_eq(tls_fix_so_error(f), 0);
	ck_assert_int_eq(tls_fix_mib(f, MIB_TlsDecryptError), 0);
}
END_TEST

/* rx_list */

START_TEST(process_rx_list__part_has_no_eor)
{
	tls_fix_send(f, "d10");
	tls_fix_data(f, 4, 4, 0);
	ck_msg(f, 0, 23);
	ck_reason(f, "tls-recv-part");
	tls_fix_data(f, 4, 4, 4);
	ck_msg(f, 0, 23);
	ck_reason(f, "tls-list-full");
	tls_fix_data(f, 100, 2, 8);
	ck_msg(f, EOR, 23);
	ck_reason(f, "tls-recv-target");
}
END_TEST

/* Vector 7: EOR of repeated peeks, even for a prefix. */
START_TEST(process_rx_list__peek_eor)
{
	tls_fix_send(f, "d10 d10");
	ck_assert_int_eq(tls_fix_recv(f, 4, NB | M_MSG_PEEK), 4);
	ck_msg(f, 0, 23);
	ck_reason(f, "tls-peek-full");
	ck_assert_int_eq(tls_fix_recv(f, 4, NB | M_MSG_PEEK), 4);
	ck_msg(f, EOR, 23);
	ck_reason(f, "tls-peek-list");
	ck_assert_int_eq(tls_fix_recv(f, 15, NB | M_MSG_PEEK), 15);
	ck_assert(tls_fix_is_stream(f->buf, 0, 15));
	ck_msg(f, EOR, 23);
	tls_fix_data(f, 4, 4, 0);
	ck_msg(f, 0, 23);
	tls_fix_data(f, 6, 6, 4);
	ck_msg(f, EOR, 23);
	tls_fix_data(f, 15, 10, 10);
	ck_msg(f, EOR, 23);
}
END_TEST

/* Vector 8 */
START_TEST(process_rx_list__part_of_second)
{
	tls_fix_send(f, "d10 d10");
	tls_fix_data(f, 15, 15, 0);
	ck_msg(f, EOR, 23);
	tls_fix_data(f, 5, 5, 15);
	ck_msg(f, EOR, 23);
}
END_TEST

/* Vector 9 */
START_TEST(process_rx_list__control_records_stay_apart)
{
	tls_fix_send(f, "a10 a10");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB | M_MSG_PEEK), 10);
	ck_msg(f, 0, 21);
	ck_assert_int_eq(tls_fix_recv(f, 4, NB), 4);
	ck_msg(f, 0, 21);
	ck_assert_int_eq(tls_fix_recv(f, 50, NB), 6);
	ck_msg(f, EOR, 21);
	ck_assert_int_eq(tls_fix_recv(f, 50, NB), 10);
	ck_msg(f, EOR, 21);
}
END_TEST

START_TEST(process_rx_list__type_change)
{
	tls_fix_send(f, "d10 a2");
	ck_assert_int_eq(tls_fix_recv(f, 4, NB | M_MSG_PEEK), 4);
	ck_assert_int_eq(tls_fix_recv(f, 100, NB | M_MSG_PEEK), 10);
	ck_reason(f, "tls-type-change");
	tls_fix_data(f, 100, 10, 0);
	ck_reason(f, "tls-type-change");
	ck_assert_int_eq(tls_fix_recv(f, 100, NB), 2);
}
END_TEST

/* A peek that faults must leave everything for the next call. */
START_TEST(process_rx_list__copy_fault)
{
	tls_fix_send(f, "d10 d10");
	ck_assert_int_eq(tls_fix_recv(f, 20, NB | M_MSG_PEEK), 20);
	ck_assert_int_eq(tls_fix_recv_bad(f, 4, 20), -EFAULT);
	ck_reason(f, "tls-copy-fault");
	ck_assert_int_eq(tls_fix_recv_bad(f, 14, 20), 10);
	ck_reason(f, "tls-copy-fault");
	tls_fix_data(f, 100, 10, 10);
	ck_assert_uint_eq(tls_fix_poll(f), 0);
}
END_TEST

/* Only asynchronous peeks skip; the arithmetic has to hold for them. */
START_TEST(process_rx_list__skip)
{
	struct iovec_m iov = { f->buf, 100 };
	struct msghdr msg = { .controllen = 64 };
	struct tls_rx_list_arg arg = {
		.msg = &msg, .skip = 13, .len = 5, .peek = true
	};
	u8 control = 0;

	tls_fix_send(f, "d10 d10");
	ck_assert_int_eq(tls_fix_recv(f, 20, NB | M_MSG_PEEK), 20);
	iov_iter_init(&msg.iter, ITER_UBUF, &iov, 1);
	arg.control = &control;
	lock_sock(f->sk);
	ck_assert_int_eq(
		process_rx_list(f->sk, tls_sw_ctx_rx(tls_get_ctx(f->sk)), &arg),
		5);
	release_sock(f->sk);
	ck_assert(tls_fix_is_stream(f->buf, 13, 5));
	ck_assert(!arg.more);
}
END_TEST

static TCase *tc12(void)
{
	TCase *tc = tcase_create("tls12");

	tcase_add_checked_fixture(tc, setup12, teardown);
	tcase_add_test(tc, tls_record_content_type__type_zero);
	return tc;
}

/* What does not depend on the version runs with both. */
static TCase *tc_both(const char *name, void (*setup)(void))
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, tls_record_content_type__types_one_by_one);
	tcase_add_test(tc, tls_record_content_type__no_control_buffer);
	tcase_add_test(tc, tls_record_content_type__control_len_17);
	tcase_add_test(tc, process_rx_list__part_has_no_eor);
	tcase_add_test(tc, process_rx_list__peek_eor);
	tcase_add_test(tc, process_rx_list__part_of_second);
	tcase_add_test(tc, process_rx_list__control_records_stay_apart);
	tcase_add_test(tc, process_rx_list__type_change);
	tcase_add_test(tc, process_rx_list__copy_fault);
	tcase_add_test(tc, process_rx_list__skip);
	return tc;
}

Suite *tls_rx_list_test_suite(void)
{
	Suite *s = suite_create("tls_rx_list");

	suite_add_tcase(s, tc_both("both as tls12", setup12));
	suite_add_tcase(s, tc_both("both as tls13", setup13));
	suite_add_tcase(s, tc12());
	return s;
}
