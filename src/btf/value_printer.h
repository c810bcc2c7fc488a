/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files that print values; private to this room. */
#ifndef KTSTR_BTF_VALUE_PRINTER_H
#define KTSTR_BTF_VALUE_PRINTER_H

#include "btf/value.h"

struct btf_value_printer {
	const struct btf_value_tree *tree;
	uint32_t columns;
	bool zeros, count_zeros;
};

/* Members and elements that are shown. */
bool btf_value_is_visible(const struct btf_value_printer *p, const struct btf_value_node *node);
/* Nothing inside that could need a line of its own. */
bool btf_value_is_simple(const struct btf_value_node *node);

/* In words: everything but structs and arrays. `hex` for elements of arrays. */
void btf_value_print_simple(const struct btf_value_node *node, bool hex, struct strbuf *out);
/* In quotes, with escapes. */
void btf_value_print_quoted(const char *text, struct strbuf *out);

/* On one line of at most `room` columns; false, and out as before, when it does not fit. */
bool btf_value_print_inline(const struct btf_value_printer *p, const struct btf_value_node *node,
			    size_t room, struct strbuf *out);
/*
 * On one line where that fits, else on several. `used` columns of the first line are taken, the
 * others are indented deeper than `indent`.
 */
void btf_value_print(const struct btf_value_printer *p, const struct btf_value_node *node,
		     size_t indent, size_t used, struct strbuf *out);
bool btf_value_print_array_inline(const struct btf_value_printer *p,
				  const struct btf_value_node *node, size_t room,
				  struct strbuf *out);
void btf_value_print_array(const struct btf_value_printer *p, const struct btf_value_node *node,
			   size_t indent, size_t used, struct strbuf *out);
void btf_value_print_cut(const struct btf_value_node *node, const char *lead, struct strbuf *out);

#endif
