/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of a snapshot into which several readers write at once. */
#ifndef KTSTR_CTPROF_WALK_TABLES_H
#define KTSTR_CTPROF_WALK_TABLES_H

#include <pthread.h>

#include "ctprof/snapshot.h"
#include "procfs/cpu_list.h"

struct walk_tables {
	pthread_mutex_t lock;
	struct snapshot *snapshot;
	struct named_readings smaps; /* used again */
};

void walk_tables_init(struct walk_tables *tables, struct snapshot *snapshot);
void walk_tables_deinit(struct walk_tables *tables);

uint32_t walk_tables_add_string(struct walk_tables *tables, struct slice text);
uint32_t walk_tables_add_cpus(struct walk_tables *tables, const struct cpu_ids *ids);
/* The text of a smaps_rollup file; false when nothing of it is one. */
bool walk_tables_add_smaps(struct walk_tables *tables, const char *text, size_t n, uint32_t *ret);

#endif
