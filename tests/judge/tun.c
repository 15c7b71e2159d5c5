// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The agent as TCP peer: any segment, at any place of the stream.
 * How: a TAP device with three queues. What is written to the first becomes an
 * skb without data in its head, one page fragment per buffer (IFF_NAPI_FRAGS);
 * to the second, one with a head in a page fragment, as long as it fits a page;
 * to the third, one with a head from the slab. The socket has seen it when the
 * write returns. What the socket sends is read to learn its sequence numbers.
 * Stream byte n has sequence number PEER_ISS + 1 + n.
 * Left out: retransmission, windows: a segment leaves when the trace says so.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/if_ether.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/judge/agent.h"

#define PEER_ISS 999u
#define PEER_ADDR "10.9.0.2"
#define TAP_MTU 65521
#define SEGMENT_MAX 65483u
#define FRAG_MAX 4096u /* of one buffer */
#define QUEUES 3

enum queue {
	QUEUE_FRAGS,
	QUEUE_HEAD,
	QUEUE_SLAB
};

static int queue[QUEUES] = { -1, -1, -1 };
static uint16_t own_port = 1024, their_port;
static uint32_t their_next; /* what we acknowledge */
static uint32_t own_next; /* behind all we sent */
static uint32_t acked; /* by them */
static bool own_fin; /* was sent */

/* In front of the payload; there is room for options. */
struct headers {
	struct ethhdr eth;
	struct iphdr ip;
	struct tcphdr th;
	uint8_t opt[12];
} __attribute__((packed));

static struct headers h;
static uint8_t payload[65536];
static uint8_t mac[ETH_ALEN], peer_mac[ETH_ALEN] = { 2, 9, 9, 9, 9, 9 };

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

static void fill_headers(uint32_t seq, uint8_t flags, uint16_t urg,
			 size_t opt_len, size_t len)
{
	size_t tcp_len = sizeof(h.th) + opt_len + len;
	struct pseudo ph;
	uint32_t sum;

	memset(&h, 0, sizeof(h) - sizeof(h.opt));
	memcpy(h.eth.h_dest, mac, ETH_ALEN);
	memcpy(h.eth.h_source, peer_mac, ETH_ALEN);
	h.eth.h_proto = htons(ETH_P_IP);
	h.ip.version = 4;
	h.ip.ihl = 5;
	h.ip.ttl = 64;
	h.ip.protocol = IPPROTO_TCP;
	h.ip.tot_len = htons((uint16_t)(sizeof(h.ip) + tcp_len));
	h.ip.saddr = inet_addr(PEER_ADDR);
	h.ip.daddr = inet_addr(TUN_ADDR);
	h.ip.check = htons((uint16_t)~sum16(&h.ip, sizeof(h.ip), 0));
	h.th.source = htons(own_port);
	h.th.dest = their_port;
	h.th.seq = htonl(seq);
	h.th.ack_seq = htonl(their_next);
	h.th.doff = (uint8_t)((sizeof(h.th) + opt_len) / 4);
	((uint8_t *)&h.th)[13] = flags;
	h.th.window = htons(65535);
	h.th.urg_ptr = htons(urg);
	ph = (struct pseudo){ h.ip.saddr, h.ip.daddr, 0, IPPROTO_TCP,
			      htons((uint16_t)tcp_len) };
	sum = sum16(&ph, sizeof(ph), 0);
	sum = sum16(&h.th, sizeof(h.th) + opt_len, sum);
	h.th.check = htons((uint16_t)~sum16(payload, len, sum));
}

/* @len bytes of payload[] behind the headers. */
static void transmit(enum queue q, uint32_t seq, uint8_t flags, uint16_t urg,
		     size_t opt_len, size_t len)
{
	size_t head = sizeof(h) - sizeof(h.opt) + opt_len, at, n;
	struct iovec iov[20] = { { &h, head } };
	size_t step = q == QUEUE_FRAGS ? FRAG_MAX : sizeof(payload);
	int i = 1;

	fill_headers(seq, flags, urg, opt_len, len);
	for (at = 0; at < len; at += n, i++) {
		n = len - at < step ? len - at : step;
		iov[i] = (struct iovec){ payload + at, n };
	}
	if (writev(queue[q], iov, i) < 0)
		trouble("write of a segment", errno);
}

/* One packet of theirs; true if it is a SYN. */
static bool hear(const uint8_t *in, ssize_t n, bool *fin)
{
	const struct iphdr *ip = (const void *)(in + sizeof(struct ethhdr));
	const struct tcphdr *th =
		(const void *)((const uint8_t *)ip + ip->ihl * 4);

	if (n < 54 || ip->version != 4 || ip->protocol != IPPROTO_TCP ||
	    th->dest != htons(own_port))
		return false;
	if (th->ack && !th->rst)
		acked = ntohl(th->ack_seq);
	if (th->syn || th->fin)
		their_next = ntohl(th->seq) + 1;
	*fin |= th->fin;
	return th->syn;
}

/* Reads what the socket sent: whether SYN or FIN were among it. A FIN is
 * acknowledged by the next segment, behind our own at once, as Linux does. */
static int listen_to_them(void)
{
	static _Alignas(8) uint8_t buf[65536 + 16];
	uint8_t *in = buf + 2; /* aligns what is behind the Ethernet header */
	struct pollfd p[QUEUES];
	bool syn = false, fin = false;
	ssize_t n;
	int i;

	for (i = 0; i < QUEUES; i++)
		p[i] = (struct pollfd){ queue[i], POLLIN, 0 };
	while (poll(p, QUEUES, 0) > 0) {
		for (i = 0; i < QUEUES; i++) {
			if (!(p[i].revents & POLLIN))
				continue;
			n = read(queue[i], in, 65536);
			syn |= n > 0 && hear(in, n, &fin);
		}
	}
	if (fin && own_fin)
		transmit(QUEUE_SLAB, own_next, TH_ACK, 0, 0, 0);
	return (syn ? TH_SYN : 0) | (fin ? TH_FIN : 0);
}

static void sent_to(uint32_t seq)
{
	if ((int32_t)(seq - own_next) > 0)
		own_next = seq;
}

/* --- the device ----------------------------------------------------------- */

static int open_queue(enum queue q)
{
	int flags = IFF_TAP | IFF_NO_PI | IFF_MULTI_QUEUE;
	struct ifreq ifr = { 0 };

	if (q == QUEUE_FRAGS)
		flags |= IFF_NAPI | IFF_NAPI_FRAGS;
	queue[q] =
		open("/dev/net/tun",
		     O_RDWR | O_CLOEXEC | (q == QUEUE_SLAB ? 0 : O_NONBLOCK));
	if (queue[q] < 0)
		return trouble("/dev/net/tun", errno);
	ifr.ifr_flags = (short)flags;
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "tap0");
	if (ioctl(queue[q], TUNSETIFF, &ifr))
		return trouble("TUNSETIFF", errno);
	return 0;
}

/* Its address, and the peer's beside it. */
static int set_addresses(void)
{
	struct sockaddr_in peer = { .sin_family = AF_INET };
	struct arpreq arp = { .arp_flags = ATF_PERM | ATF_COM };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), ret;
	struct ifreq ifr = { 0 };

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "tap0");
	ret = ioctl(fd, SIOCGIFHWADDR, &ifr);
	memcpy(mac, ifr.ifr_hwaddr.sa_data, ETH_ALEN);
	peer.sin_addr.s_addr = inet_addr(PEER_ADDR);
	memcpy(&arp.arp_pa, &peer, sizeof(peer));
	memcpy(arp.arp_ha.sa_data, peer_mac, ETH_ALEN);
	snprintf(arp.arp_dev, sizeof(arp.arp_dev), "tap0");
	ret |= ioctl(fd, SIOCSARP, &arp);
	close(fd);
	return ret;
}

int tun_open(void)
{
	int i;

	if (queue[0] >= 0)
		return 0;
	for (i = 0; i < QUEUES; i++) {
		if (open_queue((enum queue)i))
			return -1;
	}
	if (boot_if_up("tap0", TUN_ADDR, TAP_MTU) || set_addresses())
		return trouble("tap0", errno);
	boot_peer_route(PEER_ADDR, "tap0", SEGMENT_MAX);
	return 0;
}

/* --- the peer ------------------------------------------------------------- */

int tun_connect(uint16_t port)
{
	uint32_t mss = job->mss ? job->mss : SEGMENT_MAX;
	const uint8_t opt[12] = {
		2, 4, (uint8_t)(mss >> 8), (uint8_t)mss, 1, 3, 3, 7, 1, 1, 4, 2
	};

	listen_to_them();
	own_port = own_port == 65535 ? 1024 : own_port + 1;
	their_port = port;
	their_next = 0;
	own_next = PEER_ISS + 1;
	acked = own_next;
	own_fin = false;
	memcpy(h.opt, opt, sizeof(opt));
	transmit(QUEUE_SLAB, PEER_ISS, TH_SYN, 0, sizeof(opt), 0);
	if (!(listen_to_them() & TH_SYN))
		return trouble("no answer to SYN", ETIMEDOUT);
	transmit(QUEUE_SLAB, PEER_ISS + 1, TH_ACK, 0, 0, 0);
	return 0;
}

void tun_segments(const struct job_op *op)
{
	uint32_t at = op->off, end = op->off + (uint32_t)op->len, n, left;
	uint8_t flags;

	for (; at < end; at += n) {
		left = end - at;
		n = op->cut && op->cut < left ? op->cut : left;
		n = n < SEGMENT_MAX ? n : SEGMENT_MAX;
		memcpy(payload, job_at(job->stream + at), n);
		if (op->flip && op->flip_at >= at - op->off &&
		    op->flip_at < at - op->off + n)
			payload[op->flip_at - (at - op->off)] ^= op->flip;
		flags = TH_ACK | (n == left ? TH_PUSH : 0);
		sent_to(PEER_ISS + 1 + at + n);
		if (op->urg)
			flags |= TH_URG;
		transmit((enum queue)op->edge, PEER_ISS + 1 + at, flags,
			 op->urg ? (uint16_t)left : 0, 0, n);
		listen_to_them();
	}
}

void tun_fin(uint32_t off)
{
	sent_to(PEER_ISS + 2 + off);
	own_fin = true;
	transmit(QUEUE_SLAB, PEER_ISS + 1 + off, TH_FIN | TH_ACK, 0, 0, 0);
	listen_to_them();
}

bool tun_answer(void)
{
	return listen_to_them() & TH_FIN;
}

void tun_rst(uint32_t off)
{
	transmit(QUEUE_SLAB, PEER_ISS + 1 + off, TH_RST | TH_ACK, 0, 0, 0);
	listen_to_them();
}

/* An exact RST; whatever state the socket is in, it goes. */
void tun_close(void)
{
	listen_to_them();
	transmit(QUEUE_SLAB, acked, TH_RST | TH_ACK, 0, 0, 0);
	listen_to_them();
}
