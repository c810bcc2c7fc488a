/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The modules of a kernel and their symbols. */
#ifndef KTSTR_KMEM_MODULES_H
#define KTSTR_KMEM_MODULES_H

#include "kmem/kmem.h"
#include "kmem/walk.h"

struct kmem_module {
	uint64_t address;    /* of its struct module */
	uint64_t base, size; /* of its code */
	char name[64];
};

/* False stops. */
typedef bool (*kmem_module_fn)(void *context, const struct kmem_module *module);

/*
 * All modules, in the kernel's order. KMEM_NO_FIELD when its types do not say how; otherwise
 * `walk` says how it ended.
 */
struct error *kmem_modules(struct kmem *kmem, struct kmem_walk *walk, kmem_module_fn fn,
			   void *context) MUST_CHECK;

/* False stops. `bytes` is the symbol's own size, 0 when it has none. */
typedef bool (*kmem_module_symbol_fn)(void *context, const struct kmem_symbol *symbol);

/*
 * The symbols that the module has kept (CONFIG_KALLSYMS), in the order of its table. A name that
 * cannot be read ends it, and so does a number that no module has.
 */
struct error *kmem_module_symbols(struct kmem *kmem, const struct kmem_module *module,
				  kmem_module_symbol_fn fn, void *context) MUST_CHECK;

/*
 * Types that came into the kernel later: of modules and of BPF programs (struct btf, listed in
 * btf_idr). Those of modules have the kernel's as their base.
 */

struct kmem_btf {
	struct btf *btf;
	void *bytes;	/* what it borrows */
	char name[64];	/* "vmlinux", a module's; "" for a program's */
	bool is_kernel; /* of the kernel or a module */
};

void kmem_btf_free(struct kmem_btf *btf);
DEFINE_CLEANUP(kmem_btf, struct kmem_btf *, NULL, kmem_btf_free);
#define _cleanup_kmem_btf_ _cleanup_(cleanup_kmem_btf)

/*
 * The types of a struct btf. The base of split BTF is kmem_types(), which must outlive
 * *ret; any other base is KMEM_NO_FIELD.
 */
struct error *kmem_btf_load(struct kmem *kmem, uint64_t address, struct kmem_btf **ret) MUST_CHECK;

/* All that an IDR holds, each id with an address: `symbol` is its name, "btf_idr", "map_idr". */
struct error *kmem_idr(struct kmem *kmem, const char *symbol, struct kmem_walk *walk,
		       kmem_entry_fn fn, void *context) MUST_CHECK;

#endif
