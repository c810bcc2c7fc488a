/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a symbol to the unit that its source file became. */
#ifndef KTSTR_ELF_ANCHOR_H
#define KTSTR_ELF_ANCHOR_H

#include "elf/aranges.h"
#include "elf/image.h"

/*
 * A variable in thread-local storage has no address that .debug_aranges could
 * know. Functions that share its name up to the last '_' do, and so do local functions listed under
 * the same source file. Nothing found, or no symbols, or no .debug_aranges: no hits, and no error.
 */
void anchor_find_units(struct elf_image *img, const char *symbol, struct unit_hits *into);

#endif
