/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bump allocation with one free for all: memory of a trace, of a parsed file,
 * of one world's bookkeeping. Reset keeps the chunks for the next user.
 */
#ifndef SIM_POOL_H
#define SIM_POOL_H

#include "model/types.h"

struct mem_pool;

struct mem_pool *mem_pool_new(void);
void mem_pool_free(struct mem_pool *pool);
/* Forgets all allocations, keeps the memory. */
void mem_pool_reset(struct mem_pool *pool);
/* Aligned to 16; zeroed. Never NULL (aborts when the host is out of memory). */
void *mem_pool_alloc(struct mem_pool *pool, size_t size);
/* As above, not zeroed. */
void *mem_pool_alloc_raw(struct mem_pool *pool, size_t size);
char *mem_pool_strndup(struct mem_pool *pool, const char *s, size_t len);
/* Bytes handed out since the last reset. */
size_t mem_pool_used(const struct mem_pool *pool);

/**
 * pool_push() - append to a pool-backed array
 * @pool: pool
 * @arr: pointer variable of the array
 * @n: count variable
 *
 * Grows by doubling at powers of two (so the array must only be grown through
 * this); evaluates to a pointer to the new, zeroed element.
 */
#define pool_push(pool, arr, n)                                      \
	((__typeof__(arr))(pool_push_((pool), (void **)&(arr), &(n), \
				      sizeof(*(arr)))))
void *pool_push_(struct mem_pool *pool, void **arr, u32 *n, size_t size);

#endif
