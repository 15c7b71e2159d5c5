// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of everything the .def lists enumerate.
 * How: one array a list, made by including the list again.
 * Left out: nothing.
 */
#include "model/kernel.h"

const char *const m_point_name[M_POINT_COUNT] = {
#define POINT(id, name, what) [POINT_##id] = name,
#include "model/points.def"
#undef POINT
};

const char *const m_site_name[M_SITE_COUNT] = {
#define SITE(id, name, what) [SITE_##id] = name,
#include "model/sites.def"
#undef SITE
};

const char *const m_reason_name[M_REASON_COUNT] = {
#define REASON(id, name, sentence) [REASON_##id] = name,
#include "model/reasons.def"
#undef REASON
};

const char *const m_reason_text[M_REASON_COUNT] = {
#define REASON(id, name, sentence) [REASON_##id] = sentence,
#include "model/reasons.def"
#undef REASON
};

const char *const m_change_name[M_CHANGE_COUNT] = {
#define CHANGE(id, name, title) [CHANGE_##id] = name,
#include "model/changes.def"
#include "model/known_bad.def"
#undef CHANGE
};

const char *const m_change_title[M_CHANGE_COUNT] = {
#define CHANGE(id, name, title) [CHANGE_##id] = title,
#include "model/changes.def"
#include "model/known_bad.def"
#undef CHANGE
};

const char *const m_mib_name[M_MIB_COUNT] = {
#define MIB(id) [MIB_##id] = #id,
#include "model/mib.def"
#undef MIB
};

const char *const m_event_name[M_EVENT_COUNT] = {
#define EVENT(id, name, fmt, what) [EV_##id] = name,
#include "model/events.def"
#undef EVENT
};

const char *const m_event_fmt[M_EVENT_COUNT] = {
#define EVENT(id, name, fmt, what) [EV_##id] = fmt,
#include "model/events.def"
#undef EVENT
};
