/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A tree of values for people:
 *
 *	rq:
 *	  nr_running=3   cpu=1   clock=81234
 *	  dsqs=[
 *	    [0]=dsq{id=9, nr=2}
 *	  ]
 *	  curr=0xffff888004a3c000 → task{comm="bash", pid=77}
 *
 * Members that are 0 are left out, unless asked for; what could not be read never is. Names and
 * texts come from strangers: nothing that moves a terminal's cursor gets through.
 */
#ifndef KTSTR_BTF_VALUE_TEXT_H
#define KTSTR_BTF_VALUE_TEXT_H

#include "btf/value.h"

struct value_text_options {
	uint32_t max_lines; /* 0: all of them */
	uint32_t columns;   /* 0: VALUE_COLUMNS */
	bool zeros;	    /* members that are 0 as well */
	bool count_zeros;   /* how many of them are left out: "(3 zero members)" */
};

/* Without a newline at the end. options may be NULL. Cut lines are counted: "… 12 more lines". */
void value_format(const struct value_tree *tree, const struct value_node *node,
		  const struct value_text_options *options, struct strbuf *out);

#endif
