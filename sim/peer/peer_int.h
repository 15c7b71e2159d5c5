/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What peer.c, seal.c and stream.c share among themselves.
 */
#ifndef SIM_PEER_INT_H
#define SIM_PEER_INT_H

#include "sim/world/world.h"

/* Longest record or run of raw bytes; touches at most PEER_SG_MAX pages. */
#define PEER_SG_MAX 4
#define PEER_REC_MAX ((PEER_SG_MAX - 1) * PEER_PAGE_SIZE)

/**
 * struct geometry - sizes of a sealed record (facts rx.md A2)
 * @nonce: explicit nonce
 * @inner: bytes sealed
 * @body: what an honest header says
 */
struct geometry {
	u32 nonce;
	u32 inner;
	u32 body;
};

static inline bool is_tls13(const struct trace_opts *opts)
{
	return opts->version == TLS_1_3_VERSION;
}

static inline u8 fill_of_type(u8 type)
{
	switch (type) {
	case TLS_RECORD_TYPE_ALERT:
		return 0xfb;
	case TLS_RECORD_TYPE_HANDSHAKE:
		return 0xfc;
	case TLS_RECORD_TYPE_CCS:
		return 0xfd;
	default:
		return 0xfe;
	}
}

/* stream.c. Memory behind stream offset @off, and how much of it is
 * contiguous; the page must be there. */
u8 *stream_at(const struct sim_peer *p, u64 off, size_t *room);
/* Pages for @len bytes behind the end. */
void stream_reserve(struct sim_peer *p, u32 len);
/* Writers of stream bytes [off, off+len), over page borders. */
void stream_put(struct sim_peer *p, u64 off, const u8 *from, size_t len);
void stream_fill(struct sim_peer *p, u64 off, u8 byte, size_t len);
void stream_pattern(struct sim_peer *p, u64 off, u64 pos, size_t len);
void stream_flip(struct sim_peer *p, u64 off, u8 bits);

/* seal.c */
struct geometry rec_geometry(const struct trace_opts *opts,
			     const struct trace_rec *rec);
/* Would the receiver's header check pass (facts rx.md A2.3, A5), if @body
 * bytes follow? */
bool header_ok(const struct trace_opts *opts, const u8 *hdr, u32 body);
/* Writes header and explicit nonce, as the spoilers want them; sets @r->framed
 * and @r->opens. */
void seal_header(struct sim_peer *p, const struct trace_rec *tr,
		 struct peer_rec *r, const struct geometry *g);
/* Writes content, inner type and padding from @off on, not yet sealed. */
void seal_inner(struct sim_peer *p, const struct trace_rec *tr,
		const struct peer_rec *r, u64 off);
/* Writes the same and seals it, with @r->seq and the peer's current keys. */
void seal_record(struct sim_peer *p, const struct trace_rec *tr,
		 const struct peer_rec *r, const struct geometry *g);

#endif
