/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of the trace language, shared by parser and printer.
 */
#ifndef SIM_TRACE_WORDS_H
#define SIM_TRACE_WORDS_H

#include "sim/trace/trace.h"

/* A word and what it stands for. */
struct trace_word {
	const char *name;
	u32 val;
};

/**
 * struct names - a list of words to choose from
 * @base: array whose elements start with a const char * (NULL: no word)
 * @stride: size of an element
 * @n: elements
 */
struct names {
	const void *base;
	size_t stride;
	u32 n;
};

#define NAMES(arr) ((struct names){ (arr), sizeof((arr)[0]), ARRAY_SIZE(arr) })

/* Word number @i. */
const char *names_at(const struct names *names, u32 i);
/* Index of a word, -1 when it is not there. */
int names_find(const struct names *names, const char *s, size_t len);
/* The word an input may have meant, at most two changes away; or NULL. */
const char *names_nearest(const struct names *names, const char *s, size_t len);
/* Name of @val in a table of struct trace_word; NULL when it has none. */
const char *word_name(const struct names *names, u32 val);

/* Options of `set`, in the order they are printed. */
enum set_opt {
	SET_TLS,
	SET_CIPHER,
	SET_PROFILE,
	SET_RCVBUF,
	SET_MSS,
	SET_RCVLOWAT,
	SET_RCVTIMEO,
	SET_SEQ,
	SET_SKB,
	SET_HELD,
	SET_NOPAD,
	SET_NONBLOCK,
	SET_ULP,
	SET_RX,
	SET_PEER,
	SET_FINISH,
	SET_COUNT,
};

/* What follows the name of a socket option. */
enum sockopt_arg_kind {
	SOCKOPT_INT, /* an integer */
	SOCKOPT_TIME, /* a time */
	SOCKOPT_KEYS, /* key=, seq=, ... */
	SOCKOPT_NAME, /* nothing: the name "tls" */
};

/* A socket option with a name. */
struct sockopt_word {
	const char *name;
	s32 level;
	s32 opt;
	enum sockopt_arg_kind arg;
};

/* NULL when the option has no name. */
const struct sockopt_word *sockopt_find(s32 level, s32 opt);

extern const struct names set_names; /* const char *, by enum set_opt */
extern const struct names version_words;
extern const struct names cipher_words; /* those a peer can use come first */
#define CIPHERS_OF_PEER 4u
extern const struct names layout_names; /* const char *, by enum skb_layout */
extern const struct names type_words; /* record types */
extern const struct names mod_words; /* enum rec_mod, and MOD_PAD_WORD */
#define MOD_PAD_WORD 0u
extern const struct names ossl_names; /* const char *, by enum ossl_what */
extern const struct names msg_flag_words; /* flags of a receive call */
extern const struct names out_flag_words; /* msg_flags of its result */
extern const struct names splice_flag_words;
extern const struct names poll_words;
extern const struct names shut_names; /* const char *, by M_SHUT_* */
extern const struct names sockopt_words; /* struct sockopt_word */
extern const struct names call_names; /* const char *, by enum call_kind */
extern const struct names counter_names; /* const char *, by trace_counter */
extern const struct names mib_names; /* const char *, by enum m_mib */
extern const struct names point_names; /* const char *, by enum m_point */
extern const struct names site_names; /* const char *, by enum m_site */
extern const struct names reason_names; /* const char *, by enum m_reason */
extern const struct names subject_names; /* first words of a statement */
extern const struct names errno_words;

/* Words that cannot name a record, a task or a pipe. */
bool word_is_reserved(const char *s, size_t len);
/* Those a result may contain, so that suggestions can be made. */
extern const struct names result_words;

#endif
