/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tree of values while it is built; private to this room. */
#ifndef KTSTR_BTF_VALUE_BUILDER_H
#define KTSTR_BTF_VALUE_BUILDER_H

#include "base/hash.h"
#include "base/vec.h"
#include "btf/path.h"
#include "btf/value.h"

/* One value to decode: a type and where its bits are. */
struct btf_value_spot {
	const struct btf *btf;
	uint32_t type;
	const struct btf_value_block *block;
	uint64_t bit_offset; /* in the block */
	uint32_t bits;	     /* of a bit field, else 0 */
	uint32_t parent;
	unsigned int depth;
	const char *name;
	bool may_be_flexible; /* an array without a length, at the end of a struct */
};

/* A pointer whose target comes later. */
struct btf_value_pending {
	uint32_t node;
	unsigned int depth;
	unsigned int followed;
};

struct btf_value_builder {
	struct btf_value_tree *tree;
	uint32_t capacity;
	const struct btf_value_options *options;
	uint64_t bytes_left;
	uint32_t max_nodes;
	uint32_t max_elements;
	int64_t work;	       /* what is left */
	unsigned int followed; /* pointers on the way to the block that is decoded */
	VEC(struct btf_value_pending) pending;
	/* Numbers of nodes: structs by address and type. */
	struct hash_index seen;
};

/* 0 when the budget is gone. The new node is the parent's last child. */
uint32_t btf_value_add(struct btf_value_builder *b, const struct btf_value_spot *spot,
		       enum btf_value_kind kind);
static inline struct btf_value_node *btf_value_at(struct btf_value_builder *b, uint32_t node)
{
	return &b->tree->nodes[node];
}
/* Copies that end with the tree. */
const char *btf_value_keep(struct btf_value_builder *b, const char *text, size_t n);

/* What of n bytes from that offset is there. */
enum btf_value_have {
	BTF_VALUE_HAVE_ALL,
	BTF_VALUE_HAVE_HOLE,  /* some could not be read: *ret_reason */
	BTF_VALUE_HAVE_NONE,  /* not one could be read: *ret_reason */
	BTF_VALUE_HAVE_SHORT, /* the block ends before: *ret_had bytes */
};
enum btf_value_have btf_value_have(const struct btf_value_block *block, uint64_t offset, uint64_t n,
				   uint64_t *ret_had, const char **ret_reason);

/* Any type; 0 when the budget is gone. */
uint32_t btf_value_decode(struct btf_value_builder *b, const struct btf_value_spot *spot);
/* Numbers, enums, pointers: `type` is what the spot's type resolves to. */
uint32_t btf_value_decode_scalar(struct btf_value_builder *b, const struct btf_value_spot *spot,
				 const struct btf_type *type);
uint32_t btf_value_unsupported(struct btf_value_builder *b, const struct btf_value_spot *spot,
			       const char *reason);
/* The bytes as hex. */
uint32_t btf_value_decode_bytes(struct btf_value_builder *b, const struct btf_value_spot *spot,
				uint64_t n);
/* Shown by a word of its own? 0 when not. */
uint32_t btf_value_decode_short(struct btf_value_builder *b, const struct btf_value_spot *spot);

/* Everything that is pending, nearest first. */
void btf_value_follow(struct btf_value_builder *b);
void btf_value_remember(struct btf_value_builder *b, uint32_t node);

#endif
