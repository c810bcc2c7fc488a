/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/PID/task/TID/cgroup: where a thread stands in the cgroup v2 tree; see cgroups(7). */
#ifndef KTSTR_PROCFS_CGROUP_PATH_H
#define KTSTR_PROCFS_CGROUP_PATH_H

#include "base/slice.h"

/*
 * The path as our own cgroup namespace shows it; a piece of the text. Lines of v1 hierarchies do
 * not count: false when there is no other.
 */
bool cgroup_path_parse(const char *text, size_t n, struct slice *ret);

#endif
