// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/names.h"

#include "base/alloc.h"

void kmem_names_init(struct kmem_names *names, struct kmem_space *space,
		     const struct kmem_vmcoreinfo *info)
{
	*names = (struct kmem_names){ .space = space, .info = info };
}

static void forget(struct kmem_names *names)
{
	for (size_t i = 0; i < names->known.n; i++)
		free(names->known.at[i].name);
	vec_deinit(&names->known);
}

void kmem_names_deinit(struct kmem_names *names)
{
	forget(names);
	kmem_symbols_free(names->symbols);
	names->symbols = NULL;
}

struct error *kmem_names_table(struct kmem_names *names, struct kmem_kallsyms **ret)
{
	struct error *err = NULL;

	if (!names->symbols)
		err = kmem_symbols_load(names->space, names->info, &names->symbols);
	if (!err)
		*ret = names->symbols->table;
	return err;
}

static const struct kmem_known *find_known(const struct kmem_names *names, const char *name)
{
	for (size_t i = 0; i < names->known.n; i++) {
		if (strcmp(names->known.at[i].name, name) == 0)
			return &names->known.at[i];
	}
	return NULL;
}

static void remember(struct kmem_names *names, const char *name, uint32_t number, uint64_t address)
{
	if (names->known.n < KMEM_LIMIT_KNOWN)
		vec_push(&names->known, ((struct kmem_known){ xstrdup(name), number, address }));
}

struct error *kmem_names_find(struct kmem_names *names, const char *name, uint64_t *ret)
{
	const struct kmem_known *known = find_known(names, name);
	struct kmem_kallsyms *table;
	struct kmem_symbol symbol, other;
	struct error *err;
	uint32_t number;

	if (known) {
		*ret = known->address;
		return NULL;
	}
	err = kmem_names_table(names, &table);
	if (err)
		return err;
	if (!kmem_kallsyms_number(table, name, 0, &number) ||
	    !kmem_kallsyms_at(table, number, &symbol))
		return kmem_error(KMEM_NO_SYMBOL, 0, "%s", name);
	for (uint32_t nth = 1; kmem_kallsyms_find(table, name, nth, &other); nth++) {
		if (other.address != symbol.address)
			return kmem_error(KMEM_NO_SYMBOL, 0, "%s is ambiguous: %#llx and %#llx",
					  name, (unsigned long long)symbol.address,
					  (unsigned long long)other.address);
	}
	remember(names, name, number, symbol.address);
	*ret = symbol.address;
	return NULL;
}

struct error *kmem_names_import(struct kmem_names *names, enum kmem_kallsyms_mode mode,
				const struct kmem_known *known, size_t n)
{
	unsigned int n_agree = 0, n_differ = 0;
	struct error *err = NULL;
	uint64_t told, address;
	char name[128];

	for (size_t i = 0; !err && i < n; i++) {
		err = kmem_symbols_address(names->space, names->info, mode, known[i].number,
					   &address);
		if (!err)
			remember(names, known[i].name, known[i].number, address);
	}
	for (size_t i = 0; !err && i < names->info->lines.n; i++) {
		const struct kmem_known *found;

		if (!kmem_symbols_told(names->info, i, name, sizeof(name), &told))
			continue;
		found = find_known(names, name);
		n_agree += found && found->address == told;
		n_differ += found && found->address != told;
	}
	/* As when the table is loaded: one that shares its name may be another. */
	if (!err && (n_agree < KMEM_LEAST_AGREEING || n_agree <= 2 * n_differ))
		err = kmem_error(KMEM_NO_SYMBOLS, 0, "%u are where VMCOREINFO says, %u are not",
				 n_agree, n_differ);
	if (err)
		forget(names);
	return err;
}
