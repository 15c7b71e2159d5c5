// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/skb.c, in its order.
 */
#include "tests/unit/mock.h"

static struct mock *m;

static void setup(void)
{
	m = mock_new();
}

static void teardown(void)
{
	mock_free(m);
}

/* An anchor over @first and its siblings, as the parser makes it. */
static struct sk_buff *anchor_new(struct sk_buff *first, u32 len)
{
	struct sk_buff *anchor = alloc_skb(&m->k, SITE_STRP_ANCHOR);

	anchor->frag_list = first;
	anchor->len = len;
	anchor->data_len = len;
	return anchor;
}

static void anchor_free(struct sk_buff *anchor)
{
	anchor->frag_list = NULL;
	kfree_skb(anchor);
}

/* Three skbs of 4, 5 and 6 bytes that follow each other from @seq. */
static void queue_fill(struct sk_buff_head *q, u32 seq)
{
	skb_queue_head_init(q);
	__skb_queue_tail(q, mock_skb(m, seq, 4));
	__skb_queue_tail(q, mock_skb(m, seq + 4, 5));
	__skb_queue_tail(q, mock_skb_head(m, seq + 9, 6, 0, M_HEAD_FRAG));
}

START_TEST(skb_queue_before__keeps_order)
{
	struct sk_buff *a = mock_skb(m, 1, 1);
	struct sk_buff *b = mock_skb(m, 2, 1);
	struct sk_buff *c = mock_skb(m, 3, 1);
	struct sk_buff_head q;

	skb_queue_head_init(&q);
	__skb_queue_tail(&q, c);
	__skb_queue_head(&q, a);
	__skb_queue_before(&q, c, b);
	ck_assert_uint_eq(q.qlen, 3);
	ck_assert_ptr_eq(__skb_dequeue(&q), a);
	ck_assert_ptr_eq(skb_peek(&q), b);
	ck_assert_ptr_eq(skb_peek_tail(&q), c);
	kfree_skb(a);
	__skb_queue_purge(&q);
	ck_assert(skb_queue_empty(&q));
}
END_TEST

START_TEST(skb_unlink__middle_and_ends)
{
	struct sk_buff_head q;
	struct sk_buff *skb;

	queue_fill(&q, 0);
	skb = q.first->next;
	__skb_unlink(skb, &q);
	ck_assert_ptr_null(skb->next);
	ck_assert_ptr_null(skb->prev);
	ck_assert_ptr_eq(q.first->next, q.last);
	ck_assert_ptr_eq(q.last->prev, q.first);
	kfree_skb(skb);
	__skb_queue_purge(&q);
	ck_assert_uint_eq(q.qlen, 0);
	ck_assert_ptr_null(q.last);
}
END_TEST

START_TEST(alloc_skb__empty)
{
	struct sk_buff *skb = alloc_skb(&m->k, SITE_WIRE_SKB);

	ck_assert_uint_eq(skb->len, 0);
	ck_assert_uint_eq(skb->truesize, 832);
	ck_assert_ptr_null(skb->head);
	ck_assert_ptr_null(skb->sk);
	kfree_skb(skb);
}
END_TEST

START_TEST(kfree_skb__null)
{
	kfree_skb(NULL);
}
END_TEST

START_TEST(kfree_skb__frag_list_goes_along)
{
	struct sk_buff *skb = mock_skb(m, 0, 8);
	struct sk_buff *inner = mock_skb(m, 8, 8);

	inner->frag_list = mock_skb(m, 16, 8);
	inner->next = mock_skb(m, 24, 8);
	skb->frag_list = inner;
	kfree_skb(skb);
	ck_assert_uint_eq(m->live, 0);
}
END_TEST

START_TEST(skb_clone__outlives_the_original)
{
	struct sk_buff *skb = mock_skb(m, 0, 300);
	struct sk_buff *clone;
	u8 buf[400];

	skb->frag_list = mock_skb(m, 300, 100);
	skb->len += 100;
	skb->data_len += 100;
	clone = skb_clone(skb, SITE_STRP_HOLD);
	kfree_skb(skb);
	ck_assert_int_eq(skb_copy_bits(clone, 0, buf, 400), 0);
	ck_assert(mock_bytes_ok(buf, 0, 400));
	kfree_skb(clone);
}
END_TEST

START_TEST(skb_clone__no_memory_leaves_nothing)
{
	struct sk_buff *skb = mock_skb(m, 0, 3);

	skb->frag_list = mock_skb(m, 3, 1);
	mock_fail(m, SITE_STRP_HOLD, 2);
	ck_assert_ptr_null(skb_clone(skb, SITE_STRP_HOLD));
	kfree_skb(skb);
}
END_TEST

START_TEST(skb_put__fills_the_head)
{
	struct sk_buff *skb = mock_skb_head(m, 0, 3, 2, M_HEAD_SLAB);

	*skb_put(skb, 2) = 0x42;
	ck_assert_uint_eq(skb->len, 5);
	ck_assert_uint_eq(skb->head[3], 0x42);
	ck_assert_uint_eq(skb_headlen(skb), 5);
	kfree_skb(skb);
}
END_TEST

/* One row of facts rx.md C0.4: fragment lengths for a record length. */
struct frag_row {
	u32 len;
	u32 n;
	u32 frag[5];
	u32 truesize;
};

static const struct frag_row frag_rows[] = {
	{ 16406, 2, { 16384, 22 }, 832 + 16384 + 4096 },
	{ 16384, 1, { 16384 }, 832 + 16384 },
	{ 12289, 1, { 12289 }, 832 + 16384 },
	{ 12288, 2, { 8192, 4096 }, 832 + 8192 + 4096 },
	{ 8214, 2, { 8192, 22 }, 832 + 8192 + 4096 },
	{ 4118, 1, { 4118 }, 832 + 8192 },
	{ 4096, 1, { 4096 }, 832 + 4096 },
	{ 1, 1, { 1 }, 832 + 4096 },
	{ 0, 0, { 0 }, 832 },
};

START_TEST(alloc_skb_with_frags__order_follows_length)
{
	const struct frag_row *row = &frag_rows[_i];
	struct sk_buff *skb;
	int err;
	u32 i;

	skb = alloc_skb_with_frags(&m->k, row->len, 3, &err);
	ck_assert_int_eq(err, 0);
	ck_assert_uint_eq(skb->len, row->len);
	ck_assert_uint_eq(skb->data_len, row->len);
	ck_assert_uint_eq(skb->nr_frags, row->n);
	for (i = 0; i < row->n; i++)
		ck_assert_uint_eq(skb->frags[i].len, row->frag[i]);
	ck_assert_uint_eq(skb->truesize, row->truesize);
	kfree_skb(skb);
}
END_TEST

START_TEST(alloc_skb_with_frags__failed_order_steps_down)
{
	struct sk_buff *skb;
	int err;

	/* Order 2 fails, order 1 is good; it does not rise again. */
	mock_fail(m, SITE_DECRYPT_PAGE, 1);
	skb = alloc_skb_with_frags(&m->k, 16406, 3, &err);
	ck_assert_uint_eq(skb->nr_frags, 3);
	ck_assert_uint_eq(skb->frags[0].len, 8192);
	ck_assert_uint_eq(skb->frags[1].len, 8192);
	ck_assert_uint_eq(skb->frags[2].len, 22);
	kfree_skb(skb);
}
END_TEST

START_TEST(alloc_skb_with_frags__v6_1_steps_to_zero)
{
	struct sk_buff *skb;
	int err;

	mock_change(m, CHANGE_FRAG_ORDER_ZERO);
	mock_fail(m, SITE_DECRYPT_PAGE, 1);
	skb = alloc_skb_with_frags(&m->k, 16406, 3, &err);
	ck_assert_uint_eq(skb->nr_frags, 5);
	ck_assert_uint_eq(skb->frags[4].len, 22);
	kfree_skb(skb);
}
END_TEST

START_TEST(alloc_skb_with_frags__no_page_no_skb)
{
	int err;

	mock_fail(m, SITE_DECRYPT_PAGE, 2);
	ck_assert_ptr_null(alloc_skb_with_frags(&m->k, 8214, 3, &err));
	ck_assert_int_eq(err, -ENOBUFS);
	mock_fail(m, SITE_DECRYPT_SKB, 1);
	ck_assert_ptr_null(alloc_skb_with_frags(&m->k, 8214, 3, &err));
	ck_assert_int_eq(err, -ENOBUFS);
}
END_TEST

START_TEST(alloc_skb_with_frags__too_long)
{
	int err;

	ck_assert_ptr_null(alloc_skb_with_frags(&m->k, 17 * 4096 + 1, 0, &err));
	ck_assert_int_eq(err, -EMSGSIZE);
	/* 17 frags would fit, but the kernel stops at 16. */
	ck_assert_ptr_null(alloc_skb_with_frags(&m->k, 17 * 4096, 0, &err));
	ck_assert_int_eq(err, -ENOBUFS);
}
END_TEST

START_TEST(skb_copy_bits__over_head_and_frags)
{
	struct sk_buff *skb = mock_skb_head(m, 10, 5, 0, M_HEAD_FRAG);
	struct sk_buff *tail = mock_skb(m, 15, 100);
	u8 buf[105];

	get_page(tail->frags[0].page);
	skb_add_rx_frag(skb, tail->frags[0].page, 0, 100, 100);
	kfree_skb(tail);
	ck_assert_int_eq(skb_copy_bits(skb, 0, buf, 105), 0);
	ck_assert(mock_bytes_ok(buf, 10, 105));
	ck_assert_int_eq(skb_copy_bits(skb, 3, buf, 4), 0);
	ck_assert(mock_bytes_ok(buf, 13, 4));
	ck_assert_int_eq(skb_copy_bits(skb, 50, buf, 55), 0);
	ck_assert(mock_bytes_ok(buf, 60, 55));
	kfree_skb(skb);
}
END_TEST

START_TEST(skb_copy_bits__range_not_there)
{
	struct sk_buff *skb = mock_skb(m, 0, 10);
	u8 buf[16];

	ck_assert_int_eq(skb_copy_bits(skb, 0, buf, 11), -EFAULT);
	ck_assert_int_eq(skb_copy_bits(skb, 11, buf, 0), -EFAULT);
	ck_assert_int_eq(skb_copy_bits(skb, 10, buf, 0), 0);
	ck_assert_int_eq(skb_copy_bits(skb, 1, buf, UINT32_MAX), -EFAULT);
	kfree_skb(skb);
}
END_TEST

START_TEST(skb_copy_bits__anchor_runs_over_the_queue)
{
	struct sk_buff *anchor;
	struct sk_buff_head q;
	u8 buf[15];

	queue_fill(&q, 0);
	anchor = anchor_new(q.first, 15);
	ck_assert_int_eq(skb_copy_bits(anchor, 2, buf, 13), 0);
	ck_assert(mock_bytes_ok(buf, 2, 13));
	ck_assert_int_eq(skb_copy_bits(anchor, 9, buf, 6), 0);
	ck_assert(mock_bytes_ok(buf, 9, 6));
	anchor_free(anchor);
	__skb_queue_purge(&q);
}
END_TEST

START_TEST(skb_copy_bits__anchor_longer_than_the_queue)
{
	struct sk_buff *anchor;
	struct sk_buff_head q;
	u8 buf[20];

	queue_fill(&q, 0);
	anchor = anchor_new(q.first, 20);
	ck_assert_int_eq(skb_copy_bits(anchor, 0, buf, 20), -EFAULT);
	anchor_free(anchor);
	__skb_queue_purge(&q);
}
END_TEST

START_TEST(skb_copy_bits__member_with_own_frag_list)
{
	struct sk_buff *anchor;
	struct sk_buff_head q;
	u8 buf[24];

	/* As GRO leaves it: 0..4, then 4..9 and 9..18 in one skb, 18..24. */
	skb_queue_head_init(&q);
	__skb_queue_tail(&q, mock_skb(m, 0, 4));
	__skb_queue_tail(&q, mock_skb(m, 4, 5));
	q.last->frag_list = mock_skb(m, 9, 9);
	q.last->len += 9;
	q.last->data_len += 9;
	__skb_queue_tail(&q, mock_skb(m, 18, 6));
	anchor = anchor_new(q.first, 24);
	ck_assert_int_eq(skb_copy_bits(anchor, 0, buf, 24), 0);
	ck_assert(mock_bytes_ok(buf, 0, 24));
	ck_assert_int_eq(skb_copy_bits(anchor, 20, buf, 4), 0);
	ck_assert(mock_bytes_ok(buf, 20, 4));
	ck_assert_int_eq(skb_nsg(anchor, 0, 24), 4);
	anchor_free(anchor);
	__skb_queue_purge(&q);
}
END_TEST

START_TEST(skb_store_bits__is_read_back)
{
	struct sk_buff *anchor;
	struct sk_buff_head q;
	u8 buf[15];

	queue_fill(&q, 0);
	anchor = anchor_new(q.first, 15);
	ck_assert_int_eq(skb_store_bits(anchor, 3, "abcdefgh", 8), 0);
	ck_assert_int_eq(skb_copy_bits(anchor, 0, buf, 15), 0);
	ck_assert_mem_eq(buf + 3, "abcdefgh", 8);
	ck_assert(mock_bytes_ok(buf, 0, 3));
	ck_assert(mock_bytes_ok(buf + 11, 11, 4));
	ck_assert_int_eq(skb_store_bits(anchor, 15, "x", 1), -EFAULT);
	anchor_free(anchor);
	__skb_queue_purge(&q);
}
END_TEST

START_TEST(skb_to_sgvec__one_entry_a_piece)
{
	struct scatterlist sg[4];
	struct sk_buff *anchor;
	struct sk_buff_head q;

	queue_fill(&q, 0);
	anchor = anchor_new(q.first, 15);
	ck_assert_int_eq(skb_to_sgvec(anchor, sg, 4, 3, 8), 3);
	ck_assert_uint_eq(sg[0].len, 1);
	ck_assert_uint_eq(sg[1].len, 5);
	ck_assert_uint_eq(sg[2].len, 2);
	ck_assert_uint_eq(*sg[0].base, mock_byte(3));
	ck_assert_uint_eq(*sg[2].base, mock_byte(9));
	ck_assert_int_eq(skb_nsg(anchor, 3, 8), 3);
	anchor_free(anchor);
	__skb_queue_purge(&q);
}
END_TEST

START_TEST(skb_to_sgvec__errors)
{
	struct scatterlist sg[1];
	struct sk_buff *anchor;
	struct sk_buff_head q;

	queue_fill(&q, 0);
	anchor = anchor_new(q.first, 20);
	ck_assert_int_eq(skb_to_sgvec(anchor, sg, 1, 0, 9), -EMSGSIZE);
	ck_assert_int_eq(skb_to_sgvec(anchor, sg, 1, 0, 21), -EINVAL);
	ck_assert_int_eq(skb_nsg(anchor, 0, 20), -EINVAL);
	ck_assert_int_eq(skb_nsg(anchor, 0, 0), 0);
	anchor_free(anchor);
	__skb_queue_purge(&q);
}
END_TEST

START_TEST(skb_to_sgvec__nested_too_deep)
{
	struct sk_buff *skb = mock_skb(m, 0, 1);
	u32 i;

	for (i = 0; i < 25; i++) {
		struct sk_buff *outer = alloc_skb(&m->k, SITE_WIRE_SKB);

		outer->frag_list = skb;
		outer->len = 1;
		outer->data_len = 1;
		skb = outer;
	}
	ck_assert_int_eq(skb_nsg(skb, 0, 1), -EMSGSIZE);
	ck_assert_int_eq(skb_nsg(skb->frag_list, 0, 1), 1);
	kfree_skb(skb);
}
END_TEST

START_TEST(skb_trim_tail__gives_pages_back)
{
	struct sk_buff *skb = mock_skb_head(m, 0, 5, 0, M_HEAD_FRAG);
	struct sk_buff *more = mock_skb(m, 5, 10);

	skb_add_rx_frag(skb, more->frags[0].page, 0, 10, 10);
	more->nr_frags = 0;
	kfree_skb(more);
	ck_assert_int_eq(skb_trim_tail(skb, 16), -EINVAL);
	ck_assert_int_eq(skb_trim_tail(skb, 7), 0);
	ck_assert_uint_eq(skb->frags[0].len, 2);
	ck_assert_uint_eq(skb_headlen(skb), 5);
	ck_assert_int_eq(skb_trim_tail(skb, 4), 0);
	ck_assert_uint_eq(skb->nr_frags, 0);
	ck_assert_uint_eq(skb_headlen(skb), 4);
	ck_assert_uint_eq(skb->truesize, 832 + 5 + 10);
	kfree_skb(skb);
}
END_TEST

START_TEST(skb_trim_tail__cuts_the_frag_list)
{
	struct sk_buff *skb = mock_skb(m, 0, 4);
	u8 buf[6];

	skb->frag_list = mock_skb(m, 4, 5);
	skb->frag_list->next = mock_skb(m, 9, 5);
	skb->len = 14;
	skb->data_len = 14;
	ck_assert_int_eq(skb_trim_tail(skb, 6), 0);
	ck_assert_uint_eq(skb->frag_list->len, 2);
	ck_assert_ptr_null(skb->frag_list->next);
	ck_assert_int_eq(skb_copy_bits(skb, 0, buf, 6), 0);
	ck_assert(mock_bytes_ok(buf, 0, 6));
	kfree_skb(skb);
}
END_TEST

Suite *skb_test_suite(void)
{
	Suite *s = suite_create("skb");
	TCase *tc = tcase_create("skb");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, skb_queue_before__keeps_order);
	tcase_add_test(tc, skb_unlink__middle_and_ends);
	tcase_add_test(tc, alloc_skb__empty);
	tcase_add_test(tc, kfree_skb__null);
	tcase_add_test(tc, kfree_skb__frag_list_goes_along);
	tcase_add_test(tc, skb_clone__outlives_the_original);
	tcase_add_test(tc, skb_clone__no_memory_leaves_nothing);
	tcase_add_test(tc, skb_put__fills_the_head);
	tcase_add_loop_test(tc, alloc_skb_with_frags__order_follows_length, 0,
			    ARRAY_SIZE(frag_rows));
	tcase_add_test(tc, alloc_skb_with_frags__failed_order_steps_down);
	tcase_add_test(tc, alloc_skb_with_frags__v6_1_steps_to_zero);
	tcase_add_test(tc, alloc_skb_with_frags__no_page_no_skb);
	tcase_add_test(tc, alloc_skb_with_frags__too_long);
	tcase_add_test(tc, skb_copy_bits__over_head_and_frags);
	tcase_add_test(tc, skb_copy_bits__range_not_there);
	tcase_add_test(tc, skb_copy_bits__anchor_runs_over_the_queue);
	tcase_add_test(tc, skb_copy_bits__anchor_longer_than_the_queue);
	tcase_add_test(tc, skb_copy_bits__member_with_own_frag_list);
	tcase_add_test(tc, skb_store_bits__is_read_back);
	tcase_add_test(tc, skb_to_sgvec__one_entry_a_piece);
	tcase_add_test(tc, skb_to_sgvec__errors);
	tcase_add_test(tc, skb_to_sgvec__nested_too_deep);
	tcase_add_test(tc, skb_trim_tail__gives_pages_back);
	tcase_add_test(tc, skb_trim_tail__cuts_the_frag_list);
	suite_add_tcase(s, tc);
	return s;
}
