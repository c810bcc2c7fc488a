/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows and columns for people. Widths come from the content; when the whole is
 * wider than the terminal the column marked `shrinks` is cut with an ellipsis.
 *
 *	struct text_table *t = TEXT_TABLE(">TID", "~NAME");
 *	text_table_add(t, "42");
 *	text_table_add(t, name);
 *	text_table_format(t, &(struct text_look){ .columns = 80 }, &out);
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

struct text_column {
	const char *title;
	bool right;    /* numbers stand right */
	bool shrinks;  /* at most one column */
	bool optional; /* left out when all its cells are empty */
};

struct text_look {
	size_t columns; /* of the terminal; 0 means as wide as needed */
	bool colour;
	size_t indent; /* blanks in front of every line */
	/* Where the columns do not fit, each row is a line and, below it, its last cell wrapped. */
	bool paragraphs;
};

struct text_table;

/* What fits the terminal behind fd, or as wide as needed and plain. */
struct text_look text_look_for(int fd);

/* Borrows the columns. */
struct text_table *text_table_new(const struct text_column *columns, size_t n) MUST_CHECK;
/* By titles alone: ">TITLE" stands right, "~TITLE" shrinks, "?TITLE" is optional. */
struct text_table *text_table_of(const char *const *titles, size_t n) MUST_CHECK;
#define TEXT_TABLE(...)                                     \
	text_table_of((const char *const[]){ __VA_ARGS__ }, \
		      sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))
void text_table_free(struct text_table *table);
DEFINE_CLEANUP(text_table, struct text_table *, NULL, text_table_free);
#define _cleanup_text_table_ _cleanup_(cleanup_text_table)

/* The next cell, row by row. Foreign text is escaped here. NULL is shown as "-". */
void text_table_add(struct text_table *table, const char *text);
void text_table_addf(struct text_table *table, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* As text_format_bytes() has it. */
void text_table_add_bytes(struct text_table *table, uint64_t bytes);
/* Several cells at once. */
void text_table_add_cells(struct text_table *table, const char *const *texts, size_t n);
#define text_table_add_row(table, ...)                                    \
	text_table_add_cells(table, (const char *const[]){ __VA_ARGS__ }, \
			     sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))
/* In front of the next row; depth 0 is not indented, rows are indented by more than any heading. */
void text_table_add_heading(struct text_table *table, unsigned int depth, const char *foreign);
bool text_table_has_rows(const struct text_table *table);
/* An unfinished last row is filled with empty cells. */
void text_table_format(const struct text_table *table, const struct text_look *look,
		       struct strbuf *into);

#endif
