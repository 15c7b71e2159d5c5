/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles: named sets of changes, and sets made on the spot.
 */
#ifndef SIM_PROFILE_H
#define SIM_PROFILE_H

#include "model/kernel.h"

#define PROFILE_DEFAULT "v7.2"
/* Longest name, with all changes added to it. */
#define PROFILE_NAME_MAX 255u
#define PROFILE_WHY_MAX (PROFILE_NAME_MAX + 128u)

/**
 * struct profile - a kernel
 * @name: as in `--profile` and `set profile=`
 * @text: one sentence, NULL if made on the spot
 * @changes: enum m_change, ended by CHANGE_NONE
 * @patch: no kernel there is, but the baseline with a patch on trial
 * @flip: changes added or taken away on the spot
 */
struct profile {
	const char *name;
	const char *text;
	const u16 *changes;
	bool patch;
	struct m_changes flip;
};

extern const struct profile profile_table[];
extern const u32 profile_n;

/* One of the table. NULL: unknown. */
const struct profile *profile_find(const char *name);
/**
 * profile_parse() - a kernel by name
 * @name: NAME of the table, then any number of +CHANGE (adds it) and ~CHANGE
 *	(takes it away); must outlive @out
 * @out: the kernel
 * @why: what is wrong and what was expected, PROFILE_WHY_MAX bytes
 *
 * 0, or -1 with @why written.
 */
int profile_parse(const char *name, struct profile *out, char *why);
void profile_changes(const struct profile *p, struct m_changes *out);

#endif
