// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the world looks like at one moment, for a person who knows sockets.
 * How: reads the model's structures and the peer's list of records; bytes that
 * the parser took for a header are shown as it read them.
 * Left out: contents of plaintext.
 */
#include "model/wait.h"
#include "sim/inv/ledger.h"
#include "sim/explain/why.h"

static u64 tcp_pos(const struct sim *s)
{
	return (u32)(tcp_sk(s->conn.sk)->copied_seq - s->conn.irs);
}

static u64 arrived(const struct sim *s)
{
	return (u32)(tcp_sk(s->conn.sk)->rcv_nxt - s->conn.irs);
}

/* Stream byte the next record starts at, as far as the receiver knows. */
static u64 read_pos(const struct sim *s)
{
	if (ledger_rx(s) && s->ledger->state == LEDGER_TLS)
		return s->ledger->pos;
	return tcp_pos(s);
}

/* Record of the peer that has stream byte @pos; NULL: none is built. */
static const struct peer_rec *rec_at(const struct sim *s, u64 pos)
{
	const struct sim_peer *p = &s->conn.peer;
	u32 i;

	for (i = 0; i < p->rec_n && p->recs[i].built; i++) {
		if (pos >= p->recs[i].off &&
		    pos < p->recs[i].off + p->recs[i].len)
			return &p->recs[i];
	}
	return NULL;
}

static void put_name(const struct sim *s, const struct peer_rec *r,
		     struct text *out)
{
	const struct trace_range range = { (u32)(r - s->conn.peer.recs), 1, 0,
					   RANGE_END };

	trace_print_range(s->tr, &range, out);
}

static void put_type(u8 type, struct text *out)
{
	if (rec_type_name(type))
		text_puts(out, rec_type_name(type));
	else
		text_printf(out, "type %u", type);
}

static void put_record(const struct sim *s, const struct peer_rec *r,
		       struct text *out)
{
	put_name(s, r, out);
	text_printf(out,
		    ", record %u of the peer: ", (u32)(r - s->conn.peer.recs));
	if (s->tr->recs[r - s->conn.peer.recs].kind == REC_RAW)
		text_puts(out, "raw bytes");
	else
		put_type(r->type, out);
	text_printf(out, ", %u bytes of plaintext, %u on the wire",
		    r->plain_len, r->len);
}

static void put_arrived(const struct sim *s, const struct peer_rec *r,
			struct text *out)
{
	u64 end = arrived(s);
	u32 backlog = s->conn.sk->backlog.qlen;

	if (end >= r->off + r->len)
		text_puts(out, ", all arrived");
	else if (end > r->off)
		text_printf(out, ", the first %llu arrived",
			    (unsigned long long)(end - r->off));
	else
		text_puts(out, ", none arrived");
	if (backlog)
		text_printf(out, " (%u segment%s in the backlog)", backlog,
			    backlog > 1 ? "s" : "");
}

static void put_listed(const struct sim *s, const struct sk_buff *skb,
		       struct text *out)
{
	const struct peer_rec *r = ledger_rec(s->ledger, skb->cb.recno);

	if (r) {
		put_record(s, r, out);
	} else {
		text_printf(out,
			    "record %llu: ", (unsigned long long)skb->cb.recno);
		put_type(skb->cb.control, out);
	}
	text_printf(out, "; decrypted, %u bytes of it wait on rx_list",
		    skb->cb.full_len);
}

void why_front(const struct sim *s, struct text *out)
{
	const struct tls_sw_context_rx *rx;
	const struct peer_rec *r;
	u64 pos;

	if (s->ledger->closing || !s->conn.sk) {
		text_puts(out, "nothing, the socket is closed");
		return;
	}
	rx = ledger_rx(s);
	if (rx && rx->rx_list.qlen) {
		put_listed(s, rx->rx_list.first, out);
		return;
	}
	pos = read_pos(s);
	r = rec_at(s, pos);
	if (!r) {
		text_puts(out, "nothing; all that the peer has written so far "
			       "is taken");
		return;
	}
	if (pos > r->off)
		text_printf(out, "byte %llu of ",
			    (unsigned long long)(pos - r->off));
	put_record(s, r, out);
	put_arrived(s, r, out);
}

/* --- state -------------------------------------------------------------- */

static void put_parser(const struct tls_sw_context_rx *rx, struct text *out)
{
	const struct tls_strparser *strp = &rx->strp;

	if (strp->stopped)
		text_puts(out, "parser stopped for ever");
	else if (strp->msg_ready)
		text_printf(out, "parser has a whole record of %u bytes%s",
			    strp->stm.full_len,
			    strp->msg_announced ? "" : ", not announced");
	else if (strp->stm.full_len)
		text_printf(out, "parser waits for all of a record of %u bytes",
			    strp->stm.full_len);
	else
		text_puts(out, "parser waits for a header");
	if (strp->copy_mode)
		text_puts(out, " (copy mode)");
}

static void put_reader(const struct sim *s, const struct tls_sw_context_rx *rx,
		       struct text *out)
{
	u32 i = s->event_n;

	if (!rx->reader_present) {
		text_puts(out, "; nobody else reads");
		return;
	}
	while (i-- > 0 && s->events[i].kind != EV_READER_ON)
		;
	text_printf(out, "; the reader is %s",
		    i < s->event_n ? sim_task_name(s, s->events[i].task) : "?");
	if (rx->reader_contended)
		text_puts(out, ", somebody waits for it");
}

static void put_sock(const struct sock *sk, struct text *out)
{
	static const char *const shut[] = { "none", "read", "write",
					    "read and write" };

	if (sk->sk_err)
		text_printf(out, "; sk_err %s", errno_name(sk->sk_err));
	else
		text_puts(out, "; sk_err 0");
	text_printf(out, "; shutdown %s", shut[sk->sk_shutdown & 3]);
	text_printf(out, "; lowat %d", sk->sk_rcvlowat ?: 1);
}

void why_pipe(const struct sim *s, u32 pipe, struct text *out)
{
	const struct pipe_inode_info *p = s->pipes[pipe];
	u32 i, bytes = 0;

	for (i = p->tail; i != p->head; i++)
		bytes += pipe_buf(p, i)->len;
	text_printf(out, "%s: %u bytes in %u of %u slots; %s",
		    s->tr->pipes[pipe].name, bytes, pipe_occupancy(p),
		    p->max_usage,
		    p->readers ? "a reader has it open" : "no reader");
	text_puts(out, p->writers ? ", and a writer" : ", and no writer");
}

void why_state(const struct sim *s, struct text *out)
{
	const struct tls_sw_context_rx *rx = ledger_rx(s);
	const struct sock *sk = s->conn.sk;

	if (s->ledger->closing || !sk) {
		text_puts(out, "closed");
		return;
	}
	if (!rx) {
		text_printf(out, "no TLS_RX keys, plain TCP: %llu bytes unread",
			    (unsigned long long)(arrived(s) - tcp_pos(s)));
		put_sock(sk, out);
		return;
	}
	text_printf(out, "rx_list %u; ", rx->rx_list.qlen);
	put_parser(rx, out);
	put_sock(sk, out);
	if (rx->key_update_pending)
		text_puts(out, "; rekey pending");
	put_reader(s, rx, out);
}

/* --- what a call met ----------------------------------------------------- */

/**
 * struct met - sums over the events of a call
 */
struct met {
	u32 parsed;
	u32 decrypted;
	u32 zc;
	u32 failed;
	u32 sleeps;
	u32 where;
	u32 backlog;
	u32 nomem;
	int err;
};

static void met_event(struct met *m, const struct sim_event *e)
{
	switch (e->kind) {
	case EV_PARSED:
		m->parsed++;
		break;
	case EV_DECRYPT:
		m->decrypted += !e->c;
		m->failed += e->c != 0;
		break;
	case EV_DECRYPTED_TYPE:
		m->zc += e->c == 1;
		break;
	case EV_SLEEP:
		m->sleeps++;
		m->where = (u32)e->a;
		break;
	case EV_BACKLOG_RUN:
		m->backlog += (u32)e->b;
		break;
	case EV_SK_ERR_TAKEN:
		m->err = (int)-e->b;
		break;
	case EV_ALLOC_FAIL:
		m->nomem++;
		break;
	default:
		break;
	}
}

static void item(struct text *out, size_t start, u32 n, const char *one,
		 const char *many)
{
	if (!n)
		return;
	text_printf(out, "%s%u %s", out->len > start ? ", " : "", n,
		    n == 1 ? one : many);
}

void why_met(const struct sim *s, u32 task, u32 from, struct text *out)
{
	size_t start = out->len;
	struct met m = { 0 };
	u32 i;

	for (i = from; i < s->event_n; i++) {
		if (s->events[i].task == task)
			met_event(&m, &s->events[i]);
	}
	item(out, start, m.backlog, "segment let in from the backlog",
	     "segments let in from the backlog");
	item(out, start, m.parsed, "record parsed", "records parsed");
	item(out, start, m.decrypted, "decrypted", "decrypted");
	item(out, start, m.zc, "of them straight into the buffer",
	     "of them straight into the buffer");
	item(out, start, m.failed, "decryption failed", "decryptions failed");
	item(out, start, m.nomem, "allocation failed", "allocations failed");
	item(out, start, m.sleeps, "sleep", "sleeps");
	if (m.sleeps)
		text_printf(out, " (%s)", m_sleep_name[m.where]);
	if (m.err)
		text_printf(out, "%ssocket error %s taken and cleared",
			    out->len > start ? ", " : "", errno_name(m.err));
}

/* --- causes -------------------------------------------------------------- */

static void put_header(const struct sim *s, u64 pos, struct text *out)
{
	u8 h[TLS_HEADER_SIZE];

	if (pos + sizeof(h) > s->conn.peer.size)
		return;
	peer_copy(&s->conn.peer, pos, h, sizeof(h));
	text_printf(out,
		    " As a header %02x %02x %02x %02x %02x means type %u, "
		    "version %02x%02x, length %u.",
		    h[0], h[1], h[2], h[3], h[4], h[0], h[1], h[2],
		    h[3] << 8 | h[4]);
}

static void framing_cause(const struct sim *s, u64 keys_pos, struct text *out)
{
	u64 pos = read_pos(s);
	const struct peer_rec *r = rec_at(s, pos);

	if (!r)
		return;
	if (pos > r->off) {
		text_printf(out, "The stream %s %llu bytes into record %u (",
			    pos == keys_pos ? "starts" : "stands",
			    (unsigned long long)(pos - r->off),
			    (u32)(r - s->conn.peer.recs) + 1);
		put_name(s, r, out);
		text_puts(out, pos == keys_pos ?
				       "): that is where it stood when TLS_RX "
				       "was set." :
				       "): a header in front gave a wrong "
				       "length.");
	} else {
		put_name(s, r, out);
		text_puts(out, " starts there, as it should, and its header "
			       "is no good.");
	}
	put_header(s, pos, out);
}

static u64 next_seq(const struct sim *s)
{
	const u8 *be = tls_get_ctx(s->conn.sk)->rx.rec_seq;
	u64 seq = 0;
	u32 i;

	for (i = 0; i < 8; i++)
		seq = seq << 8 | be[i];
	return seq;
}

static void tag_cause(const struct sim *s, struct text *out)
{
	const struct peer_rec *r = rec_at(s, read_pos(s));
	u64 seq = next_seq(s);

	if (!r)
		return;
	put_name(s, r, out);
	if (!r->opens)
		text_puts(out, " was spoilt: no keys open it.");
	else if (r->gen != s->ledger->gen)
		text_printf(out,
			    " was sealed with keys of generation %u, the "
			    "receiver has generation %u: it was not told the "
			    "new keys.",
			    r->gen, s->ledger->gen);
	else if (r->seq != seq)
		text_printf(out,
			    " was sealed as number %llu, the receiver opens "
			    "it as number %llu: the first record number given "
			    "with TLS_RX was %s by %llu.",
			    (unsigned long long)r->seq, (unsigned long long)seq,
			    seq < r->seq ? "too low" : "too high",
			    (unsigned long long)(seq < r->seq ? r->seq - seq :
								seq - r->seq));
	else
		text_puts(out, " is good as the peer wrote it: other keys, or "
			       "bytes changed on the way.");
}

void why_cause(const struct sim *s, enum m_reason reason, u64 keys_pos,
	       struct text *out)
{
	if (!ledger_rx(s))
		return;
	switch (reason) {
	case REASON_TLS_FRAMING:
	case REASON_TLS_KEYS_BAD_HEADER:
	case REASON_TLS_AGAIN_FRAMING:
	case REASON_TLS_EOF_FRAMING:
		framing_cause(s, keys_pos, out);
		break;
	case REASON_TLS_BAD_TAG:
	case REASON_TLS_BAD_TAG_AGAIN:
		tag_cause(s, out);
		break;
	default:
		break;
	}
}
