/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of `ktstr topo` share. */
#ifndef KTSTR_CLI_TOPO_TOPO_H
#define KTSTR_CLI_TOPO_TOPO_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "text/table.h"
#include "topo/machine.h"
#include "topo/topology.h"

/*
 * What `ktstr topo` shows, whether asked for or found: CPUs in the order node,
 * LLC, core, thread. A group is a run of rows with the same number.
 */

struct view {
	const struct topo_machine *m; /* with its CPUs in this order */
	struct topo_machine *own;     /* the same when it was made for a topology asked for */
	const char *preset;	      /* the name of that topology, or NULL */
	/* The whole as a topology, if every node, LLC and core is like the others. */
	bool is_regular;
	struct topo regular;
};

enum view_level { VIEW_NODE, VIEW_LLC, VIEW_CORE };

void view_of_topology(const struct topo *t, struct view *ret);
/* Borrows the machine and puts its CPUs in order. */
void view_of_machine(struct topo_machine *m, struct view *ret);
void view_deinit(struct view *view);
#define _cleanup_view_ _cleanup_(view_deinit)

/* Behind the last row of the group that begins at row `first`. */
unsigned int view_group_end(const struct view *view, enum view_level level, unsigned int first);
/* Groups of a level between two rows. */
unsigned int view_count(const struct view *view, enum view_level level, unsigned int from,
			unsigned int to);
/* In the whole machine, without those of which only the CPUs are known. */
unsigned int view_count_known(const struct view *view, enum view_level level);
/* The rows of a node's CPUs; both 0 when it has none. */
void view_node_rows(const struct view *view, uint32_t node, unsigned int *ret_from,
		    unsigned int *ret_to);
/* CPUs between two rows as a list. */
void view_format_cpus(const struct view *view, unsigned int from, unsigned int to,
		      struct strbuf *into);

/* Rectangles of text: made from words, set side by side, put into boxes. */

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

/*
 * The machine as boxes: nodes hold LLCs, LLCs hold cores, `[0 1]` is a core and the CPUs
 * of its threads. Many CPUs are told as lists, many LLCs as one line.
 */

enum {
	PICTURE_MOST_CPUS = 64, /* with every core drawn */
	PICTURE_MOST_LLCS = 64, /* with every LLC drawn */
	PICTURE_FEWEST_COLUMNS = 20,
};

void picture_format(const struct view *view, const struct block_look *look, struct strbuf *into);

/* The two forms of `ktstr topo`, and of its list of presets. */

void topo_format_text(const struct view *view, const struct block_look *look, struct strbuf *into);
void topo_format_json(const struct view *view, struct strbuf *into);
void topo_format_presets(const struct text_look *look, struct strbuf *into);
void topo_format_presets_json(struct strbuf *into);

/* What the terminal behind standard output can show, by the locale in the environment. */
bool topo_wants_unicode(void);

#endif
