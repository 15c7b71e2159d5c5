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
#include <net/if.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/judge/agent.h"

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

void boot(void)
{
	mkdir("/proc", 0755);
	mkdir("/dev", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	load_modules();
	boot_if_up("lo", NULL, 0);
}

void boot_halt(void)
{
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}
