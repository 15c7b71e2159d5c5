// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * setsockopt and getsockopt: builds the value a program would pass.
 * How: every option has a natural value and length; len= and null change what
 * is passed, not what is checked.
 * Left out: 32-bit layouts.
 */
#include "sim/call/syscall.h"

/* Memory behind an option value: enough for any that is known. */
#define OPT_SIZE 128u
#define OPT_SIZE_MAX 65536u

/* The structure of TLS_RX or TLS_TX; returns its natural length. */
static u32 value_keys(struct sim *s, const struct trace_call *c, u8 *out)
{
	const struct trace_opts *o = &s->tr->opts;
	struct tls_crypto_info_m info;
	u16 cipher = o->cipher;
	u32 len;

	if (c->key_cipher)
		cipher = c->key_cipher;
	if (s->conn.peer.ossl)
		ossl_peer_keys(s->conn.peer.ossl, c->key, &info);
	else
		keys_of_generation(&info, o->version, cipher, c->key,
				   c->key_seq_set ? c->key_seq : 0);
	len = tls_crypto_info_pack(&info, out);
	if (c->key_ver)
		memcpy(out, &c->key_ver, sizeof(c->key_ver));
	if (c->key_cid)
		memcpy(out + 2, &c->key_cid, sizeof(c->key_cid));
	return len;
}

static u32 value_timeval(s64 ns, u8 *out)
{
	s64 tv[2] = { ns / NSEC_PER_SEC, ns % NSEC_PER_SEC / 1000 };

	memcpy(out, tv, sizeof(tv));
	return sizeof(tv);
}

static u32 value_int(s64 val, u32 size, u8 *out)
{
	memcpy(out, &val, size); /* little endian: see static_assert */
	return size;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "option values are built for little-endian machines");

u32 opt_value(struct sim *s, const struct trace_call *c, u8 *out)
{
	static const u8 ulp[] = { 't', 'l', 's' };

	if (c->level == SOL_TLS_M && (c->opt == TLS_RX || c->opt == TLS_TX))
		return value_keys(s, c, out);
	if (c->level == SOL_TLS_M && c->opt == TLS_TX_MAX_PAYLOAD_LEN)
		return value_int(c->val, 2, out);
	if (c->level == SOL_TCP_M && c->opt == TCP_ULP_M) {
		memcpy(out, ulp, sizeof(ulp));
		return sizeof(ulp);
	}
	if (c->level == SOL_SOCKET_M && c->opt == SO_RCVTIMEO_M)
		return value_timeval(c->val, out);
	if (c->level == SOL_TLS_M && c->opt == TLS_RX_EXPECT_NO_PAD)
		value_int(c->val >> 32, 4, out + 4); /* seen with len=8 */
	return value_int(c->val, 4, out);
}

u32 opt_room(const struct sim *s, const struct trace_call *c)
{
	const struct tls_cipher_desc *d = get_cipher_desc(s->tr->opts.cipher);

	if (c->level == SOL_TLS_M && (c->opt == TLS_RX || c->opt == TLS_TX))
		return d ? d->crypto_info : 4;
	if (c->level == SOL_TLS_M && c->opt == TLS_TX_MAX_PAYLOAD_LEN)
		return 2;
	if (c->level == SOL_TCP_M && c->opt == TCP_ULP_M)
		return 16;
	if (c->level == SOL_SOCKET_M && c->opt == SO_RCVTIMEO_M)
		return 16;
	return 4;
}

/* Zeroed memory for the value, as much as the call claims to pass. */
static u8 *option_memory(struct sim *s, const struct trace_call *c,
			 struct sockopt_arg *arg)
{
	u32 size = OPT_SIZE;

	if (c->opt_len > (s32)OPT_SIZE)
		size = min_t(u32, (u32)c->opt_len, OPT_SIZE_MAX);
	arg->val = mem_pool_alloc(s->pool, size);
	arg->size = size;
	return arg->val;
}

static void option_arg(const struct trace_call *c, struct sockopt_arg *arg,
		       u32 natural)
{
	arg->len = c->opt_len == -1 ? (int)natural : c->opt_len;
	arg->out_len = arg->len;
	if (!c->opt_null)
		return;
	arg->val = NULL;
	arg->size = 0;
}

void sys_setsockopt(struct sim *s, struct sim_task *t)
{
	const struct trace_call *c = t->call;
	struct sock *sk = s->conn.sk;
	struct sockopt_arg arg;
	u8 *mem = option_memory(s, c, &arg);

	option_arg(c, &arg, opt_value(s, c, mem));
	m_reason(&s->k, REASON_OPT_DONE);
	if (c->level == SOL_SOCKET_M)
		t->res.ret = sock_setsockopt(sk, c->opt, &arg);
	else
		t->res.ret =
			sk->sk_prot->setsockopt(sk, c->level, c->opt, &arg);
}

void sys_getsockopt(struct sim *s, struct sim_task *t)
{
	const struct trace_call *c = t->call;
	struct sock *sk = s->conn.sk;
	struct sockopt_arg arg;
	u8 *mem = option_memory(s, c, &arg);

	option_arg(c, &arg, opt_room(s, c));
	m_reason(&s->k, REASON_OPT_DONE);
	if (c->level == SOL_SOCKET_M)
		t->res.ret = sock_getsockopt(sk, c->opt, &arg);
	else
		t->res.ret =
			sk->sk_prot->getsockopt(sk, c->level, c->opt, &arg);
	t->res.opt = mem;
	t->res.opt_len = arg.out_len;
}
