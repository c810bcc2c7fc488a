// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/stages.h"

#include "procfs/cgroup.h"

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

void ctprof_read_cgroups(const struct ctprof_options *options, struct ctprof_snapshot *snapshot)
{
	struct ctprof_progress progress = { .stage = "cgroups", .threads = snapshot->threads.n };
	_cleanup_procfs_cgroup_mount_ struct procfs_cgroup_mount mount;

	procfs_cgroup_mount_find(options->root, &mount);
	snapshot->cgroup_mount = intern_add(&snapshot->strings,
					    procfs_cgroup_mount_state_name(mount.state));
	collect(snapshot);
	ctprof_snapshot_sort_cgroups(snapshot);
	for (size_t i = 0; i < snapshot->cgroups.n && !cancel_requested(options->cancel); i++) {
		struct ctprof_snapshot_cgroup *row = &snapshot->cgroups.at[i];
		_cleanup_free_ char *dir = procfs_cgroup_mount_dir(
			&mount, intern_text(&snapshot->strings, row->path));

		if (dir)
			procfs_cgroup_stats_read(dir, &snapshot->strings, &row->stats);
		if (options->progress)
			options->progress(&progress, options->arg);
	}
}
