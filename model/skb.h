/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages, socket buffers and user iovecs.
 *
 *   sk_buff:  [ linear head | frag 0 | frag 1 | ... | frag_list ... ]
 *             <-- headlen --><---------- data_len --------------->
 *             <--------------------- len ------------------------>
 *
 * Mirrors include/linux/skbuff.h, net/core/skbuff.c and the parts of
 * lib/iov_iter.c that receive paths use.
 */
#ifndef MODEL_SKB_H
#define MODEL_SKB_H

#include "model/kernel.h"
#include "model/rbtree.h"

struct pipe_inode_info;

/**
 * struct page - a (possibly compound) page with a reference count
 * @data: PAGE_SIZE << @order bytes
 * @order: log2 of the number of base pages
 * @refcount: references held; freed at zero
 * @id: for the log
 */
struct page {
	u8 *data;
	u32 order;
	u32 refcount;
	u32 id;
};

/* NULL when the fault plan fails @site. Owns: caller gets one reference. */
struct page *alloc_pages(struct m_kernel *k, enum m_site site, u32 order);
void get_page(struct page *page);
void put_page(struct m_kernel *k, struct page *page);

/* A piece of a page. Owns: one reference on @page when inside an skb. */
typedef struct skb_frag {
	struct page *page;
	u32 offset;
	u32 len;
} skb_frag_t;

/* Who allocated the linear head: decides coalescing and splice copying. */
enum m_head_kind {
	M_HEAD_SLAB, /* "locked": splice copies it, coalescing refuses it */
	M_HEAD_FRAG, /* page fragment: can become a frag */
};

/**
 * struct tls_msg / strp_msg fields kept in skb->cb, flattened
 * @offset: first plaintext byte inside the skb (strp_msg.offset)
 * @full_len: bytes of the record, later of the plaintext (strp_msg.full_len)
 * @control: record type, the decrypted one once decrypted (tls_msg.control)
 * @recno: which record since the keys were set, from 0; for the log only
 */
struct tls_skb_cb {
	u32 offset;
	u32 full_len;
	u8 control;
	u64 recno;
};

/**
 * struct sk_buff - bytes with a sequence number
 * @next: queue or frag_list link
 * @prev: queue link
 * @rbnode: place in the out-of-order queue's tree
 * @k: kernel that owns the memory
 * @id: for the log
 * @len: all bytes
 * @data_len: bytes not in the linear head
 * @head: linear head, part of @head_page, or NULL
 * @head_page: backing store of the head; reference owned
 * @head_size: room in the head (bytes from @head)
 * @head_kind: see enum m_head_kind
 * @nr_frags: used entries of @frags
 * @frags: page pieces, references owned
 * @frag_list: chained skbs whose bytes follow the frags; owned unless the skb
 *	is a parser anchor
 * @truesize: charged memory
 * @seq: sequence number of the first byte
 * @end_seq: one behind the last byte, FIN counted
 * @fin: carries FIN
 * @urg: carries an urgent pointer
 * @rst: carries RST; never in a receive queue
 * @urg_seq: sequence number of the urgent byte; set only with @urg
 * @psh: last segment of a write; set by tcp_v4_rcv()
 * @ack: acknowledges our FIN; set by tcp_v4_rcv()
 * @gso_size: MSS it was cut by; set by tcp_v4_rcv()
 * @cloned: the sender still holds a clone (tcp-splice.md R14)
 * @decrypted: device flag; always false here
 * @sk: socket charged for @truesize, or NULL
 * @cb: TLS control block
 */
struct sk_buff {
	struct sk_buff *next;
	struct sk_buff *prev;
	struct rb_node rbnode;
	struct m_kernel *k;
	u32 id;
	u32 len;
	u32 data_len;
	u8 *head;
	struct page *head_page;
	u32 head_size;
	enum m_head_kind head_kind;
	u32 nr_frags;
	skb_frag_t frags[MAX_SKB_FRAGS];
	struct sk_buff *frag_list;
	u32 truesize;
	u32 seq;
	u32 end_seq;
	u32 urg_seq;
	u32 gso_size;
	bool fin;
	bool urg;
	bool rst;
	bool psh;
	bool ack;
	bool cloned;
	bool decrypted;
	struct sock *sk;
	struct tls_skb_cb cb;
};

static inline u32 skb_headlen(const struct sk_buff *skb)
{
	return skb->len - skb->data_len;
}

/**
 * struct sk_buff_head - FIFO of skbs
 * @first: oldest, NULL when empty
 * @last: newest, NULL when empty
 * @qlen: how many
 */
struct sk_buff_head {
	struct sk_buff *first;
	struct sk_buff *last;
	u32 qlen;
};

static inline struct sk_buff *skb_peek(const struct sk_buff_head *q)
{
	return q->first;
}

static inline struct sk_buff *skb_peek_tail(const struct sk_buff_head *q)
{
	return q->last;
}

static inline bool skb_queue_empty(const struct sk_buff_head *q)
{
	return !q->first;
}

void skb_queue_head_init(struct sk_buff_head *q);
void __skb_queue_tail(struct sk_buff_head *q, struct sk_buff *skb);
void __skb_queue_head(struct sk_buff_head *q, struct sk_buff *skb);
/* Inserts @skb in front of @next; @next NULL appends. */
void __skb_queue_before(struct sk_buff_head *q, struct sk_buff *next,
			struct sk_buff *skb);
void __skb_unlink(struct sk_buff *skb, struct sk_buff_head *q);
struct sk_buff *__skb_dequeue(struct sk_buff_head *q);
void __skb_queue_purge(struct sk_buff_head *q);

/* Memory charged beside the payload, as measured on loopback (facts R15), and
 * the part of it that is the struct itself. */
enum {
	M_SKB_OVERHEAD = 832,
	M_SKB_SHELL = 256
};

/* Empty skb, no head; truesize is M_SKB_OVERHEAD. NULL on injected failure.
 * Owns: caller. */
struct sk_buff *alloc_skb(struct m_kernel *k, enum m_site site);
/* Frees frags, head, frag_list and the rmem charge. NULL-safe. */
void kfree_skb(struct sk_buff *skb);
/* A second skb over the same bytes, on no queue, charged to nobody. NULL on
 * injected failure of @site. Owns: caller. */
struct sk_buff *skb_clone(const struct sk_buff *skb, enum m_site site);

/**
 * alloc_skb_with_frags() - skb with @data_len bytes of page frags, no head
 * @k: kernel
 * @data_len: bytes
 * @order: highest page order to try first (3 for TLS)
 * @errcode: -ENOBUFS/-ENOMEM style reason when NULL is returned
 *
 * Order falls while the rest is smaller than a page of that order, and on a
 * failed high-order allocation; it never rises (facts rx.md C0.4). truesize
 * and len are set as the kernel sets them. Source: net/core/skbuff.c.
 */
struct sk_buff *alloc_skb_with_frags(struct m_kernel *k, u32 data_len,
				     u32 order, int *errcode);

/* Appends a page piece; takes over the caller's reference on @page. Like the
 * kernel's it leaves len, data_len and truesize alone; skb_add_rx_frag() adds
 * to all three. */
void skb_fill_page_desc(struct sk_buff *skb, struct page *page, u32 offset,
			u32 len);

void skb_add_rx_frag(struct sk_buff *skb, struct page *page, u32 offset,
		     u32 len, u32 truesize);
/* Gives an skb without bytes a linear head, @size bytes of @page from @offset;
 * takes over the reference. skb_put() then fills it. */
void skb_set_head(struct sk_buff *skb, struct page *page, u32 offset, u32 size,
		  enum m_head_kind kind);
/* Extends the linear head by @len (no frags yet); where the bytes go. */
u8 *skb_put(struct sk_buff *skb, u32 len);

/* How deep frag lists may nest, as skb_to_sgvec() in the kernel. */
enum {
	M_SKB_NEST = 24
};

/**
 * struct skb_cursor - walks the pieces of a range; private to its functions
 * @skb: skb being walked, NULL behind the last
 * @slot: 0 head, 1 + i frag i, behind those the frag_list
 * @skip: bytes still to pass over
 * @left: bytes of the range still to come
 * @depth: frag lists entered; 0 while in the first skb
 * @up: where each of them continues
 */
struct skb_cursor {
	const struct sk_buff *skb;
	u32 slot;
	u32 skip;
	u32 left;
	u32 depth;
	const struct sk_buff *up[M_SKB_NEST];
};

/**
 * struct skb_piece - contiguous bytes of an skb
 * @page: where they are; no reference taken
 * @offset: first byte in @page
 * @len: bytes
 * @locked: linear head that is slab memory or cloned
 */
struct skb_piece {
	struct page *page;
	u32 offset;
	u32 len;
	bool locked;
};

/* 0, or -EFAULT when [offset, offset+len) is not inside @skb. */
int skb_cursor_init(struct skb_cursor *c, const struct sk_buff *skb, u32 offset,
		    u32 len);
/* 1 and the next piece, 0 at the end of the range; -EFAULT when frag_list ends
 * before it, -EMSGSIZE when frag lists nest too deep. */
int skb_cursor_next(struct skb_cursor *c, struct skb_piece *piece);

/* Walks bytes [offset, offset+len) over head, frags, frag_list: 0 or -EFAULT
 * when the range is not there. */
int skb_copy_bits(const struct sk_buff *skb, u32 offset, void *to, u32 len);
int skb_store_bits(struct sk_buff *skb, u32 offset, const void *from, u32 len);

/* One contiguous piece of memory, for crypto input and output. */
struct scatterlist {
	u8 *base;
	u32 len;
};

/**
 * skb_to_sgvec() - pieces of [offset, offset+len)
 * @skb: source; frag_list included
 * @sg: where to put them
 * @max: room in @sg
 * @offset: first byte
 * @len: bytes
 *
 * Returns the number of pieces, -EMSGSIZE if @max is too small or the
 * frag_list nests too deep, -EINVAL if the range is not there. A run over more
 * skbs than @max is normal for byte-sized segments; see skb_nsg().
 */
int skb_to_sgvec(const struct sk_buff *skb, struct scatterlist *sg, int max,
		 u32 offset, u32 len);
/* How many pieces [offset, offset+len) has; negative as skb_to_sgvec(). */
int skb_nsg(const struct sk_buff *skb, u32 offset, u32 len);

/* Cuts the skb to @new_len bytes; pages wholly behind are given back, truesize
 * stays (as pskb_trim() of an skb with frags). 0 or -EINVAL. */
int skb_trim_tail(struct sk_buff *skb, u32 new_len);

/**
 * skb_try_coalesce() - append @from's pages to @to (net/core/skbuff.c)
 * @to: queue tail
 * @from: new data
 * @delta: receives the truesize @to gained
 * @headstolen: true when only @from's shell is to be freed
 *
 * False and nothing changed when the rules of facts R10..R12 forbid it.
 */
bool skb_try_coalesce(struct sk_buff *to, struct sk_buff *from, u32 *delta,
		      bool *headstolen);

/* Frees the shell of an skb whose pages were taken over. */
void kfree_skb_partial(struct sk_buff *skb, bool headstolen);

/**
 * struct iovec_m - one user or kernel buffer
 * @base: memory, or NULL for an inaccessible user address
 * @len: bytes
 */
struct iovec_m {
	u8 *base;
	size_t len;
};

/* What the iterator stands for; zero copy refuses kvecs. */
enum iter_type {
	ITER_UBUF,
	ITER_IOVEC,
	ITER_KVEC
};

/**
 * struct iov_iter - cursor over buffers
 * @type: see enum iter_type
 * @iov: buffers
 * @nr_segs: how many
 * @seg: current buffer
 * @seg_off: bytes of it already used
 * @count: bytes left in all
 */
struct iov_iter {
	enum iter_type type;
	const struct iovec_m *iov;
	u32 nr_segs;
	u32 seg;
	size_t seg_off;
	size_t count;
};

void iov_iter_init(struct iov_iter *it, enum iter_type type,
		   const struct iovec_m *iov, u32 nr_segs);
static inline size_t iov_iter_count(const struct iov_iter *it)
{
	return it->count;
}

/* Bytes really copied; short when an inaccessible buffer is met. */
size_t copy_to_iter(const void *from, size_t len, struct iov_iter *it);
void iov_iter_advance(struct iov_iter *it, size_t len);
void iov_iter_revert(struct iov_iter *it, size_t len);

/**
 * iov_iter_get_sg() - map the next @len user bytes without copying
 * @it: advanced past what was mapped; left where the mapping failed on error,
 *	the caller reverts
 * @len: bytes
 * @sg: pieces out
 * @max: room in @sg
 *
 * Returns the number of pieces, or -EFAULT on an inaccessible buffer.
 * Stands for iov_iter_get_pages2() in tls_setup_from_iter().
 */
int iov_iter_get_sg(struct iov_iter *it, size_t len, struct scatterlist *sg,
		    int max);

/**
 * skb_copy_datagram_iter() - copy skb bytes to the iterator
 *
 * 0, or -EFAULT; on fault the iterator is reverted to where it started, bytes
 * before the fault are written (net/core/datagram.c).
 */
int skb_copy_datagram_iter(const struct sk_buff *skb, u32 offset,
			   struct iov_iter *to, u32 len);

/* Flags of recvmsg, as in linux/socket.h. */
enum m_msg_flags {
	M_MSG_OOB = 0x1,
	M_MSG_PEEK = 0x2,
	M_MSG_CTRUNC = 0x8,
	M_MSG_TRUNC = 0x20,
	M_MSG_DONTWAIT = 0x40,
	M_MSG_EOR = 0x80,
	M_MSG_WAITALL = 0x100,
	M_MSG_ERRQUEUE = 0x2000,
	M_MSG_WAITFORONE = 0x10000,
	M_MSG_CMSG_CLOEXEC = 0x40000000,
};

/**
 * struct msghdr - of recvmsg
 * @iter: where data goes
 * @msg_flags: out: MSG_EOR, MSG_CTRUNC, ...
 * @controllen: in: bytes offered for control messages (0: no buffer);
 *	out, at the syscall layer: bytes used
 * @control_used: bytes of control data written so far
 * @cmsg_count: control messages written whole
 * @cmsg_type: the TLS_GET_RECORD_TYPE byte of the last one
 * @cmsg_partial: a control message was cut (MSG_CTRUNC)
 */
struct msghdr {
	struct iov_iter iter;
	u32 msg_flags;
	u32 controllen;
	u32 control_used;
	u32 cmsg_count;
	u8 cmsg_type;
	bool cmsg_partial;
};

/* put_cmsg() of one byte at SOL_TLS/TLS_GET_RECORD_TYPE (net/core/scm.c).
 * Sets MSG_CTRUNC when it does not fit. Always returns 0, as the kernel's. */
int put_cmsg_record_type(struct msghdr *msg, u8 type);

#endif
