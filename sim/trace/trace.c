// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traces: defaults, the size of a record, names of errnos and record types,
 * and reading a file.
 *
 * A file must be regular and no larger than TRACE_FILE_MAX; it is read whole,
 * parsed, and given back, since a parsed trace keeps no pointer into its text.
 *
 * Left out: what the text means (trace_parse.c).
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/trace/trace_words.h"

#define MSS_LOOPBACK 65483u

void trace_opts_default(struct trace_opts *opts)
{
	*opts = (struct trace_opts){
		.version = TLS_1_3_VERSION,
		.cipher = TLS_CIPHER_AES_GCM_128,
		.mss = MSS_LOOPBACK,
		.layout = LAYOUT_FRAG,
		.ulp = true,
		.rx = true,
	};
}

s64 trace_rec_wire_len(const struct trace_opts *opts,
		       const struct trace_rec *rec)
{
	s64 len = TLS_HEADER_SIZE + (s64)rec->len + TLS_TAG_SIZE;

	if (rec->kind == REC_OPENSSL)
		return -1;
	if (rec->kind == REC_RAW)
		return rec->len;
	if (opts->version == TLS_1_3_VERSION)
		return len + rec->pad + !(rec->mods & MOD_NOINNER);
	return opts->cipher == TLS_CIPHER_CHACHA20_POLY1305 ? len : len + 8;
}

void sim_err_print(const struct sim_err *err, FILE *to)
{
	if (err->line)
		fprintf(to, "%s:%u:%u: %s\n", err->file, err->line, err->col,
			err->msg);
	else
		fprintf(to, "%s: %s\n", err->file, err->msg);
}

const char *errno_name(int err)
{
	return err > 0 ? word_name(&errno_words, (u32)err) : NULL;
}

int errno_value(const char *name, size_t len)
{
	const struct trace_word *words = errno_words.base;
	int i = len ? names_find(&errno_words, name, len) : -1;

	return i < 0 ? 0 : (int)words[i].val;
}

const char *rec_type_name(u8 type)
{
	return word_name(&type_words, type);
}

static int load_fail(struct sim_err *err, const char *path, const char *what,
		     const char *why)
{
	*err = (struct sim_err){ .file = path };
	snprintf(err->msg, sizeof(err->msg), "%s%s%s", what, why ? ": " : "",
		 why ? why : "");
	return -1;
}

/* Reads until the end or @size bytes; -1 with errno. */
static ssize_t read_all(int fd, char *buf, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = read(fd, buf + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		len += (size_t)n;
	}
	return (ssize_t)len;
}

/* Opens a regular file of acceptable size; -1 with @err. */
static int open_trace(const char *path, size_t *size, struct sim_err *err)
{
	/* A pipe without a writer must not make us wait. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return load_fail(err, path, "cannot open", strerror(errno));
	if (fstat(fd, &st)) {
		load_fail(err, path, "cannot look at it", strerror(errno));
	} else if (S_ISDIR(st.st_mode)) {
		load_fail(err, path, "is a directory, expected a file", NULL);
	} else if (!S_ISREG(st.st_mode)) {
		load_fail(err, path, "is not a regular file", NULL);
	} else if (st.st_size > (off_t)TRACE_FILE_MAX) {
		load_fail(err, path, "is too large", NULL);
		snprintf(err->msg, sizeof(err->msg),
			 "file of %lld bytes, expected at most %u",
			 (long long)st.st_size, TRACE_FILE_MAX);
	} else {
		*size = (size_t)st.st_size;
		return fd;
	}
	close(fd);
	return -1;
}

int trace_load(struct trace *tr, const char *path, struct sim_err *err)
{
	size_t size = 0;
	int fd = open_trace(path, &size, err);
	ssize_t len;
	char *buf;
	int rc;

	if (fd < 0)
		return -1;
	buf = malloc(size + 1);
	if (!buf) {
		close(fd);
		return load_fail(err, path, "cannot read", strerror(ENOMEM));
	}
	len = read_all(fd, buf, size);
	rc = len < 0 ? errno : 0;
	close(fd);
	if (rc)
		rc = load_fail(err, path, "cannot read", strerror(rc));
	else
		rc = trace_parse(tr, path, buf, (size_t)len, err);
	free(buf);
	return rc;
}
