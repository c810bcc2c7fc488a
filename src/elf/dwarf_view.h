/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The debug information of an image as libdw gets to see it: a fresh ELF in
 * memory that holds only the sections a member search needs, read within limits
 * and decompressed, each followed by zeroes. Hostile headers never reach libdw, line tables
 * and location lists are never read, and one unit can be loaded without the other ten thousand.
 */
#ifndef KTSTR_ELF_DWARF_VIEW_H
#define KTSTR_ELF_DWARF_VIEW_H

#include <elfutils/libdw.h>

#include "elf/image.h"

enum elf_dwarf_view_kind {
	ELF_DWARF_VIEW_MAIN, /* .debug_info and its helpers */
	ELF_DWARF_VIEW_DWO,  /* .debug_info.dwo: a .dwo or .dwp file */
};

struct elf_dwarf_view;

/* No units of this kind in the image: ELF_NO_DEBUG_INFO. The image must outlive the view. */
struct error *elf_dwarf_view_new(struct elf_image *img, enum elf_dwarf_view_kind kind,
				 struct elf_dwarf_view **ret) MUST_CHECK;
void elf_dwarf_view_free(struct elf_dwarf_view *view);
DEFINE_CLEANUP(elf_dwarf_view, struct elf_dwarf_view *, NULL, elf_dwarf_view_free);
#define _cleanup_elf_dwarf_view_ _cleanup_(cleanup_elf_dwarf_view)

/* Shows libdw all units. */
struct error *elf_dwarf_view_load_all(struct elf_dwarf_view *view) MUST_CHECK;
/* Shows libdw the one unit whose header stands at this offset of .debug_info. */
struct error *elf_dwarf_view_load_unit(struct elf_dwarf_view *view, uint64_t offset) MUST_CHECK;
/* Valid until the next load. */
Dwarf *elf_dwarf_view_dwarf(const struct elf_dwarf_view *view);
/* Empty when the view has no such section. `name` without ".dwo". Valid like the Dwarf. */
struct bytes elf_dwarf_view_section(const struct elf_dwarf_view *view, const char *name);
/* The memory of the unit whose first entry this is, as its header says, within its section. Empty
 * when the entry does not belong to the view. */
struct bytes elf_dwarf_view_unit(const struct elf_dwarf_view *view, Dwarf_Die *unit_die);
/* What the image is called in messages. */
const char *elf_dwarf_view_label(const struct elf_dwarf_view *view);

#endif
