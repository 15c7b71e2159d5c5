/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles: named sets of changes.
 */
#ifndef SIM_PROFILE_H
#define SIM_PROFILE_H

#include "model/kernel.h"

#define PROFILE_DEFAULT "v7.2"

/**
 * struct profile - a named kernel
 * @name: as in `--profile` and `set profile=`
 * @text: one sentence
 * @changes: enum m_change, ended by CHANGE_NONE
 */
struct profile {
	const char *name;
	const char *text;
	const u16 *changes;
};

extern const struct profile profile_table[];
extern const u32 profile_n;

/* NULL: unknown. */
const struct profile *profile_find(const char *name);
void profile_changes(const struct profile *p, struct m_changes *out);

#endif
