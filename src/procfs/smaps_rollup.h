/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/PID/smaps_rollup: the memory of a process by kind; see proc(5). */
#ifndef KTSTR_PROCFS_SMAPS_ROLLUP_H
#define KTSTR_PROCFS_SMAPS_ROLLUP_H

#include "procfs/reading.h"

/* Kinds there can be; 7.0 has 24. */
enum { SMAPS_ROLLUP_ROWS = 128 };

/*
 * Replaces the rows; values are KiB. The line of addresses, and lines without a number, are left
 * out. False when none was there.
 */
bool smaps_rollup_parse(const char *text, size_t n, struct intern *names,
			struct named_readings *ret);

#endif
