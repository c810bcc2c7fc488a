// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/topo/topo.h"

#include <string.h>

#include "text/terminal.h"

static const struct frame {
	const char *top_left, *top_right, *bottom_left, *bottom_right, *across, *down;
} frames[2][2] = {
	[BOX_LIGHT] = { { "+", "+", "+", "+", "-", "|" }, { "┌", "┐", "└", "┘", "─", "│" } },
	[BOX_DOUBLE] = { { "+", "+", "+", "+", "=", "|" }, { "╔", "╗", "╚", "╝", "═", "║" } },
};

void block_deinit(struct block *block)
{
	for (size_t i = 0; i < block->lines.n; i++)
		free(block->lines.at[i]);
	vec_deinit(&block->lines);
	block->width = 0;
}

void block_add_line(struct block *block, const char *line)
{
	size_t width = text_width(line);

	vec_push(&block->lines, xstrdup(line));
	if (width > block->width)
		block->width = width;
}

static void append_times(struct strbuf *into, const char *text, size_t times)
{
	while (times--)
		strbuf_append(into, text);
}

/* Line i of the block, or blanks; padded to `width`. */
static void append_padded(struct strbuf *into, const struct block *block, size_t i, size_t width)
{
	const char *line = i < block->lines.n ? block->lines.at[i] : "";
	size_t used = text_width(line);

	strbuf_append(into, line);
	append_times(into, " ", width > used ? width - used : 0);
}

static void append_row(struct block *into, const struct block *blocks, size_t n, size_t width)
{
	size_t height = 0;

	for (size_t i = 0; i < n; i++)
		if (blocks[i].lines.n > height)
			height = blocks[i].lines.n;
	for (size_t line = 0; line < height; line++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		for (size_t i = 0; i < n; i++) {
			if (i)
				strbuf_append_char(&text, ' ');
			append_padded(&text, &blocks[i], line, width);
		}
		block_add_line(into, strbuf_str(&text));
	}
}

void block_flow(struct block *into, struct block *blocks, size_t n, size_t columns)
{
	size_t width = 0, fit, rows, per_row;

	for (size_t i = 0; i < n; i++)
		if (blocks[i].width > width)
			width = blocks[i].width;
	if (n == 0)
		return;
	fit = columns > width ? (columns + 1) / (width + 1) : 1;
	/* 14 boxes where 12 fit make two rows of 7, not 12 and 2. */
	rows = (n + fit - 1) / fit;
	per_row = (n + rows - 1) / rows;
	for (size_t at = 0; at < n; at += per_row)
		append_row(into, blocks + at, n - at < per_row ? n - at : per_row, width);
	for (size_t i = 0; i < n; i++)
		block_deinit(&blocks[i]);
}

void block_box(struct block *into, const struct block *inner, const char *title,
	       enum box_style style, bool unicode)
{
	const struct frame *frame = &frames[style][unicode];
	size_t title_width = text_width(title);
	size_t width = inner->width > title_width + 1 ? inner->width : title_width + 1;
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	strbuf_appendf(&line, "%s %s ", frame->top_left, title);
	append_times(&line, frame->across, width - title_width);
	strbuf_append(&line, frame->top_right);
	block_add_line(into, strbuf_str(&line));
	for (size_t i = 0; i < inner->lines.n; i++) {
		strbuf_clear(&line);
		strbuf_appendf(&line, "%s ", frame->down);
		append_padded(&line, inner, i, width);
		strbuf_appendf(&line, " %s", frame->down);
		block_add_line(into, strbuf_str(&line));
	}
	strbuf_clear(&line);
	strbuf_append(&line, frame->bottom_left);
	append_times(&line, frame->across, width + 2);
	strbuf_append(&line, frame->bottom_right);
	block_add_line(into, strbuf_str(&line));
}

void block_format(const struct block *block, struct strbuf *into)
{
	for (size_t i = 0; i < block->lines.n; i++) {
		size_t n = strlen(block->lines.at[i]);

		while (n && block->lines.at[i][n - 1] == ' ')
			n--;
		strbuf_append_bytes(into, block->lines.at[i], n);
		strbuf_append_char(into, '\n');
	}
}
