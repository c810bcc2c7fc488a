// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/value_builder.h"

#include "btf/limits.h"

/* Arrays of this many zeros are not opened. */
enum { ZEROS_NOT_OPENED = 17 };

uint32_t btf_value_unsupported(struct btf_value_builder *b, const struct btf_value_spot *spot,
			       const char *reason)
{
	uint32_t n = btf_value_add(b, spot, BTF_VALUE_UNSUPPORTED);

	if (n)
		btf_value_at(b, n)->reason = btf_value_keep(b, reason, strlen(reason));
	return n;
}

static bool all_zero(const struct btf_value_block *block, uint64_t offset, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (block->data.at[offset + i])
			return false;
	}
	return true;
}

static bool is_text_byte(uint8_t c)
{
	return (c >= ' ' && c < 0x7f) || c == '\n' || c == '\t';
}

/*
 * Text, when it begins with some and holds nothing else but NULs: the bytes up to the first NUL.
 * Bytes above 0x7e do not count as text: names of kernels and programs are ASCII.
 */
static bool is_text(const struct btf_value_block *block, uint64_t offset, uint64_t n,
		    uint64_t *ret_n)
{
	uint64_t length = n;

	if (n == 0 || n > BTF_LIMIT_VALUE_TEXT_BYTES || !is_text_byte(block->data.at[offset]))
		return false;
	for (uint64_t i = n; i > 0; i--) {
		uint8_t c = block->data.at[offset + i - 1];

		if (c == 0)
			length = i - 1;
		else if (!is_text_byte(c))
			return false;
	}
	*ret_n = length;
	return true;
}

static uint32_t unknown_length(struct btf_value_builder *b, const struct btf_value_spot *spot)
{
	_cleanup_strbuf_ struct strbuf reason = STRBUF_INIT;
	uint64_t at = spot->bit_offset / 8;

	strbuf_appendf(&reason, "a flexible array of unknown length, %llu bytes are there",
		       (unsigned long long)(spot->block->data.n - at));
	return btf_value_unsupported(b, spot, strbuf_str(&reason));
}

static void add_elements(struct btf_value_builder *b, const struct btf_value_spot *spot,
			 uint32_t node, uint32_t element, uint64_t size)
{
	uint64_t n = btf_value_at(b, node)->n;
	struct btf_value_spot each = {
		.btf = spot->btf,
		.type = element,
		.block = spot->block,
		.parent = node,
		.depth = spot->depth + 1,
	};

	for (uint64_t i = 0; i < n && i < b->max_elements && b->work > 0; i++, b->work--) {
		each.bit_offset = spot->bit_offset + i * size * 8;
		/* Elements without a size all lie at the same place. */
		if (size && each.bit_offset / 8 >= spot->block->data.n)
			break;
		if (!btf_value_decode(b, &each))
			break;
		btf_value_at(b, node)->shown++;
	}
	if (btf_value_at(b, node)->shown < n)
		b->tree->is_cut = true;
}

static uint32_t decode_array(struct btf_value_builder *b, const struct btf_value_spot *spot,
			     const struct btf_type *type)
{
	uint64_t size = 0, bytes, length, had, at = spot->bit_offset / 8;
	struct btf_type element;
	struct btf_array array;
	const char *reason;
	uint32_t node;
	bool whole;

	if (!btf_get_array(type, &array) ||
	    btf_size(spot->btf, array.element, &size) != BTF_ANSWER_OK ||
	    btf_resolve(spot->btf, array.element, &element) != BTF_ANSWER_OK)
		return btf_value_unsupported(b, spot, "an array of nothing");
	/* A length of 0 in the middle of a struct marks a place and holds nothing. */
	if (!array.n && spot->may_be_flexible && size && at < spot->block->data.n)
		return unknown_length(b, spot);
	node = btf_value_add(b, spot, BTF_VALUE_ARRAY);
	if (!node)
		return 0;
	btf_value_at(b, node)->type = type->id;
	btf_value_at(b, node)->n = array.n;
	whole = mul_fits_u64(array.n, size, &bytes) &&
		btf_value_have(spot->block, at, bytes, &had, &reason) == BTF_VALUE_HAVE_ALL;
	if (whole && element.kind == BTF_INT && size == 1 &&
	    is_text(spot->block, at, bytes, &length)) {
		btf_value_at(b, node)->text = btf_value_keep(
			b, (const char *)spot->block->data.at + at, length);
		btf_value_at(b, node)->shown = array.n;
		return node;
	}
	if (whole && array.n >= ZEROS_NOT_OPENED && size && all_zero(spot->block, at, bytes)) {
		btf_value_at(b, node)->all_zero = true;
		btf_value_at(b, node)->shown = array.n;
		return node;
	}
	add_elements(b, spot, node, array.element, size);
	return node;
}

/* One struct, union or section while its members are decoded into `node`. */
struct opened {
	uint32_t node;
	const struct btf_value_spot *spot;
};

static uint32_t without_value(struct btf_value_builder *b, const struct btf_value_spot *spot,
			      enum btf_answer answer)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	btf_type_format(spot->btf, spot->type, &text);
	strbuf_appendf(&text, " %s", btf_answer_text(answer));
	return btf_value_unsupported(b, spot, strbuf_str(&text));
}

static bool is_number(const struct btf_value_node *node)
{
	return node->kind <= BTF_VALUE_ENUM || node->kind == BTF_VALUE_PTR;
}

/* Marks members of a union, from `arm` on, that only repeat an earlier member's value. */
static void mark_repeats(struct btf_value_builder *b, uint32_t first_arm, uint32_t arm)
{
	for (uint32_t mine = arm; mine; mine = btf_value_at(b, mine)->next) {
		struct btf_value_node *node = btf_value_at(b, mine);

		for (uint32_t i = first_arm; i != arm && is_number(node) && b->work > 0;
		     i = btf_value_at(b, i)->next, b->work--) {
			const struct btf_value_node *other = btf_value_at(b, i);

			if (is_number(other) && other->bit_offset == node->bit_offset &&
			    other->bits == node->bits && other->value == node->value)
				node->repeats = true;
		}
	}
}

static bool is_nameless_composite(const struct btf *btf, const struct btf_member *member,
				  struct btf_type *ret)
{
	return !member->name[0] && !member->bits &&
	       btf_resolve(btf, member->type, ret) == BTF_ANSWER_OK && btf_is_composite(ret);
}

static void add_member(struct btf_value_builder *b, const struct opened *o,
		       const struct btf_type *type, const struct btf_member *member, uint64_t base,
		       bool is_last)
{
	struct btf_value_spot spot = {
		.btf = o->spot->btf,
		.type = member->type,
		.block = o->spot->block,
		.bit_offset = base + member->bit_offset,
		.bits = member->bits,
		.parent = o->node,
		.depth = o->spot->depth + 1,
		.name = member->name,
		.may_be_flexible = is_last || member->bit_offset / 8 >= type->size_or_type,
	};

	btf_value_at(b, o->node)->n++;
	/* What lies wholly behind the end of the block is counted, not shown. */
	if (spot.bit_offset / 8 >= spot.block->data.n &&
	    member->bit_offset / 8 < type->size_or_type)
		return;
	if (btf_value_decode(b, &spot))
		btf_value_at(b, o->node)->shown++;
}

static void add_members(struct btf_value_builder *b, const struct opened *o,
			const struct btf_type *type, uint64_t base, unsigned int depth)
{
	bool is_union = type->kind == BTF_UNION;
	uint32_t first_arm = 0;
	struct btf_member member;
	struct btf_type inner;

	for (uint32_t i = 0; i < type->n && b->work > 0; i++) {
		uint32_t before = btf_value_at(b, o->node)->last;

		b->work--;
		if (!btf_get_member(o->spot->btf, type, i, &member)) {
			btf_value_at(b, o->node)->n++;
			continue;
		}
		if (depth < BTF_LIMIT_VALUE_NESTING &&
		    is_nameless_composite(o->spot->btf, &member, &inner))
			add_members(b, o, &inner, base + member.bit_offset, depth + 1);
		else
			add_member(b, o, type, &member, base, i + 1 == type->n);
		if (!is_union || before == btf_value_at(b, o->node)->last)
			continue;
		before = before ? btf_value_at(b, before)->next : btf_value_at(b, o->node)->first;
		if (first_arm)
			mark_repeats(b, first_arm, before);
		else
			first_arm = before;
	}
}

static void add_variables(struct btf_value_builder *b, const struct opened *o,
			  const struct btf_type *type)
{
	const struct btf_value_block *block = o->spot->block;
	struct btf_variable variable;

	for (uint32_t i = 0; i < type->n && b->work > 0; i++, b->work--) {
		struct btf_value_spot spot = *o->spot;

		/* Sections list functions too. */
		if (!btf_get_variable(spot.btf, type, i, &variable))
			continue;
		btf_value_at(b, o->node)->n++;
		spot.type = variable.type;
		spot.name = variable.name;
		spot.parent = o->node;
		spot.depth++;
		spot.bit_offset += (uint64_t)variable.offset * 8;
		if (spot.bit_offset / 8 >= block->data.n)
			continue;
		if (btf_value_decode(b, &spot))
			btf_value_at(b, o->node)->shown++;
	}
}

static uint32_t decode_composite(struct btf_value_builder *b, const struct btf_value_spot *spot,
				 const struct btf_type *type)
{
	struct opened o = { .spot = spot, .node = btf_value_add(b, spot, BTF_VALUE_STRUCT) };
	struct btf_value_node *node;

	if (!o.node)
		return 0;
	node = btf_value_at(b, o.node);
	node->type = type->id;
	node->type_name = type->name;
	node->is_union = type->kind == BTF_UNION;
	if (spot->block->address && btf_is_composite(type)) {
		node->address = spot->block->address + spot->bit_offset / 8;
		btf_value_remember(b, o.node);
	}
	if (type->kind == BTF_DATASEC)
		add_variables(b, &o, type);
	else
		add_members(b, &o, type, spot->bit_offset, 0);
	if (b->work <= 0)
		b->tree->is_cut = true;
	return o.node;
}

static uint32_t decode_whole(struct btf_value_builder *b, const struct btf_value_spot *spot,
			     const struct btf_type *type)
{
	if (type->kind == BTF_ARRAY)
		return decode_array(b, spot, type);
	return decode_composite(b, spot, type);
}

/* Structs and arrays: what is missing altogether is one node, what is cut has a part. */
static uint32_t decode_aggregate(struct btf_value_builder *b, const struct btf_value_spot *spot,
				 const struct btf_type *type, uint64_t bytes)
{
	struct btf_value_spot partial = *spot;
	const char *reason = NULL;
	uint64_t had;
	enum btf_value_have have;
	uint32_t n;

	if (spot->bits)
		return btf_value_unsupported(b, spot, "a bit field that is not a number");
	if (spot->depth >= BTF_LIMIT_VALUE_NESTING)
		return btf_value_unsupported(b, spot, "nested too deeply");
	/* A section that is cut cuts its variables, one by one. */
	if (type->kind == BTF_DATASEC)
		return decode_whole(b, spot, type);
	have = btf_value_have(spot->block, spot->bit_offset / 8, bytes, &had, &reason);
	if (have == BTF_VALUE_HAVE_ALL || have == BTF_VALUE_HAVE_HOLE)
		return decode_whole(b, spot, type);
	n = btf_value_add(b, spot,
			  have == BTF_VALUE_HAVE_NONE ? BTF_VALUE_UNREADABLE : BTF_VALUE_TRUNCATED);
	if (!n)
		return 0;
	btf_value_at(b, n)->n = bytes;
	btf_value_at(b, n)->shown = had;
	if (have == BTF_VALUE_HAVE_NONE) {
		btf_value_at(b, n)->reason = btf_value_keep(b, reason, strlen(reason));
	} else if (had) {
		partial.parent = n;
		partial.name = NULL;
		partial.depth++;
		decode_whole(b, &partial, type);
	}
	return n;
}

uint32_t btf_value_decode(struct btf_value_builder *b, const struct btf_value_spot *spot)
{
	struct btf_value_spot inner = *spot;
	enum btf_answer answer;
	struct btf_type type;
	uint64_t bytes = 0;
	uint32_t n;

	n = btf_value_decode_short(b, spot);
	if (n)
		return n;
	answer = btf_resolve(spot->btf, spot->type, &type);
	if (answer == BTF_ANSWER_OK && type.kind == BTF_VAR) {
		inner.type = type.size_or_type;
		answer = btf_resolve(spot->btf, inner.type, &type);
	}
	if (answer == BTF_ANSWER_OK)
		answer = btf_size(spot->btf, type.id, &bytes);
	if (answer != BTF_ANSWER_OK)
		return without_value(b, &inner, answer);
	if (spot->bit_offset % 8 && !spot->bits)
		return btf_value_unsupported(b, spot,
					     "begins inside a byte and is not a bit field");
	switch (type.kind) {
	case BTF_STRUCT:
	case BTF_UNION:
	case BTF_DATASEC:
	case BTF_ARRAY:
		return decode_aggregate(b, &inner, &type, bytes);
	default:
		return btf_value_decode_scalar(b, &inner, &type);
	}
}
