/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows that read best as one line per group: a few of them as columns. A column that says nothing
 * in any group is left out, unless the user named it, and so is a group that says nothing.
 */
#ifndef KTSTR_CLI_CTPROF_COLUMNS_H
#define KTSTR_CLI_CTPROF_COLUMNS_H

#include "cli/ctprof/rows.h"
#include "text/table.h"

enum {
	COLUMNS_MOST = 8,
	/* A list of CPUs can be as long as a page. */
	COLUMNS_WIDEST_VALUE = 36,
};

struct columns_group {
	char *label;
	uint32_t threads;
	char *cells[COLUMNS_MOST]; /* NULL: there was no such row */
	bool says_something;
};

struct columns {
	const char *title, *names[COLUMNS_MOST];
	bool all, counts_threads;
	bool says_something[COLUMNS_MOST];
	struct group_key key; /* of the last group */
	VEC(struct columns_group) groups;
};

/* The most telling rows of a section; false when it has no such form. */
bool columns_of_section(struct columns *columns, enum metric_section section);
/* The metrics the user named; false when these are none or too many. */
bool columns_of_metrics(struct columns *columns, const struct profile *profile);
void columns_deinit(struct columns *columns);
#define _cleanup_columns_ _cleanup_(columns_deinit)

void columns_add(struct columns *columns, const struct profile *profile, const struct row *row);
/* Nothing when nothing is said. The value is how many groups were left out. */
size_t columns_format(const struct columns *columns, const struct table_look *look, bool everything,
		      struct strbuf *into);
/* Cuts a value that is too wide for a cell. */
void columns_cut(struct strbuf *text);

#endif
