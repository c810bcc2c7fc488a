/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two forms of `ktstr topo`, and of its list of presets. */
#ifndef KTSTR_CLI_TOPO_OUTPUT_H
#define KTSTR_CLI_TOPO_OUTPUT_H

#include "cli/topo/block.h"
#include "cli/topo/view.h"

struct topo_shown {
	const struct view *view;
	const struct topo_machine *machine; /* NULL when a topology was asked for */
	const char *preset;		    /* its name, or NULL */
};

void topo_format_text(const struct topo_shown *shown, const struct block_look *look,
		      struct strbuf *into);
void topo_format_json(const struct topo_shown *shown, struct strbuf *into);
void topo_format_presets(size_t columns, bool colour, struct strbuf *into);
void topo_format_presets_json(struct strbuf *into);

/* What the terminal behind standard output can show, by the locale in the environment. */
bool topo_wants_unicode(void);

#endif
