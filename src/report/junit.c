// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * JUnit XML in the dialect common to its readers: <testsuites>, a <testsuite> for each test binary,
 * a <testcase> for each result. classname is the binary and name what follows it in the test's
 * name, so that "classname:name" is the whole name again (spelt as spell.h says). A failure is a
 * <failure>, broken and inconclusive are an <error>; `type` is the reason's word.
 */
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "report/form.h"
#include "text/terminal.h"

struct junit_suite {
	char *name;
	size_t counts[RESULT_N_VERDICTS];
	uint64_t wall_ns;
	struct strbuf cases;
};

struct junit {
	VEC(struct junit_suite) suites; /* in the order of their first result */
};

static void *junit_new(void)
{
	return xnew(struct junit);
}

static void junit_free(void *state)
{
	struct junit *j = state;

	for (size_t i = 0; i < j->suites.n; i++) {
		free(j->suites.at[i].name);
		strbuf_deinit(&j->suites.at[i].cases);
	}
	vec_deinit(&j->suites);
	free(j);
}

static struct junit_suite *suite_of(struct junit *j, const char *name)
{
	for (size_t i = 0; i < j->suites.n; i++) {
		if (strcmp(j->suites.at[i].name, name) == 0)
			return &j->suites.at[i];
	}
	vec_push(&j->suites, (struct junit_suite){ .name = xstrdup(name) });
	return &j->suites.at[j->suites.n - 1];
}

static void append_name(struct strbuf *into, const char *attribute, const char *name)
{
	_cleanup_strbuf_ struct strbuf spelt = STRBUF_INIT;

	text_escape_name(&spelt, name, "");
	report_append_xml_attribute(into, attribute, strbuf_str(&spelt));
}

static void append_seconds(struct strbuf *into, uint64_t ns)
{
	strbuf_appendf(into, " time=\"%llu.%03llu\"", (unsigned long long)(ns / NS_PER_SEC),
		       (unsigned long long)(ns % NS_PER_SEC / NS_PER_MS));
}

static void append_property(struct strbuf *into, int indent, const char *name, const char *value)
{
	if (!value || !value[0])
		return;
	strbuf_append_repeated(into, ' ', (size_t)indent);
	strbuf_append(into, "<property");
	report_append_xml_attribute(into, "name", name);
	report_append_xml_attribute(into, "value", value);
	strbuf_append(into, "/>\n");
}

static void append_properties(struct strbuf *into, const struct result_outcome *o)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT, clock = STRBUF_INIT;

	text_escape_name(&name, o->name, "");
	result_clock_format(o->clock, &clock);
	strbuf_append(into, "      <properties>\n");
	append_property(into, 8, "name", strbuf_str(&name));
	append_property(into, 8, "id", o->id);
	append_property(into, 8, "verdict", result_verdict_name(o->verdict));
	append_property(into, 8, "reason", result_reason_name(o->reason));
	append_property(into, 8, "topology", o->topology);
	append_property(into, 8, "clock", strbuf_str(&clock));
	append_property(into, 8, "kernel", o->kernel);
	append_property(into, 8, "scheduler", o->scheduler);
	append_property(into, 8, "source", o->source);
	append_property(into, 8, "record", o->record_path);
	append_property(into, 8, "kept", o->kept_dir);
	append_property(into, 8, "again", o->rerun);
	strbuf_append(into, "      </properties>\n");
}

static void append_parts(struct strbuf *into, const struct result_outcome *o)
{
	for (size_t i = 0; i < o->parts.n; i++) {
		const struct exchange_part *part = &o->parts.at[i];

		if (part->file) {
			report_append_xml(into, part->file);
			strbuf_appendf(into, ":%d: ", part->line);
		}
		strbuf_appendf(into, "%s: ", result_reason_name(part->reason));
		report_append_xml(into, part->text);
		strbuf_append_char(into, '\n');
	}
}

static void append_verdict(struct strbuf *into, const struct result_outcome *o)
{
	const char *element = o->verdict == KTSTR_FAIL	 ? "failure"
			      : o->verdict == KTSTR_SKIP ? "skipped"
							 : "error";

	if (o->verdict == KTSTR_PASS)
		return;
	strbuf_appendf(into, "      <%s", element);
	report_append_xml_attribute(into, "type", result_reason_name(o->reason));
	report_append_xml_attribute(into, "message", o->why);
	if (o->verdict == KTSTR_SKIP) {
		strbuf_append(into, "/>\n");
		return;
	}
	strbuf_append_char(into, '>');
	append_parts(into, o);
	strbuf_appendf(into, "</%s>\n", element);
}

static void append_notes(struct strbuf *into, const struct result_outcome *o)
{
	if (o->notes.n == 0)
		return;
	strbuf_append(into, "      <system-out>");
	for (size_t i = 0; i < o->notes.n; i++) {
		report_append_xml(into, o->notes.at[i]);
		strbuf_append_char(into, '\n');
	}
	strbuf_append(into, "</system-out>\n");
}

static void junit_finished(struct report_run *r, size_t index UNUSED,
			   const struct result_outcome *o)
{
	struct junit_suite *suite = suite_of(r->state, o->suite);
	size_t n = strlen(o->suite);
	bool prefixed = strncmp(o->name, o->suite, n) == 0 && o->name[n] == ':';

	suite->counts[o->verdict]++;
	suite->wall_ns += o->wall_ns;
	strbuf_append(&suite->cases, "    <testcase");
	append_name(&suite->cases, "classname", o->suite);
	append_name(&suite->cases, "name", prefixed ? o->name + n + 1 : o->name);
	append_seconds(&suite->cases, o->wall_ns);
	strbuf_append(&suite->cases, ">\n");
	append_properties(&suite->cases, o);
	append_verdict(&suite->cases, o);
	append_notes(&suite->cases, o);
	strbuf_append(&suite->cases, "    </testcase>\n");
}

static void append_counts(struct strbuf *into, const size_t counts[RESULT_N_VERDICTS])
{
	size_t sum = 0;

	for (int v = 0; v < RESULT_N_VERDICTS; v++)
		sum += counts[v];
	strbuf_appendf(into, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", sum,
		       counts[KTSTR_FAIL], counts[KTSTR_BROKEN] + counts[KTSTR_INCONCLUSIVE],
		       counts[KTSTR_SKIP]);
}

static void append_timestamp(struct strbuf *into, uint64_t unix_sec)
{
	time_t sec = (time_t)unix_sec;
	struct tm utc;
	char text[32];

	if (unix_sec == 0 || !gmtime_r(&sec, &utc))
		return;
	if (strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc) > 0)
		report_append_xml_attribute(into, "timestamp", text);
}

static void append_suite(struct report_run *r, const struct junit_suite *suite, bool interrupted)
{
	strbuf_append(&r->out, "  <testsuite");
	append_name(&r->out, "name", suite->name);
	append_counts(&r->out, suite->counts);
	append_seconds(&r->out, suite->wall_ns);
	append_timestamp(&r->out, r->plan.started_unix_sec);
	strbuf_append(&r->out, ">\n    <properties>\n");
	append_property(&r->out, 6, "kernels", r->plan.kernels);
	append_property(&r->out, 6, "clock", r->plan.clock);
	append_property(&r->out, 6, "records", r->plan.dir);
	append_property(&r->out, 6, "interrupted", interrupted ? "true" : "false");
	strbuf_append(&r->out, "    </properties>\n");
	strbuf_append_bytes(&r->out, strbuf_str(&suite->cases), suite->cases.n);
	strbuf_append(&r->out, "  </testsuite>\n");
}

static void junit_end(struct report_run *r, const struct report_ending *ending)
{
	struct junit *j = r->state;

	strbuf_append(&r->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	report_append_xml_attribute(&r->out, "name", "ktstr");
	append_counts(&r->out, r->counts);
	append_seconds(&r->out, ending->wall_ns);
	append_timestamp(&r->out, r->plan.started_unix_sec);
	strbuf_append(&r->out, ">\n");
	for (size_t i = 0; i < j->suites.n; i++)
		append_suite(r, &j->suites.at[i], ending->interrupted);
	strbuf_append(&r->out, "</testsuites>\n");
}

const struct report_form report_form_junit = {
	.whole = true,
	.new = junit_new,
	.free = junit_free,
	.finished = junit_finished,
	.end = junit_end,
};

static void append_codepoint(struct strbuf *into, uint32_t codepoint, const char *bytes, size_t n)
{
	if (codepoint == '<')
		strbuf_append(into, "&lt;");
	else if (codepoint == '>')
		strbuf_append(into, "&gt;");
	else if (codepoint == '&')
		strbuf_append(into, "&amp;");
	else if (codepoint == '"')
		strbuf_append(into, "&quot;");
	/* Bare they would be normalised in an attribute, and a terminal would obey the C1 ones. */
	else if (codepoint == '\t' || codepoint == '\n' || codepoint == '\r' ||
		 (codepoint >= 0x7f && codepoint < 0xa0))
		strbuf_appendf(into, "&#%u;", codepoint);
	else if (codepoint < 0x20 || codepoint == 0xfffe || codepoint == 0xffff)
		strbuf_append(into, "\xef\xbf\xbd");
	else
		strbuf_append_bytes(into, bytes, n);
}

void report_append_xml(struct strbuf *into, const char *text)
{
	size_t n = strlen(text), shown = n < REPORT_LIMIT_TEXT_BYTES ? n : REPORT_LIMIT_TEXT_BYTES;

	for (size_t i = 0; i < shown;) {
		uint32_t codepoint;
		size_t bytes = utf8_decode(text + i, n - i, &codepoint);

		if (bytes)
			append_codepoint(into, codepoint, text + i, bytes);
		else
			strbuf_append(into, "\xef\xbf\xbd");
		i += bytes ? bytes : 1;
	}
	if (shown < n)
		strbuf_appendf(into, " (%zu bytes more)", n - shown);
}

void report_append_xml_attribute(struct strbuf *into, const char *name, const char *text)
{
	strbuf_appendf(into, " %s=\"", name);
	report_append_xml(into, text);
	strbuf_append_char(into, '"');
}
