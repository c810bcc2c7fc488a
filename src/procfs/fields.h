/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers of one small file: which were there, and what they were. Each file has its own enum of
 * fields, which indexes `at`. A field that is not known is not to be looked at.
 */
#ifndef KTSTR_PROCFS_FIELDS_H
#define KTSTR_PROCFS_FIELDS_H

#include "base/macros.h"

enum { PROC_FIELDS_MAX = 32 };

struct proc_fields {
	uint32_t known;
	uint64_t at[PROC_FIELDS_MAX]; /* signed ones as two's complement of an int64_t */
};

static inline void proc_fields_set(struct proc_fields *fields, unsigned int field, uint64_t value)
{
	fields->known |= UINT32_C(1) << field;
	fields->at[field] = value;
}

static inline void proc_fields_forget(struct proc_fields *fields, unsigned int field)
{
	fields->known &= ~(UINT32_C(1) << field);
}

static inline bool proc_fields_know(const struct proc_fields *fields, unsigned int field)
{
	return fields->known >> field & 1;
}

#endif
