/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the text of a thread's file to its values: the column `key` of metrics.def says which. */
#ifndef KTSTR_CTPROF_WALK_FIELDS_H
#define KTSTR_CTPROF_WALK_FIELDS_H

#include "metric/sample.h"
#include "base/slice.h"

/* Each is false, and sets nothing, when the text makes no sense. */
bool walk_take_stat(const char *text, size_t n, struct thread_sample *sample);
bool walk_take_schedstat(const char *text, size_t n, struct thread_sample *sample);
bool walk_take_io(const char *text, size_t n, struct thread_sample *sample);
/* The allowed CPUs are not set; *ret_cpus is a piece of the text, and may be all there is. */
bool walk_take_status(const char *text, size_t n, struct thread_sample *sample,
		      struct slice *ret_cpus);
bool walk_take_sched(const char *text, size_t n, struct thread_sample *sample,
		     unsigned int *ret_negative_times);

/*
 * The kernel counts what is blocked among what sleeps: what was read as voluntary sleep loses it,
 * and is not known where the time blocked is not.
 */
void walk_split_sleep(struct thread_sample *sample);

#endif
