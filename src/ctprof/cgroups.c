// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/cgroups.h"

#include <string.h>

#include "procfs/cgroup_mount.h"

/* Rows without values, each path once. */
static void collect(struct ctprof_snapshot *snapshot)
{
	_cleanup_free_ bool *seen = xcalloc(snapshot->strings.strings.n, sizeof(*seen));

	for (size_t i = 0; i < snapshot->threads.n; i++) {
		uint32_t path = snapshot->threads.at[i].cgroup;

		/* 0 is "": not known. */
		if (path == 0 || seen[path])
			continue;
		seen[path] = true;
		vec_push(&snapshot->cgroups, (struct ctprof_snapshot_cgroup){ .path = path });
	}
}

static int by_path(const void *a, const void *b, void *strings)
{
	const struct ctprof_snapshot_cgroup *left = a, *right = b;

	return strcmp(intern_text(strings, left->path), intern_text(strings, right->path));
}

void ctprof_read_cgroups(const struct ctprof_options *options, struct ctprof_snapshot *snapshot)
{
	struct ctprof_progress progress = { .stage = "cgroups", .threads = snapshot->threads.n };
	_cleanup_procfs_cgroup_mount_ struct procfs_cgroup_mount mount;

	procfs_cgroup_mount_find(options->root, &mount);
	snapshot->cgroup_mount = intern_add(&snapshot->strings,
					    procfs_cgroup_mount_state_word(mount.state));
	collect(snapshot);
	if (snapshot->cgroups.n == 0)
		return;
	qsort_r(snapshot->cgroups.at, snapshot->cgroups.n, sizeof(*snapshot->cgroups.at), by_path,
		&snapshot->strings);
	for (size_t i = 0; i < snapshot->cgroups.n && !cancel_requested(options->cancel); i++) {
		struct ctprof_snapshot_cgroup *row = &snapshot->cgroups.at[i];
		_cleanup_free_ char *folder = procfs_cgroup_mount_folder(
			&mount, intern_text(&snapshot->strings, row->path));

		if (folder)
			procfs_cgroup_stats_read(folder, &snapshot->strings, &row->stats);
		if (options->progress)
			options->progress(&progress, options->arg);
	}
}
