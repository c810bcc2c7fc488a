/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sections that read best as one line per group: the most telling of their rows as columns. A
 * column that says nothing in any group is left out, and so is a group that says nothing.
 */
#ifndef KTSTR_CLI_CTPROF_COMPACT_H
#define KTSTR_CLI_CTPROF_COMPACT_H

#include "cli/ctprof/rows.h"
#include "text/table.h"

enum { COMPACT_COLUMNS = 8 };

struct compact_group {
	char *label;
	char *cells[COMPACT_COLUMNS]; /* NULL: there was no such row */
	bool says_something;
};

struct compact {
	const struct compact_shape *shape;
	struct group_key key; /* of the last group */
	VEC(struct compact_group) groups;
	bool says_something[COMPACT_COLUMNS];
};

/* False when the section has no such form. */
bool compact_init(struct compact *compact, enum metric_section section);
void compact_deinit(struct compact *compact);
#define _cleanup_compact_ _cleanup_(compact_deinit)

void compact_add(struct compact *compact, const struct profile *profile, const struct row *row);
/* Nothing when nothing is said. */
void compact_format(const struct compact *compact, const struct table_look *look,
		    struct strbuf *into);

#endif
