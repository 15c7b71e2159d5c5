/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event log: the only observable. Entries are binary and fixed-size;
 * text is made on demand.
 */
#ifndef SIM_LOG_H
#define SIM_LOG_H

#include "model/kernel.h"
#include "sim/trace/trace.h"

#define LOG_NO_TASK 0xffff

/**
 * struct sim_event - one entry
 * @t_ns: simulated time
 * @a: arguments, see model/events.def
 * @b: likewise
 * @c: likewise
 * @kind: enum m_event_kind
 * @task: task id, LOG_NO_TASK in softirq and work
 * @softirq: in softirq
 */
struct sim_event {
	s64 t_ns;
	s64 a;
	s64 b;
	s64 c;
	u16 kind;
	u16 task;
	u32 softirq;
};

struct sim;

/* A line per event, "+1.000000ms r1 event args". */
void log_print(const struct sim *s, u32 from, u32 to, struct text *out);
/* "IN|OUT", or "none". */
void log_print_mask(u32 mask, struct text *out);
/* FNV-1a 64 over all fields of all events. */
u64 log_hash(const struct sim *s);

#endif
