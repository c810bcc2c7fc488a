// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/sched_ext.h"

#include <fcntl.h>

#include "procfs/reading.h"

void sched_ext_read(const char *root, struct intern *names, struct sched_ext *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/sys/kernel/sched_ext", root);
	_cleanup_close_ int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct sched_ext scx = { 0 };

	if (dir >= 0) {
		scx.known = true;
		scx.state = text_read(dir, "state", names);
		scx.switch_all = reading_read(dir, "switch_all");
		scx.nr_rejected = reading_read(dir, "nr_rejected");
		scx.hotplug_seq = reading_read(dir, "hotplug_seq");
		scx.enable_seq = reading_read(dir, "enable_seq");
		/* The folder root is there while a scheduler is loaded; events since Linux 6.15. */
		scx.ops = text_read(dir, "root/ops", names);
		named_readings_read(dir, "root/events", names, &scx.events);
	}
	*ret = scx;
}

void sched_ext_deinit(struct sched_ext *scx)
{
	named_readings_deinit(&scx->events);
	*scx = (struct sched_ext){ 0 };
}
