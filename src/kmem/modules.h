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
 * `walk` tells how it ended.
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

#endif
