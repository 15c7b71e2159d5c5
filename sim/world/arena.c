// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory of the model: every skb, page and context of one world.
 * How: power-of-two size classes with free lists on top of bump chunks; reset
 * rewinds the chunks, so a leak in one world never reaches the next. A header
 * in front of each block catches double and wrong-size frees; the front of freed
 * memory is poisoned, for AddressSanitizer all of it.
 * Left out: failing on request, that is world.c's fault plan.
 */
#include <stdlib.h>

#include "sim/world/world.h"

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif

#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define arena_poison(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define arena_unpoison(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
#else
#define arena_poison(p, n) ((void)(p), (void)(n))
#define arena_unpoison(p, n) ((void)(p), (void)(n))
#endif

/* First chunk; each further one doubles up to the largest. */
#define ARENA_CHUNK_MIN (32u << 10)
#define ARENA_CHUNK_MAX (1u << 20)
#define CLASS_MIN_SHIFT 5
#define CLASS_COUNT 24 /* 32 bytes .. 256 MiB */
#define HDR_LIVE 0x6c697665u
#define HDR_FREE 0x66726565u
#define FREE_BYTE 0x6b
#define NEW_BYTE 0x5a
#define POISON_MAX 128u
#define POISON_STEP (1u << CLASS_MIN_SHIFT) /* divides every class */

struct block {
	u32 state;
	u32 size_class;
	u64 size;
	u8 data[];
};

struct chunk {
	struct chunk *next;
	size_t size;
	size_t used;
	size_t pad;
	u8 mem[];
};

struct free_block {
	struct free_block *next;
};

struct arena {
	struct chunk *chunks; /* in order of first use */
	struct chunk *cur;
	struct free_block *free[CLASS_COUNT];
	u64 live;
	u64 live_bytes;
	u64 allocs;
};

static void *host_alloc(size_t size)
{
	void *p = malloc(size);

	if (!p)
		abort();
	return p;
}

struct arena *arena_new(void)
{
	struct arena *a = host_alloc(sizeof(*a));

	memset(a, 0, sizeof(*a));
	return a;
}

void arena_free(struct arena *a)
{
	struct chunk *c;

	if (!a)
		return;
	while ((c = a->chunks)) {
		a->chunks = c->next;
		arena_unpoison(c->mem, c->size);
		free(c);
	}
	free(a);
}

void arena_reset(struct arena *a)
{
	struct chunk *c;

	for (c = a->chunks; c; c = c->next) {
		arena_poison(c->mem, c->used);
		c->used = 0;
		if (c == a->cur)
			break; /* those behind it are empty */
	}
	a->cur = a->chunks;
	memset(a->free, 0, sizeof(a->free));
	a->live = 0;
	a->live_bytes = 0;
	a->allocs = 0;
}

static struct chunk *chunk_new(size_t size)
{
	struct chunk *c = host_alloc(sizeof(*c) + size);

	c->next = NULL;
	c->size = size;
	c->used = 0;
	arena_poison(c->mem, size);
	return c;
}

static struct chunk *chunk_behind(const struct chunk *last, size_t size)
{
	size_t want = last ? 2 * last->size : ARENA_CHUNK_MIN;

	if (want > ARENA_CHUNK_MAX)
		want = ARENA_CHUNK_MAX;
	return chunk_new(size > want ? size : want);
}

/* The next chunk with room for @size; chunks behind the current one are empty. */
static struct chunk *chunk_with_room(struct arena *a, size_t size)
{
	struct chunk *c = a->cur;

	if (!c)
		c = a->chunks = chunk_behind(NULL, size);
	while (c->size - c->used < size) {
		if (!c->next)
			c->next = chunk_behind(c, size);
		c = c->next;
	}
	a->cur = c;
	return c;
}

static u32 size_class(size_t size)
{
	if (size <= 1u << CLASS_MIN_SHIFT)
		return 0;
	return 64 - (u32)__builtin_clzll(size - 1) - CLASS_MIN_SHIFT;
}

static struct block *block_new(struct arena *a, u32 cls)
{
	size_t size = sizeof(struct block) + (1ull << (cls + CLASS_MIN_SHIFT));
	struct chunk *c = chunk_with_room(a, size);
	struct block *b = (struct block *)(c->mem + c->used);

	c->used += size;
	arena_unpoison(b, sizeof(*b));
	b->size_class = cls;
	return b;
}

/* The compiler makes two stores of a step, where a memset() of unknown size
 * would be a slow string instruction. */
static void poison(u8 *p, size_t size)
{
	size_t off, n = size < POISON_MAX ? size : POISON_MAX;

	for (off = 0; off < n; off += POISON_STEP)
		memset(p + off, FREE_BYTE, POISON_STEP);
}

void *arena_alloc(struct arena *a, size_t size)
{
	u32 cls = size_class(size);
	struct block *b;

	M_ASSERT(cls < CLASS_COUNT, "allocation of %zu bytes", size);
	if (a->free[cls]) {
		b = container_of((u8(*)[])a->free[cls], struct block, data);
		arena_unpoison(b->data, sizeof(struct free_block));
		a->free[cls] = a->free[cls]->next;
	} else {
		b = block_new(a, cls);
	}
	b->state = HDR_LIVE;
	b->size = size;
	arena_unpoison(b->data, size);
#ifdef ARENA_ASAN
	memset(b->data, NEW_BYTE, size);
#endif
	a->live++;
	a->live_bytes += size;
	a->allocs++;
	return b->data;
}

void arena_release(struct arena *a, void *ptr, size_t size)
{
	struct block *b = container_of((u8(*)[])ptr, struct block, data);
	struct free_block *f = ptr;

	M_ASSERT(b->state == HDR_LIVE, "%s of a block of %zu bytes",
		 b->state == HDR_FREE ? "double free" : "wild free", size);
	M_ASSERT(b->size == size, "freed %zu bytes of a block of %zu", size,
		 (size_t)b->size);
	b->state = HDR_FREE;
	arena_unpoison(ptr, 1ull << (b->size_class + CLASS_MIN_SHIFT));
	poison(ptr, size);
	f->next = a->free[b->size_class];
	a->free[b->size_class] = f;
	arena_poison(ptr, 1ull << (b->size_class + CLASS_MIN_SHIFT));
	a->live--;
	a->live_bytes -= size;
}

u64 arena_live(const struct arena *a)
{
	return a->live;
}

u64 arena_live_bytes(const struct arena *a)
{
	return a->live_bytes;
}

u64 arena_allocs(const struct arena *a)
{
	return a->allocs;
}
