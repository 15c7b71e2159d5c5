// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the model looks like at one moment, in words.
 * How: reads the structures, calls nothing that changes them.
 * Left out: contents of the data.
 */
#include <stdarg.h>

#include "sim/world/world.h"

/* Appends to a fixed buffer; what does not fit is cut. */
static void put(struct sim_verdict *v, const char *fmt, ...) __printf(2, 3);

static void put(struct sim_verdict *v, const char *fmt, ...)
{
	size_t used = strlen(v->state);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(v->state + used, sizeof(v->state) - used, fmt, ap);
	va_end(ap);
}

static const char *yes(bool b)
{
	return b ? "yes" : "no";
}

static void put_socket(struct sim_verdict *v, const struct sim_conn *c)
{
	const struct tcp_sock *tp = tcp_sk(c->sk);
	const struct sock *sk = c->sk;

	put(v,
	    "socket  state=%u err=%d shutdown=%u owner=%s rmem=%d/%d "
	    "lowat=%d backlog=%u\n",
	    sk->sk_state, sk->sk_err, sk->sk_shutdown,
	    sk->owned && sk->owner ? sk->owner->name : "none",
	    sk->sk_rmem_alloc, sk->sk_rcvbuf, sk->sk_rcvlowat,
	    sk->backlog.qlen);
	put(v, "tcp     copied=%u rcv_nxt=%u queue=%u ofo=%u window=%u\n",
	    tp->copied_seq - c->irs, tp->rcv_nxt - c->irs,
	    sk->sk_receive_queue.qlen, tp->out_of_order_queue.qlen,
	    tcp_receive_window(tp));
}

static void put_tls(struct sim_verdict *v, const struct sock *sk)
{
	const struct tls_context *ctx = tls_get_ctx(sk);
	const struct tls_sw_context_rx *rx = ctx ? ctx->rx_ctx : NULL;
	const struct sk_buff *skb;
	u32 n = 0;

	if (!rx) {
		put(v, "tls     %s\n", ctx ? "attached, no keys" : "none");
		return;
	}
	put(v,
	    "parser  ready=%s announced=%s stopped=%s copy_mode=%s "
	    "offset=%u full_len=%u record=%llu\n",
	    yes(rx->strp.msg_ready), yes(rx->strp.msg_announced),
	    yes(rx->strp.stopped), yes(rx->strp.copy_mode), rx->strp.stm.offset,
	    rx->strp.stm.full_len, (unsigned long long)rx->strp.recno);
	put(v, "reader  present=%s contended=%s rekey_pending=%s\n",
	    yes(rx->reader_present), yes(rx->reader_contended),
	    yes(rx->key_update_pending));
	put(v, "rx_list %u:", rx->rx_list.qlen);
	for (skb = rx->rx_list.first; skb && n < 6; skb = skb->next, n++)
		put(v, " [record %llu type %u, %u left]",
		    (unsigned long long)skb->cb.recno, skb->cb.control,
		    skb->cb.full_len);
	put(v, "\n");
}

static void put_tasks(struct sim_verdict *v, const struct sim *s)
{
	static const char *const words[] = {
		[TASK_IDLE] = "idle",		[TASK_RUNNING] = "running",
		[TASK_RUNNABLE] = "runnable",	[TASK_SLEEPING] = "sleeping",
		[TASK_PREEMPTED] = "preempted", [TASK_DEAD] = "given up",
	};
	const struct sim_task *t;
	u32 i;

	for (i = 0; i < s->task_n + 2; i++) {
		t = &s->tasks[i];
		if (t->state == TASK_IDLE)
			continue;
		put(v, "task    %s %s in %s\n", t->t.name, words[t->state],
		    t->call ? call_name[t->call->kind] : "work");
	}
}

static void put_pipes(struct sim_verdict *v, const struct sim *s)
{
	const struct pipe_inode_info *p;
	u32 i;

	for (i = 0; i < s->pipe_n; i++) {
		p = s->pipes[i];
		if (!p)
			continue;
		put(v, "pipe    %s %u of %u slots, readers=%u mutex=%s\n",
		    s->tr->pipes[i].name, pipe_occupancy(p), p->max_usage,
		    p->readers, p->mutex_owner ? p->mutex_owner->name : "free");
	}
}

void sim_snapshot(struct sim *s)
{
	struct sim_verdict *v = &s->verdict;

	v->state[0] = '\0';
	if (s->conn.sk) {
		put_socket(v, &s->conn);
		put_tls(v, s->conn.sk);
	}
	put_pipes(v, s);
	put_tasks(v, s);
}
