/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Basic types and list helpers, under the names netdev readers expect.
 *
 * MODEL: only what the model uses is here; no RCU, no atomics, because one OS
 * thread runs everything and every switch of task happens at a named place.
 */
#ifndef MODEL_TYPES_H
#define MODEL_TYPES_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define PAGE_SHIFT 12
#define PAGE_SIZE 4096u
#define MAX_SKB_FRAGS 17

#define __must_check __attribute__((warn_unused_result))
#define __printf(a, b) __attribute__((format(printf, a, b)))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define __noinline __attribute__((noinline))
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr)-offsetof(type, member)))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define max_t(type, a, b) ((type)(a) > (type)(b) ? (type)(a) : (type)(b))

/* Errnos that never reach user space under their own number. */
#define ERESTARTSYS 512

/* Time is simulated nanoseconds; a timeout may also be infinite. */
#define MAX_SCHEDULE_TIMEOUT INT64_MAX
#define NSEC_PER_MSEC 1000000ll
#define NSEC_PER_SEC 1000000000ll

/**
 * struct list_head - circular doubly linked list, as in the kernel
 * @next: first entry, or the head itself when empty
 * @prev: last entry, or the head itself when empty
 */
struct list_head {
	struct list_head *next;
	struct list_head *prev;
};

static inline void INIT_LIST_HEAD(struct list_head *l)
{
	l->next = l;
	l->prev = l;
}

static inline bool list_empty(const struct list_head *l)
{
	return l->next == l;
}

static inline void list_add_tail(struct list_head *e, struct list_head *l)
{
	e->prev = l->prev;
	e->next = l;
	l->prev->next = e;
	l->prev = e;
}

static inline void list_add(struct list_head *e, struct list_head *l)
{
	e->next = l->next;
	e->prev = l;
	l->next->prev = e;
	l->next = e;
}

/* Leaves the entry pointing at itself, so deleting twice is harmless. */
static inline void list_del_init(struct list_head *e)
{
	e->prev->next = e->next;
	e->next->prev = e->prev;
	INIT_LIST_HEAD(e);
}

#define list_entry(ptr, type, member) container_of(ptr, type, member)
#define list_for_each_entry(pos, head, member)                         \
	for (pos = list_entry((head)->next, __typeof__(*pos), member); \
	     &pos->member != (head);                                   \
	     pos = list_entry(pos->member.next, __typeof__(*pos), member))
#define list_for_each_entry_safe(pos, n, head, member)                  \
	for (pos = list_entry((head)->next, __typeof__(*pos), member),  \
	    n = list_entry(pos->member.next, __typeof__(*pos), member); \
	     &pos->member != (head);                                    \
	     pos = n, n = list_entry(n->member.next, __typeof__(*n), member))

/* Sequence number comparison modulo 2^32. */
static inline bool before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

static inline bool after(u32 a, u32 b)
{
	return before(b, a);
}

#endif
