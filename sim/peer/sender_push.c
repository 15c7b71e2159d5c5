// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The peer's TCP sender, what leaves it: segments, probes, answers, and what
 * its timer makes it send.
 *
 * Everything goes out of sender_push(), one segment at a time, because each
 * may come back as an ACK before the next; the timer and the ACKs only note
 * what is due.
 *
 * MODEL: what is simplified stands in sender.c.
 */
#include "sim/peer/sender_int.h"

/* What the next segment is; false: everything was sent. */
static bool next_seg(struct sim_peer *p, struct sender_seg *out)
{
	struct sim_sender *s = &p->sender;
	const struct sender_seg *seg;

	if (!unsent(s))
		return false;
	while (s->seg_next < s->seg_n && s->segs[s->seg_next].to <= s->snd_nxt)
		s->seg_next++;
	*out = (struct sender_seg){
		.from = s->snd_nxt,
		.to = s->queued,
		.layout = p->tr->opts.layout,
		.psh = true,
	};
	if (s->seg_next < s->seg_n) {
		seg = &s->segs[s->seg_next];
		if (seg->from > s->snd_nxt) {
			out->to = seg->from;
		} else {
			*out = *seg;
			out->from = s->snd_nxt;
		}
	}
	if (out->to - out->from > s->cut)
		out->to = out->from + s->cut;
	return true;
}

/* How far the segment from @from may reach: the window, or when the timer
 * forces it what the window has, or a whole one into a closed window. */
static bool fit_window(const struct sim_sender *s, struct sender_seg *seg)
{
	bool fin = s->fin_queued && seg->to == s->queued;

	if (seg->to + fin <= s->win_edge)
		return true;
	if (s->retransmit && seg->from >= s->win_edge)
		return true;
	if ((!s->retransmit && !s->probe_due) || seg->from >= s->win_edge)
		return false;
	seg->to = min_t(u64, seg->to, s->win_edge);
	return true;
}

static void send_seg(struct sim_peer *p, const struct sender_seg *seg)
{
	struct sim_sender *s = &p->sender;
	bool fin = s->fin_queued && seg->to == s->queued;
	u32 flags = seg->psh ? TCPHDR_PSH : 0;
	struct sk_buff *skb;

	if (!in_flight(s) && !s->retransmit)
		s->rto_ns = RTO_MIN_NS;
	if (!in_flight(s))
		arm_timer(p);
	s->loss = s->retransmit;
	s->retransmit = false;
	s->probe_due = false;
	s->snd_nxt = seg->to;
	s->snd_max = max_t(u64, s->snd_max, seg->to);
	s->fin_sent |= fin;
	skb = wire_skb(p, seg->from, seg->to, seg->layout, seg->held);
	skb->fin = fin;
	skb->end_seq += fin;
	if (seg->urg) {
		skb->urg = true;
		skb->urg_seq = skb->end_seq - fin - 1;
		flags |= TCPHDR_URG;
	}
	wire_xmit(p, skb, flags);
}

/* One thing to send; false: nothing may leave now. */
static bool send_one(struct sim_peer *p)
{
	struct sim_sender *s = &p->sender;
	struct sender_seg seg;

	if (s->rst_due) {
		s->rst_due = false;
		wire_control(p, s->rst_off, TCPHDR_RST);
		return true;
	}
	if (is_over(p))
		return false;
	if (s->ack_due) {
		s->ack_due = false;
		wire_control(p, s->seq_next, 0);
		return true;
	}
	if (s->loss || !next_seg(p, &seg))
		return false;
	if (fit_window(s, &seg)) {
		send_seg(p, &seg);
		return true;
	}
	if (!in_flight(s) && s->timer_ns < 0)
		arm_timer(p);
	if (!s->probe_due)
		return false;
	/* One byte in front of the window: answered, never accepted. */
	s->probe_due = false;
	wire_control(p, s->snd_una - 1, 0);
	return true;
}

bool sender_push(struct sim_peer *p)
{
	struct sim_sender *s = &p->sender;
	bool sent = false;

	if (s->busy || !(unsent(s) || s->ack_due || s->rst_due))
		return false;
	s->busy = true;
	while (send_one(p))
		sent = true;
	s->busy = false;
	return sent;
}

void sender_timer(struct sim_peer *p)
{
	struct sim_sender *s = &p->sender;

	s->timer_ns = -1;
	if (is_over(p))
		return;
	s->rto_ns = min_t(s64, 2 * s->rto_ns, RTO_MAX_NS);
	if (!in_flight(s)) {
		s->probe_due = unsent(s);
		return;
	}
	s->retransmit = true;
	s->loss = false;
	s->fin_sent = false;
	s->snd_nxt = min_t(u64, s->snd_una, s->queued);
	while (s->seg_next && s->segs[s->seg_next - 1].to > s->snd_nxt)
		s->seg_next--;
}
