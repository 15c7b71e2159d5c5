// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Merging one socket buffer into the one in front of it.
 *
 * Three ways, tried in this order: copy into the tail room of the first one's
 * linear head; take over a page-fragment head as one more frag and then the
 * frags; take over the frags only. Frags that happen to be contiguous stay
 * separate (facts tcp-splice.md R10..R13).
 *
 * Left out: page-pool bits, unreadable frags and zero copy transmit skbs, of
 * which the model has none.
 *
 * Mirrors net/core/skbuff.c skb_try_coalesce(), kfree_skb_partial().
 */
#include "model/sock.h"

static u32 skb_tailroom(const struct sk_buff *skb)
{
	return skb->data_len ? 0 : skb->head_size - skb->len;
}

static bool skb_coalesce_copy(struct sk_buff *to, const struct sk_buff *from)
{
	int ret;

	if (from->len) {
		ret = skb_copy_bits(from, 0, skb_put(to, from->len), from->len);
		M_ASSERT(!ret, "skb %u is shorter than its len", from->id);
	}
	return true;
}

/* Moves the linear head of @from behind the frags of @to. */
static void skb_steal_head(struct sk_buff *to, struct sk_buff *from)
{
	u32 offset = (u32)(from->head - from->head_page->data);

	skb_fill_page_desc(to, from->head_page, offset, skb_headlen(from));
	from->head_page = NULL;
	from->head = NULL;
	from->head_size = 0;
}

/* Moves the frags of @from behind those of @to. */
static void skb_steal_frags(struct sk_buff *to, struct sk_buff *from)
{
	u32 i;

	for (i = 0; i < from->nr_frags; i++)
		to->frags[to->nr_frags + i] = from->frags[i];
	to->nr_frags += from->nr_frags;
	from->nr_frags = 0;
}

bool skb_try_coalesce(struct sk_buff *to, struct sk_buff *from, u32 *delta,
		      bool *headstolen)
{
	u32 nr_frags = to->nr_frags + from->nr_frags;
	u32 len = from->len;
	bool steal = skb_headlen(from) != 0;
	u32 overhead;

	*headstolen = false;
	*delta = 0;
	if (to->cloned)
		return false;
	if (len <= skb_tailroom(to))
		return skb_coalesce_copy(to, from);
	if (to->frag_list || from->frag_list)
		return false;
	if (steal ? nr_frags >= MAX_SKB_FRAGS : nr_frags > MAX_SKB_FRAGS)
		return false;
	if (steal && (from->head_kind == M_HEAD_SLAB || from->cloned))
		return false;

	overhead = steal ? M_SKB_SHELL : M_SKB_OVERHEAD;
	M_ASSERT(from->truesize >= overhead + len,
		 "skb %u: truesize %u for %u bytes", from->id, from->truesize,
		 len);
	*delta = from->truesize - overhead;
	*headstolen = steal;
	if (steal)
		skb_steal_head(to, from);
	skb_steal_frags(to, from);
	to->truesize += *delta;
	to->len += len;
	to->data_len += len;
	/* The shell is freed by kfree_skb_partial(); it has no bytes left. */
	from->len = 0;
	from->data_len = 0;
	return true;
}

void kfree_skb_partial(struct sk_buff *skb, bool headstolen)
{
	M_ASSERT(!headstolen || !skb->head_page, "skb %u keeps its head",
		 skb->id);
	kfree_skb(skb);
}
