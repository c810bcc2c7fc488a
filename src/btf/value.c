// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/value.h"

#include "base/alloc.h"
#include "btf/limits.h"
#include "btf/value_builder.h"

#define KIND_ROW_(id, word) [id] = (word),
static const char *const kind_words[] = { BTF_VALUE_KINDS(KIND_ROW_) };

const char *btf_value_kind_name(enum btf_value_kind kind)
{
	return kind_words[kind];
}

const char *btf_value_keep(struct btf_value_builder *b, const char *text, size_t n)
{
	char *copy = xcalloc(n + 1, 1);

	memcpy(copy, text, n);
	vec_push(&b->tree->texts_, copy);
	return copy;
}

uint32_t btf_value_add(struct btf_value_builder *b, const struct btf_value_spot *spot,
		       enum btf_value_kind kind)
{
	struct btf_value_tree *tree = b->tree;
	struct btf_value_node *node;

	/* [0] is none of them. */
	if (tree->n > b->max_nodes) {
		tree->is_cut = true;
		return 0;
	}
	if (tree->n == b->capacity) {
		b->capacity *= 2;
		tree->nodes = xreallocarray(tree->nodes, b->capacity, sizeof(*tree->nodes));
	}
	node = &tree->nodes[tree->n];
	*node = (struct btf_value_node){
		.kind = kind,
		.parent = spot->parent,
		.name = spot->name,
		.btf = spot->btf,
		.bit_offset = spot->bit_offset,
	};
	if (spot->parent) {
		struct btf_value_node *parent = &tree->nodes[spot->parent];

		if (parent->last)
			tree->nodes[parent->last].next = tree->n;
		else
			parent->first = tree->n;
		parent->last = tree->n;
	}
	return tree->n++;
}

static bool is_zero(const struct btf_value_node *node)
{
	switch (node->kind) {
	case BTF_VALUE_INT:
	case BTF_VALUE_UINT:
	case BTF_VALUE_BOOL:
	case BTF_VALUE_CHAR:
	case BTF_VALUE_ENUM:
	case BTF_VALUE_PTR:
		return node->value == 0 && node->high == 0;
	case BTF_VALUE_FLOAT:
		return node->real == 0;
	case BTF_VALUE_STRUCT:
		return node->shown == node->n;
	case BTF_VALUE_ARRAY:
		return node->all_zero || (!node->text && node->shown == node->n);
	case BTF_VALUE_CPU_LIST:
		return !node->text[0];
	default:
		/* What is not known is not 0. */
		return false;
	}
}

/* Children come after their parents, so one backward pass sees each child first. */
static void mark_zero(struct btf_value_tree *tree)
{
	for (uint32_t i = 1; i < tree->n; i++)
		tree->nodes[i].zero = is_zero(&tree->nodes[i]);
	for (uint32_t i = tree->n - 1; i > 1; i--) {
		if (!tree->nodes[i].zero)
			tree->nodes[tree->nodes[i].parent].zero = false;
	}
}

static uint64_t bounded(uint64_t asked, uint64_t usual, uint64_t most)
{
	if (asked == 0)
		return usual;
	return asked < most ? asked : most;
}

struct btf_value_tree *btf_value_new(const struct btf *btf, uint32_t type,
				     const struct btf_value_block *block,
				     const struct btf_value_options *options)
{
	static const struct btf_value_options none = { 0 };
	struct btf_value_builder b = { .capacity = 16, .work = BTF_VALUE_LEAST_WORK };
	struct btf_value_block root = *block;
	struct btf_value_spot spot = { .btf = btf, .type = type, .block = &root };

	b.options = options ? options : &none;
	b.max_nodes = (uint32_t)bounded(b.options->max_nodes, BTF_VALUE_DEFAULT_NODES,
					BTF_LIMIT_VALUE_NODES);
	if (b.work < (int64_t)b.max_nodes * BTF_VALUE_WORK_PER_NODE)
		b.work = (int64_t)b.max_nodes * BTF_VALUE_WORK_PER_NODE;
	b.max_elements = (uint32_t)bounded(b.options->max_elements, BTF_VALUE_DEFAULT_ELEMENTS,
					   BTF_LIMIT_VALUE_NODES);
	b.bytes_left = bounded(b.options->max_bytes, BTF_VALUE_DEFAULT_BYTES,
			       BTF_LIMIT_VALUE_BYTES);
	b.tree = xnew(struct btf_value_tree);
	b.tree->nodes = xcalloc(b.capacity, sizeof(*b.tree->nodes));
	b.tree->n = 1;
	if (root.data.n > b.bytes_left) {
		root.data.n = b.bytes_left;
		b.tree->is_cut = true;
	}
	b.bytes_left -= root.data.n;
	b.tree->bytes = root.data.n;
	if (type)
		btf_value_decode(&b, &spot);
	else
		btf_value_decode_bytes(&b, &spot, root.data.n);
	btf_value_follow(&b);
	mark_zero(b.tree);
	vec_deinit(&b.pending);
	hash_index_deinit(&b.seen);
	return b.tree;
}

void btf_value_free(struct btf_value_tree *tree)
{
	if (!tree)
		return;
	for (size_t i = 0; i < tree->texts_.n; i++)
		free(tree->texts_.at[i]);
	free(tree->texts_.at);
	free(tree->nodes);
	free(tree);
}

/* There always is a root: the budget is at least one node. */
const struct btf_value_node *btf_value_root(const struct btf_value_tree *tree)
{
	return &tree->nodes[1];
}

const struct btf_value_node *btf_value_first(const struct btf_value_tree *tree,
					     const struct btf_value_node *node)
{
	return node->first ? &tree->nodes[node->first] : NULL;
}

const struct btf_value_node *btf_value_next(const struct btf_value_tree *tree,
					    const struct btf_value_node *node)
{
	return node->next ? &tree->nodes[node->next] : NULL;
}
