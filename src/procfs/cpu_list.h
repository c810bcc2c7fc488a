/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * "0-3,5" as /proc and /sys print sets of CPUs, read leniently: blanks and stray commas do not
 * matter, order and repetition neither.
 */
#ifndef KTSTR_PROCFS_CPU_LIST_H
#define KTSTR_PROCFS_CPU_LIST_H

#include "base/vec.h"
#include "base/slice.h"

enum {
	PROCFS_CPU_LIST_RANGE = 65536, /* the longest single range */
	PROCFS_CPU_LIST_IDS = 1 << 20, /* of all ranges together */
};

struct procfs_cpu_ids {
	VEC(uint32_t) ids;
};

/* Puts ids in order, each once; how many are left. */
size_t procfs_ids_sort(uint32_t *ids, size_t n);

/*
 * Replaces the ids: ascending, each once. False, and no ids, when the text is empty or holds
 * anything that is no CPU, a range that falls, or one of more than PROCFS_CPU_LIST_RANGE.
 */
bool procfs_cpu_list_parse(const char *text, size_t n, struct procfs_cpu_ids *ret);
void procfs_cpu_ids_deinit(struct procfs_cpu_ids *ids);
#define _cleanup_procfs_cpu_ids_ _cleanup_(procfs_cpu_ids_deinit)

#endif
