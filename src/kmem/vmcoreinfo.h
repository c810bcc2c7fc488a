/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * VMCOREINFO: lines of text in which a Linux kernel says where its most important things are.
 *
 *	OSRELEASE=…   KERNELOFFSET=1c00000   SYMBOL(init_uts_ns)=ffffffff9b2e2f20
 *	NUMBER(phys_base)=-247463936   SIZE(page)=64   OFFSET(list_head.next)=0
 *LENGTH(node_data)=1024
 *
 * SYMBOL and KERNELOFFSET are hexadecimal without 0x; the others decimal, signed, or with 0x.
 */
#ifndef KTSTR_KMEM_VMCOREINFO_H
#define KTSTR_KMEM_VMCOREINFO_H

#include "base/bytes.h"
#include "base/vec.h"
#include "kmem/limits.h"
#include "kmem/reader.h"

/* One line; both texts end with a NUL. */
struct kmem_note_line {
	const char *key;
	const char *value;
};

struct kmem_vmcoreinfo {
	char *text;
	VEC(struct kmem_note_line) lines; /* in the order of the text; into `text` */

	/* What every kernel that is read from outside must say. */
	const char *release;
	const char *build_id;  /* lower-case hexadecimal; NULL: not told (before Linux 5.9) */
	uint64_t page_table;   /* virtual address of the kernel's top table */
	uint64_t phys_base;    /* to be added modulo 2^64 */
	uint64_t kaslr_offset; /* 0: none */
	uint64_t encryption_mask;
	unsigned int levels; /* 4 or 5 */
};

/*
 * KMEM_BAD_NOTE when the bytes are not such a text or a needed line is missing or odd; other lines
 * are kept as they are. Of two lines with one key the first counts. Copies the bytes.
 */
struct error *kmem_vmcoreinfo_parse(struct bytes text, struct kmem_vmcoreinfo *ret) MUST_CHECK;
void kmem_vmcoreinfo_deinit(struct kmem_vmcoreinfo *info);
#define _cleanup_kmem_vmcoreinfo_ _cleanup_(kmem_vmcoreinfo_deinit)

/* NULL: no such line. `key` is the text before the "=". */
const char *kmem_vmcoreinfo_find(const struct kmem_vmcoreinfo *info, const char *key);
/* False: no such line or no number. */
bool kmem_vmcoreinfo_symbol(const struct kmem_vmcoreinfo *info, const char *name,
			    uint64_t *ret) MUST_CHECK;
bool kmem_vmcoreinfo_number(const struct kmem_vmcoreinfo *info, const char *name,
			    uint64_t *ret) MUST_CHECK;
/* The name inside SYMBOL(…), NUL-terminated into buf; false for other lines. */
bool kmem_note_line_symbol(const struct kmem_note_line *line, char *buf, size_t size,
			   uint64_t *ret_value) MUST_CHECK;

/*
 * Looks for VMCOREINFO in raw memory. The kernel puts its ELF note at the beginning of a page
 * (alloc_pages_exact() in kernel/vmcore_info.c), so one look per page is enough; holes of a file
 * are not touched. There may be several: of a kernel that ran before, of a guest in the guest, of
 * a dump in the page cache. The caller decides which one is current.
 */

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
