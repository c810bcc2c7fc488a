/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rectangles of text: made from words, set side by side, put into boxes. */
#ifndef KTSTR_CLI_TOPO_BLOCK_H
#define KTSTR_CLI_TOPO_BLOCK_H

#include "base/strbuf.h"
#include "base/vec.h"

struct block {
	VEC(char *) lines; /* owned, without newline */
	size_t width;	   /* columns of the widest */
};

enum box_style { BOX_LIGHT, BOX_DOUBLE };

struct block_look {
	bool unicode;
	size_t columns;
};

void block_deinit(struct block *block);
#define _cleanup_block_ _cleanup_(block_deinit)

void block_add_line(struct block *block, const char *line);
/*
 * Appends n blocks, as many in a row as fit into `columns`, one blank between them; every row holds
 * the same number. Takes the blocks' lines.
 */
void block_flow(struct block *into, struct block *blocks, size_t n, size_t columns);
/* Appends the block in a frame with a title; four columns wider than it, or than the title. */
void block_box(struct block *into, const struct block *inner, const char *title,
	       enum box_style style, bool unicode);
void block_format(const struct block *block, struct strbuf *into);

#endif
