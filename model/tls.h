/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TLS ULP, receive half.
 * Mirrors include/net/tls.h, net/tls/tls.h and include/uapi/linux/tls.h.
 *
 *   TCP queue:  skb skb skb skb ...            copy mode: pages of the anchor
 *                  ^--- stm.offset                        [0 ... full_len)
 *   anchor:     frag_list ---> first skb of the record    frags = those pages
 *
 * Files: tls_main.c (attach, close, cipher table), tls_main_opt.c (options),
 * tls_strp.c and tls_strp_copy.c (parser), tls_sw_ctx.c (keys, data_ready,
 * teardown), tls_rx_msg.c (header check, announce), tls_rx_wait.c (reader role,
 * waiting, flush), tls_decrypt.c (one record), tls_rx_list.c (decrypted
 * records, type rule), tls_sw.c (recvmsg), tls_splice.c (splice_read,
 * read_sock, poll).
 * net/tls/tls_sw.c is one file upstream; here it is split by role.
 */
#ifndef MODEL_TLS_H
#define MODEL_TLS_H

#include "model/crypto.h"
#include "model/pipe.h"
#include "model/tcp.h"

#define TLS_1_2_VERSION 0x0303
#define TLS_1_3_VERSION 0x0304
#define TLS_HEADER_SIZE 5
#define TLS_AAD_SPACE_SIZE 13
#define TLS_MAX_PAYLOAD_SIZE 16384u
#define TLS_RECORD_TYPE_CCS 20
#define TLS_RECORD_TYPE_ALERT 21
#define TLS_RECORD_TYPE_HANDSHAKE 22
#define TLS_RECORD_TYPE_DATA 23
#define TLS_HANDSHAKE_KEYUPDATE 24
#define TLS_MAX_SALT 4
#define TLS_MAX_IV 12

/* setsockopt names at SOL_TLS, and the cmsg type. */
enum {
	TLS_TX = 1,
	TLS_RX = 2,
	TLS_TX_ZEROCOPY_RO = 3,
	TLS_RX_EXPECT_NO_PAD = 4,
	TLS_TX_MAX_PAYLOAD_LEN = 5,
};

enum {
	TLS_BASE,
	TLS_SW
};

/**
 * struct tls_crypto_info_m - union of the setsockopt structures, unpacked
 * @version: TLS_1_2_VERSION or TLS_1_3_VERSION; 0 when not configured
 * @cipher_type: enum tls_cipher_type
 * @iv: explicit nonce / IV part
 * @key: key bytes
 * @salt: implicit nonce part
 * @rec_seq: big endian sequence number of the first record
 */
struct tls_crypto_info_m {
	u16 version;
	u16 cipher_type;
	u8 iv[TLS_MAX_IV];
	u8 key[TLS_AEAD_KEY_MAX];
	u8 salt[TLS_MAX_SALT];
	u8 rec_seq[8];
};

/**
 * struct tls_cipher_desc - sizes of one cipher (net/tls/tls_main.c)
 * @cipher_type: enum tls_cipher_type
 * @nonce: explicit nonce bytes of a TLS 1.2 record
 * @iv: bytes of the iv field
 * @key: bytes of the key field
 * @salt: bytes of the salt field
 * @crypto_info: size of the setsockopt structure
 */
struct tls_cipher_desc {
	enum tls_cipher_type cipher_type;
	u32 nonce;
	u32 iv;
	u32 key;
	u32 salt;
	u32 crypto_info;
};

/* NULL outside 51..58. */
const struct tls_cipher_desc *get_cipher_desc(u16 cipher_type);
/* Structure in setsockopt layout: version, cipher, iv, key, salt, rec_seq. */
u32 tls_crypto_info_pack(const struct tls_crypto_info_m *info, u8 *out);
void tls_crypto_info_unpack(struct tls_crypto_info_m *info, const u8 *in);

/**
 * struct tls_prot_info - sizes that follow from version and cipher
 */
struct tls_prot_info {
	u16 version;
	u16 cipher_type;
	u16 prepend_size;
	u16 tag_size;
	u16 overhead_size;
	u16 iv_size;
	u16 salt_size;
	u16 aad_size;
	u16 tail_size;
};

/**
 * struct tls_strparser - finds records in the TCP queue
 * @sk: socket
 * @mark: first header byte of the last header looked at; never reset
 * @stopped: framing is lost; never cleared
 * @copy_mode: the record was moved out of TCP into @anchor's own pages
 * @mixed_decrypted: device only, always false
 * @msg_ready: a whole record is available
 * @msg_announced: that record has caused its one announce
 * @stm: where the record is: @stm.offset in the anchor, @stm.full_len bytes
 *	(0: header not understood yet)
 * @anchor: skb that stands for the current record; owned
 * @work: deferred parse
 * @recno: records made ready since TLS_RX was set first (a rekey does not
 *	restart it); the one in front has number @recno - 1; for the log
 * @looks: times it looked at what TCP has; for `bench wakeups`
 */
struct tls_strparser {
	struct sock *sk;
	u8 mark;
	bool stopped;
	bool copy_mode;
	bool mixed_decrypted;
	bool msg_ready;
	bool msg_announced;
	struct {
		u32 offset;
		u32 full_len;
	} stm;
	struct sk_buff *anchor;
	struct m_work work;
	u64 recno;
	u64 looks;
};

/**
 * struct tls_sw_context_rx - software receive state
 * @aead_recv: transform; owned
 * @strp: parser
 * @rx_list: decrypted records not yet (fully) taken
 * @wq: readers waiting for the reader role
 * @saved_data_ready: sk_data_ready before TLS
 * @reader_present: somebody has the reader role
 * @reader_contended: somebody waited for it
 * @async_capable: fixed at key install
 * @zc_capable: decrypt straight into user pages is possible
 * @key_update_pending: KeyUpdate seen, no new keys yet
 * @async_wait_err: first error of an asynchronous decryption; never cleared
 * @decrypt_pending: idle value 1
 * @async_hold: ciphertext referenced by asynchronous requests
 * @failed_recno: number + 1 of the record that failed to decrypt last; tells
 *	the first report of a bad record from later ones
 */
struct tls_sw_context_rx {
	struct crypto_aead *aead_recv;
	struct tls_strparser strp;
	struct sk_buff_head rx_list;
	struct wait_queue_head wq;
	void (*saved_data_ready)(struct sock *sk);
	bool reader_present;
	bool reader_contended;
	bool async_capable;
	bool zc_capable;
	bool key_update_pending;
	int async_wait_err;
	int decrypt_pending;
	struct sk_buff_head async_hold;
	u64 failed_recno;
};

/**
 * struct cipher_context - nonce state of one direction
 * @iv: salt followed by iv
 * @rec_seq: big endian number of the next record
 */
struct cipher_context {
	u8 iv[TLS_MAX_SALT + TLS_MAX_IV];
	u8 rec_seq[8];
};

/**
 * struct tls_context - the ULP's data on a socket
 * @prot_info: sizes
 * @tx_conf: TLS_BASE or TLS_SW; MODEL: the transmit half stores keys only
 * @rx_conf: likewise, receive half complete
 * @rx_no_pad: TLS_RX_EXPECT_NO_PAD
 * @zerocopy_sendfile: TLS_TX_ZEROCOPY_RO
 * @tx_max_payload_len: TLS_TX_MAX_PAYLOAD_LEN
 * @rx_ctx: software receive state, NULL before TLS_RX
 * @rx: receive nonce state
 * @crypto_send: keys given to TLS_TX
 * @crypto_recv: keys given to TLS_RX
 * @sk_proto: protocol entry points before attach
 * @sk: back pointer
 */
struct tls_context {
	struct tls_prot_info prot_info;
	u8 tx_conf;
	u8 rx_conf;
	bool rx_no_pad;
	bool zerocopy_sendfile;
	u16 tx_max_payload_len;
	struct tls_sw_context_rx *rx_ctx;
	struct cipher_context rx;
	struct tls_crypto_info_m crypto_send;
	struct tls_crypto_info_m crypto_recv;
	const struct proto *sk_proto;
	const struct proto_ops *sk_ops;
	struct sock *sk;
};

static inline struct tls_context *tls_get_ctx(const struct sock *sk)
{
	return sk->icsk_ulp_data;
}

static inline struct tls_sw_context_rx *
tls_sw_ctx_rx(const struct tls_context *ctx)
{
	return ctx->rx_ctx;
}

/* tls_main.c */

/**
 * tls_init() - setsockopt(TCP_ULP, "tls")
 * @sk: socket
 *
 * 0, -EEXIST (a ULP is attached), -ENOTCONN, -ENOMEM. Reads stay plain TCP
 * until TLS_RX is set. Context: socket lock held.
 */
int tls_init(struct sock *sk);

/* Entry points that fit the receive configuration. Context: lock held. */
void tls_update_sk_prot(struct sock *sk, struct tls_context *ctx);

/* close(): frees everything of the ULP, then closes TCP. Context: process,
 * socket lock not held. Yields. */
void tls_sk_proto_close(struct sock *sk);

/* connect(AF_UNSPEC): always -EOPNOTSUPP. Context: socket lock held. */
int tls_disconnect(struct sock *sk);

/* Sets sk_err to -@err and reports it. @err negative. Context: any. */
void tls_err_abort(struct sock *sk, int err);

/* The counters of KeyUpdate and rekey, which older kernels do not have. */
static inline void tls_count_rekey(struct m_kernel *k, enum m_mib mib)
{
	if (!m_has(k, CHANGE_NO_REKEY_COUNTERS))
		m_count(k, mib);
}

/* tls_main_opt.c */

/* SOL_TLS options; other levels go to the protocol below. Context: process,
 * socket lock not held. Yields. */
int tls_setsockopt(struct sock *sk, int level, int opt,
		   struct sockopt_arg *arg);
int tls_getsockopt(struct sock *sk, int level, int opt,
		   struct sockopt_arg *arg);

/* tls_strp.c; context of all: socket lock, or softirq with it not owned */

/* 0 or -ENOMEM. Owns: the parser its anchor, until tls_strp_done(). */
int tls_strp_init(struct tls_strparser *strp, struct sock *sk);

/* sk_data_ready while TLS_RX is set: parses and announces, or leaves that to
 * the worker when a task owns the socket. */
void tls_strp_data_ready(struct tls_strparser *strp);

/* Looks for a record unless one is ready; @announce: tell of it at once. */
void tls_strp_check_rcv(struct tls_strparser *strp, bool announce);

/* Drops the ready record, its bytes are consumed from TCP. Does not look for
 * the next one. */
void tls_strp_msg_consume(struct tls_strparser *strp);

/**
 * tls_strp_msg_load() - make the anchor describe the ready record
 * @strp: parser
 * @force_refresh: the socket lock was dropped since it was parsed
 *
 * False when its bytes are gone from TCP; the parser then starts over.
 */
bool tls_strp_msg_load(struct tls_strparser *strp, bool force_refresh);

/* Framing is lost: no parsing ever again, sk_err = -@err. @err negative. */
void tls_strp_abort_strp(struct tls_strparser *strp, int err);

/* No parsing from here on. */
void tls_strp_stop(struct tls_strparser *strp);

/* Frees the parser. It must be stopped, the socket lock not held. */
void tls_strp_done(struct tls_strparser *strp);

/**
 * tls_strp_msg_hold() - keep the ready record's ciphertext alive
 * @strp: parser
 * @dst: receives clones of the queue skbs, or the anchor in copy mode
 *
 * 0 or -ENOMEM; what was queued until then stays on @dst.
 */
int tls_strp_msg_hold(struct tls_strparser *strp, struct sk_buff_head *dst);

/* A whole record is there: sets msg_ready, numbers and logs it; kernels with
 * no-announce-deferred announce it, too. */
void tls_strp_mark_ready(struct tls_strparser *strp);

/* tls_strp_copy.c; context as above */

/**
 * tls_strp_read_copy() - enter copy mode if need be
 * @strp: parser
 * @qshort: the record is not complete yet; copy only when TCP cannot take more
 *
 * 0 (also when copying failed; the stream is then aborted), or -ENOMEM.
 */
int tls_strp_read_copy(struct tls_strparser *strp, bool qshort);

/* Copy mode: takes what TCP has. 0 or the header's error. */
int tls_strp_read_copyin(struct tls_strparser *strp);

/* Frees the anchor's pages and leaves copy mode. */
void tls_strp_flush_anchor_copy(struct tls_strparser *strp);

static inline struct sk_buff *tls_strp_msg(struct tls_sw_context_rx *ctx)
{
	return ctx->strp.anchor;
}

static inline bool tls_strp_msg_ready(const struct tls_sw_context_rx *ctx)
{
	return ctx->strp.msg_ready;
}

/* tls_sw_ctx.c; context of all: socket lock held unless said otherwise */

/**
 * tls_set_sw_offload() - keys of TLS_RX
 * @sk: socket
 * @info: keys, validated
 * @update: rekey: the receive state exists and stays
 *
 * 0, -ENOMEM, -ENOENT (cipher not built). On failure nothing is left behind
 * and old keys stay in force.
 */
int tls_set_sw_offload(struct sock *sk, const struct tls_crypto_info_m *info,
		       bool update);

/* Sizes that follow from version and cipher. */
void tls_init_prot_info(struct tls_prot_info *prot, u16 version,
			const struct tls_cipher_desc *desc);

/* Puts the parser between TCP and the old sk_data_ready. */
void tls_sw_strparser_arm(struct sock *sk, struct tls_context *ctx);

/* zc_capable follows from version and TLS_RX_EXPECT_NO_PAD. */
void tls_update_rx_zc_capable(struct tls_context *ctx);

/* close(): rx_list, transform, parser stopped, sk_data_ready restored. */
void tls_sw_release_resources_rx(struct sock *sk);

/* close(): the parser goes. Context: socket lock not held. */
void tls_sw_strparser_done(struct tls_context *ctx);

/* close(): the rest goes. Context: any. */
void tls_sw_free_ctx_rx(struct tls_context *ctx);

/* tls_rx_msg.c; context of all: socket lock, or softirq with it not owned */

/**
 * tls_rx_msg_size() - length of the record whose header is in front
 * @strp: parser; @mark is set from the header
 * @skb: anchor
 *
 * Bytes including the header, 0 when more are needed to tell, or -EMSGSIZE,
 * -EBADMSG, -EINVAL after aborting the stream. Context: any.
 */
int tls_rx_msg_size(struct tls_strparser *strp, struct sk_buff *skb);

/* Calls saved_data_ready once for a ready record. Context: any. */
void tls_rx_msg_maybe_announce(struct tls_strparser *strp);
/* CHANGE_ANNOUNCE_LIST: calls it if rx_list is not empty, however often.
 * Context: reader role held. */
void tls_rx_list_announce(struct tls_sw_context_rx *ctx);

/* tls_rx_wait.c; context of all: socket lock held unless said otherwise */

/**
 * tls_rx_reader_acquire() - become the one reader
 * @sk: socket
 * @ctx: its receive state
 * @nonblock: do not wait for another reader
 *
 * 0, -EAGAIN, -ERESTARTSYS/-EINTR, -EPIPE. Yields.
 */
int tls_rx_reader_acquire(struct sock *sk, struct tls_sw_context_rx *ctx,
			  bool nonblock);

/* lock_sock() and acquire; on failure the lock is dropped again. Yields. */
int tls_rx_reader_lock(struct sock *sk, struct tls_sw_context_rx *ctx,
		       bool nonblock);

/* Announces an unconsumed record, gives up the role, wakes who waits for it. */
void tls_rx_reader_release(struct sock *sk, struct tls_sw_context_rx *ctx);

/* Release and release_sock(). Yields. */
void tls_rx_reader_unlock(struct sock *sk, struct tls_sw_context_rx *ctx);

/**
 * tls_rx_rec_wait() - have a record in the anchor
 * @sk: socket
 * @nonblock: do not sleep
 * @released: the socket lock was dropped since the record was parsed
 * @has_copied: the call has bytes to return, so leave sk_err for the next one
 *
 * 1, 0 at end of stream, or -EKEYEXPIRED, -sk_err, -EAGAIN, -EPIPE,
 * -ERESTARTSYS/-EINTR. Context: reader role held. Yields.
 */
int tls_rx_rec_wait(struct sock *sk, bool nonblock, bool released,
		    bool has_copied);

/* Consumes the record in front and silently parses the next. @eager_in_v7:
 * CHANGE_PARSE_V7 does so, too. */
void tls_rx_rec_done(struct tls_sw_context_rx *ctx, bool eager_in_v7);

/**
 * tls_read_flush_backlog() - let segments in during a long read
 * @sk: socket
 * @prot: sizes
 * @len_left: bytes the request still wants
 * @decrypted: bytes this record gives
 * @done: bytes the call has so far
 * @flushed_at: @done at the last flush
 *
 * True iff there was a backlog (the lock was as good as dropped). Yields.
 */
bool tls_read_flush_backlog(struct sock *sk, struct tls_prot_info *prot,
			    size_t len_left, size_t decrypted, ssize_t done,
			    size_t *flushed_at);

/* tls_rx_list.c; context of all: process, reader role held */

/**
 * tls_record_content_type() - may this record join the call?
 * @msg: gets the record type message for the first one
 * @skb: decrypted record
 * @control: type of the call's records, 0 before the first
 *
 * 1 yes, 0 another type, -EBADMSG (type 0), -EIO (not data, and no room to say
 * so).
 */
int tls_record_content_type(struct msghdr *msg, const struct sk_buff *skb,
			    u8 *control);

/**
 * struct tls_rx_list_arg - what process_rx_list() is asked and what it did
 * @msg: destination
 * @control: type of the call's records, 0 before the first
 * @skip: bytes of the list the call has taken already
 * @len: bytes wanted
 * @peek: leave the list as it is
 * @more: out: stopped although bytes are wanted and records are left
 */
struct tls_rx_list_arg {
	struct msghdr *msg;
	u8 *control;
	size_t skip;
	size_t len;
	bool peek;
	bool more;
};

/* Bytes copied from rx_list, else an error. */
ssize_t process_rx_list(struct sock *sk, struct tls_sw_context_rx *ctx,
			struct tls_rx_list_arg *arg);

/* First byte of what @skb still holds, counted in the record's plaintext. */
static inline u32 tls_plain_off(const struct sock *sk,
				const struct sk_buff *skb)
{
	return skb->cb.offset - tls_get_ctx(sk)->prot_info.prepend_size;
}

/* Appends or puts back a decrypted record. Owns: the list. */
void tls_rx_list_add(struct tls_sw_context_rx *ctx, struct sk_buff *skb,
		     bool head);

/* Logs and frees a record that is fully taken; @listed: it was on rx_list. */
void tls_rx_list_free(struct sk_buff *skb, bool listed);

/* Why a record may not join; @err as from tls_record_content_type(), @taken:
 * bytes the call has. For the reason only. */
void tls_recv_refused(struct sock *sk, int err, ssize_t taken);

/**
 * tls_recv_put() - copy plaintext to the caller
 * @sk: socket
 * @skb: decrypted record
 * @skip: bytes of what it still holds to step over
 * @msg: destination
 * @len: bytes
 *
 * 0, or -EFAULT with nothing counted as delivered.
 */
int tls_recv_put(struct sock *sk, struct sk_buff *skb, u32 skip,
		 struct msghdr *msg, u32 len);

/* tls_sw.c */

/**
 * tls_sw_recvmsg() - recvmsg(2)
 * @sk: socket
 * @msg: destination and flags out
 * @len: bytes wanted
 * @flags: M_MSG_*; DONTWAIT also for O_NONBLOCK
 *
 * Bytes, 0 at end of stream (or for empty records, facts A13.12), or an error.
 * Context: process, socket lock not held. Yields.
 */
int tls_sw_recvmsg(struct sock *sk, struct msghdr *msg, size_t len, int flags);

/**
 * struct tls_decrypt_arg - what one decryption is asked and what it did
 * @zc: in: may go straight to the iterator; out: it did
 * @async: in: may be asynchronous; out: it is
 * @peek: in: the caller only looks; for the log
 * @data_only: in: a record of another type is left as if never decrypted, and
 *	@skb is NULL (splice-coalesce-fixed)
 * @tail: out: TLS 1.3 content type byte of a zero-copy record
 * @skb: out: the plaintext; the parser's anchor when @zc
 */
struct tls_decrypt_arg {
	bool zc;
	bool async;
	bool peek;
	bool data_only;
	u8 tail;
	struct sk_buff *skb;
};

/* tls_decrypt.c; context of all: reader role and socket lock held */

/**
 * tls_rx_one_record() - decrypt the record in the anchor
 * @sk: socket
 * @msg: destination of zero copy; NULL when @darg->zc is false
 * @darg: see there; owns the skb unless it is the anchor
 *
 * 0, or -EBADMSG, -EFAULT, -ENOMEM after aborting the connection. The record
 * is not consumed either way.
 */
int tls_rx_one_record(struct sock *sk, struct msghdr *msg,
		      struct tls_decrypt_arg *darg);

/* Waits until no decryption is outstanding; the first asynchronous error. */
int tls_decrypt_async_wait(struct tls_sw_context_rx *ctx);

/* tls_splice.c; context of all: process */

/* The first @len bytes of @skb are taken; the rest goes to the head of rx_list.
 * Owns: the list. */
void tls_put_back(struct tls_sw_context_rx *ctx, struct sk_buff *skb, u32 len);

/* @len bytes of @asked ones of @skb went into a pipe; for log and reasons. */
void tls_spliced(struct sock *sk, const struct sk_buff *skb, u32 len,
		 u32 asked);

/* tls_sw_splice_read() with splice-coalesce or splice-coalesce-fixed. Yields. */
int tls_splice_batch(struct sock *sk, struct pipe_inode_info *pipe, size_t len,
		     unsigned int flags);

/* proto_ops.splice_read: at most one record. Context: pipe mutex held, socket
 * lock not held. Yields. */
int tls_sw_splice_read(struct sock *sk, struct pipe_inode_info *pipe,
		       size_t len, unsigned int flags);

/* proto_ops.read_sock: records to @actor while desc->count is not 0. Never
 * sleeps. Context: socket lock held. Yields. */
int tls_sw_read_sock(struct sock *sk, read_descriptor_t *desc,
		     sk_read_actor_t actor);

/* A record is decrypted or ready; a pending rekey is ignored. */
bool tls_sw_sock_is_readable(struct sock *sk);

/* poll: tcp_poll() with IN hidden while recvmsg would not give bytes. */
u32 tls_sk_poll(struct sock *sk);

#endif
