/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Searching one image, the quick ways first. */
#ifndef KTSTR_ELF_IMAGE_SEARCH_H
#define KTSTR_ELF_IMAGE_SEARCH_H

#include "elf/member_search.h"

/*
 * The anchor's unit, then the units that mention the rarest member. Indexes of types (.debug_names,
 * .debug_pubtypes) are not read: where there are any, that takes longer. *ret_conclusive: found, or
 * no unit can hold an answer, so that a walk through all of them would be in vain.
 */
struct error *image_search_quick(struct member_search *search, struct elf_image *img,
				 bool *ret_conclusive) MUST_CHECK;
/* Every unit there is. */
struct error *image_search_walk(struct member_search *search, struct elf_image *img) MUST_CHECK;

/*
 * The units of a view that mention the names and that `admits` (may be NULL) lets in.
 */
struct error *image_search_by_name(struct member_search *search, struct dwarf_view *view,
				   member_search_admit_fn admits, const void *arg,
				   bool *ret_conclusive) MUST_CHECK;

#endif
