// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/skb_coalesce.c, in its order.
 */
#include "tests/unit/mock.h"

static struct mock *m;
static u32 delta;
static bool headstolen;

static void setup(void)
{
	m = mock_new();
	delta = 12345;
	headstolen = true;
}

static void teardown(void)
{
	mock_free(m);
}

/* An skb of @n one-byte frags. */
static struct sk_buff *many_frags(u32 seq, u32 n)
{
	struct sk_buff *skb = mock_skb(m, seq, 1);
	struct page *page = skb->frags[0].page;
	u32 i;

	for (i = 1; i < n; i++) {
		page->data[i] = mock_byte(seq + i);
		get_page(page);
		skb_add_rx_frag(skb, page, i, 1, 1);
	}
	return skb;
}

static bool try_coalesce(struct sk_buff *to, struct sk_buff *from)
{
	bool ok = skb_try_coalesce(to, from, &delta, &headstolen);

	if (ok)
		kfree_skb_partial(from, headstolen);
	else
		kfree_skb(from);
	return ok;
}

static void expect_bytes(const struct sk_buff *skb, u32 seq, u32 len)
{
	u8 buf[512];

	ck_assert_uint_eq(skb->len, len);
	ck_assert_int_eq(skb_copy_bits(skb, 0, buf, len), 0);
	ck_assert(mock_bytes_ok(buf, seq, len));
}

START_TEST(skb_try_coalesce__frags_move_over)
{
	struct sk_buff *to = mock_skb(m, 0, 100);

	ck_assert(try_coalesce(to, mock_skb(m, 100, 50)));
	ck_assert_uint_eq(to->nr_frags, 2);
	/* Facts R15: 932, then 50 for a merged one. */
	ck_assert_uint_eq(delta, 50);
	ck_assert_uint_eq(to->truesize, 982);
	ck_assert(!headstolen);
	expect_bytes(to, 0, 150);
	kfree_skb(to);
}
END_TEST

START_TEST(skb_try_coalesce__not_into_a_cloned_one)
{
	struct sk_buff *to = mock_skb(m, 0, 100);

	to->cloned = true;
	ck_assert(!try_coalesce(to, mock_skb(m, 100, 50)));
	expect_bytes(to, 0, 100);
	kfree_skb(to);
}
END_TEST

START_TEST(skb_try_coalesce__tail_room_takes_a_copy)
{
	struct sk_buff *to = mock_skb_head(m, 0, 10, 20, M_HEAD_SLAB);

	ck_assert(try_coalesce(to, mock_skb(m, 10, 20)));
	ck_assert_uint_eq(delta, 0);
	ck_assert_uint_eq(to->nr_frags, 0);
	expect_bytes(to, 0, 30);
	kfree_skb(to);
}
END_TEST

START_TEST(skb_try_coalesce__no_tail_room_behind_frags)
{
	struct sk_buff *to = mock_skb_head(m, 0, 10, 20, M_HEAD_SLAB);

	ck_assert(try_coalesce(to, mock_skb(m, 10, 21)));
	ck_assert_uint_eq(to->nr_frags, 1);
	ck_assert(try_coalesce(to, mock_skb(m, 31, 5)));
	ck_assert_uint_eq(to->nr_frags, 2);
	expect_bytes(to, 0, 36);
	kfree_skb(to);
}
END_TEST

START_TEST(skb_try_coalesce__bare_fin_always_fits)
{
	struct sk_buff *to = many_frags(0, 17);

	ck_assert(try_coalesce(to, mock_skb(m, 17, 0)));
	ck_assert_uint_eq(delta, 0);
	expect_bytes(to, 0, 17);
	kfree_skb(to);
}
END_TEST

START_TEST(skb_try_coalesce__seventeen_frags_at_most)
{
	struct sk_buff *to = many_frags(0, 16);

	ck_assert(try_coalesce(to, mock_skb(m, 16, 1)));
	ck_assert_uint_eq(to->nr_frags, 17);
	ck_assert(!try_coalesce(to, mock_skb(m, 17, 1)));
	expect_bytes(to, 0, 17);
	kfree_skb(to);
}
END_TEST

START_TEST(skb_try_coalesce__head_needs_one_slot_more)
{
	struct sk_buff *to = many_frags(0, 15);

	ck_assert(try_coalesce(to, mock_skb_head(m, 15, 1, 0, M_HEAD_FRAG)));
	ck_assert(headstolen);
	ck_assert_uint_eq(to->nr_frags, 16);
	/* Only the shell of a stolen head is not charged. */
	ck_assert_uint_eq(delta, 832 + 1 - 256);
	ck_assert(try_coalesce(to, mock_skb_head(m, 16, 1, 0, M_HEAD_FRAG)));
	ck_assert(!try_coalesce(to, mock_skb_head(m, 17, 1, 0, M_HEAD_FRAG)));
	expect_bytes(to, 0, 17);
	kfree_skb(to);
}
END_TEST

START_TEST(skb_try_coalesce__head_and_frags_in_order)
{
	struct sk_buff *to = mock_skb(m, 0, 3);
	struct sk_buff *from = mock_skb_head(m, 3, 4, 0, M_HEAD_FRAG);
	struct sk_buff *more = mock_skb(m, 7, 5);

	skb_add_rx_frag(from, more->frags[0].page, 0, 5, 5);
	more->nr_frags = 0;
	kfree_skb(more);
	ck_assert(try_coalesce(to, from));
	ck_assert_uint_eq(to->nr_frags, 3);
	expect_bytes(to, 0, 12);
	kfree_skb(to);
}
END_TEST

START_TEST(skb_try_coalesce__locked_head_refused)
{
	struct sk_buff *to = mock_skb(m, 0, 3);
	struct sk_buff *from;

	ck_assert(!try_coalesce(to, mock_skb_head(m, 3, 4, 0, M_HEAD_SLAB)));
	from = mock_skb_head(m, 3, 4, 0, M_HEAD_FRAG);
	from->cloned = true;
	ck_assert(!try_coalesce(to, from));
	kfree_skb(to);
}
END_TEST

START_TEST(skb_try_coalesce__frag_list_refused)
{
	struct sk_buff *to = mock_skb(m, 0, 3);
	struct sk_buff *from = mock_skb(m, 3, 4);

	from->frag_list = mock_skb(m, 7, 1);
	from->len++;
	from->data_len++;
	ck_assert(!try_coalesce(to, from));
	kfree_skb(to);
}
END_TEST

Suite *skb_coalesce_test_suite(void)
{
	Suite *s = suite_create("skb_coalesce");
	TCase *tc = tcase_create("skb_coalesce");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, skb_try_coalesce__frags_move_over);
	tcase_add_test(tc, skb_try_coalesce__not_into_a_cloned_one);
	tcase_add_test(tc, skb_try_coalesce__tail_room_takes_a_copy);
	tcase_add_test(tc, skb_try_coalesce__no_tail_room_behind_frags);
	tcase_add_test(tc, skb_try_coalesce__bare_fin_always_fits);
	tcase_add_test(tc, skb_try_coalesce__seventeen_frags_at_most);
	tcase_add_test(tc, skb_try_coalesce__head_needs_one_slot_more);
	tcase_add_test(tc, skb_try_coalesce__head_and_frags_in_order);
	tcase_add_test(tc, skb_try_coalesce__locked_head_refused);
	tcase_add_test(tc, skb_try_coalesce__frag_list_refused);
	suite_add_tcase(s, tc);
	return s;
}
