/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where in the view's memory a unit begins and ends. */
#ifndef KTSTR_ELF_UNIT_RANGE_H
#define KTSTR_ELF_UNIT_RANGE_H

#include "elf/dwarf_view.h"

struct unit_range {
	const uint8_t *start;
	const uint8_t *end; /* what the header says, within its section */
};

/* Both NULL when the entry does not belong to the view. */
struct unit_range unit_range_of(const struct dwarf_view *view, Dwarf_Die *unit_die);

#endif
