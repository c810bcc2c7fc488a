// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/report.h"

void probe_report_deinit(struct probe_report *report)
{
	for (size_t i = 0; i < report->snapshots.n; i++)
		probe_snapshot_deinit(&report->snapshots.at[i]);
	vec_deinit(&report->snapshots);
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

static bool was_refused(const struct probe_thread *thread)
{
	int errnum = thread->error ? error_errno(thread->error) : 0;

	return errnum == EPERM || errnum == EACCES;
}

bool probe_report_any_read(const struct probe_report *report)
{
	return any_thread(report, was_read);
}

bool probe_report_any_refused(const struct probe_report *report)
{
	return any_thread(report, was_refused);
}
