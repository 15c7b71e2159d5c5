// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When are two states the same?
 * How: when the socket, the parser, rx_list, the queues of sleepers, pipes, the
 * peer's sender, the clock, the statements still to be done and the ledger are
 * alike, and every task inside a call keeps the same in its local variables.
 * Those are not looked at but follow from what the task did: what it handed
 * out, decrypted and fetched since the call began, options it found, time it
 * has left, whether it let go of the socket since the last record, and the last
 * points it passed, which say where in the code it is. Hashes have 64 bits.
 * Left out: counters, addresses, numbers of pages and buffers, and what calls
 * that are over have returned, which their invariants have judged.
 */
#include <stdlib.h>

#include "sim/explore/explore.h"
#include "sim/inv/ledger.h"

static u64 mix(u64 h, u64 v)
{
	h = (h ^ v) * 0x9fb21c651e98df25ull;
	return h ^ h >> 29;
}

/* --- tasks --------------------------------------------------------------- */

/* What a task reads once and keeps for the rest of the call. */
static u64 kept(const struct sim *s)
{
	const struct tls_sw_context_rx *rx = ledger_rx(s);
	const struct sock *sk = s->conn.sk;
	u64 h = mix(sk->sk_nonblock | (rx && rx->zc_capable) << 1,
		    (u64)sk->sk_rcvtimeo);

	return mix(h,
		   (u64)(u32)sk->sk_rcvlowat << 32 | (u32)sk->sk_disconnects);
}

static void chain(struct explore_task *t, const struct sim_event *e)
{
	t->call = mix(t->call, e->kind + ((u64)e->b << 8));
	t->call = mix(t->call, (u64)e->a ^ (u64)e->c << 32);
}

/* Events that leave something in the variables of the call; what the others
 * change is seen in the structures. */
static void follow_event(struct explore_task *t, const struct sim_event *e)
{
	switch (e->kind) {
	case EV_CALL:
	case EV_RETURN:
		memset(t, 0, sizeof(*t));
		break;
	case EV_PUT_USER:
	case EV_DECRYPT:
	case EV_DECRYPTED_TYPE:
	case EV_RX_LIST_ADD:
	case EV_RX_LIST_DEL:
	case EV_SK_ERR_TAKEN:
	case EV_ALLOC_FAIL:
	case EV_PIPE_ADD:
	case EV_PIPE_DEL:
	case EV_KEYS:
	case EV_KEY_UPDATE:
		chain(t, e);
		break;
	case EV_SLEPT:
		t->left = e->a;
		break;
	case EV_UNLOCK:
	case EV_BACKLOG_RUN:
		t->let_go = true;
		break;
	case EV_CONSUMED:
		t->let_go = false;
		break;
	default:
		break;
	}
}

static void follow_log(struct explore_state *st, const struct sim *s)
{
	const struct sim_event *e;

	for (; st->done < s->event_n; st->done++) {
		e = &s->events[st->done];
		if (e->task != LOG_NO_TASK && !e->softirq &&
		    e->kind != EV_POINT && e->kind != EV_STMT)
			follow_event(&st->task[e->task], e);
	}
}

static u64 tasks_hash(const struct explore_state *st, const struct sim *s,
		      u64 h)
{
	const struct sim_task *t;
	u32 i;

	for (i = 0; i < s->task_n + 1; i++) {
		t = &s->tasks[i];
		if (t->state == TASK_IDLE) {
			h = mix(h, 7);
			continue;
		}
		h = mix(h, st->task[i].call);
		h = mix(h, (u64)st->task[i].points << 1 | st->task[i].let_go);
		h = mix(h, (u64)st->task[i].left);
		h = mix(h, (u64)t->state | t->t.woken << 8 | t->signalled << 9 |
				   t->sig_restart << 10 | (u64)t->stmt << 16 |
				   (t->below ? t->below->t.id + 1ull : 0)
					   << 56);
		if (t->state == TASK_SLEEPING)
			h = mix(h, (u64)t->sleep_deadline);
	}
	list_for_each_entry(t, &s->runq, run_link)
		h = mix(h, t->t.id + 1);
	return h;
}

/* --- the rest ------------------------------------------------------------ */

static u64 wait_hash(const struct wait_queue_head *wq, u64 h)
{
	const struct wait_queue_entry *e;

	list_for_each_entry(e, &wq->list, list)
		h = mix(h, (e->task ? e->task->id + 2 : 1) | (u64)e->exclusive
								     << 32);
	return mix(h, 3);
}

static u64 sock_hash(const struct sock *sk, u64 h)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	const struct sim *s = ((const struct sim_conn *)sk->user_data)->s;

	h = mix(h, kept(s));
	h = mix(h, (u64)sk->sk_err << 32 | (u64)sk->sk_shutdown << 16 |
			   sk->sk_state);
	h = mix(h, (u64)tp->copied_seq << 32 | tp->rcv_nxt);
	h = mix(h, (u64)tp->rcv_wup << 32 | tp->rcv_wnd);
	h = mix(h, (u64)tp->rcv_mwnd_seq << 32 | tp->rcv_ssthresh);
	h = mix(h, (u64)tp->window_clamp << 32 | tp->scaling_ratio);
	h = mix(h, (u64)tp->rcv_mss << 32 | tp->rcvq_space_space);
	h = mix(h, (u64)tp->rcvq_space_seq << 32 | tp->rcv_rtt_seq);
	h = mix(h, (u64)tp->urg_seq << 32 | (u64)tp->urg_data << 16 |
			   (u64)tp->ack_pending << 8 | tp->ack_deferred |
			   tp->snd_closed << 1 | tp->rcv_rtt_passed << 2 |
			   tp->inq << 3);
	h = mix(h, (u64)sk->sk_receive_queue.qlen << 32 |
			   tp->out_of_order_queue.qlen);
	h = mix(h, (u64)sk->backlog.qlen << 32 | sk->backlog_len);
	h = mix(h, (u64)(u32)sk->sk_rmem_alloc << 32 | (u32)sk->sk_rcvbuf);
	h = mix(h, (u64)sk->owned << 32 | (sk->owner ? sk->owner->id + 1 : 0));
	h = mix(h, (u64)(u32)sk->sk_peek_off << 8 | sk->sk_done |
			   sk->sk_dead << 1 | sk->async_waitdata << 2 |
			   sk->sk_oobinline << 3);
	h = wait_hash(&sk->lock_wq, h);
	return wait_hash(&sk->sk_wq, h);
}

static u64 rx_hash(const struct sim *s, const struct tls_sw_context_rx *rx,
		   u64 h)
{
	const struct tls_strparser *strp = &rx->strp;
	const struct tls_context *ctx = tls_get_ctx(s->conn.sk);
	const struct sk_buff *skb;
	u64 seq;

	h = mix(h, (u64)strp->stm.offset << 32 | strp->stm.full_len);
	h = mix(h, strp->recno << 8 | strp->copy_mode |
			   strp->msg_announced << 1 | rx->reader_present << 2 |
			   rx->reader_contended << 3 | ctx->rx_no_pad << 4 |
			   strp->msg_ready << 5 | strp->stopped << 6 |
			   rx->key_update_pending << 7);
	h = mix(h, rx->failed_recno << 32 | (u32)rx->async_wait_err);
	memcpy(&seq, ctx->rx.rec_seq, sizeof(seq));
	h = mix(h, seq);
	for (skb = rx->rx_list.first; skb; skb = skb->next)
		h = mix(h, skb->cb.recno << 40 | (u64)skb->cb.offset << 20 |
				   (u64)skb->cb.full_len << 8 |
				   skb->cb.control);
	return wait_hash(&rx->wq, h);
}

static u64 pipe_hash(const struct pipe_inode_info *p, u64 h)
{
	u32 i;

	if (!p)
		return mix(h, 5);
	h = mix(h, (u64)p->head << 32 | p->tail);
	h = mix(h,
		(u64)p->readers << 48 | (u64)p->writers << 32 | p->max_usage);
	h = mix(h, p->mutex_owner ? p->mutex_owner->id + 1 : 0);
	h = mix(h, p->mutex_handoff);
	for (i = p->tail; i != p->head; i++)
		h = mix(h, pipe_buf(p, i)->len);
	h = wait_hash(&p->mutex_wq, h);
	h = wait_hash(&p->rd_wait, h);
	return wait_hash(&p->wr_wait, h);
}

static u64 peer_hash(const struct sim_peer *p, u64 h)
{
	const struct sim_sender *snd = &p->sender;

	h = mix(h, p->size << 32 | snd->queued);
	h = mix(h, snd->snd_una << 32 | snd->snd_nxt);
	h = mix(h, snd->snd_max << 32 | snd->wire_end);
	h = mix(h, snd->win_edge << 32 | snd->max_win);
	h = mix(h, (u64)snd->timer_ns);
	h = mix(h, snd->seq_next);
	h = mix(h, (u64)p->rx_closed << 32 | snd->fin_queued |
			   snd->fin_sent << 1 | snd->fin_wired << 2 |
			   snd->dead << 3 | snd->ack_due << 4 |
			   snd->rst_due << 5 | snd->probe_due << 6 |
			   snd->retransmit << 7 | snd->loss << 8);
	return h;
}

static u64 ledger_hash(const struct ledger *l, u64 h)
{
	h = mix(h, (u64)l->state << 32 | l->gen);
	h = mix(h, (u64)l->rec << 32 | l->off);
	h = mix(h, l->pos << 32 | l->opened);
	h = mix(h, (u64)l->failed << 63 | (u64)l->wrapped << 62 |
			   (u64)(u32)l->stopped << 16 | (u16)l->sick);
	return mix(h, l->raw_pos);
}

static u64 faults_hash(const struct sim *s, u64 h)
{
	u32 i;

	if (!s->fault_n)
		return h;
	h = mix(h, s->fault_n);
	for (i = 0; i < M_SITE_COUNT; i++)
		h = mix(h, s->site_count[i]);
	return h;
}

static u64 epoll_hash(const struct sim_epoll *ep, u64 h)
{
	if (!ep->made)
		return h;
	return wait_hash(&ep->wq, mix(mix(h, ep->asked),
				      4 | ep->registered << 1 | ep->ready));
}

static u64 trace_hash(const struct sim *s, u64 h)
{
	u32 i;

	h = mix(h, (u64)s->now_ns);
	h = mix(h, s->next_stmt);
	for (i = s->next_stmt; i < s->tr->stmt_n; i++) {
		if (s->stmt_done[i])
			h = mix(h, i);
	}
	return h;
}

void explore_step(struct explore_state *st, const struct sim *s,
		  enum m_point point)
{
	const struct m_task *cur = s->k.current;
	struct explore_task *t;
	u64 now;
	u32 i;

	follow_log(st, s);
	for (i = 0; i < s->task_n + 2; i++) {
		if (s->tasks[i].state == TASK_IDLE)
			memset(&st->task[i], 0, sizeof(st->task[i]));
	}
	if (!cur)
		return;
	t = &st->task[cur->id];
	now = kept(s);
	if (now != t->kept || point == POINT_FLUSH_BACKLOG)
		t->call = mix(mix(t->call, now), point);
	t->kept = now;
	t->points = t->points << 8 | (point + 1);
}

u64 explore_key(const struct explore_state *st, const struct sim *s,
		enum m_point point)
{
	const struct tls_sw_context_rx *rx = ledger_rx(s);
	u64 h = point + 1;
	u32 i;

	h = mix(h, s->k.current ? s->k.current->id + 1 : 0);
	h = tasks_hash(st, s, h);
	h = sock_hash(s->conn.sk, h);
	if (rx)
		h = rx_hash(s, rx, h);
	h = peer_hash(&s->conn.peer, h);
	h = ledger_hash(s->ledger, h);
	h = trace_hash(s, h);
	h = faults_hash(s, h);
	h = epoll_hash(&s->conn.ep_lt, epoll_hash(&s->conn.ep_et, h));
	h = mix(h, s->conn.closed | s->conn.close_pending << 1 |
			   !list_empty(&s->works) << 2 |
			   !!s->running_work << 3 | !!s->work_waiter << 4);
	for (i = 0; i < s->pipe_n; i++)
		h = pipe_hash(s->pipes[i], h);
	return h ?: 1;
}

/* --- states met ---------------------------------------------------------- */

#define SEEN_FIRST (1u << 14)
#define SEEN_MAX (1u << 25)

/**
 * struct explore_seen - a hash table, open addressing
 * @key: 0: free
 * @used: preemptions used when met, the least
 * @size: power of two
 * @n: entries in use
 */
struct explore_seen {
	u64 *key;
	u8 *used;
	u32 size;
	u32 n;
};

static void table_alloc(struct explore_seen *seen, u32 size)
{
	seen->key = calloc(size, sizeof(*seen->key));
	seen->used = malloc(size);
	if (!seen->key || !seen->used)
		abort();
	seen->size = size;
	seen->n = 0;
}

struct explore_seen *explore_seen_new(void)
{
	struct explore_seen *seen = calloc(1, sizeof(*seen));

	if (!seen)
		abort();
	table_alloc(seen, SEEN_FIRST);
	return seen;
}

void explore_seen_free(struct explore_seen *seen)
{
	free(seen->key);
	free(seen->used);
	free(seen);
}

static u32 slot_of(const struct explore_seen *seen, u64 key)
{
	u32 i = (u32)(key >> 20) & (seen->size - 1);

	while (seen->key[i] && seen->key[i] != key)
		i = (i + 1) & (seen->size - 1);
	return i;
}

static void insert(struct explore_seen *seen, u32 i, u64 key, u8 used)
{
	seen->key[i] = key;
	seen->used[i] = used;
	seen->n++;
}

static void grow(struct explore_seen *seen)
{
	struct explore_seen old = *seen;
	u32 i;

	table_alloc(seen, old.size * 2);
	for (i = 0; i < old.size; i++) {
		if (old.key[i])
			insert(seen, slot_of(seen, old.key[i]), old.key[i],
			       old.used[i]);
	}
	free(old.key);
	free(old.used);
}

enum explore_look explore_look(struct explore_seen *seen, u64 key, u32 used)
{
	u8 u = (u8)min_t(u32, used, UINT8_MAX);
	u32 i = slot_of(seen, key);

	if (seen->key[i]) {
		if (seen->used[i] <= u)
			return LOOK_OLD;
		seen->used[i] = u;
		return LOOK_NEW;
	}
	if (seen->n >= SEEN_MAX / 4 * 3)
		return LOOK_FULL;
	insert(seen, i, key, u);
	if (seen->n > seen->size / 4 * 3 && seen->size < SEEN_MAX)
		grow(seen);
	return LOOK_NEW;
}
