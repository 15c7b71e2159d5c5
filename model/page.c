// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pages with a reference count.
 *
 * A page and its bytes are one allocation of the world, so that taking a page
 * costs one call and a sanitizer sees the first byte behind it.
 *
 * Left out: zones, reclaim, page flags; physical adjacency of separate pages,
 * which nothing in the receive path may use (facts tcp-splice.md P21).
 *
 * Mirrors mm/page_alloc.c alloc_pages(), include/linux/mm.h get_page(),
 * put_page().
 */
#include "model/skb.h"

static size_t page_alloc_size(u32 order)
{
	return sizeof(struct page) + ((size_t)PAGE_SIZE << order);
}

struct page *alloc_pages(struct m_kernel *k, enum m_site site, u32 order)
{
	struct page *page;

	page = m_alloc(k, site, page_alloc_size(order));
	if (!page)
		return NULL;
	page->data = (u8 *)(page + 1);
	page->order = order;
	page->refcount = 1;
	page->id = ++k->page_id;
	return page;
}

void get_page(struct page *page)
{
	M_ASSERT(page->refcount > 0, "page %u revived", page->id);
	page->refcount++;
}

void put_page(struct m_kernel *k, struct page *page)
{
	M_ASSERT(page->refcount > 0, "page %u freed twice", page->id);
	if (!--page->refcount)
		m_free(k, page, page_alloc_size(page->order));
}
