/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Single values out of a tree, for checks. Absent is not 0: every question may have no answer. */
#ifndef KTSTR_BTF_VALUE_GET_H
#define KTSTR_BTF_VALUE_GET_H

#include "btf/value.h"

/*
 * "dsqs[1].nr" from that node on; "" is the node itself. Goes through pointers to what was shown
 * behind them, through references and through what is cut. NULL when there is nothing of that
 * name. An element of an array of zeros is that array, and its number is 0.
 */
const struct value_node *value_find(const struct value_tree *tree, const struct value_node *node,
				    const char *path);

/* False, and *ret untouched, when it is no number of that kind or does not fit. */
bool value_get_u64(const struct value_node *node, uint64_t *ret) MUST_CHECK;
bool value_get_i64(const struct value_node *node, int64_t *ret) MUST_CHECK;
bool value_get_double(const struct value_node *node, double *ret) MUST_CHECK;
/* Text of an array, name of an enum's value, list of CPUs, short form; NULL when there is none. */
const char *value_get_text(const struct value_node *node);

#endif
