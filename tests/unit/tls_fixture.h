/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A socket with TLS keys and a peer that seals records, for unit tests.
 *
 * Records are written as words: a letter and a length, then options.
 *
 *   d10 data   a2 alert   h7 handshake   c1 change_cipher_spec   u99:3 type 99
 *   k5 handshake 18 00 00 01 00 (KeyUpdate), cut or filled to the length
 *   ,pad=N zeros behind the inner type   ,badtag last tag bit flipped
 *   ,ver=HEX ,len=N ,outer=N header fields changed after sealing
 *   ,zero inner plaintext all zeros   ,noinner not even a type (TLS 1.3)
 *
 * Data records carry the stream (i * 7 + 3) mod 251; control records are
 * filled with a byte that says their type.
 */
#ifndef TESTS_UNIT_TLS_FIXTURE_H
#define TESTS_UNIT_TLS_FIXTURE_H

#include "model/tls.h"
#include "tests/unit/mock.h"

enum {
	FIX_WIRE = 1 << 18,
	FIX_BUF = 1 << 17
};

/**
 * struct tls_fix - one connection
 * @m: world
 * @sk: receiving socket
 * @pool: transforms of both ends
 * @seal: the peer's
 * @version: TLS_1_2_VERSION or TLS_1_3_VERSION
 * @cipher: enum tls_cipher_type
 * @gen: key generation the peer seals with
 * @seq: number of the next record sealed
 * @data_pos: bytes of the data stream sealed so far
 * @wire: everything the peer built
 * @built: bytes of it
 * @sent: bytes of it that are on their way
 * @irs: TCP sequence number of its first byte
 * @closed: the socket is closed
 * @ctl: room for control messages that calls offer
 * @msg: of the last recvmsg
 * @iov: of the last recvmsg
 * @buf: what it delivered; 0xee elsewhere
 * @pipe: for splice, NULL before first use
 */
struct tls_fix {
	struct mock *m;
	struct sock *sk;
	struct crypto_pool *pool;
	struct crypto_aead *seal;
	u16 version;
	enum tls_cipher_type cipher;
	u32 gen;
	u64 seq;
	u32 data_pos;
	u8 wire[FIX_WIRE];
	u32 built;
	u32 sent;
	u32 irs;
	bool closed;
	u32 ctl;
	struct msghdr msg;
	struct iovec_m iov[4];
	u8 buf[FIX_BUF];
	struct pipe_inode_info *pipe;
};

/* An established connection without the ULP; @rcvbuf 0: the default. */
struct tls_fix *tls_fix_plain(u16 version, enum tls_cipher_type cipher,
			      u32 rcvbuf);
/* The same with the ULP and keys of generation 0. */
struct tls_fix *tls_fix_new(u16 version, enum tls_cipher_type cipher);
/* Closes what is open; fails the test if memory is left. */
void tls_fix_free(struct tls_fix *f);
/* setsockopt(SOL_TLS, TLS_RX or TLS_TX) with keys of generation @gen. */
int tls_fix_keys(struct tls_fix *f, int opt, u32 gen, u64 seq);
/* The structure it passes; returns its length. */
u32 tls_fix_info(const struct tls_fix *f, u32 gen, u64 seq, u8 *out);
/* setsockopt(SOL_TLS, @opt) of any bytes, and back. */
int tls_fix_setopt(struct tls_fix *f, int opt, void *val, int len);
int tls_fix_getopt(struct tls_fix *f, int opt, void *val, int len);
/* Keys of this generation from the next record on. */
void tls_fix_seal_with(struct tls_fix *f, u32 gen, u64 seq);

/* Appends records to @wire. */
void tls_fix_build(struct tls_fix *f, const char *words);
/* Appends raw bytes. */
void tls_fix_raw(struct tls_fix *f, const void *bytes, u32 len);
/* The next @n bytes arrive in one segment; negative: all but -@n. */
void tls_fix_tx(struct tls_fix *f, int n);
/* All that is built arrives. */
void tls_fix_tx_all(struct tls_fix *f);
/* Build, and all arrives in one segment. */
void tls_fix_send(struct tls_fix *f, const char *words);
/* Bytes [from, to) of @wire arrive, in any order and overlap. */
void tls_fix_segment(struct tls_fix *f, u32 from, u32 to);
void tls_fix_fin(struct tls_fix *f);
void tls_fix_rst(struct tls_fix *f);

/* recvmsg into @buf. */
int tls_fix_recv(struct tls_fix *f, size_t len, int flags);
/* recvmsg(MSG_DONTWAIT) that must give @want, and the stream from @off on. */
void tls_fix_data(struct tls_fix *f, size_t len, int want, u32 off);
/* @buf has the stream's bytes [off, off + len). */
bool tls_fix_is_stream(const u8 *buf, u32 off, u32 len);
/* recvmsg to an inaccessible address behind @good accessible bytes. */
int tls_fix_recv_bad(struct tls_fix *f, size_t good, size_t bad);
/* splice(SPLICE_F_NONBLOCK) to @pipe, which is drained to @buf first. */
int tls_fix_splice(struct tls_fix *f, size_t len);
/* poll(2) without waiting. */
u32 tls_fix_poll(struct tls_fix *f);
/* SO_ERROR. */
int tls_fix_so_error(struct tls_fix *f);
/* Reads @mib. */
u64 tls_fix_mib(const struct tls_fix *f, enum m_mib mib);
/* Announces since the last call. */
u32 tls_fix_announces(struct tls_fix *f);
/* Name of why the last call ended. */
const char *tls_fix_reason(const struct tls_fix *f);
void tls_fix_close(struct tls_fix *f);

/* Hooks for mock_hook(): @arg is the fixture. */
void tls_hook_tx_all(struct mock *m, void *arg);
void tls_hook_fin(struct mock *m, void *arg);
void tls_hook_rst(struct mock *m, void *arg);

/* What a recvmsg reported: EOR set, and one message with this type. */
#define ck_msg(f, flags, type)                                  \
	do {                                                    \
		ck_assert_uint_eq((f)->msg.msg_flags, (flags)); \
		ck_assert_uint_eq((f)->msg.cmsg_count, 1);      \
		ck_assert_uint_eq((f)->msg.cmsg_type, (type));  \
	} while (0)
#define ck_reason(f, name) ck_assert_str_eq(tls_fix_reason(f), (name))

#endif
