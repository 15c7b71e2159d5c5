// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/splice.c, in its order.
 */
#include "model/tcp.h"
#include "tests/unit/mock.h"

static struct mock *m;
static struct pipe_inode_info *pipe;
static struct sock *sk;
static u8 out[70000];

static void setup(void)
{
	static const struct tcp_opts opts = {
		.mss = 65483,
		.irs = 1,
		.state = TCP_ESTABLISHED,
	};

	m = mock_new();
	pipe = alloc_pipe_info(&m->k, 0);
	sk = tcp_sock_new(&m->k, &opts);
	mock_events_clear(m);
}

static void teardown(void)
{
	sk->sk_state = TCP_CLOSE;
	tcp_sock_free(sk);
	free_pipe_info(pipe);
	mock_free(m);
}

static void use_pipe(u32 size)
{
	free_pipe_info(pipe);
	pipe = alloc_pipe_info(&m->k, size);
}

static int read_n(size_t len)
{
	struct iovec_m iov = { out, len };
	struct iov_iter it;

	iov_iter_init(&it, ITER_UBUF, &iov, 1);
	return pipe_read(pipe, &it);
}

static enum m_reason reason(void)
{
	return m->k.current->reason;
}

/* @n pieces of @len bytes, each in a page of its own. */
static void spd_fill(struct splice_pipe_desc *spd, u32 n, u32 len)
{
	spd->nr_pages = n;
	while (n--) {
		spd->pages[n] = alloc_pages(&m->k, SITE_WIRE_PAGE, 0);
		spd->offset[n] = 0;
		spd->len[n] = len;
	}
}

/* An skb of @n frags of @len bytes of one page, @gap bytes apart. */
static struct sk_buff *frags_of_one_page(u32 n, u32 len, u32 gap)
{
	struct sk_buff *skb = alloc_skb(&m->k, SITE_WIRE_SKB);
	struct page *page = alloc_pages(&m->k, SITE_WIRE_PAGE, 3);
	u32 i;

	memset(page->data, 0x11, 32768);
	for (i = 0; i < n; i++) {
		if (i)
			get_page(page);
		skb_add_rx_frag(skb, page, i * (len + gap), len, len);
	}
	return skb;
}

START_TEST(splice_to_pipe__nothing)
{
	struct splice_pipe_desc spd = { .nr_pages = 0 };

	pipe_close_reader(pipe);
	ck_assert_int_eq(splice_to_pipe(pipe, &spd), 0);
	ck_assert_uint_eq(m->sigpipes, 0);
}
END_TEST

START_TEST(splice_to_pipe__whole_pieces_while_slots_last)
{
	struct splice_pipe_desc spd;

	use_pipe(8192);
	spd_fill(&spd, 3, 100);
	ck_assert_int_eq(splice_to_pipe(pipe, &spd), 200);
	ck_assert_int_eq(mock_event(m, EV_PIPE_ADD, 0)->b, 200);
	ck_assert_int_eq(mock_event(m, EV_PIPE_ADD, 0)->c, 2);
	spd_fill(&spd, 1, 100);
	ck_assert_int_eq(splice_to_pipe(pipe, &spd), -EAGAIN);
	/* Not mergeable: a write takes a slot of its own. */
	read_n(100);
	ck_assert_int_eq(pipe_write(pipe, out, 5), 5);
	ck_assert(pipe_full(pipe));
}
END_TEST

START_TEST(splice_to_pipe__no_reader)
{
	struct splice_pipe_desc spd;

	pipe_close_reader(pipe);
	spd_fill(&spd, 3, 100);
	ck_assert_int_eq(splice_to_pipe(pipe, &spd), -EPIPE);
	ck_assert_uint_eq(m->sigpipes, 1);
	ck_assert_int_eq(reason(), REASON_SPLICE_NO_READER);
}
END_TEST

/* Facts P2: a slot may be longer than a page. */
START_TEST(splice_to_pipe__more_bytes_than_capacity)
{
	struct sk_buff *skb = mock_skb(m, 0, 12288);

	use_pipe(4096);
	ck_assert_int_eq(skb_splice_bits(skb, sk, 0, pipe, 12288), 12288);
	kfree_skb(skb);
	ck_assert_int_eq(read_n(20000), 12288);
	ck_assert(mock_bytes_ok(out, 0, 12288));
}
END_TEST

static int splice_calls;
static size_t splice_len;
static unsigned int splice_flags;

/* A socket that gives 10 bytes. */
static int fake_splice_read(struct sock *s, struct pipe_inode_info *p,
			    size_t len, unsigned int flags)
{
	struct splice_pipe_desc spd;

	(void)s;
	ck_assert_ptr_eq(p->mutex_owner, m->k.current);
	splice_calls++;
	splice_len = len;
	splice_flags = flags;
	spd_fill(&spd, 1, 10);
	return splice_to_pipe(p, &spd);
}

static const struct proto_ops fake_ops = { .splice_read = fake_splice_read };

static int splice_n(size_t len, unsigned int flags)
{
	sk->ops = &fake_ops;
	splice_calls = 0;
	return splice_file_to_pipe(sk, pipe, len, flags);
}

static void hook_read(struct mock *mock, void *arg)
{
	(void)mock;
	ck_assert_int_gt(read_n(*(const size_t *)arg), 0);
}

static void hook_signal(struct mock *mock, void *arg)
{
	(void)arg;
	mock->signal = true;
}

static void hook_close_reader(struct mock *mock, void *arg)
{
	(void)mock;
	(void)arg;
	pipe_close_reader(pipe);
}

START_TEST(wait_for_space__order_of_checks)
{
	ck_assert_int_eq(pipe_write(pipe, out, 65536), 65536);
	m->signal = true;
	ck_assert_int_eq(splice_n(10, M_SPLICE_F_NONBLOCK), -EAGAIN);
	ck_assert_int_eq(reason(), REASON_SPLICE_PIPE_FULL);
	ck_assert_int_eq(splice_n(10, 0), -ERESTARTSYS);
	ck_assert_int_eq(reason(), REASON_SPLICE_SIGNAL);
	pipe_close_reader(pipe);
	ck_assert_int_eq(splice_n(10, M_SPLICE_F_NONBLOCK), -EPIPE);
	ck_assert_int_eq(reason(), REASON_SPLICE_NO_READER);
	ck_assert_int_eq(splice_calls, 0);
	ck_assert_ptr_null(pipe->mutex_owner);
}
END_TEST

START_TEST(wait_for_space__write_end_nonblocking)
{
	ck_assert_int_eq(pipe_write(pipe, out, 65536), 65536);
	pipe->wr_nonblock = true;
	ck_assert_int_eq(splice_n(10, 0), -EAGAIN);
}
END_TEST

START_TEST(wait_for_space__sleeps_without_the_mutex)
{
	size_t part = 100, slot = 4096;

	ck_assert_int_eq(pipe_write(pipe, out, 65536), 65536);
	/* A part of a slot frees nothing; the reader needs the mutex. */
	mock_hook(m, hook_read, &part);
	mock_hook(m, hook_read, &slot);
	ck_assert_int_eq(splice_n(10, 0), 10);
	ck_assert_int_eq(mock_event(m, EV_SLEEP, 0)->a, M_SLEEP_PIPE_SPACE);
	ck_assert_int_eq(splice_calls, 1);
}
END_TEST

START_TEST(wait_for_space__signal_or_close_ends_it)
{
	ck_assert_int_eq(pipe_write(pipe, out, 65536), 65536);
	mock_hook(m, hook_signal, NULL);
	ck_assert_int_eq(splice_n(10, 0), -ERESTARTSYS);
	m->signal = false;
	mock_hook(m, hook_close_reader, NULL);
	ck_assert_int_eq(splice_n(10, 0), -EPIPE);
	ck_assert_uint_eq(m->sigpipes, 1);
}
END_TEST

START_TEST(linear_to_page__slab_head_is_copied)
{
	struct sk_buff *skb = mock_skb_head(m, 0, 500, 0, M_HEAD_SLAB);

	ck_assert_int_eq(skb_splice_bits(skb, sk, 100, pipe, 300), 300);
	ck_assert_ptr_eq(pipe->bufs[0].page, sk->sk_frag_page);
	ck_assert_uint_eq(pipe->bufs[0].len, 300);
	/* The bytes are a copy: later changes are not seen. */
	memset(skb->head, 0, 500);
	kfree_skb(skb);
	ck_assert_int_eq(read_n(1000), 300);
	ck_assert(mock_bytes_ok(out, 100, 300));
}
END_TEST

START_TEST(linear_to_page__cloned_head_is_copied)
{
	struct sk_buff *skb = mock_skb_head(m, 0, 500, 0, M_HEAD_FRAG);

	ck_assert_int_eq(skb_splice_bits(skb, sk, 0, pipe, 10), 10);
	ck_assert_ptr_eq(pipe->bufs[0].page, skb->head_page);
	skb->cloned = true;
	ck_assert_int_eq(skb_splice_bits(skb, sk, 0, pipe, 10), 10);
	ck_assert_ptr_eq(pipe->bufs[1].page, sk->sk_frag_page);
	kfree_skb(skb);
}
END_TEST

START_TEST(linear_to_page__area_bounds_a_piece)
{
	struct sk_buff *skb = mock_skb_head(m, 0, 20000, 0, M_HEAD_SLAB);

	ck_assert_int_eq(skb_splice_bits(skb, sk, 0, pipe, 20000), 20000);
	ck_assert_uint_eq(pipe_occupancy(pipe), 1);
	/* 12768 bytes are left in the area of 32768; the rest is in a new. */
	ck_assert_int_eq(skb_splice_bits(skb, sk, 0, pipe, 20000), 20000);
	ck_assert_uint_eq(pipe_occupancy(pipe), 3);
	ck_assert_uint_eq(pipe->bufs[1].len, 12768);
	kfree_skb(skb);
	ck_assert_int_eq(read_n(40000), 40000);
	ck_assert(mock_bytes_ok(out + 20000, 0, 20000));
}
END_TEST

START_TEST(linear_to_page__unused_area_starts_again)
{
	struct sk_buff *skb = mock_skb_head(m, 0, 500, 0, M_HEAD_SLAB);

	skb_splice_bits(skb, sk, 0, pipe, 500);
	read_n(500);
	skb_splice_bits(skb, sk, 0, pipe, 500);
	ck_assert_uint_eq(pipe->bufs[1].offset, 0);
	kfree_skb(skb);
}
END_TEST

START_TEST(linear_to_page__no_memory)
{
	struct sk_buff *skb = mock_skb_head(m, 0, 500, 0, M_HEAD_SLAB);

	mock_fail(m, SITE_SPLICE_COPY, 1);
	mock_fail(m, SITE_SPLICE_COPY, 2);
	ck_assert_int_eq(skb_splice_bits(skb, sk, 0, pipe, 500), 0);
	ck_assert_int_eq(reason(), REASON_SPLICE_NO_PAGE);
	/* A failed high order falls back to one page. */
	mock_fail(m, SITE_SPLICE_COPY, 1);
	ck_assert_int_eq(skb_splice_bits(skb, sk, 0, pipe, 500), 500);
	ck_assert_uint_eq(sk->sk_frag_page->order, 0);
	kfree_skb(skb);
}
END_TEST

START_TEST(spd_fill_page__contiguous_pieces_are_one)
{
	struct sk_buff *skb = frags_of_one_page(17, 100, 0);

	ck_assert_int_eq(skb_splice_bits(skb, sk, 0, pipe, 1700), 1700);
	ck_assert_uint_eq(pipe_occupancy(pipe), 1);
	/* Never across two calls. */
	ck_assert_int_eq(skb_splice_bits(skb, sk, 0, pipe, 100), 100);
	ck_assert_int_eq(skb_splice_bits(skb, sk, 100, pipe, 100), 100);
	ck_assert_uint_eq(pipe_occupancy(pipe), 3);
	kfree_skb(skb);
}
END_TEST

START_TEST(spd_fill_page__a_gap_separates)
{
	struct sk_buff *skb = frags_of_one_page(5, 100, 1);

	ck_assert_int_eq(skb_splice_bits(skb, sk, 50, pipe, 400), 400);
	ck_assert_uint_eq(pipe_occupancy(pipe), 5);
	ck_assert_uint_eq(pipe->bufs[0].len, 50);
	ck_assert_uint_eq(pipe->bufs[4].len, 50);
	kfree_skb(skb);
}
END_TEST

/* Facts P22: with 17 pieces even one that would continue the last is refused. */
START_TEST(spd_fill_page__seventeen_pieces)
{
	struct sk_buff *skb = frags_of_one_page(17, 100, 1);
	struct page *page = skb->frags[16].page;

	use_pipe(32 * 4096);
	skb->frag_list = alloc_skb(&m->k, SITE_WIRE_SKB);
	get_page(page);
	skb_add_rx_frag(skb->frag_list, page, 16 * 101 + 100, 50, 50);
	skb->len += 50;
	skb->data_len += 50;
	ck_assert_int_eq(skb_splice_bits(skb, sk, 0, pipe, 1750), 1700);
	ck_assert_uint_eq(pipe_occupancy(pipe), 17);
	kfree_skb(skb);
}
END_TEST

START_TEST(skb_splice_bits__head_frags_frag_list)
{
	struct sk_buff *skb = mock_skb_head(m, 0, 10, 0, M_HEAD_FRAG);
	struct sk_buff *more = mock_skb(m, 10, 20);

	skb_add_rx_frag(skb, more->frags[0].page, 0, 20, 20);
	more->nr_frags = 0;
	kfree_skb(more);
	skb->frag_list = mock_skb(m, 30, 30);
	skb->len += 30;
	skb->data_len += 30;
	ck_assert_int_eq(skb_splice_bits(skb, sk, 5, pipe, 50), 50);
	ck_assert_uint_eq(pipe_occupancy(pipe), 3);
	kfree_skb(skb);
	ck_assert_int_eq(read_n(100), 50);
	ck_assert(mock_bytes_ok(out, 5, 50));
}
END_TEST

START_TEST(skb_splice_bits__asks_for_more_than_there_is)
{
	struct sk_buff *skb = mock_skb(m, 0, 10);

	ck_assert_int_eq(skb_splice_bits(skb, sk, 4, pipe, 100), 6);
	ck_assert_int_eq(skb_splice_bits(skb, sk, 10, pipe, 100), 0);
	ck_assert_int_eq(skb_splice_bits(skb, sk, 11, pipe, 100), 0);
	ck_assert_int_eq(skb_splice_bits(skb, sk, 0, pipe, 0), 0);
	kfree_skb(skb);
}
END_TEST

/* Facts rx.md C0.5: slots of one record by plaintext length, for TLS 1.3 and
 * TLS 1.2 with AES-GCM, and the same when only single pages can be had. */
static const struct {
	u32 first, last;
	u32 v13, v12, v13_order0, v12_order0;
} record_rows[] = {
	{ 1, 4074, 1, 1, 1, 1 },      { 4091, 4091, 1, 1, 1, 2 },
	{ 4092, 4096, 1, 1, 2, 2 },   { 4097, 8170, 1, 1, 2, 2 },
	{ 8187, 8187, 1, 2, 2, 3 },   { 8188, 8192, 2, 2, 3, 3 },
	{ 12288, 12288, 1, 1, 4, 4 }, { 16371, 16371, 1, 1, 4, 4 },
	{ 16384, 16384, 2, 2, 5, 5 },
};

/* Slots that a record takes: @prepend, @len bytes of plaintext, @tail. */
static u32 record_slots(u32 prepend, u32 len, u32 tail, u32 order)
{
	struct pipe_inode_info *p = alloc_pipe_info(&m->k, 0);
	struct sk_buff *skb;
	u32 slots;
	int err;

	skb = alloc_skb_with_frags(&m->k, prepend + len + tail, order, &err);
	ck_assert_int_eq(skb_splice_bits(skb, sk, prepend, p, len), (int)len);
	kfree_skb(skb);
	slots = pipe_occupancy(p);
	free_pipe_info(p);
	return slots;
}

static void expect_record_slots(u32 row, u32 len)
{
	ck_assert_uint_eq(record_slots(5, len, 17, 3), record_rows[row].v13);
	ck_assert_uint_eq(record_slots(13, len, 16, 3), record_rows[row].v12);
	ck_assert_uint_eq(record_slots(5, len, 17, 0),
			  record_rows[row].v13_order0);
	ck_assert_uint_eq(record_slots(13, len, 16, 0),
			  record_rows[row].v12_order0);
}

START_TEST(skb_splice_bits__slots_of_a_record)
{
	expect_record_slots(_i, record_rows[_i].first);
	expect_record_slots(_i, record_rows[_i].last);
}
END_TEST

START_TEST(splice_file_to_pipe__zero_length)
{
	pipe_close_reader(pipe);
	mock_events_clear(m);
	ck_assert_int_eq(splice_n(0, 0), 0);
	ck_assert_int_eq(reason(), REASON_SPLICE_ZERO);
	ck_assert_uint_eq(m->sigpipes, 0);
	ck_assert_uint_eq(mock_event_count(m, EV_PIPE_LOCK), 0);
}
END_TEST

/* Facts P15: free slots times a page, and 0x7ffff000. */
START_TEST(splice_file_to_pipe__length_is_capped)
{
	use_pipe(8192);
	ck_assert_int_eq(splice_n(100000, M_SPLICE_F_MOVE), 10);
	ck_assert_uint_eq(splice_len, 8192);
	ck_assert_uint_eq(splice_flags, M_SPLICE_F_MOVE);
	ck_assert_int_eq(splice_n(100000, 0), 10);
	ck_assert_uint_eq(splice_len, 4096);
	read_n(20);
	ck_assert_int_eq(splice_n(3000, 0), 10);
	ck_assert_uint_eq(splice_len, 3000);
}
END_TEST

START_TEST(splice_file_to_pipe__passes_nonblock_on)
{
	pipe->wr_nonblock = true;
	ck_assert_int_eq(splice_n(100, M_SPLICE_F_MORE), 10);
	ck_assert_uint_eq(splice_flags, M_SPLICE_F_MORE | M_SPLICE_F_NONBLOCK);
}
END_TEST

START_TEST(splice_file_to_pipe__wakes_readers_unlocked)
{
	struct wait_queue_entry e;

	init_wait_entry(&e, &m->tasks[2]);
	add_wait_queue_exclusive(&pipe->rd_wait, &e);
	ck_assert_int_eq(splice_n(100, 0), 10);
	ck_assert(m->tasks[2].woken);
	ck_assert_ptr_null(pipe->mutex_owner);
}
END_TEST

static void add_fill_tests(TCase *tc)
{
	tcase_add_test(tc, linear_to_page__slab_head_is_copied);
	tcase_add_test(tc, linear_to_page__cloned_head_is_copied);
	tcase_add_test(tc, linear_to_page__area_bounds_a_piece);
	tcase_add_test(tc, linear_to_page__unused_area_starts_again);
	tcase_add_test(tc, linear_to_page__no_memory);
	tcase_add_test(tc, spd_fill_page__contiguous_pieces_are_one);
	tcase_add_test(tc, spd_fill_page__a_gap_separates);
	tcase_add_test(tc, spd_fill_page__seventeen_pieces);
	tcase_add_test(tc, skb_splice_bits__head_frags_frag_list);
	tcase_add_test(tc, skb_splice_bits__asks_for_more_than_there_is);
	tcase_add_loop_test(tc, skb_splice_bits__slots_of_a_record, 0,
			    ARRAY_SIZE(record_rows));
}

Suite *splice_test_suite(void)
{
	Suite *s = suite_create("splice");
	TCase *tc = tcase_create("splice");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, splice_to_pipe__nothing);
	tcase_add_test(tc, splice_to_pipe__whole_pieces_while_slots_last);
	tcase_add_test(tc, splice_to_pipe__no_reader);
	tcase_add_test(tc, splice_to_pipe__more_bytes_than_capacity);
	tcase_add_test(tc, wait_for_space__order_of_checks);
	tcase_add_test(tc, wait_for_space__write_end_nonblocking);
	tcase_add_test(tc, wait_for_space__sleeps_without_the_mutex);
	tcase_add_test(tc, wait_for_space__signal_or_close_ends_it);
	add_fill_tests(tc);
	tcase_add_test(tc, splice_file_to_pipe__zero_length);
	tcase_add_test(tc, splice_file_to_pipe__length_is_capped);
	tcase_add_test(tc, splice_file_to_pipe__passes_nonblock_on);
	tcase_add_test(tc, splice_file_to_pipe__wakes_readers_unlocked);
	suite_add_tcase(s, tc);
	return s;
}
