// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/modules.h"

#include <elf.h>

#include "base/alloc.h"
#include "kmem/walk.h"

struct module_walk {
	struct kmem *kmem;
	struct kmem_walk *walk;
	kmem_module_fn fn;
	void *context;
};

static bool take_module(void *context, uint64_t link)
{
	const struct module_walk *w = context;
	struct kmem *kmem = w->kmem;
	struct kmem_module module = {
		.address = link - kmem_offset(kmem, KMEM_F_MODULE_LIST),
	};
	enum kmem_status status = kmem_get_text(kmem, KMEM_F_MODULE_NAME, module.address,
						module.name, sizeof(module.name));

	if (status == KMEM_READ_OK)
		status = kmem_get(kmem, KMEM_F_MODULE_BASE, module.address, &module.base);
	if (status == KMEM_READ_OK)
		status = kmem_get(kmem, KMEM_F_MODULE_SIZE, module.address, &module.size);
	if (status != KMEM_READ_OK) {
		w->walk->status = status;
		w->walk->failed = module.address;
		return false;
	}
	return w->fn(w->context, &module);
}

struct error *kmem_modules(struct kmem *kmem, struct kmem_walk *walk, kmem_module_fn fn,
			   void *context)
{
	struct module_walk w = { .kmem = kmem, .walk = walk, .fn = fn, .context = context };
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_MODULES);
	uint64_t head;

	if (!err)
		err = kmem_symbol(kmem, "modules", &head);
	if (err)
		return err;
	kmem_list(&kmem->space, head, walk, take_module, &w);
	/* It was not the caller who stopped. */
	if (walk->end == KMEM_WALK_STOPPED && walk->status != KMEM_READ_OK)
		walk->end = KMEM_WALK_UNREADABLE;
	return NULL;
}

struct module_table {
	uint64_t n, symtab, strtab, typetab;
};

static struct error *find_table(struct kmem *kmem, const struct kmem_module *module,
				struct module_table *ret)
{
	static const enum kmem_field_id ids[] = { KMEM_F_MOD_KALLSYMS_N, KMEM_F_MOD_KALLSYMS_SYMTAB,
						  KMEM_F_MOD_KALLSYMS_STRTAB,
						  KMEM_F_MOD_KALLSYMS_TYPETAB };
	struct module_table table = { 0 };
	uint64_t *into[] = { &table.n, &table.symtab, &table.strtab, &table.typetab };
	uint64_t kallsyms;
	enum kmem_status status = kmem_get(kmem, KMEM_F_MODULE_KALLSYMS, module->address,
					   &kallsyms);

	for (size_t i = 0; status == KMEM_READ_OK && i < ARRAY_SIZE(ids); i++)
		status = kmem_get(kmem, ids[i], kallsyms, into[i]);
	if (status != KMEM_READ_OK)
		return error_wrap(kmem_unread(status, module->address, "its symbols"), "module %s",
				  module->name);
	if (table.n > KMEM_LIMIT_MODULE_SYMBOLS)
		return base_error(BASE_LIMIT, 0, "module %s claims %llu symbols", module->name,
				  (unsigned long long)table.n);
	*ret = table;
	return NULL;
}

struct error *kmem_module_symbols(struct kmem *kmem, const struct kmem_module *module,
				  kmem_module_symbol_fn fn, void *context)
{
	_cleanup_free_ void *symbols = NULL, *kinds = NULL;
	struct module_table table = { 0 };
	struct error *err = find_table(kmem, module, &table);

	if (!err)
		err = alloc_checked(table.n, sizeof(Elf64_Sym),
				    KMEM_LIMIT_MODULE_SYMBOLS * sizeof(Elf64_Sym), module->name,
				    &symbols);
	if (!err)
		err = alloc_checked(table.n, 1, KMEM_LIMIT_MODULE_SYMBOLS, module->name, &kinds);
	if (!err)
		err = kmem_read_exact(&kmem->space, table.symtab, symbols,
				      table.n * sizeof(Elf64_Sym), module->name);
	if (!err)
		err = kmem_read_exact(&kmem->space, table.typetab, kinds, table.n, module->name);
	/* Entry 0 of an ELF table is none. */
	for (uint64_t i = 1; !err && i < table.n; i++) {
		const Elf64_Sym *entry = (const Elf64_Sym *)symbols + i;
		struct kmem_symbol symbol = { .address = entry->st_value,
					      .bytes = entry->st_size,
					      .kind = ((const char *)kinds)[i] };
		uint64_t at = table.strtab + entry->st_name;
		enum kmem_status status = kmem_read_text(&kmem->space, at, symbol.name,
							 sizeof(symbol.name));

		if (status != KMEM_READ_OK)
			return kmem_unread(status, at, module->name);
		if (!fn(context, &symbol))
			break;
	}
	return err;
}
