/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of small files, which may be absent. Unknown is not 0, and no limit is not unknown. */
#ifndef KTSTR_PROCFS_READING_H
#define KTSTR_PROCFS_READING_H

#include "base/intern.h"

/* memory.stat of today has 60 lines. */
enum { PROCFS_NAMED_READINGS = 4096 };

struct reading {
	bool known;
	uint64_t value;
};

enum limit_state {
	LIMIT_UNKNOWN, /* no such file, or nonsense in it */
	LIMIT_NONE,    /* "max" */
	LIMIT_VALUE,
};

struct limit {
	enum limit_state state;
	uint64_t value;
};

/* Lines of `key number`; keys stand in a table of strings that the caller gives. */
struct named_reading {
	uint32_t name;
	uint64_t value;
};

struct named_readings {
	bool known; /* the file could be read */
	VEC(struct named_reading) rows;
};

/* One number and blanks around it. */
struct reading reading_parse(const char *text, size_t n);
/* One number, or "max". */
struct limit limit_parse(const char *text, size_t n);
/*
 * Lines of `key number`; others are passed over, and so is what follows PROCFS_NAMED_READINGS
 * lines. A key that comes again wins. known is set.
 */
void named_readings_parse(const char *text, size_t n, struct intern *names,
			  struct named_readings *ret);
void named_readings_deinit(struct named_readings *readings);
/* NULL when there is none of that name. */
const struct named_reading *named_readings_find(const struct named_readings *readings,
						uint32_t name);

/* The text without the blanks at its ends, as a string of the table. */
uint32_t text_intern(const char *text, size_t n, struct intern *names);

#endif
