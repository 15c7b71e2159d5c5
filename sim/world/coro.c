// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Coroutines with their own stacks.
 * How: a switch saves the callee-saved registers on the old stack and loads
 * them from the new one, in a few instructions; ucontext does it on machines
 * without such a routine here. Stacks are mapped lazily, have a guard page, and
 * go back to a pool. The sanitizers are told of every switch.
 * Left out: floating point control words, which nothing here changes.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdlib.h>
#include <sys/mman.h>

#include "model/kernel.h"
#include "sim/world/coro.h"

#if defined(__SANITIZE_ADDRESS__)
#define CORO_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CORO_ASAN 1
#endif
#endif
#ifdef CORO_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if !defined(__x86_64__) && !defined(__aarch64__)
#define CORO_UCONTEXT 1
#include <ucontext.h>
#endif

#define CORO_STACK (512u << 10)
#define CORO_GUARD 4096u

/**
 * struct coro - one coroutine and its stack
 * @sp: its stack pointer while suspended
 * @caller_sp: that of whoever resumed it
 * @fn: what it runs
 * @arg: for @fn
 * @stack: lowest usable byte
 * @pool: where it came from
 * @next: in the pool
 * @done: @fn returned
 */
struct coro {
	void *sp;
	void *caller_sp;
	void (*fn)(void *arg);
	void *arg;
	u8 *stack;
	struct coro_pool *pool;
	struct coro *next;
	bool done;
#ifdef CORO_UCONTEXT
	ucontext_t ctx;
	ucontext_t caller_ctx;
#endif
#ifdef CORO_ASAN
	void *fake;
	void *caller_fake;
	const void *caller_stack;
	size_t caller_size;
#endif
};

struct coro_pool {
	struct coro *idle;
};

#ifdef CORO_ASAN
/* About to leave for the coroutine, or (@done) to leave it for good. */
static void enter_begin(struct coro *co)
{
	__sanitizer_start_switch_fiber(&co->caller_fake, co->stack, CORO_STACK);
}

static void enter_end(struct coro *co)
{
	__sanitizer_finish_switch_fiber(co->caller_fake, NULL, NULL);
}

static void leave_begin(struct coro *co, bool done)
{
	__sanitizer_start_switch_fiber(done ? NULL : &co->fake,
				       co->caller_stack, co->caller_size);
}

static void leave_end(struct coro *co, bool first)
{
	__sanitizer_finish_switch_fiber(first ? NULL : co->fake,
					&co->caller_stack, &co->caller_size);
}
#else
static void enter_begin(struct coro *co)
{
	(void)co;
}

static void enter_end(struct coro *co)
{
	(void)co;
}

static void leave_begin(struct coro *co, bool done)
{
	(void)co;
	(void)done;
}

static void leave_end(struct coro *co, bool first)
{
	(void)co;
	(void)first;
}
#endif

#ifndef CORO_UCONTEXT
/* Saves the current context through @save, continues at @load. */
void coro_switch(void **save, void *load) __asm__("ktlsim_coro_switch");
#endif

#if defined(__x86_64__)
__asm__(".text\n"
	".p2align 4\n"
	".globl ktlsim_coro_switch\n"
	".type ktlsim_coro_switch,@function\n"
	"ktlsim_coro_switch:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	".size ktlsim_coro_switch,.-ktlsim_coro_switch\n");
#define CORO_SAVED_WORDS 6
#elif defined(__aarch64__)
__asm__(".text\n"
	".p2align 4\n"
	".globl ktlsim_coro_switch\n"
	".type ktlsim_coro_switch,%function\n"
	"ktlsim_coro_switch:\n"
	"	sub sp, sp, #160\n"
	"	stp x19, x20, [sp, #0]\n"
	"	stp x21, x22, [sp, #16]\n"
	"	stp x23, x24, [sp, #32]\n"
	"	stp x25, x26, [sp, #48]\n"
	"	stp x27, x28, [sp, #64]\n"
	"	stp x29, x30, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n"
	"	stp d10, d11, [sp, #112]\n"
	"	stp d12, d13, [sp, #128]\n"
	"	stp d14, d15, [sp, #144]\n"
	"	mov x2, sp\n"
	"	str x2, [x0]\n"
	"	mov sp, x1\n"
	"	ldp x19, x20, [sp, #0]\n"
	"	ldp x21, x22, [sp, #16]\n"
	"	ldp x23, x24, [sp, #32]\n"
	"	ldp x25, x26, [sp, #48]\n"
	"	ldp x27, x28, [sp, #64]\n"
	"	ldp x29, x30, [sp, #80]\n"
	"	ldp d8, d9, [sp, #96]\n"
	"	ldp d10, d11, [sp, #112]\n"
	"	ldp d12, d13, [sp, #128]\n"
	"	ldp d14, d15, [sp, #144]\n"
	"	add sp, sp, #160\n"
	"	ret\n"
	".size ktlsim_coro_switch,.-ktlsim_coro_switch\n");
#endif

struct coro_pool *coro_pool_new(void)
{
	return calloc(1, sizeof(struct coro_pool));
}

void coro_pool_free(struct coro_pool *pool)
{
	struct coro *co;

	if (!pool)
		return;
	while ((co = pool->idle)) {
		pool->idle = co->next;
		munmap(co->stack - CORO_GUARD, CORO_GUARD + CORO_STACK);
		free(co);
	}
	free(pool);
}

static struct coro *coro_new(struct coro_pool *pool)
{
	struct coro *co = calloc(1, sizeof(*co));
	u8 *map = mmap(NULL, CORO_GUARD + CORO_STACK, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (!co || map == MAP_FAILED ||
	    mprotect(map, CORO_GUARD, PROT_NONE) != 0)
		abort();
	co->stack = map + CORO_GUARD;
	co->pool = pool;
	return co;
}

static void coro_leave(struct coro *co, bool done)
{
	leave_begin(co, done);
#ifdef CORO_UCONTEXT
	swapcontext(&co->ctx, &co->caller_ctx);
#else
	coro_switch(&co->sp, co->caller_sp);
#endif
	leave_end(co, false);
}

static void coro_main(struct coro *co)
{
	leave_end(co, true);
	co->fn(co->arg);
	co->done = true;
	coro_leave(co, true);
	abort(); /* a finished coroutine was resumed */
}

#ifdef CORO_UCONTEXT
static void coro_entry(u32 lo, u32 hi)
{
	coro_main((struct coro *)(uintptr_t)((u64)hi << 32 | lo));
}

static void coro_prepare(struct coro *co)
{
	u64 ptr = (uintptr_t)co;

	getcontext(&co->ctx);
	co->ctx.uc_stack.ss_sp = co->stack;
	co->ctx.uc_stack.ss_size = CORO_STACK;
	makecontext(&co->ctx, (void (*)(void))coro_entry, 2, (u32)ptr,
		    (u32)(ptr >> 32));
}
#elif defined(__x86_64__)
/* First switch pops the registers and returns here, the coroutine in %rbx. */
__asm__(".text\n"
	".type ktlsim_coro_entry,@function\n"
	"ktlsim_coro_entry:\n"
	"	mov %rbx, %rdi\n"
	"	xor %ebp, %ebp\n"
	"	call *%r12\n"
	"	ud2\n"
	".size ktlsim_coro_entry,.-ktlsim_coro_entry\n");
extern char coro_entry[] __asm__("ktlsim_coro_entry");

static void coro_prepare(struct coro *co)
{
	void **sp = (void **)(co->stack + CORO_STACK) - 2;

	*--sp = coro_entry; /* leaves the stack 16-byte aligned at the call */
	*--sp = NULL; /* rbp */
	*--sp = co; /* rbx */
	*--sp = (void *)coro_main; /* r12 */
	*--sp = NULL; /* r13 */
	*--sp = NULL; /* r14 */
	*--sp = NULL; /* r15 */
	co->sp = sp;
}
#elif defined(__aarch64__)
__asm__(".text\n"
	".type ktlsim_coro_entry,%function\n"
	"ktlsim_coro_entry:\n"
	"	mov x0, x19\n"
	"	blr x20\n"
	"	brk #1\n"
	".size ktlsim_coro_entry,.-ktlsim_coro_entry\n");
extern char coro_entry[] __asm__("ktlsim_coro_entry");

static void coro_prepare(struct coro *co)
{
	void **sp = (void **)(co->stack + CORO_STACK - 160);

	memset(sp, 0, 160);
	sp[0] = co; /* x19 */
	sp[1] = (void *)coro_main; /* x20 */
	sp[11] = coro_entry; /* x30 */
	co->sp = sp;
}
#endif

struct coro *coro_get(struct coro_pool *pool, void (*fn)(void *arg), void *arg)
{
	struct coro *co = pool->idle;

	if (co)
		pool->idle = co->next;
	else
		co = coro_new(pool);
	co->fn = fn;
	co->arg = arg;
	co->done = false;
	coro_prepare(co);
	return co;
}

static void coro_put(struct coro *co)
{
	co->next = co->pool->idle;
	co->pool->idle = co;
}

bool coro_resume(struct coro *co)
{
	enter_begin(co);
#ifdef CORO_UCONTEXT
	swapcontext(&co->caller_ctx, &co->ctx);
#else
	coro_switch(&co->caller_sp, co->sp);
#endif
	enter_end(co);
	if (!co->done)
		return false;
	coro_put(co);
	return true;
}

void coro_suspend(struct coro *co)
{
	coro_leave(co, false);
}

void coro_abandon(struct coro *co)
{
#ifdef CORO_ASAN
	__asan_unpoison_memory_region(co->stack, CORO_STACK);
#endif
	coro_put(co);
}
