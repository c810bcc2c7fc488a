/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the tables of symbols in a guest's memory. Which way addresses are written is tried, not
 * looked up by version: the way under which the names that VMCOREINFO knows have the addresses
 * that VMCOREINFO says.
 */
#ifndef KTSTR_KMEM_KALLSYMS_LOAD_H
#define KTSTR_KMEM_KALLSYMS_LOAD_H

#include "kmem/kallsyms.h"
#include "kmem/space.h"
#include "kmem/vmcoreinfo.h"

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

/* KMEM_NO_SYMBOLS: not told where, or no way of writing agrees. KMEM_UNREAD: cannot be read. */
struct error *kmem_symbols_load(struct kmem_space *space, const struct kmem_vmcoreinfo *info,
				struct kmem_symbols **ret) MUST_CHECK;

/*
 * For whoever knows a kernel from before. The print covers names and tokens, in which numbers of
 * symbols are written; equal prints mean equal numbers. The address of a number is read out of
 * the guest: it moves with every boot.
 */
struct error *kmem_symbols_fingerprint(struct kmem_space *space, const struct kmem_vmcoreinfo *info,
				       uint64_t *ret) MUST_CHECK;
struct error *kmem_symbols_address(struct kmem_space *space, const struct kmem_vmcoreinfo *info,
				   enum kmem_kallsyms_mode mode, uint32_t number,
				   uint64_t *ret) MUST_CHECK;
/*
 * VMCOREINFO's line i tells the address of a symbol: its name into buf, which has room for `size`
 * bytes. Two of its lines hold values of variables instead; they are none.
 */
bool kmem_symbols_told(const struct kmem_vmcoreinfo *info, size_t i, char *buf, size_t size,
		       uint64_t *ret_address) MUST_CHECK;

#endif
