/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tree of values while it is built; nobody outside this room includes it. */
#ifndef KTSTR_BTF_VALUE_BUILDER_H
#define KTSTR_BTF_VALUE_BUILDER_H

#include "base/hash_index.h"
#include "base/vec.h"
#include "btf/path.h"
#include "btf/value.h"

/* One value to decode: a type and where its bits are. */
struct value_spot {
	const struct btf *btf;
	uint32_t type;
	const struct value_block *block;
	uint64_t bit_offset; /* in the block */
	uint32_t bits;	     /* of a bit field, else 0 */
	uint32_t parent;
	unsigned int depth;
	const char *name;
	/* What it is a member of, when it may be a flexible array at its end. */
	const struct btf_type *flexible_in;
	uint64_t owner_bit_offset;
};

/* A pointer whose target comes later. */
struct value_pending {
	uint32_t node;
	unsigned int depth;
	unsigned int followed;
};

struct value_builder {
	struct value_tree *tree;
	uint32_t capacity;
	const struct value_options *options;
	uint64_t bytes_left;
	uint32_t max_nodes;
	uint32_t max_elements;
	int64_t work;	       /* what is left */
	unsigned int followed; /* pointers on the way to the block that is decoded */
	VEC(struct value_pending) pending;
	/* Numbers of nodes: structs by address and type. */
	struct hash_index seen;
	/* The last answer of value_flexible_count(): where the count lies in a struct. */
	const struct btf *count_btf;
	uint32_t count_owner;
	bool count_known;
	struct btf_place count_place;
};

/* 0 when the budget is gone. The new node is the parent's last child. */
uint32_t value_add(struct value_builder *b, const struct value_spot *spot, enum value_kind kind);
static inline struct value_node *value_at(struct value_builder *b, uint32_t node)
{
	return &b->tree->nodes[node];
}
/* Copies that end with the tree. */
const char *value_keep(struct value_builder *b, const char *text, size_t n);

/* What of n bytes from that offset is there. */
enum value_have {
	VALUE_HAVE_ALL,
	VALUE_HAVE_HOLE,  /* some could not be read: *ret_reason */
	VALUE_HAVE_NONE,  /* not one could be read: *ret_reason */
	VALUE_HAVE_SHORT, /* the block ends before: *ret_had bytes */
};
enum value_have value_have(const struct value_block *block, uint64_t offset, uint64_t n,
			   uint64_t *ret_had, const char **ret_reason);

/* Any type; 0 when the budget is gone. */
uint32_t value_decode(struct value_builder *b, const struct value_spot *spot);
/* Numbers, enums, pointers: `type` is what the spot's type resolves to. */
uint32_t value_decode_scalar(struct value_builder *b, const struct value_spot *spot,
			     const struct btf_type *type);
uint32_t value_decode_array(struct value_builder *b, const struct value_spot *spot,
			    const struct btf_type *type);
uint32_t value_unsupported(struct value_builder *b, const struct value_spot *spot,
			   const char *reason);
/* The bytes as hex. */
uint32_t value_decode_bytes(struct value_builder *b, const struct value_spot *spot, uint64_t n);
/* Shown by a word of its own? 0 when not. */
uint32_t value_decode_short(struct value_builder *b, const struct value_spot *spot);

/*
 * Bits 0 … 127 of up to 128 from a bit offset; what lies outside the block is not read: ask
 * value_have() before.
 */
void value_load(const struct value_block *block, uint64_t bit_offset, uint32_t bits,
		uint64_t *ret_low, uint64_t *ret_high);

/* How long the flexible array at the end of `owner` is, if the options know. */
bool value_flexible_count(struct value_builder *b, const struct btf *btf,
			  const struct btf_type *owner, const char *member,
			  const struct value_block *block, uint64_t owner_bit_offset,
			  uint64_t *ret) MUST_CHECK;

/* Everything that is pending, nearest first. */
void btf_value_follow(struct value_builder *b);
void value_remember(struct value_builder *b, uint32_t node);

#endif
