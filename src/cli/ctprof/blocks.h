/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table whose rows stand in blocks under headings: widths are those of the whole table, however
 * long a heading is.
 *
 *	METRIC       VALUE
 *	nginx  4 threads
 *	  nice           0
 */
#ifndef KTSTR_CLI_CTPROF_BLOCKS_H
#define KTSTR_CLI_CTPROF_BLOCKS_H

#include "base/vec.h"
#include "text/table.h"

struct block_heading {
	size_t row; /* stands in front of this row */
	char *text; /* made safe to show */
	unsigned int depth;
};

struct blocks {
	struct table *table;
	size_t n_rows;
	VEC(struct block_heading) headings;
};

/* Borrows the columns. */
void blocks_init(struct blocks *blocks, const struct table_column *columns, size_t n);
void blocks_deinit(struct blocks *blocks);
#define _cleanup_blocks_ _cleanup_(blocks_deinit)

/* Foreign text. Depth 0 is not indented; rows are indented by one more than the last heading. */
void blocks_heading(struct blocks *blocks, unsigned int depth, const char *text);
/* Cells of the next row go into ->table after this. */
void blocks_row(struct blocks *blocks);
/* Nothing at all when there are no rows. */
void blocks_format(const struct blocks *blocks, const struct table_look *look, struct strbuf *into);

#endif
