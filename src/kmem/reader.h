/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where bytes of a machine's physical memory come from: RAM files and processes (physmap), core
 * files (core_file.h makes a physmap of them), a buffer of a test. A reader learns whether
 * there was something to read; bytes that could not be read are never returned as 0.
 */
#ifndef KTSTR_KMEM_READER_H
#define KTSTR_KMEM_READER_H

#include "base/bytes.h"
#include "base/error.h"
#include "physmap/physmap.h"

enum kmem_status {
	KMEM_READ_OK,
	KMEM_READ_UNMAPPED,   /* the page tables have no entry for it */
	KMEM_READ_OUTSIDE,    /* its physical address is not RAM */
	KMEM_READ_UNREADABLE, /* it is RAM, but the bytes cannot be had */
	KMEM_READ_TORN,	      /* it changed while it was read */
	KMEM_READ_UNKNOWN,    /* the kernel's types do not say where it is */
};

/* "ok", "unmapped", "outside RAM", "unreadable", "torn", "unknown". */
const char *kmem_status_name(enum kmem_status status);

struct kmem_reader {
	/* All n bytes at a physical address, or a status that says why not. */
	enum kmem_status (*read)(const struct kmem_reader *reader, uint64_t physical, void *buf,
				 size_t n);
	/*
	 * The next stretch at or after `from` that may hold anything but zeros, so that holes of a
	 * file stay holes; false: there is no more.
	 */
	bool (*next_data)(const struct kmem_reader *reader, uint64_t from, uint64_t *ret_start,
			  uint64_t *ret_end);
	/* A physmap or a buffer. */
	const struct physmap *map;
	const struct physmap *data_map; /* NULL: `map` itself says where data is */
	struct bytes buffer;
	uint64_t buffer_start;
	void *context; /* for callers that install their own functions */
	/* Called with the requested range before the page around it is read. May be NULL. */
	void (*touched)(void *context, uint64_t physical, size_t n);
};

/* What they are given is borrowed. */
struct kmem_reader kmem_reader_of_physmap(const struct physmap *map);
/*
 * For a guest that was cloned: its memory is a process's private copy of files, which cannot say
 * where it has holes and would fill them when it is read. The same ranges in the files can. What
 * the guest has written since is not among them, so this is for finding what is older.
 */
struct kmem_reader kmem_reader_of_clone(const struct physmap *map, const struct physmap *files);
struct kmem_reader kmem_reader_of_bytes(struct bytes buffer, uint64_t start);

#define KMEM_ERRORS(X)                                                                          \
	X(KMEM_NO_NOTE, "no-vmcoreinfo", "no kernel found in this memory")                      \
	X(KMEM_BAD_NOTE, "bad-vmcoreinfo", "VMCOREINFO lacks or contradicts what is needed")    \
	X(KMEM_STALE_NOTE, "stale-vmcoreinfo", "the running kernel does not point to the note") \
	X(KMEM_UNREAD, "guest-memory", "memory of the guest cannot be read")                    \
	X(KMEM_NO_SYMBOLS, "no-kallsyms", "the kernel's table of symbols cannot be used")       \
	X(KMEM_NO_SYMBOL, "no-kernel-symbol", "the kernel has no such symbol")                  \
	X(KMEM_NO_FIELD, "no-kernel-field", "the kernel's types lack a member")                 \
	X(KMEM_BAD_CACHE, "bad-kernel-cache", "the cache entry of this kernel cannot be used")
DECLARE_ERROR_DOMAIN(kmem, KMEM, KMEM_ERRORS);

#endif
