// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/name_filter.h"

#include <dwarf.h>

#include "elf/limits.h"
#include "elf/unit_range.h"

#define SAMPLE_BYTES 16384

void name_filter_init(struct name_filter *filter, const struct dwarf_view *view)
{
	*filter = (struct name_filter){ .view = view };
}

void name_filter_deinit(struct name_filter *filter)
{
	vec_deinit(&filter->references);
	vec_deinit(&filter->indirect);
}

/* memchr() is many times faster than any search for four bytes, if the byte it looks for is rare.
 */
static unsigned int rarest_byte(struct bytes in, const uint8_t value[static 4])
{
	unsigned int counts[256] = { 0 };
	size_t n = in.n < SAMPLE_BYTES ? in.n : SAMPLE_BYTES;
	unsigned int best = 0;

	for (size_t i = 0; i < n; i++)
		counts[in.at[in.n / 2 - n / 2 + i]]++;
	for (unsigned int i = 1; i < 4; i++) {
		if (counts[value[i]] < counts[value[best]])
			best = i;
	}
	return best;
}

/* The next place of the 4-byte value at or after `from`, or in.n. */
static size_t find_u32(struct bytes in, size_t from, const uint8_t value[static 4],
		       unsigned int rare)
{
	while (in.n >= 4 && from <= in.n - 4) {
		const uint8_t *hit = memchr(in.at + from + rare, value[rare], in.n - 3 - from);

		if (!hit)
			break;
		if (memcmp(hit - rare, value, 4) == 0)
			return (size_t)(hit - rare - in.at);
		from = (size_t)(hit - rare - in.at) + 1;
	}
	return in.n;
}

static void add_references(struct name_filter *filter, uint32_t string_offset)
{
	static const char *const sections[] = { ".debug_info", ".debug_types",
						".debug_str_offsets" };
	uint8_t value[4];

	for (int i = 0; i < 4; i++)
		value[i] = (uint8_t)(string_offset >> 8 * i);
	for (size_t s = 0; s < ARRAY_SIZE(sections) && !filter->overflowed; s++) {
		struct bytes in = dwarf_view_section(filter->view, sections[s]);
		unsigned int rare = rarest_byte(in, value);

		for (size_t at = find_u32(in, 0, value, rare); at < in.n;
		     at = find_u32(in, at + 1, value, rare)) {
			if (filter->references.n + filter->indirect.n >= ELF_LIMIT_REFERENCES) {
				filter->overflowed = true;
				break;
			}
			if (s == 2)
				vec_push(&filter->indirect, at);
			else
				vec_push(&filter->references, in.at + at);
		}
	}
}

/* The place of the n bytes after the previous one (NULL: the first), or NULL. */
static const uint8_t *next_string(struct bytes in, const uint8_t *previous, const char *name,
				  size_t n)
{
	size_t from = previous ? (size_t)(previous - in.at) + 1 : 0;

	return in.n > from ? memmem(in.at + from, in.n - from, name, n) : NULL;
}

/* A short name may stand in the entry itself. */
static void add_inline(struct name_filter *filter, const char *name, size_t n)
{
	static const char *const sections[] = { ".debug_info", ".debug_types" };

	for (size_t s = 0; s < ARRAY_SIZE(sections); s++) {
		struct bytes in = dwarf_view_section(filter->view, sections[s]);
		const uint8_t *hit = next_string(in, NULL, name, n);

		for (; hit; hit = next_string(in, hit, name, n)) {
			if (filter->references.n >= ELF_LIMIT_REFERENCES) {
				filter->overflowed = true;
				return;
			}
			vec_push(&filter->references, hit);
		}
	}
}

void name_filter_add(struct name_filter *filter, const char *name)
{
	static const char *const sections[] = { ".debug_str", ".debug_line_str" };
	size_t n = strlen(name) + 1;
	size_t n_hits = 0;

	for (size_t s = 0; s < ARRAY_SIZE(sections); s++) {
		struct bytes in = dwarf_view_section(filter->view, sections[s]);
		/* The end of a longer string will do: linkers share tails. */
		const uint8_t *hit = next_string(in, NULL, name, n);

		for (; hit; hit = next_string(in, hit, name, n)) {
			if (++n_hits > ELF_LIMIT_STRING_HITS) {
				filter->overflowed = true;
				return;
			}
			if ((uint64_t)(hit - in.at) <= UINT32_MAX)
				add_references(filter, (uint32_t)(hit - in.at));
		}
	}
	add_inline(filter, name, n);
}

bool name_filter_is_empty(const struct name_filter *filter)
{
	return !filter->overflowed && !filter->references.n && !filter->indirect.n;
}

/* Which part of .debug_str_offsets is the unit's own; all of it when that cannot be told. */
static void string_offsets_of(Dwarf_CU *cu, Dwarf_Die *unit_die, uint64_t *start, uint64_t *end)
{
	Dwarf_Off package_offset;
	Dwarf_Off package_size = 0;
	Dwarf_Attribute attr;
	Dwarf_Word base;

	*start = 0;
	*end = UINT64_MAX;
	if (dwarf_cu_dwp_section_info(cu, DW_SECT_STR_OFFSETS, &package_offset, &package_size) ==
		    0 &&
	    package_size) {
		*start = package_offset;
		*end = package_offset + package_size;
		return;
	}
	if (dwarf_attr(unit_die, DW_AT_str_offsets_base, &attr) &&
	    dwarf_formudata(&attr, &base) == 0)
		*start = base;
}

bool name_filter_admits(const struct name_filter *filter, Dwarf_CU *cu)
{
	struct unit_range range;
	Dwarf_Die unit_die;
	uint64_t start, end;

	if (filter->overflowed)
		return true;
	if (dwarf_cu_info(cu, NULL, NULL, &unit_die, NULL, NULL, NULL, NULL) != 0)
		return false;
	range = unit_range_of(filter->view, &unit_die);
	for (size_t i = 0; i < filter->references.n; i++) {
		if (filter->references.at[i] >= range.start && filter->references.at[i] < range.end)
			return true;
	}
	if (!filter->indirect.n)
		return false;
	string_offsets_of(cu, &unit_die, &start, &end);
	for (size_t i = 0; i < filter->indirect.n; i++) {
		if (filter->indirect.at[i] >= start && filter->indirect.at[i] < end)
			return true;
	}
	return false;
}
