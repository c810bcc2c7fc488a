// SPDX-License-Identifier: LGPL-2.1-or-later
/* What ktstr-jemalloc-probe --json says, found by the flat names of its numbers. */
#include <ktstr/ktstr.h>

#include <stdio.h>

#include "base/macros.h"

/* Longer than any of the names below with any two numbers. */
enum { NAME_BYTES = 96 };

static void thread_name(unsigned int snapshot, unsigned int index, const char *field,
			char ret[static NAME_BYTES])
{
	snprintf(ret, NAME_BYTES, "snapshots.%u.threads.%u.%s", snapshot, index, field);
}

static bool thread_is(const struct ktstr_metrics *metrics, const char *tid_name, pid_t tid)
{
	uint64_t found;

	return ktstr_metric_u64(metrics, tid_name, &found) && tid >= 0 && found == (uint64_t)tid;
}

static enum ktstr_lookup read_thread(const struct ktstr_metrics *metrics, unsigned int snapshot,
				     unsigned int index, struct ktstr_thread *ret)
{
	struct ktstr_thread thread = { 0 };
	char name[NAME_BYTES];

	thread_name(snapshot, index, "allocated_bytes", name);
	if (!ktstr_metric_u64(metrics, name, &thread.allocated_bytes))
		return KTSTR_MISSING_BYTES;
	thread_name(snapshot, index, "deallocated_bytes", name);
	thread.has_deallocated = ktstr_metric_u64(metrics, name, &thread.deallocated_bytes);
	*ret = thread;
	return KTSTR_FOUND;
}

enum ktstr_lookup ktstr_find_thread(const struct ktstr_metrics *metrics, unsigned int snapshot,
				    pid_t tid, struct ktstr_thread *ret)
{
	for (unsigned int i = 0; i < KTSTR_SCAN_LIMIT; i++) {
		char name[NAME_BYTES];

		thread_name(snapshot, i, "tid", name);
		if (!ktstr_has_metric(metrics, name))
			return KTSTR_TID_ABSENT;
		if (thread_is(metrics, name, tid))
			return read_thread(metrics, snapshot, i, ret);
	}
	return KTSTR_CAP_EXCEEDED;
}

/* How many snapshots, or threads of the first of them, have a number of that name. */
static size_t count(const struct ktstr_metrics *metrics, const char *before, const char *behind)
{
	unsigned int n = 0;
	char name[NAME_BYTES];

	for (; n < KTSTR_SCAN_LIMIT; n++) {
		snprintf(name, sizeof(name), "%s%u.%s", before, n, behind);
		if (!ktstr_has_metric(metrics, name))
			break;
	}
	return n;
}

size_t ktstr_thread_count(const struct ktstr_metrics *metrics)
{
	return count(metrics, "snapshots.0.threads.", "tid");
}

size_t ktstr_snapshot_count(const struct ktstr_metrics *metrics)
{
	return count(metrics, "snapshots.", "timestamp_unix_sec");
}
