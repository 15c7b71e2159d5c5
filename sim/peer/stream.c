// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Storage of the peer's byte stream.
 *
 *   offset:  0        32768      65536
 *            | page 0 | page 1   | page 2 ...    compound pages, order 3
 *
 * Segments reference these pages, so bytes never move. A stream known to be
 * short has one smaller page, because a world must cost little.
 *
 * Left out: giving pages back before the world ends.
 */
#include "sim/peer/peer_int.h"

u8 *stream_at(const struct sim_peer *p, u64 off, size_t *room)
{
	size_t in_page = off % PEER_PAGE_SIZE;

	*room = PEER_PAGE_SIZE - in_page;
	return p->pages[off / PEER_PAGE_SIZE]->data + in_page;
}

/* A world whose whole stream is small takes a small page for it. */
static u32 first_page_order(const struct sim_peer *p)
{
	u32 order = 0;
	u64 total = 0;
	u32 i;

	for (i = 0; i < p->rec_n && total <= PEER_PAGE_SIZE / 2; i++) {
		if (p->tr->recs[i].kind == REC_OPENSSL)
			return PEER_PAGE_ORDER;
		total += rec_wire_len(&p->tr->opts, &p->tr->recs[i]);
	}
	while (order < PEER_PAGE_ORDER && total > PAGE_SIZE << order)
		order++;
	return order;
}

void stream_reserve(struct sim_peer *p, u32 len)
{
	struct sim *s = p->conn->s;
	struct page *page;
	u32 order;

	while (p->size + len > (u64)p->page_n * PEER_PAGE_SIZE) {
		order = p->page_n ? PEER_PAGE_ORDER : first_page_order(p);
		page = alloc_pages(&s->k, SITE_WIRE_PAGE, order);
		M_ASSERT(page, "no page for the peer's stream");
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of them */
		*pool_push(s->pool, p->pages, p->page_n) = page;
	}
}

void stream_put(struct sim_peer *p, u64 off, const u8 *from, size_t len)
{
	size_t n;
	u8 *at;

	for (; len; off += n, from += n, len -= n) {
		at = stream_at(p, off, &n);
		n = min_t(size_t, n, len);
		memcpy(at, from, n);
	}
}

void stream_fill(struct sim_peer *p, u64 off, u8 byte, size_t len)
{
	size_t n;
	u8 *at;

	for (; len; off += n, len -= n) {
		at = stream_at(p, off, &n);
		n = min_t(size_t, n, len);
		memset(at, byte, n);
	}
}

void stream_pattern(struct sim_peer *p, u64 off, u64 pos, size_t len)
{
	size_t n;
	u8 *at;

	for (; len; off += n, pos += n, len -= n) {
		at = stream_at(p, off, &n);
		n = min_t(size_t, n, len);
		pattern_fill(at, pos, n);
	}
}

void stream_flip(struct sim_peer *p, u64 off, u8 bits)
{
	size_t room;

	*stream_at(p, off, &room) ^= bits;
}

void peer_copy(const struct sim_peer *p, u64 off, u8 *out, size_t len)
{
	const u8 *at;
	size_t n;

	M_ASSERT(off + len <= p->size, "copy behind the stream");
	for (; len; off += n, out += n, len -= n) {
		at = stream_at(p, off, &n);
		n = min_t(size_t, n, len);
		memcpy(out, at, n);
	}
}
