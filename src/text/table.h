/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows and columns for people. Widths come from the content; when the whole is
 * wider than the terminal the column marked `shrinks` is cut with an ellipsis.
 *
 *	struct table *t = table_new(columns, ARRAY_SIZE(columns));
 *	table_add(t, "42");
 *	table_add(t, name);
 *	table_format(t, &(struct table_look){ .columns = 80 }, &out);
 */
#ifndef KTSTR_TEXT_TABLE_H
#define KTSTR_TEXT_TABLE_H

#include "base/cleanup.h"
#include "base/strbuf.h"

struct table_column {
	const char *title;
	bool right;   /* numbers stand right */
	bool shrinks; /* at most one column */
};

struct table_look {
	size_t columns; /* of the terminal; 0 means as wide as needed */
	bool colour;
};

struct table;

/* Borrows the columns. */
struct table *table_new(const struct table_column *columns, size_t n) MUST_CHECK;
void table_free(struct table *table);
DEFINE_CLEANUP(table, struct table *, NULL, table_free);

/* The next cell, row by row. Foreign text is escaped here. NULL is shown as "-". */
void table_add(struct table *table, const char *text);
void table_addf(struct table *table, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* An unfinished last row is filled with empty cells. */
void table_format(const struct table *table, const struct table_look *look, struct strbuf *into);

#endif
