/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory that looks like /sys of a machine, with whatever is wrong that a test needs. */
#ifndef KTSTR_TESTS_FAKE_SYSFS_H
#define KTSTR_TESTS_FAKE_SYSFS_H

#include "topo/topology.h"

struct fake_sysfs {
	char root[32];
};

void fake_sysfs_init(struct fake_sysfs *fake);
/* Removes everything. */
void fake_sysfs_deinit(struct fake_sysfs *fake);
/* The machine of a topology: L1d, L1i, L2 for each core, L3 for each LLC, 512 MiB a node. */
void fake_sysfs_stage(struct fake_sysfs *fake, const struct topo *t);
/* Path below devices/system; directories are made. */
void fake_sysfs_write(struct fake_sysfs *fake, const char *path, const char *text);
void fake_sysfs_remove(struct fake_sysfs *fake, const char *path);

#define _cleanup_fake_sysfs_ __attribute__((cleanup(fake_sysfs_deinit)))

#endif
