// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzz target: any bytes as a trace.
 *
 * The parser must accept them or say why not, with a place inside the text.
 * What it accepts is printed; that text must parse, and print the same again
 * (promise T2).
 *
 * Left out: running the trace (other targets do).
 */
#include <stdlib.h>

#include "sim/trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void broken(const char *what, const struct sim_err *err,
		   const struct text *text)
{
	fprintf(stderr, "fuzz_trace: %s\n", what);
	if (err)
		sim_err_print(err, stderr);
	if (text)
		fwrite(text->buf, 1, text->len, stderr);
	abort();
}

/* Lines of the text, the last one maybe without its end. */
static u32 line_count(const char *text, size_t size)
{
	u32 lines = 1;

	for (size_t i = 0; i + 1 < size; i++)
		lines += text[i] == '\n';
	return lines;
}

static void check_err(const struct sim_err *err, const char *text, size_t size)
{
	if (!err->line || err->line > line_count(text, size))
		broken("an error in a line that is not there", err, NULL);
	if (!err->col || err->col > TRACE_LINE_MAX + 1)
		broken("an error in a column that is not there", err, NULL);
	if (!err->msg[0])
		broken("an error without a message", err, NULL);
}

static void check_again(struct mem_pool *pool, const struct text *first)
{
	struct trace tr = { .pool = pool };
	struct text second = { 0 };
	struct sim_err err;

	if (trace_parse(&tr, "printed", first->buf, first->len, &err))
		broken("printed text does not parse", &err, first);
	trace_print(&tr, &second);
	if (second.len != first->len ||
	    memcmp(second.buf, first->buf, first->len) != 0)
		broken("printed text prints differently", NULL, first);
	text_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_pool *pool = mem_pool_new();
	struct trace tr = { .pool = pool };
	const char *input = (const char *)data;
	struct text text = { 0 };
	struct sim_err err;

	if (trace_parse(&tr, "input", input, size, &err)) {
		if (size <= TRACE_FILE_MAX)
			check_err(&err, input, size);
	} else {
		trace_print(&tr, &text);
		check_again(pool, &text);
	}
	text_free(&text);
	mem_pool_free(pool);
	return 0;
}
