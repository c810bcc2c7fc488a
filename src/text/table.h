/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows and columns for people. Widths come from the content; when the whole is
 * wider than the terminal the column marked `shrinks` is cut with an ellipsis.
 *
 *	struct table *t = table_new(columns, ARRAY_SIZE(columns));
 *	table_add(t, "42");
 *	table_add(t, name);
 *	table_format(t, &(struct table_look){ .columns = 80 }, &out);
 *
 * Rows may stand in blocks below headings, which do not widen the columns:
 *
 *	  METRIC   VALUE
 *	nginx  4 threads
 *	  nice         0
 */
#ifndef KTSTR_TEXT_TABLE_H
#define KTSTR_TEXT_TABLE_H

#include "base/cleanup.h"
#include "base/strbuf.h"

struct table_column {
	const char *title;
	bool right;    /* numbers stand right */
	bool shrinks;  /* at most one column */
	bool optional; /* left out when all its cells are empty */
};

struct table_look {
	size_t columns; /* of the terminal; 0 means as wide as needed */
	bool colour;
	size_t indent; /* blanks in front of every line */
	/* Where the columns do not fit, each row is a line and, below it, its last cell wrapped. */
	bool paragraphs;
};

struct table;

/* What fits the terminal behind fd, or as wide as needed and plain. */
struct table_look table_look_for(int fd);

/* Borrows the columns. */
struct table *table_new(const struct table_column *columns, size_t n) MUST_CHECK;
void table_free(struct table *table);
DEFINE_CLEANUP(table, struct table *, NULL, table_free);

/* The next cell, row by row. Foreign text is escaped here. NULL is shown as "-". */
void table_add(struct table *table, const char *text);
void table_addf(struct table *table, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* As number_format_bytes() has it. */
void table_add_bytes(struct table *table, uint64_t bytes);
/* In front of the next row; depth 0 is not indented, rows are indented by more than any heading. */
void table_add_heading(struct table *table, unsigned int depth, const char *foreign);
bool table_has_rows(const struct table *table);
/* An unfinished last row is filled with empty cells. */
void table_format(const struct table *table, const struct table_look *look, struct strbuf *into);

#endif
