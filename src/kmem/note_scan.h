/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looks for VMCOREINFO in raw memory. The kernel puts its ELF note at the beginning of a page
 * (alloc_pages_exact() in kernel/vmcore_info.c), so one look per page is enough; holes of a file
 * are not touched. There may be several: of a kernel that ran before, of a guest in the guest, of
 * a dump in the page cache. Whoever asks decides which one is alive.
 */
#ifndef KTSTR_KMEM_NOTE_SCAN_H
#define KTSTR_KMEM_NOTE_SCAN_H

#include "kmem/error.h"
#include "kmem/limits.h"
#include "kmem/reader.h"

enum { KMEM_NOTE_HEADER_BYTES = 24 };

struct kmem_note {
	uint64_t physical; /* of the note's first byte */
	size_t n;
	uint8_t text[KMEM_LIMIT_NOTE_BYTES];
};

struct kmem_note_scan {
	const struct kmem_reader *reader;
	uint64_t next;	       /* where to go on */
	uint64_t looked_bytes; /* so far */
	uint64_t n_unreadable; /* pages passed over */
	uint8_t *chunk;
};

void kmem_note_scan_init(struct kmem_note_scan *scan, const struct kmem_reader *reader);
void kmem_note_scan_deinit(struct kmem_note_scan *scan);
#define _cleanup_kmem_note_scan_ _cleanup_(kmem_note_scan_deinit)

/* The next candidate; *ret_found false: the memory ends. BASE_LIMIT: too much is unreadable. */
struct error *kmem_note_scan_next(struct kmem_note_scan *scan, struct kmem_note *ret,
				  bool *ret_found) MUST_CHECK;

#endif
