// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lets user-mode kernels before 6.16 or so run on processors with more
 * floating-point state than they know (AMX): they die at once without it.
 * How: preloaded, it stands before ptrace(). Such a kernel keeps the first part
 * of a process's XSAVE area and writes back no more; the host refuses anything
 * but the whole area. So the rest is read and put back unchanged.
 * Left out: the C library, whose version differs from kernel to kernel.
 */
#include <stdarg.h>
#include <stddef.h>

struct area {
	void *base;
	size_t len;
};

#define SYS_PTRACE 101
#define PEEK_LAST 3
#define GETREGSET 0x4204
#define SETREGSET 0x4205
#define NT_X86_XSTATE 0x202
#define AREA_MAX 65536

extern int *__errno_location(void);
long ptrace(int request, ...);

static long raw(long request, long pid, void *addr, void *data)
{
	register void *r10 __asm__("r10") = data;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(SYS_PTRACE), "D"(request), "S"(pid), "d"(addr),
			   "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
}

static long set_xstate(long pid, const struct area *given)
{
	static unsigned char whole[AREA_MAX];
	struct area all = { whole, sizeof(whole) };
	const unsigned char *from = given->base;
	size_t i;
	long ret;

	ret = raw(GETREGSET, pid, (void *)NT_X86_XSTATE, &all);
	if (ret < 0)
		return ret;
	for (i = 0; i < given->len && i < all.len; i++)
		whole[i] = from[i];
	return raw(SETREGSET, pid, (void *)NT_X86_XSTATE, &all);
}

long ptrace(int request, ...)
{
	long pid, ret, peeked = 0;
	void *addr, *data;
	va_list ap;

	va_start(ap, request);
	pid = va_arg(ap, int);
	addr = va_arg(ap, void *);
	data = va_arg(ap, void *);
	va_end(ap);
	if (request >= 1 && request <= PEEK_LAST)
		data = &peeked;
	if (request == SETREGSET && addr == (void *)NT_X86_XSTATE)
		ret = set_xstate(pid, data);
	else
		ret = raw(request, pid, addr, data);
	if (ret < 0) {
		*__errno_location() = (int)-ret;
		return -1;
	}
	return data == &peeked ? peeked : ret;
}
