// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include "json/writer.h"

/* The two kinds of entries have no tag: readers tell them apart by their members. */
static void write_thread(struct json_writer *w, const struct probe_thread *thread)
{
	json_begin_object(w);
	json_add_i64(w, "tid", thread->tid);
	json_add_string(w, "comm", thread->comm);
	if (thread->has_start_time)
		json_add_u64(w, "start_time_jiffies", thread->start_time_jiffies);
	if (thread->error) {
		json_add_string(w, "error", error_message(thread->error));
		json_add_string(w, "error_kind", error_tag(thread->error));
	} else {
		json_add_u64(w, "allocated_bytes", thread->allocated_bytes);
		json_add_u64(w, "deallocated_bytes", thread->deallocated_bytes);
		json_add_string(w, "method", probe_method_name(thread->method));
	}
	json_end_object(w);
}

static void write_snapshot(struct json_writer *w, const struct probe_report *report,
			   const struct probe_snapshot *snapshot)
{
	json_begin_object(w);
	json_add_u64(w, "timestamp_unix_sec", snapshot->timestamp_unix_sec);
	json_add_u64(w, "elapsed_since_start_ns", snapshot->monotonic_ns - report->started_ns);
	json_open_array(w, "threads");
	for (size_t i = 0; i < snapshot->n_threads; i++)
		write_thread(w, &snapshot->threads[i]);
	json_end_array(w);
	json_end_object(w);
}

static void write_others(struct json_writer *w, const struct probe_report *report)
{
	json_open_array(w, "other_objects");
	for (size_t i = 0; i < report->others.n; i++) {
		const struct probe_other *other = &report->others.at[i];

		json_begin_object(w);
		json_add_string(w, "object", other->path);
		json_add_string(w, "use", probe_use_name(other->use));
		if (other->unread)
			json_add_string(w, "error", other->unread);
		json_end_object(w);
	}
	json_end_array(w);
}

void output_json(const struct probe_report *report, struct strbuf *into)
{
	struct json_writer w = json_writer_to(into, JSON_PRETTY);

	json_begin_object(&w);
	json_add_u64(&w, "schema_version", PROBE_SCHEMA_VERSION);
	json_add_i64(&w, "pid", report->pid);
	json_add_string(&w, "tool_version", KTSTR_VERSION);
	json_add_u64(&w, "started_at_unix_sec", report->started_at_unix_sec);
	if (report->interval_ms)
		json_add_u64(&w, "interval_ms", report->interval_ms);
	json_add_bool(&w, "interrupted", report->interrupted);
	if (report->target_ended)
		json_add_bool(&w, "target_ended", true);
	json_add_string(&w, "evidence", report->evidence);
	json_add_string(&w, "object", report->object);
	json_add_string(&w, "offsets_from", report->offsets_from);
	if (report->others.n)
		write_others(&w, report);
	json_add_u64(&w, "stopped_threads", report->stopped_threads);
	json_add_u64(&w, "stopped_ns_total", report->stopped_ns_total);
	json_open_array(&w, "snapshots");
	for (size_t i = 0; i < report->snapshots.n; i++)
		write_snapshot(&w, report, &report->snapshots.at[i]);
	json_end_document(&w);
}
