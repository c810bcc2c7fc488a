/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Readers for the sections that say which unit to look into. Their only output
 * is offsets of unit headers, which are hints: a wrong one costs a look, a set that cannot be read
 * is left out, and nothing else is believed.
 */
#ifndef KTSTR_ELF_DEBUG_INDEX_H
#define KTSTR_ELF_DEBUG_INDEX_H

#include "base/bytes.h"
#include "elf/limits.h"

/* Different offsets into .debug_info, in the order they were met. */
struct unit_hits {
	uint64_t offsets[ELF_LIMIT_UNIT_HITS];
	size_t n;
};

void unit_hits_add(struct unit_hits *hits, uint64_t offset);

/* .debug_pubtypes, or with `gnu` .debug_gnu_pubtypes, whose entries carry one more byte. */
void debug_pubtypes_find(struct bytes section, bool gnu, const char *type_name,
			 struct unit_hits *into);
/* .debug_names of DWARF 5: structs and classes. `strings` is .debug_str. */
void debug_names_find(struct bytes section, struct bytes strings, const char *type_name,
		      struct unit_hits *into);
/* .debug_aranges: the units that hold these addresses, the first address first. */
void debug_aranges_find(struct bytes section, const uint64_t *addresses, size_t n,
			struct unit_hits *into);

#endif
