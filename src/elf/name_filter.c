// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/member_search.h"

#include <dwarf.h>

#define SAMPLE_BYTES 16384

void elf_name_filter_init(struct elf_name_filter *filter, const struct elf_dwarf_view *view)
{
	*filter = (struct elf_name_filter){ .view = view };
}

void elf_name_filter_deinit(struct elf_name_filter *filter)
{
	vec_deinit(&filter->places);
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

/* False when there are too many. */
static bool add_place(struct elf_name_filter *filter, const uint8_t *at)
{
	filter->overflowed = filter->places.n >= ELF_LIMIT_REFERENCES;
	if (!filter->overflowed)
		vec_push(&filter->places, (uintptr_t)at);
	return !filter->overflowed;
}

static void add_references(struct elf_name_filter *filter, uint32_t string_offset)
{
	static const char *const sections[] = { ".debug_info", ".debug_types",
						".debug_str_offsets" };
	uint8_t value[4];

	for (int i = 0; i < 4; i++)
		value[i] = (uint8_t)(string_offset >> 8 * i);
	for (size_t s = 0; s < ARRAY_SIZE(sections); s++) {
		struct bytes in = elf_dwarf_view_section(filter->view, sections[s]);
		unsigned int rare = rarest_byte(in, value);

		for (size_t at = find_u32(in, 0, value, rare); at < in.n;
		     at = find_u32(in, at + 1, value, rare)) {
			if (!add_place(filter, in.at + at))
				return;
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

/* A short name may be in the entry itself. */
static void add_inline(struct elf_name_filter *filter, const char *name, size_t n)
{
	static const char *const sections[] = { ".debug_info", ".debug_types" };

	for (size_t s = 0; s < ARRAY_SIZE(sections); s++) {
		struct bytes in = elf_dwarf_view_section(filter->view, sections[s]);
		const uint8_t *hit = next_string(in, NULL, name, n);

		for (; hit && add_place(filter, hit); hit = next_string(in, hit, name, n))
			;
	}
}

static int compare_places(const void *a, const void *b)
{
	uintptr_t left = *(const uintptr_t *)a, right = *(const uintptr_t *)b;

	return (left > right) - (left < right);
}

void elf_name_filter_add(struct elf_name_filter *filter, const char *name)
{
	static const char *const sections[] = { ".debug_str", ".debug_line_str" };
	size_t n = strlen(name) + 1;
	size_t n_hits = 0;

	for (size_t s = 0; s < ARRAY_SIZE(sections); s++) {
		struct bytes in = elf_dwarf_view_section(filter->view, sections[s]);
		/* The end of a longer string will do: linkers share tails. */
		const uint8_t *hit = next_string(in, NULL, name, n);

		for (; hit && !filter->overflowed; hit = next_string(in, hit, name, n)) {
			filter->overflowed = ++n_hits > ELF_LIMIT_STRING_HITS;
			if (!filter->overflowed && (uint64_t)(hit - in.at) <= UINT32_MAX)
				add_references(filter, (uint32_t)(hit - in.at));
		}
	}
	if (!filter->overflowed)
		add_inline(filter, name, n);
	if (filter->places.n)
		qsort(filter->places.at, filter->places.n, sizeof(*filter->places.at),
		      compare_places);
}

bool elf_name_filter_is_empty(const struct elf_name_filter *filter)
{
	return !filter->overflowed && !filter->places.n;
}

/* A contribution's header stands before its base and says where it ends. */
static uint64_t end_of_contribution(struct bytes offsets, uint64_t base)
{
	struct cursor c = cursor_over(offsets);
	uint64_t n;

	if (base >= 16) {
		cursor_seek(&c, base - 16);
		if (cursor_u32(&c) == UINT32_MAX)
			return add_fits_u64(base - 4, cursor_u64(&c), &n) ? n : UINT64_MAX;
	}
	c = cursor_over(offsets);
	cursor_seek(&c, base - 8);
	n = cursor_u32(&c);
	return c.failed ? UINT64_MAX : base - 4 + n;
}

/* Which part of .debug_str_offsets is the unit's own; all of it when that cannot be told. */
static struct bytes string_offsets_of(struct bytes all, Dwarf_CU *cu, Dwarf_Die *unit_die)
{
	Dwarf_Off package_offset;
	Dwarf_Off package_size = 0;
	Dwarf_Attribute attr;
	Dwarf_Word base;
	uint64_t start = 0, end = all.n;

	if (dwarf_cu_dwp_section_info(cu, DW_SECT_STR_OFFSETS, &package_offset, &package_size) ==
		    0 &&
	    package_size) {
		start = package_offset;
		end = package_offset + package_size;
	} else if (dwarf_attr(unit_die, DW_AT_str_offsets_base, &attr) &&
		   dwarf_formudata(&attr, &base) == 0 && base >= 8) {
		start = base;
		end = end_of_contribution(all, base);
	}
	if (end > all.n)
		end = all.n;
	return start < end ? (struct bytes){ all.at + start, (size_t)(end - start) }
			   : (struct bytes){ 0 };
}

static bool any_place_in(const struct elf_name_filter *filter, struct bytes range)
{
	size_t low = 0, high = filter->places.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (filter->places.at[middle] < (uintptr_t)range.at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < filter->places.n && filter->places.at[low] < (uintptr_t)range.at + range.n;
}

bool elf_name_filter_admits(const struct elf_name_filter *filter, Dwarf_CU *cu)
{
	struct bytes offsets = elf_dwarf_view_section(filter->view, ".debug_str_offsets");
	Dwarf_Die unit_die;

	if (filter->overflowed)
		return true;
	if (dwarf_cu_info(cu, NULL, NULL, &unit_die, NULL, NULL, NULL, NULL) != 0)
		return false;
	return any_place_in(filter, elf_dwarf_view_unit(filter->view, &unit_die)) ||
	       (offsets.n && any_place_in(filter, string_offsets_of(offsets, cu, &unit_die)));
}
