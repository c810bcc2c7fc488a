/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Symbols by name. `.symtab` is searched first, then `.dynsym`; in a table the
 * first hit wins. Undefined symbols do not count. Names are borrowed from the image.
 */
#ifndef KTSTR_ELF_SYMBOL_H
#define KTSTR_ELF_SYMBOL_H

#include "elf/image.h"

struct elf_symbol {
	const char *name;
	uint64_t value;
	uint64_t size;
	uint8_t type; /* STT_… */
	uint8_t bind; /* STB_… */
	uint16_t shndx;
};

/* Nothing matches, or there are no symbols: BASE_ABSENT. */
struct error *elf_symbol_find_named(struct elf_image *img, const char *name,
				    struct elf_symbol *ret) MUST_CHECK;
/*
 * All names in one pass over each table. ret_found[i] says whether ret[i] was
 * written; a missing name is not an error.
 */
struct error *elf_symbol_find_all_named(struct elf_image *img, const char *const *names, size_t n,
					struct elf_symbol *ret, bool *ret_found) MUST_CHECK;

/* One call per symbol, table after table, undefined and unnamed ones included; false ends the walk.
 */
typedef bool (*elf_symbol_visit_fn)(const struct elf_symbol *symbol, void *arg);
struct error *elf_symbol_visit(struct elf_image *img, elf_symbol_visit_fn visit,
			       void *arg) MUST_CHECK;

#endif
