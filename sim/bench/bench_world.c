// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Worlds for benchmarks.
 * How: sim_open() with a trace that has records only, then the receive buffer
 * and window are set wide open, so that flow control is not what is measured.
 * Left out: nothing.
 */
#include "sim/bench/bench_world.h"

#include "sim/world/profile.h"

#define WINDOW (1u << 29)

void bench_trace(struct trace *tr, u32 n, u32 len, bool nopad)
{
	u32 i;

	memset(tr, 0, sizeof(*tr));
	tr->pool = mem_pool_new();
	trace_opts_default(&tr->opts);
	tr->opts.version = TLS_1_3_VERSION;
	tr->opts.cipher = TLS_CIPHER_AES_GCM_128;
	tr->opts.nopad = nopad;
	tr->recs = mem_pool_alloc(tr->pool, n * sizeof(*tr->recs));
	tr->rec_n = n;
	for (i = 0; i < n; i++) {
		tr->recs[i].name = "R";
		tr->recs[i].of = 1;
		tr->recs[i].type = TLS_RECORD_TYPE_DATA;
		tr->recs[i].len = len;
	}
	tr->tasks = mem_pool_alloc(tr->pool, sizeof(*tr->tasks));
	tr->tasks[0] = "r1";
	tr->task_n = 1;
	tr->pipes = mem_pool_alloc(tr->pool, sizeof(*tr->pipes));
	tr->pipes[0].name = "p";
	tr->pipe_n = 1;
}

void bench_open_as(struct sim *s, const struct trace *tr,
		   const struct sim_opts *opts)
{
	struct tcp_sock *tp;

	sim_open(s, tr, opts);
	tp = tcp_sk(s->conn.sk);
	tp->sk.sk_rcvbuf = INT32_MAX;
	tp->sk.sk_rcvbuf_locked = true;
	tp->window_clamp = WINDOW;
	tp->rcv_ssthresh = WINDOW;
	tp->rcv_wnd = WINDOW;
	tp->rcv_mwnd_seq = tp->rcv_nxt + WINDOW;
	s->conn.peer.sender.win_edge = WINDOW;
}

void bench_open(struct sim *s, const struct trace *tr)
{
	struct sim_opts opts = { .profile = PROFILE_DEFAULT };

	bench_open_as(s, tr, &opts);
}

void bench_deliver_some(struct sim *s, u32 from, u32 upto)
{
	struct sim_err err;

	for (; from < upto; from++) {
		M_ASSERT(!peer_build(&s->conn.peer, from, &err), "%s", err.msg);
		sender_queue_rest(&s->conn.peer);
		sender_push(&s->conn.peer);
	}
	sched_settle(s);
}

void bench_deliver(struct sim *s)
{
	bench_deliver_some(s, 0, s->tr->rec_n);
}
