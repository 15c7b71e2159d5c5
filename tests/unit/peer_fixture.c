// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A peer and a modelled socket; see peer_fixture.h.
 *
 * How: the model's memory comes from the world's arena, so that leaks show;
 * segments are taken from the event log. Opening a record goes the way the
 * RFCs say, from the bytes of the stream alone.
 *
 * Left out: sleeping and scheduling; a test that would sleep fails.
 */
#include <stdlib.h>

#include "tests/unit/peer_fixture.h"

static void *fix_alloc(struct m_kernel *k, enum m_site site, size_t size)
{
	(void)site;
	return arena_alloc(sim_of(k)->arena, size);
}

static void fix_release(struct m_kernel *k, void *ptr, size_t size)
{
	arena_release(sim_of(k)->arena, ptr, size);
}

static s64 fix_schedule(struct m_kernel *k, s64 timeout_ns, bool intr)
{
	(void)k;
	(void)timeout_ns;
	(void)intr;
	ck_abort_msg("the test would sleep");
	return 0;
}

static void fix_wake(struct m_kernel *k, struct m_task *task)
{
	(void)k;
	(void)task;
}

static bool fix_signal_pending(struct m_kernel *k)
{
	(void)k;
	return false;
}

static void fix_xmit(struct sock *sk, u32 flags, u32 ack, u32 win)
{
	struct sim_conn *conn = sk->user_data;
	struct peer_fix *f = container_of(conn->s, struct peer_fix, s);

	if (!f->deaf)
		sender_ack(&conn->peer, flags, (u32)(ack - conn->irs), win);
}

static void fix_event(struct m_kernel *k, enum m_event_kind kind, s64 a, s64 b,
		      s64 c)
{
	struct peer_fix *f = container_of(sim_of(k), struct peer_fix, s);

	if (kind != EV_SEG_IN)
		return;
	ck_assert_uint_lt(f->seg_n, PEER_FIX_SEGS);
	f->segs[f->seg_n++] = (struct peer_seg){ a, b, c };
}

static const struct m_ops fix_ops = {
	.alloc = fix_alloc,
	.free = fix_release,
	.schedule = fix_schedule,
	.wake = fix_wake,
	.signal_pending = fix_signal_pending,
	.xmit = fix_xmit,
	.event = fix_event,
};

struct peer_fix *peer_fix_new(void)
{
	struct peer_fix *f = calloc(1, sizeof(*f));

	ck_assert_ptr_nonnull(f);
	f->s.arena = arena_new();
	f->s.pool = mem_pool_new();
	f->s.k.ops = &fix_ops;
	f->s.k.current = &f->task;
	f->s.k.aead_pool = crypto_pool_new();
	trace_opts_default(&f->tr.opts);
	f->tr.recs = f->recs;
	return f;
}

void peer_fix_free(struct peer_fix *f)
{
	struct sim_conn *conn = &f->s.conn;

	peer_release(&conn->peer);
	f->deaf = true;
	tcp_close(conn->sk);
	tcp_sock_free(conn->sk);
	ck_assert_uint_eq(arena_live(f->s.arena), 0);
	crypto_pool_free(f->s.k.aead_pool);
	mem_pool_free(f->s.pool);
	arena_free(f->s.arena);
	free(f);
}

struct trace_rec *peer_fix_add(struct peer_fix *f, enum rec_kind kind, u8 type,
			       u32 len)
{
	struct trace_rec *rec = &f->recs[f->tr.rec_n++];

	ck_assert_uint_le(f->tr.rec_n, PEER_FIX_RECS);
	rec->name = "R";
	rec->of = 1;
	rec->kind = kind;
	rec->type = type;
	rec->len = len;
	return rec;
}

void peer_fix_open(struct peer_fix *f)
{
	struct tcp_opts opts = {
		.rcvbuf = f->tr.opts.rcvbuf,
		.mss = f->tr.opts.mss,
		.irs = PEER_FIX_IRS,
		.state = TCP_ESTABLISHED,
	};
	struct sim_conn *conn = &f->s.conn;

	f->s.tr = &f->tr;
	conn->s = &f->s;
	conn->irs = PEER_FIX_IRS;
	conn->sk = tcp_sock_new(&f->s.k, &opts);
	conn->sk->user_data = conn;
	peer_init(&conn->peer, conn, &f->tr);
}

void peer_fix_use(struct peer_fix *f, u16 version, u16 cipher)
{
	f->tr.opts.version = version;
	f->tr.opts.cipher = cipher;
}

const struct peer_rec *peer_fix_built(struct peer_fix *f, u32 rec)
{
	ck_assert(peer_fix_peer(f)->recs[rec].built);
	return &peer_fix_peer(f)->recs[rec];
}

void peer_fix_start(struct peer_fix *f)
{
	struct sim_err err;
	u32 i;

	peer_fix_open(f);
	for (i = 0; i < f->tr.rec_n; i++)
		ck_assert_int_eq(peer_build(peer_fix_peer(f), i, &err), 0);
}

int peer_fix_unseal_with(struct peer_fix *f, u32 rec, u8 type,
			 const struct tls_crypto_info_m *info, u8 *out)
{
	const struct tls_cipher_desc *desc = get_cipher_desc(info->cipher_type);
	const struct peer_rec *r = &peer_fix_peer(f)->recs[rec];
	bool tls13 = info->version == TLS_1_3_VERSION;
	u32 nonce = tls13 ? 0 : desc->nonce;
	u32 len = r->len - 5 - nonce - TLS_TAG_SIZE;
	struct aead_request req = { .len = len, .in_n = 1, .out_n = 1 };
	u8 *wire = mem_pool_alloc(f->s.pool, r->len);
	struct scatterlist in = { wire + 5 + nonce, len };
	struct crypto_aead *aead;
	u8 aad[13], iv[16];
	int ret;
	u32 i;

	peer_copy(peer_fix_peer(f), r->off, wire, r->len);
	memcpy(iv, info->salt, desc->salt);
	memcpy(iv + desc->salt, info->iv, desc->iv);
	memcpy(req.nonce, iv, 12);
	for (i = 0; i < 8; i++)
		req.nonce[4 + i] = nonce ? wire[5 + i] :
					   iv[4 + i] ^ info->rec_seq[i];
	memcpy(aad, info->rec_seq, 8);
	memcpy(aad + 8, wire, 5);
	aad[8] = tls13 ? 23 : type;
	if (!tls13) {
		aad[11] = (u8)(len >> 8);
		aad[12] = (u8)len;
	}
	req.aad = tls13 ? aad + 8 : aad;
	req.aad_len = tls13 ? 5 : 13;
	req.in = &in;
	req.out = &in;
	req.tag = wire + r->len - TLS_TAG_SIZE;
	ck_assert_int_eq(crypto_alloc_aead(f->s.k.aead_pool, NULL,
					   info->cipher_type, &aead),
			 0);
	ck_assert_int_eq(crypto_aead_setkey(aead, info->key, desc->key), 0);
	ret = crypto_aead_decrypt(aead, &req);
	crypto_free_aead(f->s.k.aead_pool, aead);
	memcpy(out, wire + 5 + nonce, len);
	return ret ? ret : (int)len;
}

int peer_fix_unseal(struct peer_fix *f, u32 rec, u8 *out)
{
	const struct peer_rec *r = &peer_fix_peer(f)->recs[rec];
	struct tls_crypto_info_m info;

	keys_of_generation(&info, f->tr.opts.version, f->tr.opts.cipher, r->gen,
			   r->seq);
	return peer_fix_unseal_with(f, rec, f->recs[rec].type, &info, out);
}

struct stmt_wire peer_fix_wire(struct peer_fix *f, u32 rec)
{
	struct trace_range *range = mem_pool_alloc(f->s.pool, sizeof(*range));

	range->rec = rec;
	range->count = 1;
	range->to = RANGE_END;
	return (struct stmt_wire){
		.range = range,
		.range_n = 1,
		.layout = -1,
		.held = -1,
	};
}

void peer_fix_send(struct peer_fix *f, const struct stmt_wire *w)
{
	struct sim_err err;

	ck_assert_int_eq(sender_queue(peer_fix_peer(f), &f->tr, w, &err), 0);
}

static int take_all(read_descriptor_t *desc, struct sk_buff *skb, u32 offset,
		    size_t len)
{
	(void)skb;
	(void)offset;
	desc->written += len;
	return (int)len;
}

u32 peer_fix_drain(struct peer_fix *f)
{
	read_descriptor_t desc = { .count = 1 };
	struct sock *sk = f->s.conn.sk;

	lock_sock(sk);
	tcp_read_sock(sk, &desc, take_all);
	release_sock(sk);
	return (u32)desc.written;
}

void peer_fix_check_seg(const struct peer_fix *f, u32 i, s64 off, s64 len,
			s64 flags)
{
	ck_assert_uint_lt(i, f->seg_n);
	ck_assert_int_eq(f->segs[i].off, off);
	ck_assert_int_eq(f->segs[i].len, len);
	ck_assert_int_eq(f->segs[i].flags, flags);
}
