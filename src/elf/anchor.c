// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/member_search.h"

#include <elf.h>

#include "elf/symbol.h"

struct addresses {
	uint64_t at[ELF_LIMIT_UNIT_HITS];
	size_t n;
};

struct neighbours {
	const char *symbol;
	size_t stem_n;
	struct addresses by_stem;
	struct addresses in_file;
	struct addresses current_file;
	bool is_current;
};

static void add(struct addresses *list, uint64_t address)
{
	if (list->n < ARRAY_SIZE(list->at))
		list->at[list->n++] = address;
}

static void end_of_file_group(struct neighbours *search)
{
	if (search->is_current && !search->in_file.n)
		search->in_file = search->current_file;
	search->current_file.n = 0;
	search->is_current = false;
}

/* Local symbols follow the STT_FILE symbol of their source file. */
static bool look_at(const struct elf_symbol *symbol, void *arg)
{
	struct neighbours *search = arg;

	if (symbol->type == STT_FILE) {
		end_of_file_group(search);
		return true;
	}
	if (symbol->shndx == SHN_UNDEF || symbol->shndx >= SHN_LORESERVE)
		return true;
	if (symbol->bind == STB_LOCAL && strcmp(symbol->name, search->symbol) == 0)
		search->is_current = true;
	if (symbol->type != STT_FUNC || !symbol->value)
		return true;
	if (symbol->bind == STB_LOCAL)
		add(&search->current_file, symbol->value);
	if (search->stem_n && strncmp(symbol->name, search->symbol, search->stem_n) == 0)
		add(&search->by_stem, symbol->value);
	return true;
}

void elf_anchor_find_units(struct elf_image *img, const char *symbol, struct elf_unit_hits *into)
{
	const char *last = strrchr(symbol, '_');
	struct neighbours search = {
		.symbol = symbol,
		.stem_n = last ? (size_t)(last - symbol) + 1 : 0,
	};
	struct bytes aranges;
	struct error *err = elf_image_section(img, ".debug_aranges", &aranges);

	if (!err)
		err = elf_symbol_visit(img, look_at, &search);
	if (err) {
		/* A hint that cannot be had is no reason to fail. */
		error_free(err);
		return;
	}
	end_of_file_group(&search);
	elf_aranges_find(aranges, search.by_stem.at, search.by_stem.n, into);
	elf_aranges_find(aranges, search.in_file.at, search.in_file.n, into);
}
