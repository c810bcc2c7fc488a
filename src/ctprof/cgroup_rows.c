// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/cgroup_rows.h"

#include <string.h>

const struct ctprof_cgroup_row ctprof_cgroup_rows[] = {
#define ROW_(group, key, form, table, always, file, merge, section, name, unit, description) \
	{ #group,                                                                            \
	  #key,                                                                              \
	  #group "." #key,                                                                   \
	  PROCFS_CGROUP_FORM_##form,                                                         \
	  table,                                                                             \
	  always,                                                                            \
	  offsetof(struct procfs_cgroup_stats, group##_##key),                               \
	  CTPROF_CGROUP_MERGE_##merge,                                                       \
	  METRIC_SECTION_##section,                                                          \
	  name,                                                                              \
	  METRIC_UNIT_##unit,                                                                \
	  file,                                                                              \
	  description },
#define CGROUP_VALUE(group, key, form, ...) ROW_(group, key, form, false, __VA_ARGS__)
#define CGROUP_TABLE(group, key, form, ...) ROW_(group, key, form, true, __VA_ARGS__)
#include "procfs/cgroup.def"
#undef ROW_
};

#define IS_PERCENT 1
#define IS_US	   0
const struct ctprof_pressure_row ctprof_pressure_rows[] = {
#define ROW_(member, key, unit, what) \
	{ #member, what, IS_##unit, offsetof(struct procfs_pressure_half, member) },
	PROCFS_PRESSURE_VALUES(ROW_)
#undef ROW_
};

bool ctprof_memory_stat_is_gauge(const char *name)
{
	static const char *const gauges[] = {
		"anon",
		"file",
		"kernel",
		"kernel_stack",
		"pagetables",
		"sec_pagetables",
		"percpu",
		"sock",
		"vmalloc",
		"shmem",
		"zswap",
		"zswapped",
		"file_mapped",
		"file_dirty",
		"file_writeback",
		"swapcached",
		"anon_thp",
		"file_thp",
		"shmem_thp",
		"inactive_anon",
		"active_anon",
		"inactive_file",
		"active_file",
		"unevictable",
		"slab",
		"slab_reclaimable",
		"slab_unreclaimable",
		"hugetlb",
	};

	for (size_t i = 0; i < ARRAY_SIZE(gauges); i++) {
		if (strcmp(gauges[i], name) == 0)
			return true;
	}
	return false;
}

enum metric_unit ctprof_cgroup_row_unit(const struct ctprof_cgroup_row *row, const char *line)
{
	bool bytes = row->merge == CTPROF_CGROUP_MERGE_KIND ? ctprof_memory_stat_is_gauge(line)
							    : strstr(line, "bytes") != NULL;

	return bytes ? METRIC_UNIT_BYTES : METRIC_UNIT_COUNT;
}
