/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Split DWARF: skeleton units in one image, their entries in .dwo files or one .dwp package. */
#ifndef KTSTR_ELF_SPLIT_DWARF_H
#define KTSTR_ELF_SPLIT_DWARF_H

#include "elf/member_search.h"

struct skeleton {
	uint64_t id;
	uint64_t unit_offset;
	char *dwo_name; /* may be NULL */
	char *comp_dir; /* may be NULL */
	bool tried;
};

struct skeletons {
	struct skeleton *at; /* sorted by id */
	size_t n;
	size_t capacity;
};

/* What the image promises elsewhere; none is no error. */
struct error *skeletons_read(struct elf_image *parent, const struct cancel *cancel,
			     struct skeletons *into) MUST_CHECK;
void skeletons_deinit(struct skeletons *skeletons);
#define _cleanup_skeletons_ _cleanup_(skeletons_deinit)

/* Searches the units of a .dwp, or of a .dwo, that belong to one of the skeletons. */
struct error *split_dwarf_search(struct member_search *search, struct elf_image *package,
				 const struct skeletons *skeletons) MUST_CHECK;

#endif
