// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernels there are.
 * How: v7.2 is the baseline and has no changes; others list theirs.
 * Left out: what a change does, that is in the model function it touches.
 */
#include "sim/world/profile.h"

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

const struct profile profile_table[] = {
	{ "v7.2", "Linux 7.2.7 to 7.3, the baseline", no_changes },
	{ "v6.12", "the newest 6.12 here, v6.12.117", v6_12_117 },
	{ "v6.12.117", "Linux 6.12.117", v6_12_117 },
	{ "v6.12.113", "Linux 6.12.113, as Debian 13 has it", v6_12_113 },
	{ "v6.1", "the newest 6.1 here, v6.1.192", v6_1_192 },
	{ "v6.1.192", "Linux 6.1.192", v6_1_192 },
	{ "v6.1.176", "Linux 6.1.176, as Debian 12 has it", v6_1_176 },
};
const u32 profile_n = ARRAY_SIZE(profile_table);

const struct profile *profile_find(const char *name)
{
	u32 i;

	for (i = 0; i < profile_n; i++) {
		if (!strcmp(profile_table[i].name, name))
			return &profile_table[i];
	}
	return NULL;
}

void profile_changes(const struct profile *p, struct m_changes *out)
{
	const u16 *c;

	memset(out, 0, sizeof(*out));
	for (c = p->changes; *c != CHANGE_NONE; c++)
		out->bits[*c / 64] |= 1ull << (*c % 64);
}
