// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/elf/image_search.c */
#include "elf/member_search.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const uint64_t addresses[] = { 0x1139, 0x401000, 0x1000, 0 };
	struct elf_unit_hits hits = { .n = 0 };

	elf_aranges_find((struct bytes){ data, n }, addresses, ARRAY_SIZE(addresses), &hits);
	if (n > 12)
		fuzz_mark_deep();
	if (hits.n > ARRAY_SIZE(addresses))
		__builtin_trap();
	return 0;
}
