// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/value.h"

#include <stdlib.h>
#include <string.h>

#include "btf/limits.h"

static const struct btf_value_node *labelled(const struct btf_value_tree *tree, uint32_t label)
{
	for (uint32_t i = 1; i < tree->n; i++) {
		if (tree->nodes[i].label == label)
			return &tree->nodes[i];
	}
	return NULL;
}

/* To what has members or elements. A pointer leads to a struct or to nothing, so two steps do. */
static const struct btf_value_node *enter(const struct btf_value_tree *tree,
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

static const struct btf_value_node *find_member(const struct btf_value_tree *tree,
						const struct btf_value_node *node, const char *name,
						size_t n)
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

static const struct btf_value_node *find_element(const struct btf_value_tree *tree,
						 const struct btf_value_node *node, uint64_t index)
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

const struct btf_value_node *btf_value_find(const struct btf_value_tree *tree,
					    const struct btf_value_node *node, const char *path)
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

bool btf_value_get_u64(const struct btf_value_node *node, uint64_t *ret)
{
	uint64_t value = 0;

	if (!node)
		return false;
	switch (node->kind) {
	case BTF_VALUE_INT:
	case BTF_VALUE_ENUM:
		if (node->is_signed && (int64_t)(node->bits > 64 ? node->high : node->value) < 0)
			return false;
		value = node->value;
		break;
	case BTF_VALUE_UINT:
	case BTF_VALUE_BOOL:
	case BTF_VALUE_CHAR:
	case BTF_VALUE_PTR:
		value = node->value;
		break;
	case BTF_VALUE_ARRAY:
		if (!node->all_zero)
			return false;
		break;
	default:
		return false;
	}
	if (node->high)
		return false;
	*ret = value;
	return true;
}

bool btf_value_get_i64(const struct btf_value_node *node, int64_t *ret)
{
	uint64_t value;

	if (node && (node->kind == BTF_VALUE_INT || node->kind == BTF_VALUE_ENUM) &&
	    node->is_signed && (int64_t)node->value < 0 &&
	    (node->bits <= 64 || node->high == UINT64_MAX)) {
		*ret = (int64_t)node->value;
		return true;
	}
	if (!btf_value_get_u64(node, &value) || value > INT64_MAX)
		return false;
	*ret = (int64_t)value;
	return true;
}

bool btf_value_get_double(const struct btf_value_node *node, double *ret)
{
	int64_t value;
	uint64_t large;

	if (node && node->kind == BTF_VALUE_FLOAT)
		*ret = node->real;
	else if (btf_value_get_i64(node, &value))
		*ret = (double)value;
	else if (btf_value_get_u64(node, &large))
		*ret = (double)large;
	else
		return false;
	return true;
}

const char *btf_value_get_text(const struct btf_value_node *node)
{
	if (!node || node->kind == BTF_VALUE_BYTES)
		return NULL;
	return node->text;
}
