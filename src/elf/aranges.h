/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * .debug_aranges: which unit holds an address. libdw has a reader as well, but it wants all of
 * .debug_info beside it. Offsets found here are hints: a wrong one costs a search of one unit, and
 * a set that cannot be read is left out.
 */
#ifndef KTSTR_ELF_ARANGES_H
#define KTSTR_ELF_ARANGES_H

#include "base/bytes.h"
#include "elf/limits.h"

/* Different offsets of unit headers in .debug_info, in the order they were met. */
struct unit_hits {
	uint64_t offsets[ELF_LIMIT_UNIT_HITS];
	size_t n;
};

/* Adds the units that hold these addresses, the first address first. */
void aranges_find(struct bytes section, const uint64_t *addresses, size_t n,
		  struct unit_hits *into);

#endif
