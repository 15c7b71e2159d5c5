// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The smallest world that the model runs in; see mock.h.
 *
 * How: every allocation has a header with its size, so that a wrong size at
 * free is found; memory is filled with 0xa5 when given and 0xdd when taken.
 *
 * Left out: time. A sleep with a timeout ends when the hooks are used up; a
 * sleep without one is then a failure.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/mock.h"

/* sim/ has the real one, which wins when it is linked in. */
__attribute__((weak)) _Noreturn void m_bug(const char *file, int line,
					   const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fprintf(stderr, "%s:%d: ", file, line);
	vfprintf(stderr, fmt, args);
	fprintf(stderr, "\n");
	va_end(args);
	abort();
}

/* In front of every allocation; the second keeps 16 bytes alignment. */
struct mock_alloc {
	size_t size;
	size_t magic;
};

enum {
	MOCK_MAGIC = 0x6d6f636b
};

static void *mock_alloc(struct m_kernel *k, enum m_site site, size_t size)
{
	struct mock *m = mock_of(k);
	u32 n = m->allocs[site]++;
	struct mock_alloc *head;

	if (n < 64 && m->fail_nth[site] >> n & 1) {
		m_event(k, EV_ALLOC_FAIL, site, n + 1, 0);
		return NULL;
	}
	head = malloc(sizeof(*head) + size);
	ck_assert_ptr_nonnull(head);
	head->size = size;
	head->magic = MOCK_MAGIC;
	memset(head + 1, 0xa5, size);
	m->live++;
	m->live_bytes += size;
	return head + 1;
}

static void mock_dealloc(struct m_kernel *k, void *ptr, size_t size)
{
	struct mock_alloc *head = (struct mock_alloc *)ptr - 1;
	struct mock *m = mock_of(k);

	ck_assert_uint_eq(head->magic, MOCK_MAGIC);
	ck_assert_uint_eq(head->size, size);
	memset(head, 0xdd, sizeof(*head) + size);
	free(head);
	m->live--;
	m->live_bytes -= size;
}

/* Runs the next hook as the task "other". */
static void mock_run_hook(struct mock *m)
{
	struct m_task *sleeper = m->k.current;
	u32 i = m->hook_first++;

	m->k.current = &m->tasks[1];
	m->hooks[i](m, m->hook_args[i]);
	m->k.current = sleeper;
}

static s64 mock_schedule(struct m_kernel *k, s64 timeout_ns, bool interruptible)
{
	struct mock *m = mock_of(k);
	struct m_task *task = k->current;
	s64 start = m->slept_ns;

	while (!task->woken && !(interruptible && m->signal)) {
		if (timeout_ns != MAX_SCHEDULE_TIMEOUT &&
		    m->slept_ns - start >= timeout_ns)
			return 0;
		if (m->hook_first < m->hook_count) {
			mock_run_hook(m);
			continue;
		}
		M_ASSERT(timeout_ns != MAX_SCHEDULE_TIMEOUT,
			 "test would sleep forever");
		m->slept_ns = start + timeout_ns;
	}
	if (timeout_ns == MAX_SCHEDULE_TIMEOUT)
		return timeout_ns;
	return timeout_ns - (m->slept_ns - start);
}

static void mock_wake(struct m_kernel *k, struct m_task *task)
{
	(void)k;
	ck_assert(task->woken);
}

static bool mock_signal_pending(struct m_kernel *k)
{
	return mock_of(k)->signal;
}

static void mock_sigpipe(struct m_kernel *k)
{
	mock_of(k)->sigpipes++;
}

static void mock_point(struct m_kernel *k, enum m_point point)
{
	struct mock *m = mock_of(k);

	m->point_fn(m, point, m->point_arg);
}

static void mock_queue_work(struct m_kernel *k, struct m_work *work)
{
	if (work->pending)
		return;
	work->pending = true;
	list_add_tail(&work->list, &mock_of(k)->works);
}

static void mock_cancel_work(struct m_kernel *k, struct m_work *work)
{
	(void)k;
	if (work->pending)
		list_del_init(&work->list);
	work->pending = false;
}

static void mock_xmit(struct sock *sk, u32 flags, u32 ack, u32 win)
{
	struct mock *m = mock_of(sk->k);

	ck_assert_uint_lt(m->xmit_count, MOCK_XMITS);
	m->xmits[m->xmit_count++] = (struct mock_xmit){ flags, ack, win };
}

static void mock_log(struct m_kernel *k, enum m_event_kind kind, s64 a, s64 b,
		     s64 c)
{
	struct mock *m = mock_of(k);

	ck_assert_uint_lt(m->event_count, MOCK_EVENTS);
	m->events[m->event_count++] = (struct mock_event){ kind, a, b, c };
}

static const struct m_ops mock_ops = {
	.alloc = mock_alloc,
	.free = mock_dealloc,
	.schedule = mock_schedule,
	.wake = mock_wake,
	.signal_pending = mock_signal_pending,
	.sigpipe = mock_sigpipe,
	.point = mock_point,
	.queue_work = mock_queue_work,
	.cancel_work = mock_cancel_work,
	.xmit = mock_xmit,
	.event = mock_log,
};

struct mock *mock_new(void)
{
	static const char *const names[MOCK_TASKS] = { "r1", "other", "r2",
						       "r3" };
	struct mock *m = calloc(1, sizeof(*m));
	u32 i;

	ck_assert_ptr_nonnull(m);
	m->k.ops = &mock_ops;
	for (i = 0; i < MOCK_TASKS; i++) {
		m->tasks[i].name = names[i];
		m->tasks[i].id = i;
	}
	m->k.current = &m->tasks[0];
	INIT_LIST_HEAD(&m->works);
	return m;
}

void mock_free(struct mock *m)
{
	ck_assert_uint_eq(m->hook_first, m->hook_count);
	ck_assert_uint_eq(m->live, 0);
	ck_assert_uint_eq(m->live_bytes, 0);
	ck_assert(list_empty(&m->works));
	free(m);
}

void mock_change(struct mock *m, enum m_change change)
{
	m->k.changes.bits[change / 64] |= 1ull << (change % 64);
}

void mock_fail(struct mock *m, enum m_site site, u32 n)
{
	u32 at = m->allocs[site] + n - 1;

	ck_assert_uint_lt(at, 64);
	m->fail_nth[site] |= 1ull << at;
}

void mock_hook(struct mock *m, mock_hook_fn fn, void *arg)
{
	ck_assert_uint_lt(m->hook_count, MOCK_HOOKS);
	m->hooks[m->hook_count] = fn;
	m->hook_args[m->hook_count++] = arg;
}

void mock_points(struct mock *m,
		 void (*fn)(struct mock *m, enum m_point point, void *arg),
		 void *arg)
{
	m->point_fn = fn;
	m->point_arg = arg;
	m->k.points_armed = fn;
}

void mock_run_works(struct mock *m)
{
	struct m_task *saved = m->k.current;

	m->k.current = &m->tasks[1];
	while (!list_empty(&m->works)) {
		struct m_work *work =
			list_entry(m->works.next, struct m_work, list);

		list_del_init(&work->list);
		work->pending = false;
		work->fn(work);
	}
	m->k.current = saved;
}

void mock_events_clear(struct mock *m)
{
	m->event_count = 0;
}

u32 mock_event_count(const struct mock *m, enum m_event_kind kind)
{
	u32 n = 0;
	u32 i;

	for (i = 0; i < m->event_count; i++)
		n += m->events[i].kind == kind;
	return n;
}

const struct mock_event *mock_event(const struct mock *m,
				    enum m_event_kind kind, u32 n)
{
	u32 i;

	for (i = 0; i < m->event_count; i++) {
		if (m->events[i].kind == kind && n-- == 0)
			return &m->events[i];
	}
	return NULL;
}

static u32 order_for(u32 len)
{
	u32 order = 0;

	while (PAGE_SIZE << order < len)
		order++;
	return order;
}

static struct page *mock_page(struct mock *m, u32 seq, u32 len, u32 room)
{
	struct page *page;
	u32 i;

	page = alloc_pages(&m->k, SITE_WIRE_PAGE, order_for(len + room));
	for (i = 0; i < len; i++)
		page->data[i] = mock_byte(seq + i);
	return page;
}

struct sk_buff *mock_skb(struct mock *m, u32 seq, u32 len)
{
	struct sk_buff *skb = alloc_skb(&m->k, SITE_WIRE_SKB);

	if (len)
		skb_add_rx_frag(skb, mock_page(m, seq, len, 0), 0, len, len);
	skb->seq = seq;
	skb->end_seq = seq + len;
	return skb;
}

struct sk_buff *mock_skb_head(struct mock *m, u32 seq, u32 len, u32 room,
			      enum m_head_kind kind)
{
	struct sk_buff *skb = alloc_skb(&m->k, SITE_WIRE_SKB);

	skb_set_head(skb, mock_page(m, seq, len, room), 0, len + room, kind);
	skb_put(skb, len);
	skb->truesize += len + room;
	skb->seq = seq;
	skb->end_seq = seq + len;
	return skb;
}

bool mock_bytes_ok(const u8 *buf, u32 seq, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++) {
		if (buf[i] != mock_byte(seq + i))
			return false;
	}
	return true;
}
