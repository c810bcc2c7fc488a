/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* About how many threads there are to read, for less than reading one of them costs. */
#ifndef KTSTR_CTPROF_BPF_THREAD_COUNT_H
#define KTSTR_CTPROF_BPF_THREAD_COUNT_H

#include "ctprof/capture.h"

/*
 * The number behind the slash in /proc/loadavg: of the whole machine, even in a pid namespace.
 * False when there is none.
 */
bool ctprof_thread_count_parse(const char *loadavg, size_t n, uint64_t *ret);
/* Of the processes that are asked for, or of the machine; false when it is not known. */
bool ctprof_thread_count_read(const struct ctprof_options *options, uint64_t *ret);

#endif
