/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What should be in a pipe, for D1: pages in a pipe are shared with the
 * kernel, so bytes that were right when they went in could be overwritten.
 */
#ifndef SIM_INV_D1_PIPE_H
#define SIM_INV_D1_PIPE_H

#include "sim/world/world.h"

enum d1_source {
	D1_RECORD, /* plaintext of a record */
	D1_RAW, /* the raw stream */
	D1_WRITTEN, /* write(2): ff bytes */
	D1_UNKNOWN, /* not known any more */
};

/* A run of bytes from one source. */
struct d1_run {
	enum d1_source source;
	u32 rec;
	u64 off;
	u64 len;
};

/* Runs of one pipe, oldest at @first. */
struct d1_pipe {
	struct d1_run *runs;
	u32 n;
	u32 first;
};

/* Adds bytes at the pipe's end; @pipes is made at first use. */
void d1_push(struct sim *s, struct d1_pipe **pipes, u32 pipe,
	     enum d1_source source, u32 rec, u64 off, u64 len);
/* The newest @len bytes of the pipe are bytes [@off, ...) of record @rec. */
bool d1_newest_match(const struct sim *s, u32 pipe, u32 rec, u32 off, u32 len);
/* EV_PIPE_DEL of a read: the caller must have got the oldest bytes. */
void d1_read(struct sim *s, struct d1_pipe *pipes, const struct sim_event *e);

#endif
