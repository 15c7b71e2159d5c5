/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pipes: a ring of slots, and filling them from a socket.
 * Mirrors fs/pipe.c, fs/splice.c, skb_splice_bits() of net/core/skbuff.c.
 */
#ifndef MODEL_PIPE_H
#define MODEL_PIPE_H

#include "model/sock.h"

enum {
	M_SPLICE_F_MOVE = 1,
	M_SPLICE_F_NONBLOCK = 2,
	M_SPLICE_F_MORE = 4
};

/**
 * struct pipe_buffer - one slot
 * @page: reference owned
 * @offset: first byte in @page
 * @len: bytes, may exceed PAGE_SIZE for a compound page
 * @can_merge: made by write(), a later write may append
 */
struct pipe_buffer {
	struct page *page;
	u32 offset;
	u32 len;
	bool can_merge;
};

/**
 * struct pipe_inode_info - a pipe
 * @k: kernel
 * @id: small number, for the log
 * @bufs: @ring_size slots
 * @ring_size: power of two
 * @max_usage: slots that may be used
 * @head: next slot to fill, runs freely
 * @tail: next slot to drain, runs freely
 * @readers: open read ends
 * @writers: open write ends
 * @rd_nonblock: O_NONBLOCK on the read end
 * @wr_nonblock: O_NONBLOCK on the write end
 * @mutex_owner: task holding the pipe mutex, NULL when free
 * @mutex_handoff: whoever waits longest gets it next (MUTEX_FLAG_HANDOFF)
 * @mutex_wq: tasks waiting for it (uninterruptibly), in order of arrival
 * @rd_wait: readers and pollers waiting for data
 * @wr_wait: writers waiting for a slot
 * @poll_usage: somebody polled it once; every write wakes readers since
 */
struct pipe_inode_info {
	struct m_kernel *k;
	u32 id;
	struct pipe_buffer *bufs;
	u32 ring_size;
	u32 max_usage;
	u32 head;
	u32 tail;
	u32 readers;
	u32 writers;
	bool rd_nonblock;
	bool wr_nonblock;
	struct m_task *mutex_owner;
	bool mutex_handoff;
	struct wait_queue_head mutex_wq;
	struct wait_queue_head rd_wait;
	struct wait_queue_head wr_wait;
	bool poll_usage;
};

static inline u32 pipe_occupancy(const struct pipe_inode_info *p)
{
	return p->head - p->tail;
}

static inline bool pipe_full(const struct pipe_inode_info *p)
{
	return pipe_occupancy(p) >= p->max_usage;
}

static inline struct pipe_buffer *pipe_buf(const struct pipe_inode_info *pipe,
					   u32 slot)
{
	return &pipe->bufs[slot & (pipe->ring_size - 1)];
}

/* For waiting loops: @arg is the pipe. */
static inline bool pipe_writable(const void *arg)
{
	const struct pipe_inode_info *pipe = arg;

	return !pipe_full(pipe) || !pipe->readers;
}

/* SIGPIPE to the current task. */
static inline void send_sigpipe(struct m_kernel *k)
{
	m_event(k, EV_SIGPIPE, 0, 0, 0);
	k->current->sigpipe = true;
	k->ops->sigpipe(k);
}

/* @size bytes, rounded as F_SETPIPE_SZ rounds; 0 means 16 slots. Owns:
 * caller. */
struct pipe_inode_info *alloc_pipe_info(struct m_kernel *k, u32 size);
void free_pipe_info(struct pipe_inode_info *pipe);
/* Uninterruptible. Yields. */
void pipe_lock(struct pipe_inode_info *pipe);
void pipe_unlock(struct pipe_inode_info *pipe);
/* F_SETPIPE_SZ: new size in bytes, -EBUSY, -EINVAL, -ENOMEM. Yields. */
int pipe_resize(struct pipe_inode_info *pipe, u32 size);
void pipe_close_reader(struct pipe_inode_info *pipe);
void pipe_close_writer(struct pipe_inode_info *pipe);
/* read(2), write(2), FIONREAD, poll of either end. Yield. */
int pipe_read(struct pipe_inode_info *pipe, struct iov_iter *to);
int pipe_write(struct pipe_inode_info *pipe, const u8 *from, size_t len);
u32 pipe_fionread(struct pipe_inode_info *pipe);
u32 pipe_poll_read(struct pipe_inode_info *pipe);
u32 pipe_poll_write(struct pipe_inode_info *pipe);

/* Pieces gathered for a pipe, at most MAX_SKB_FRAGS. References owned. */
struct splice_pipe_desc {
	struct page *pages[MAX_SKB_FRAGS];
	u32 offset[MAX_SKB_FRAGS];
	u32 len[MAX_SKB_FRAGS];
	u32 nr_pages;
};

/* Never sleeps. Bytes placed, -EAGAIN, or SIGPIPE and -EPIPE. */
int splice_to_pipe(struct pipe_inode_info *pipe, struct splice_pipe_desc *spd);
/* Needs the pipe mutex; drops it while it sleeps. 0 or error. Yields. */
int wait_for_space(struct pipe_inode_info *pipe, unsigned int flags);
/* [offset, offset+tlen) of @skb to @pipe; as splice_to_pipe(). */
int skb_splice_bits(struct sk_buff *skb, struct sock *sk, u32 offset,
		    struct pipe_inode_info *pipe, u32 tlen);

/**
 * splice_file_to_pipe() - splice(2) from a socket
 *
 * Pipe mutex, wait_for_space(), length cap, ops->splice_read(), wake readers
 * (facts tcp-splice.md P14..P17). Yields.
 */
int splice_file_to_pipe(struct sock *sk, struct pipe_inode_info *pipe,
			size_t len, unsigned int flags);

#endif
