/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looking for a struct's members: in the entries of one unit after another, and which units are
 * worth it. Private to this room.
 */
#ifndef KTSTR_ELF_MEMBER_SEARCH_H
#define KTSTR_ELF_MEMBER_SEARCH_H

#include "base/bytes.h"
#include "base/vec.h"
#include "elf/dwarf_view.h"
#include "elf/image.h"
#include "elf/member_lookup.h"

/* The members of one struct seen so far. */
struct elf_member_set {
	uint64_t found; /* one bit per member of the query */
	uint64_t offsets[ELF_LIMIT_QUERY_MEMBERS];
	bool named; /* the struct has the name that was asked for */
};

struct elf_member_frame;

/* Starts with its query and zeros. */
struct elf_member_search {
	const struct elf_member_query *query;
	struct elf_member_frame *frames;
	uint64_t n_dies;
	uint64_t n_units;
	bool found;
	struct elf_member_set result; /* when found; else the best incomplete struct, if any */
};

void elf_member_search_deinit(struct elf_member_search *search);
#define _cleanup_elf_member_search_ _cleanup_(elf_member_search_deinit)

/* Does nothing once found. A unit without the struct is not an error. */
struct error *elf_member_search_unit(struct elf_member_search *search,
				     const struct elf_dwarf_view *view, Dwarf_CU *cu) MUST_CHECK;
/* Every unit that the view shows, type units included, if `admits` (NULL: always) lets it in. */
typedef bool (*elf_member_admit_fn)(const void *arg, Dwarf_CU *cu);
struct error *elf_member_search_view(struct elf_member_search *search,
				     const struct elf_dwarf_view *view, elf_member_admit_fn admits,
				     const void *arg) MUST_CHECK;
/* The offsets, or which member or type is missing. `label` names what was searched. */
struct error *elf_member_search_result(const struct elf_member_search *search, const char *label,
				       uint64_t *ret_offsets) MUST_CHECK;

/* Different offsets of unit headers in .debug_info, in the order they were met. */
struct elf_unit_hits {
	uint64_t offsets[ELF_LIMIT_UNIT_HITS];
	size_t n;
};

/*
 * .debug_aranges: adds the units that hold these addresses, the first address first. libdw has a
 * reader as well, but it wants all of .debug_info beside it. Offsets found here are hints: a wrong
 * one costs a search of one unit, and a set that cannot be read is left out.
 */
void elf_aranges_find(struct bytes section, const uint64_t *addresses, size_t n,
		      struct elf_unit_hits *into);
/*
 * From a symbol to the unit that its source file became. A variable in thread-local storage has no
 * address that .debug_aranges could know. Functions that share its name up to the last '_' do, and
 * so do local functions listed under the same source file. Nothing found, or no symbols, or no
 * .debug_aranges: no hits, and no error.
 */
void elf_anchor_find_units(struct elf_image *img, const char *symbol, struct elf_unit_hits *into);

/*
 * Searches one image the quick ways: the anchor's unit, then the units that mention the rarest
 * member. Indexes of types (.debug_names, .debug_pubtypes) are not read: where there are any, that
 * takes longer. *ret_conclusive: found, or no unit can hold an answer, so that a walk through all
 * of them would find nothing more.
 */
struct error *elf_image_search_quick(struct elf_member_search *search, struct elf_image *img,
				     bool *ret_conclusive) MUST_CHECK;
/* Every unit there is. */
struct error *elf_image_search_walk(struct elf_member_search *search,
				    struct elf_image *img) MUST_CHECK;

/*
 * Which units can mention a name at all, found by looking for bytes instead of
 * reading entries: where the string stands in .debug_str, then where that offset stands in
 * .debug_info or .debug_str_offsets. May admit a unit needlessly, never leaves out a relevant one.
 */
struct elf_name_filter {
	const struct elf_dwarf_view *view;
	VEC(uintptr_t) places; /* in the view's memory, ascending: bytes that mention a name */
	bool overflowed;       /* too many to tell: every unit is admitted */
};

/* The view must show all units and stay as it is. Several names: units with any of them. */
void elf_name_filter_init(struct elf_name_filter *filter, const struct elf_dwarf_view *view);
void elf_name_filter_add(struct elf_name_filter *filter, const char *name);
void elf_name_filter_deinit(struct elf_name_filter *filter);
#define _cleanup_elf_name_filter_ _cleanup_(elf_name_filter_deinit)

/* No unit mentions any of the names. */
bool elf_name_filter_is_empty(const struct elf_name_filter *filter);
bool elf_name_filter_admits(const struct elf_name_filter *filter, Dwarf_CU *cu);

/* Split DWARF: skeleton units in one image, their entries in .dwo files or one .dwp package. */
struct elf_skeleton {
	uint64_t id;
	uint64_t unit_offset;
	char *dwo_name; /* may be NULL */
	char *comp_dir; /* may be NULL */
	bool tried;
};

struct elf_skeletons {
	struct elf_skeleton *at; /* sorted by id */
	size_t n;
	size_t capacity;
};

/* The units that the image keeps in other files; none is not an error. */
struct error *elf_skeletons_read(struct elf_image *parent, const struct cancel *cancel,
				 struct elf_skeletons *into) MUST_CHECK;
void elf_skeletons_deinit(struct elf_skeletons *skeletons);
#define _cleanup_elf_skeletons_ _cleanup_(elf_skeletons_deinit)

/* Searches the units of a .dwp, or of a .dwo, that belong to one of the skeletons. */
struct error *elf_split_dwarf_search(struct elf_member_search *search, struct elf_image *package,
				     const struct elf_skeletons *skeletons) MUST_CHECK;

#endif
