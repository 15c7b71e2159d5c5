// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random traces: arguments of setsockopt and getsockopt.
 * How: the options that change how reads behave, keys that fit, and arguments
 * that must be refused.
 * Left out: options of other protocols.
 */
#include "sim/gen/gen_int.h"

void gen_set_option(struct trace_call *c, s32 level, s32 opt, s64 val)
{
	c->level = level;
	c->opt = opt;
	c->val = val;
	c->opt_len = -1;
}

void gen_set_keys(struct gen *g, struct trace_call *c, u32 gen)
{
	gen_set_option(c, SOL_TLS_M, TLS_RX, 0);
	c->key = gen;
	if (!gen && g->tr->opts.seq) {
		c->key_seq = g->tr->opts.seq;
		c->key_seq_set = true;
	}
}

void gen_wrong_keys(struct gen *g, struct trace_call *c)
{
	gen_set_keys(g, c, gen_choose(g, g->gen + 2));
	switch (gen_choose(g, 7)) {
	case 0:
		c->key_ver = 0x0305 - (u16)gen_choose(g, 4);
		break;
	case 1:
		c->key_cid = (u16)(50 + gen_choose(g, 12));
		break;
	case 2:
		c->opt_len = (s32)gen_choose(g, 64);
		break;
	case 3:
		c->key_cipher = TLS_CIPHER_AES_GCM_256;
		break;
	case 4:
		c->opt_null = true;
		break;
	case 5:
		c->opt = TLS_TX;
		c->key_cipher = TLS_CIPHER_AES_GCM_256;
		break;
	default:
		c->opt = TLS_TX;
		break;
	}
}

void gen_setsockopt(struct gen *g, struct trace_call *c)
{
	static const s32 lowat[4] = { 1, 50, 1000, 100000 };
	static const s64 timeo_ns[4] = { 0, NSEC_PER_MSEC, 100 * NSEC_PER_MSEC,
					 NSEC_PER_SEC };

	switch (gen_choose(g, 12)) {
	case 0:
	case 1:
		gen_set_option(c, SOL_SOCKET_M, SO_RCVLOWAT_M,
			       lowat[gen_choose(g, 4)]);
		break;
	case 2:
		gen_set_option(c, SOL_SOCKET_M, SO_RCVTIMEO_M,
			       timeo_ns[gen_choose(g, 4)]);
		break;
	case 3:
		gen_set_option(c, SOL_SOCKET_M, SO_RCVBUF_M,
			       gen_choose(g, 40000));
		break;
	case 4:
	case 5:
		gen_set_option(c, SOL_TLS_M, TLS_RX_EXPECT_NO_PAD,
			       gen_choose(g, 3));
		break;
	case 6:
		gen_set_keys(g, c, gen_choose(g, g->gen + 2));
		break;
	case 7:
	case 8:
		gen_wrong_keys(g, c);
		break;
	case 9:
		gen_set_option(c, SOL_TCP_M, TCP_ULP_M, 0);
		break;
	case 10:
		gen_set_option(c, SOL_TLS_M, TLS_TX_MAX_PAYLOAD_LEN,
			       gen_choose(g, 20000));
		break;
	default:
		gen_set_option(c, SOL_TLS_M, 9, 1);
		break;
	}
}

void gen_getsockopt(struct gen *g, struct trace_call *c)
{
	switch (gen_choose(g, 6)) {
	case 0:
	case 1:
		gen_set_option(c, SOL_SOCKET_M, SO_ERROR_M, 0);
		break;
	case 2:
		gen_set_option(c, SOL_TLS_M, TLS_RX, 0);
		break;
	case 3:
		gen_set_option(c, SOL_TLS_M, TLS_RX_EXPECT_NO_PAD, 0);
		break;
	case 4:
		gen_set_option(c, SOL_SOCKET_M, SO_RCVLOWAT_M, 0);
		break;
	default:
		gen_set_option(c, SOL_TLS_M, TLS_TX, 0);
		break;
	}
	if (gen_one_in(g, 4))
		c->opt_len = (s32)gen_choose(g, 64);
	c->opt_null = gen_one_in(g, 12);
}
