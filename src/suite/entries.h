/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tests that are linked into this program. */
#ifndef KTSTR_SUITE_ENTRIES_H
#define KTSTR_SUITE_ENTRIES_H

#include <ktstr/ktstr.h>

#include "base/vec.h"

struct suite_entry_list {
	VEC(const struct ktstr_entry *) rows; /* by name, then file, then line */
};

/* The pointers from first up to end; a section may have holes, which are NULL. */
void suite_entries_collect(const struct ktstr_entry *const *first,
			   const struct ktstr_entry *const *end, struct suite_entry_list *ret);
/* Those of the section ktstr_entries; none when there is no such section. */
void suite_entries_of_program(struct suite_entry_list *ret);
void suite_entry_list_deinit(struct suite_entry_list *list);
#define _cleanup_suite_entry_list_ __attribute__((cleanup(suite_entry_list_deinit)))

/* The first of that name; NULL when there is none. */
const struct ktstr_entry *suite_entries_find(const struct suite_entry_list *list, const char *name);

#endif
