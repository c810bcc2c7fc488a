/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Symbols by their names. Whatever was found is remembered by its number, which is the same in
 * every boot of a kernel; so a kernel that is known from before (cache.h) can be looked at without
 * its table of symbols. The table is loaded when another name is asked for.
 */
#ifndef KTSTR_KMEM_NAMES_H
#define KTSTR_KMEM_NAMES_H

#include "base/vec.h"
#include "kmem/kallsyms_load.h"

struct kmem_known {
	char *name;
	uint32_t number; /* see kmem_kallsyms_number() */
	uint64_t address;
};

struct kmem_names {
	struct kmem_space *space; /* borrowed, as the next */
	const struct kmem_vmcoreinfo *info;
	struct kmem_symbols *symbols; /* NULL: not loaded yet */
	VEC(struct kmem_known) known; /* at most KMEM_LIMIT_KNOWN */
};

void kmem_names_init(struct kmem_names *names, struct kmem_space *space,
		     const struct kmem_vmcoreinfo *info);
void kmem_names_deinit(struct kmem_names *names);

/* The whole table, now at the latest. Borrowed. */
struct error *kmem_names_table(struct kmem_names *names, struct kmem_kallsyms **ret) MUST_CHECK;
/* KMEM_NO_SYMBOL when there is none or several share the name. */
struct error *kmem_names_find(struct kmem_names *names, const char *name, uint64_t *ret) MUST_CHECK;

/*
 * Remembers what is told of this kernel's symbols by somebody who has seen it before. Their
 * addresses are read out of the guest and must agree with VMCOREINFO, else KMEM_NO_SYMBOLS and
 * nothing is remembered.
 */
struct error *kmem_names_import(struct kmem_names *names, enum kmem_kallsyms_mode mode,
				const struct kmem_known *known, size_t n) MUST_CHECK;

#endif
