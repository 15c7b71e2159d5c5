// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/iov.c, in its order.
 */
#include "tests/unit/mock.h"

static struct mock *m;
static u8 buf[64];

static void setup(void)
{
	m = mock_new();
	memset(buf, 0xee, sizeof(buf));
}

static void teardown(void)
{
	mock_free(m);
}

static struct iov_iter iter_over(const struct iovec_m *iov, u32 n)
{
	struct iov_iter it;

	iov_iter_init(&it, ITER_IOVEC, iov, n);
	return it;
}

START_TEST(iov_iter_init__counts)
{
	struct iovec_m iov[] = { { buf, 3 }, { NULL, 0 }, { buf + 8, 5 } };
	struct iov_iter it = iter_over(iov, 3);

	ck_assert_uint_eq(iov_iter_count(&it), 8);
}
END_TEST

START_TEST(copy_to_iter__over_segments)
{
	struct iovec_m iov[] = { { buf, 3 }, { NULL, 0 }, { buf + 8, 5 } };
	struct iov_iter it = iter_over(iov, 3);

	ck_assert_uint_eq(copy_to_iter("abcd", 4, &it), 4);
	ck_assert_uint_eq(copy_to_iter("efghij", 6, &it), 4);
	ck_assert_mem_eq(buf, "abc\xee", 4);
	ck_assert_mem_eq(buf + 8, "defgh\xee", 6);
	ck_assert_uint_eq(iov_iter_count(&it), 0);
}
END_TEST

START_TEST(copy_to_iter__stops_at_a_bad_address)
{
	struct iovec_m iov[] = { { buf, 3 }, { NULL, 5 } };
	struct iov_iter it = iter_over(iov, 2);

	ck_assert_uint_eq(copy_to_iter("abcd", 4, &it), 3);
	ck_assert_uint_eq(copy_to_iter("d", 1, &it), 0);
	ck_assert_uint_eq(iov_iter_count(&it), 5);
}
END_TEST

START_TEST(iov_iter_advance__and_revert)
{
	struct iovec_m iov[] = { { buf, 3 }, { buf + 8, 5 }, { buf + 20, 2 } };
	struct iov_iter it = iter_over(iov, 3);

	iov_iter_advance(&it, 9);
	ck_assert_uint_eq(iov_iter_count(&it), 1);
	iov_iter_revert(&it, 8);
	ck_assert_uint_eq(iov_iter_count(&it), 9);
	ck_assert_uint_eq(copy_to_iter("abc", 3, &it), 3);
	ck_assert_mem_eq(buf + 1, "ab", 2);
	ck_assert_mem_eq(buf + 8, "c", 1);
	iov_iter_revert(&it, 4);
	ck_assert_uint_eq(iov_iter_count(&it), 10);
}
END_TEST

START_TEST(iov_iter_revert__nothing)
{
	struct iovec_m iov[] = { { buf, 3 } };
	struct iov_iter it = iter_over(iov, 1);

	iov_iter_advance(&it, 3);
	iov_iter_revert(&it, 0);
	ck_assert_uint_eq(iov_iter_count(&it), 0);
	iov_iter_revert(&it, 3);
	ck_assert_uint_eq(copy_to_iter("abc", 3, &it), 3);
}
END_TEST

START_TEST(iov_iter_get_sg__maps_without_copying)
{
	struct iovec_m iov[] = { { buf, 3 }, { NULL, 0 }, { buf + 8, 5 } };
	struct iov_iter it = iter_over(iov, 3);
	struct scatterlist sg[4];

	iov_iter_advance(&it, 1);
	ck_assert_int_eq(iov_iter_get_sg(&it, 4, sg, 4), 2);
	ck_assert_ptr_eq(sg[0].base, buf + 1);
	ck_assert_uint_eq(sg[0].len, 2);
	ck_assert_ptr_eq(sg[1].base, buf + 8);
	ck_assert_uint_eq(sg[1].len, 2);
	ck_assert_uint_eq(iov_iter_count(&it), 3);
	ck_assert_uint_eq(buf[0], 0xee);
}
END_TEST

START_TEST(iov_iter_get_sg__faults_where_it_stands)
{
	struct iovec_m iov[] = { { buf, 3 }, { NULL, 5 } };
	struct iov_iter it = iter_over(iov, 2);
	struct scatterlist sg[4];

	ck_assert_int_eq(iov_iter_get_sg(&it, 4, sg, 4), -EFAULT);
	ck_assert_uint_eq(iov_iter_count(&it), 5);
	iov_iter_revert(&it, 3);
	ck_assert_int_eq(iov_iter_get_sg(&it, 3, sg, 4), 1);
}
END_TEST

START_TEST(iov_iter_get_sg__more_than_there_is)
{
	struct iovec_m iov[] = { { buf, 3 }, { buf + 8, 5 } };
	struct iov_iter it = iter_over(iov, 2);
	struct scatterlist sg[1];

	ck_assert_int_eq(iov_iter_get_sg(&it, 9, sg, 1), -EFAULT);
}
END_TEST

START_TEST(skb_copy_datagram_iter__copies_a_range)
{
	struct iovec_m iov[] = { { buf, 3 }, { buf + 8, 5 } };
	struct iov_iter it = iter_over(iov, 2);
	struct sk_buff *skb = mock_skb(m, 0, 20);

	ck_assert_int_eq(skb_copy_datagram_iter(skb, 5, &it, 8), 0);
	ck_assert(mock_bytes_ok(buf, 5, 3));
	ck_assert(mock_bytes_ok(buf + 8, 8, 5));
	ck_assert_uint_eq(iov_iter_count(&it), 0);
	kfree_skb(skb);
}
END_TEST

/* Bytes in front of the bad address are written, and the iterator is back. */
START_TEST(skb_copy_datagram_iter__fault_reverts)
{
	struct iovec_m iov[] = { { buf, 3 }, { NULL, 5 } };
	struct iov_iter it = iter_over(iov, 2);
	struct sk_buff *skb = mock_skb(m, 0, 20);

	ck_assert_int_eq(skb_copy_datagram_iter(skb, 0, &it, 8), -EFAULT);
	ck_assert_uint_eq(iov_iter_count(&it), 8);
	ck_assert(mock_bytes_ok(buf, 0, 3));
	kfree_skb(skb);
}
END_TEST

START_TEST(skb_copy_datagram_iter__short_iterator_is_no_fault)
{
	struct iovec_m iov[] = { { buf, 3 } };
	struct iov_iter it = iter_over(iov, 1);
	struct sk_buff *skb = mock_skb(m, 0, 20);

	ck_assert_int_eq(skb_copy_datagram_iter(skb, 0, &it, 8), 0);
	ck_assert_uint_eq(iov_iter_count(&it), 0);
	kfree_skb(skb);
}
END_TEST

START_TEST(skb_copy_datagram_iter__range_not_there)
{
	struct iovec_m iov[] = { { buf, 30 } };
	struct iov_iter it = iter_over(iov, 1);
	struct sk_buff *skb = mock_skb(m, 0, 20);

	ck_assert_int_eq(skb_copy_datagram_iter(skb, 0, &it, 21), -EFAULT);
	ck_assert_uint_eq(iov_iter_count(&it), 30);
	kfree_skb(skb);
}
END_TEST

/* controllen in; flags, bytes used, whole messages, cut message out. */
static const struct {
	u32 len, flags, used, count;
	bool partial;
} cmsg_rows[] = {
	{ 0, M_MSG_CTRUNC, 0, 0, false },  { 15, M_MSG_CTRUNC, 0, 0, false },
	{ 16, M_MSG_CTRUNC, 16, 0, true }, { 17, 0, 17, 1, false },
	{ 23, 0, 23, 1, false },	   { 24, 0, 24, 1, false },
	{ 100, 0, 24, 1, false },
};

START_TEST(put_cmsg_record_type__room)
{
	struct msghdr msg = { .controllen = cmsg_rows[_i].len };

	ck_assert_int_eq(put_cmsg_record_type(&msg, 21), 0);
	ck_assert_uint_eq(msg.msg_flags, cmsg_rows[_i].flags);
	ck_assert_uint_eq(msg.control_used, cmsg_rows[_i].used);
	ck_assert_uint_eq(msg.cmsg_count, cmsg_rows[_i].count);
	ck_assert_uint_eq(msg.cmsg_type, cmsg_rows[_i].count ? 21 : 0);
	ck_assert(msg.cmsg_partial == cmsg_rows[_i].partial);
}
END_TEST

START_TEST(put_cmsg_record_type__second_uses_the_rest)
{
	struct msghdr msg = { .controllen = 40 };

	put_cmsg_record_type(&msg, 23);
	put_cmsg_record_type(&msg, 22);
	ck_assert_uint_eq(msg.control_used, 40);
	ck_assert_uint_eq(msg.cmsg_count, 1);
	ck_assert_uint_eq(msg.cmsg_type, 23);
	ck_assert(msg.cmsg_partial);
}
END_TEST

Suite *iov_test_suite(void)
{
	Suite *s = suite_create("iov");
	TCase *tc = tcase_create("iov");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, iov_iter_init__counts);
	tcase_add_test(tc, copy_to_iter__over_segments);
	tcase_add_test(tc, copy_to_iter__stops_at_a_bad_address);
	tcase_add_test(tc, iov_iter_advance__and_revert);
	tcase_add_test(tc, iov_iter_revert__nothing);
	tcase_add_test(tc, iov_iter_get_sg__maps_without_copying);
	tcase_add_test(tc, iov_iter_get_sg__faults_where_it_stands);
	tcase_add_test(tc, iov_iter_get_sg__more_than_there_is);
	tcase_add_test(tc, skb_copy_datagram_iter__copies_a_range);
	tcase_add_test(tc, skb_copy_datagram_iter__fault_reverts);
	tcase_add_test(tc, skb_copy_datagram_iter__short_iterator_is_no_fault);
	tcase_add_test(tc, skb_copy_datagram_iter__range_not_there);
	tcase_add_loop_test(tc, put_cmsg_record_type__room, 0,
			    ARRAY_SIZE(cmsg_rows));
	tcase_add_test(tc, put_cmsg_record_type__second_uses_the_rest);
	suite_add_tcase(s, tc);
	return s;
}
