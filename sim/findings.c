// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Promises that the kernel of profile v7.2 breaks itself.
 * How: a table from sim/findings.def; one is recognised by invariant and slug.
 * Left out: what other profiles break; that is found, not listed.
 */
#include "sim/inv.h"

const struct finding finding_table[] = {
#define FINDING(id, slug, text) { INV_##id, slug, text },
#include "sim/findings.def"
#undef FINDING
};

const u32 finding_count = ARRAY_SIZE(finding_table);

const struct finding *finding_known(enum inv_id id, const char *slug)
{
	u32 i;

	for (i = 0; i < finding_count; i++) {
		if (finding_table[i].inv == id &&
		    !strcmp(finding_table[i].slug, slug))
			return &finding_table[i];
	}
	return NULL;
}
