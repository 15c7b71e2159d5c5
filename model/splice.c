// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a socket buffer into a pipe.
 *
 * splice(2) takes the pipe mutex, waits for one free slot, caps the length to
 * the free slots times a page, and calls the socket with the mutex held. The
 * socket hands one buffer at a time to skb_splice_bits(), which describes the
 * bytes as at most 17 pieces; pieces that continue each other in the same page
 * object are one. splice_to_pipe() puts whole pieces into slots and never
 * sleeps. What does not fit stays with the caller (facts tcp-splice.md
 * P14..P25, rx.md C0).
 *
 * Left out: splice out of a pipe, tee, vmsplice; files as input; fsnotify.
 * MODEL: the fragment area that slab heads are copied to hangs on the socket,
 * where the kernel uses the task's; a copy's slot boundaries then depend on
 * this socket's copies only.
 *
 * Mirrors fs/splice.c: splice_to_pipe(), wait_for_space(), do_splice_read(),
 * splice_file_to_pipe(), wakeup_pipe_readers(); net/core/skbuff.c:
 * skb_splice_bits(), spd_fill_page(), linear_to_page(); net/core/sock.c:
 * skb_page_frag_refill().
 */
#include "model/pipe.h"

enum {
	M_FRAG_AREA_ORDER = 3, /* 32 KiB */
	M_FRAG_AREA_MIN = 32, /* less left than this: take a new area */
	M_MAX_RW_COUNT = 0x7ffff000,
};

static int splice_exit(struct pipe_inode_info *pipe, int ret,
		       enum m_reason reason)
{
	m_reason(pipe->k, reason);
	return ret;
}

static int splice_no_reader(struct pipe_inode_info *pipe)
{
	send_sigpipe(pipe->k);
	return splice_exit(pipe, -EPIPE, REASON_SPLICE_NO_READER);
}

int splice_to_pipe(struct pipe_inode_info *pipe, struct splice_pipe_desc *spd)
{
	u32 slots = 0;
	int ret = 0;
	u32 i;

	if (!spd->nr_pages)
		return 0;
	if (!pipe->readers) {
		ret = splice_no_reader(pipe);
		goto out;
	}
	for (; slots < spd->nr_pages && !pipe_full(pipe); slots++) {
		*pipe_buf(pipe, pipe->head++) =
			(struct pipe_buffer){ spd->pages[slots],
					      spd->offset[slots],
					      spd->len[slots], false };
		ret += (int)spd->len[slots];
	}
	if (slots)
		m_event(pipe->k, EV_PIPE_ADD, pipe->id, ret, slots);
	else
		ret = -EAGAIN; /* wait_for_space() saw a slot, or bytes moved */
out:
	for (i = slots; i < spd->nr_pages; i++)
		put_page(pipe->k, spd->pages[i]);
	return ret;
}

int wait_for_space(struct pipe_inode_info *pipe, unsigned int flags)
{
	struct m_kernel *k = pipe->k;

	for (;;) {
		if (!pipe->readers)
			return splice_no_reader(pipe);
		if (!pipe_full(pipe))
			return 0;
		if (flags & M_SPLICE_F_NONBLOCK)
			return splice_exit(pipe, -EAGAIN,
					   REASON_SPLICE_PIPE_FULL);
		if (k->ops->signal_pending(k))
			return splice_exit(pipe, -ERESTARTSYS,
					   REASON_SPLICE_SIGNAL);
		pipe_unlock(pipe);
		wait_event_interruptible(k, &pipe->wr_wait, M_SLEEP_PIPE_SPACE,
					 pipe_writable, pipe);
		pipe_lock(pipe);
	}
}

/* Makes sure that some bytes are free in the socket's fragment area. */
static bool sk_page_frag_refill(struct sock *sk)
{
	struct page *page = sk->sk_frag_page;

	if (page) {
		if (page->refcount == 1)
			sk->sk_frag_offset = 0;
		if (sk->sk_frag_offset + M_FRAG_AREA_MIN <=
		    PAGE_SIZE << page->order)
			return true;
		put_page(sk->k, page);
	}
	page = alloc_pages(sk->k, SITE_SPLICE_COPY, M_FRAG_AREA_ORDER);
	if (!page)
		page = alloc_pages(sk->k, SITE_SPLICE_COPY, 0);
	sk->sk_frag_page = page;
	sk->sk_frag_offset = 0;
	if (!page)
		m_reason(sk->k, REASON_SPLICE_NO_PAGE);
	return page;
}

/* Copies a locked piece, or its first part, to the fragment area. */
static bool linear_to_page(struct sock *sk, struct skb_piece *piece)
{
	const u8 *from = piece->page->data + piece->offset;
	struct page *area;
	u32 room;

	if (!sk_page_frag_refill(sk))
		return false;
	area = sk->sk_frag_page;
	room = (PAGE_SIZE << area->order) - sk->sk_frag_offset;
	piece->len = min_t(u32, piece->len, room);
	piece->page = area;
	piece->offset = sk->sk_frag_offset;
	memcpy(area->data + piece->offset, from, piece->len);
	sk->sk_frag_offset += piece->len;
	return true;
}

/* Adds @piece, which @piece->len may come out of shorter; false: no more. */
static bool spd_fill_page(struct splice_pipe_desc *spd, struct skb_piece *piece,
			  struct sock *sk)
{
	u32 n = spd->nr_pages;

	if (n == MAX_SKB_FRAGS)
		return false;
	if (piece->locked && !linear_to_page(sk, piece))
		return false;
	if (n && spd->pages[n - 1] == piece->page &&
	    spd->offset[n - 1] + spd->len[n - 1] == piece->offset) {
		spd->len[n - 1] += piece->len;
		return true;
	}
	get_page(piece->page);
	spd->pages[n] = piece->page;
	spd->offset[n] = piece->offset;
	spd->len[n] = piece->len;
	spd->nr_pages++;
	return true;
}

/* All of one contiguous piece, a locked one in as many parts as it needs. */
static bool splice_segment(struct splice_pipe_desc *spd,
			   const struct skb_piece *seg, struct sock *sk)
{
	u32 done = 0;

	while (done < seg->len) {
		struct skb_piece part = *seg;

		part.offset += done;
		part.len -= done;
		if (!spd_fill_page(spd, &part, sk))
			return false;
		done += part.len;
	}
	return true;
}

int skb_splice_bits(struct sk_buff *skb, struct sock *sk, u32 offset,
		    struct pipe_inode_info *pipe, u32 tlen)
{
	struct splice_pipe_desc spd;
	struct skb_piece piece;
	struct skb_cursor c;

	spd.nr_pages = 0;
	if (offset > skb->len)
		return 0;
	tlen = min_t(u32, tlen, skb->len - offset);
	skb_cursor_init(&c, skb, offset, tlen);
	while (skb_cursor_next(&c, &piece) > 0) {
		if (!splice_segment(&spd, &piece, sk))
			break;
	}
	return splice_to_pipe(pipe, &spd);
}

/* do_splice_read() and what the socket layer adds; pipe mutex held. */
static int do_splice_read(struct sock *sk, struct pipe_inode_info *pipe,
			  size_t len, unsigned int flags)
{
	u32 space = pipe->max_usage - pipe_occupancy(pipe);

	len = min_t(size_t, len, (size_t)space * PAGE_SIZE);
	len = min_t(size_t, len, M_MAX_RW_COUNT);
	return sk->ops->splice_read(sk, pipe, len, flags);
}

int splice_file_to_pipe(struct sock *sk, struct pipe_inode_info *pipe,
			size_t len, unsigned int flags)
{
	int ret;

	if (!len)
		return splice_exit(pipe, 0, REASON_SPLICE_ZERO);
	if (pipe->wr_nonblock)
		flags |= M_SPLICE_F_NONBLOCK;
	pipe_lock(pipe);
	ret = wait_for_space(pipe, flags);
	if (!ret)
		ret = do_splice_read(sk, pipe, len, flags);
	pipe_unlock(pipe);
	if (ret > 0 && wq_has_sleeper(&pipe->rd_wait))
		wake_up_poll(pipe->k, &pipe->rd_wait, 0);
	return ret;
}
