/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words for the numbers of a task. */
#ifndef KTSTR_DUMP_TASKS_H
#define KTSTR_DUMP_TASKS_H

#include "base/macros.h"

/* The letter of /proc/PID/stat for task_struct.__state and .exit_state. */
char dump_task_state(uint64_t state, uint64_t exit_state);
/* "other", "fifo", …; NULL for a number that has no name. */
const char *dump_task_policy(uint64_t policy);

#endif
