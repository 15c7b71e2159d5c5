// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernels there are.
 * How: v7.2 is the baseline and has no changes; others list theirs. A name may go on with
 * changes to add or to take away.
 * Left out: what a change does, that is in the model function it touches.
 */
#include "sim/world/profile.h"

#include <stdio.h>

static const u16 no_changes[] = { CHANGE_NONE };

#define LACKED_BY_6_12                                                \
	CHANGE_NO_ANNOUNCE_DEFERRED, CHANGE_NO_REKEY_ALLOWED,         \
		CHANGE_NO_KEYUPDATE_PAUSES, CHANGE_NO_REKEY_COUNTERS, \
		CHANGE_NO_TX_MAX_PAYLOAD_OPT, CHANGE_RMEM_MAX_208K,   \
		CHANGE_PIPE_WAKE_WAS_FULL, CHANGE_SEQ_BEYOND_WINDOW,  \
		CHANGE_RCVBUF_GROWS_ON_READ, CHANGE_SPLICE_EXTRA_UNLOCK

/* 6.12 has a read_sock of TLS, and the faults of its youth; 6.1 has none. */
#define READ_SOCK_OF_6_12                                             \
	CHANGE_NO_READ_SOCK_REQUEUE, CHANGE_NO_READ_SOCK_COUNT_FIRST, \
		CHANGE_READ_SOCK_EMPTY_IGNORES_COUNT

#define LACKED_BY_6_1                                                      \
	LACKED_BY_6_12, CHANGE_NO_POLL_FULL_RECORD, CHANGE_NO_SK_ERR_KEPT, \
		CHANGE_NO_REC_WAIT_FLUSH, CHANGE_NO_READ_SOCK_OP,          \
		CHANGE_NO_CTX_BUFFERS_INLINE, CHANGE_FRAG_ORDER_ZERO,      \
		CHANGE_FLUSH_NO_RELEASE_CB, CHANGE_NO_PEEK_OFF,            \
		CHANGE_NO_ACK_DEFER, CHANGE_NO_BARE_FIN_ZERO_WINDOW,       \
		CHANGE_RMEM_DROP_SILENT, CHANGE_WINDOW_FROM_HALF_SPACE,    \
		CHANGE_RECVMMSG_NONE_EBADF

static const u16 v6_12_117[] = { LACKED_BY_6_12, READ_SOCK_OF_6_12,
				 CHANGE_NONE };
static const u16 v6_12_113[] = { LACKED_BY_6_12, READ_SOCK_OF_6_12,
				 CHANGE_NOPAD_RETRY_ITER, CHANGE_NONE };
static const u16 v6_1_192[] = { LACKED_BY_6_1, CHANGE_NONE };
static const u16 v6_1_176[] = {
	LACKED_BY_6_1,
	CHANGE_DATA_STOLEN,
	CHANGE_SPLICE_AFTER_ASYNC_FAILURE,
	CHANGE_HEADER_OVER_OVERLAP,
	CHANGE_SPLICE_SMALL_PIPE_LOSS,
	CHANGE_NOPAD_RETRY_ITER,
	CHANGE_NONE,
};

/* Patches on trial. */
static const u16 announce_v7[] = { CHANGE_PARSE_V7, CHANGE_ANNOUNCE_EACH_EXIT,
				   CHANGE_NONE };
static const u16 splice_coalesce[] = { CHANGE_SPLICE_COALESCE, CHANGE_NONE };
static const u16 splice_coalesce_fixed[] = { CHANGE_SPLICE_COALESCE_FIXED,
					     CHANGE_NONE };

#define KERNEL(name_, text_, changes_)                            \
	{                                                         \
		.name = name_, .text = text_, .changes = changes_ \
	}
#define PATCH(name_, text_, changes_)                              \
	{                                                          \
		.name = name_, .text = text_, .changes = changes_, \
		.patch = true                                      \
	}

const struct profile profile_table[] = {
	KERNEL("v7.2", "Linux 7.2.7 to 7.3, the baseline", no_changes),
	KERNEL("v6.12", "the newest 6.12 here, v6.12.117", v6_12_117),
	KERNEL("v6.12.117", "Linux 6.12.117", v6_12_117),
	KERNEL("v6.12.113", "Linux 6.12.113, as Debian 13 has it", v6_12_113),
	KERNEL("v6.1", "the newest 6.1 here, v6.1.192", v6_1_192),
	KERNEL("v6.1.192", "Linux 6.1.192", v6_1_192),
	KERNEL("v6.1.176", "Linux 6.1.176, as Debian 12 has it", v6_1_176),
	PATCH("patch-announce-v7",
	      "v7.2 as v7 of the patch that defers "
	      "saved_data_ready would have had it",
	      announce_v7),
	PATCH("rfc-splice-coalesce",
	      "v7.2 with the posted patch that splices "
	      "several records a call",
	      splice_coalesce),
	PATCH("splice-coalesce-fixed",
	      "v7.2 with a version of it that keeps "
	      "7.2's promises",
	      splice_coalesce_fixed),
};
const u32 profile_n = ARRAY_SIZE(profile_table);

static const struct profile *find_n(const char *name, size_t len)
{
	u32 i;

	for (i = 0; i < profile_n; i++) {
		if (strlen(profile_table[i].name) == len &&
		    !memcmp(profile_table[i].name, name, len))
			return &profile_table[i];
	}
	return NULL;
}

const struct profile *profile_find(const char *name)
{
	return find_n(name, strlen(name));
}

static int change_find_n(const char *name, size_t len)
{
	int c;

	for (c = 0; c < M_CHANGE_COUNT; c++) {
		if (c != CHANGE_NONE && strlen(m_change_name[c]) == len &&
		    !memcmp(m_change_name[c], name, len))
			return c;
	}
	return CHANGE_NONE;
}

/* @at: the sign in front of the change, @len: with it. */
static int flip(struct profile *p, const char *at, size_t len, char *why)
{
	int c = change_find_n(at + 1, len - 1);
	struct m_changes now;
	u64 bit = 1ull << (c % 64);
	bool has;

	if (c == CHANGE_NONE) {
		snprintf(why, PROFILE_WHY_MAX,
			 "unknown change '%.*s', expected one of `ktlsim "
			 "changes`",
			 (int)len - 1, at + 1);
		return -1;
	}
	profile_changes(p, &now);
	has = now.bits[c / 64] & bit;
	if (has == (*at == '+')) {
		snprintf(why, PROFILE_WHY_MAX,
			 "the profile %s change '%s', expected %s",
			 has ? "already has" : "does not have",
			 m_change_name[c],
			 has ? "one that it lacks behind '+'" :
			       "one of its own behind '~'");
		return -1;
	}
	p->flip.bits[c / 64] ^= bit;
	return 0;
}

int profile_parse(const char *name, struct profile *out, char *why)
{
	size_t len = strcspn(name, "+~");
	const struct profile *base;
	const char *at;

	base = find_n(name, len);
	if (!base || strlen(name) > PROFILE_NAME_MAX) {
		snprintf(why, PROFILE_WHY_MAX,
			 "unknown profile '%.*s', expected one of `ktlsim "
			 "profiles`, with +CHANGE or ~CHANGE behind it or not",
			 (int)PROFILE_NAME_MAX, name);
		return -1;
	}
	*out = *base;
	for (at = name + len; *at; at += len) {
		len = 1 + strcspn(at + 1, "+~");
		if (flip(out, at, len, why))
			return -1;
		out->text = NULL;
	}
	out->name = name;
	return 0;
}

void profile_changes(const struct profile *p, struct m_changes *out)
{
	const u16 *c;

	*out = p->flip;
	for (c = p->changes; *c != CHANGE_NONE; c++)
		out->bits[*c / 64] ^= 1ull << (*c % 64);
}
