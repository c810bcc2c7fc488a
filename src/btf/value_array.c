// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/value_builder.h"

#include "btf/limits.h"

/* Arrays of this many zeros are not opened. */
enum { ZEROS_NOT_OPENED = 17 };

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
 * Bytes above 0x7e are no text: names of kernels and programs are ASCII.
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

uint32_t btf_value_decode_array(struct btf_value_builder *b, const struct btf_value_spot *spot,
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
