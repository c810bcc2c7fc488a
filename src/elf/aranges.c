// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/member_search.h"

#include "base/error.h"

#define TUPLE_BYTES	16 /* address and length, 8 bytes each */
#define ARANGES_VERSION 2
#define MAX_ADDRESSES	(2 * ELF_LIMIT_UNIT_HITS)
#define DWARF64_ESCAPE	UINT32_MAX

static void unit_hits_add(struct elf_unit_hits *hits, uint64_t offset)
{
	for (size_t i = 0; i < hits->n; i++) {
		if (hits->offsets[i] == offset)
			return;
	}
	if (hits->n < ARRAY_SIZE(hits->offsets))
		hits->offsets[hits->n++] = offset;
}

/* Takes one length-prefixed set off the cursor. A set that claims more than there is fails it. */
static struct cursor take_set(struct cursor *c, unsigned int *ret_offset_bytes)
{
	uint64_t n = cursor_u32(c);
	const uint8_t *at;

	*ret_offset_bytes = n == DWARF64_ESCAPE ? 8 : 4;
	if (n == DWARF64_ESCAPE)
		n = cursor_u64(c);
	at = cursor_take(c, n);
	return cursor_over((struct bytes){ at, at ? (size_t)n : 0 });
}

/* Writes the set's unit for every address that one of its ranges holds. */
static void search_set(struct cursor *set, unsigned int offset_bytes, const uint64_t *addresses,
		       size_t n, uint64_t *units, bool *found)
{
	uint16_t version = cursor_u16(set);
	uint64_t unit = cursor_uint(set, offset_bytes);
	uint8_t address_bytes = cursor_u8(set);
	uint8_t segment_bytes = cursor_u8(set);
	size_t header = (offset_bytes == 8 ? 12 : 4) + set->offset;

	if (set->failed || version != ARANGES_VERSION || address_bytes != 8 || segment_bytes)
		return;
	/* Tuples are aligned to their size, counted from the start of the set. */
	cursor_take(set, (TUPLE_BYTES - header % TUPLE_BYTES) % TUPLE_BYTES);
	while (cursor_left(set) >= TUPLE_BYTES) {
		uint64_t start = cursor_u64(set);
		uint64_t length = cursor_u64(set);

		if (!start && !length)
			return;
		for (size_t i = 0; i < n; i++) {
			if (!found[i] && addresses[i] >= start && addresses[i] - start < length) {
				units[i] = unit;
				found[i] = true;
			}
		}
	}
}

void elf_aranges_find(struct bytes section, const uint64_t *addresses, size_t n,
		      struct elf_unit_hits *into)
{
	struct cursor c = cursor_over(section);
	uint64_t units[MAX_ADDRESSES];
	bool found[MAX_ADDRESSES] = { false };

	if (n > MAX_ADDRESSES)
		n = MAX_ADDRESSES;
	while (cursor_left(&c)) {
		unsigned int offset_bytes;
		struct cursor set = take_set(&c, &offset_bytes);

		if (c.failed)
			break;
		search_set(&set, offset_bytes, addresses, n, units, found);
	}
	for (size_t i = 0; i < n; i++) {
		if (found[i])
			unit_hits_add(into, units[i]);
	}
}
