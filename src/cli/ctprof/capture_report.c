// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/cmd_capture.h"

#include <inttypes.h>

#include "ctprof/file/record.h"
#include "ctprof/snapshot.h"
#include "text/terminal.h"

void capture_report_init(struct capture_report *report, const char *file, uint64_t wanted)
{
	*report = (struct capture_report){ .wanted = wanted };
	report->writer = json_writer_to(&report->json, JSON_PRETTY);
	json_begin_object(&report->writer);
	json_add_string(&report->writer, "file", file);
	json_add_u64(&report->writer, "wanted", wanted);
	json_open_array(&report->writer, "snapshots");
}

void capture_report_deinit(struct capture_report *report)
{
	strbuf_deinit(&report->lines);
	strbuf_deinit(&report->json);
}

static void add_json(struct json_writer *w, const struct ctprof_snapshot *snapshot,
		     const struct cost *cost)
{
	static const char *const summaries[] = { "probe_summary", "parse_summary",
						 "taskstats_summary" };

	json_begin_object(w);
	json_add_u64(w, "captured_at_unix_ns", snapshot->captured_at_unix_ns);
	json_add_u64(w, "cgroups", snapshot->cgroups.n);
	cost_write(cost, w);
	for (size_t i = 0; i < ARRAY_SIZE(summaries); i++)
		ctprof_member_write(ctprof_snapshot_member_find(summaries[i]), &snapshot->strings,
				    snapshot, w);
	json_end_object(w);
}

void capture_report_add(struct capture_report *report, const struct ctprof_snapshot *snapshot,
			const struct cost *cost, uint64_t number, struct strbuf *ret_line)
{
	add_json(&report->writer, snapshot, cost);
	strbuf_clear(&report->lines);
	if (ctprof_summary_format_parse(snapshot, &report->lines))
		strbuf_append_char(&report->lines, '\n');
	if (ctprof_summary_format_probe(snapshot, &report->lines))
		strbuf_append_char(&report->lines, '\n');
	if (ctprof_summary_format_taskstats(snapshot, &report->lines))
		strbuf_append_char(&report->lines, '\n');
	if (report->wanted == 1)
		return;
	strbuf_appendf(ret_line, "ctprof snapshot %" PRIu64 " of %" PRIu64 ": %zu threads, ",
		       number, report->wanted, snapshot->threads.n);
	text_format_duration(ret_line, cost->wall_ns);
	strbuf_append(ret_line, ", ");
	text_format_bytes(ret_line, cost->file_bytes);
}

void capture_report_format(const struct capture_report *report, const struct cost *total,
			   uint64_t missed, struct strbuf *into)
{
	strbuf_append(into, strbuf_str(&report->lines));
	cost_format(total, into);
	strbuf_append_char(into, '\n');
	if (missed)
		strbuf_appendf(
			into,
			"note: %" PRIu64
			" snapshots of the series were skipped, because the one before them took longer than the interval\n",
			missed);
}

void capture_report_finish_json(struct capture_report *report, const struct cost *total,
				uint64_t missed, struct strbuf *into)
{
	struct json_writer *w = &report->writer;

	json_end_array(w);
	json_add_u64(w, "taken", total->snapshots);
	json_add_u64(w, "missed", missed);
	cost_write(total, w);
	json_end_document(w);
	strbuf_append(into, strbuf_str(&report->json));
}
