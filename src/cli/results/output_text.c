// SPDX-License-Identifier: GPL-2.0-or-later
#include <libgen.h>
#include <string.h>

#include "base/clock.h"
#include "base/shell_word.h"
#include "cli/results/results.h"
#include "text/escape.h"
#include "text/number.h"

void shown_runs_deinit(struct shown_runs *runs)
{
	for (size_t i = 0; i < runs->runs.n; i++)
		shown_folder_deinit(&runs->runs.at[i]);
	vec_deinit(&runs->runs);
	free(runs->dir);
	*runs = (struct shown_runs){ 0 };
}

static const char *name_of(const struct shown_record *record)
{
	return record->run.name ? record->run.name : record->run.test;
}

void results_format_table(const struct shown_folder *folder, const struct text_look *look,
			  struct strbuf *into)
{
	_cleanup_text_table_ struct text_table *table = TEXT_TABLE("VERDICT", "TEST", "~WHY",
								   ">TIME", "RECORD");

	if (folder->records.n == 0)
		return;
	for (size_t i = 0; i < folder->records.n; i++) {
		const struct shown_record *record = &folder->records.at[i];
		_cleanup_strbuf_ struct strbuf time = STRBUF_INIT;

		/* A record may claim any time. */
		if (record->run.has_wall && record->run.wall_ms <= UINT64_MAX / NS_PER_MS)
			text_format_duration(&time, record->run.wall_ms * NS_PER_MS);
		text_table_add_row(table, shown_state_name(record->state), name_of(record),
				   *record->why ? record->why : NULL, time.at, record->file);
	}
	text_table_format(table, look, into);
}

static void add_counts(const size_t counts[N_SHOWN_STATES], struct strbuf *into)
{
	const char *before = "";

	for (int state = 0; state < N_SHOWN_STATES; state++) {
		if (!counts[state])
			continue;
		strbuf_appendf(into, "%s%zu %s", before, counts[state],
			       shown_state_counted((enum shown_state)state));
		before = ", ";
	}
}

void results_format_summary(const struct shown_folder *folder, struct strbuf *into)
{
	if (folder->records.n == 0) {
		strbuf_append(into, "No records in ");
		text_escape(into, folder->dir);
		strbuf_append(into, ".\n");
		return;
	}
	strbuf_appendf(into, "%zu record%s in ", folder->records.n,
		       folder->records.n == 1 ? "" : "s");
	text_escape(into, folder->dir);
	strbuf_append(into, ": ");
	add_counts(folder->counts, into);
	strbuf_append_char(into, '\n');
}

static void add_line(struct strbuf *into, const char *label, const char *text)
{
	if (!text || !*text)
		return;
	strbuf_appendf(into, "  %-8s ", label);
	text_escape(into, text);
	strbuf_append_char(into, '\n');
}

static void add_part(struct strbuf *into, const struct result_part *part)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (part->file)
		strbuf_appendf(&text, "%s:%d: ", part->file, part->line);
	strbuf_appendf(&text, "%s: %s", result_reason_name(part->reason), part->text);
	add_line(into, result_verdict_name(result_reason_verdict(part->reason)), strbuf_str(&text));
}

static void add_details(const struct shown_folder *folder, const struct shown_record *record,
			struct strbuf *into)
{
	const struct result_run *run = &record->run;
	_cleanup_free_ char *path = xasprintf("%s/%s", folder->dir, record->file);
	_cleanup_strbuf_ struct strbuf rerun = STRBUF_INIT;

	strbuf_append(&rerun, "ktstr rerun ");
	shell_append_path(&rerun, path);
	strbuf_append_char(into, '\n');
	text_escape(into, name_of(record) ? name_of(record) : record->file);
	strbuf_appendf(into, ": %s\n", shown_state_name(record->state));
	if (run->parts.n == 0)
		add_line(into, "why", record->why);
	for (size_t i = 0; i < run->parts.n; i++)
		add_part(into, &run->parts.at[i]);
	for (size_t i = 0; i < run->notes.n; i++)
		add_line(into, "note", run->notes.at[i]);
	add_line(into, "note", run->problem);
	add_line(into, "kernel", run->kernel.release);
	add_line(into, "kept", run->kept_dir);
	add_line(into, "record", path);
	if (run->rerun.binary.path)
		add_line(into, "again", strbuf_str(&rerun));
}

void results_format_details(const struct shown_folder *folder, struct strbuf *into)
{
	bool any = false;

	for (size_t i = 0; i < folder->records.n; i++) {
		const struct shown_record *record = &folder->records.at[i];

		if (record->state == SHOWN_PASS && !record->run.parts.n && !record->run.notes.n &&
		    !record->run.problem)
			continue;
		add_details(folder, record, into);
		any = true;
	}
	if (any)
		strbuf_append_char(into, '\n');
}

void runs_format_table(const struct shown_runs *runs, const struct text_look *look,
		       struct strbuf *into)
{
	_cleanup_text_table_ struct text_table *table = TEXT_TABLE("RUN", ">RECORDS", "~RESULT");

	for (size_t i = 0; i < runs->runs.n; i++) {
		const struct shown_folder *run = &runs->runs.at[i];
		_cleanup_free_ char *for_base = xstrdup(run->dir);
		_cleanup_strbuf_ struct strbuf counts = STRBUF_INIT;

		add_counts(run->counts, &counts);
		text_table_add(table, basename(for_base));
		text_table_addf(table, "%zu", run->records.n);
		text_table_add(table, counts.at);
	}
	text_table_format(table, look, into);
}
