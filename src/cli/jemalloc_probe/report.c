// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include <stdlib.h>

void probe_report_deinit(struct probe_report *report)
{
	for (size_t i = 0; i < report->snapshots.n; i++)
		probe_snapshot_deinit(&report->snapshots.at[i]);
	vec_deinit(&report->snapshots);
	for (size_t i = 0; i < report->others.n; i++) {
		free(report->others.at[i].path);
		free(report->others.at[i].unread);
	}
	vec_deinit(&report->others);
	free(report->object);
	free(report->offsets_from);
}

static bool any_thread(const struct probe_report *report,
		       bool (*matches)(const struct probe_thread *))
{
	for (size_t i = 0; i < report->snapshots.n; i++) {
		const struct probe_snapshot *snapshot = &report->snapshots.at[i];

		for (size_t j = 0; j < snapshot->n_threads; j++) {
			if (matches(&snapshot->threads[j]))
				return true;
		}
	}
	return false;
}

static bool was_read(const struct probe_thread *thread)
{
	return !thread->error;
}

static bool has_allocated(const struct probe_thread *thread)
{
	return !thread->error && thread->allocated_bytes;
}

static bool was_refused(const struct probe_thread *thread)
{
	int errnum = thread->error ? error_errno(thread->error) : 0;

	return errnum == EPERM || errnum == EACCES;
}

bool probe_report_any_read(const struct probe_report *report)
{
	return any_thread(report, was_read);
}

size_t probe_report_whole_snapshots(const struct probe_report *report)
{
	size_t whole = 0;

	for (size_t i = 0; i < report->snapshots.n; i++)
		whole += !report->snapshots.at[i].interrupted;
	return whole;
}

bool probe_report_all_zero(const struct probe_report *report)
{
	return probe_report_any_read(report) && !any_thread(report, has_allocated);
}

bool probe_report_any_refused(const struct probe_report *report)
{
	return any_thread(report, was_refused);
}
