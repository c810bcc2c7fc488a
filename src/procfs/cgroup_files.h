/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of a cgroup that hold more than one number. */
#ifndef KTSTR_PROCFS_CGROUP_FILES_H
#define KTSTR_PROCFS_CGROUP_FILES_H

#include "procfs/cgroup_stats.h"

enum { CGROUP_IO_STAT_WORDS = 65536 };

/* What a file does not say stays as it was. */
void cgroup_cpu_stat_parse(const char *text, size_t n, struct cgroup_stats *stats);
void cgroup_cpu_max_parse(const char *text, size_t n, struct cgroup_stats *stats);
void cgroup_io_stat_parse(const char *text, size_t n, struct intern *names,
			  struct named_readings *ret);
bool cgroup_nice_parse(const char *text, size_t n, int32_t *ret);

#endif
