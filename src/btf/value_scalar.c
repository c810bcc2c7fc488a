// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/value_builder.h"

#include "btf/limits.h"

enum btf_value_have btf_value_have(const struct btf_value_block *block, uint64_t offset, uint64_t n,
				   uint64_t *ret_had, const char **ret_reason)
{
	uint64_t had = offset < block->data.n ? block->data.n - offset : 0;
	enum btf_value_have have = BTF_VALUE_HAVE_ALL;

	if (had > n)
		had = n;
	*ret_had = had;
	for (size_t i = 0; i < block->n_holes && had; i++) {
		const struct btf_value_hole *hole = &block->holes[i];

		if (hole->n == 0 || hole->offset >= offset + had ||
		    (hole->offset < offset && offset - hole->offset >= hole->n))
			continue;
		*ret_reason = hole->reason;
		if (hole->offset <= offset && hole->n - (offset - hole->offset) >= had)
			return BTF_VALUE_HAVE_NONE;
		have = BTF_VALUE_HAVE_HOLE;
	}
	return had < n ? BTF_VALUE_HAVE_SHORT : have;
}

/* Bits 0 … 127 of up to 128 from a bit offset; what lies outside the block is not read. */
static void load(const struct btf_value_block *block, uint64_t bit_offset, uint32_t bits,
		 uint64_t *ret_low, uint64_t *ret_high)
{
	uint64_t first = bit_offset / 8, words[2] = { 0, 0 };
	uint32_t shift = bit_offset % 8, n = (shift + bits + 7) / 8;
	unsigned __int128 wide;
	uint8_t last = 0;

	for (uint32_t i = 0; i < n && i < 16 && first + i < block->data.n; i++)
		words[i / 8] |= (uint64_t)block->data.at[first + i] << (i % 8 * 8);
	/* Up to 128 bits that begin inside a byte end in a seventeenth. */
	if (n > 16 && first + 16 < block->data.n)
		last = block->data.at[first + 16];
	wide = (unsigned __int128)words[1] << 64 | words[0];
	if (shift)
		wide = wide >> shift | (unsigned __int128)last << (128 - shift);
	if (bits < 128)
		wide &= ((unsigned __int128)1 << bits) - 1;
	*ret_low = (uint64_t)wide;
	*ret_high = (uint64_t)(wide >> 64);
}

static uint64_t extend(uint64_t value, uint32_t bits)
{
	if (bits >= 64)
		return value;
	return (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
}

/* IEEE 754 binary16; the compiler's own type for it needs newer ones than we build with. */
static double half_float(uint64_t raw)
{
	int exponent = (int)(raw >> 10 & 0x1f), mantissa = (int)(raw & 0x3ff);
	double value;

	if (exponent == 0x1f)
		value = mantissa ? __builtin_nan("") : __builtin_inf();
	else if (exponent == 0)
		value = mantissa / 16777216.0;
	else
		value = (1024 + mantissa) / 1024.0 *
			(exponent >= 15 ? (double)(1 << (exponent - 15))
					: 1.0 / (1 << (15 - exponent)));
	return raw & 0x8000 ? -value : value;
}

static double real_from(uint64_t raw, uint32_t bytes)
{
	uint32_t narrow = (uint32_t)raw;
	double real;
	float f;

	if (bytes == 2)
		return half_float(raw);
	if (bytes == 4) {
		memcpy(&f, &narrow, sizeof(f));
		return f;
	}
	memcpy(&real, &raw, sizeof(real));
	return real;
}

static void decode_int(struct btf_value_node *node, const struct btf_int *number, uint32_t bits)
{
	node->is_signed = number->is_signed;
	if (number->is_bool && !node->is_bit_field) {
		node->kind = BTF_VALUE_BOOL;
		node->value = node->value || node->high;
		node->high = 0;
	} else if (number->is_char && bits == 8) {
		node->kind = BTF_VALUE_CHAR;
	} else if (number->is_signed) {
		node->kind = BTF_VALUE_INT;
		if (bits <= 64) {
			node->value = extend(node->value, bits);
			node->high = 0;
		} else {
			node->high = extend(node->high, bits - 64);
		}
	}
}

static void decode_enum(struct btf_value_builder *b, uint32_t n, const struct btf_type *type,
			uint32_t bits)
{
	struct btf_value_node *node = btf_value_at(b, n);

	node->kind = BTF_VALUE_ENUM;
	node->is_signed = type->flag;
	node->type_name = type->name;
	b->work -= type->n;
	node->text = btf_enum_name(node->btf, type, node->value, bits);
	if (type->flag)
		node->value = extend(node->value, bits);
}

/* Sizes that the kinds can have; anything else is bytes at best. */
static bool has_known_size(const struct btf_type *type, uint64_t bytes)
{
	switch (type->kind) {
	case BTF_INT:
		return bytes > 0 && bytes <= 16;
	case BTF_FLOAT:
		return bytes == 2 || bytes == 4 || bytes == 8;
	default:
		return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
	}
}

/* True when some of the bytes are not there; *ret is the node that says so, 0 without budget. */
static bool is_missing(struct btf_value_builder *b, const struct btf_value_spot *spot,
		       uint64_t bytes, uint32_t *ret)
{
	const char *reason = NULL;
	uint64_t had;
	enum btf_value_have have = btf_value_have(spot->block, spot->bit_offset / 8, bytes, &had,
						  &reason);

	if (have == BTF_VALUE_HAVE_ALL)
		return false;
	*ret = btf_value_add(
		b, spot, have == BTF_VALUE_HAVE_SHORT ? BTF_VALUE_TRUNCATED : BTF_VALUE_UNREADABLE);
	if (!*ret)
		return true;
	btf_value_at(b, *ret)->n = bytes;
	btf_value_at(b, *ret)->shown = had;
	if (have != BTF_VALUE_HAVE_SHORT)
		btf_value_at(b, *ret)->reason = btf_value_keep(b, reason, strlen(reason));
	return true;
}

uint32_t btf_value_decode_scalar(struct btf_value_builder *b, const struct btf_value_spot *spot,
				 const struct btf_type *type)
{
	uint32_t bits = spot->bits, n;
	struct btf_value_node *node;
	struct btf_int number;
	uint64_t bytes = 0;

	if (btf_size(spot->btf, type->id, &bytes) != BTF_ANSWER_OK)
		return btf_value_unsupported(b, spot, "a type without a size");
	if (!has_known_size(type, bytes)) {
		if (type->kind == BTF_INT && bytes && !bits)
			return btf_value_decode_bytes(b, spot, bytes);
		return btf_value_unsupported(b, spot, "a number of a size that is not known");
	}
	if (bits) {
		if (bits > 64 || (type->kind != BTF_INT && !btf_is_enum(type)))
			return btf_value_unsupported(b, spot, "a bit field that is not a number");
		bytes = (spot->bit_offset % 8 + bits + 7) / 8;
	} else {
		bits = (uint32_t)bytes * 8;
	}
	if (is_missing(b, spot, bytes, &n))
		return n;
	n = btf_value_add(b, spot, BTF_VALUE_UINT);
	if (!n)
		return 0;
	node = btf_value_at(b, n);
	node->bits = bits;
	node->is_bit_field = spot->bits;
	node->type = type->id;
	load(spot->block, spot->bit_offset, bits, &node->value, &node->high);
	if (btf_get_int(type, &number)) {
		decode_int(node, &number, bits);
	} else if (btf_is_enum(type)) {
		decode_enum(b, n, type, bits);
	} else if (type->kind == BTF_FLOAT) {
		node->kind = BTF_VALUE_FLOAT;
		node->real = real_from(node->value, (uint32_t)bytes);
	} else {
		node->kind = BTF_VALUE_PTR;
		if (node->value && b->options->memory)
			vec_push(&b->pending,
				 (struct btf_value_pending){ n, spot->depth, b->followed });
	}
	return n;
}

uint32_t btf_value_decode_bytes(struct btf_value_builder *b, const struct btf_value_spot *spot,
				uint64_t bytes)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t shown = bytes < BTF_LIMIT_VALUE_HEX_BYTES ? bytes : BTF_LIMIT_VALUE_HEX_BYTES;
	uint64_t at = spot->bit_offset / 8;
	char hex[3 * BTF_LIMIT_VALUE_HEX_BYTES];
	uint32_t n;

	if (is_missing(b, spot, bytes, &n))
		return n;
	n = btf_value_add(b, spot, BTF_VALUE_BYTES);
	if (!n)
		return 0;
	for (uint64_t i = 0; i < shown; i++) {
		uint8_t byte = spot->block->data.at[at + i];

		hex[3 * i] = digits[byte >> 4];
		hex[3 * i + 1] = digits[byte & 15];
		hex[3 * i + 2] = ' ';
	}
	btf_value_at(b, n)->text = btf_value_keep(b, hex, shown ? 3 * shown - 1 : 0);
	btf_value_at(b, n)->n = bytes;
	btf_value_at(b, n)->shown = shown;
	return n;
}
