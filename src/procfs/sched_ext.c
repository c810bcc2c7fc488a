// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/cgroup.h"

#include <fcntl.h>

#include "procfs/reading.h"

void procfs_sched_ext_read(const char *root, struct intern *names, struct procfs_sched_ext *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/sys/kernel/sched_ext", root);
	_cleanup_close_ int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct procfs_sched_ext scx = { 0 };

	if (dir >= 0) {
		scx.known = true;
		scx.state = procfs_text_read(dir, "state", names);
		scx.switch_all = procfs_reading_read(dir, "switch_all");
		scx.nr_rejected = procfs_reading_read(dir, "nr_rejected");
		scx.hotplug_seq = procfs_reading_read(dir, "hotplug_seq");
		scx.enable_seq = procfs_reading_read(dir, "enable_seq");
		/* The folder root is there while a scheduler is loaded; events since Linux 6.15. */
		scx.ops = procfs_text_read(dir, "root/ops", names);
		procfs_named_readings_read(dir, "root/events", names, &scx.events);
	}
	*ret = scx;
}

void procfs_sched_ext_deinit(struct procfs_sched_ext *scx)
{
	procfs_named_readings_deinit(&scx->events);
	*scx = (struct procfs_sched_ext){ 0 };
}
