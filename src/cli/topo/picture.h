/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine as boxes: nodes hold LLCs, LLCs hold cores, `[0 1]` is a core and the CPUs
 * of its threads. Many CPUs are told as lists, many LLCs as one line.
 */
#ifndef KTSTR_CLI_TOPO_PICTURE_H
#define KTSTR_CLI_TOPO_PICTURE_H

#include "cli/topo/block.h"
#include "cli/topo/view.h"

enum {
	PICTURE_MOST_CPUS = 64, /* with every core drawn */
	PICTURE_MOST_LLCS = 64, /* with every LLC drawn */
	PICTURE_FEWEST_COLUMNS = 20,
};

void picture_format(const struct view *view, const struct block_look *look, struct strbuf *into);

#endif
