/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking for a struct's members in the entries of one unit after another. */
#ifndef KTSTR_ELF_MEMBER_SEARCH_H
#define KTSTR_ELF_MEMBER_SEARCH_H

#include "elf/dwarf_view.h"
#include "elf/limits.h"
#include "elf/member_lookup.h"

/* The members of one struct seen so far. */
struct member_set {
	uint64_t found; /* one bit per member of the query */
	uint64_t offsets[ELF_LIMIT_QUERY_MEMBERS];
	bool named; /* the struct has the name that was asked for */
};

struct member_frame;

struct member_search {
	const struct member_query *query;
	struct member_frame *frames;
	uint64_t n_dies;
	uint64_t n_units;
	bool found;
	struct member_set result; /* when found; else the best incomplete struct, if any */
};

struct error *member_search_init(struct member_search *search,
				 const struct member_query *query) MUST_CHECK;
void member_search_deinit(struct member_search *search);
#define _cleanup_member_search_ _cleanup_(member_search_deinit)

/* Does nothing once found. A unit without the struct is no error. */
struct error *member_search_unit(struct member_search *search, const struct dwarf_view *view,
				 Dwarf_CU *cu) MUST_CHECK;
/* Every unit that the view shows, type units included, if `admits` (NULL: always) lets it in. */
typedef bool (*member_search_admit_fn)(const void *arg, Dwarf_CU *cu);
struct error *member_search_view(struct member_search *search, const struct dwarf_view *view,
				 member_search_admit_fn admits, const void *arg) MUST_CHECK;
/* The offsets, or which member or type is missing. `label` names what was searched. */
struct error *member_search_result(const struct member_search *search, const char *label,
				   uint64_t *ret_offsets) MUST_CHECK;

#endif
