// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Socket buffers: queues, allocation, and walking over their bytes.
 *
 * Every reader of bytes goes through one cursor, which yields the contiguous
 * pieces of a range in order: linear head, frags, then the members of the
 * frag_list with the same rule. A parser anchor is an skb without own bytes
 * whose frag_list points into the TCP queue; members may run on behind the
 * range, the cursor stops where the range does.
 *
 * Left out: headers in front of the payload, checksums, page pools, zero copy
 * transmit, and sharing of struct skb_shared_info: a clone holds references on
 * pages of its own.
 *
 * Mirrors net/core/skbuff.c: alloc_skb(), alloc_skb_with_frags(), kfree_skb(),
 * skb_clone(), skb_add_rx_frag(), skb_put(), skb_copy_bits(), skb_store_bits(),
 * skb_to_sgvec(), ___pskb_trim(); include/linux/skbuff.h: queues,
 * skb_fill_page_desc(). Coalescing is in skb_coalesce.c.
 */
#include "model/sock.h"

void skb_queue_head_init(struct sk_buff_head *q)
{
	q->first = NULL;
	q->last = NULL;
	q->qlen = 0;
}

void __skb_queue_before(struct sk_buff_head *q, struct sk_buff *next,
			struct sk_buff *skb)
{
	struct sk_buff *prev = next ? next->prev : q->last;

	skb->next = next;
	skb->prev = prev;
	if (prev)
		prev->next = skb;
	else
		q->first = skb;
	if (next)
		next->prev = skb;
	else
		q->last = skb;
	q->qlen++;
}

void __skb_queue_tail(struct sk_buff_head *q, struct sk_buff *skb)
{
	__skb_queue_before(q, NULL, skb);
}

void __skb_queue_head(struct sk_buff_head *q, struct sk_buff *skb)
{
	__skb_queue_before(q, q->first, skb);
}

void __skb_unlink(struct sk_buff *skb, struct sk_buff_head *q)
{
	M_ASSERT(q->qlen > 0, "skb %u taken from an empty queue", skb->id);
	if (skb->prev)
		skb->prev->next = skb->next;
	else
		q->first = skb->next;
	if (skb->next)
		skb->next->prev = skb->prev;
	else
		q->last = skb->prev;
	skb->next = NULL;
	skb->prev = NULL;
	q->qlen--;
}

struct sk_buff *__skb_dequeue(struct sk_buff_head *q)
{
	struct sk_buff *skb = q->first;

	if (skb)
		__skb_unlink(skb, q);
	return skb;
}

void __skb_queue_purge(struct sk_buff_head *q)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(q)))
		kfree_skb(skb);
}

struct sk_buff *alloc_skb(struct m_kernel *k, enum m_site site)
{
	struct sk_buff *skb = m_alloc(k, site, sizeof(*skb));

	if (!skb)
		return NULL;
	/* All but the unused frags: clearing those would cost more than the
	 * rest of a small record. */
	memset(skb, 0, offsetof(struct sk_buff, frags));
	memset(&skb->frag_list, 0,
	       sizeof(*skb) - offsetof(struct sk_buff, frag_list));
	skb->k = k;
	skb->id = ++k->skb_id;
	skb->truesize = M_SKB_OVERHEAD;
	return skb;
}

/* What one skb holds beside its frag_list. */
static void skb_release_data(struct sk_buff *skb)
{
	u32 i;

	for (i = 0; i < skb->nr_frags; i++)
		put_page(skb->k, skb->frags[i].page);
	if (skb->head_page)
		put_page(skb->k, skb->head_page);
}

/* Frees a chain linked through next, and every frag_list below it. */
static void kfree_skb_list(struct sk_buff *todo)
{
	struct sk_buff *skb;

	while ((skb = todo)) {
		struct sk_buff *list = skb->frag_list;

		todo = skb->next;
		if (list) {
			struct sk_buff *last = list;

			while (last->next)
				last = last->next;
			last->next = todo;
			todo = list;
		}
		skb_orphan(skb);
		skb_release_data(skb);
		m_free(skb->k, skb, sizeof(*skb));
	}
}

void kfree_skb(struct sk_buff *skb)
{
	if (!skb)
		return;
	skb->next = NULL;
	kfree_skb_list(skb);
}

/* Copies what a clone shares with its original, frag_list excepted. */
static struct sk_buff *skb_clone_one(const struct sk_buff *skb,
				     enum m_site site)
{
	struct sk_buff *n = alloc_skb(skb->k, site);
	u32 id, i;

	if (!n)
		return NULL;
	id = n->id;
	*n = *skb;
	n->next = NULL;
	n->prev = NULL;
	n->id = id;
	n->frag_list = NULL;
	n->sk = NULL;
	if (n->head_page)
		get_page(n->head_page);
	for (i = 0; i < n->nr_frags; i++)
		get_page(n->frags[i].page);
	return n;
}

/* MODEL: the original does not count as cloned while the clone lives; only
 * asynchronous decryption makes clones, of skbs it is about to consume. The
 * members of a frag_list are cloned too, where the kernel shares them. */
struct sk_buff *skb_clone(const struct sk_buff *skb, enum m_site site)
{
	struct sk_buff *n = skb_clone_one(skb, site);
	const struct sk_buff *member;
	struct sk_buff **link;

	if (!n)
		return NULL;
	link = &n->frag_list;
	for (member = skb->frag_list; member; member = member->next) {
		M_ASSERT(!member->frag_list, "nested frag_list cloned");
		*link = skb_clone_one(member, site);
		if (!*link) {
			kfree_skb(n);
			return NULL;
		}
		link = &(*link)->next;
	}
	return n;
}

void skb_fill_page_desc(struct sk_buff *skb, struct page *page, u32 offset,
			u32 len)
{
	M_ASSERT(skb->nr_frags < MAX_SKB_FRAGS, "skb %u: too many frags",
		 skb->id);
	skb->frags[skb->nr_frags++] = (skb_frag_t){ page, offset, len };
}

void skb_add_rx_frag(struct sk_buff *skb, struct page *page, u32 offset,
		     u32 len, u32 truesize)
{
	skb_fill_page_desc(skb, page, offset, len);
	skb->len += len;
	skb->data_len += len;
	skb->truesize += truesize;
}

void skb_set_head(struct sk_buff *skb, struct page *page, u32 offset, u32 size,
		  enum m_head_kind kind)
{
	M_ASSERT(!skb->head_page && !skb->len, "skb %u has bytes", skb->id);
	skb->head_page = page;
	skb->head = page->data + offset;
	skb->head_size = size;
	skb->head_kind = kind;
}

u8 *skb_put(struct sk_buff *skb, u32 len)
{
	u8 *tail = skb->head + skb->len;

	M_ASSERT(!skb->data_len && skb->len + len <= skb->head_size,
		 "skb %u: %u bytes do not fit its head", skb->id, len);
	skb->len += len;
	return tail;
}

/* The order to go on with after an allocation of @order failed. */
static u32 frag_order_fallback(const struct m_kernel *k, u32 order)
{
	return m_has(k, CHANGE_FRAG_ORDER_ZERO) ? 0 : order - 1;
}

static u32 page_align(u32 len)
{
	return (len + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1);
}

/* 0 or -ENOBUFS; what was added so far stays with @skb. */
static int skb_add_frags(struct sk_buff *skb, u32 left, u32 order)
{
	struct page *page;
	u32 chunk;

	while (left) {
		/* The kernel keeps the last slot free here. */
		if (skb->nr_frags == MAX_SKB_FRAGS - 1)
			return -ENOBUFS;
		while (order && page_align(left) < PAGE_SIZE << order)
			order--;
		page = alloc_pages(skb->k, SITE_DECRYPT_PAGE, order);
		if (!page) {
			if (!order)
				return -ENOBUFS;
			order = frag_order_fallback(skb->k, order);
			continue;
		}
		chunk = min_t(u32, left, PAGE_SIZE << order);
		skb_add_rx_frag(skb, page, 0, chunk, PAGE_SIZE << order);
		left -= chunk;
	}
	return 0;
}

struct sk_buff *alloc_skb_with_frags(struct m_kernel *k, u32 data_len,
				     u32 order, int *errcode)
{
	struct sk_buff *skb;

	*errcode = -EMSGSIZE;
	if (data_len > MAX_SKB_FRAGS * (PAGE_SIZE << order))
		return NULL;
	*errcode = -ENOBUFS;
	skb = alloc_skb(k, SITE_DECRYPT_SKB);
	if (!skb)
		return NULL;
	if (skb_add_frags(skb, data_len, order) < 0) {
		kfree_skb(skb);
		return NULL;
	}
	*errcode = 0;
	return skb;
}

int skb_cursor_init(struct skb_cursor *c, const struct sk_buff *skb, u32 offset,
		    u32 len)
{
	if (offset > skb->len || len > skb->len - offset)
		return -EFAULT;
	c->skb = skb;
	c->slot = 0;
	c->skip = offset;
	c->left = len;
	c->depth = 0;
	return 0;
}

/* Goes on behind the current skb: its sibling, or nothing after the root. */
static void skb_cursor_sibling(struct skb_cursor *c)
{
	c->skb = c->depth ? c->skb->next : NULL;
	c->slot = 0;
}

/* Enters the frag_list of the current skb, all of whose own pieces are done. */
static int skb_cursor_descend(struct skb_cursor *c)
{
	const struct sk_buff *list = c->skb->frag_list;

	skb_cursor_sibling(c);
	if (!list)
		return 0;
	if (c->depth == M_SKB_NEST)
		return -EMSGSIZE;
	c->up[c->depth++] = c->skb;
	c->skb = list;
	return 0;
}

/* One piece of the current skb, cut to the range; false: all of it skipped. */
static bool skb_cursor_cut(struct skb_cursor *c, struct skb_piece *piece)
{
	if (c->skip >= piece->len) {
		c->skip -= piece->len;
		return false;
	}
	piece->offset += c->skip;
	piece->len = min_t(u32, piece->len - c->skip, c->left);
	c->skip = 0;
	c->left -= piece->len;
	return true;
}

/* The linear head; false when there is none or it is skipped. */
static bool skb_cursor_head(struct skb_cursor *c, struct skb_piece *piece)
{
	const struct sk_buff *skb = c->skb;

	c->slot = 1;
	if (!skb_headlen(skb))
		return false;
	/* An anchor counts its frag_list's bytes as its own linear ones. */
	if (!skb->head_page)
		return false;
	piece->page = skb->head_page;
	piece->offset = (u32)(skb->head - skb->head_page->data);
	piece->len = skb_headlen(skb);
	piece->locked = skb->head_kind == M_HEAD_SLAB || skb->cloned;
	return skb_cursor_cut(c, piece);
}

int skb_cursor_next(struct skb_cursor *c, struct skb_piece *piece)
{
	while (c->left) {
		const struct sk_buff *skb = c->skb;
		const skb_frag_t *frag;

		if (!skb) {
			if (!c->depth)
				return -EFAULT;
			c->skb = c->up[--c->depth];
			continue;
		}
		if (c->slot == 0) {
			if (c->depth && c->skip >= skb->len) {
				c->skip -= skb->len;
				skb_cursor_sibling(c);
			} else if (skb_cursor_head(c, piece)) {
				return 1;
			}
			continue;
		}
		if (c->slot > skb->nr_frags) {
			if (skb_cursor_descend(c) < 0)
				return -EMSGSIZE;
			continue;
		}
		frag = &skb->frags[c->slot++ - 1];
		if (c->skip >= frag->len) {
			c->skip -= frag->len;
			continue;
		}
		*piece = (struct skb_piece){ frag->page, frag->offset,
					     frag->len, false };
		skb_cursor_cut(c, piece);
		return 1;
	}
	return 0;
}

int skb_copy_bits(const struct sk_buff *skb, u32 offset, void *to, u32 len)
{
	struct skb_piece piece;
	struct skb_cursor c;
	u8 *dst = to;
	int ret;

	if (skb_cursor_init(&c, skb, offset, len) < 0)
		return -EFAULT;
	while ((ret = skb_cursor_next(&c, &piece)) > 0) {
		memcpy(dst, piece.page->data + piece.offset, piece.len);
		dst += piece.len;
	}
	return ret < 0 ? -EFAULT : 0;
}

int skb_store_bits(struct sk_buff *skb, u32 offset, const void *from, u32 len)
{
	struct skb_piece piece;
	struct skb_cursor c;
	const u8 *src = from;
	int ret;

	if (skb_cursor_init(&c, skb, offset, len) < 0)
		return -EFAULT;
	while ((ret = skb_cursor_next(&c, &piece)) > 0) {
		memcpy(piece.page->data + piece.offset, src, piece.len);
		src += piece.len;
	}
	return ret < 0 ? -EFAULT : 0;
}

/* Pieces of the range into @sg, or only counted when @sg is NULL. */
static int skb_pieces(const struct sk_buff *skb, struct scatterlist *sg,
		      int max, u32 offset, u32 len)
{
	struct skb_piece piece;
	struct skb_cursor c;
	int n = 0;
	int ret;

	if (skb_cursor_init(&c, skb, offset, len) < 0)
		return -EINVAL;
	while ((ret = skb_cursor_next(&c, &piece)) > 0) {
		if (n == max)
			return -EMSGSIZE;
		if (sg) {
			sg[n].base = piece.page->data + piece.offset;
			sg[n].len = piece.len;
		}
		n++;
	}
	if (ret < 0)
		return ret == -EFAULT ? -EINVAL : ret;
	return n;
}

int skb_to_sgvec(const struct sk_buff *skb, struct scatterlist *sg, int max,
		 u32 offset, u32 len)
{
	return skb_pieces(skb, sg, max, offset, len);
}

int skb_nsg(const struct sk_buff *skb, u32 offset, u32 len)
{
	return skb_pieces(skb, NULL, INT32_MAX, offset, len);
}

/* Cuts head and frags to @new_len; bytes that the frag_list must give. */
static u32 skb_trim_own(struct sk_buff *skb, u32 new_len)
{
	u32 headlen = skb_headlen(skb);
	u32 left, i;

	left = new_len > headlen ? new_len - headlen : 0;
	skb->len = new_len;
	skb->data_len = left;
	for (i = 0; i < skb->nr_frags && left; i++) {
		skb->frags[i].len = min_t(u32, skb->frags[i].len, left);
		left -= skb->frags[i].len;
	}
	while (skb->nr_frags > i)
		put_page(skb->k, skb->frags[--skb->nr_frags].page);
	return left;
}

int skb_trim_tail(struct sk_buff *skb, u32 new_len)
{
	struct sk_buff **link = &skb->frag_list;
	u32 left;

	if (new_len > skb->len)
		return -EINVAL;
	left = skb_trim_own(skb, new_len);
	while (*link && left) {
		struct sk_buff *member = *link;

		if (member->len > left) {
			M_ASSERT(!member->frag_list, "nested frag_list cut");
			skb_trim_own(member, left);
		}
		left -= member->len;
		link = &member->next;
	}
	kfree_skb_list(*link);
	*link = NULL;
	return 0;
}
