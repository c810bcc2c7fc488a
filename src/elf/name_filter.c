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

static int by_address(const void *a, const void *b)
{
	const uint8_t *left = *(const uint8_t *const *)a;
	const uint8_t *right = *(const uint8_t *const *)b;

	return left < right ? -1 : left > right;
}

static int by_offset(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a;
	uint64_t right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
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
	if (filter->references.n)
		qsort(filter->references.at, filter->references.n, sizeof(*filter->references.at),
		      by_address);
	if (filter->indirect.n)
		qsort(filter->indirect.at, filter->indirect.n, sizeof(*filter->indirect.at),
		      by_offset);
}

bool name_filter_is_empty(const struct name_filter *filter)
{
	return !filter->overflowed && !filter->references.n && !filter->indirect.n;
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
static void string_offsets_of(struct bytes offsets, Dwarf_CU *cu, Dwarf_Die *unit_die,
			      uint64_t *start, uint64_t *end)
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
	} else if (dwarf_attr(unit_die, DW_AT_str_offsets_base, &attr) &&
		   dwarf_formudata(&attr, &base) == 0 && base >= 8) {
		*start = base;
		*end = end_of_contribution(offsets, base);
	}
}

static bool any_reference_in(const struct name_filter *filter, struct unit_range range)
{
	size_t low = 0, high = filter->references.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (filter->references.at[middle] < range.start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < filter->references.n && filter->references.at[low] < range.end;
}

static bool any_indirect_in(const struct name_filter *filter, uint64_t start, uint64_t end)
{
	size_t low = 0, high = filter->indirect.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (filter->indirect.at[middle] < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < filter->indirect.n && filter->indirect.at[low] < end;
}

bool name_filter_admits(const struct name_filter *filter, Dwarf_CU *cu)
{
	Dwarf_Die unit_die;
	uint64_t start, end;

	if (filter->overflowed)
		return true;
	if (dwarf_cu_info(cu, NULL, NULL, &unit_die, NULL, NULL, NULL, NULL) != 0)
		return false;
	if (any_reference_in(filter, unit_range_of(filter->view, &unit_die)))
		return true;
	if (!filter->indirect.n)
		return false;
	string_offsets_of(dwarf_view_section(filter->view, ".debug_str_offsets"), cu, &unit_die,
			  &start, &end);
	return any_indirect_in(filter, start, end);
}
