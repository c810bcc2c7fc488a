// SPDX-License-Identifier: LGPL-2.1-or-later
#include "text/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "text/terminal.h"

enum {
	COLUMN_GAP = 2,
	NARROWEST_SHRUNK = 4,
	HEADING_INDENT = 2,
	PARAGRAPH_INDENT = 4,
};

#define LEFT_OUT SIZE_MAX
/* The row of titles. */
#define TITLES SIZE_MAX

struct heading {
	size_t row; /* stands in front of this row */
	unsigned int depth;
	char *text; /* escaped */
};

struct text_table {
	const struct text_column *columns;
	struct text_column *own; /* NULL: they are borrowed */
	size_t n_columns;
	VEC(char *) cells;
	VEC(struct heading) headings;
	unsigned int deepest; /* heading */
};

struct text_look text_look_for(int fd)
{
	return (struct text_look){ .columns = text_terminal_columns(fd),
				   .colour = text_terminal_has_colour(fd) };
}

struct text_table *text_table_new(const struct text_column *columns, size_t n)
{
	struct text_table *table = xnew(struct text_table);

	table->columns = columns;
	table->n_columns = n;
	return table;
}

struct text_table *text_table_of(const char *const *titles, size_t n)
{
	struct text_column *columns = xcalloc(n, sizeof(*columns));
	struct text_table *table = text_table_new(columns, n);

	for (size_t i = 0; i < n; i++) {
		char mark = titles[i][0];

		columns[i] = (struct text_column){ .title = titles[i] + strspn(titles[i], ">~?"),
						   .right = mark == '>',
						   .shrinks = mark == '~',
						   .optional = mark == '?' };
	}
	table->own = columns;
	return table;
}

void text_table_free(struct text_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->cells.n; i++)
		free(table->cells.at[i]);
	for (size_t i = 0; i < table->headings.n; i++)
		free(table->headings.at[i].text);
	vec_deinit(&table->cells);
	vec_deinit(&table->headings);
	free(table->own);
	free(table);
}

static char *escaped(const char *foreign)
{
	struct strbuf safe = STRBUF_INIT;

	text_escape(&safe, foreign);
	return strbuf_take(&safe);
}

void text_table_add(struct text_table *table, const char *text)
{
	vec_push(&table->cells, escaped(text ? text : "-"));
}

void text_table_add_cells(struct text_table *table, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		text_table_add(table, texts[i]);
}

void text_table_addf(struct text_table *table, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, fmt);
	text = xvasprintf(fmt, args);
	va_end(args);
	text_table_add(table, text);
}

void text_table_add_bytes(struct text_table *table, uint64_t bytes)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	text_format_bytes(&text, bytes);
	text_table_add(table, strbuf_str(&text));
}

static const char *cell_at(const struct text_table *table, size_t row, size_t column)
{
	size_t i = row * table->n_columns + column;

	return i < table->cells.n ? table->cells.at[i] : "";
}

static size_t row_count(const struct text_table *table)
{
	return (table->cells.n + table->n_columns - 1) / table->n_columns;
}

bool text_table_has_rows(const struct text_table *table)
{
	return table->cells.n > 0;
}

void text_table_add_heading(struct text_table *table, unsigned int depth, const char *foreign)
{
	vec_push(&table->headings, (struct heading){ row_count(table), depth, escaped(foreign) });
	table->deepest = depth > table->deepest ? depth : table->deepest;
}

/* What is shown, and how. */
struct columns_layout {
	const struct text_table *table;
	bool colour;
	size_t indent;
	size_t last;	/* column */
	size_t *widths; /* LEFT_OUT: an optional column without content */
	size_t total;
};

static size_t content_width(const struct text_table *table, size_t column)
{
	size_t widest = 0;

	for (size_t r = 0; r < row_count(table); r++) {
		size_t width = text_width(cell_at(table, r, column));

		widest = width > widest ? width : widest;
	}
	return widest;
}

static void measure(struct columns_layout *layout)
{
	const struct text_table *table = layout->table;

	for (size_t c = 0; c < table->n_columns; c++) {
		size_t title = text_width(table->columns[c].title);
		size_t width = content_width(table, c);

		if (!width && table->columns[c].optional) {
			layout->widths[c] = LEFT_OUT;
			continue;
		}
		layout->widths[c] = width > title ? width : title;
		layout->total += layout->widths[c] + (c ? COLUMN_GAP : 0);
		layout->last = c;
	}
}

static void shrink(struct columns_layout *layout, size_t limit)
{
	size_t excess = layout->total > limit ? layout->total - limit : 0;

	for (size_t c = 0; c < layout->table->n_columns; c++) {
		if (!layout->table->columns[c].shrinks || layout->widths[c] == LEFT_OUT ||
		    layout->widths[c] <= NARROWEST_SHRUNK)
			continue;
		if (excess > layout->widths[c] - NARROWEST_SHRUNK)
			excess = layout->widths[c] - NARROWEST_SHRUNK;
		layout->widths[c] -= excess;
	}
}

static void append_cell(struct strbuf *into, const char *text, size_t width, bool right,
			bool is_last)
{
	size_t taken = text_width(text);

	if (taken > width) {
		size_t n = text_prefix(text, width - 1);
		_cleanup_free_ char *kept = xstrndup(text, n);

		strbuf_append(into, kept);
		strbuf_append(into, "…");
		/* A wide character that did not fit leaves a column over. */
		taken = text_width(kept) + 1;
		strbuf_append_repeated(into, ' ', width - taken);
		return;
	}
	if (right)
		strbuf_append_repeated(into, ' ', width - taken);
	strbuf_append(into, text);
	if (!right && !is_last)
		strbuf_append_repeated(into, ' ', width - taken);
}

static void append_row(const struct columns_layout *layout, size_t row, struct strbuf *into)
{
	const struct text_table *table = layout->table;
	bool bold = row == TITLES && layout->colour;

	strbuf_append_repeated(into, ' ', layout->indent);
	strbuf_append(into, bold ? TEXT_BOLD : "");
	for (size_t c = 0; c <= layout->last; c++) {
		if (layout->widths[c] == LEFT_OUT)
			continue;
		strbuf_append_repeated(into, ' ', c ? COLUMN_GAP : 0);
		append_cell(into, row == TITLES ? table->columns[c].title : cell_at(table, row, c),
			    layout->widths[c], table->columns[c].right, c == layout->last);
	}
	strbuf_append(into, bold ? TEXT_RESET : "");
	while (table->headings.n && into->at[into->n - 1] == ' ')
		into->n--;
	strbuf_append_char(into, '\n');
}

static void append_bold(const struct columns_layout *layout, const char *text, struct strbuf *into)
{
	strbuf_appendf(into, "%s%s%s", layout->colour ? TEXT_BOLD : "", text,
		       layout->colour ? TEXT_RESET : "");
}

static void append_rows(const struct columns_layout *layout, struct strbuf *into)
{
	const struct text_table *table = layout->table;
	size_t h = 0;

	append_row(layout, TITLES, into);
	for (size_t r = 0; r < row_count(table); r++) {
		for (; h < table->headings.n && table->headings.at[h].row <= r; h++) {
			const struct heading *heading = &table->headings.at[h];

			strbuf_append_repeated(into, ' ', (size_t)HEADING_INDENT * heading->depth);
			append_bold(layout, heading->text, into);
			strbuf_append_char(into, '\n');
		}
		append_row(layout, r, into);
	}
}

static void append_paragraphs(const struct columns_layout *layout, size_t columns,
			      struct strbuf *into)
{
	for (size_t r = 0; r < row_count(layout->table); r++) {
		append_bold(layout, cell_at(layout->table, r, 0), into);
		for (size_t c = 1; c < layout->last; c++) {
			const char *cell = cell_at(layout->table, r, c);

			strbuf_appendf(into, "%s%s", *cell ? "  " : "", cell);
		}
		strbuf_append_char(into, '\n');
		strbuf_append_repeated(into, ' ', PARAGRAPH_INDENT);
		text_wrap(into, cell_at(layout->table, r, layout->last), PARAGRAPH_INDENT, columns);
		strbuf_append_char(into, '\n');
	}
}

void text_table_format(const struct text_table *table, const struct text_look *look,
		       struct strbuf *into)
{
	_cleanup_free_ size_t *widths = xcalloc(table->n_columns, sizeof(*widths));
	struct columns_layout layout = { table, look->colour, look->indent, 0, widths, 0 };

	if (table->headings.n)
		layout.indent += (size_t)HEADING_INDENT * (table->deepest + 1);
	measure(&layout);
	if (look->paragraphs && look->columns && layout.total > look->columns) {
		append_paragraphs(&layout, look->columns, into);
		return;
	}
	if (look->columns && !look->paragraphs)
		shrink(&layout, look->columns > layout.indent ? look->columns - layout.indent : 1);
	append_rows(&layout, into);
}
