// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A growing text buffer, and files made of it.
 *
 * The buffer doubles, always ends in a NUL that @len does not count, and is
 * owned by malloc because it outlives pools and grows without bound.
 *
 * Left out: recovery from lack of memory, which aborts.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/trace/trace.h"

#define TEXT_SIZE_MIN 256u

/* Room for @len more bytes and the NUL. */
static void text_room(struct text *t, size_t len)
{
	size_t size = t->size ? t->size : TEXT_SIZE_MIN;

	if (likely(t->size - t->len > len))
		return;
	while (size - t->len <= len)
		size *= 2;
	t->buf = realloc(t->buf, size);
	if (!t->buf) {
		fprintf(stderr, "ktlsim: out of memory (%zu bytes)\n", size);
		abort();
	}
	t->size = size;
}

void text_add(struct text *t, const char *s, size_t len)
{
	text_room(t, len);
	if (len)
		memcpy(t->buf + t->len, s, len);
	t->len += len;
	t->buf[t->len] = '\0';
}

void text_puts(struct text *t, const char *s)
{
	text_add(t, s, strlen(s));
}

void text_putc(struct text *t, char c)
{
	text_add(t, &c, 1);
}

void text_printf(struct text *t, const char *fmt, ...)
{
	va_list args;
	int len;

	text_room(t, TEXT_SIZE_MIN / 2);
	va_start(args, fmt);
	len = vsnprintf(t->buf + t->len, t->size - t->len, fmt, args);
	va_end(args);
	if (len < 0)
		return;
	if ((size_t)len >= t->size - t->len) {
		text_room(t, (size_t)len);
		va_start(args, fmt);
		vsnprintf(t->buf + t->len, t->size - t->len, fmt, args);
		va_end(args);
	}
	t->len += (size_t)len;
}

void text_free(struct text *t)
{
	free(t->buf);
	*t = (struct text){ 0 };
}

/* Devices and pipes are written to as they are. */
static bool replaceable(const char *path)
{
	struct stat st;

	return lstat(path, &st) || S_ISREG(st.st_mode);
}

static int write_to(const struct text *t, const char *path)
{
	FILE *f = fopen(path, "we");
	bool whole;

	if (!f)
		return -1;
	whole = fwrite(t->buf, 1, t->len, f) == t->len;
	return fclose(f) || !whole ? -1 : 0;
}

/* Under another name until it is whole. */
static int replace_with(const struct text *t, const char *path)
{
	struct text part = { 0 };
	int ret, err;

	text_printf(&part, "%s.part", path);
	ret = write_to(t, part.buf);
	if (!ret)
		ret = rename(part.buf, path);
	if (ret) {
		err = errno;
		unlink(part.buf);
		errno = err;
	}
	text_free(&part);
	return ret;
}

int text_write(const struct text *t, const char *path)
{
	if (!(replaceable(path) ? replace_with(t, path) : write_to(t, path)))
		return 0;
	fprintf(stderr, "ktlsim: cannot write %s: %s\n", path, strerror(errno));
	return -1;
}
