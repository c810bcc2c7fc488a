/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /sys/kernel/sched_ext: whether a BPF scheduler runs, and which. */
#ifndef KTSTR_PROCFS_SCHED_EXT_H
#define KTSTR_PROCFS_SCHED_EXT_H

#include "base/error.h"
#include "procfs/reading.h"

struct procfs_sched_ext {
	bool known;	/* the directory is there: the kernel can */
	uint32_t state; /* a string, "" when it could not be read */
	uint32_t ops;	/* the scheduler's name, "" when none is loaded */
	struct procfs_reading switch_all, nr_rejected, hotplug_seq, enable_seq;
	struct procfs_named_readings events; /* root/events */
};

/* Reads below root ("" for this machine); texts and keys go into names. */
void procfs_sched_ext_read(const char *root, struct intern *names, struct procfs_sched_ext *ret);
void procfs_sched_ext_deinit(struct procfs_sched_ext *scx);

#endif
