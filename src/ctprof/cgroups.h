/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroups of a snapshot: each that has a thread, once. */
#ifndef KTSTR_CTPROF_CGROUPS_H
#define KTSTR_CTPROF_CGROUPS_H

#include "ctprof/capture.h"

/*
 * After the walk: fills snapshot->cgroups, sorted by path, and snapshot->cgroup_mount, from the
 * cgroup paths of the threads.
 */
void ctprof_read_cgroups(const struct ctprof_options *options, struct ctprof_snapshot *snapshot);

#endif
