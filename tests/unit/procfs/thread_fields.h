/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of fields that tests read files of a thread with, and what came of it. */
#ifndef KTSTR_TESTS_UNIT_PROCFS_THREAD_FIELDS_H
#define KTSTR_TESTS_UNIT_PROCFS_THREAD_FIELDS_H

#include "unit.h"

#include "procfs/thread_files.h"

enum { FIELDS_MAX = 32 };

/* What a table of fields was filled with, by index of the field. */
struct seen {
	uint64_t known;
	unsigned int negative_times;
	uint64_t at[FIELDS_MAX];
};

struct file {
	struct procfs_field at[FIELDS_MAX];
	size_t n;
};

static inline struct procfs_fields fields_of(struct file *file)
{
	for (size_t i = 0; i < file->n; i++) {
		file->at[i].offset = offsetof(struct seen, at[i]);
		file->at[i].bit = (uint8_t)i;
	}
	return (struct procfs_fields){ file->at, file->n };
}

static inline bool knows(const struct seen *seen, unsigned int field)
{
	return seen->known >> field & 1;
}

static inline bool read_fields(const char *text, struct file *file, struct seen *ret,
			       bool (*parse)(struct slice text, struct procfs_fields fields,
					     struct procfs_values *values))
{
	struct procfs_values values = { .into = ret, .known = &ret->known };
	bool is_sense;

	*ret = (struct seen){ 0 };
	is_sense = parse((struct slice){ text, strlen(text) }, fields_of(file), &values);
	ret->negative_times = values.negative_times;
	return is_sense;
}

#define assert_field(fields, field, expected)                             \
	do {                                                              \
		assert_true(knows((fields), (field)));                    \
		assert_true((fields)->at[field] == (uint64_t)(expected)); \
	} while (0)

#endif
