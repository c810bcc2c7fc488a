/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Telling whether an object contains jemalloc, and which. */
#ifndef KTSTR_PROBE_JEMALLOC_H
#define KTSTR_PROBE_JEMALLOC_H

#include <stdint.h>

#include "base/bytes.h"
#include "base/cancel.h"
#include "base/error.h"
#include "elf/image.h"
#include "elf/symbol.h"

/* jemalloc's struct of per-thread state, and what the two counters are called in it. */
#define PROBE_JEMALLOC_TSD_TYPE	   "tsd_s"
#define PROBE_JEMALLOC_TSD_MANGLE  "cant_access_tsd_items_directly_use_a_getter_or_setter_"
#define PROBE_JEMALLOC_ALLOCATED   PROBE_JEMALLOC_TSD_MANGLE "thread_allocated"
#define PROBE_JEMALLOC_DEALLOCATED PROBE_JEMALLOC_TSD_MANGLE "thread_deallocated"

enum { PROBE_LIMIT_JEMALLOC_VERSION = 96 };

struct probe_jemalloc_signs {
	bool any;
	/* The thread-local variable of that struct: its name is borrowed from the image. */
	bool has_symbol;
	const char *symbol_name;
	uint64_t symbol_offset; /* in the thread-local block */
	uint64_t symbol_bytes;

	bool exports_mallctl;
	char version[PROBE_LIMIT_JEMALLOC_VERSION]; /* as `5.3.0-0-g<hash>`; "" when not found */
};

/* `tsd_tls`, or a non-empty prefix and `_tsd_tls`: any --with-jemalloc-prefix. */
bool probe_jemalloc_is_tsd_symbol(const char *name, size_t n);
/* Searches read-only data for jemalloc's version; false and "" when there is none. */
bool probe_jemalloc_find_version(struct bytes rodata, char ret[PROBE_LIMIT_JEMALLOC_VERSION]);

/*
 * ret->any: the object has a sign of jemalloc. Objects without TLS never have. When no sign was
 * found and a part was not read, that is the error: of elf, or BASE_LIMIT for an object that wants
 * more memory, or more work than limits.h allows.
 */
struct error *probe_jemalloc_recognise(struct elf_image *image, const struct cancel *cancel,
				       struct probe_jemalloc_signs *ret) MUST_CHECK;
/* The variable alone, whatever its type; BASE_ABSENT, and BASE_LIMIT as above. */
struct error *probe_jemalloc_find_tsd_symbol(struct elf_image *image, const struct cancel *cancel,
					     struct elf_symbol *ret) MUST_CHECK;

/*
 * Where jemalloc's thread data lies in the initial image of an object's thread-local storage,
 * told by its initial values: each thread's block starts as a copy of that image. It needs no
 * symbols, and it holds for every configuration of jemalloc 5.2 and 5.3.
 */
enum {
	/* rtree_ctx_t: 16 entries of the direct-mapped cache and 8 of the second level. */
	PROBE_TSD_RTREE_PAIRS = 24,
	PROBE_TSD_RTREE_BYTES = PROBE_TSD_RTREE_PAIRS * 16,
	PROBE_TSD_RTREE_NO_KEY = 1, /* RTREE_LEAFKEY_INVALID */
	/* tsd_state_nominal, _nominal_slow and _nominal_recompute: 0 to 2. */
	PROBE_TSD_STATE_LAST_NOMINAL = 2,
	PROBE_TSD_STATE_UNINITIALIZED = 6,
};

struct probe_tsd_place {
	uint64_t state;	      /* offset of the state byte in the block */
	bool rtree_is_before; /* the radix tree's cache ends there (5.3); otherwise it follows (5.2)
			       */
};

/* The first max of them; how many there are in all. */
size_t probe_tsd_image_find(struct bytes image, struct probe_tsd_place *ret, size_t max);

/* Bounds of what is looked for in foreign files; those of reading them are in elf/image.h. */

/*
 * Characters of symbol names that are looked at in one object. The largest programs have some
 * hundred megabytes of names, each for one symbol; a small file may have millions of symbols that
 * all bear one very long name.
 */
#define PROBE_LIMIT_NAME_BYTES (UINT64_C(4) << 30)
/* How many symbols, or characters of names, are passed between two looks at the cancel. */
#define PROBE_CANCEL_SYMBOLS 4096
#define PROBE_CANCEL_BYTES   (UINT64_C(16) << 20)

#endif
