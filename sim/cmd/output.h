/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results of `ktlsim run` in the formats people and machines read.
 */
#ifndef SIM_OUTPUT_H
#define SIM_OUTPUT_H

#include <stdio.h>

#include "sim/check/report.h"

enum output_format {
	OUTPUT_TEXT,
	OUTPUT_KTAP,
	OUTPUT_JSON,
	OUTPUT_JUNIT
};

struct output;

/* -1: unknown word. */
int output_format_parse(const char *word, enum output_format *out);

/**
 * output_new() - start writing results
 * @f: where to
 * @format: how
 * @planned: number of traces to come
 * @quiet: no summary at the end (hashes)
 */
struct output *output_new(FILE *f, enum output_format format, u32 planned,
			  bool quiet);
/* Each returns the exit code of that one result: 0, 1 or 2. */
int output_result(struct output *o, const struct sim *s, const char *path,
		  bool log);
int output_hash(struct output *o, const struct sim *s, const char *path);
/* The one line goes to stderr in every format. */
int output_input_error(struct output *o, const char *path,
		       const struct sim_err *err);
/* Summary; frees @o. */
void output_end(struct output *o);

#endif
