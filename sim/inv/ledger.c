// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Follows every record from the peer's stream to the caller.
 * How: events of the model move three marks through the peer's records: the
 * parser's front, the last one opened, and the cursor of consuming calls. Each
 * stay in the reader role gets an entry that says where it began and what it
 * handed out; invariants compare that with the result of the call.
 * Left out: queries (ledger_query.c); judging, which is the invariants' part.
 */
#include "sim/inv/ledger.h"

#include <stdlib.h>

#include "sim/inv/inv.h"

_Static_assert(CALL_RECVMSG == 0 && CALL_RECVMMSG == 4 && CALL_READ_SOCK == 6,
	       "call_is_recv() and call_takes_data() count on this order");

struct ledger *ledger_new(void)
{
	struct ledger *l = calloc(1, sizeof(*l));

	if (!l)
		abort();
	return l;
}

void ledger_free(struct ledger *l)
{
	free(l);
}

void ledger_start(struct sim *s)
{
	struct ledger *l = s->ledger;

	memset(l, 0, sizeof(*l));
	l->peer = &s->conn.peer;
	l->calls = mem_pool_alloc(s->pool, (s->task_n + 2) * sizeof(*l->calls));
}

void ledger_closing(struct sim *s)
{
	s->ledger->closing = true;
}

static bool seq_is_max(u64 seq)
{
	return seq == UINT64_MAX;
}

static u64 be64_of(const u8 *p)
{
	u64 v = 0;
	int i;

	for (i = 0; i < 8; i++)
		v = v << 8 | p[i];
	return v;
}

static u64 stream_pos(const struct sim *s)
{
	return (u32)(tcp_sk(s->conn.sk)->copied_seq - s->conn.irs);
}

/* --- keys and parser --------------------------------------------------- */

static void start_tls(struct sim *s, struct ledger *l)
{
	const struct sim_peer *p = l->peer;

	l->state = LEDGER_TLS;
	l->pos = stream_pos(s);
	while (l->rec < p->rec_n && p->recs[l->rec].built &&
	       p->recs[l->rec].off + p->recs[l->rec].len <= l->pos)
		l->rec++;
	l->off = 0;
	l->front = l->rec;
	l->opened = l->rec;
	l->solid = l->rec;
}

static void keys(struct sim *s, struct ledger *l, const struct sim_event *e)
{
	const struct tls_context *ctx = tls_get_ctx(s->conn.sk);
	const struct tls_crypto_info_m *info = &ctx->crypto_recv;
	const struct sim_task *t = sim_current(s);

	l->gen = t && t->call ? t->call->key : 0;
	l->seq = be64_of(info->rec_seq);
	l->keys_fit = info->version == s->tr->opts.version &&
		      info->cipher_type == s->tr->opts.cipher;
	if (!e->b)
		start_tls(s, l);
}

static void find_front(struct ledger *l, u32 full_len)
{
	const struct sim_peer *p = l->peer;
	const struct peer_rec *r;

	while (l->front < p->rec_n && p->recs[l->front].built &&
	       p->recs[l->front].off + p->recs[l->front].len <= l->pos)
		l->front++;
	r = &p->recs[l->front];
	l->aligned = l->front < p->rec_n && r->built && r->off == l->pos &&
		     r->len == full_len && r->framed;
}

/* Bytes may be gone: taken by a plain read, or skipped as urgent. In copy mode
 * TCP's position is no longer the record's. */
static bool in_place(const struct sim *s, const struct ledger *l)
{
	return ledger_rx(s)->strp.copy_mode ||
	       (u32)l->pos == (u32)stream_pos(s);
}

static void copy_mode(struct sim *s, struct ledger *l,
		      const struct sim_event *e)
{
	if (e->b && l->state == LEDGER_TLS && (u32)l->pos != (u32)stream_pos(s))
		l->state = LEDGER_LOST;
}

static void parsed(struct sim *s, struct ledger *l, const struct sim_event *e)
{
	if (l->state != LEDGER_TLS || l->closing)
		return;
	if (!in_place(s, l)) {
		l->state = LEDGER_LOST;
		return;
	}
	l->front_len = (u32)e->b;
	l->front_recno = (u64)e->a;
	find_front(l, l->front_len);
	if (!l->aligned)
		return;
	if (l->mapped && l->delta != (s64)l->front - e->a)
		l->state = LEDGER_LOST;
	l->delta = (s64)l->front - e->a;
	l->mapped = true;
}

static void parse_err(struct sim *s, struct ledger *l,
		      const struct sim_event *e)
{
	l->stopped = (int)-e->b;
	if (l->state == LEDGER_TLS && !l->closing && !in_place(s, l))
		l->state = LEDGER_LOST;
}

static void unparsed(struct sim *s, struct ledger *l, const struct sim_event *e)
{
	(void)s;
	l->state = LEDGER_LOST;
	l->failed = false;
	if (e->task != LOG_NO_TASK)
		l->calls[e->task].met |= MET_THEFT;
}

static void consumed(struct sim *s, struct ledger *l, const struct sim_event *e)
{
	(void)s;
	(void)e;
	l->pos += l->front_len;
	l->front_len = 0;
	l->aligned = false;
}

static void zc_wrote(struct ledger_msg *m, u32 how, u32 len)
{
	m->zc_met |= how;
	m->zc_reach = max_t(u64, m->zc_reach, m->put + len);
}

static void decrypt(struct sim *s, struct ledger *l, const struct sim_event *e)
{
	struct ledger_call *c = &l->calls[e->task];

	if (!e->c)
		return;
	if (e->c == -ENOMEM) {
		c->met |= MET_DECRYPT_NOMEM;
		return;
	}
	if (e->c == -EFAULT) {
		c->met |= MET_DECRYPT_FAULT;
		return;
	}
	c->met |= MET_DECRYPT_BAD;
	if (ledger_maybe_zc(s, (u32)e->task, (u32)e->b))
		zc_wrote(&c->msg, MET_ZC_BAD_TAG, (u32)e->b);
	l->failed = true;
	l->failed_recno = (u64)e->a;
}

static void opened(struct sim *s, struct ledger *l, const struct sim_event *e)
{
	struct ledger_msg *m = &l->calls[e->task].msg;

	(void)s;
	if (l->failed && l->failed_recno == (u64)e->a)
		l->failed = false;
	l->wrapped |= seq_is_max(l->seq);
	l->seq++;
	m->seen++;
	if (l->state != LEDGER_TLS)
		return;
	if (l->aligned)
		l->opened = l->front + 1;
	else
		l->state = LEDGER_LOST; /* D2 has looked at it */
}

static void kept(struct sim *s, struct ledger *l, const struct sim_event *e)
{
	const struct ledger_msg *m = &l->calls[e->task].msg;
	u64 recno = (u64)e->a;

	if (l->ahead == recno + 1)
		l->ahead = 0; /* now somebody met it */
	if (e->c && s->tasks[e->task].call->kind == CALL_SPLICE && m->put &&
	    l->state == LEDGER_TLS && l->mapped &&
	    (u32)(e->a + l->delta) >= m->opened &&
	    (u32)(e->a + l->delta) != m->last)
		l->ahead = recno + 1;
}

/* --- what calls hand out ----------------------------------------------- */

/* Steps over empty records, which need no call to go away. */
static void step_over_empty(const struct ledger *l, u32 *rec, u32 upto)
{
	while (*rec < upto && !l->peer->recs[*rec].plain_len)
		(*rec)++;
}

static void msg_put(const struct ledger *l, struct ledger_msg *m, u32 rec,
		    u32 end, u32 len)
{
	const struct peer_rec *r = &l->peer->recs[rec];

	m->put += len;
	m->whole += end == r->plain_len;
	if (!len)
		return;
	if (!m->typed)
		m->type = r->type;
	m->typed = true;
	m->last = rec;
	m->last_off = end;
}

static void put_user(struct sim *s, struct ledger *l, const struct sim_event *e)
{
	struct ledger_call *c = &l->calls[e->task];
	struct ledger_put *p = &l->put;
	u32 *rec, *off, end;
	bool whole;

	p->known = false;
	if (l->state != LEDGER_TLS || !l->mapped) {
		c->msg.put += (u64)e->c;
		return;
	}
	p->peek = s->tasks[e->task].call->flags & M_MSG_PEEK &&
		  call_is_recv(s->tasks[e->task].call->kind);
	p->rec = (u32)(e->a + l->delta);
	p->off = (u32)e->b;
	p->len = (u32)e->c;
	rec = p->peek ? &l->peek_rec : &l->rec;
	off = p->peek ? &l->peek_off : &l->off;
	step_over_empty(l, rec, p->rec);
	p->want_rec = *rec;
	p->want_off = *off;
	p->known = true;
	end = p->off + p->len;
	whole = end >= l->peer->recs[p->rec].plain_len;
	*rec = p->rec + whole;
	*off = whole ? 0 : end;
	msg_put(l, &c->msg, p->rec, end, p->len);
}

/* Bytes a call must not sleep with. */
static u32 target_of(const struct sim *s, const struct trace_call *call)
{
	if (!call_is_recv(call->kind))
		return 1;
	return (u32)sock_rcvlowat(s->conn.sk, call->flags & M_MSG_WAITALL,
				  (int)call_asked(call));
}

/* A call that began before the keys comes by here: it waited for a pipe, or
 * was restarted. */
static void maybe_tls(struct ledger_call *c, enum call_kind kind)
{
	if (c->plain && !c->took && !c->raw && kind != CALL_RECVMMSG)
		c->plain = false;
}

static void reader_on(struct sim *s, struct ledger *l,
		      const struct sim_event *e)
{
	const struct trace_call *call = s->tasks[e->task].call;
	struct ledger_call *c = &l->calls[e->task];
	struct ledger_msg *m = &c->msg;

	maybe_tls(c, call->kind);
	if (call->kind == CALL_RECVMMSG && c->msg_n &&
	    !(m->interrupted && !m->put))
		*pool_push(s->pool, c->older, c->older_n) = *m;
	c->msg_n = c->older_n + 1;
	*m = (struct ledger_msg){
		.rec = l->rec,
		.off = l->off,
		.opened = l->opened,
		.failed = l->failed,
		.stopped = l->stopped,
		.wrapped = l->wrapped,
	};
	m->target = target_of(s, call);
	m->zc_capable = ledger_rx(s)->zc_capable;
	m->listed = !skb_queue_empty(&ledger_rx(s)->rx_list);
	l->peek_rec = l->rec;
	l->peek_off = l->off;
	if (ledger_rx(s)->key_update_pending)
		c->met |= MET_REKEY;
}

/* Type of the record that comes next, if it is decrypted already; else -1. */
static int next_type(struct ledger *l)
{
	u32 i;

	if (l->state != LEDGER_TLS)
		return -1;
	i = ledger_solid(l);
	return i < l->opened ? l->peer->recs[i].type : -1;
}

static void reader_off(struct sim *s, struct ledger *l,
		       const struct sim_event *e)
{
	const struct tls_sw_context_rx *ctx = ledger_rx(s);
	struct ledger_call *c = &l->calls[e->task];

	c->msg.closed = true;
	c->msg.interrupted = s->tasks[e->task].signalled &&
			     s->tasks[e->task].t.reason == REASON_TLS_SIGNAL;
	c->msg.next_type = next_type(l);
	c->msg.ready_left = ctx->strp.msg_ready || ledger_listed(s);
	if (ctx->key_update_pending)
		c->met |= MET_REKEY;
}

/* --- calls ------------------------------------------------------------- */

static bool must_not_wait(const struct sim *s, const struct trace_call *call)
{
	switch (call->kind) {
	case CALL_RECVMSG:
	case CALL_RECV:
	case CALL_READ:
	case CALL_READV:
	case CALL_RECVMMSG:
		return call->flags & M_MSG_DONTWAIT || s->conn.sk->sk_nonblock;
	case CALL_SPLICE:
		return call->flags & M_SPLICE_F_NONBLOCK ||
		       s->conn.sk->sk_nonblock ||
		       s->pipes[call->pipe]->wr_nonblock;
	case CALL_READ_SOCK:
		return true;
	default:
		return !call->timeout_ns;
	}
}

/* Two calls that take raw bytes at once share them in no known order. */
static void note_overlap(struct sim *s, struct ledger *l, u32 task)
{
	u32 i;

	for (i = 0; i < s->task_n; i++) {
		if (i == task || !l->calls[i].in || !l->calls[i].plain ||
		    !call_takes_data(s->tasks[i].call->kind))
			continue;
		l->calls[i].overlapped = true;
		l->calls[task].overlapped = true;
	}
}

/* Kernels without a read_sock of TLS hand out TCP's bytes. */
static bool reads_ciphertext(const struct sim *s, const struct trace_call *call)
{
	return call->kind == CALL_READ_SOCK &&
	       m_has(&s->k, CHANGE_NO_READ_SOCK_OP);
}

/* O_NONBLOCK or SO_RCVLOWAT changes: what calls under way make of it is not
 * known. */
static void option_changed(struct sim *s, struct ledger *l)
{
	u32 i;

	for (i = 0; i < s->task_n; i++)
		l->calls[i].unsure = l->calls[i].in;
}

static bool changes_option(const struct trace_call *call)
{
	return call->kind == CALL_NONBLOCK ||
	       (call->kind == CALL_SETSOCKOPT && call->opt == SO_RCVLOWAT_M);
}

/* A task is about to change one. */
static bool option_changing(const struct sim *s, const struct ledger *l)
{
	u32 i;

	for (i = 0; i < s->task_n; i++) {
		if (l->calls[i].in && changes_option(s->tasks[i].call))
			return true;
	}
	return false;
}

static void call_begins(struct sim *s, struct ledger *l,
			const struct sim_event *e)
{
	const struct trace_call *call = s->tasks[e->task].call;
	struct ledger_call *c = &l->calls[e->task];

	memset(c, 0, sizeof(*c));
	if (changes_option(call))
		option_changed(s, l);
	else
		c->unsure = option_changing(s, l);
	c->in = true;
	c->plain = l->state == LEDGER_PLAIN || reads_ciphertext(s, call);
	if (l->closing || s->conn.closed)
		return;
	c->nonblock = must_not_wait(s, call);
	if (!c->plain || !call_takes_data(call->kind))
		return;
	c->target = target_of(s, call);
	note_overlap(s, l, e->task);
}

static void slept(struct sim *s, struct ledger *l, const struct sim_event *e)
{
	(void)s;
	if (!e->a)
		l->calls[e->task].met |= MET_TIMED_OUT;
}

static void zc_retry(struct sim *s, struct ledger *l, const struct sim_event *e)
{
	const struct tls_context *ctx = tls_get_ctx(s->conn.sk);
	struct ledger_call *c = &l->calls[e->task];
	u32 len;

	if (e->a == MIB_TlsRxNoPadViolation)
		l->violated = true;
	if (e->a != MIB_TlsDecryptRetry)
		return;
	len = ctx->rx_ctx->strp.stm.full_len - ctx->prot_info.overhead_size;
	zc_wrote(&c->msg, l->violated ? MET_ZC_PADDED : MET_ZC_TYPE, len);
	l->violated = false;
}

/* Bytes left TCP: a call that began before the keys must not be the taker. */
static void tcp_consumed(struct sim *s, struct ledger *l,
			 const struct sim_event *e)
{
	struct ledger_call *c = &l->calls[e->task];
	u64 n = (u64)(e->b - l->tcp_pos);

	(void)s;
	l->tcp_pos = e->b;
	if (!c->in || !c->plain)
		return;
	c->took += n;
	if (l->state == LEDGER_TLS)
		l->state = LEDGER_LOST;
}

/* The parser's copy mode took them. */
static void tcp_moved(struct sim *s, struct ledger *l,
		      const struct sim_event *e)
{
	(void)s;
	l->tcp_pos = e->b;
}

static void raw_to_pipe(struct sim *s, struct ledger *l,
			const struct sim_event *e)
{
	struct ledger_call *c = &l->calls[e->task];

	(void)s;
	if (c->in && c->plain)
		c->raw += (u64)e->b;
}

static void sleeps(struct sim *s, struct ledger *l, const struct sim_event *e)
{
	struct ledger_call *c = &l->calls[e->task];

	c->sleep_where = (u32)e->a;
	if (e->a == M_SLEEP_READER)
		maybe_tls(c, s->tasks[e->task].call->kind);
}

static void alloc_failed(struct sim *s, struct ledger *l,
			 const struct sim_event *e)
{
	(void)s;
	l->calls[e->task].met |= MET_NOMEM;
}

static void sk_err_taken(struct sim *s, struct ledger *l,
			 const struct sim_event *e)
{
	(void)s;
	l->calls[e->task].err_taken = (int)-e->b;
	l->sick = 0;
}

static void signalled(struct sim *s, struct ledger *l,
		      const struct sim_event *e)
{
	(void)s;
	l->calls[e->a].met |= MET_SIGNAL;
}

typedef void (*handler_fn)(struct sim *s, struct ledger *l,
			   const struct sim_event *e);

/* What happens with a task on the CPU. */
static const handler_fn task_handlers[M_EVENT_COUNT] = {
	[EV_CALL] = call_begins,
	[EV_SLEEP] = sleeps,
	[EV_SLEPT] = slept,
	[EV_READER_ON] = reader_on,
	[EV_READER_OFF] = reader_off,
	[EV_ALLOC_FAIL] = alloc_failed,
	[EV_SK_ERR_TAKEN] = sk_err_taken,
	[EV_CONSUMED] = consumed,
	[EV_DECRYPT] = decrypt,
	[EV_DECRYPTED_TYPE] = opened,
	[EV_RX_LIST_ADD] = kept,
	[EV_PUT_USER] = put_user,
	[EV_KEYS] = keys,
	[EV_MIB] = zc_retry,
	[EV_CONSUME_TCP] = tcp_consumed,
	[EV_PIPE_ADD] = raw_to_pipe,
};

/* What happens in softirq, too. */
static const handler_fn any_handlers[M_EVENT_COUNT] = {
	[EV_PARSED] = parsed,	    [EV_UNPARSED] = unparsed,
	[EV_PARSE_ERR] = parse_err, [EV_COPY_MODE] = copy_mode,
	[EV_SIGNAL] = signalled,    [EV_CONSUME_TCP] = tcp_moved,
};

bool ledger_wants(enum m_event_kind kind)
{
	return task_handlers[kind] || any_handlers[kind];
}

void ledger_event(struct sim *s, const struct sim_event *e)
{
	handler_fn fn = task_handlers[e->kind];

	if (fn && e->task != LOG_NO_TASK)
		fn(s, s->ledger, e);
	else if (any_handlers[e->kind])
		any_handlers[e->kind](s, s->ledger, e);
}

void ledger_return(struct sim *s, struct sim_task *t)
{
	struct ledger *l = s->ledger;
	struct ledger_call *c = &l->calls[t->t.id];
	bool peek = call_is_recv(t->call->kind) && t->call->flags & M_MSG_PEEK;

	c->in = false;
	if (changes_option(t->call))
		option_changed(s, l);
	if (t->call->kind == CALL_DISCONNECT && !t->res.ret)
		l->raw_lost = true;
	if (!c->plain || !call_takes_data(t->call->kind) || peek)
		return;
	if (c->overlapped || !ledger_no_urgent(s))
		l->raw_lost = true;
	l->raw_pos += ledger_raw_taken(t);
}
