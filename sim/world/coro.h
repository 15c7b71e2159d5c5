/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Coroutines: one a simulated thread that is inside a call. Stacks have a guard
 * page, are mapped lazily and reused.
 */
#ifndef SIM_CORO_H
#define SIM_CORO_H

#include "model/types.h"

struct coro;
struct coro_pool;

struct coro_pool *coro_pool_new(void);
/* No coroutine may be unfinished. */
void coro_pool_free(struct coro_pool *pool);

/* A coroutine that will run @fn(@arg); not started. */
struct coro *coro_get(struct coro_pool *pool, void (*fn)(void *arg), void *arg);
/* Runs it until it suspends or returns; true: it returned, and is back in the
 * pool. Must be called from outside any coroutine or from another one. */
bool coro_resume(struct coro *co);
/* From inside: back to whoever resumed. */
void coro_suspend(struct coro *co);
/* Gives up a suspended coroutine: it will never run again, its stack is
 * reused. Whatever it held stays as it is. */
void coro_abandon(struct coro *co);

#endif
