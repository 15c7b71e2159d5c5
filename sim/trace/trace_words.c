// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of the words of the trace language, and looking words up.
 *
 * One table a kind of word; lists kept elsewhere (calls, points, sites,
 * reasons, counters) are used where they are. Lookup is linear: the tables are
 * short, and a line has few words.
 *
 * Left out: names a trace declares; the parser keeps those.
 */
#include "sim/trace/trace_words.h"

#define NAMES_INIT(arr) (arr), sizeof((arr)[0]), ARRAY_SIZE(arr)

static const char *const set_list[SET_COUNT] = {
	[SET_TLS] = "tls",	     [SET_CIPHER] = "cipher",
	[SET_PROFILE] = "profile",   [SET_RCVBUF] = "rcvbuf",
	[SET_MSS] = "mss",	     [SET_RCVLOWAT] = "rcvlowat",
	[SET_RCVTIMEO] = "rcvtimeo", [SET_SEQ] = "seq",
	[SET_SKB] = "skb",	     [SET_HELD] = "held",
	[SET_NOPAD] = "nopad",	     [SET_NONBLOCK] = "nonblock",
	[SET_ULP] = "ulp",	     [SET_RX] = "rx",
	[SET_PEER] = "peer",	     [SET_FINISH] = "finish",
};
const struct names set_names = { NAMES_INIT(set_list) };

static const struct trace_word version_list[] = {
	{ "1.3", TLS_1_3_VERSION },
	{ "1.2", TLS_1_2_VERSION },
};
const struct names version_words = { NAMES_INIT(version_list) };

static const struct trace_word cipher_list[] = {
	{ "aes-128-gcm", TLS_CIPHER_AES_GCM_128 },
	{ "aes-256-gcm", TLS_CIPHER_AES_GCM_256 },
	{ "aes-128-ccm", TLS_CIPHER_AES_CCM_128 },
	{ "chacha20-poly1305", TLS_CIPHER_CHACHA20_POLY1305 },
	{ "sm4-gcm", TLS_CIPHER_SM4_GCM },
	{ "sm4-ccm", TLS_CIPHER_SM4_CCM },
	{ "aria-128-gcm", TLS_CIPHER_ARIA_GCM_128 },
	{ "aria-256-gcm", TLS_CIPHER_ARIA_GCM_256 },
};
const struct names cipher_words = { NAMES_INIT(cipher_list) };

static const char *const layout_list[LAYOUT_COUNT] = {
	[LAYOUT_FRAG] = "frag",
	[LAYOUT_PAGES] = "pages",
	[LAYOUT_HEAD_FRAG] = "head",
	[LAYOUT_HEAD_SLAB] = "slab",
};
const struct names layout_names = { NAMES_INIT(layout_list) };

static const struct trace_word type_list[] = {
	{ "data", TLS_RECORD_TYPE_DATA },
	{ "alert", TLS_RECORD_TYPE_ALERT },
	{ "handshake", TLS_RECORD_TYPE_HANDSHAKE },
	{ "ccs", TLS_RECORD_TYPE_CCS },
};
const struct names type_words = { NAMES_INIT(type_list) };

/* In the order they are printed. */
static const struct trace_word mod_list[] = {
	{ "pad", MOD_PAD_WORD }, { "badtag", MOD_BADTAG },
	{ "badct", MOD_BADCT },	 { "ver", MOD_VER },
	{ "len", MOD_LEN },	 { "dlen", MOD_DLEN },
	{ "outer", MOD_OUTER },	 { "seq", MOD_SEQ },
	{ "zero", MOD_ZERO },	 { "noinner", MOD_NOINNER },
};
const struct names mod_words = { NAMES_INIT(mod_list) };

static const char *const ossl_list[] = {
	[OSSL_DATA] = "data",
	[OSSL_TICKET] = "ticket",
	[OSSL_KEYUPDATE] = "keyupdate",
	[OSSL_CLOSE] = "close",
};
const struct names ossl_names = { NAMES_INIT(ossl_list) };

static const struct trace_word msg_flag_list[] = {
	{ "peek", M_MSG_PEEK },
	{ "waitall", M_MSG_WAITALL },
	{ "dontwait", M_MSG_DONTWAIT },
	{ "trunc", M_MSG_TRUNC },
	{ "oob", M_MSG_OOB },
	{ "errqueue", M_MSG_ERRQUEUE },
	{ "cloexec", M_MSG_CMSG_CLOEXEC },
	{ "waitforone", M_MSG_WAITFORONE },
};
const struct names msg_flag_words = { NAMES_INIT(msg_flag_list) };

static const struct trace_word out_flag_list[] = {
	{ "EOR", M_MSG_EOR },
	{ "CTRUNC", M_MSG_CTRUNC },
	{ "TRUNC", M_MSG_TRUNC },
	{ "OOB", M_MSG_OOB },
	{ "PEEK", M_MSG_PEEK },
	{ "DONTWAIT", M_MSG_DONTWAIT },
	{ "WAITALL", M_MSG_WAITALL },
	{ "ERRQUEUE", M_MSG_ERRQUEUE },
	{ "CLOEXEC", M_MSG_CMSG_CLOEXEC },
	{ "WAITFORONE", M_MSG_WAITFORONE },
};
const struct names out_flag_words = { NAMES_INIT(out_flag_list) };

static const struct trace_word splice_flag_list[] = {
	{ "nb", M_SPLICE_F_NONBLOCK },
	{ "more", M_SPLICE_F_MORE },
	{ "move", M_SPLICE_F_MOVE },
};
const struct names splice_flag_words = { NAMES_INIT(splice_flag_list) };

static const struct trace_word poll_list[] = {
	{ "IN", M_POLLIN },	    { "PRI", M_POLLPRI },
	{ "OUT", M_POLLOUT },	    { "ERR", M_POLLERR },
	{ "HUP", M_POLLHUP },	    { "RDHUP", M_POLLRDHUP },
	{ "RDNORM", M_POLLRDNORM }, { "RDBAND", M_POLLRDBAND },
	{ "WRNORM", M_POLLWRNORM }, { "WRBAND", M_POLLWRBAND },
};
const struct names poll_words = { NAMES_INIT(poll_list) };

static const char *const shut_list[] = {
	[M_SHUT_RD] = "rd",
	[M_SHUT_WR] = "wr",
	[M_SHUT_RDWR] = "rdwr",
};
const struct names shut_names = { NAMES_INIT(shut_list) };

static const struct sockopt_word sockopt_list[] = {
	{ "tls_rx", SOL_TLS_M, TLS_RX, SOCKOPT_KEYS },
	{ "tls_tx", SOL_TLS_M, TLS_TX, SOCKOPT_KEYS },
	{ "tls_tx_zerocopy", SOL_TLS_M, TLS_TX_ZEROCOPY_RO, SOCKOPT_INT },
	{ "tls_rx_no_pad", SOL_TLS_M, TLS_RX_EXPECT_NO_PAD, SOCKOPT_INT },
	{ "tls_tx_max_payload", SOL_TLS_M, TLS_TX_MAX_PAYLOAD_LEN,
	  SOCKOPT_INT },
	{ "so_error", SOL_SOCKET_M, SO_ERROR_M, SOCKOPT_INT },
	{ "rcvbuf", SOL_SOCKET_M, SO_RCVBUF_M, SOCKOPT_INT },
	{ "oobinline", SOL_SOCKET_M, SO_OOBINLINE_M, SOCKOPT_INT },
	{ "rcvlowat", SOL_SOCKET_M, SO_RCVLOWAT_M, SOCKOPT_INT },
	{ "rcvtimeo", SOL_SOCKET_M, SO_RCVTIMEO_M, SOCKOPT_TIME },
	{ "peek_off", SOL_SOCKET_M, SO_PEEK_OFF_M, SOCKOPT_INT },
	{ "ulp", SOL_TCP_M, TCP_ULP_M, SOCKOPT_NAME },
	{ "tcp_inq", SOL_TCP_M, TCP_INQ_M, SOCKOPT_INT },
};
const struct names sockopt_words = { NAMES_INIT(sockopt_list) };

const char *const call_name[CALL_COUNT] = {
#define CALL(id, name, what) [CALL_##id] = name,
#include "sim/trace/calls.def"
#undef CALL
};
const struct names call_names = { NAMES_INIT(call_name) };

static const char *const counter_list[CNT_COUNT] = {
#define COUNTER(id, name, what) [CNT_##id] = name,
#include "sim/world/counters.def"
#undef COUNTER
};
const struct names counter_names = { NAMES_INIT(counter_list) };

const struct names mib_names = { NAMES_INIT(m_mib_name) };
const struct names point_names = { NAMES_INIT(m_point_name) };
const struct names site_names = { NAMES_INIT(m_site_name) };
const struct names reason_names = { NAMES_INIT(m_reason_name) };

static const char *const subject_list[] = {
	"set",	"peer",	  "wire",   "send", "pipe",
	"fail", "signal", "expect", "at",   "end",
};
const struct names subject_names = { NAMES_INIT(subject_list) };

static const char *const result_list[] = {
	"data", "alert",   "handshake", "ccs",	   "type",   "notype",
	"eor",	"flags=",  "past=",	"why=",	   "stream", "hex",
	"err=", "outlen=", "value=",	"ctllen=",
};
const struct names result_words = { NAMES_INIT(result_list) };

static const char *const reserved_list[] = {
	"set",	  "peer",   "wire", "send",   "pipe",	"fail",
	"signal", "expect", "at",   "end",    "run",	"key",
	"fin",	  "rst",    "any",  "blocks", "none",	"returns",
	"data",	  "alert",  "ccs",  "type",   "stream", "handshake",
	"notype", "eor",    "hex",  "work",   "timer",	"urg",
};
static const struct names reserved_names = { NAMES_INIT(reserved_list) };

#define E(name) #name, name
static const struct trace_word errno_list[] = {
	{ E(EPERM) },	     { E(ENOENT) },
	{ E(EINTR) },	     { E(EIO) },
	{ E(ENXIO) },	     { E(E2BIG) },
	{ E(EBADF) },	     { E(EAGAIN) },
	{ E(ENOMEM) },	     { E(EACCES) },
	{ E(EFAULT) },	     { E(EBUSY) },
	{ E(EEXIST) },	     { E(ENODEV) },
	{ E(EINVAL) },	     { E(ENFILE) },
	{ E(EMFILE) },	     { E(ENOTTY) },
	{ E(EFBIG) },	     { E(ENOSPC) },
	{ E(ESPIPE) },	     { E(EPIPE) },
	{ E(EDOM) },	     { E(ERANGE) },
	{ E(EDEADLK) },	     { E(ENAMETOOLONG) },
	{ E(ENOSYS) },	     { E(ENOMSG) },
	{ E(ENODATA) },	     { E(ETIME) },
	{ E(EPROTO) },	     { E(EBADMSG) },
	{ E(EOVERFLOW) },    { E(EILSEQ) },
	{ E(ENOTSOCK) },     { E(EDESTADDRREQ) },
	{ E(EMSGSIZE) },     { E(EPROTOTYPE) },
	{ E(ENOPROTOOPT) },  { E(EPROTONOSUPPORT) },
	{ E(EOPNOTSUPP) },   { E(EAFNOSUPPORT) },
	{ E(EADDRINUSE) },   { E(EADDRNOTAVAIL) },
	{ E(ENETDOWN) },     { E(ENETUNREACH) },
	{ E(ENETRESET) },    { E(ECONNABORTED) },
	{ E(ECONNRESET) },   { E(ENOBUFS) },
	{ E(EISCONN) },	     { E(ENOTCONN) },
	{ E(ESHUTDOWN) },    { E(ETIMEDOUT) },
	{ E(ECONNREFUSED) }, { E(EHOSTDOWN) },
	{ E(EHOSTUNREACH) }, { E(EALREADY) },
	{ E(EINPROGRESS) },  { E(EKEYEXPIRED) },
	{ E(EKEYREJECTED) }, { E(ECANCELED) },
	{ E(ERESTARTSYS) },
};
#undef E
const struct names errno_words = { NAMES_INIT(errno_list) };

const char *names_at(const struct names *names, u32 i)
{
	return *(const char *const *)((const char *)names->base +
				      i * names->stride);
}

int names_find(const struct names *names, const char *s, size_t len)
{
	for (u32 i = 0; i < names->n; i++) {
		const char *name = names_at(names, i);

		if (name && !strncmp(name, s, len) && !name[len])
			return (int)i;
	}
	return -1;
}

#define NEAR_LEN_MAX 40

/*
 * Changes (one character put in, left out, replaced, or two neighbours
 * swapped) between two words, row by row.
 */
static u32 word_distance(const char *a, u32 alen, const char *b, u32 blen)
{
	u32 rows[3][NEAR_LEN_MAX + 1];

	for (u32 j = 0; j <= blen; j++)
		rows[0][j] = j;
	for (u32 i = 1; i <= alen; i++) {
		u32 *row = rows[i % 3];
		const u32 *up = rows[(i + 2) % 3];
		const u32 *up2 = rows[(i + 1) % 3];

		row[0] = i;
		for (u32 j = 1; j <= blen; j++) {
			u32 best = up[j - 1] + (a[i - 1] != b[j - 1]);

			best = min_t(u32, best, up[j] + 1);
			best = min_t(u32, best, row[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				best = min_t(u32, best, up2[j - 2] + 1);
			row[j] = best;
		}
	}
	return rows[alen % 3][blen];
}

const char *names_nearest(const struct names *names, const char *s, size_t len)
{
	u32 limit = len > 3 ? 2 : 1;
	const char *best = NULL;

	if (len < 2 || len > NEAR_LEN_MAX)
		return NULL;
	for (u32 i = 0; i < names->n; i++) {
		const char *name = names_at(names, i);
		size_t name_len = name ? strlen(name) : 0;
		u32 d;

		if (!name_len || name_len > NEAR_LEN_MAX)
			continue;
		d = word_distance(s, (u32)len, name, (u32)name_len);
		if (d <= limit && (d < limit || !best)) {
			best = name;
			limit = d;
		}
	}
	return best;
}

const char *word_name(const struct names *names, u32 val)
{
	const struct trace_word *w = names->base;

	for (u32 i = 0; i < names->n; i++) {
		if (w[i].val == val)
			return w[i].name;
	}
	return NULL;
}

const struct sockopt_word *sockopt_find(s32 level, s32 opt)
{
	for (u32 i = 0; i < ARRAY_SIZE(sockopt_list); i++) {
		if (sockopt_list[i].level == level &&
		    sockopt_list[i].opt == opt)
			return &sockopt_list[i];
	}
	return NULL;
}

bool word_is_reserved(const char *s, size_t len)
{
	return names_find(&reserved_names, s, len) >= 0;
}
