// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * KTAP version 1, Documentation/dev-tools/ktap.rst of the kernel:
 *
 *	<result> <number> [<description>][ # [<directive>] [<diagnostic data>]]
 *
 * Numbers "must increase by 1", so they count results in order of arrival; which test a result
 * belongs to is in the description alone, which is the test's name (it "can't include #").
 * SKIP, TIMEOUT and ERROR are directives the document accepts; ERROR, "the execution of a test has
 * failed", is given for broken and inconclusive. The diagnostic data begins with the reason's word.
 * There is no way to bail out: an interrupted run has fewer results than its plan says.
 */
#include <string.h>

#include "report/form.h"
#include "text/terminal.h"

static void append_text(struct strbuf *into, const char *text)
{
	size_t n = strlen(text);

	text_escape_bytes(into, text, n < REPORT_LIMIT_TEXT_BYTES ? n : REPORT_LIMIT_TEXT_BYTES);
	if (n > REPORT_LIMIT_TEXT_BYTES)
		strbuf_appendf(into, " (%zu bytes more)", n - REPORT_LIMIT_TEXT_BYTES);
}

/* "# word: text\n"; the word keeps a text from being one that readers know, as "Subtest: " is. */
static void append_diagnostic(struct strbuf *into, const char *word, const char *text)
{
	if (!text || !text[0])
		return;
	strbuf_appendf(into, "# %s: ", word);
	append_text(into, text);
	strbuf_append_char(into, '\n');
}

/*
 * Behind the result's own '#'. Another one could begin a directive for a reader who takes the last,
 * so it is escaped as TAP 14 does it.
 */
static void append_data(struct strbuf *into, const char *text)
{
	_cleanup_strbuf_ struct strbuf escaped = STRBUF_INIT;

	append_text(&escaped, text);
	for (size_t i = 0; i < escaped.n; i++) {
		if (escaped.at[i] == '#')
			strbuf_append_char(into, '\\');
		strbuf_append_char(into, escaped.at[i]);
	}
}

static const char *directive_of(const struct result_outcome *outcome)
{
	switch (outcome->verdict) {
	case KTSTR_SKIP:
		return "SKIP ";
	case KTSTR_BROKEN:
	case KTSTR_INCONCLUSIVE:
		return "ERROR ";
	default:
		return outcome->reason == KTSTR_REASON_TIMEOUT ? "TIMEOUT " : "";
	}
}

static void ktap_begin(struct report_run *r)
{
	strbuf_appendf(&r->out, "KTAP version 1\n1..%zu\n", r->plan.n_tests);
	append_diagnostic(&r->out, "kernels", r->plan.kernels);
	append_diagnostic(&r->out, "clock", r->plan.clock);
	append_diagnostic(&r->out, "records", r->plan.dir);
}

static void append_parts(struct strbuf *into, const struct result_outcome *outcome)
{
	const struct exchange_part *decided = report_deciding_part(outcome);

	for (size_t i = 0; i < outcome->parts.n; i++) {
		const struct exchange_part *part = &outcome->parts.at[i];
		_cleanup_free_ char *text = part->file ? xasprintf("%s (%s:%d)", part->text,
								   part->file, part->line)
						       : xstrdup(part->text);

		/* Without a place the result line says all of it. */
		if (part != decided || part->file)
			append_diagnostic(into, result_reason_name(part->reason), text);
	}
}

static void ktap_finished(struct report_run *r, size_t index UNUSED,
			  const struct result_outcome *outcome)
{
	bool ok = outcome->verdict == KTSTR_PASS || outcome->verdict == KTSTR_SKIP;
	_cleanup_strbuf_ struct strbuf clock = STRBUF_INIT;

	append_parts(&r->out, outcome);
	for (size_t i = 0; i < outcome->notes.n; i++)
		append_diagnostic(&r->out, "note", outcome->notes.at[i]);
	result_clock_format(outcome->clock, &clock);
	append_diagnostic(&r->out, "clock", strbuf_str(&clock));
	append_diagnostic(&r->out, "record", outcome->record_path);
	if (report_needs_explanation(outcome)) {
		append_diagnostic(&r->out, "test", outcome->source);
		append_diagnostic(&r->out, "kept", outcome->kept_dir);
		append_diagnostic(&r->out, "again", outcome->rerun);
		append_diagnostic(&r->out, "verdict", result_verdict_name(outcome->verdict));
	}
	strbuf_appendf(&r->out, "%s %zu ", ok ? "ok" : "not ok", r->n_finished);
	text_escape_name(&r->out, outcome->name, "#");
	if (outcome->reason != KTSTR_REASON_NONE) {
		strbuf_appendf(&r->out, " # %s%s: ", directive_of(outcome),
			       result_reason_name(outcome->reason));
		append_data(&r->out, outcome->why);
	}
	strbuf_append_char(&r->out, '\n');
}

static void ktap_end(struct report_run *r, const struct report_ending *ending)
{
	size_t missing = r->plan.n_tests - r->n_finished;

	if (ending->interrupted)
		strbuf_append(&r->out, "# interrupted\n");
	if (missing)
		strbuf_appendf(&r->out, "# %zu of %zu tests have no result\n", missing,
			       r->plan.n_tests);
}

const struct report_form report_form_ktap = {
	.begin = ktap_begin,
	.finished = ktap_finished,
	.end = ktap_end,
};
