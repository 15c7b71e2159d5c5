// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A pipe: a ring of slots, each a piece of a page.
 *
 *   tail --> [ page, offset, len ] [ ... ] [ ... ] <-- head     free slots
 *
 * Capacity is counted in slots. Reads take bytes from the oldest slot and free
 * it when it is empty; writes first try to append a remainder to the newest
 * slot, then use one fresh page a slot. Everything but poll takes the mutex,
 * which no signal interrupts.
 *
 * Left out: packet mode, page-cache slots that need confirming, watch queues,
 * SIGIO, kept spare pages. MODEL: no per-user page accounting and no
 * pipe-max-size: the caller is privileged (facts tcp-splice.md P4..P6).
 *
 * Mirrors fs/pipe.c: alloc_pipe_info(), pipe_lock(), pipe_read(),
 * pipe_write(), pipe_poll(), pipe_ioctl(), pipe_release(), pipe_set_size(),
 * pipe_resize_ring().
 */
#include "model/pipe.h"

/* The second: the largest power of two whose array kmalloc() can give. */
enum {
	PIPE_DEF_BUFFERS = 16,
	PIPE_RING_MAX = 65536
};

static int pipe_exit(struct pipe_inode_info *pipe, int ret,
		     enum m_reason reason)
{
	m_reason(pipe->k, reason);
	return ret;
}

static size_t ring_bytes(u32 slots)
{
	return slots * sizeof(struct pipe_buffer);
}

/* Slots for @size bytes; 0 when there is no such size. */
static u32 round_pipe_slots(u32 size)
{
	u32 slots = 1;

	if (size > 1u << 31)
		return 0;
	while ((u64)slots * PAGE_SIZE < size)
		slots <<= 1;
	return slots;
}

struct pipe_inode_info *alloc_pipe_info(struct m_kernel *k, u32 size)
{
	u32 slots = size ? round_pipe_slots(size) : PIPE_DEF_BUFFERS;
	struct pipe_inode_info *pipe;

	M_ASSERT(slots && slots <= PIPE_RING_MAX, "pipe of %u bytes", size);
	pipe = m_alloc(k, SITE_PIPE, sizeof(*pipe));
	pipe->k = k;
	pipe->id = ++k->pipe_id;
	pipe->bufs = m_alloc(k, SITE_PIPE, ring_bytes(slots));
	pipe->ring_size = slots;
	pipe->max_usage = slots;
	pipe->head = 0;
	pipe->tail = 0;
	pipe->readers = 1;
	pipe->writers = 1;
	pipe->rd_nonblock = false;
	pipe->wr_nonblock = false;
	pipe->mutex_owner = NULL;
	pipe->mutex_handoff = false;
	init_waitqueue_head(&pipe->mutex_wq);
	init_waitqueue_head(&pipe->rd_wait);
	init_waitqueue_head(&pipe->wr_wait);
	pipe->poll_usage = false;
	return pipe;
}

void free_pipe_info(struct pipe_inode_info *pipe)
{
	struct m_kernel *k;

	if (!pipe)
		return;
	k = pipe->k;
	M_ASSERT(!pipe->mutex_owner && !wq_has_sleeper(&pipe->mutex_wq),
		 "pipe %u freed in use", pipe->id);
	for (; pipe->tail != pipe->head; pipe->tail++)
		put_page(k, pipe_buf(pipe, pipe->tail)->page);
	m_free(k, pipe->bufs, ring_bytes(pipe->ring_size));
	m_free(k, pipe, sizeof(*pipe));
}

static struct wait_queue_entry *pipe_first_waiter(struct pipe_inode_info *pipe)
{
	return list_entry(pipe->mutex_wq.list.next, struct wait_queue_entry,
			  list);
}

/* A waiter keeps its place until it has the mutex. The first one, woken in
 * vain once, is handed it by the next pipe_unlock(). */
static void pipe_lock_slowpath(struct pipe_inode_info *pipe)
{
	struct wait_queue_entry wait;
	struct m_kernel *k = pipe->k;

	init_wait_entry(&wait, k->current);
	add_wait_queue_exclusive(&pipe->mutex_wq, &wait);
	for (;;) {
		m_schedule(k, M_SLEEP_PIPE_MUTEX, MAX_SCHEDULE_TIMEOUT, false);
		if (!pipe->mutex_owner || pipe->mutex_owner == k->current)
			break;
		if (pipe_first_waiter(pipe) == &wait)
			pipe->mutex_handoff = true;
	}
	remove_wait_queue(&wait);
}

void pipe_lock(struct pipe_inode_info *pipe)
{
	struct m_kernel *k = pipe->k;

	M_ASSERT(!k->in_softirq && k->current, "pipe mutex in softirq");
	M_ASSERT(pipe->mutex_owner != k->current, "task %s locks pipe %u twice",
		 k->current->name, pipe->id);
	if (pipe->mutex_owner)
		pipe_lock_slowpath(pipe);
	pipe->mutex_owner = k->current;
	m_event(k, EV_PIPE_LOCK, pipe->id, 0, 0);
}

static void pipe_wake_waiter(struct pipe_inode_info *pipe)
{
	struct m_task *task = pipe_first_waiter(pipe)->task;

	if (pipe->mutex_handoff)
		pipe->mutex_owner = task;
	pipe->mutex_handoff = false;
	task->woken = true;
	pipe->k->ops->wake(pipe->k, task);
}

void pipe_unlock(struct pipe_inode_info *pipe)
{
	struct m_kernel *k = pipe->k;

	M_ASSERT(pipe->mutex_owner == k->current,
		 "pipe %u unlocked by a stranger", pipe->id);
	pipe->mutex_owner = NULL;
	m_event(k, EV_PIPE_UNLOCK, pipe->id, 0, 0);
	if (wq_has_sleeper(&pipe->mutex_wq))
		pipe_wake_waiter(pipe);
	softirq_point(k, POINT_PIPE_UNLOCKED);
}

static void wake_readers(struct pipe_inode_info *pipe)
{
	if (wq_has_sleeper(&pipe->rd_wait))
		wake_up_poll(pipe->k, &pipe->rd_wait, POLLIN_SET);
}

static void wake_writers(struct pipe_inode_info *pipe)
{
	if (wq_has_sleeper(&pipe->wr_wait))
		wake_up_poll(pipe->k, &pipe->wr_wait, POLLOUT_SET);
}

static bool pipe_readable(const void *arg)
{
	const struct pipe_inode_info *pipe = arg;

	return pipe_occupancy(pipe) || !pipe->writers;
}

/* Gives back the oldest slot; true when a writer may have waited for it. */
static bool pipe_pop_slot(struct pipe_inode_info *pipe)
{
	bool was_full = pipe_full(pipe);

	put_page(pipe->k, pipe_buf(pipe, pipe->tail)->page);
	pipe->tail++;
	return was_full;
}

/**
 * struct pipe_read_state - one read(2) under way
 * @to: destination
 * @done: bytes copied
 * @slots: slots given back since the last PIPE_DEL event
 * @wake_writer: a writer must be told
 * @wake_next_reader: this reader was woken alone; pass it on if data is left
 */
struct pipe_read_state {
	struct iov_iter *to;
	int done;
	u32 slots;
	bool wake_writer;
	bool wake_next_reader;
};

/* Takes from the oldest slot; false: the buffer faulted. */
static bool pipe_read_slot(struct pipe_inode_info *pipe,
			   struct pipe_read_state *st)
{
	struct pipe_buffer *buf = pipe_buf(pipe, pipe->tail);
	u32 chars = min_t(size_t, buf->len, iov_iter_count(st->to));
	u32 n;

	n = (u32)copy_to_iter(buf->page->data + buf->offset, chars, st->to);
	if (n < chars) {
		/* The kernel counts none of a slot that faulted. */
		iov_iter_revert(st->to, n);
		return false;
	}
	buf->offset += n;
	buf->len -= n;
	st->done += (int)n;
	if (!buf->len) {
		st->wake_writer |= pipe_pop_slot(pipe);
		st->slots++;
	}
	return true;
}

/* Copies until the buffer is full or the ring empty; 0 or -EFAULT. */
static int pipe_read_slots(struct pipe_inode_info *pipe,
			   struct pipe_read_state *st)
{
	int start = st->done;
	int ret = 0;

	if (m_has(pipe->k, CHANGE_PIPE_WAKE_WAS_FULL))
		st->wake_writer |= pipe_full(pipe);
	while (pipe_occupancy(pipe) && iov_iter_count(st->to)) {
		if (!pipe_read_slot(pipe, st)) {
			ret = -EFAULT;
			break;
		}
	}
	if (st->done > start)
		m_event(pipe->k, EV_PIPE_DEL, pipe->id, st->done - start,
			st->slots);
	st->slots = 0;
	return ret;
}

/* The reader's turns, mutex held on entry and exit unless -ERESTARTSYS. */
static int pipe_read_loop(struct pipe_inode_info *pipe,
			  struct pipe_read_state *st)
{
	int ret;

	for (;;) {
		ret = pipe_read_slots(pipe, st);
		if (st->done)
			return pipe_exit(pipe, st->done, REASON_PIPE_READ_DATA);
		if (ret)
			return pipe_exit(pipe, ret, REASON_PIPE_READ_FAULT);
		if (!pipe->writers)
			return pipe_exit(pipe, 0, REASON_PIPE_READ_EOF);
		if (pipe->rd_nonblock)
			return pipe_exit(pipe, -EAGAIN,
					 REASON_PIPE_READ_EAGAIN);
		pipe_unlock(pipe);
		if (wait_exclusive(pipe->k, &pipe->rd_wait, M_SLEEP_PIPE_DATA,
				   true, pipe_readable, pipe) < 0)
			return pipe_exit(pipe, -ERESTARTSYS,
					 REASON_PIPE_READ_SIGNAL);
		st->wake_next_reader = true;
		pipe_lock(pipe);
	}
}

int pipe_read(struct pipe_inode_info *pipe, struct iov_iter *to)
{
	struct pipe_read_state st = { .to = to };
	int ret;

	if (!iov_iter_count(to))
		return pipe_exit(pipe, 0, REASON_PIPE_READ_ZERO);
	pipe_lock(pipe);
	ret = pipe_read_loop(pipe, &st);
	if (ret == -ERESTARTSYS)
		return ret;
	if (!pipe_occupancy(pipe))
		st.wake_next_reader = false;
	pipe_unlock(pipe);
	if (st.wake_writer)
		wake_writers(pipe);
	if (st.wake_next_reader)
		wake_readers(pipe);
	return ret;
}

/**
 * struct pipe_write_state - one write(2) under way
 * @from: bytes still to write
 * @len: how many
 * @done: bytes written
 * @was_empty: the ring was empty when this turn started: readers must be told
 * @wake_next_writer: this writer was woken alone; pass it on if room is left
 */
struct pipe_write_state {
	const u8 *from;
	size_t len;
	int done;
	bool was_empty;
	bool wake_next_writer;
};

static void pipe_write_copy(struct pipe_write_state *st, u8 *to, u32 chars)
{
	memcpy(to, st->from, chars);
	st->from += chars;
	st->len -= chars;
	st->done += (int)chars;
}

/* Appends the remainder of a page to the newest slot, all of it or nothing. */
static void pipe_write_merge(struct pipe_inode_info *pipe,
			     struct pipe_write_state *st)
{
	u32 chars = st->len & (PAGE_SIZE - 1);
	struct pipe_buffer *buf;

	if (!chars || !pipe_occupancy(pipe))
		return;
	buf = pipe_buf(pipe, pipe->head - 1);
	if (!buf->can_merge || buf->offset + buf->len + chars > PAGE_SIZE)
		return;
	pipe_write_copy(st, buf->page->data + buf->offset + buf->len, chars);
	buf->len += chars;
	m_event(pipe->k, EV_PIPE_ADD, pipe->id, chars, 0);
}

/* Fills free slots; 0 or -ENOMEM. */
static int pipe_write_slots(struct pipe_inode_info *pipe,
			    struct pipe_write_state *st)
{
	int start = st->done;
	u32 slots = 0;
	int ret = 0;

	while (st->len && !pipe_full(pipe)) {
		u32 chars = min_t(size_t, st->len, PAGE_SIZE);
		struct page *page;

		page = alloc_pages(pipe->k, SITE_PIPE_PAGE, 0);
		if (!page) {
			ret = -ENOMEM;
			break;
		}
		pipe_write_copy(st, page->data, chars);
		*pipe_buf(pipe, pipe->head++) =
			(struct pipe_buffer){ page, 0, chars, true };
		slots++;
	}
	if (slots)
		m_event(pipe->k, EV_PIPE_ADD, pipe->id, st->done - start,
			slots);
	return ret;
}

/* Ends a write early: bytes written win over the error. */
static int pipe_write_stop(struct pipe_inode_info *pipe,
			   const struct pipe_write_state *st, int err,
			   enum m_reason reason)
{
	if (st->done)
		return pipe_exit(pipe, st->done, REASON_PIPE_WRITE_SHORT);
	return pipe_exit(pipe, err, reason);
}

/* The writer's turns, mutex held on entry and exit. */
static int pipe_write_loop(struct pipe_inode_info *pipe,
			   struct pipe_write_state *st)
{
	struct m_kernel *k = pipe->k;

	for (;;) {
		if (!pipe->readers) {
			send_sigpipe(k);
			return pipe_write_stop(pipe, st, -EPIPE,
					       REASON_PIPE_WRITE_NO_READER);
		}
		if (pipe_write_slots(pipe, st) < 0)
			return pipe_write_stop(pipe, st, -ENOMEM,
					       REASON_PIPE_WRITE_NOMEM);
		if (!st->len)
			return pipe_exit(pipe, st->done,
					 REASON_PIPE_WRITE_DONE);
		if (pipe->wr_nonblock)
			return pipe_write_stop(pipe, st, -EAGAIN,
					       REASON_PIPE_WRITE_EAGAIN);
		if (k->ops->signal_pending(k))
			return pipe_write_stop(pipe, st, -ERESTARTSYS,
					       REASON_PIPE_WRITE_SIGNAL);
		pipe_unlock(pipe);
		if (st->was_empty)
			wake_readers(pipe);
		wait_exclusive(k, &pipe->wr_wait, M_SLEEP_PIPE_SPACE, true,
			       pipe_writable, pipe);
		pipe_lock(pipe);
		st->was_empty = !pipe_occupancy(pipe);
		st->wake_next_writer = true;
	}
}

int pipe_write(struct pipe_inode_info *pipe, const u8 *from, size_t len)
{
	struct pipe_write_state st = { .from = from, .len = len };
	int ret;

	if (!len)
		return pipe_exit(pipe, 0, REASON_PIPE_WRITE_ZERO);
	pipe_lock(pipe);
	st.was_empty = !pipe_occupancy(pipe);
	if (pipe->readers)
		pipe_write_merge(pipe, &st);
	if (!st.len)
		ret = pipe_exit(pipe, st.done, REASON_PIPE_WRITE_DONE);
	else
		ret = pipe_write_loop(pipe, &st);
	if (pipe_full(pipe))
		st.wake_next_writer = false;
	pipe_unlock(pipe);
	if (st.was_empty || pipe->poll_usage)
		wake_readers(pipe);
	if (st.wake_next_writer)
		wake_writers(pipe);
	return ret;
}

/* Moves the contents to the start of a ring of @slots; 0 or an error. */
static int pipe_resize_ring(struct pipe_inode_info *pipe, u32 slots)
{
	struct m_kernel *k = pipe->k;
	struct pipe_buffer *bufs;
	u32 n, i;

	if (slots > PIPE_RING_MAX)
		return pipe_exit(pipe, -ENOMEM, REASON_PIPE_SIZE_NOMEM);
	bufs = m_alloc(k, SITE_PIPE_RESIZE, ring_bytes(slots));
	if (!bufs)
		return pipe_exit(pipe, -ENOMEM, REASON_PIPE_SIZE_NOMEM);
	n = pipe_occupancy(pipe);
	if (slots < n) {
		m_free(k, bufs, ring_bytes(slots));
		return pipe_exit(pipe, -EBUSY, REASON_PIPE_SIZE_BUSY);
	}
	for (i = 0; i < n; i++)
		bufs[i] = *pipe_buf(pipe, pipe->tail + i);
	m_free(k, pipe->bufs, ring_bytes(pipe->ring_size));
	pipe->bufs = bufs;
	pipe->ring_size = slots;
	pipe->max_usage = slots;
	pipe->tail = 0;
	pipe->head = n;
	return 0;
}

int pipe_resize(struct pipe_inode_info *pipe, u32 size)
{
	u32 slots = round_pipe_slots(size);
	int ret;

	pipe_lock(pipe);
	if (!slots) {
		ret = pipe_exit(pipe, -EINVAL, REASON_PIPE_SIZE_VALUE);
		goto out;
	}
	ret = pipe_resize_ring(pipe, slots);
	if (ret)
		goto out;
	if (wq_has_sleeper(&pipe->wr_wait))
		wake_up_poll(pipe->k, &pipe->wr_wait, 0);
	ret = pipe_exit(pipe, (int)(slots * PAGE_SIZE), REASON_PIPE_SIZE_SET);
out:
	pipe_unlock(pipe);
	return ret;
}

static void pipe_close_end(struct pipe_inode_info *pipe, u32 *ends)
{
	pipe_lock(pipe);
	M_ASSERT(*ends > 0, "pipe %u: end closed twice", pipe->id);
	--*ends;
	/* The last one of one side is told to the other side. */
	if (!pipe->readers != !pipe->writers) {
		wake_up_all(pipe->k, &pipe->rd_wait);
		wake_up_all(pipe->k, &pipe->wr_wait);
	}
	pipe_unlock(pipe);
}

void pipe_close_reader(struct pipe_inode_info *pipe)
{
	pipe_close_end(pipe, &pipe->readers);
}

void pipe_close_writer(struct pipe_inode_info *pipe)
{
	pipe_close_end(pipe, &pipe->writers);
}

u32 pipe_fionread(struct pipe_inode_info *pipe)
{
	u32 bytes = 0;
	u32 slot;

	pipe_lock(pipe);
	for (slot = pipe->tail; slot != pipe->head; slot++)
		bytes += pipe_buf(pipe, slot)->len;
	pipe_unlock(pipe);
	return bytes;
}

u32 pipe_poll_read(struct pipe_inode_info *pipe)
{
	u32 mask = 0;

	pipe->poll_usage = true;
	if (pipe_occupancy(pipe))
		mask |= POLLIN_SET;
	if (!pipe->writers)
		mask |= M_POLLHUP;
	return mask;
}

u32 pipe_poll_write(struct pipe_inode_info *pipe)
{
	u32 mask = 0;

	pipe->poll_usage = true;
	if (!pipe_full(pipe))
		mask |= POLLOUT_SET;
	if (!pipe->readers)
		mask |= M_POLLERR;
	return mask;
}
