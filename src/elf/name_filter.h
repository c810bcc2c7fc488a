/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which units can mention a name at all, found by looking for bytes instead of
 * reading entries: where the string stands in .debug_str, then where that offset stands in
 * .debug_info or .debug_str_offsets. May admit a unit in vain, never leaves out one that counts.
 */
#ifndef KTSTR_ELF_NAME_FILTER_H
#define KTSTR_ELF_NAME_FILTER_H

#include "base/vec.h"
#include "elf/dwarf_view.h"

struct name_filter {
	const struct dwarf_view *view;
	VEC(uintptr_t) places; /* in the view's memory, ascending: bytes that mention a name */
	bool overflowed;       /* too many to tell: every unit is admitted */
};

/* The view must show all units and stay as it is. Several names: units with any of them. */
void name_filter_init(struct name_filter *filter, const struct dwarf_view *view);
void name_filter_add(struct name_filter *filter, const char *name);
void name_filter_deinit(struct name_filter *filter);
#define _cleanup_name_filter_ _cleanup_(name_filter_deinit)

/* No unit mentions any of the names. */
bool name_filter_is_empty(const struct name_filter *filter);
bool name_filter_admits(const struct name_filter *filter, Dwarf_CU *cu);

#endif
