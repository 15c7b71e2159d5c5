/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the commands that work on one trace share: loading it, choosing the
 * kernel. Unusable input is one line on stderr.
 */
#ifndef SIM_TOOL_H
#define SIM_TOOL_H

#include "sim/world/profile.h"
#include "sim/world/world.h"

#define TOOL_PROFILES_MAX 16u

/* 0, or -1 after telling what is wrong. @tr->pool must be set. */
int tool_load(struct trace *tr, const char *path);
/**
 * tool_opts() - options of a run
 * @tr: trace
 * @path: its file, for messages
 * @name: profile, NULL: what the trace says, else the baseline
 * @out: options; known findings are passed over
 *
 * 0, or -1 after telling what is wrong.
 */
int tool_opts(const struct trace *tr, const char *path, const char *name,
	      struct sim_opts *out);
/* @p must outlive the run. */
void tool_opts_of(const struct profile *p, struct sim_opts *out);
/* A profile by name, which must outlive @out; -1 after telling. */
int tool_profile(const char *option, const char *name, struct profile *out);
/**
 * tool_profiles() - several profiles
 * @pool: for their names
 * @option: for messages
 * @list: "A,B,C"
 * @min: how many at least
 * @out: profiles in that order
 *
 * How many, or -1 after telling what is wrong.
 */
int tool_profiles(struct mem_pool *pool, const char *option, const char *list,
		  u32 min, struct profile out[TOOL_PROFILES_MAX]);
/* Prints a VERDICT_INPUT of @s; returns -1. */
int tool_input_error(const struct sim *s, const char *path);
/* A number of decimal or 0x digits in [@min, @max]; -1 after telling. */
int tool_number(const char *option, const char *s, u64 min, u64 max, u64 *out);
/* Exactly one argument left at @at; NULL after telling what is wrong. */
const char *tool_one_file(int argc, char **argv, int at);

#endif
