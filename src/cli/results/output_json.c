// SPDX-License-Identifier: GPL-2.0-or-later
#include <libgen.h>

#include "cli/results/results.h"
#include "json/writer.h"

static void add_counts(struct json_writer *w, const struct shown_folder *folder)
{
	json_open_object(w, "counts");
	for (int state = 0; state < N_SHOWN_STATES; state++)
		json_add_u64(w, shown_state_name((enum shown_state)state), folder->counts[state]);
	json_end_object(w);
}

static void add_run(struct json_writer *w, const struct result_run *run)
{
	json_add_string(w, "test", run->test);
	json_add_string(w, "name", run->name);
	json_add_string(w, "variant_id", run->id);
	json_add_string(w, "suite", run->suite);
	json_add_string(w, "topology", run->topology);
	json_add_string(w, "scheduler", run->scheduler);
	json_add_string(w, "kernel", run->kernel.release);
	json_add_string(w, "timestamp", run->timestamp);
	json_add_string(w, "kept_dir", run->kept_dir);
	json_add_string(w, "record_problem", run->problem);
	if (run->has_wall)
		json_add_u64(w, "wall_ms", run->wall_ms);
}

void results_format_json(const struct shown_folder *folder, struct strbuf *into)
{
	struct json_writer w = json_writer_to(into, JSON_PRETTY);

	json_begin_object(&w);
	json_add_string(&w, "dir", folder->dir);
	add_counts(&w, folder);
	json_open_array(&w, "records");
	for (size_t i = 0; i < folder->records.n; i++) {
		const struct shown_record *record = &folder->records.at[i];
		bool finished = record->run.state == RESULT_FINISHED;

		json_begin_object(&w);
		json_add_string(&w, "record", record->file);
		json_add_string(&w, "result", shown_state_name(record->state));
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
		const struct shown_folder *run = &runs->runs.at[i];
		_cleanup_free_ char *for_base = xstrdup(run->dir);

		json_begin_object(&w);
		json_add_string(&w, "run", basename(for_base));
		add_counts(&w, run);
		json_end_object(&w);
	}
	json_end_document(&w);
}
