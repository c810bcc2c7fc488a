// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/results/results.h"

#include <libgen.h>
#include <string.h>

#include "base/clock.h"
#include "base/shell_word.h"
#include "harness/job.h"
#include "json/writer.h"
#include "result/record.h"
#include "result/run_record.h"
#include "text/terminal.h"

void shown_runs_deinit(struct shown_runs *runs)
{
	for (size_t i = 0; i < runs->runs.n; i++)
		shown_dir_deinit(&runs->runs.at[i]);
	vec_deinit(&runs->runs);
	free(runs->dir);
	*runs = (struct shown_runs){ 0 };
}

static const char *name_of(const struct shown_record *record)
{
	return record->run.name ? record->run.name : record->run.test;
}

void results_format_table(const struct shown_dir *directory, const struct text_look *look,
			  struct strbuf *into)
{
	_cleanup_text_table_ struct text_table *table = TEXT_TABLE("VERDICT", "TEST", "~WHY",
								   ">TIME", "RECORD");

	if (directory->records.n == 0)
		return;
	for (size_t i = 0; i < directory->records.n; i++) {
		const struct shown_record *record = &directory->records.at[i];
		_cleanup_strbuf_ struct strbuf time = STRBUF_INIT;

		/* A record may claim any time. */
		if (record->run.has_wall && record->run.wall_ms <= UINT64_MAX / NS_PER_MS)
			text_format_duration(&time, record->run.wall_ms * NS_PER_MS);
		text_table_add_row(table, shown_states[record->state].name, name_of(record),
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
			       shown_states[state].counted);
		before = ", ";
	}
}

void results_format_summary(const struct shown_dir *directory, struct strbuf *into)
{
	if (directory->records.n == 0) {
		strbuf_append(into, "No records in ");
		text_escape(into, directory->dir);
		strbuf_append(into, ".\n");
		return;
	}
	strbuf_appendf(into, "%zu record%s in ", directory->records.n,
		       directory->records.n == 1 ? "" : "s");
	text_escape(into, directory->dir);
	strbuf_append(into, ": ");
	add_counts(directory->counts, into);
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

static void add_part(struct strbuf *into, const struct exchange_part *part)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (part->file)
		strbuf_appendf(&text, "%s:%d: ", part->file, part->line);
	strbuf_appendf(&text, "%s: %s", result_reason_name(part->reason), part->text);
	add_line(into, result_verdict_name(result_reason_verdict(part->reason)), strbuf_str(&text));
}

static void add_details(const struct shown_dir *directory, const struct shown_record *record,
			struct strbuf *into)
{
	const struct result_run *run = &record->run;
	_cleanup_free_ char *path = xasprintf("%s/%s", directory->dir, record->file);
	_cleanup_strbuf_ struct strbuf rerun = STRBUF_INIT, clock = STRBUF_INIT;

	strbuf_append(&rerun, "ktstr rerun ");
	shell_append_path(&rerun, path);
	strbuf_append_char(into, '\n');
	text_escape(into, name_of(record) ? name_of(record) : record->file);
	strbuf_appendf(into, ": %s\n", shown_states[record->state].name);
	if (run->parts.n == 0)
		add_line(into, "why", record->why);
	for (size_t i = 0; i < run->parts.n; i++)
		add_part(into, &run->parts.at[i]);
	for (size_t i = 0; i < run->notes.n; i++)
		add_line(into, "note", run->notes.at[i]);
	add_line(into, "note", run->problem);
	add_line(into, "kernel", run->kernel.release);
	result_clock_format(run->clock, &clock);
	if (run->has_speed)
		strbuf_appendf(&clock, ", %.4g MIPS of each CPU, %.4g in all", run->cpu_mips,
			       run->total_mips);
	add_line(into, "clock", strbuf_str(&clock));
	add_line(into, "digest", run->digest);
	add_line(into, "kept", run->kept_dir);
	add_line(into, "record", path);
	if (run->rerun.binary.path)
		add_line(into, "again", strbuf_str(&rerun));
}

void results_format_details(const struct shown_dir *directory, struct strbuf *into)
{
	bool any = false;

	for (size_t i = 0; i < directory->records.n; i++) {
		const struct shown_record *record = &directory->records.at[i];

		if (record->state == SHOWN_PASS && !record->run.parts.n && !record->run.notes.n &&
		    !record->run.problem)
			continue;
		add_details(directory, record, into);
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
		const struct shown_dir *run = &runs->runs.at[i];
		_cleanup_free_ char *for_base = xstrdup(run->dir);
		_cleanup_strbuf_ struct strbuf counts = STRBUF_INIT;

		add_counts(run->counts, &counts);
		text_table_add(table, basename(for_base));
		text_table_addf(table, "%zu", run->records.n);
		text_table_add(table, counts.at);
	}
	text_table_format(table, look, into);
}

static void add_count_members(struct json_writer *w, const struct shown_dir *directory)
{
	json_open_object(w, "counts");
	for (int state = 0; state < N_SHOWN_STATES; state++)
		json_add_u64(w, shown_states[state].name, directory->counts[state]);
	json_end_object(w);
}

static void add_run(struct json_writer *w, const struct result_run *run)
{
	json_add_string(w, "test", run->test);
	json_add_string(w, "name", run->name);
	json_add_string(w, "variant_id", run->id);
	json_add_string(w, "suite", run->suite);
	json_add_string(w, "topology", run->topology);
	json_add_string(w, "clock", result_clock_names[run->clock.kind]);
	if (run->has_seed)
		json_add_u64(w, "seed", run->clock.seed);
	json_add_string(w, "digest", run->digest);
	json_add_string(w, "scheduler", run->scheduler);
	json_add_string(w, "kernel", run->kernel.release);
	json_add_string(w, "timestamp", run->timestamp);
	json_add_string(w, "kept_dir", run->kept_dir);
	json_add_string(w, "record_problem", run->problem);
	if (run->has_wall)
		json_add_u64(w, "wall_ms", run->wall_ms);
}

void results_format_json(const struct shown_dir *directory, struct strbuf *into)
{
	struct json_writer w = json_writer_to(into, JSON_PRETTY);

	json_begin_object(&w);
	json_add_string(&w, "dir", directory->dir);
	add_count_members(&w, directory);
	json_open_array(&w, "records");
	for (size_t i = 0; i < directory->records.n; i++) {
		const struct shown_record *record = &directory->records.at[i];
		bool finished = record->run.state == RESULT_FINISHED;

		json_begin_object(&w);
		json_add_string(&w, "record", record->file);
		json_add_string(&w, "result", shown_states[record->state].name);
		if (finished)
			json_add_string(&w, "reason", result_reason_name(record->run.reason));
		json_add_string(&w, "why", finished ? record->run.why : record->why);
		add_run(&w, &record->run);
		json_end_object(&w);
	}
	json_end_document(&w);
}

void runs_format_json(const struct shown_runs *runs, struct strbuf *into)
{
	struct json_writer w = json_writer_to(into, JSON_PRETTY);

	json_begin_object(&w);
	json_add_string(&w, "dir", runs->dir);
	json_open_array(&w, "runs");
	for (size_t i = 0; i < runs->runs.n; i++) {
		const struct shown_dir *run = &runs->runs.at[i];
		_cleanup_free_ char *for_base = xstrdup(run->dir);

		json_begin_object(&w);
		json_add_string(&w, "run", basename(for_base));
		add_count_members(&w, run);
		json_end_object(&w);
	}
	json_end_document(&w);
}

/* A list that is not a row: who writes it adds its elements one by one. */
static void format_list(const char *name, const char *means, const struct json_rows *rows,
			struct strbuf *into)
{
	strbuf_appendf(into, "*%s* (list of objects)\n\t%s.\n\n", name, means);
	json_rows_format_man(rows, name, into);
}

void record_format_man(struct strbuf *into)
{
	json_rows_format_man(&result_state_rows, "", into);
	json_rows_format_man(&result_verdict_rows, "", into);
	json_rows_format_man(&result_head_rows, "", into);
	json_rows_format_man(&result_fact_rows, "", into);
	strbuf_append(into, "*stats* (object)\n\tFigures of the whole run.\n\n");
	json_rows_format_man(&job_stats_rows, "stats", into);
	json_rows_format_man(&harness_job_facts_rows, "", into);
	format_list("measures[]", "Figures above that runs can be compared by",
		    &result_measure_rows, into);
	format_list("metrics[]", "What programs measured", &result_metric_payload_rows, into);
}
