// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copy mode of the record parser: the record moves from TCP into pages.
 *
 * Entered when the receive buffer or window is used up before the record is
 * complete (waiting longer would never end), or when queued segments overlap
 * inside it. All pages are allocated up front, so that copying cannot fail;
 * bytes are consumed from TCP at once, which opens the window. It lasts until
 * that one record is consumed.
 *
 *   anchor->frags:  [4096][4096][4096][4096][22]   filled front to back
 *
 * Left out: the skb variant for records that a device decrypted in part
 * (MODEL: there is no device).
 *
 * Upstream: net/tls/tls_strp.c (Linux 7.2.13): tls_strp_flush_anchor_copy,
 * tls_strp_copyin_frag, tls_strp_copyin, tls_strp_read_copyin,
 * tls_strp_read_copy.
 */
#include "model/tls.h"

void tls_strp_flush_anchor_copy(struct tls_strparser *strp)
{
	struct sk_buff *anchor = strp->anchor;
	struct m_kernel *k = strp->sk->k;
	u32 i;

	for (i = 0; i < anchor->nr_frags; i++)
		put_page(k, anchor->frags[i].page);
	anchor->nr_frags = 0;
	if (strp->copy_mode)
		m_event(k, EV_COPY_MODE, strp->sk->id, 0, strp->stm.full_len);
	strp->copy_mode = false;
	strp->mixed_decrypted = false;
}

/* Moves up to @len bytes into page @frag; returns how many fitted. */
static u32 tls_strp_fill(struct sk_buff *anchor, skb_frag_t *frag,
			 const struct sk_buff *in_skb, u32 offset, u32 len)
{
	u32 chunk = min_t(u32, len, PAGE_SIZE - frag->len);
	u8 *to = frag->page->data + frag->offset + frag->len;

	M_ASSERT(!skb_copy_bits(in_skb, offset, to, chunk),
		 "copy mode reads outside the skb");
	anchor->len += chunk;
	anchor->data_len += chunk;
	frag->len += chunk;
	return chunk;
}

/*
 * Fills the current page until the header can be read. Returns the bytes
 * taken, those behind the record's end given back, or the header's error.
 */
static int tls_strp_copyin_head(struct tls_strparser *strp, skb_frag_t *frag,
				struct sk_buff *in_skb, u32 offset, u32 len)
{
	struct sk_buff *anchor = strp->anchor;
	u32 chunk, over;
	int sz;

	chunk = tls_strp_fill(anchor, frag, in_skb, offset, len);
	sz = tls_rx_msg_size(strp, anchor);
	if (sz < 0)
		return sz;
	if (unlikely(sz && (u32)sz < anchor->len)) {
		over = anchor->len - (u32)sz;
		M_ASSERT(over <= chunk, "record ended in an earlier skb");
		anchor->len -= over;
		anchor->data_len -= over;
		frag->len -= over;
		chunk -= over;
	}
	strp->stm.full_len = (u32)sz;
	return (int)chunk;
}

static int tls_strp_copyin_frag(struct tls_strparser *strp,
				struct sk_buff *in_skb, u32 offset, u32 in_len)
{
	struct sk_buff *anchor = strp->anchor;
	u32 nr, len = in_len;
	int used;

	if (!strp->stm.full_len) {
		nr = anchor->len / PAGE_SIZE;
		if (nr >= anchor->nr_frags)
			return -EMSGSIZE;
		used = tls_strp_copyin_head(strp, &anchor->frags[nr], in_skb,
					    offset, len);
		if (used < 0 || !strp->stm.full_len)
			return used;
		offset += (u32)used;
		len -= (u32)used;
	}
	while (len && strp->stm.full_len > anchor->len) {
		nr = anchor->len / PAGE_SIZE;
		if (nr >= anchor->nr_frags)
			return -EMSGSIZE;
		used = (int)tls_strp_fill(
			anchor, &anchor->frags[nr], in_skb, offset,
			min_t(u32, len, strp->stm.full_len - anchor->len));
		offset += (u32)used;
		len -= (u32)used;
	}
	return (int)(in_len - len);
}

/* tcp_read_sock() actor. */
static int tls_strp_copyin(read_descriptor_t *desc, struct sk_buff *in_skb,
			   u32 offset, size_t in_len)
{
	struct tls_strparser *strp = desc->arg;
	int ret;

	if (strp->msg_ready)
		return 0;
	ret = tls_strp_copyin_frag(strp, in_skb, offset, (u32)in_len);
	if (ret < 0) {
		desc->error = ret;
		ret = 0;
	}
	if (strp->stm.full_len && strp->stm.full_len == strp->anchor->len) {
		desc->count = 0;
		tls_strp_mark_ready(strp);
	}
	return ret;
}

int tls_strp_read_copyin(struct tls_strparser *strp)
{
	read_descriptor_t desc = { .count = 1, .arg = strp };

	/* The read_sock of TLS, asked from inside the parser, meets the reader
	 * role taken: by the reader at work, or by itself one call further
	 * out. */
	if (m_has(strp->sk->k, CHANGE_KB_COPYIN_RECURSION))
		return 0;
	tcp_read_sock(strp->sk, &desc, tls_strp_copyin);
	return desc.error;
}

int tls_strp_read_copy(struct tls_strparser *strp, bool qshort)
{
	struct sk_buff *anchor = strp->anchor;
	struct m_kernel *k = strp->sk->k;
	struct page *page;
	u32 need, done;

	if (likely(qshort &&
		   (!tcp_epollin_ready(strp->sk, INT32_MAX) ||
		    m_has(k, CHANGE_KB_STRPARSER_WINDOW_CLOSED_STALL))))
		return 0;

	/* As long as the length is unknown: the longest record and a page. */
	need = strp->stm.full_len;
	if (!need)
		need = TLS_MAX_PAYLOAD_SIZE + PAGE_SIZE;
	for (done = 0; done < need; done += PAGE_SIZE) {
		M_ASSERT(!k->in_softirq || k->gfp_atomic,
			 "an allocation that may sleep, in softirq");
		page = alloc_pages(k, SITE_STRP_COPY_PAGE, 0);
		if (!page) {
			tls_strp_flush_anchor_copy(strp);
			if (m_has(k, CHANGE_KB_COPY_PAGE_ALLOC_FAIL))
				anchor->frag_list = NULL;
			return -ENOMEM;
		}
		skb_fill_page_desc(anchor, page, 0, 0);
	}

	strp->copy_mode = true;
	m_event(k, EV_COPY_MODE, strp->sk->id, 1, strp->stm.full_len);
	anchor->frag_list = NULL;
	anchor->len = 0;
	anchor->data_len = 0;
	anchor->truesize = done;
	strp->stm.offset = 0;
	tls_strp_read_copyin(strp);
	return 0;
}
