// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernels there are.
 * How: v7.2 is the baseline and has no changes; others list theirs.
 * Left out: what a change does, that is in the model function it touches.
 */
#include "sim/profile.h"

static const u16 no_changes[] = { CHANGE_NONE };

const struct profile profile_table[] = {
	{ "v7.2", "Linux 7.2.13, software path; 7.3 is alike", no_changes },
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
