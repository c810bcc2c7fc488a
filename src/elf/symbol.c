// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/symbol.h"

#include "elf/image_internal.h"

struct symbol_table {
	struct bytes symbols;
	struct bytes names;
};

/* BASE_ABSENT when the image has no table of this type. */
static struct error *load_table(struct elf_image *img, uint32_t type, struct symbol_table *ret)
{
	for (size_t i = 1; i < img->n_sections; i++) {
		struct elf_section *section = &img->sections[i];
		struct symbol_table table = { 0 };
		struct error *err;

		if (section->header.sh_type != type || !section->header.sh_size)
			continue;
		if (section->header.sh_link >= img->n_sections)
			return elf_error(ELF_MALFORMED, 0, "%s: %s has no string table", img->label,
					 section->name);
		err = elf_load_section(img, section, &table.symbols);
		if (err)
			return err;
		section = &img->sections[section->header.sh_link];
		if (section->header.sh_type != SHT_STRTAB)
			return elf_error(ELF_MALFORMED, 0, "%s: %s is not a string table",
					 img->label, section->name);
		err = elf_load_section(img, section, &table.names);
		if (err)
			return err;
		*ret = table;
		return NULL;
	}
	return base_error(BASE_ABSENT, 0, "%s has no symbols", img->label);
}

static size_t n_symbols(const struct symbol_table *table)
{
	return table->symbols.n / sizeof(Elf64_Sym);
}

static struct elf_symbol symbol_at(const struct symbol_table *table, size_t i)
{
	struct elf_symbol symbol = { .name = "" };
	Elf64_Sym raw;

	memcpy(&raw, table->symbols.at + i * sizeof(raw), sizeof(raw));
	/* An unterminated string does not count. */
	if (raw.st_name < table->names.n && table->names.at[table->names.n - 1] == '\0')
		symbol.name = (const char *)table->names.at + raw.st_name;
	symbol.value = raw.st_value;
	symbol.size = raw.st_size;
	symbol.type = ELF64_ST_TYPE(raw.st_info);
	symbol.bind = ELF64_ST_BIND(raw.st_info);
	symbol.shndx = raw.st_shndx;
	return symbol;
}

struct error *elf_symbol_visit(struct elf_image *img, elf_symbol_visit_fn visit, void *arg)
{
	static const uint32_t types[] = { SHT_SYMTAB, SHT_DYNSYM };

	for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
		struct symbol_table table = { 0 };
		struct error *err = load_table(img, types[t], &table);

		if (error_is(err, &base_error_domain, BASE_ABSENT)) {
			error_free(err);
			continue;
		}
		if (err)
			return err;
		for (size_t i = 1; i < n_symbols(&table); i++) {
			struct elf_symbol symbol = symbol_at(&table, i);

			if (!visit(&symbol, arg))
				return NULL;
		}
	}
	return NULL;
}

struct names_search {
	const char *const *names;
	size_t n;
	size_t n_missing;
	struct elf_symbol *ret;
	bool *ret_found;
};

static bool collect_named(const struct elf_symbol *symbol, void *arg)
{
	struct names_search *search = arg;

	if (symbol->shndx == SHN_UNDEF || !symbol->name[0])
		return true;
	for (size_t i = 0; i < search->n; i++) {
		if (search->ret_found[i] || strcmp(symbol->name, search->names[i]) != 0)
			continue;
		search->ret[i] = *symbol;
		search->ret_found[i] = true;
		search->n_missing--;
	}
	return search->n_missing > 0;
}

struct error *elf_symbol_find_all_named(struct elf_image *img, const char *const *names, size_t n,
					struct elf_symbol *ret, bool *ret_found)
{
	struct names_search search = {
		.names = names,
		.n = n,
		.n_missing = n,
		.ret = ret,
		.ret_found = ret_found,
	};

	memset(ret_found, 0, n * sizeof(*ret_found));
	return elf_symbol_visit(img, collect_named, &search);
}

struct error *elf_symbol_find_named(struct elf_image *img, const char *name, struct elf_symbol *ret)
{
	struct elf_symbol symbol;
	bool found;
	struct error *err = elf_symbol_find_all_named(img, &name, 1, &symbol, &found);

	if (err)
		return error_wrap(err, "%s", name);
	if (!found)
		return base_error(BASE_ABSENT, 0, "%s: no such symbol in .symtab or .dynsym of %s",
				  name, img->label);
	*ret = symbol;
	return NULL;
}
