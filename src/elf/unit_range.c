// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/unit_range.h"

struct unit_range unit_range_of(const struct dwarf_view *view, Dwarf_Die *unit_die)
{
	static const char *const sections[] = { ".debug_info", ".debug_types" };
	const uint8_t *start = (const uint8_t *)unit_die->addr - dwarf_cuoffset(unit_die);

	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		struct bytes in = dwarf_view_section(view, sections[i]);
		struct cursor c;
		uint64_t n;

		if (!in.n || start < in.at || start >= in.at + in.n)
			continue;
		c = cursor_over((struct bytes){ start, (size_t)(in.at + in.n - start) });
		n = cursor_u32(&c);
		if (n == UINT32_MAX)
			n = cursor_u64(&c);
		return (struct unit_range){
			.start = start,
			.end = n < cursor_left(&c) ? start + c.offset + n : in.at + in.n,
		};
	}
	return (struct unit_range){ 0 };
}
