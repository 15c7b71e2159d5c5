// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `bench drain`: 1 GiB in 16 KiB records through each read path, against raw
 * EVP decryption of the same records in the same run.
 * How: worlds of 64 records each; building and delivering the records is not
 * timed, the calls that take them are, with the event log and all invariants
 * that look at events on. The raw loop opens the same ciphertext, lying where the model
 * found it, with one EVP context. Rounds alternate between the two.
 * Left out: user memory checks of the system call layer (sim/call/syscall.c), which
 * are the simulator's, not the kernel's.
 */
#include <openssl/evp.h>
#include <stdlib.h>

#include "sim/bench/bench.h"
#include "sim/bench/bench_world.h"

#define BATCH 64u
#define ROUNDS 1024u /* of 1 MiB */
#define REC_LEN 16384u

enum drain_path {
	DRAIN_ZC,
	DRAIN_COPY,
	DRAIN_SPLICE,
	DRAIN_READ_SOCK
};

/**
 * struct drain - one measurement
 * @s: world
 * @tr: a trace with the records and no calls
 * @path: how they are read
 * @buf: where plaintext goes
 * @pipe: for splice
 * @ns: time in the calls
 * @raw_ns: time of the raw loop
 * @evp: context of the raw loop
 * @taken: plaintext bytes the calls returned
 */
struct drain {
	struct sim *s;
	struct trace tr;
	enum drain_path path;
	u8 *buf;
	struct pipe_inode_info *pipe;
	u64 ns;
	u64 raw_ns;
	EVP_CIPHER_CTX *evp;
	u64 taken;
};

static int take_all(read_descriptor_t *desc, struct sk_buff *skb, u32 offset,
		    size_t len)
{
	(void)skb;
	(void)offset;
	desc->written += len;
	return (int)len;
}

static s64 recv_record(struct drain *d)
{
	struct iovec_m iov = { .base = d->buf, .len = REC_LEN };
	struct msghdr msg = { .controllen = 64 };
	struct sock *sk = d->s->conn.sk;

	iov_iter_init(&msg.iter, ITER_UBUF, &iov, 1);
	return sk->sk_prot->recvmsg(sk, &msg, REC_LEN, M_MSG_DONTWAIT);
}

static void empty_pipe(struct pipe_inode_info *pipe)
{
	struct pipe_buffer *buf;

	while (pipe_occupancy(pipe)) {
		buf = &pipe->bufs[pipe->tail++ & (pipe->ring_size - 1)];
		put_page(pipe->k, buf->page);
	}
}

static s64 splice_record(struct drain *d)
{
	s64 ret = splice_file_to_pipe(d->s->conn.sk, d->pipe, REC_LEN,
				      M_SPLICE_F_NONBLOCK);

	empty_pipe(d->pipe);
	return ret;
}

static s64 read_sock_records(struct drain *d)
{
	read_descriptor_t desc = { .count = 1 };
	struct sock *sk = d->s->conn.sk;
	s64 ret;

	lock_sock(sk);
	ret = sk->ops->read_sock(sk, &desc, take_all);
	release_sock(sk);
	return ret;
}

static s64 read_once(struct drain *d)
{
	switch (d->path) {
	case DRAIN_ZC:
	case DRAIN_COPY:
		return recv_record(d);
	case DRAIN_SPLICE:
		return splice_record(d);
	case DRAIN_READ_SOCK:
		return read_sock_records(d);
	}
	return 0;
}

static const struct trace_call call_of[] = {
	[DRAIN_ZC] = { .kind = CALL_RECVMSG, .ctl = 64 },
	[DRAIN_COPY] = { .kind = CALL_RECVMSG, .ctl = 64 },
	[DRAIN_SPLICE] = { .kind = CALL_SPLICE },
	[DRAIN_READ_SOCK] = { .kind = CALL_READ_SOCK, .count = 1 },
};

/* As sim_syscall() does it, without a look at user memory. */
static s64 one_call(struct drain *d)
{
	struct sim_task *t = &d->s->tasks[0];
	s64 ret;

	t->call = &call_of[d->path];
	t->call_budget = 0;
	sim_event(d->s, EV_CALL, t->call->kind, 0, 0);
	ret = read_once(d);
	sim_event(d->s, EV_RETURN, t->call->kind, ret, t->t.reason);
	return ret;
}

static void drain_batch(void *arg)
{
	struct drain *d = arg;
	u64 start = bench_now_ns();
	s64 ret, got = 0;

	while (got < (s64)BATCH * REC_LEN) {
		ret = one_call(d);
		M_ASSERT(ret > 0, "the drain benchmark got %lld",
			 (long long)ret);
		got += ret;
	}
	d->ns += bench_now_ns() - start;
	d->taken += (u64)got;
}

/* The nonce and additional data TLS 1.3 gives record @seq. */
static void raw_nonce(const struct tls_crypto_info_m *info, u64 seq, u8 *nonce)
{
	int i;

	memcpy(nonce, info->salt, 4);
	memcpy(nonce + 4, info->iv, 8);
	for (i = 0; i < 8; i++)
		nonce[11 - i] ^= (u8)(seq >> 8 * i);
}

static void raw_record(struct drain *d, const struct tls_crypto_info_m *info,
		       u32 i)
{
	const struct sim_peer *p = &d->s->conn.peer;
	const struct peer_rec *rec = &p->recs[i];
	u64 off = rec->off + TLS_HEADER_SIZE, end = rec->off + rec->len - 16;
	u8 nonce[12], aad[5], tag[16];
	u32 in_page, n, out = 0;
	int len;

	peer_copy(p, rec->off, aad, sizeof(aad));
	peer_copy(p, end, tag, sizeof(tag));
	raw_nonce(info, rec->seq, nonce);
	EVP_DecryptInit_ex(d->evp, NULL, NULL, NULL, nonce);
	EVP_DecryptUpdate(d->evp, NULL, &len, aad, sizeof(aad));
	while (off < end) {
		in_page = (u32)(PEER_PAGE_SIZE - off % PEER_PAGE_SIZE);
		n = (u32)min_t(u64, in_page, end - off);
		EVP_DecryptUpdate(d->evp, d->buf + out, &len,
				  p->pages[off / PEER_PAGE_SIZE]->data +
					  off % PEER_PAGE_SIZE,
				  (int)n);
		off += n;
		out += n;
	}
	EVP_CIPHER_CTX_ctrl(d->evp, EVP_CTRL_AEAD_SET_TAG, 16, tag);
	M_ASSERT(EVP_DecryptFinal_ex(d->evp, d->buf + out, &len) == 1,
		 "the raw loop cannot open record %u", i);
}

static void raw_batch(struct drain *d)
{
	struct tls_crypto_info_m info;
	u64 start;
	u32 i;

	keys_of_generation(&info, TLS_1_3_VERSION, TLS_CIPHER_AES_GCM_128, 0,
			   0);
	start = bench_now_ns();
	for (i = 0; i < BATCH; i++)
		raw_record(d, &info, i);
	d->raw_ns += bench_now_ns() - start;
}

static void drain_round(struct drain *d, bool raw_first)
{
	struct sim *s = d->s;

	bench_open(s, &d->tr);
	d->pipe = alloc_pipe_info(&s->k, 1 << 20);
	s->pipes[0] = d->pipe; /* the world frees it */
	bench_deliver(s);
	if (raw_first)
		raw_batch(d);
	sched_start_fn(s, &s->tasks[0], drain_batch, d);
	sched_settle(s);
	if (!raw_first)
		raw_batch(d);
	sim_close(s);
}

static void raw_init(struct drain *d)
{
	struct tls_crypto_info_m info;

	keys_of_generation(&info, TLS_1_3_VERSION, TLS_CIPHER_AES_GCM_128, 0,
			   0);
	d->evp = EVP_CIPHER_CTX_new();
	EVP_DecryptInit_ex(d->evp, EVP_aes_128_gcm(), NULL, info.key, NULL);
}

static void measure(struct bench_table *t, enum drain_path path,
		    const char *name, const char *goal)
{
	struct drain d = { .s = sim_new(), .path = path };
	struct bench_row *r;
	u32 i;

	d.buf = malloc(REC_LEN + 64);
	if (!d.buf)
		abort();
	bench_trace(&d.tr, BATCH, REC_LEN, path == DRAIN_ZC);
	raw_init(&d);
	for (i = 0; i < ROUNDS / t->divide; i++)
		drain_round(&d, i & 1);
	r = bench_add(t, "%s", name);
	r->value = (double)d.taken / (double)d.ns;
	r->unit = "GB/s";
	r->ratio = (double)d.raw_ns / (double)d.ns;
	r->base = "raw EVP";
	r->goal = goal;
	EVP_CIPHER_CTX_free(d.evp);
	mem_pool_free(d.tr.pool);
	sim_free(d.s);
	free(d.buf);
}

void bench_drain(struct bench_table *t)
{
	measure(t, DRAIN_ZC, "recvmsg, zero copy", ">= 0.90");
	measure(t, DRAIN_COPY, "recvmsg, copying", ">= 0.75");
	measure(t, DRAIN_SPLICE, "splice", ">= 0.75");
	measure(t, DRAIN_READ_SOCK, "read_sock", ">= 0.75");
}
