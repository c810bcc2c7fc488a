/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of small files, which may be absent. Unknown is not 0, and no limit is not unknown. */
#ifndef KTSTR_PROCFS_READING_H
#define KTSTR_PROCFS_READING_H

#include "base/intern.h"

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

#endif
