// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include <stdlib.h>

#include "base/io.h"
#include "json/writer.h"
#include "text/terminal.h"

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

/* Lines for pipes: stable, one thread each, exact numbers. */

void output_thread_line(const struct probe_thread *thread, struct strbuf *into)
{
	strbuf_appendf(into, thread->error ? "warning: tid %d" : "tid=%d", thread->tid);
	if (thread->comm) {
		strbuf_append(into, " comm=");
		text_escape(into, thread->comm);
	}
	if (thread->error) {
		strbuf_appendf(into, " [%s]: ", error_tag(thread->error));
		text_escape(into, error_message(thread->error));
		return;
	}
	strbuf_appendf(into, " allocated_bytes=%llu deallocated_bytes=%llu",
		       (unsigned long long)thread->allocated_bytes,
		       (unsigned long long)thread->deallocated_bytes);
}

static struct error *flush(int fd, const char *label, struct strbuf *text)
{
	struct error *err = io_write_all(fd, label, strbuf_str(text), text->n);

	strbuf_clear(text);
	return err;
}

struct error *output_lines(const struct probe_report *report, int out_fd, int err_fd)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	strbuf_appendf(&out, "pid=%d tool_version=%s", report->pid, KTSTR_VERSION);
	if (report->object) {
		strbuf_append(&out, " object=");
		text_escape(&out, report->object);
	}
	strbuf_append_char(&out, '\n');
	for (size_t i = 0; i < report->snapshots.n; i++) {
		const struct probe_snapshot *snapshot = &report->snapshots.at[i];

		strbuf_appendf(&out, "--- snapshot %zu/%zu @ %llus ---\n", i + 1,
			       report->snapshots.n,
			       (unsigned long long)snapshot->timestamp_unix_sec);
		for (size_t j = 0; j < snapshot->n_threads; j++) {
			const struct probe_thread *thread = &snapshot->threads[j];
			_cleanup_strbuf_ struct strbuf warning = STRBUF_INIT;
			struct error *err;

			if (!thread->error) {
				output_thread_line(thread, &out);
				strbuf_append_char(&out, '\n');
				continue;
			}
			/* Streams that go to the same file keep their order. */
			err = flush(out_fd, "standard output", &out);
			if (err)
				return err;
			output_thread_line(thread, &warning);
			strbuf_append_char(&warning, '\n');
			/* A closed standard error must not cost the numbers. */
			error_free(flush(err_fd, "standard error", &warning));
		}
	}
	return flush(out_fd, "standard output", &out);
}

void output_warnings(const struct probe_report *report, struct strbuf *into)
{
	for (size_t i = 0; i < report->snapshots.n; i++) {
		const struct probe_snapshot *snapshot = &report->snapshots.at[i];

		for (size_t j = 0; j < snapshot->n_threads; j++) {
			if (!snapshot->threads[j].error)
				continue;
			output_thread_line(&snapshot->threads[j], into);
			strbuf_append_char(into, '\n');
		}
	}
}

/* The form for people: what each thread holds, and how fast it allocates. */

enum { RATE_COLUMNS = 2 };

static const struct text_column columns[] = {
	{ .title = "TID", .right = true },	  { .title = "NAME", .shrinks = true },
	{ .title = "ALLOCATED", .right = true },  { .title = "FREED", .right = true },
	{ .title = "DIFFERENCE", .right = true }, { .title = "ALLOC RATE", .right = true },
	{ .title = "FREE RATE", .right = true },
};

struct sighting {
	const struct probe_thread *thread;
	uint64_t at_ns;
};

typedef VEC(struct sighting) sighting_vec;

static int compare_sightings(const void *a_, const void *b_)
{
	const struct sighting *a = a_, *b = b_;

	if (a->thread->tid != b->thread->tid)
		return a->thread->tid < b->thread->tid ? -1 : 1;
	/* A number given to a new thread is another thread. */
	if (a->thread->start_time_jiffies != b->thread->start_time_jiffies)
		return a->thread->start_time_jiffies < b->thread->start_time_jiffies ? -1 : 1;
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return 0;
}

static bool same_thread(const struct sighting *a, const struct sighting *b)
{
	return a->thread->tid == b->thread->tid &&
	       a->thread->start_time_jiffies == b->thread->start_time_jiffies;
}

/* Counters only grow; one that shrank wrapped or was read wrongly, and has no rate. */
static void add_rate(struct text_table *table, uint64_t before, uint64_t after, uint64_t ns)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (after < before || ns == 0) {
		text_table_add(table, NULL);
		return;
	}
	text_format_rate(&text, after - before, ns);
	text_table_add(table, strbuf_str(&text));
}

static void add_row(struct text_table *table, const struct sighting *first,
		    const struct sighting *last, bool with_rates)
{
	const struct probe_thread *thread = last->thread;
	uint64_t ns = last->at_ns - first->at_ns;
	_cleanup_strbuf_ struct strbuf difference = STRBUF_INIT;

	text_table_addf(table, "%d", thread->tid);
	text_table_add(table, thread->comm);
	text_table_add_bytes(table, thread->allocated_bytes);
	text_table_add_bytes(table, thread->deallocated_bytes);
	text_format_bytes_difference(&difference, thread->allocated_bytes,
				     thread->deallocated_bytes);
	text_table_add(table, strbuf_str(&difference));
	if (!with_rates)
		return;
	add_rate(table, first->thread->allocated_bytes, thread->allocated_bytes, ns);
	add_rate(table, first->thread->deallocated_bytes, thread->deallocated_bytes, ns);
}

static void format_heading(const struct probe_report *report, struct strbuf *into)
{
	size_t n = report->snapshots.n;

	strbuf_appendf(into, "pid %d", report->pid);
	if (n > 1) {
		strbuf_appendf(into, ", %zu snapshots in ", n);
		text_format_duration(into, report->snapshots.at[n - 1].monotonic_ns -
						   report->snapshots.at[0].monotonic_ns);
	}
	if (report->object) {
		strbuf_append(into, ", ");
		text_escape(into, report->object);
	}
	if (report->evidence)
		strbuf_appendf(into, ", evidence: %s", report->evidence);
	if (report->stopped_threads) {
		strbuf_appendf(into, ", %llu %s, ", (unsigned long long)report->stopped_threads,
			       report->stopped_threads == 1 ? "stop" : "stops");
		text_format_duration(into, report->stopped_ns_total);
		strbuf_append(into, " in all");
	} else {
		strbuf_append(into, ", no thread was stopped");
	}
	strbuf_append(into, report->interrupted ? ", interrupted\n" : "\n");
}

void output_table(const struct probe_report *report, const struct text_look *look,
		  struct strbuf *into)
{
	bool with_rates = report->snapshots.n > 1;
	_cleanup_text_table_ struct text_table *table = text_table_new(
		columns, ARRAY_SIZE(columns) - (with_rates ? 0 : RATE_COLUMNS));
	sighting_vec seen = VEC_INIT;

	format_heading(report, into);
	for (size_t i = 0; i < report->snapshots.n; i++) {
		const struct probe_snapshot *snapshot = &report->snapshots.at[i];

		for (size_t j = 0; j < snapshot->n_threads; j++) {
			if (!snapshot->threads[j].error)
				vec_push(&seen, (struct sighting){ &snapshot->threads[j],
								   snapshot->monotonic_ns });
		}
	}
	if (seen.n == 0)
		return;
	qsort(seen.at, seen.n, sizeof(*seen.at), compare_sightings);
	for (size_t first = 0, next; first < seen.n; first = next) {
		next = first + 1;
		while (next < seen.n && same_thread(&seen.at[first], &seen.at[next]))
			next++;
		add_row(table, &seen.at[first], &seen.at[next - 1], with_rates);
	}
	text_table_format(table, look, into);
	vec_deinit(&seen);
}
