/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of `name number` of many files made one. */
#ifndef KTSTR_CTPROF_NAMED_MERGE_H
#define KTSTR_CTPROF_NAMED_MERGE_H

#include "procfs/reading.h"

static inline uint64_t larger_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * A name that is new comes to the end. `hint` is where it stood in its own file: files of one
 * kernel have their lines in one order, so it is found there at the first look.
 */
void named_readings_merge(struct named_readings *into, uint32_t name, uint64_t value, size_t hint,
			  uint64_t (*merge)(uint64_t a, uint64_t b));
/* 0 when it is not there. */
uint64_t named_readings_value(const struct named_readings *table, uint32_t name);

#endif
