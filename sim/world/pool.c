// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bump allocation with one free for all.
 *
 * Chunks hang on a list in the order they were made; allocation moves forward
 * through it and makes a new chunk, twice the size of the last, at its end. A
 * reset goes back to the first chunk, so that a pool used again and again
 * stops asking the host for memory. Under AddressSanitizer everything not
 * handed out is poisoned.
 *
 * Left out: freeing single allocations, shrinking.
 */
#include "sim/world/pool.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define POOL_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POOL_ASAN 1
#endif
#endif

#ifdef POOL_ASAN
#include <sanitizer/asan_interface.h>
#define pool_hide(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define pool_show(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
#else
#define pool_hide(p, n) ((void)(p), (void)(n))
#define pool_show(p, n) ((void)(p), (void)(n))
#endif

#define POOL_ALIGN 16u
#define POOL_CHUNK_MIN 16384u
#define POOL_CHUNK_MAX (1u << 20)
#define POOL_ARRAY_MIN 8u

/* 16 bytes of header keep the data behind it aligned. */
struct pool_chunk {
	struct pool_chunk *next;
	size_t size; /* bytes of @data */
	u8 data[];
};
_Static_assert(sizeof(struct pool_chunk) % POOL_ALIGN == 0, "alignment");

/**
 * struct mem_pool - see pool.h
 * @first: oldest chunk
 * @cur: chunk allocations come from
 * @pos: bytes of @cur handed out
 * @used: bytes handed out since the last reset
 * @chunk_size: size of the next chunk
 */
struct mem_pool {
	struct pool_chunk *first;
	struct pool_chunk *cur;
	size_t pos;
	size_t used;
	size_t chunk_size;
};

static void *pool_host_alloc(size_t size)
{
	void *p = malloc(size);

	if (!p) {
		fprintf(stderr, "ktlsim: out of memory (%zu bytes)\n", size);
		abort();
	}
	return p;
}

static struct pool_chunk *pool_chunk_new(struct mem_pool *pool, size_t need)
{
	size_t size = max_t(size_t, pool->chunk_size, need);
	struct pool_chunk *c = pool_host_alloc(sizeof(*c) + size);

	c->next = NULL;
	c->size = size;
	pool_hide(c->data, size);
	if (pool->chunk_size < POOL_CHUNK_MAX)
		pool->chunk_size *= 2;
	return c;
}

struct mem_pool *mem_pool_new(void)
{
	struct mem_pool *pool = pool_host_alloc(sizeof(*pool));

	pool->chunk_size = POOL_CHUNK_MIN;
	pool->first = pool_chunk_new(pool, 0);
	pool->cur = pool->first;
	pool->pos = 0;
	pool->used = 0;
	return pool;
}

void mem_pool_free(struct mem_pool *pool)
{
	struct pool_chunk *c, *next;

	if (!pool)
		return;
	for (c = pool->first; c; c = next) {
		next = c->next;
		pool_show(c->data, c->size);
		free(c);
	}
	free(pool);
}

void mem_pool_reset(struct mem_pool *pool)
{
	struct pool_chunk *c;

	for (c = pool->first; c != pool->cur->next; c = c->next)
		pool_hide(c->data, c->size);
	pool->cur = pool->first;
	pool->pos = 0;
	pool->used = 0;
}

/* Makes @pool->cur a chunk with room for @size bytes. */
static void pool_next_chunk(struct mem_pool *pool, size_t size)
{
	struct pool_chunk *c = pool->cur;

	while (c->next && c->next->size < size)
		c = c->next;
	if (!c->next)
		c->next = pool_chunk_new(pool, size);
	pool->cur = c->next;
	pool->pos = 0;
}

void *mem_pool_alloc_raw(struct mem_pool *pool, size_t size)
{
	size_t room = (size + POOL_ALIGN - 1) & ~(size_t)(POOL_ALIGN - 1);
	u8 *p;

	if (unlikely(room > pool->cur->size - pool->pos))
		pool_next_chunk(pool, room);
	p = pool->cur->data + pool->pos;
	pool->pos += room;
	pool->used += room;
	pool_show(p, size);
	return p;
}

void *mem_pool_alloc(struct mem_pool *pool, size_t size)
{
	return memset(mem_pool_alloc_raw(pool, size), 0, size);
}

char *mem_pool_strndup(struct mem_pool *pool, const char *s, size_t len)
{
	char *p = mem_pool_alloc_raw(pool, len + 1);

	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

size_t mem_pool_used(const struct mem_pool *pool)
{
	return pool->used;
}

void *pool_push_(struct mem_pool *pool, void **arr, u32 *n, size_t size)
{
	u32 count = *n;
	u8 *elem;

	if (!count) {
		*arr = mem_pool_alloc_raw(pool, POOL_ARRAY_MIN * size);
	} else if (count >= POOL_ARRAY_MIN && !(count & (count - 1))) {
		void *grown =
			mem_pool_alloc_raw(pool, 2 * (size_t)count * size);

		memcpy(grown, *arr, count * size);
		*arr = grown;
	}
	elem = (u8 *)*arr + count * size;
	memset(elem, 0, size);
	*n = count + 1;
	return elem;
}
