// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines for pipes: stable, one thread each, exact numbers. */
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include "base/io.h"
#include "text/escape.h"

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
			/* Whoever joins both streams gets them in order. */
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
