/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A proxy that drains a TLS stream with splice, or with recvmsg: how many calls,
 * and what each does. `ktlsim bench splice-drain` and `ktlsim claims` count with it.
 */
#ifndef SIM_SPLICE_DRAIN_H
#define SIM_SPLICE_DRAIN_H

#include "sim/world/profile.h"

/**
 * struct splice_drain - one stream, and what draining it took
 * @profile: kernel
 * @pipe_bytes: size of the pipe; it is emptied behind each call
 * @rec_len: plaintext bytes of a record
 * @recs: records
 * @ready: records there when a call begins, at most; 0: all of them
 * @single_pages: no page of a higher order can be had
 * @recv: recvmsg with a buffer of the pipe's size instead
 * @calls: out: calls that returned bytes
 * @per_call: out: records decrypted in one call with the pipe's mutex held, at
 *	most
 * @in_vain: out: records decrypted in a call that had no room for them
 * @flushes: out: looks at the backlog between records of a call
 * @ns: out: time in the calls
 */
struct splice_drain {
	const struct profile *profile;
	u32 pipe_bytes;
	u32 rec_len;
	u32 recs;
	u32 ready;
	bool single_pages;
	bool recv;
	u64 calls;
	u64 per_call;
	u64 in_vain;
	u64 flushes;
	u64 ns;
};

struct sim;

/* Runs it in @s; the out fields are set. */
void splice_drain_run(struct sim *s, struct splice_drain *d);
/* Hundredths of a call for each MiB. */
u64 splice_drain_rate(const struct splice_drain *d);

#endif
