// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a call must return, from a list of records and a cursor.
 * How: a call that takes data gets all whole, good records of data in front,
 * as far as it asked; what stops it decides the answer of a call that got none.
 * Left out, "cannot say": empty records in front (tests/findings has what
 * kernels make of them), headers that are refused, records of type 0, and
 * everything behind a record number that goes round.
 */
#include "sim/ref/ref.h"

#define HANDSHAKE 22
#define KEY_UPDATE 24

static const struct peer_rec *rec_at(const struct ref *r, u32 i)
{
	return i < r->peer->rec_n && r->peer->recs[i].built ?
		       &r->peer->recs[i] :
		       NULL;
}

void ref_keys(struct ref *r, const struct sim_peer *p, u64 pos, u32 gen,
	      u64 seq)
{
	const struct peer_rec *rec;

	r->peer = p;
	r->keyed = true;
	r->gen = gen;
	r->seq = seq;
	while ((rec = rec_at(r, r->at)) && rec->off < pos)
		r->at++;
	r->first = r->at;
	/* in the middle of a record, or of none yet */
	r->lost |= rec ? rec->off != pos : p->size != pos;
}

static bool is_key_update(const struct ref *r, u32 i)
{
	const struct peer_rec *rec = rec_at(r, i);
	u8 msg;

	if (!rec || rec->type != HANDSHAKE || !rec->plain_len || !rec->opens)
		return false;
	peer_plain(r->peer, i, 0, 1, &msg);
	return msg == KEY_UPDATE;
}

void ref_rekey(struct ref *r, u32 opened, u32 gen, u64 seq)
{
	r->lost |= r->bad;
	r->first = opened;
	r->gen = gen;
	r->seq = seq;
}

static bool opens(const struct ref *r, u32 i, const struct peer_rec *rec)
{
	if (i < r->first)
		return true; /* it has been opened */
	return rec->opens && rec->gen == r->gen &&
	       rec->seq == r->seq + (i - r->first);
}

/* Nothing is read behind a KeyUpdate until there are new keys. */
static bool paused(const struct ref *r)
{
	return r->pauses && r->at > r->first && !r->off &&
	       is_key_update(r, r->at - 1);
}

static bool cannot_say(const struct ref *r, u32 i, const struct peer_rec *rec)
{
	return !rec->type || r->seq + (i - r->first) < r->seq ||
	       (rec->type == HANDSHAKE && !rec->plain_len);
}

/* Whole data records from the cursor on, @asked bytes at most. What stopped it,
 * as an errno: 0 another type, or enough. */
static bool take_data(struct ref *r, const struct ref_question *q, u64 *got,
		      int *why)
{
	const struct peer_rec *rec;
	u32 i, off = r->off;

	*got = 0;
	*why = paused(r) ? -EKEYEXPIRED : 0;
	for (i = r->at; *got < q->asked && !*why; i++, off = 0) {
		rec = rec_at(r, i);
		if (rec && !rec->framed)
			return *got > 0;
		if (!rec || rec->off + rec->len > q->arrived) {
			*why = -EAGAIN;
			break;
		}
		if (cannot_say(r, i, rec))
			return false;
		if (!opens(r, i, rec)) {
			r->bad = true;
			*why = -EBADMSG;
			break;
		}
		if (rec->type != TLS_RECORD_TYPE_DATA)
			break;
		if (!rec->plain_len && !*got)
			return false;
		*got += min_t(u64, rec->plain_len - off, q->asked - *got);
		if (q->call == REF_SPLICE)
			break;
	}
	return true;
}

/* The record in front is no data. */
static bool take_control(const struct ref *r, const struct ref_question *q,
			 s64 *ret)
{
	const struct peer_rec *rec = rec_at(r, r->at);

	if (q->call != REF_RECV)
		*ret = -EINVAL;
	else if (!q->room)
		*ret = -EIO;
	else
		*ret = (s64)min_t(u64, rec->plain_len - r->off, q->asked);
	return rec->plain_len;
}

bool ref_ask(struct ref *r, const struct ref_question *q, struct ref_answer *a)
{
	u64 got;
	int why;

	if (!r->keyed || r->lost || !take_data(r, q, &got, &why))
		return false;
	a->rec = r->at;
	a->off = r->off;
	a->ret = got ? (s64)got : why;
	if (!a->ret)
		return take_control(r, q, &a->ret);
	if (q->sick && !got && why != -EBADMSG)
		return false;
	if (a->ret == -EAGAIN && q->ended)
		a->ret = 0;
	return true;
}

/* Empty data records go away with what comes behind them. */
static const struct peer_rec *skip_empty(struct ref *r)
{
	const struct peer_rec *rec = rec_at(r, r->at);

	while (rec && !rec->plain_len && rec->type == TLS_RECORD_TYPE_DATA)
		rec = rec_at(r, ++r->at);
	return rec;
}

static void took_empty(struct ref *r)
{
	const struct peer_rec *rec = skip_empty(r);

	if (!rec || rec->plain_len)
		r->lost = true; /* somebody else was faster */
	r->at++;
}

static void took_bytes(struct ref *r, u64 len)
{
	const struct peer_rec *rec;
	u32 n;

	while (len && (rec = skip_empty(r))) {
		n = (u32)min_t(u64, rec->plain_len - r->off, len);
		r->lost |= !n;
		len -= n;
		r->off += n;
		if (r->off < rec->plain_len)
			break;
		r->at++;
		r->off = 0;
	}
	r->lost |= len > 0;
}

void ref_took(struct ref *r, u64 len)
{
	if (!r->keyed || r->lost)
		return;
	if (len)
		took_bytes(r, len);
	else
		took_empty(r);
}
