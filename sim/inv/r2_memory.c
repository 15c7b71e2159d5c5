// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * R2: everything allocated is freed exactly once, and receive memory returns
 * to zero.
 * How: whenever the socket's queues are empty nothing may be charged to it;
 * after teardown no block of the arena may be live. Double and wrong frees are
 * caught by the arena, use after free by its poison and AddressSanitizer.
 * Left out: memory of the world itself, which is not the model's.
 */
#include "sim/inv/local.h"

static void on_quiet(struct sim *s, void *state)
{
	const struct sock *sk = s->conn.sk;

	(void)state;
	if (!sk || !skb_queue_empty(&sk->sk_receive_queue) ||
	    !skb_queue_empty(&sk->backlog) ||
	    !skb_queue_empty(&tcp_sk(sk)->out_of_order_queue))
		return;
	INV_CHECK(s, R2, !sk->sk_rmem_alloc, "rmem",
		  "the queues are empty, %d bytes are charged",
		  sk->sk_rmem_alloc);
}

static void on_end(struct sim *s, void *state)
{
	u64 live = arena_live(s->arena);

	(void)state;
	INV_CHECK(s, R2, !live, "leak",
		  "%llu blocks with %llu bytes were never freed",
		  (unsigned long long)live,
		  (unsigned long long)arena_live_bytes(s->arena));
}

const struct inv_ops inv_R2 = {
	.id = INV_R2,
	.on_quiet = on_quiet,
	.on_end = on_end,
};
