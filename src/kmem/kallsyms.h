/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's own table of symbols, from the bytes of its tables (scripts/kallsyms.c writes
 * them). Names are compressed with 256 tokens. Addresses are written in one of four ways; which
 * one is not written anywhere, see kallsyms_load.h.
 */
#ifndef KTSTR_KMEM_KALLSYMS_H
#define KTSTR_KMEM_KALLSYMS_H

#include "base/bytes.h"
#include "kmem/reader.h"
#include "kmem/limits.h"

enum kmem_kallsyms_mode {
	KMEM_KALLSYMS_PLACE,	/* &offsets[i] + signed offsets[i]: after Linux 6.19 */
	KMEM_KALLSYMS_RELATIVE, /* base + unsigned offsets[i]: since 6.15 */
	KMEM_KALLSYMS_PERCPU,	/* positive: itself; negative: base - 1 - offsets[i]: before */
	KMEM_KALLSYMS_ABSOLUTE, /* eight bytes each, without CONFIG_KALLSYMS_BASE_RELATIVE */
	KMEM_KALLSYMS_N_MODES,
};

struct kmem_kallsyms_tables {
	uint32_t n;
	struct bytes names;	  /* may be longer than needed */
	struct bytes tokens;	  /* token_table; may be longer */
	struct bytes token_index; /* 256 * 2 bytes */
	struct bytes places;	  /* n times 4 bytes, or 8 for KMEM_KALLSYMS_ABSOLUTE */
	struct bytes order;	  /* n times 3 bytes: by name; empty: there is none (before 6.2) */
	uint64_t places_at;	  /* address of `places` */
	uint64_t relative_base;
};

struct kmem_symbol {
	uint64_t address;
	uint64_t bytes; /* to the next symbol; 0: none follows */
	char kind;	/* the letter that nm prints */
	char name[KMEM_LIMIT_SYMBOL_CHARS];
};

struct kmem_kallsyms;

/*
 * Walks all names once. The bytes are borrowed. KMEM_NO_SYMBOLS when they contradict each other.
 * An order that is not a sorted permutation is ignored; the first search then sorts the names.
 */
struct error *kmem_kallsyms_parse(const struct kmem_kallsyms_tables *tables,
				  struct kmem_kallsyms **ret) MUST_CHECK;
void kmem_kallsyms_free(struct kmem_kallsyms *k);
DEFINE_CLEANUP(kmem_kallsyms, struct kmem_kallsyms *, NULL, kmem_kallsyms_free);
#define _cleanup_kmem_kallsyms_ _cleanup_(cleanup_kmem_kallsyms)

/* False: the tables are too short for it. */
bool kmem_kallsyms_set_mode(struct kmem_kallsyms *k, enum kmem_kallsyms_mode mode) MUST_CHECK;
enum kmem_kallsyms_mode kmem_kallsyms_mode(const struct kmem_kallsyms *k);
uint32_t kmem_kallsyms_n(const struct kmem_kallsyms *k);
bool kmem_kallsyms_has_order(const struct kmem_kallsyms *k);

/* Symbol i in the order of addresses; false: there is none, or its name is too long. */
bool kmem_kallsyms_at(const struct kmem_kallsyms *k, uint32_t i,
		      struct kmem_symbol *ret) MUST_CHECK;
/*
 * Number `nth` (from 0) of those with that name, in no particular order: static functions share
 * names. False: there are not so many.
 */
bool kmem_kallsyms_find(struct kmem_kallsyms *k, const char *name, uint32_t nth,
			struct kmem_symbol *ret) MUST_CHECK;
/* Its number in the order of addresses; the same in every boot of a kernel. */
bool kmem_kallsyms_number(struct kmem_kallsyms *k, const char *name, uint32_t nth,
			  uint32_t *ret) MUST_CHECK;
/* The address of symbol i, of which `raw` is written at places_at + i * its width. */
uint64_t kmem_kallsyms_address(enum kmem_kallsyms_mode mode, uint64_t places_at,
			       uint64_t relative_base, uint32_t i, uint64_t raw);
/* The first symbol of the highest address not above this one. False: it is below all. */
bool kmem_kallsyms_near(const struct kmem_kallsyms *k, uint64_t address,
			struct kmem_symbol *ret) MUST_CHECK;

#endif
