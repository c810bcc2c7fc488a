// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/value.h"

#include "base/alloc.h"
#include "btf/limits.h"
#include "btf/value_builder.h"

#define KIND_ROW_(id, word) [id] = (word),
static const char *const kind_words[] = { VALUE_KINDS(KIND_ROW_) };
#define READ_ROW_(id, word) [id] = (word),
static const char *const read_words[] = { VALUE_READS(READ_ROW_) };

const char *value_kind_word(enum value_kind kind)
{
	return kind_words[kind];
}

const char *value_read_word(enum value_read status)
{
	/* A number that a callback made up is no status. */
	return (unsigned int)status < VALUE_N_READS ? read_words[status] : "unknown";
}

const char *value_keep(struct value_builder *b, const char *text, size_t n)
{
	char *copy = xcalloc(n + 1, 1);

	memcpy(copy, text, n);
	vec_push(&b->tree->texts_, copy);
	return copy;
}

uint32_t value_add(struct value_builder *b, const struct value_spot *spot, enum value_kind kind)
{
	struct value_tree *tree = b->tree;
	struct value_node *node;

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
	*node = (struct value_node){
		.kind = kind,
		.parent = spot->parent,
		.name = spot->name,
		.btf = spot->btf,
		.bit_offset = spot->bit_offset,
	};
	if (spot->parent) {
		struct value_node *parent = &tree->nodes[spot->parent];

		if (parent->last)
			tree->nodes[parent->last].next = tree->n;
		else
			parent->first = tree->n;
		parent->last = tree->n;
	}
	return tree->n++;
}

static bool is_zero(const struct value_node *node)
{
	switch (node->kind) {
	case VALUE_INT:
	case VALUE_UINT:
	case VALUE_BOOL:
	case VALUE_CHAR:
	case VALUE_ENUM:
	case VALUE_PTR:
		return node->value == 0 && node->high == 0;
	case VALUE_FLOAT:
		return node->real == 0;
	case VALUE_STRUCT:
		return node->shown == node->n;
	case VALUE_ARRAY:
		return node->all_zero || (!node->text && node->shown == node->n);
	case VALUE_CPU_LIST:
		return !node->text[0];
	default:
		/* What is not known is not 0. */
		return false;
	}
}

/* Children stand behind their parents, so one way back sees each of them first. */
static void mark_zero(struct value_tree *tree)
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

struct value_tree *value_new(const struct btf *btf, uint32_t type, const struct value_block *block,
			     const struct value_options *options)
{
	static const struct value_options none = { 0 };
	struct value_builder b = { .capacity = 16, .work = VALUE_LEAST_WORK };
	struct value_block root = *block;
	struct value_spot spot = { .btf = btf, .type = type, .block = &root };

	b.options = options ? options : &none;
	b.max_nodes = (uint32_t)bounded(b.options->max_nodes, VALUE_DEFAULT_NODES,
					VALUE_LIMIT_NODES);
	if (b.work < (int64_t)b.max_nodes * VALUE_WORK_PER_NODE)
		b.work = (int64_t)b.max_nodes * VALUE_WORK_PER_NODE;
	b.max_elements = (uint32_t)bounded(b.options->max_elements, VALUE_DEFAULT_ELEMENTS,
					   VALUE_LIMIT_NODES);
	b.bytes_left = bounded(b.options->max_bytes, VALUE_DEFAULT_BYTES, VALUE_LIMIT_BYTES);
	b.tree = xnew(struct value_tree);
	b.tree->nodes = xcalloc(b.capacity, sizeof(*b.tree->nodes));
	b.tree->n = 1;
	if (root.data.n > b.bytes_left) {
		root.data.n = b.bytes_left;
		b.tree->is_cut = true;
	}
	b.bytes_left -= root.data.n;
	b.tree->bytes = root.data.n;
	if (type)
		value_decode(&b, &spot);
	else
		value_decode_bytes(&b, &spot, root.data.n);
	btf_value_follow(&b);
	mark_zero(b.tree);
	vec_deinit(&b.pending);
	hash_index_deinit(&b.seen);
	return b.tree;
}

void value_free(struct value_tree *tree)
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
const struct value_node *value_root(const struct value_tree *tree)
{
	return &tree->nodes[1];
}

const struct value_node *value_first(const struct value_tree *tree, const struct value_node *node)
{
	return node->first ? &tree->nodes[node->first] : NULL;
}

const struct value_node *value_next(const struct value_tree *tree, const struct value_node *node)
{
	return node->next ? &tree->nodes[node->next] : NULL;
}
