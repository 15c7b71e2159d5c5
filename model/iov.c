// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * User buffers: the cursor over them, copies into them, control messages.
 *
 * A buffer whose base is NULL is an address that faults at its first byte;
 * the world cuts a vector where "EFAULT at byte n" is wanted.
 *
 * Left out: iterators over pages, pipes and bio vectors; copies from user
 * memory (the write side takes plain bytes).
 *
 * Mirrors lib/iov_iter.c, net/core/datagram.c skb_copy_datagram_iter(),
 * net/core/scm.c put_cmsg(), net/tls/tls_sw.c tls_setup_from_iter().
 */
#include "model/skb.h"

/* sizeof(struct cmsghdr), CMSG_LEN(1) and CMSG_SPACE(1) on 64 bit. */
enum {
	CMSG_HDR_LEN = 16,
	CMSG_LEN_1 = 17,
	CMSG_SPACE_1 = 24
};

void iov_iter_init(struct iov_iter *it, enum iter_type type,
		   const struct iovec_m *iov, u32 nr_segs)
{
	u32 i;

	it->type = type;
	it->iov = iov;
	it->nr_segs = nr_segs;
	it->seg = 0;
	it->seg_off = 0;
	it->count = 0;
	for (i = 0; i < nr_segs; i++)
		it->count += iov[i].len;
}

/* What is left of the current buffer, at most @len; steps over used-up ones. */
static size_t iov_iter_chunk(struct iov_iter *it, size_t len)
{
	while (it->seg < it->nr_segs && it->seg_off == it->iov[it->seg].len) {
		it->seg++;
		it->seg_off = 0;
	}
	if (it->seg == it->nr_segs)
		return 0;
	len = min_t(size_t, len, it->count);
	return min_t(size_t, len, it->iov[it->seg].len - it->seg_off);
}

size_t copy_to_iter(const void *from, size_t len, struct iov_iter *it)
{
	const u8 *src = from;
	size_t done = 0;
	size_t chunk;

	while (done < len && (chunk = iov_iter_chunk(it, len - done))) {
		u8 *base = it->iov[it->seg].base;

		if (!base)
			break;
		memcpy(base + it->seg_off, src + done, chunk);
		it->seg_off += chunk;
		it->count -= chunk;
		done += chunk;
	}
	return done;
}

void iov_iter_advance(struct iov_iter *it, size_t len)
{
	size_t chunk;

	M_ASSERT(len <= it->count, "advance by %zu of %zu", len, it->count);
	while (len && (chunk = iov_iter_chunk(it, len))) {
		it->seg_off += chunk;
		it->count -= chunk;
		len -= chunk;
	}
}

void iov_iter_revert(struct iov_iter *it, size_t len)
{
	it->count += len;
	while (len > it->seg_off) {
		M_ASSERT(it->seg > 0, "reverted %zu bytes too far",
			 len - it->seg_off);
		len -= it->seg_off;
		it->seg--;
		it->seg_off = it->iov[it->seg].len;
	}
	it->seg_off -= len;
}

int iov_iter_get_sg(struct iov_iter *it, size_t len, struct scatterlist *sg,
		    int max)
{
	size_t chunk;
	int n = 0;

	while (len) {
		u8 *base;

		chunk = iov_iter_chunk(it, min_t(size_t, len, UINT32_MAX));
		if (!chunk || n == max)
			return -EFAULT;
		base = it->iov[it->seg].base;
		if (!base)
			return -EFAULT;
		sg[n].base = base + it->seg_off;
		sg[n].len = (u32)chunk;
		n++;
		it->seg_off += chunk;
		it->count -= chunk;
		len -= chunk;
	}
	return n;
}

int skb_copy_datagram_iter(const struct sk_buff *skb, u32 offset,
			   struct iov_iter *to, u32 len)
{
	struct skb_piece piece;
	struct skb_cursor c;
	u32 done = 0;
	size_t n;
	int ret;

	if (skb_cursor_init(&c, skb, offset, len) < 0)
		return -EFAULT;
	while ((ret = skb_cursor_next(&c, &piece)) > 0) {
		n = copy_to_iter(piece.page->data + piece.offset, piece.len,
				 to);
		done += (u32)n;
		/* Short because the iterator ended: the caller asked for
		 * more than there is room for, which is no fault. */
		if (n < piece.len && !iov_iter_count(to))
			return 0;
		if (n < piece.len)
			goto err_fault;
	}
	if (!ret)
		return 0;
err_fault:
	iov_iter_revert(to, done);
	return -EFAULT;
}

int put_cmsg_record_type(struct msghdr *msg, u8 type)
{
	u32 left = msg->controllen - msg->control_used;

	if (left < CMSG_HDR_LEN) {
		msg->msg_flags |= M_MSG_CTRUNC;
		return 0;
	}
	if (left < CMSG_LEN_1) {
		msg->msg_flags |= M_MSG_CTRUNC;
		msg->cmsg_partial = true;
	} else {
		msg->cmsg_type = type;
		msg->cmsg_count++;
	}
	msg->control_used += min_t(u32, CMSG_SPACE_1, left);
	return 0;
}
