/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single values out of a tree. */
#ifndef KTSTR_TESTS_BTF_VALUE_FIND_H
#define KTSTR_TESTS_BTF_VALUE_FIND_H

#include <stdlib.h>
#include <string.h>

#include "btf/limits.h"
#include "btf/value.h"

static inline const struct btf_value_node *labelled(const struct btf_value_tree *tree,
						    uint32_t label)
{
	for (uint32_t i = 1; i < tree->n; i++) {
		if (tree->nodes[i].label == label)
			return &tree->nodes[i];
	}
	return NULL;
}

/* To what has members or elements. A pointer leads to a struct or to nothing, so two steps do. */
static inline const struct btf_value_node *enter(const struct btf_value_tree *tree,
						 const struct btf_value_node *node)
{
	for (int steps = 0; node && steps < BTF_LIMIT_VALUE_NESTING; steps++) {
		if (node->kind == BTF_VALUE_PTR && node->ref)
			node = labelled(tree, node->ref);
		else if (node->kind == BTF_VALUE_PTR || node->kind == BTF_VALUE_TRUNCATED)
			node = btf_value_first(tree, node);
		else
			return node;
	}
	return node;
}

static inline const struct btf_value_node *find_member(const struct btf_value_tree *tree,
						       const struct btf_value_node *node,
						       const char *name, size_t n)
{
	node = enter(tree, node);
	if (!node || node->kind != BTF_VALUE_STRUCT)
		return NULL;
	for (node = btf_value_first(tree, node); node; node = btf_value_next(tree, node)) {
		if (node->name && strncmp(node->name, name, n) == 0 && !node->name[n])
			return node;
	}
	return NULL;
}

static inline const struct btf_value_node *find_element(const struct btf_value_tree *tree,
							const struct btf_value_node *node,
							uint64_t index)
{
	node = enter(tree, node);
	if (!node || node->kind != BTF_VALUE_ARRAY || index >= node->n)
		return NULL;
	if (node->all_zero)
		return node;
	for (node = btf_value_first(tree, node); node && index; index--)
		node = btf_value_next(tree, node);
	return node;
}

/*
 * "dsqs[1].nr" from that node on; "" is the node itself. Goes through pointers to what was shown
 * behind them, through references and through what is cut. NULL when there is nothing of that
 * name. An element of an array of zeros is that array, and its number is 0.
 */
static inline const struct btf_value_node *btf_value_find(const struct btf_value_tree *tree,
							  const struct btf_value_node *node,
							  const char *path)
{
	while (node && *path) {
		char *end = NULL;
		size_t n;

		if (*path == '[') {
			uint64_t index = strtoull(path + 1, &end, 0);

			if (end == path + 1 || *end != ']')
				return NULL;
			node = find_element(tree, node, index);
			path = end + 1;
			continue;
		}
		path += *path == '.';
		n = strcspn(path, ".[");
		if (n == 0)
			return NULL;
		node = find_member(tree, node, path, n);
		path += n;
	}
	return node;
}

#endif
