/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `ktlsim why`: a run told call by call.
 *
 * why.c walks through the calls and compares profiles, why_state.c tells what
 * the world looks like at a moment, advice.def says what to do.
 */
#ifndef SIM_WHY_H
#define SIM_WHY_H

#include "sim/explain/outcome.h"

/**
 * why_run() - perform a trace and tell why each call ended as it did
 * @tr: trace
 * @path: its file
 * @o: profile
 * @out: text is appended
 *
 * Returns the exit code: 0, 1 when an expectation or a promise was broken, 2
 * when the trace cannot be performed on that profile (told on stderr).
 */
int why_run(const struct trace *tr, const char *path, const struct sim_opts *o,
	    struct text *out);

/* why_state.c; all append, without newline. */

/**
 * why_front() - the record that the next read meets
 * @s: world
 * @out: name, type, lengths, how much of it has arrived, where it is
 */
void why_front(const struct sim *s, struct text *out);
/* What is in a pipe, and who has it open. */
void why_pipe(const struct sim *s, u32 pipe, struct text *out);
/* What decides about a call: lists, parser, errors, rekey, reader. */
void why_state(const struct sim *s, struct text *out);
/* What a task's call met: parsed, decrypted, slept, errors; events [@from,
 * @s->event_n). Nothing is appended when it met nothing. */
void why_met(const struct sim *s, u32 task, u32 from, struct text *out);
/**
 * why_cause() - what the peer's stream says about a framing or authentication
 * failure
 * @s: world
 * @reason: of the call
 * @keys_pos: stream byte at which TLS_RX was set first
 * @out: one or two sentences; nothing for other reasons
 */
void why_cause(const struct sim *s, enum m_reason reason, u64 keys_pos,
	       struct text *out);

#endif
