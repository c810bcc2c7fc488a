// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/modules.h"

#include <elf.h>

#include "base/alloc.h"

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
	/* The walk was stopped by an unreadable module, not by the caller. */
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

void kmem_btf_free(struct kmem_btf *btf)
{
	if (!btf)
		return;
	btf_free(btf->btf);
	free(btf->bytes);
	free(btf);
}

static struct error *xarray_form(const struct kmem *kmem, struct kmem_xarray_form *ret)
{
	const struct kmem_field *fields = kmem->fields.at;
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_XARRAY);

	if (err)
		return err;
	*ret = (struct kmem_xarray_form){
		.shift = fields[KMEM_F_XA_NODE_SHIFT].place.offset,
		.offset = fields[KMEM_F_XA_NODE_OFFSET].place.offset,
		.parent = fields[KMEM_F_XA_NODE_PARENT].place.offset,
		.slots = fields[KMEM_F_XA_NODE_SLOTS].place.offset,
		.n_slots = (uint32_t)(fields[KMEM_F_XA_NODE_SLOTS].place.size / 8),
	};
	return NULL;
}

struct error *kmem_idr(struct kmem *kmem, const char *symbol, struct kmem_walk *walk,
		       kmem_entry_fn fn, void *context)
{
	struct kmem_xarray_form form;
	uint64_t idr;
	struct error *err = xarray_form(kmem, &form);

	if (!err)
		err = kmem_symbol(kmem, symbol, &idr);
	if (!err)
		kmem_xarray(&kmem->space, &form, idr + kmem_offset(kmem, KMEM_F_IDR_HEAD), walk, fn,
			    context);
	return err;
}

struct btf_object {
	uint64_t data, size, base, kernel;
};

static struct error *read_object(struct kmem *kmem, uint64_t address, struct btf_object *ret)
{
	static const enum kmem_field_id ids[] = { KMEM_F_BTF_DATA, KMEM_F_BTF_DATA_SIZE,
						  KMEM_F_BTF_BASE };
	struct btf_object object = { 0 };
	uint64_t *into[] = { &object.data, &object.size, &object.base };
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_BTF);

	if (err)
		return err;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		enum kmem_status status = kmem_get(kmem, ids[i], address, into[i]);

		if (status != KMEM_READ_OK)
			return kmem_unread(status, address, "struct btf");
	}
	if (kmem_get(kmem, KMEM_F_BTF_KERNEL, address, &object.kernel) != KMEM_READ_OK)
		object.kernel = 0;
	*ret = object;
	return NULL;
}

/* Only one thing can be stood on: the kernel's own types, which we have. */
static struct error *check_base(struct kmem *kmem, uint64_t base)
{
	uint64_t vmlinux;
	struct error *err = kmem_variable(kmem, "btf_vmlinux", 8, &vmlinux);

	if (err)
		return err;
	if (base != vmlinux || !kmem_types(kmem))
		return kmem_error(KMEM_NO_FIELD, 0, "types based on other types than the kernel's");
	return NULL;
}

struct error *kmem_btf_load(struct kmem *kmem, uint64_t address, struct kmem_btf **ret)
{
	_cleanup_kmem_btf_ struct kmem_btf *btf = xnew(struct kmem_btf);
	struct btf_object object;
	struct error *err = read_object(kmem, address, &object);

	if (!err && object.base)
		err = check_base(kmem, object.base);
	if (!err)
		err = alloc_checked(object.size, 1, KMEM_LIMIT_BTF_BYTES, "types of the guest",
				    &btf->bytes);
	if (!err)
		err = kmem_read_exact(&kmem->space, object.data, btf->bytes, object.size,
				      "types of the guest");
	if (err)
		return err;
	/* A name is for showing: without one it is still of use. */
	if (kmem_get_text(kmem, KMEM_F_BTF_NAME, address, btf->name, sizeof(btf->name)) !=
	    KMEM_READ_OK)
		btf->name[0] = 0;
	btf->is_kernel = object.kernel != 0;
	err = btf_parse_split((struct bytes){ btf->bytes, object.size },
			      object.base ? kmem_types(kmem) : NULL,
			      btf->name[0] ? btf->name : "types of a program", &btf->btf);
	if (err)
		return err;
	*ret = take_ptr(btf);
	return NULL;
}
