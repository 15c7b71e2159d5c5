// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A socket with TLS keys and a peer that seals records; see tls_fixture.h.
 *
 * The peer shares no code with the model but the AEAD: header, nonce and
 * additional data are put together here from RFC 5288 and RFC 8446.
 *
 * Left out: what the words cannot say; tests patch @wire for that.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/tls_fixture.h"

static struct tls_fix *fix_base(u16 version, enum tls_cipher_type cipher)
{
	struct tls_fix *f = calloc(1, sizeof(*f));

	ck_assert_ptr_nonnull(f);
	f->m = mock_new();
	f->pool = crypto_pool_new();
	f->m->k.aead_pool = f->pool;
	f->version = version;
	f->cipher = cipher;
	f->irs = 0xfffffff0; /* the stream wraps early */
	f->ctl = 64;
	return f;
}

struct tls_fix *tls_fix_plain(u16 version, enum tls_cipher_type cipher,
			      u32 rcvbuf)
{
	struct tls_fix *f = fix_base(version, cipher);
	struct tcp_opts opts = {
		.rcvbuf = rcvbuf,
		.mss = 65483,
		.irs = f->irs,
		.state = TCP_ESTABLISHED,
	};

	f->sk = tcp_sock_new(&f->m->k, &opts);
	return f;
}

struct tls_fix *tls_fix_new(u16 version, enum tls_cipher_type cipher)
{
	struct tls_fix *f = tls_fix_plain(version, cipher, 0);

	lock_sock(f->sk);
	ck_assert_int_eq(tls_init(f->sk), 0);
	release_sock(f->sk);
	ck_assert_int_eq(tls_fix_keys(f, TLS_RX, 0, 0), 0);
	tls_fix_announces(f);
	return f;
}

void tls_fix_close(struct tls_fix *f)
{
	if (!f->closed)
		f->sk->sk_prot->close(f->sk);
	f->closed = true;
}

void tls_fix_free(struct tls_fix *f)
{
	tls_fix_close(f);
	ck_assert(!f->sk->owned);
	tcp_sock_free(f->sk);
	if (f->pipe) {
		pipe_close_reader(f->pipe);
		pipe_close_writer(f->pipe);
		free_pipe_info(f->pipe);
	}
	crypto_free_aead(f->pool, f->seal);
	mock_free(f->m);
	crypto_pool_free(f->pool);
	free(f);
}

static void fix_key_bytes(u8 *to, u32 len, u32 from, u32 step)
{
	u32 i;

	for (i = 0; i < len; i++)
		to[i] = (u8)(from + i * step);
}

static void fix_be64(u8 *to, u64 v)
{
	int i;

	for (i = 7; i >= 0; i--, v >>= 8)
		to[i] = (u8)v;
}

u32 tls_fix_info(const struct tls_fix *f, u32 gen, u64 seq, u8 *out)
{
	bool chacha = f->cipher == TLS_CIPHER_CHACHA20_POLY1305;
	bool long_key = chacha || f->cipher == TLS_CIPHER_AES_GCM_256 ||
			f->cipher == TLS_CIPHER_ARIA_GCM_256;
	u32 iv = chacha ? 12 : 8, key = long_key ? 32 : 16;
	u32 salt = chacha ? 0 : 4;
	u8 *p = out;

	*p++ = (u8)f->version;
	*p++ = (u8)(f->version >> 8);
	*p++ = (u8)f->cipher;
	*p++ = (u8)((u32)f->cipher >> 8);
	fix_key_bytes(p, iv, 0x61 + gen, 1);
	fix_key_bytes(p += iv, key, 17 + 31 * gen, 5);
	fix_key_bytes(p += key, salt, 0x51 + gen, 1);
	fix_be64(p += salt, seq);
	return (u32)(p + 8 - out);
}

int tls_fix_setopt(struct tls_fix *f, int opt, void *val, int len)
{
	struct sockopt_arg arg = {
		.val = val,
		.size = (u32)len,
		.len = len,
		.out_len = len,
	};

	return f->sk->sk_prot->setsockopt(f->sk, SOL_TLS_M, opt, &arg);
}

int tls_fix_getopt(struct tls_fix *f, int opt, void *val, int len)
{
	struct sockopt_arg arg = {
		.val = val,
		.size = (u32)len,
		.len = len,
		.out_len = len,
	};
	int ret;

	ret = f->sk->sk_prot->getsockopt(f->sk, SOL_TLS_M, opt, &arg);
	return ret ? ret : arg.out_len;
}

int tls_fix_keys(struct tls_fix *f, int opt, u32 gen, u64 seq)
{
	u8 info[64];
	u32 len = tls_fix_info(f, gen, seq, info);

	if (opt == TLS_RX && !f->seal)
		tls_fix_seal_with(f, gen, seq);
	return tls_fix_setopt(f, opt, info, (int)len);
}

void tls_fix_seal_with(struct tls_fix *f, u32 gen, u64 seq)
{
	bool long_key = f->cipher == TLS_CIPHER_CHACHA20_POLY1305 ||
			f->cipher == TLS_CIPHER_AES_GCM_256;
	u8 key[32];

	if (!f->seal && crypto_alloc_aead(f->pool, NULL, f->cipher, &f->seal))
		return;
	fix_key_bytes(key, sizeof(key), 17 + 31 * gen, 5);
	ck_assert_int_eq(crypto_aead_setkey(f->seal, key, long_key ? 32 : 16),
			 0);
	f->gen = gen;
	f->seq = seq;
}

/* One record as the words describe it. */
struct fix_rec {
	u8 type;
	u32 len, pad;
	bool badtag, zero, noinner, data, ku;
	int ver, hdr_len, outer;
};

static u32 fix_num(const char **p, int base)
{
	char *end;
	u32 v = (u32)strtoul(*p, &end, base);

	*p = end;
	return v;
}

static bool fix_word(const char **p, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*p, word, n))
		return false;
	*p += n;
	return true;
}

static void fix_parse_opt(const char **p, struct fix_rec *r)
{
	if (fix_word(p, "pad="))
		r->pad = fix_num(p, 10);
	else if (fix_word(p, "ver="))
		r->ver = (int)fix_num(p, 16);
	else if (fix_word(p, "len="))
		r->hdr_len = (int)fix_num(p, 10);
	else if (fix_word(p, "outer="))
		r->outer = (int)fix_num(p, 10);
	else if (fix_word(p, "badtag"))
		r->badtag = true;
	else if (fix_word(p, "zero"))
		r->zero = true;
	else if (fix_word(p, "noinner"))
		r->noinner = true;
	else
		ck_abort_msg("record option: %s", *p);
}

static void fix_parse(const char **p, struct fix_rec *r)
{
	char kind = *(*p)++;

	*r = (struct fix_rec){ .ver = -1, .hdr_len = -1, .outer = -1 };
	r->data = kind == 'd';
	r->ku = kind == 'k';
	r->type = kind == 'a' ? 21 : kind == 'c' ? 20 : kind == 'd' ? 23 : 22;
	if (kind == 'u') {
		r->type = (u8)fix_num(p, 10);
		(*p)++;
	}
	r->len = fix_num(p, 10);
	while (**p == ',') {
		(*p)++;
		fix_parse_opt(p, r);
	}
}

/* Content, then what TLS 1.3 puts behind it. Returns the bytes. */
static u32 fix_plain(struct tls_fix *f, const struct fix_rec *r, u8 *p)
{
	static const u8 ku[] = { 24, 0, 0, 1, 0 };
	u8 fill = r->type == 21 ? 0xfb :
		  r->type == 22 ? 0xfc :
		  r->type == 20 ? 0xfd :
				  0xfe;
	u32 i;

	for (i = 0; i < r->len; i++) {
		if (r->data)
			p[i] = (u8)((f->data_pos++ * 7 + 3) % 251);
		else if (r->ku)
			p[i] = i < sizeof(ku) ? ku[i] : 0xfc;
		else
			p[i] = r->zero ? 0 : fill;
	}
	if (f->version == TLS_1_2_VERSION || r->noinner)
		return r->len;
	p[i++] = r->zero ? 0 : r->type;
	memset(p + i, 0, r->pad);
	return i + r->pad;
}

/* Header and additional data; returns where the ciphertext starts. */
static u8 *fix_header(struct tls_fix *f, const struct fix_rec *r, u8 *rec,
		      u32 plain_len, struct aead_request *req, u8 *aad)
{
	bool chacha = f->cipher == TLS_CIPHER_CHACHA20_POLY1305;
	bool explicit = f->version == TLS_1_2_VERSION && !chacha;
	u32 body = plain_len + 16 + (explicit ? 8 : 0), i;
	u8 seq[8];

	fix_be64(seq, f->seq);
	memcpy(rec, (u8[]){ 23, 3, 3, (u8)(body >> 8), (u8)body }, 5);
	fix_key_bytes(req->nonce, 4, 0x51 + f->gen, 1);
	fix_key_bytes(req->nonce + 4, 8, 0x61 + f->gen, 1);
	if (chacha)
		fix_key_bytes(req->nonce, 12, 0x61 + f->gen, 1);
	for (i = 0; i < 8; i++)
		req->nonce[i + 4] ^= seq[i];
	req->aad = aad;
	if (f->version == TLS_1_3_VERSION) {
		memcpy(aad, rec, req->aad_len = 5);
		return rec + 5;
	}
	rec[0] = r->type;
	memcpy(aad, seq, 8);
	memcpy(aad + 8,
	       (u8[]){ r->type, 3, 3, (u8)(plain_len >> 8), (u8)plain_len }, 5);
	req->aad_len = 13;
	if (!explicit)
		return rec + 5;
	memcpy(rec + 5, seq, 8);
	memcpy(req->nonce + 4, seq, 8);
	return rec + 13;
}

static void fix_seal(struct tls_fix *f, const struct fix_rec *r)
{
	static u8 plain[20000];
	u8 *rec = f->wire + f->built, *body, aad[13];
	struct scatterlist in, out;
	struct aead_request req;
	u32 len;

	ck_assert_uint_lt(f->built + r->len + r->pad, FIX_WIRE - 64);
	len = fix_plain(f, r, plain);
	body = fix_header(f, r, rec, len, &req, aad);
	in = (struct scatterlist){ plain, len };
	out = (struct scatterlist){ body, len };
	req.in = &in;
	req.out = &out;
	req.in_n = req.out_n = 1;
	req.len = len;
	req.tag = body + len;
	ck_assert_int_eq(crypto_aead_encrypt(f->seal, &req), 0);
	f->seq++;
	body[len + 15] ^= r->badtag;
	if (r->outer >= 0)
		rec[0] = (u8)r->outer;
	if (r->ver >= 0)
		memcpy(rec + 1, (u8[]){ (u8)(r->ver >> 8), (u8)r->ver }, 2);
	if (r->hdr_len >= 0)
		memcpy(rec + 3, (u8[]){ (u8)(r->hdr_len >> 8), (u8)r->hdr_len },
		       2);
	f->built = (u32)(body + len + 16 - f->wire);
}

void tls_fix_build(struct tls_fix *f, const char *words)
{
	struct fix_rec r;

	while (*words) {
		if (*words == ' ') {
			words++;
			continue;
		}
		fix_parse(&words, &r);
		fix_seal(f, &r);
	}
}

void tls_fix_raw(struct tls_fix *f, const void *bytes, u32 len)
{
	memcpy(f->wire + f->built, bytes, len);
	f->built += len;
}

/* A segment as loopback makes it: one page frag. */
static struct sk_buff *fix_skb(struct tls_fix *f, u32 from, u32 to)
{
	struct m_kernel *k = &f->m->k;
	struct sk_buff *skb = alloc_skb(k, SITE_WIRE_SKB);
	u32 len = to - from, order = 0;
	struct page *page;

	while (PAGE_SIZE << order < len)
		order++;
	if (len) {
		page = alloc_pages(k, SITE_WIRE_PAGE, order);
		memcpy(page->data, f->wire + from, len);
		skb_add_rx_frag(skb, page, 0, len, len);
	}
	skb->seq = f->irs + from;
	skb->end_seq = f->irs + to;
	return skb;
}

void tls_fix_segment(struct tls_fix *f, u32 from, u32 to)
{
	ck_assert_uint_le(to, f->built);
	tcp_v4_rcv(f->sk, fix_skb(f, from, to), 0);
}

void tls_fix_tx(struct tls_fix *f, int n)
{
	u32 to = n < 0 ? f->built + (u32)n : f->sent + (u32)n;

	tls_fix_segment(f, f->sent, to);
	f->sent = to;
}

void tls_fix_tx_all(struct tls_fix *f)
{
	tls_fix_tx(f, (int)(f->built - f->sent));
}

void tls_fix_send(struct tls_fix *f, const char *words)
{
	tls_fix_build(f, words);
	tls_fix_tx_all(f);
}

void tls_fix_fin(struct tls_fix *f)
{
	struct sk_buff *skb = fix_skb(f, f->sent, f->sent);

	skb->fin = true;
	skb->end_seq++;
	tcp_v4_rcv(f->sk, skb, 0);
}

void tls_fix_rst(struct tls_fix *f)
{
	tcp_v4_rcv(f->sk, fix_skb(f, f->sent, f->sent), TCPHDR_RST);
}

static int fix_recvmsg(struct tls_fix *f, u32 nr_segs, size_t len, int flags)
{
	memset(f->buf, 0xee, sizeof(f->buf));
	memset(&f->msg, 0, sizeof(f->msg));
	f->msg.controllen = f->ctl;
	iov_iter_init(&f->msg.iter, nr_segs == 1 ? ITER_UBUF : ITER_IOVEC,
		      f->iov, nr_segs);
	f->m->k.current->reason = REASON_NONE;
	return f->sk->sk_prot->recvmsg(f->sk, &f->msg, len, flags);
}

int tls_fix_recv(struct tls_fix *f, size_t len, int flags)
{
	ck_assert_uint_le(len, FIX_BUF);
	f->iov[0] = (struct iovec_m){ f->buf, len };
	return fix_recvmsg(f, 1, len, flags);
}

int tls_fix_recv_bad(struct tls_fix *f, size_t good, size_t bad)
{
	f->iov[0] = (struct iovec_m){ f->buf, good };
	f->iov[1] = (struct iovec_m){ NULL, bad };
	return fix_recvmsg(f, 2, good + bad, M_MSG_DONTWAIT);
}

bool tls_fix_is_stream(const u8 *buf, u32 off, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++) {
		if (buf[i] != ((off + i) * 7 + 3) % 251)
			return false;
	}
	return true;
}

void tls_fix_data(struct tls_fix *f, size_t len, int want, u32 off)
{
	ck_assert_int_eq(tls_fix_recv(f, len, M_MSG_DONTWAIT), want);
	ck_assert(tls_fix_is_stream(f->buf, off, (u32)want));
}

int tls_fix_splice(struct tls_fix *f, size_t len)
{
	struct iovec_m iov = { f->buf, FIX_BUF };
	struct iov_iter iter;

	if (!f->pipe) {
		f->pipe = alloc_pipe_info(&f->m->k, 65536);
		f->pipe->rd_nonblock = true;
	}
	iov_iter_init(&iter, ITER_UBUF, &iov, 1);
	pipe_read(f->pipe, &iter);
	f->m->k.current->reason = REASON_NONE;
	return splice_file_to_pipe(f->sk, f->pipe, len, M_SPLICE_F_NONBLOCK);
}

u32 tls_fix_poll(struct tls_fix *f)
{
	return f->sk->ops->poll(f->sk) &
	       (M_POLLIN | M_POLLERR | M_POLLHUP | M_POLLRDHUP);
}

int tls_fix_so_error(struct tls_fix *f)
{
	return sock_error(f->sk);
}

u64 tls_fix_mib(const struct tls_fix *f, enum m_mib mib)
{
	return f->m->k.mib[mib];
}

u32 tls_fix_announces(struct tls_fix *f)
{
	u32 n = mock_event_count(f->m, EV_ANNOUNCE);

	mock_events_clear(f->m);
	return n;
}

const char *tls_fix_reason(const struct tls_fix *f)
{
	return m_reason_name[f->m->k.current->reason];
}

void tls_hook_tx_all(struct mock *m, void *arg)
{
	(void)m;
	tls_fix_tx_all(arg);
}

void tls_hook_fin(struct mock *m, void *arg)
{
	(void)m;
	tls_fix_fin(arg);
}

void tls_hook_rst(struct mock *m, void *arg)
{
	(void)m;
	tls_fix_rst(arg);
}
