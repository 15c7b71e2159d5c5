// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The agent as TCP peer: any segment, at any place of the stream.
 * How: a TUN device; each write of a packet is one skb with a linear head, and
 * the socket has seen it when write() returns. What the socket sends is read
 * to learn its sequence numbers. Stream byte n has sequence number PEER_ISS+1+n.
 * Left out: retransmission, windows: a segment leaves when the trace says so.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tests/judge/agent.h"

#define PEER_ISS 999u
#define TUN_MTU 65523 /* an MSS of 65483, as on loopback with time stamps */
#define SEGMENT_MAX 65483u

static int tun_fd = -1;
static uint16_t own_port = 1024, their_port;
static uint32_t their_next; /* what we acknowledge */
static uint32_t own_next; /* behind all we sent */
static uint32_t acked; /* by them */

/* IP and TCP header, options, payload. */
static uint8_t packet[65536 + 64];

struct pseudo {
	uint32_t from, to;
	uint8_t zero, protocol;
	uint16_t len;
};

static uint32_t sum16(const void *data, size_t n, uint32_t sum)
{
	const uint8_t *p = data;

	for (; n > 1; p += 2, n -= 2)
		sum += (uint32_t)p[0] << 8 | p[1];
	if (n)
		sum += (uint32_t)p[0] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void transmit(uint32_t seq, uint8_t flags, uint16_t urg,
		     const uint8_t *opt, size_t opt_len, size_t len)
{
	struct iphdr *ip = (struct iphdr *)packet;
	struct tcphdr *th = (struct tcphdr *)(packet + sizeof(*ip));
	size_t tcp_len = sizeof(*th) + opt_len + len;
	struct pseudo ph;

	memset(packet, 0, sizeof(*ip) + sizeof(*th));
	ip->version = 4;
	ip->ihl = 5;
	ip->ttl = 64;
	ip->protocol = IPPROTO_TCP;
	ip->tot_len = htons((uint16_t)(sizeof(*ip) + tcp_len));
	ip->saddr = inet_addr("10.9.0.2");
	ip->daddr = inet_addr("10.9.0.1");
	ip->check = htons((uint16_t)~sum16(ip, sizeof(*ip), 0));
	th->source = htons(own_port);
	th->dest = their_port;
	th->seq = htonl(seq);
	th->ack_seq = htonl(their_next);
	th->doff = (uint8_t)((sizeof(*th) + opt_len) / 4);
	((uint8_t *)th)[13] = flags;
	th->window = htons(65535);
	th->urg_ptr = htons(urg);
	if (opt_len)
		memcpy(th + 1, opt, opt_len);
	ph = (struct pseudo){ ip->saddr, ip->daddr, 0, IPPROTO_TCP,
			      htons((uint16_t)tcp_len) };
	th->check = htons((uint16_t)~sum16(
		th, tcp_len, sum16(&ph, sizeof(ph), 0)));
	if (write(tun_fd, packet, sizeof(*ip) + tcp_len) < 0)
		trouble("write of a segment", errno);
}

/* Reads what the socket sent; true if a SYN was among it. */
static bool listen_to_them(void)
{
	uint8_t in[2048];
	const struct iphdr *ip = (const struct iphdr *)in;
	const struct tcphdr *th;
	bool syn = false, fin = false;
	ssize_t n;

	while ((n = read(tun_fd, in, sizeof(in))) > 0) {
		th = (const struct tcphdr *)(in + ip->ihl * 4);
		if (n < 40 || ip->version != 4 ||
		    ip->protocol != IPPROTO_TCP || th->dest != htons(own_port))
			continue;
		if (th->ack && !th->rst)
			acked = ntohl(th->ack_seq);
		if (th->syn)
			their_next = ntohl(th->seq) + 1;
		syn |= th->syn;
		if (th->fin)
			their_next = ntohl(th->seq) + 1;
		fin |= th->fin;
	}
	if (fin)
		transmit(own_next, TH_ACK, 0, NULL, 0, 0);
	return syn;
}

static void sent_to(uint32_t seq)
{
	if ((int32_t)(seq - own_next) > 0)
		own_next = seq;
}

int tun_open(void)
{
	struct ifreq ifr = { .ifr_flags = IFF_TUN | IFF_NO_PI };

	if (tun_fd >= 0)
		return 0;
	tun_fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (tun_fd < 0)
		return trouble("/dev/net/tun", errno);
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "tun0");
	if (ioctl(tun_fd, TUNSETIFF, &ifr))
		return trouble("TUNSETIFF", errno);
	if (boot_if_up("tun0", "10.9.0.1", TUN_MTU))
		return trouble("tun0", errno);
	return 0;
}

int tun_connect(int listener, uint16_t port)
{
	uint32_t mss = job->mss ? job->mss : SEGMENT_MAX;
	const uint8_t opt[12] = { 2, 4, (uint8_t)(mss >> 8), (uint8_t)mss,
				  1, 3, 3, 7, 1, 1, 4, 2 };

	(void)listener;
	listen_to_them();
	own_port = own_port == 65535 ? 1024 : own_port + 1;
	their_port = port;
	their_next = 0;
	own_next = PEER_ISS + 1;
	acked = own_next;
	transmit(PEER_ISS, TH_SYN, 0, opt, sizeof(opt), 0);
	if (!listen_to_them())
		return trouble("no answer to SYN", ETIMEDOUT);
	transmit(PEER_ISS + 1, TH_ACK, 0, NULL, 0, 0);
	return 0;
}

void tun_segments(const struct job_op *op)
{
	uint32_t at = op->off, end = op->off + (uint32_t)op->len, n, left;
	uint8_t *payload = packet + sizeof(struct iphdr) +
			   sizeof(struct tcphdr);
	uint8_t flags;

	for (; at < end; at += n) {
		left = end - at;
		n = op->cut && op->cut < left ? op->cut : left;
		n = n < SEGMENT_MAX ? n : SEGMENT_MAX;
		memcpy(payload, job_at(job->stream + at), n);
		if (op->xor && op->xor_at >= at - op->off &&
		    op->xor_at < at - op->off + n)
			payload[op->xor_at - (at - op->off)] ^= op->xor;
		flags = TH_ACK | (n == left ? TH_PUSH : 0);
		sent_to(PEER_ISS + 1 + at + n);
		if (op->urg)
			flags |= TH_URG;
		transmit(PEER_ISS + 1 + at, flags,
			 op->urg ? (uint16_t)left : 0, NULL, 0, n);
		listen_to_them();
	}
}

void tun_fin(uint32_t off)
{
	sent_to(PEER_ISS + 2 + off);
	transmit(PEER_ISS + 1 + off, TH_FIN | TH_ACK, 0, NULL, 0, 0);
	listen_to_them();
}

void tun_rst(uint32_t off)
{
	transmit(PEER_ISS + 1 + off, TH_RST | TH_ACK, 0, NULL, 0, 0);
	listen_to_them();
}

/* An exact RST; whatever state the socket is in, it goes. */
void tun_close(void)
{
	listen_to_them();
	transmit(acked, TH_RST | TH_ACK, 0, NULL, 0, 0);
	listen_to_them();
}
