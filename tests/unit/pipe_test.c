// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of model/pipe.c, in its order.
 */
#include "tests/unit/mock.h"

static struct mock *m;
static struct pipe_inode_info *pipe;
static u8 data[80000];
static u8 out[80000];
static int result;

static void setup(void)
{
	size_t i;

	m = mock_new();
	pipe = alloc_pipe_info(&m->k, 0);
	for (i = 0; i < sizeof(data); i++)
		data[i] = mock_byte((u32)i);
}

static void teardown(void)
{
	free_pipe_info(pipe);
	mock_free(m);
}

/* Another pipe instead of the 16 slots one. */
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

static int write_n(size_t len)
{
	return pipe_write(pipe, data, len);
}

static enum m_reason reason(void)
{
	return m->k.current->reason;
}

static void hook_read(struct mock *mock, void *arg)
{
	(void)mock;
	result = read_n(*(const size_t *)arg);
}

static void hook_write(struct mock *mock, void *arg)
{
	(void)mock;
	result = write_n(*(const size_t *)arg);
}

static void hook_close_writer(struct mock *mock, void *arg)
{
	(void)mock;
	(void)arg;
	pipe_close_writer(pipe);
}

static void hook_close_reader(struct mock *mock, void *arg)
{
	(void)mock;
	(void)arg;
	pipe_close_reader(pipe);
}

static void hook_signal(struct mock *mock, void *arg)
{
	(void)arg;
	mock->signal = true;
}

START_TEST(alloc_pipe_info__sixteen_slots)
{
	ck_assert_uint_eq(pipe->ring_size, 16);
	ck_assert_uint_eq(pipe->max_usage, 16);
	ck_assert_uint_eq(pipe_occupancy(pipe), 0);
}
END_TEST

START_TEST(free_pipe_info__gives_pages_back)
{
	ck_assert_int_eq(write_n(10000), 10000);
	free_pipe_info(pipe);
	ck_assert_uint_eq(m->live, 0);
	pipe = NULL;
}
END_TEST

static void hook_unlock(struct mock *mock, void *arg)
{
	mock->k.current = arg;
	pipe_unlock(pipe);
}

START_TEST(pipe_lock__no_signal_interrupts)
{
	m->k.current = &m->tasks[2];
	pipe_lock(pipe);
	m->k.current = &m->tasks[0];
	m->signal = true;
	mock_hook(m, hook_unlock, &m->tasks[2]);
	pipe_lock(pipe);
	ck_assert_int_eq(mock_event(m, EV_SLEEP, 0)->a, M_SLEEP_PIPE_MUTEX);
	ck_assert_ptr_eq(pipe->mutex_owner, &m->tasks[0]);
	pipe_unlock(pipe);
	ck_assert_uint_eq(mock_event_count(m, EV_PIPE_LOCK), 2);
	ck_assert_uint_eq(mock_event_count(m, EV_PIPE_UNLOCK), 2);
}
END_TEST

static void hook_steal(struct mock *mock, void *arg)
{
	hook_unlock(mock, &mock->tasks[2]);
	mock_hook(mock, hook_unlock, &mock->tasks[2]);
	mock->k.current = arg;
	pipe_lock(pipe);
	mock->k.current = &mock->tasks[0];
}

/* Woken in vain once, the first waiter gets the mutex from the next unlock. */
START_TEST(pipe_lock__handed_to_who_was_passed_by)
{
	m->k.current = &m->tasks[2];
	pipe_lock(pipe);
	m->k.current = &m->tasks[0];
	mock_hook(m, hook_steal, &m->tasks[2]);
	pipe_lock(pipe);
	ck_assert_uint_eq(mock_event_count(m, EV_SLEEP), 2);
	ck_assert(!pipe->mutex_handoff);
	ck_assert_ptr_eq(pipe->mutex_owner, &m->tasks[0]);
	pipe_unlock(pipe);
	ck_assert_ptr_null(pipe->mutex_owner);
}
END_TEST

START_TEST(pipe_read__slot_is_freed_when_empty)
{
	write_n(10);
	ck_assert_int_eq(read_n(4), 4);
	ck_assert_uint_eq(pipe_occupancy(pipe), 1);
	ck_assert_int_eq(read_n(100), 6);
	ck_assert_uint_eq(pipe_occupancy(pipe), 0);
	ck_assert(mock_bytes_ok(out, 4, 6));
	ck_assert_int_eq(reason(), REASON_PIPE_READ_DATA);
	ck_assert_int_eq(mock_event(m, EV_PIPE_DEL, 0)->c, 0);
	ck_assert_int_eq(mock_event(m, EV_PIPE_DEL, 1)->b, 6);
	ck_assert_int_eq(mock_event(m, EV_PIPE_DEL, 1)->c, 1);
}
END_TEST

START_TEST(pipe_read__over_slots)
{
	write_n(10000);
	ck_assert_uint_eq(pipe_occupancy(pipe), 3);
	ck_assert_int_eq(read_n(9000), 9000);
	ck_assert(mock_bytes_ok(out, 0, 9000));
	ck_assert_uint_eq(pipe_occupancy(pipe), 1);
}
END_TEST

START_TEST(pipe_read__nothing_asked)
{
	ck_assert_int_eq(read_n(0), 0);
	ck_assert_int_eq(reason(), REASON_PIPE_READ_ZERO);
}
END_TEST

START_TEST(pipe_read__empty)
{
	pipe->rd_nonblock = true;
	ck_assert_int_eq(read_n(1), -EAGAIN);
	ck_assert_int_eq(reason(), REASON_PIPE_READ_EAGAIN);
	pipe_close_writer(pipe);
	ck_assert_int_eq(read_n(1), 0);
	ck_assert_int_eq(reason(), REASON_PIPE_READ_EOF);
}
END_TEST

START_TEST(pipe_read__fault)
{
	struct iovec_m iov[] = { { out, 3 }, { NULL, 10 } };
	struct iov_iter it;

	write_n(5);
	iov_iter_init(&it, ITER_IOVEC, iov, 2);
	ck_assert_int_eq(pipe_read(pipe, &it), -EFAULT);
	ck_assert_int_eq(reason(), REASON_PIPE_READ_FAULT);
	ck_assert_uint_eq(pipe_fionread(pipe), 5);
}
END_TEST

START_TEST(pipe_read__waits_for_data)
{
	size_t len = 7;

	mock_hook(m, hook_write, &len);
	ck_assert_int_eq(read_n(100), 7);
	ck_assert_int_eq(mock_event(m, EV_SLEEP, 0)->a, M_SLEEP_PIPE_DATA);
	ck_assert_ptr_null(pipe->mutex_owner);
}
END_TEST

START_TEST(pipe_read__woken_by_the_last_writer)
{
	mock_hook(m, hook_close_writer, NULL);
	ck_assert_int_eq(read_n(100), 0);
	ck_assert_int_eq(reason(), REASON_PIPE_READ_EOF);
}
END_TEST

START_TEST(pipe_read__signal)
{
	mock_hook(m, hook_signal, NULL);
	ck_assert_int_eq(read_n(100), -ERESTARTSYS);
	ck_assert_int_eq(reason(), REASON_PIPE_READ_SIGNAL);
	ck_assert_ptr_null(pipe->mutex_owner);
	ck_assert(!wq_has_sleeper(&pipe->rd_wait));
}
END_TEST

/* Queues a second reader behind the one that sleeps, then writes. */
static struct wait_queue_entry next_reader;

static void hook_next_and_write(struct mock *mock, void *arg)
{
	init_wait_entry(&next_reader, &mock->tasks[2]);
	add_wait_queue_exclusive(&pipe->rd_wait, &next_reader);
	hook_write(mock, arg);
}

/* Readers are woken one at a time; one that leaves data wakes the next. */
START_TEST(pipe_read__passes_the_wakeup_on)
{
	size_t len = 7;

	mock_hook(m, hook_next_and_write, &len);
	ck_assert_int_eq(read_n(3), 3);
	ck_assert(m->tasks[2].woken);
}
END_TEST

START_TEST(pipe_read__no_data_left_wakes_nobody)
{
	size_t len = 7;

	mock_hook(m, hook_next_and_write, &len);
	ck_assert_int_eq(read_n(7), 7);
	ck_assert(!m->tasks[2].woken);
	remove_wait_queue(&next_reader);
}
END_TEST

/* A writer's wait entry, to see whether a read wakes it. */
static bool read_wakes_writer(size_t len)
{
	struct wait_queue_entry e;

	init_wait_entry(&e, &m->tasks[2]);
	add_wait_queue_exclusive(&pipe->wr_wait, &e);
	read_n(len);
	remove_wait_queue(&e);
	return m->tasks[2].woken;
}

START_TEST(pipe_read__writer_told_when_a_slot_is_freed)
{
	write_n(65536);
	ck_assert(!read_wakes_writer(4095));
	ck_assert(read_wakes_writer(1));
	/* Not full any more: nobody can be waiting. */
	ck_assert(!read_wakes_writer(4096));
}
END_TEST

START_TEST(pipe_read__v6_writer_told_when_it_was_full)
{
	mock_change(m, CHANGE_PIPE_WAKE_WAS_FULL);
	write_n(65536);
	ck_assert(read_wakes_writer(4095));
}
END_TEST

START_TEST(pipe_write__nothing_to_write)
{
	pipe_close_reader(pipe);
	ck_assert_int_eq(write_n(0), 0);
	ck_assert_int_eq(reason(), REASON_PIPE_WRITE_ZERO);
}
END_TEST

START_TEST(pipe_write__no_reader)
{
	pipe_close_reader(pipe);
	ck_assert_int_eq(write_n(5), -EPIPE);
	ck_assert_int_eq(reason(), REASON_PIPE_WRITE_NO_READER);
	ck_assert_uint_eq(m->sigpipes, 1);
	ck_assert(m->k.current->sigpipe);
	ck_assert_uint_eq(mock_event_count(m, EV_SIGPIPE), 1);
}
END_TEST

/* Facts P8: 4000 then 4100 bytes: 4 of them are merged. */
START_TEST(pipe_write__remainder_is_merged)
{
	ck_assert_int_eq(write_n(4000), 4000);
	ck_assert_int_eq(write_n(4100), 4100);
	ck_assert_uint_eq(pipe_occupancy(pipe), 2);
	ck_assert_uint_eq(pipe->bufs[0].len, 4004);
	ck_assert_uint_eq(pipe->bufs[1].len, 4096);
	pipe->wr_nonblock = true;
	ck_assert_int_eq(write_n(65536), 14 * 4096);
	ck_assert_int_eq(reason(), REASON_PIPE_WRITE_SHORT);
}
END_TEST

START_TEST(pipe_write__no_partial_merge)
{
	write_n(4000);
	ck_assert_int_eq(write_n(97), 97);
	ck_assert_uint_eq(pipe_occupancy(pipe), 2);
	/* Whole pages never merge. */
	ck_assert_int_eq(write_n(4096), 4096);
	ck_assert_uint_eq(pipe_occupancy(pipe), 3);
}
END_TEST

START_TEST(pipe_write__read_part_still_limits_the_page)
{
	write_n(4000);
	read_n(3999);
	ck_assert_int_eq(write_n(97), 97);
	ck_assert_uint_eq(pipe_occupancy(pipe), 2);
}
END_TEST

START_TEST(pipe_write__nonblocking)
{
	use_pipe(8192);
	pipe->wr_nonblock = true;
	ck_assert_int_eq(write_n(1), 1);
	ck_assert_int_eq(write_n(8192), 4096);
	ck_assert_int_eq(write_n(4096), -EAGAIN);
	ck_assert_int_eq(reason(), REASON_PIPE_WRITE_EAGAIN);
	/* A full ring still takes what merges. */
	pipe->bufs[1].len = 4000;
	ck_assert_int_eq(write_n(96), 96);
}
END_TEST

START_TEST(pipe_write__waits_for_space)
{
	size_t len = 4096;

	use_pipe(4096);
	mock_hook(m, hook_read, &len);
	mock_hook(m, hook_read, &len);
	ck_assert_int_eq(write_n(3 * 4096), 3 * 4096);
	ck_assert_int_eq(reason(), REASON_PIPE_WRITE_DONE);
	ck_assert_int_eq(result, 4096);
	ck_assert(mock_bytes_ok(out, 4096, 4096));
	ck_assert_int_eq(mock_event(m, EV_SLEEP, 0)->a, M_SLEEP_PIPE_SPACE);
}
END_TEST

START_TEST(pipe_write__reader_goes_while_it_waits)
{
	use_pipe(4096);
	mock_hook(m, hook_close_reader, NULL);
	ck_assert_int_eq(write_n(8192), 4096);
	ck_assert_int_eq(reason(), REASON_PIPE_WRITE_SHORT);
	ck_assert_uint_eq(m->sigpipes, 1);
}
END_TEST

START_TEST(pipe_write__signal)
{
	use_pipe(4096);
	write_n(4096);
	mock_hook(m, hook_signal, NULL);
	ck_assert_int_eq(write_n(1), -ERESTARTSYS);
	ck_assert_int_eq(reason(), REASON_PIPE_WRITE_SIGNAL);
}
END_TEST

START_TEST(pipe_write__no_page)
{
	mock_fail(m, SITE_PIPE_PAGE, 2);
	ck_assert_int_eq(write_n(8192), 4096);
	ck_assert_int_eq(reason(), REASON_PIPE_WRITE_SHORT);
	mock_fail(m, SITE_PIPE_PAGE, 1);
	ck_assert_int_eq(write_n(4096), -ENOMEM);
	ck_assert_int_eq(reason(), REASON_PIPE_WRITE_NOMEM);
}
END_TEST

/* A reader's wait entry, to see whether a write wakes it. */
static bool write_wakes_reader(size_t len)
{
	struct wait_queue_entry e;

	init_wait_entry(&e, &m->tasks[2]);
	add_wait_queue_exclusive(&pipe->rd_wait, &e);
	write_n(len);
	remove_wait_queue(&e);
	return m->tasks[2].woken;
}

START_TEST(pipe_write__readers_told_when_it_was_empty)
{
	ck_assert(write_wakes_reader(5));
	ck_assert(!write_wakes_reader(5));
	pipe_poll_read(pipe);
	ck_assert(write_wakes_reader(5));
}
END_TEST

/* Facts P5: sizes asked for and slots given. */
static const struct {
	u32 size, slots;
} size_rows[] = {
	{ 0, 1 },     { 4096, 1 },   { 4097, 2 },
	{ 12288, 4 }, { 65536, 16 }, { 65537, 32 },
};

START_TEST(pipe_resize__rounds_up)
{
	ck_assert_int_eq(pipe_resize(pipe, size_rows[_i].size),
			 (int)size_rows[_i].slots * 4096);
	ck_assert_uint_eq(pipe->max_usage, size_rows[_i].slots);
	ck_assert_int_eq(reason(), REASON_PIPE_SIZE_SET);
}
END_TEST

/* Facts P5: 20000 bytes are 5 slots. */
START_TEST(pipe_resize__keeps_contents)
{
	write_n(20000);
	read_n(1);
	ck_assert_int_eq(pipe_resize(pipe, 16384), -EBUSY);
	ck_assert_int_eq(reason(), REASON_PIPE_SIZE_BUSY);
	ck_assert_uint_eq(pipe->max_usage, 16);
	ck_assert_int_eq(pipe_resize(pipe, 20480), 32768);
	ck_assert_int_eq(read_n(30000), 19999);
	ck_assert(mock_bytes_ok(out, 1, 19999));
}
END_TEST

START_TEST(pipe_resize__errors)
{
	ck_assert_int_eq(pipe_resize(pipe, (1u << 31) + 1), -EINVAL);
	ck_assert_int_eq(reason(), REASON_PIPE_SIZE_VALUE);
	ck_assert_int_eq(pipe_resize(pipe, 1u << 31), -ENOMEM);
	mock_fail(m, SITE_PIPE_RESIZE, 1);
	ck_assert_int_eq(pipe_resize(pipe, 4096), -ENOMEM);
	ck_assert_int_eq(reason(), REASON_PIPE_SIZE_NOMEM);
	ck_assert_uint_eq(pipe->max_usage, 16);
	ck_assert_ptr_null(pipe->mutex_owner);
}
END_TEST

static void hook_grow(struct mock *mock, void *arg)
{
	(void)mock;
	(void)arg;
	pipe_resize(pipe, 8192);
}

START_TEST(pipe_resize__growing_wakes_writers)
{
	use_pipe(4096);
	mock_hook(m, hook_grow, NULL);
	ck_assert_int_eq(write_n(8192), 8192);
}
END_TEST

START_TEST(pipe_close_reader__only_the_last_is_told)
{
	struct wait_queue_entry e[2];

	pipe->readers = 2;
	init_wait_entry(&e[0], &m->tasks[2]);
	init_wait_entry(&e[1], &m->tasks[3]);
	add_wait_queue_exclusive(&pipe->wr_wait, &e[0]);
	add_wait_queue_exclusive(&pipe->wr_wait, &e[1]);
	pipe_close_reader(pipe);
	ck_assert(!m->tasks[2].woken);
	pipe_close_reader(pipe);
	ck_assert(m->tasks[2].woken && m->tasks[3].woken);
}
END_TEST

START_TEST(pipe_fionread__sum_of_slots)
{
	ck_assert_uint_eq(pipe_fionread(pipe), 0);
	write_n(10000);
	read_n(1);
	ck_assert_uint_eq(pipe_fionread(pipe), 9999);
}
END_TEST

START_TEST(pipe_poll_read__bits)
{
	ck_assert_uint_eq(pipe_poll_read(pipe), 0);
	write_n(1);
	ck_assert_uint_eq(pipe_poll_read(pipe), M_POLLIN | M_POLLRDNORM);
	pipe_close_writer(pipe);
	ck_assert_uint_eq(pipe_poll_read(pipe),
			  M_POLLIN | M_POLLRDNORM | M_POLLHUP);
}
END_TEST

START_TEST(pipe_poll_write__whole_slots_only)
{
	ck_assert_uint_eq(pipe_poll_write(pipe), M_POLLOUT | M_POLLWRNORM);
	write_n(65536);
	ck_assert_uint_eq(pipe_poll_write(pipe), 0);
	read_n(4095);
	ck_assert_uint_eq(pipe_poll_write(pipe), 0);
	read_n(1);
	ck_assert_uint_eq(pipe_poll_write(pipe), M_POLLOUT | M_POLLWRNORM);
	pipe_close_reader(pipe);
	ck_assert_uint_eq(pipe_poll_write(pipe),
			  M_POLLOUT | M_POLLWRNORM | M_POLLERR);
}
END_TEST

static void add_read_tests(TCase *tc)
{
	tcase_add_test(tc, pipe_read__slot_is_freed_when_empty);
	tcase_add_test(tc, pipe_read__over_slots);
	tcase_add_test(tc, pipe_read__nothing_asked);
	tcase_add_test(tc, pipe_read__empty);
	tcase_add_test(tc, pipe_read__fault);
	tcase_add_test(tc, pipe_read__waits_for_data);
	tcase_add_test(tc, pipe_read__woken_by_the_last_writer);
	tcase_add_test(tc, pipe_read__signal);
	tcase_add_test(tc, pipe_read__passes_the_wakeup_on);
	tcase_add_test(tc, pipe_read__no_data_left_wakes_nobody);
	tcase_add_test(tc, pipe_read__writer_told_when_a_slot_is_freed);
	tcase_add_test(tc, pipe_read__v6_writer_told_when_it_was_full);
}

static void add_write_tests(TCase *tc)
{
	tcase_add_test(tc, pipe_write__nothing_to_write);
	tcase_add_test(tc, pipe_write__no_reader);
	tcase_add_test(tc, pipe_write__remainder_is_merged);
	tcase_add_test(tc, pipe_write__no_partial_merge);
	tcase_add_test(tc, pipe_write__read_part_still_limits_the_page);
	tcase_add_test(tc, pipe_write__nonblocking);
	tcase_add_test(tc, pipe_write__waits_for_space);
	tcase_add_test(tc, pipe_write__reader_goes_while_it_waits);
	tcase_add_test(tc, pipe_write__signal);
	tcase_add_test(tc, pipe_write__no_page);
	tcase_add_test(tc, pipe_write__readers_told_when_it_was_empty);
}

Suite *pipe_test_suite(void)
{
	Suite *s = suite_create("pipe");
	TCase *tc = tcase_create("pipe");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, alloc_pipe_info__sixteen_slots);
	tcase_add_test(tc, free_pipe_info__gives_pages_back);
	tcase_add_test(tc, pipe_lock__no_signal_interrupts);
	tcase_add_test(tc, pipe_lock__handed_to_who_was_passed_by);
	add_read_tests(tc);
	add_write_tests(tc);
	tcase_add_loop_test(tc, pipe_resize__rounds_up, 0,
			    ARRAY_SIZE(size_rows));
	tcase_add_test(tc, pipe_resize__keeps_contents);
	tcase_add_test(tc, pipe_resize__errors);
	tcase_add_test(tc, pipe_resize__growing_wakes_writers);
	tcase_add_test(tc, pipe_close_reader__only_the_last_is_told);
	tcase_add_test(tc, pipe_fionread__sum_of_slots);
	tcase_add_test(tc, pipe_poll_read__bits);
	tcase_add_test(tc, pipe_poll_write__whole_slots_only);
	suite_add_tcase(s, tc);
	return s;
}
