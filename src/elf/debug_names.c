// SPDX-License-Identifier: LGPL-2.1-or-later
/* .debug_names, DWARF 5 section 6.1.1. */
#include <dwarf.h>

#include "elf/debug_index.h"

#define NAMES_VERSION 5
/* <dwarf.h> of elfutils does not know these. */
#define DW_IDX_compile_unit 1
#define DW_IDX_type_unit    2
#define HEADER_COUNTS	    7
/* Attributes of one abbreviation, and entries of one name: real ones have a handful. */
#define MAX_ATTRIBUTES 16
#define MAX_ENTRIES    64

struct name_index {
	struct bytes units;
	struct bytes type_units;
	uint32_t n_buckets;
	uint32_t n_names;
	struct bytes buckets;
	struct bytes hashes;
	struct bytes string_offsets;
	struct bytes entry_offsets;
	struct bytes abbrevs;
	struct bytes entries;
	unsigned int offset_bytes;
};

static struct bytes take(struct cursor *c, uint64_t n)
{
	const uint8_t *at = cursor_take(c, n);

	return (struct bytes){ at, at ? (size_t)n : 0 };
}

static uint64_t element(struct bytes array, uint64_t i, unsigned int width)
{
	struct cursor c = cursor_over(array);

	/* The indexes are 32-bit numbers: the product cannot overflow. */
	cursor_seek(&c, i * width);
	return cursor_uint(&c, width);
}

static bool open_index(struct cursor *set, unsigned int offset_bytes, struct name_index *ret)
{
	uint16_t version = cursor_u16(set);
	uint32_t count[HEADER_COUNTS];
	struct name_index x = { .offset_bytes = offset_bytes };

	cursor_u16(set); /* padding */
	for (size_t i = 0; i < HEADER_COUNTS; i++)
		count[i] = cursor_u32(set);
	if (set->failed || version != NAMES_VERSION)
		return false;
	cursor_take(set, ((uint64_t)count[6] + 3) & ~UINT64_C(3)); /* augmentation */
	x.units = take(set, (uint64_t)count[0] * offset_bytes);
	x.type_units = take(set, (uint64_t)count[1] * offset_bytes);
	take(set, (uint64_t)count[2] * 8); /* signatures of foreign type units */
	x.n_buckets = count[3];
	x.n_names = count[4];
	x.buckets = take(set, (uint64_t)x.n_buckets * 4);
	x.hashes = take(set, x.n_buckets ? (uint64_t)x.n_names * 4 : 0);
	x.string_offsets = take(set, (uint64_t)x.n_names * offset_bytes);
	x.entry_offsets = take(set, (uint64_t)x.n_names * offset_bytes);
	x.abbrevs = take(set, count[5]);
	x.entries = take(set, cursor_left(set));
	*ret = x;
	return !set->failed;
}

/* DJB's hash over the case-folded name. Names of structs are ASCII wherever it matters. */
static uint32_t hash_of(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++) {
		uint8_t ch = (uint8_t)*name;

		h = h * 33 + (ch >= 'A' && ch <= 'Z' ? ch + 32u : ch);
	}
	return h;
}

static bool name_is(const struct name_index *x, struct bytes strings, uint64_t i,
		    const char *wanted)
{
	struct cursor c = cursor_over(strings);
	const char *name;

	cursor_seek(&c, element(x->string_offsets, i, x->offset_bytes));
	name = cursor_string(&c);
	return name && strcmp(name, wanted) == 0;
}

/* Skips to the abbreviation's attributes; the tag, or 0. */
static uint64_t find_abbrev(struct bytes table, uint64_t wanted, struct cursor *ret)
{
	struct cursor c = cursor_over(table);

	while (cursor_left(&c)) {
		uint64_t code = cursor_uleb128(&c);
		uint64_t tag = cursor_uleb128(&c);

		if (!code || c.failed)
			return 0;
		if (code == wanted) {
			*ret = c;
			return tag;
		}
		for (;;) {
			uint64_t index = cursor_uleb128(&c);
			uint64_t form = cursor_uleb128(&c);

			if (c.failed || (!index && !form))
				break;
		}
	}
	return 0;
}

static uint64_t read_form(struct cursor *c, uint64_t form)
{
	switch (form) {
	case DW_FORM_flag_present:
		return 1;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
		return cursor_u8(c);
	case DW_FORM_data2:
	case DW_FORM_ref2:
		return cursor_u16(c);
	case DW_FORM_data4:
	case DW_FORM_ref4:
		return cursor_u32(c);
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
		return cursor_u64(c);
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
		return cursor_uleb128(c);
	default:
		c->failed = true;
		return 0;
	}
}

/* One entry of a name. False at the end of the series or when it cannot be read. */
static bool take_entry(const struct name_index *x, struct cursor *c, struct unit_hits *into)
{
	struct cursor abbrev;
	uint64_t code = cursor_uleb128(c);
	uint64_t tag = code && !c->failed ? find_abbrev(x->abbrevs, code, &abbrev) : 0;
	uint64_t unit = 0;
	struct bytes units = x->units;

	if (!tag)
		return false;
	for (int i = 0; i < MAX_ATTRIBUTES; i++) {
		uint64_t index = cursor_uleb128(&abbrev);
		uint64_t form = cursor_uleb128(&abbrev);
		uint64_t value;

		if (abbrev.failed || (!index && !form))
			break;
		value = read_form(c, form);
		if (index == DW_IDX_compile_unit || index == DW_IDX_type_unit)
			unit = value;
		if (index == DW_IDX_type_unit)
			units = x->type_units;
	}
	if (c->failed)
		return false;
	if ((tag == DW_TAG_structure_type || tag == DW_TAG_class_type) &&
	    unit < units.n / x->offset_bytes)
		unit_hits_add(into, element(units, unit, x->offset_bytes));
	return true;
}

static void take_name(const struct name_index *x, uint64_t i, struct unit_hits *into)
{
	struct cursor c = cursor_over(x->entries);

	cursor_seek(&c, element(x->entry_offsets, i, x->offset_bytes));
	for (int n = 0; n < MAX_ENTRIES && take_entry(x, &c, into); n++)
		;
}

static void search_index(const struct name_index *x, struct bytes strings, const char *type_name,
			 struct unit_hits *into)
{
	uint32_t hash = hash_of(type_name);
	uint64_t i = 0;

	if (x->n_buckets) {
		/* Names are counted from 1 here; 0 is an empty bucket. */
		i = element(x->buckets, hash % x->n_buckets, 4);
		if (!i--)
			return;
	}
	for (; i < x->n_names; i++) {
		if (x->n_buckets) {
			uint32_t other = (uint32_t)element(x->hashes, i, 4);

			if (other % x->n_buckets != hash % x->n_buckets)
				return;
			if (other != hash)
				continue;
		}
		if (name_is(x, strings, i, type_name))
			take_name(x, i, into);
	}
}

void debug_names_find(struct bytes section, struct bytes strings, const char *type_name,
		      struct unit_hits *into)
{
	struct cursor c = cursor_over(section);

	while (cursor_left(&c)) {
		struct name_index x;
		unsigned int offset_bytes = 4;
		uint64_t n = cursor_u32(&c);
		struct bytes body;
		struct cursor set;

		if (n == UINT32_MAX) {
			n = cursor_u64(&c);
			offset_bytes = 8;
		}
		body = take(&c, n);
		if (c.failed)
			return;
		set = cursor_over(body);
		if (open_index(&set, offset_bytes, &x))
			search_index(&x, strings, type_name, into);
	}
}
