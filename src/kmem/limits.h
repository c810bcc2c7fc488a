/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of this room. Real kernels stay far below; a hostile guest gets no further. */
#ifndef KTSTR_KMEM_LIMITS_H
#define KTSTR_KMEM_LIMITS_H

enum {
	KMEM_PAGE_BYTES = 4096,
	/* Physical pages kept, and translations kept. Powers of two. */
	KMEM_CACHED_PAGES = 256,
	KMEM_CACHED_TRANSLATIONS = 256,

	/* The text of VMCOREINFO: the kernel gives it one page. */
	KMEM_LIMIT_NOTE_BYTES = 4096,
	KMEM_LIMIT_NOTE_LINES = 1024,
	/*
	 * Notes that turn out not to be of the running kernel: of any kind, and those whose symbols
	 * had to be read to see it.
	 */
	KMEM_LIMIT_CANDIDATES = 4096,
	KMEM_LIMIT_LIKELY_CANDIDATES = 8,
	/* Pages passed over in a search because they cannot be read. */
	KMEM_LIMIT_UNREADABLE_PAGES = 1 << 18,
	/* Of a core file. */
	KMEM_LIMIT_PROGRAM_HEADERS = 1 << 17,
	KMEM_LIMIT_OVERLAPS = 1 << 20,
	KMEM_LIMIT_NOTES_BYTES = 16 << 20,

	KMEM_LIMIT_SYMBOLS = 1 << 20,
	KMEM_LIMIT_NAMES_BYTES = 32 << 20,
	/* Names in full, when they have to be sorted here. */
	KMEM_LIMIT_SORTED_BYTES = 32 << 20,
	KMEM_LIMIT_TOKENS_BYTES = 64 << 10,
	/* KSYM_NAME_LEN with the letter of the kind, since Linux 6.1 (128 before). */
	KMEM_LIMIT_SYMBOL_CHARS = 513,

	/* Symbols that are remembered by name, and what is kept of one kernel in a file. */
	KMEM_LIMIT_KNOWN = 256,
	KMEM_LIMIT_BUILD_ID = 64,
	KMEM_LIMIT_CACHE_BYTES = 1 << 20,
	KMEM_LIMIT_CACHE_FILES = 64,

	KMEM_LIMIT_MODULE_SYMBOLS = 1 << 18,

	KMEM_LIMIT_CPUS = 8192,
	KMEM_LIMIT_BTF_BYTES = 64 << 20,

	/* Steps of one walk, unless the caller wants fewer. */
	KMEM_LIMIT_WALK = 1 << 20,
	KMEM_LIMIT_XARRAY_DEPTH = 11,
	/* A table that grows has one more behind it, rarely two. */
	KMEM_LIMIT_TABLES = 8,
	KMEM_LIMIT_BUCKETS = 1 << 20,
};

#endif
