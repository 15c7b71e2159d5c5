/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Consumers that are told of records, and how often: the questions of the review
 * of "tls: Suppress spurious saved_data_ready on all receive paths".
 * docs/wakeups.md has the figures; `ktlsim bench wakeups` makes them.
 */
#ifndef SIM_WAKEUPS_H
#define SIM_WAKEUPS_H

#include "sim/world/profile.h"

/* Who reads. */
enum consumer {
	/* As NFSD: a call-back marks the connection, a thread takes it, reads
	 * one request with read_sock and marks it again if it got it whole. */
	CONSUMER_NFSD,
	/* One thread: epoll, level-triggered, one recvmsg an event. */
	CONSUMER_LEVEL,
	/* One thread waits for edges, another reads until EAGAIN. */
	CONSUMER_EDGE,
	/* The same, but it reads once, a request. */
	CONSUMER_EDGE_REQUEST,
	/* The same, half a request. */
	CONSUMER_EDGE_HALF,
};

/**
 * struct wakeups - a load, and what it took
 * @profile: kernel
 * @consumer: see enum consumer
 * @req_len: bytes of a request
 * @jobs: requests of a connection that are on their way at a time
 * @conns: connections, each with a consumer
 * @reqs: requests of a connection in all
 * @seed: of what arrives when
 * @records: out: all records
 * @bytes: out: all plaintext
 * @announces: out: calls of saved_data_ready
 * @spurious: out: the consumer ran because it was told, and found nothing
 * @lost: out: times that all stood still, nobody was told, and there was
 *	something to read; the consumer is then run by hand
 * @looks: out: times the parser looked at what TCP has
 * @rounds: out: rounds of tls_rx_rec_wait()
 */
struct wakeups {
	struct profile profile;
	enum consumer consumer;
	u32 req_len;
	u32 jobs;
	u32 conns;
	u32 reqs;
	u64 seed;
	u64 records;
	u64 bytes;
	u64 announces;
	u64 spurious;
	u64 lost;
	u64 looks;
	u64 rounds;
};

/* Runs it; the out fields are set, the same in every run. */
void wakeups_run(struct wakeups *w);

#endif
