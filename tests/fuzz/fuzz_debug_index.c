// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/elf/debug_index.c src/elf/debug_names.c */
#include "elf/debug_index.h"
#include "fuzz.h"

/* One byte that says which reader, two for the length of .debug_str at the end, then the section.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const uint64_t addresses[] = { 0x1139, 0x401000, 0x1000, 0 };
	struct unit_hits hits = { .n = 0 };
	struct cursor c = cursor_over((struct bytes){ data, n });
	uint8_t reader = cursor_u8(&c) % 4;
	uint16_t n_strings = cursor_u16(&c);
	struct bytes section = { data + c.offset, cursor_left(&c) };
	struct bytes strings;

	if (c.failed || n_strings > section.n)
		return 0;
	section.n -= n_strings;
	strings = (struct bytes){ section.at + section.n, n_strings };
	switch (reader) {
	case 0:
		debug_pubtypes_find(section, false, "tsd_s", &hits);
		break;
	case 1:
		debug_pubtypes_find(section, true, "tsd_s", &hits);
		break;
	case 2:
		debug_aranges_find(section, addresses, 4, &hits);
		break;
	default:
		debug_names_find(section, strings, "tsd_s", &hits);
	}
	if (section.n > 12)
		fuzz_mark_deep();
	if (hits.n > ELF_LIMIT_UNIT_HITS)
		__builtin_trap();
	return 0;
}
