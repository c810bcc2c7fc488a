// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One JSON object per line. Its first member "report" says what it is: "plan" is the first line, a
 * "test" comes when one ended, and "summary" is the
 * last: a reader that finds none knows that the runner died. What there is not is left out.
 */
#include <stdlib.h>

#include "json/writer.h"
#include "report/form.h"

static struct json_writer *begin_line(struct report_run *r, const char *kind)
{
	/* On the heap for its size only. */
	struct json_writer *w = xnew(struct json_writer);

	*w = json_writer_to(&r->out, JSON_COMPACT);
	json_begin_object(w);
	json_add_string(w, "report", kind);
	return w;
}

static void end_line(struct report_run *r, struct json_writer *w)
{
	json_end_object(w);
	strbuf_append_char(&r->out, '\n');
	free(w);
}

static void json_lines_begin(struct report_run *r)
{
	struct json_writer *w = begin_line(r, "plan");

	json_add_u64(w, "tests", r->plan.n_tests);
	json_add_u64(w, "jobs", r->plan.jobs);
	json_add_u64(w, "alone", r->plan.n_alone);
	json_add_string(w, "kernels", r->plan.kernels);
	json_add_string(w, "clock", r->plan.clock);
	json_add_string(w, "records", r->plan.dir);
	if (r->plan.started_unix_sec)
		json_add_u64(w, "started_unix_sec", r->plan.started_unix_sec);
	end_line(r, w);
}

static void write_part(struct json_writer *w, const struct exchange_part *part)
{
	json_begin_object(w);
	json_add_string(w, "verdict", result_verdict_name(result_reason_verdict(part->reason)));
	json_add_string(w, "reason", result_reason_name(part->reason));
	json_add_string(w, "text", part->text);
	json_add_string(w, "file", part->file);
	if (part->file && part->line > 0)
		json_add_i64(w, "line", part->line);
	json_end_object(w);
}

static void json_lines_finished(struct report_run *r, size_t index, const struct result_outcome *o)
{
	struct json_writer *w = begin_line(r, "test");

	json_add_u64(w, "index", index);
	json_add_string(w, "name", o->name);
	json_add_string(w, "verdict", result_verdict_name(o->verdict));
	json_add_string(w, "reason", result_reason_name(o->reason));
	json_add_string(w, "why", o->why);
	json_add_u64(w, "wall_ns", o->wall_ns);
	json_add_string(w, "suite", o->suite);
	json_add_string(w, "test", o->test);
	json_add_string(w, "id", o->id);
	json_add_string(w, "topology", o->topology);
	json_add_string(w, "clock", result_clock_names[o->clock.kind]);
	if (o->clock.kind == RESULT_CLOCK_VIRTUAL)
		json_add_u64(w, "seed", o->clock.seed);
	json_add_string(w, "kernel", o->kernel);
	json_add_string(w, "scheduler", o->scheduler);
	json_add_string(w, "source", o->source);
	json_open_array(w, "parts");
	for (size_t i = 0; i < o->parts.n; i++)
		write_part(w, &o->parts.at[i]);
	json_end_array(w);
	json_open_array(w, "notes");
	for (size_t i = 0; i < o->notes.n; i++)
		json_write_string(w, o->notes.at[i]);
	json_end_array(w);
	json_add_string(w, "record", o->record_path);
	json_add_string(w, "kept", o->kept_dir);
	json_add_string(w, "again", o->rerun);
	end_line(r, w);
}

static void json_lines_end(struct report_run *r, const struct report_ending *ending)
{
	struct json_writer *w = begin_line(r, "summary");

	json_add_u64(w, "tests", r->plan.n_tests);
	for (int v = 0; v < RESULT_N_VERDICTS; v++)
		json_add_u64(w, result_verdict_name((enum ktstr_verdict)v), r->counts[v]);
	json_add_u64(w, "not_run", r->plan.n_tests - r->n_finished);
	json_add_u64(w, "wall_ns", ending->wall_ns);
	json_add_bool(w, "interrupted", ending->interrupted);
	end_line(r, w);
}

const struct report_form report_form_json_lines = {
	.begin = json_lines_begin,
	.finished = json_lines_finished,
	.end = json_lines_end,
};
