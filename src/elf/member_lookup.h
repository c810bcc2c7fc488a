/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * At which offset the members of a struct lie, out of the debug information.
 *
 *	const char *const members[] = { "first", "second" };
 *	uint64_t offsets[2];
 *	struct elf_member_query q = { .type_name = "pair_s", .members = members, .n_members = 2 };
 *	err = elf_member_lookup_in_image(img, &q, offsets);
 *
 * A struct (or class) of that name with all members answers. If there is none,
 * members of these names in any struct do: for typedefs of anonymous structs.
 */
#ifndef KTSTR_ELF_MEMBER_LOOKUP_H
#define KTSTR_ELF_MEMBER_LOOKUP_H

#include "base/cancel.h"
#include "base/strbuf.h"
#include "elf/image.h"

struct elf_member_query {
	const char *type_name;
	const char *const *members; /* at most ELF_LIMIT_QUERY_MEMBERS */
	size_t n_members;
	/* A symbol defined in a file that uses the type: a hint where to look first. May be NULL.
	 */
	const char *anchor_symbol;
	const struct cancel *cancel; /* may be NULL */
};

/*
 * Searches this image's own DWARF only. ELF_NO_DEBUG_INFO, ELF_TYPE_MISSING,
 * ELF_MEMBER_MISSING (names it), ELF_MEMBER_LOCATION, ELF_BAD_DWARF,
 * BASE_LIMIT, BASE_CANCELLED. ret_offsets has n_members entries.
 */
struct error *elf_member_lookup_in_image(struct elf_image *img,
					 const struct elf_member_query *query,
					 uint64_t *ret_offsets) MUST_CHECK;

/* An object and its path, so that the files around it can be found. */
struct elf_debug_place {
	struct elf_image *image;
	const char *path;      /* in the target's view, absolute */
	const char *ns_root;   /* "/proc/PID/root", or NULL: the host's view only */
	const char *debug_dir; /* NULL: /usr/lib/debug */
};

/*
 * Everything there is, the quickest first: the units of the image that mention a member, its .dwp
 * and .dwo files, external debug files, then a walk through all of the image's units. *source
 * (may be NULL) gets the path of the file that answered. The error lists each file and what was
 * wrong with it; its kind is ELF_UNSAFE_DEBUGLINK, ELF_UNSAFE_BUILD_ID or ELF_NO_DEBUG_INFO when
 * there was nothing to search, else that of the most telling file.
 */
struct error *elf_member_lookup(const struct elf_debug_place *place,
				const struct elf_member_query *query, uint64_t *ret_offsets,
				struct strbuf *source) MUST_CHECK;

#endif
