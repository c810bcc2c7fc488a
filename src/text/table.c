// SPDX-License-Identifier: LGPL-2.1-or-later
#include "text/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "text/escape.h"
#include "text/terminal.h"
#include "text/width.h"

enum {
	COLUMN_GAP = 2,
	NARROWEST_SHRUNK = 4,
};

struct table {
	const struct table_column *columns;
	size_t n_columns;
	VEC(char *) cells;
};

struct table *table_new(const struct table_column *columns, size_t n)
{
	struct table *table = xnew(struct table);

	table->columns = columns;
	table->n_columns = n;
	return table;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->cells.n; i++)
		free(table->cells.at[i]);
	vec_deinit(&table->cells);
	free(table);
}

void table_add(struct table *table, const char *text)
{
	struct strbuf safe = STRBUF_INIT;

	text_escape(&safe, text ? text : "-");
	vec_push(&table->cells, strbuf_take(&safe));
}

void table_addf(struct table *table, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, fmt);
	text = xvasprintf(fmt, args);
	va_end(args);
	table_add(table, text);
}

static const char *cell_at(const struct table *table, size_t row, size_t column)
{
	size_t i = row * table->n_columns + column;

	return i < table->cells.n ? table->cells.at[i] : "";
}

static size_t row_count(const struct table *table)
{
	return (table->cells.n + table->n_columns - 1) / table->n_columns;
}

static void measure(const struct table *table, size_t limit, size_t widths[])
{
	size_t total = 0, excess;

	for (size_t c = 0; c < table->n_columns; c++) {
		widths[c] = utf8_width(table->columns[c].title);
		for (size_t r = 0; r < row_count(table); r++) {
			size_t width = utf8_width(cell_at(table, r, c));

			if (width > widths[c])
				widths[c] = width;
		}
		total += widths[c] + (c ? COLUMN_GAP : 0);
	}
	if (limit == 0 || total <= limit)
		return;
	excess = total - limit;
	for (size_t c = 0; c < table->n_columns; c++) {
		if (!table->columns[c].shrinks || widths[c] <= NARROWEST_SHRUNK)
			continue;
		if (excess > widths[c] - NARROWEST_SHRUNK)
			excess = widths[c] - NARROWEST_SHRUNK;
		widths[c] -= excess;
	}
}

static void append_cell(struct strbuf *into, const char *text, size_t width, bool right,
			bool is_last)
{
	size_t taken = utf8_width(text);

	if (taken > width) {
		size_t n = utf8_prefix(text, width - 1);
		_cleanup_free_ char *kept = xstrndup(text, n);

		strbuf_append(into, kept);
		strbuf_append(into, "…");
		/* A wide character that did not fit leaves a column over. */
		taken = utf8_width(kept) + 1;
		strbuf_append_repeated(into, ' ', width - taken);
		return;
	}
	if (right)
		strbuf_append_repeated(into, ' ', width - taken);
	strbuf_append(into, text);
	if (!right && !is_last)
		strbuf_append_repeated(into, ' ', width - taken);
}

void table_format(const struct table *table, const struct table_look *look, struct strbuf *into)
{
	_cleanup_free_ size_t *widths = xcalloc(table->n_columns, sizeof(*widths));
	size_t last = table->n_columns - 1;

	measure(table, look->columns, widths);
	if (look->colour)
		strbuf_append(into, TERMINAL_BOLD);
	for (size_t c = 0; c <= last; c++) {
		strbuf_append_repeated(into, ' ', c ? COLUMN_GAP : 0);
		append_cell(into, table->columns[c].title, widths[c], table->columns[c].right,
			    c == last);
	}
	if (look->colour)
		strbuf_append(into, TERMINAL_RESET);
	strbuf_append_char(into, '\n');
	for (size_t r = 0; r < row_count(table); r++) {
		for (size_t c = 0; c <= last; c++) {
			strbuf_append_repeated(into, ' ', c ? COLUMN_GAP : 0);
			append_cell(into, cell_at(table, r, c), widths[c], table->columns[c].right,
				    c == last);
		}
		strbuf_append_char(into, '\n');
	}
}
