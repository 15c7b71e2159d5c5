// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Questions to the ledger: what opens, what waits, do the bytes match.
 * How: from the marks that ledger.c keeps and the state of the socket. What
 * walks (comparing bytes, looking for spoilt wire bytes) is only called with
 * bytes in hand or a failure in sight.
 * Left out: nothing is changed here but caches.
 */
#include "sim/inv/ledger.h"

const struct ledger_msg *ledger_msg(const struct ledger_call *c, u32 i)
{
	return i < c->older_n ? &c->older[i] : &c->msg;
}

const struct peer_rec *ledger_rec(const struct ledger *l, u64 recno)
{
	s64 i = (s64)recno + l->delta;

	if (!l->mapped || l->state != LEDGER_TLS || i < 0 ||
	    i >= l->peer->rec_n)
		return NULL;
	return &l->peer->recs[i];
}

bool ledger_opens(const struct ledger *l, const struct peer_rec *r, u64 seq)
{
	u32 gens = r->gen ^ l->gen;

	/* Raw key material repeats every 256 generations. */
	if (!l->peer->ossl)
		gens &= 0xff;
	return r->framed && r->opens && l->keys_fit && !gens && r->seq == seq;
}

bool ledger_front_good(const struct ledger *l)
{
	return l->state == LEDGER_TLS && l->front_len && l->aligned &&
	       ledger_opens(l, &l->peer->recs[l->front], l->seq);
}

bool ledger_maybe_zc(const struct sim *s, u32 task, u32 data_len)
{
	const struct tls_sw_context_rx *ctx = ledger_rx(s);
	const struct ledger_call *c = ledger_call(s, task);
	const struct trace_call *call = s->tasks[task].call;

	if (!call || !call_is_recv(call->kind) || call->flags & M_MSG_PEEK)
		return false;
	return c->msg.zc_capable && ctx->strp.mark == TLS_RECORD_TYPE_DATA &&
	       (u64)data_len + c->msg.put <= call_asked(call);
}

u64 call_asked(const struct trace_call *c)
{
	u64 n = 0;
	u32 i;

	if (c->kind == CALL_READ_SOCK)
		return c->count;
	if (c->kind == CALL_PREAD)
		return (u64)c->val;
	for (i = 0; i < c->iov_n; i++)
		n += c->iov[i].len;
	return n;
}

/* Body length by the header at stream byte @pos, or the negative errno of the
 * header check (facts rx.md A2.3, A5). */
static int header_body(const struct sim *s, u64 pos)
{
	const struct tls_prot_info *prot = &tls_get_ctx(s->conn.sk)->prot_info;
	u32 min = prot->tag_size + prot->prepend_size - TLS_HEADER_SIZE;
	u32 max = min + prot->tail_size + TLS_MAX_PAYLOAD_SIZE;
	u8 h[TLS_HEADER_SIZE];
	u32 body;

	peer_copy(&s->conn.peer, pos, h, sizeof(h));
	body = (u32)h[3] << 8 | h[4];
	if (body > max)
		return -EMSGSIZE;
	if (body < min)
		return -EBADMSG;
	return h[1] == 3 && h[2] == 3 ? (int)body : -EINVAL;
}

int ledger_header_errno(struct sim *s)
{
	const struct ledger *l = s->ledger;
	int body;

	if (l->state != LEDGER_TLS || !ledger_wire_clean(s) ||
	    !ledger_no_urgent(s) || l->pos + TLS_HEADER_SIZE > l->peer->size)
		return -1;
	body = header_body(s, l->pos);
	return body < 0 ? -body : 0;
}

/* Would the parser have an answer to the @have bytes it could look at? */
static bool header_answers(struct sim *s, u32 have)
{
	const struct ledger *l = s->ledger;
	int body;

	if (have < tls_get_ctx(s->conn.sk)->prot_info.prepend_size ||
	    l->pos + TLS_HEADER_SIZE > l->peer->size || !ledger_wire_clean(s))
		return false;
	body = header_body(s, l->pos);
	return body < 0 || have >= (u32)body + TLS_HEADER_SIZE;
}

bool ledger_unparsed(struct sim *s)
{
	const struct tls_sw_context_rx *ctx = ledger_rx(s);
	const struct tls_strparser *strp;
	u32 have;
	int inq;

	if (s->ledger->state != LEDGER_TLS || !ctx)
		return false;
	strp = &ctx->strp;
	inq = tcp_inq(s->conn.sk);
	if (strp->msg_ready || strp->stopped || inq <= 0)
		return false;
	have = (u32)inq + (strp->copy_mode ? strp->anchor->len : 0);
	if (strp->stm.full_len)
		return have >= strp->stm.full_len;
	return header_answers(s, have);
}

static bool empty_data(const struct peer_rec *r)
{
	return !r->plain_len && r->type == TLS_RECORD_TYPE_DATA;
}

/* The record of the peer at stream byte @pos is data, and good. */
static bool data_at(const struct ledger *l, u32 i, u64 pos, u32 len, u64 seq)
{
	const struct peer_rec *r = &l->peer->recs[i];

	return i < l->peer->rec_n && r->built && r->off == pos &&
	       r->len == len && r->type == TLS_RECORD_TYPE_DATA &&
	       ledger_opens(l, r, seq);
}

bool ledger_read_answers(struct sim *s, u64 want)
{
	const struct tls_strparser *strp = &ledger_rx(s)->strp;
	struct ledger *l = s->ledger;
	u32 have, i = l->front;
	u64 seq = l->seq;
	u64 pos = l->pos;
	u64 sum = 0;
	int body;

	if (strp->stopped || tcp_inq(s->conn.sk) < 0)
		return strp->msg_ready;
	if (l->state != LEDGER_TLS || !ledger_wire_clean(s) ||
	    !ledger_no_urgent(s))
		return strp->msg_ready;
	have = (u32)tcp_inq(s->conn.sk);
	if (strp->copy_mode)
		have += strp->anchor->len;
	for (;;) {
		if (have < tls_get_ctx(s->conn.sk)->prot_info.prepend_size ||
		    pos + TLS_HEADER_SIZE > l->peer->size)
			return false;
		body = header_body(s, pos);
		if (body < 0)
			return true;
		if (have < (u32)body + TLS_HEADER_SIZE)
			return false;
		while (i < l->peer->rec_n && l->peer->recs[i].built &&
		       l->peer->recs[i].off < pos)
			i++;
		if (!data_at(l, i, pos, (u32)body + TLS_HEADER_SIZE, seq))
			return true;
		sum += l->peer->recs[i].plain_len;
		if (sum >= want)
			return true;
		pos += (u32)body + TLS_HEADER_SIZE;
		have -= (u32)body + TLS_HEADER_SIZE;
		seq++;
	}
}

u32 ledger_solid(struct ledger *l)
{
	u32 i = max_t(u32, l->rec, l->solid);

	while (i < l->opened && empty_data(&l->peer->recs[i]))
		i++;
	l->solid = i;
	if (i == l->opened && i == l->front && ledger_front_good(l) &&
	    empty_data(&l->peer->recs[i]))
		return i + 1;
	return i;
}

bool ledger_listed(const struct sim *s)
{
	struct ledger *l = s->ledger;

	if (skb_queue_empty(&ledger_rx(s)->rx_list))
		return false;
	return l->state != LEDGER_TLS || ledger_solid(l) < l->opened;
}

bool ledger_listed_ahead(const struct sim *s)
{
	const struct sk_buff *skb = skb_peek(&ledger_rx(s)->rx_list);

	return skb && s->ledger->ahead == skb->cb.recno + 1;
}

static s64 first_difference(const struct ledger *l, u32 rec, u32 off,
			    const u8 *at, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++) {
		if (!peer_plain_matches(l->peer, rec, off + i, 1, at + i))
			return i;
	}
	return -1;
}

s64 ledger_compare(const struct ledger *l, u32 rec, u32 off, const u8 *at,
		   u64 len)
{
	u64 done = 0;
	u32 n, room;

	for (; done < len; done += n, off += n) {
		while (rec < l->opened && off >= l->peer->recs[rec].plain_len) {
			rec++;
			off = 0;
		}
		if (rec >= l->opened)
			return (s64)done;
		room = l->peer->recs[rec].plain_len - off;
		n = (u32)min_t(u64, room, len - done);
		if (!peer_plain_matches(l->peer, rec, off, n, at + done))
			return (s64)done +
			       first_difference(l, rec, off, at + done, n);
	}
	return -1;
}

s64 ledger_compare_raw(const struct ledger *l, u64 pos, const u8 *at, u64 len)
{
	u8 want[256];
	u64 done = 0;
	u32 n, i;

	for (; done < len; done += n) {
		n = (u32)min_t(u64, sizeof(want), len - done);
		if (pos + done + n > l->peer->size)
			return (s64)done;
		peer_copy(l->peer, pos + done, want, n);
		for (i = 0; i < n; i++) {
			if (want[i] != at[done + i])
				return (s64)done + i;
		}
	}
	return -1;
}

bool ledger_wire_clean(struct sim *s)
{
	struct ledger *l = s->ledger;
	u32 i;

	if (l->wire_dirty != WIRE_UNKNOWN)
		return l->wire_dirty == WIRE_CLEAN;
	l->wire_dirty = WIRE_CLEAN;
	for (i = 0; i < s->tr->stmt_n; i++) {
		if (s->tr->stmts[i].kind == ST_WIRE &&
		    s->tr->stmts[i].wire.flip)
			l->wire_dirty = WIRE_DIRTY;
	}
	return l->wire_dirty == WIRE_CLEAN;
}

bool ledger_no_urgent(struct sim *s)
{
	struct ledger *l = s->ledger;
	const struct trace_stmt *st;
	u32 i;

	if (l->urgent != WIRE_UNKNOWN)
		return l->urgent == WIRE_CLEAN;
	l->urgent = WIRE_CLEAN;
	for (i = 0; i < s->tr->stmt_n; i++) {
		st = &s->tr->stmts[i];
		if ((st->kind == ST_WIRE || st->kind == ST_SEND) &&
		    st->wire.urg)
			l->urgent = WIRE_DIRTY;
	}
	return l->urgent == WIRE_CLEAN;
}

bool ledger_front_intact(struct sim *s)
{
	const struct tls_strparser *strp = &ledger_rx(s)->strp;
	u32 done, n, len = strp->stm.full_len;
	u8 got[256];

	for (done = 0; done < len; done += n) {
		n = min_t(u32, sizeof(got), len - done);
		if (skb_copy_bits(strp->anchor, strp->stm.offset + done, got,
				  n) ||
		    ledger_compare_raw(s->ledger, s->ledger->pos + done, got,
				       n) >= 0)
			return false;
	}
	return true;
}

u64 ledger_raw_taken(const struct sim_task *t)
{
	u64 n = 0;
	u32 i;

	if (t->call->kind != CALL_RECVMMSG)
		return t->res.ret > 0 ? (u64)t->res.ret : 0;
	for (i = 0; i < t->res.part_n; i++)
		n += (u64)t->res.part[i].ret;
	return n;
}

static u64 plain_left(const struct ledger *l)
{
	const struct sim_peer *p = l->peer;
	u64 left = 0;
	u32 i;

	for (i = l->rec; i < p->rec_n && p->recs[i].built; i++) {
		if (p->recs[i].framed && p->recs[i].opens)
			left += p->recs[i].plain_len;
		if (i == l->rec)
			left -= min_t(u64, left, l->off);
	}
	return left;
}

u64 ledger_left(const struct sim *s)
{
	const struct ledger *l = s->ledger;

	switch (l->state) {
	case LEDGER_PLAIN:
		return l->raw_lost ? 0 : l->peer->size - l->raw_pos;
	case LEDGER_TLS:
		return plain_left(l);
	case LEDGER_LOST:
		break;
	}
	return 0;
}
