/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers in a folder of /proc: processes, or the threads of one. */
#ifndef KTSTR_CTPROF_WALK_LIST_H
#define KTSTR_CTPROF_WALK_LIST_H

#include <sys/types.h>

#include "base/vec.h"

struct id_list {
	VEC(pid_t) ids; /* ascending, each once */
};

/* Replaces the ids; 0, or the errno, E2BIG beyond `limit`. The folder is read from where it is. */
int id_list_read(int folder, size_t limit, struct id_list *ret);
void id_list_deinit(struct id_list *list);
/* Puts them in order. */
void id_list_sort(struct id_list *list);

#endif
