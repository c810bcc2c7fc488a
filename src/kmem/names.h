/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Symbols by their names. Whatever was found is remembered by its number, which is the same in
 * every boot of a kernel; so a kernel that is known from before (cache.h) can be looked at without
 * its table of symbols. The table is loaded when another name is asked for.
 */
#ifndef KTSTR_KMEM_NAMES_H
#define KTSTR_KMEM_NAMES_H

#include "base/vec.h"
#include "kmem/kallsyms.h"
#include "kmem/space.h"
#include "kmem/vmcoreinfo.h"

/*
 * Finds the tables of symbols in a guest's memory. Which way addresses are written is tried, not
 * looked up by version: the way under which the names that VMCOREINFO knows have the addresses
 * that VMCOREINFO says.
 */

enum {
	/* So many of VMCOREINFO's symbols must be where it says; fewer prove nothing. */
	KMEM_LEAST_AGREEING = 3,
};

struct kmem_symbols {
	struct kmem_kallsyms *table;
	unsigned int n_agree; /* names of VMCOREINFO with the address that it says */
	/* What the table borrows. */
	void *names, *tokens, *places, *order;
	uint8_t token_index[512];
};

void kmem_symbols_free(struct kmem_symbols *symbols);
DEFINE_CLEANUP(kmem_symbols, struct kmem_symbols *, NULL, kmem_symbols_free);
#define _cleanup_kmem_symbols_ _cleanup_(cleanup_kmem_symbols)

/* KMEM_NO_SYMBOLS: location unknown, or no encoding fits. KMEM_UNREAD: cannot be read. */
struct error *kmem_symbols_load(struct kmem_space *space, const struct kmem_vmcoreinfo *info,
				struct kmem_symbols **ret) MUST_CHECK;

/*
 * For a cached kernel. The fingerprint covers names and tokens, in which numbers of
 * symbols are written; equal prints mean equal numbers.
 */
struct error *kmem_symbols_fingerprint(struct kmem_space *space, const struct kmem_vmcoreinfo *info,
				       uint64_t *ret) MUST_CHECK;
/*
 * VMCOREINFO's line i tells the address of a symbol: its name into buf, which has room for `size`
 * bytes. Two of its lines hold values of variables instead; they are none.
 */
bool kmem_symbols_told(const struct kmem_vmcoreinfo *info, size_t i, char *buf, size_t size,
		       uint64_t *ret_address) MUST_CHECK;

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
 * Imports what a cache file says about this kernel's symbols. Their
 * addresses are read out of the guest and must agree with VMCOREINFO, else KMEM_NO_SYMBOLS and
 * nothing is remembered.
 */
struct error *kmem_names_import(struct kmem_names *names, enum kmem_kallsyms_mode mode,
				const struct kmem_known *known, size_t n) MUST_CHECK;

#endif
