// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/blocks.h"

#include <string.h>

#include "text/escape.h"
#include "text/terminal.h"

enum { INDENT = 2 };

void blocks_init(struct blocks *blocks, const struct table_column *columns, size_t n)
{
	*blocks = (struct blocks){ .table = table_new(columns, n) };
}

void blocks_deinit(struct blocks *blocks)
{
	table_free(blocks->table);
	for (size_t i = 0; i < blocks->headings.n; i++)
		free(blocks->headings.at[i].text);
	vec_deinit(&blocks->headings);
}

void blocks_heading(struct blocks *blocks, unsigned int depth, const char *text)
{
	struct strbuf safe = STRBUF_INIT;

	text_escape(&safe, text);
	vec_push(&blocks->headings,
		 (struct block_heading){ blocks->n_rows, strbuf_take(&safe), depth });
}

void blocks_row(struct blocks *blocks)
{
	blocks->n_rows++;
}

static void append_heading(const struct block_heading *heading, bool colour, struct strbuf *into)
{
	strbuf_append_repeated(into, ' ', (size_t)INDENT * heading->depth);
	strbuf_append(into, colour ? TERMINAL_BOLD : "");
	strbuf_append(into, heading->text);
	strbuf_append(into, colour ? TERMINAL_RESET : "");
	strbuf_append_char(into, '\n');
}

/* Without the blanks of empty cells at its end. */
static void append_row(const char *line, size_t n, size_t indent, struct strbuf *into)
{
	while (n && line[n - 1] == ' ')
		n--;
	strbuf_append_repeated(into, ' ', indent);
	strbuf_append_bytes(into, line, n);
	strbuf_append_char(into, '\n');
}

static unsigned int deepest(const struct blocks *blocks)
{
	unsigned int depth = 0;

	for (size_t i = 0; i < blocks->headings.n; i++) {
		if (blocks->headings.at[i].depth > depth)
			depth = blocks->headings.at[i].depth;
	}
	return depth;
}

void blocks_format(const struct blocks *blocks, const struct table_look *look, struct strbuf *into)
{
	size_t indent = blocks->headings.n ? (size_t)INDENT * (deepest(blocks) + 1) : 0;
	_cleanup_strbuf_ struct strbuf table = STRBUF_INIT;
	struct table_look narrower = *look;
	size_t heading = 0;
	const char *line;

	if (!blocks->n_rows)
		return;
	if (narrower.columns > indent)
		narrower.columns -= indent;
	table_format(blocks->table, &narrower, &table);
	line = strbuf_str(&table);
	/* The first line is that of the titles. */
	for (size_t row = 0; *line; row++) {
		size_t n = strcspn(line, "\n") + 1;

		for (;
		     row && heading < blocks->headings.n && blocks->headings.at[heading].row < row;
		     heading++)
			append_heading(&blocks->headings.at[heading], look->colour, into);
		append_row(line, n - 1, indent, into);
		line += n;
	}
}
