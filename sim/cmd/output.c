// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Results as text, KTAP, JSON and JUnit XML.
 * How: text and KTAP are written as results come; JSON and JUnit need the
 * totals in front, so their entries are kept until the end. JSON is made by
 * json-c.
 * Left out: timing; a result has none.
 */
#include "sim/cmd/output.h"

#include <json-c/json.h>
#include <stdlib.h>

struct output {
	FILE *f;
	enum output_format format;
	bool quiet;
	u32 n;
	u32 failed;
	u32 unusable;
	struct json_object *list;
	struct text xml;
};

int output_format_parse(const char *word, enum output_format *out)
{
	static const char *const words[] = { "text", "ktap", "json", "junit" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(word, words[i])) {
			*out = (enum output_format)i;
			return 0;
		}
	}
	return -1;
}

struct output *output_new(FILE *f, enum output_format format, u32 planned,
			  bool quiet)
{
	struct output *o = calloc(1, sizeof(*o));

	if (!o)
		abort();
	o->f = f;
	o->format = format;
	o->quiet = quiet;
	if (format == OUTPUT_KTAP && !quiet)
		fprintf(f, "KTAP version 1\n1..%u\n", planned);
	if (format == OUTPUT_JSON)
		o->list = json_object_new_array();
	return o;
}

static void put_indented(FILE *f, const char *prefix, const char *text)
{
	size_t n;

	while (*text) {
		n = strcspn(text, "\n");
		fprintf(f, "%s%.*s\n", prefix, (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static void xml_escape(struct text *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '<')
			text_printf(out, "&lt;");
		else if (*s == '>')
			text_printf(out, "&gt;");
		else if (*s == '&')
			text_printf(out, "&amp;");
		else if (*s == '"')
			text_printf(out, "&quot;");
		else if ((u8)*s >= 0x20 || *s == '\n' || *s == '\t')
			text_printf(out, "%c", *s);
	}
}

static void json_add(struct json_object *obj, const char *key, const char *val)
{
	json_object_object_add(obj, key, json_object_new_string(val));
}

/* One finished trace or unreadable file; @report is NULL when it passed. */
static void add_entry(struct output *o, const char *path, const char *status,
		      const char *signature, const char *report,
		      const char *log)
{
	struct json_object *obj;

	switch (o->format) {
	case OUTPUT_TEXT:
		fprintf(o->f, "%s %s\n", report ? "FAIL" : "ok  ", path);
		if (log)
			fputs(log, o->f);
		if (report)
			put_indented(o->f, "  ", report);
		break;
	case OUTPUT_KTAP:
		if (report)
			put_indented(o->f, "# ", report);
		if (log)
			put_indented(o->f, "# ", log);
		fprintf(o->f, "%s %u %s\n", report ? "not ok" : "ok", o->n,
			path);
		break;
	case OUTPUT_JSON:
		obj = json_object_new_object();
		json_add(obj, "file", path);
		json_add(obj, "status", status);
		if (report) {
			json_add(obj, "signature", signature);
			json_add(obj, "report", report);
		}
		if (log)
			json_add(obj, "log", log);
		json_object_array_add(o->list, obj);
		break;
	case OUTPUT_JUNIT:
		text_printf(&o->xml, "  <testcase name=\"");
		xml_escape(&o->xml, path);
		text_printf(&o->xml, "\">");
		if (report) {
			text_printf(&o->xml, "<failure message=\"");
			xml_escape(&o->xml, signature);
			text_printf(&o->xml, "\">");
			xml_escape(&o->xml, report);
			text_printf(&o->xml, "</failure>");
		}
		text_printf(&o->xml, "</testcase>\n");
		break;
	}
}

int output_result(struct output *o, const struct sim *s, const char *path,
		  bool log)
{
	bool ok = s->verdict.kind == VERDICT_OK;
	struct text report = { 0 }, sig = { 0 }, events = { 0 };

	o->n++;
	o->failed += !ok;
	if (log)
		log_print(s, 0, s->event_n, &events);
	if (!ok) {
		report_signature(s, &sig);
		report_failure(s, path, &report);
	}
	add_entry(o, path, ok ? "pass" : "fail", sig.buf, report.buf,
		  events.buf);
	text_free(&report);
	text_free(&sig);
	text_free(&events);
	return ok ? 0 : 1;
}

int output_hash(struct output *o, const struct sim *s, const char *path)
{
	o->n++;
	fprintf(o->f, "%016llx %s\n", (unsigned long long)log_hash(s), path);
	return s->verdict.kind == VERDICT_OK ? 0 : 1;
}

int output_input_error(struct output *o, const char *path,
		       const struct sim_err *err)
{
	char line[400];

	if (err->line)
		snprintf(line, sizeof(line), "%s:%u:%u: %s", path, err->line,
			 err->col, err->msg);
	else
		snprintf(line, sizeof(line), "%s: %s", path, err->msg);
	fprintf(stderr, "%s\n", line);
	o->n++;
	o->unusable++;
	if (o->format != OUTPUT_TEXT)
		add_entry(o, path, "unusable", "input", line, NULL);
	return 2;
}

static void end_json(struct output *o)
{
	struct json_object *all = json_object_new_object();

	json_object_object_add(all, "traces", json_object_new_int64(o->n));
	json_object_object_add(all, "failed", json_object_new_int64(o->failed));
	json_object_object_add(all, "unusable",
			       json_object_new_int64(o->unusable));
	json_object_object_add(all, "results", o->list);
	fprintf(o->f, "%s\n",
		json_object_to_json_string_ext(all, JSON_C_TO_STRING_PRETTY));
	json_object_put(all);
}

static void end_junit(struct output *o)
{
	fprintf(o->f,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuite name=\"ktlsim\" tests=\"%u\" failures=\"%u\">\n"
		"%s</testsuite>\n",
		o->n, o->failed + o->unusable, o->xml.buf ? o->xml.buf : "");
	text_free(&o->xml);
}

void output_end(struct output *o)
{
	if (o->format == OUTPUT_JSON)
		end_json(o);
	else if (o->format == OUTPUT_JUNIT)
		end_junit(o);
	else if (o->format == OUTPUT_TEXT && !o->quiet && o->n > 1)
		fprintf(o->f, "%u traces: %u hold, %u do not, %u unusable\n",
			o->n, o->n - o->failed - o->unusable, o->failed,
			o->unusable);
	free(o);
}
