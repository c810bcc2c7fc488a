/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of small files of /proc, /sys and cgroups, which may be absent. Unknown is not 0, and no
 * limit is not unknown.
 */
#ifndef KTSTR_PROCFS_READING_H
#define KTSTR_PROCFS_READING_H

#include "base/intern.h"
#include "base/strbuf.h"

enum {
	/* memory.stat of today has 60 lines. */
	PROCFS_NAMED_READINGS = 4096,
	PROCFS_SMALL_FILE_BYTES = 1 << 20,
	/* Kinds of memory there can be in smaps_rollup; 7.0 has 24. */
	PROCFS_SMAPS_ROLLUP_ROWS = 128,
};

struct procfs_reading {
	bool known;
	bool unlimited; /* "max" of a limit: known, and the value is 0 */
	uint64_t value;
};

/* Lines of `key number`; keys stand in a table of strings that the caller gives. */
struct procfs_named_reading {
	uint32_t name;
	uint64_t value;
};

struct procfs_named_readings {
	bool known; /* the file could be read */
	VEC(struct procfs_named_reading) rows;
};

/* One number and blanks around it. */
struct procfs_reading procfs_reading_parse(const char *text, size_t n);
/* One number, or "max". */
struct procfs_reading procfs_limit_parse(const char *text, size_t n);
/*
 * Lines of `key number`; others are passed over, and so is what follows PROCFS_NAMED_READINGS
 * lines. A key that comes again wins. known is set.
 */
void procfs_named_readings_parse(const char *text, size_t n, struct intern *names,
				 struct procfs_named_readings *ret);
/*
 * /proc/PID/smaps_rollup, the memory of a process by kind: replaces the rows; values are KiB. The
 * line of addresses, and lines without a number, are left out. False when none was there.
 */
bool procfs_smaps_rollup_parse(const char *text, size_t n, struct intern *names,
			       struct procfs_named_readings *ret);
void procfs_named_readings_deinit(struct procfs_named_readings *readings);
/* NULL when there is none of that name. */
const struct procfs_named_reading *procfs_named_readings_find(
	const struct procfs_named_readings *readings, uint32_t name);
/* 0 when it is not there. */
uint64_t procfs_named_readings_value(const struct procfs_named_readings *readings, uint32_t name);
/*
 * Adds a value to a table made of many files. A name that is new comes to the end, up to
 * PROCFS_NAMED_READINGS. `hint` is where
 * it stood in its own file: files of one kernel have their lines in one order, so it is found there
 * at the first look.
 */
void procfs_named_readings_merge(struct procfs_named_readings *into, uint32_t name, uint64_t value,
				 size_t hint, uint64_t (*merge)(uint64_t a, uint64_t b));

static inline uint64_t procfs_larger_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The text without the blanks at its ends, as a string of the table. */
uint32_t procfs_text_intern(const char *text, size_t n, struct intern *names);

/* Reads a file below an open directory into *into, which is cleared first; false when it cannot. */
bool procfs_small_file_read(int dir, const char *file, struct strbuf *into);
/* Not known, and "", when the file cannot be read. */
struct procfs_reading procfs_reading_read(int dir, const char *file);
uint32_t procfs_text_read(int dir, const char *file, struct intern *names);
void procfs_named_readings_read(int dir, const char *file, struct intern *names,
				struct procfs_named_readings *ret);

#endif
