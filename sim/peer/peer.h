/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The other end of the connection: builds records into one byte stream, cuts
 * the stream into segments, and sends them, raw or through a small TCP sender.
 *
 *   stream:  | A............ | B....... | C.. |   offsets count from 0; TCP seq
 *   stored in 32-KiB compound pages, as a loopback sender's fragment area
 *
 * peer.c builds records (seal.c one of them) into stream.c, wire.c makes skbs
 * of stream bytes, sender.c and sender_push.c are the TCP sender, ossl_peer.c
 * is the libssl endpoint, pattern.c knows the bytes everybody agrees on.
 */
#ifndef SIM_PEER_H
#define SIM_PEER_H

#include "sim/trace/trace.h"

struct sim;
struct sim_conn;
struct ossl_peer;

/**
 * struct peer_rec - a record in the stream
 * @off: first byte in the stream
 * @len: bytes on the wire
 * @plain_len: plaintext bytes a receiver with the right keys gets
 * @data_off: data records: position of its first byte in the data pattern
 * @gen: key generation it was sealed with
 * @seq: record number it was sealed with
 * @type: content type a receiver with the right keys gets
 * @opens: it authenticates under (@gen, @seq); false for spoilt and raw ones
 * @framed: its header is acceptable and its length right
 * @plain: plaintext bytes when they are not a pattern (openssl, keyupdate);
 *	NULL: pattern (data) or fill byte (others)
 * @fill: fill byte of control records
 * @built: false until its `peer` statement ran
 */
struct peer_rec {
	u64 off;
	u32 len;
	u32 plain_len;
	u64 data_off;
	u32 gen;
	u64 seq;
	u8 type;
	bool opens;
	bool framed;
	bool built;
	u8 fill;
	const u8 *plain;
};

#define PEER_PAGE_ORDER 3
#define PEER_PAGE_SIZE (PAGE_SIZE << PEER_PAGE_ORDER)

/**
 * struct sender_seg - a segment waiting in, or kept for, the sender
 * @from: first stream byte
 * @to: one behind the last; nothing is sent across it
 * @layout: skb layout of its write
 * @held: keep a clone until acknowledged
 * @psh: a write ends in it
 * @urg: its last byte is urgent
 */
struct sender_seg {
	u64 from;
	u64 to;
	enum skb_layout layout;
	bool held;
	bool psh;
	bool urg;
};

/**
 * struct sim_sender - the peer's TCP sender
 * @queued: stream bytes handed to it ([0, queued) are to be sent in order)
 * @snd_una: first byte not acknowledged; FIN counts as a byte behind @queued
 * @snd_nxt: first byte not sent
 * @snd_max: highest byte ever sent, plus one
 * @win_edge: stream offset up to which the receiver's window reaches
 * @wire_end: highest byte ever put on the wire, raw or by the sender, plus one
 * @seq_next: the peer's next sequence number: behind all of that, and its FIN
 * @pushed: end of the last segment marked PSH
 * @max_win: largest window ever offered; 0: not looked at yet
 * @cut: current segment size limit (MSS, half the largest window)
 * @fin_queued: FIN follows the queued bytes
 * @fin_sent: FIN has left (again reset by a retransmission)
 * @fin_wired: a raw FIN has left
 * @dead: RST was sent or received
 * @ack_due: the receiver's FIN is to be acknowledged at once
 * @rst_due: a segment came after our RST; one more RST answers it, at @rst_off
 * @probe_due: the probe timer fired
 * @retransmit: the retransmission timer fired: one segment, whatever the window
 * @loss: after it nothing is sent until an ACK brings something new
 * @busy: sender_push() is running
 * @rst_off: stream offset of the answering RST
 * @rto_ns: current timeout of retransmissions and window probes
 * @timer_ns: when it fires, -1 not armed
 * @segs: segments that writes were cut into, ascending
 * @seg_n: how many
 * @seg_next: first entry that ends beyond @snd_nxt
 */
struct sim_sender {
	u64 queued;
	u64 snd_una;
	u64 snd_nxt;
	u64 snd_max;
	u64 win_edge;
	u64 wire_end;
	u64 seq_next;
	u64 pushed;
	u32 max_win;
	u32 cut;
	bool fin_queued;
	bool fin_sent;
	bool fin_wired;
	bool dead;
	bool ack_due;
	bool rst_due;
	bool probe_due;
	bool retransmit;
	bool loss;
	bool busy;
	u64 rst_off;
	s64 rto_ns;
	s64 timer_ns;
	struct sender_seg *segs;
	u32 seg_n;
	u32 seg_next;
};

/**
 * struct sim_peer - the other end
 * @conn: connection
 * @recs: one entry a record of the trace, same index
 * @pages: stream storage, PEER_PAGE_SIZE each; references owned
 * @page_n: how many
 * @size: stream bytes built so far
 * @data_size: data-pattern bytes built so far (plaintext of data records)
 * @gen: key generation in use
 * @seq: number of the next record
 * @tr: trace, for options and records
 * @aead: sealing transform; owned, NULL before first use
 * @key: key material of @gen
 * @keyed: @aead and @key are those of @gen
 * @ossl: libssl endpoint or NULL
 * @ossl_err: why there is none although the trace wants one
 * @sender: TCP sender
 * @rx_closed: the receiver sent FIN (1) or RST (2)
 */
struct sim_peer {
	struct sim_conn *conn;
	struct peer_rec *recs;
	u32 rec_n;
	struct page **pages;
	u32 page_n;
	u64 size;
	u64 data_size;
	u32 gen;
	u64 seq;
	const struct trace *tr;
	struct crypto_aead *aead;
	struct tls_crypto_info_m key;
	bool keyed;
	struct ossl_peer *ossl;
	struct sim_err ossl_err;
	struct sim_sender sender;
	u32 rx_closed;
};

/* pattern.c. Key material of generation @gen, the same as the programs had that
 * recorded the real kernels' answers: key[i]=i*5+17+31g, salt[i]=0x51+i+g,
 * iv[i]=0x61+i+g, all mod 256; what @cipher does not have is 0. */
void keys_of_generation(struct tls_crypto_info_m *info, u16 version, u16 cipher,
			u32 gen, u64 seq);
/* Bytes of the data pattern from @pos on: (pos*7+3) mod 251. */
void pattern_fill(u8 *to, u64 pos, size_t len);
bool pattern_matches(const u8 *at, u64 pos, size_t len);
/* seal.c. Wire length of a record before it is built; 0 when not known, as of
 * what libssl writes. */
u32 rec_wire_len(const struct trace_opts *opts, const struct trace_rec *rec);

/* peer.c. @conn has its socket; @tr must outlive @p. Shakes hands when the
 * trace wants a libssl peer. Owns: caller, see peer_release(). */
void peer_init(struct sim_peer *p, struct sim_conn *conn,
	       const struct trace *tr);
void peer_release(struct sim_peer *p);
/* After an assertion failed: gives back only what is not the arena's. */
void peer_abandon(struct sim_peer *p);
/* Builds record @rec at the end of the stream. Records are built in order.
 * 0, or -1 with @err (no such cipher, libssl refused, too long). */
int peer_build(struct sim_peer *p, u32 rec, struct sim_err *err);
/* Later records are sealed with generation @gen, numbers from @seq on. */
void peer_set_key(struct sim_peer *p, u32 gen, u64 seq);
/* Plaintext bytes [off, off+len) of a built record; they must be there. The
 * second is false when they are not. */
void peer_plain(const struct sim_peer *p, u32 rec, u32 off, u32 len, u8 *out);
bool peer_plain_matches(const struct sim_peer *p, u32 rec, u32 off, u32 len,
			const u8 *at);
/* stream.c. Copies stream bytes [off, off+len). */
void peer_copy(const struct sim_peer *p, u64 off, u8 *out, size_t len);
/* Resolves a range to stream bytes [*from, *to). -1 with @err if a record is
 * not built or the range leaves it. */
int peer_range(const struct sim_peer *p, const struct trace_range *r, u64 *from,
	       u64 *to, struct sim_err *err);

/**
 * wire_skb() - a segment with stream bytes [from, to) (wire.c)
 * @p: peer
 * @from: first stream byte; gives the sequence number
 * @to: one behind the last; at most 65,483 bytes
 * @layout: where the bytes are
 * @held: the sender keeps a clone
 *
 * Owns: caller. Never NULL.
 */
struct sk_buff *wire_skb(struct sim_peer *p, u64 from, u64 to,
			 enum skb_layout layout, bool held);
/* Hands @skb to the socket now; @flags as tcp_v4_rcv(). Owns: takes @skb.
 * Context: as softirq. Yields. */
void wire_xmit(struct sim_peer *p, struct sk_buff *skb, u32 flags);
/* Delivers a segment without data at stream offset @off; @flags of
 * TCPHDR_FIN, _RST, or 0. Context and Yields: likewise. */
void wire_control(struct sim_peer *p, u64 off, u32 flags);
/* Resolves ranges from index *@next on as long as they are adjacent in the
 * stream; moves *@next behind them. 0, or -1 with @err. */
int wire_run(const struct sim_peer *p, const struct stmt_wire *w, u32 *next,
	     u64 *from, u64 *to, struct sim_err *err);
/* Performs ST_WIRE: delivers the segments now; nothing if any range is wrong.
 * Context: as softirq. Yields. */
int wire_deliver(struct sim_peer *p, const struct trace *tr,
		 const struct stmt_wire *w, struct sim_err *err);
/* Raw FIN or RST behind the highest byte ever put on the wire. Yields. */
void wire_fin(struct sim_peer *p);
void wire_rst(struct sim_peer *p);
/* At stream offset @off. The sender does not know of such a RST: it may come
 * from anybody, and the socket need not accept it. */
void wire_fin_at(struct sim_peer *p, u64 off);
void wire_rst_at(struct sim_peer *p, u64 off);

/* sender.c. Notes the window first offered; called before anything is sent. */
void sender_start(struct sim_peer *p);
/**
 * sender_queue() - ST_SEND: one write, or writes of @w->cut bytes
 * @p: peer
 * @tr: the trace being run
 * @w: adjacent ranges, behind what was sent before
 * @err: filled on failure
 *
 * Sends at once what the window allows. Writes to a connection that is reset
 * or closed are lost. 0, or -1 with @err. Yields.
 */
int sender_queue(struct sim_peer *p, const struct trace *tr,
		 const struct stmt_wire *w, struct sim_err *err);
/* shutdown(SHUT_WR): FIN behind the queued bytes. Yields. */
void sender_fin(struct sim_peer *p);
/* close() with SO_LINGER 0: queued bytes are dropped, RST leaves. Yields. */
void sender_rst(struct sim_peer *p);
/* The receiver sent a segment: m_ops.xmit. @ack_off is a stream offset, @win
 * in bytes. Transmits nothing; sender_push() does. */
void sender_ack(struct sim_peer *p, u32 flags, u64 ack_off, u32 win);
/* The retransmission / window-probe timer fired; sender_push() acts on it. */
void sender_timer(struct sim_peer *p);
/* Sends what the window allows; called by the world when idle. True: sent
 * something. Does nothing when it is already running. Yields. */
bool sender_push(struct sim_peer *p);
/* All bytes built so far are queued, sent and acknowledged, or never can be. */
bool sender_done(const struct sim_peer *p);
/* Queues everything built and not yet queued (last phase of random runs). */
void sender_queue_rest(struct sim_peer *p);

/* ossl_peer.c: handshakes over memory BIOs at init, keys from the key log. */
struct ossl_peer *ossl_peer_new(u16 version, u16 cipher, struct sim_err *err);
void ossl_peer_free(struct ossl_peer *op);
/* What libssl writes for @what; bytes stay valid until the next call. The
 * plaintext and its type through @plain, @plain_len, @type. */
int ossl_peer_write(struct ossl_peer *op, enum ossl_what what, u32 len,
		    const u8 *data, const u8 **wire, u32 *wire_len,
		    const u8 **plain, u32 *plain_len, u8 *type,
		    struct sim_err *err);
/* Receiver keys after the handshake (@update 0) or after the n-th KeyUpdate. */
void ossl_peer_keys(const struct ossl_peer *op, u32 update,
		    struct tls_crypto_info_m *info);

#endif
