// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Promises that the kernel breaks itself.
 * How: a table from sim/inv/findings.def of what v7.2 breaks; one is recognised by
 * invariant and slug. What the fixes that an older kernel lacks would have
 * mended is in sim/inv/breaches.def, by the change that stands for the lack.
 * Left out: traces; tests/findings and tests/traces/versions have them.
 */
#include "sim/inv/inv.h"

const struct finding finding_table[] = {
#define FINDING(id, slug, text) { INV_##id, slug, text },
#include "sim/inv/findings.def"
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

static const struct {
	enum m_change change;
	enum inv_id inv;
	const char *slug;
} breaches[] = {
#define BREACH(change, id, slug) { CHANGE_##change, INV_##id, slug },
#include "sim/inv/breaches.def"
#undef BREACH
};

bool profile_breaks(const struct m_kernel *k, enum inv_id id, const char *slug)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(breaches); i++) {
		if (breaches[i].inv == id && m_has(k, breaches[i].change) &&
		    !strcmp(breaches[i].slug, slug))
			return true;
	}
	return false;
}
