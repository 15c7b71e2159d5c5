// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What init does for a guest: file systems, modules, the loopback device.
 * How: modules are loaded in the order of /modules.list, whose names are paths;
 * one that fails (built in, unknown here) is passed over: what is missing is
 * seen when it is needed.
 * Left out: everything a real init does beside.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/judge/agent.h"

#define INIT_CWND 100000u

static void load_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	syscall(SYS_finit_module, fd, "", 0);
	close(fd);
}

static void load_modules(void)
{
	FILE *f = fopen("/modules.list", "re");
	char line[512];

	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		load_module(line);
	}
	fclose(f);
}

int boot_if_up(const char *name, const char *addr, int mtu)
{
	struct ifreq ifr = { 0 };
	struct sockaddr_in *sin = (struct sockaddr_in *)&ifr.ifr_addr;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int ret = -1;

	if (fd < 0)
		return -1;
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	sin->sin_family = AF_INET;
	if (addr) {
		sin->sin_addr.s_addr = inet_addr(addr);
		if (ioctl(fd, SIOCSIFADDR, &ifr))
			goto out;
		sin->sin_addr.s_addr = inet_addr("255.255.255.0");
		if (ioctl(fd, SIOCSIFNETMASK, &ifr))
			goto out;
	}
	ifr.ifr_mtu = mtu;
	if (mtu && ioctl(fd, SIOCSIFMTU, &ifr))
		goto out;
	if (ioctl(fd, SIOCGIFFLAGS, &ifr))
		goto out;
	ifr.ifr_flags |= IFF_UP | IFF_RUNNING;
	ret = ioctl(fd, SIOCSIFFLAGS, &ifr);
out:
	close(fd);
	return ret;
}

/* A route message with room for its attributes. */
struct route_msg {
	struct nlmsghdr h;
	struct rtmsg r;
	uint8_t attr[128];
};

static void add_attr(struct route_msg *m, int type, const void *data,
		     size_t len)
{
	struct rtattr *a = (void *)((uint8_t *)m + NLMSG_ALIGN(m->h.nlmsg_len));

	a->rta_type = (unsigned short)type;
	a->rta_len = (unsigned short)RTA_LENGTH(len);
	memcpy(RTA_DATA(a), data, len);
	m->h.nlmsg_len = NLMSG_ALIGN(m->h.nlmsg_len) + RTA_LENGTH(len);
}

/* A route to @addr over @dev with one metric. */
static int add_route(struct rtmsg r, const char *addr, const char *dev,
		     uint16_t metric, uint32_t value)
{
	struct route_msg m = {
		.h = { .nlmsg_len = NLMSG_LENGTH(sizeof(struct rtmsg)),
		       .nlmsg_type = RTM_NEWROUTE,
		       .nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE },
		.r = r,
	};
	struct {
		struct rtattr a;
		uint32_t value;
	} metrics = { { sizeof(metrics), metric }, value };
	uint32_t dst = inet_addr(addr), oif = if_nametoindex(dev);
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	int ret;

	m.r.rtm_family = AF_INET;
	m.r.rtm_dst_len = 32;
	m.r.rtm_protocol = RTPROT_BOOT;
	add_attr(&m, RTA_DST, &dst, sizeof(dst));
	add_attr(&m, RTA_OIF, &oif, sizeof(oif));
	add_attr(&m, RTA_METRICS, &metrics, sizeof(metrics));
	ret = fd >= 0 && send(fd, &m, m.h.nlmsg_len, 0) > 0 ? 0 : -1;
	if (fd >= 0)
		close(fd);
	return ret;
}

/* A loopback address to which a sender never waits for a congestion window:
 * the model has none. */
static void open_loopback(const char *addr)
{
	struct rtmsg local = { .rtm_table = RT_TABLE_LOCAL,
			       .rtm_scope = RT_SCOPE_HOST,
			       .rtm_type = RTN_LOCAL };

	if (!add_route(local, addr, "lo", RTAX_INITCWND, INIT_CWND))
		loopback_addr = addr;
}

/* The MSS announced there does not follow from the device's MTU. */
void boot_peer_route(const char *addr, const char *dev, uint32_t advmss)
{
	struct rtmsg link = { .rtm_table = RT_TABLE_MAIN,
			      .rtm_scope = RT_SCOPE_LINK,
			      .rtm_type = RTN_UNICAST };

	add_route(link, addr, dev, RTAX_ADVMSS, advmss);
}

void boot(void)
{
	mkdir("/proc", 0755);
	mkdir("/dev", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	load_modules();
	boot_if_up("lo", NULL, 0);
	open_loopback("127.9.0.1");
}

void boot_halt(void)
{
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}
