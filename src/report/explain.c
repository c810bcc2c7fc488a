// SPDX-License-Identifier: LGPL-2.1-or-later
#include "report/form.h"

#include <string.h>

#include "text/terminal.h"

static void append_line(struct strbuf *into, const char *line, size_t indent, size_t columns)
{
	/* Breaking at spaces loses their number, so what fits stays as it is. */
	if (columns > indent && indent + text_width(line) > columns)
		text_wrap(into, line, indent, columns);
	else
		strbuf_append(into, line);
	strbuf_append_char(into, '\n');
}

/*
 * "<indent><word>: <text>\n". Further lines of the text are indented past any word of ours, so that
 * no text can look like one.
 */
static void append_item(struct strbuf *into, const char *word, const char *text, const char *place,
			const struct report_explain_look *look, bool bold)
{
	const char *end = text + strlen(text);
	size_t n_lines = 0;

	/* Empty lines at the end are dropped. */
	while (end > text && end[-1] == '\n')
		end--;
	strbuf_append_repeated(into, ' ', REPORT_EXPLAIN_INDENT);
	strbuf_appendf(into, "%s%s:%s ", bold && look->colour ? TEXT_BOLD : "", word,
		       bold && look->colour ? TEXT_RESET : "");
	do {
		_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t n = newline ? (size_t)(newline - text) : (size_t)(end - text);

		text_escape_bytes(&line, text, n);
		if (n_lines == 0 && place)
			strbuf_appendf(&line, ", at %s", place);
		if (n_lines)
			strbuf_append_repeated(into, ' ', REPORT_EXPLAIN_INDENT + 4);
		append_line(into, strbuf_str(&line),
			    n_lines ? REPORT_EXPLAIN_INDENT + 4
				    : REPORT_EXPLAIN_INDENT + strlen(word) + 2,
			    look->columns);
		if (!newline)
			return;
		text = newline + 1;
	} while (++n_lines < REPORT_LIMIT_TEXT_LINES || look->verbose);
	strbuf_append_repeated(into, ' ', REPORT_EXPLAIN_INDENT + 4);
	strbuf_append(into, "(more lines in the record)\n");
}

static void append_part(struct strbuf *into, const struct exchange_part *part, const char *before,
			const struct report_explain_look *look, bool bold)
{
	_cleanup_free_ char *word = xasprintf("%s%s", before, result_reason_name(part->reason));
	_cleanup_strbuf_ struct strbuf place = STRBUF_INIT;

	if (part->file) {
		text_escape(&place, part->file);
		if (part->line > 0)
			strbuf_appendf(&place, ":%d", part->line);
	}
	append_item(into, word, part->text, part->file ? strbuf_str(&place) : NULL, look, bold);
}

void report_explain_reason(const struct result_outcome *outcome,
			   const struct report_explain_look *look, struct strbuf *into)
{
	const struct exchange_part *part = report_deciding_part(outcome);
	struct exchange_part made = { .reason = outcome->reason, .text = outcome->why };

	/* A reason without a text is explained by its meaning. */
	if (!part && !outcome->why[0])
		made.text = (char *)result_reason_meaning(outcome->reason);
	append_part(into, part ? part : &made, "", look, true);
}

static void append_more(struct strbuf *into, size_t n, const char *what)
{
	strbuf_append_repeated(into, ' ', REPORT_EXPLAIN_INDENT);
	strbuf_appendf(into, "(%zu more %s%s in the record)\n", n, what, n == 1 ? "" : "s");
}

void report_explain_other_parts(const struct result_outcome *outcome,
				const struct report_explain_look *look, struct strbuf *into)
{
	const struct exchange_part *decided = report_deciding_part(outcome);
	size_t shown = 0, left = 0;

	for (size_t i = 0; i < outcome->parts.n; i++) {
		if (&outcome->parts.at[i] == decided)
			continue;
		if (shown == REPORT_LIMIT_ITEMS && !look->verbose) {
			left++;
			continue;
		}
		append_part(into, &outcome->parts.at[i], "also ", look, false);
		shown++;
	}
	if (left)
		append_more(into, left, "part");
}

void report_explain_notes(const struct result_outcome *outcome,
			  const struct report_explain_look *look, struct strbuf *into)
{
	size_t n = outcome->notes.n;

	if (n > REPORT_LIMIT_ITEMS && !look->verbose)
		n = REPORT_LIMIT_ITEMS;
	for (size_t i = 0; i < n; i++)
		append_item(into, "note", outcome->notes.at[i], NULL, look, false);
	if (n < outcome->notes.n)
		append_more(into, outcome->notes.n - n, "note");
}

void report_explain_places(const struct result_outcome *outcome,
			   const struct report_explain_look *look, struct strbuf *into)
{
	const struct {
		const char *word, *text;
	} rows[] = {
		{ "test:   ", outcome->source },
		{ "record: ", outcome->record_path },
		{ "kept:   ", outcome->kept_dir },
		{ "again:  ", outcome->rerun },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!rows[i].text || !rows[i].text[0])
			continue;
		strbuf_append_repeated(into, ' ', REPORT_EXPLAIN_INDENT);
		strbuf_appendf(into, "%s%s%s", look->colour ? TEXT_DIM : "", rows[i].word,
			       look->colour ? TEXT_RESET : "");
		/* Never broken: paths and commands are for copying. */
		text_escape(into, rows[i].text);
		strbuf_append_char(into, '\n');
	}
}
