/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whom a page of guest RAM belongs to, from two files of that guest's kernel: /proc/iomem
 * (image, firmware, RAM) and /proc/kpageflags (what RAM is used for). The bytes are hostile.
 */
#ifndef KTSTR_TESTS_VM_PAGE_OWNER_H
#define KTSTR_TESTS_VM_PAGE_OWNER_H

#include "base/bytes.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "vm/error.h"

enum {
	PAGE_OWNER_LIMIT_RANGES = 4096,
	PAGE_OWNER_LIMIT_DEPTH = 8,
};

struct page_owner_range {
	uint64_t first, last;
	unsigned int depth; /* ranges inside others stand deeper */
	char name[64];
};

struct page_owners {
	VEC(struct page_owner_range) ranges;
	struct bytes flags; /* borrowed; 8 bytes for each page frame, may be empty */
};

/*
 * *ret is overwritten. The text of iomem is read as root: for others all its addresses are zero,
 * which is an error.
 */
struct error *page_owners_parse(const char *iomem, size_t n, struct bytes kpageflags,
				struct page_owners *ret) MUST_CHECK;
void page_owners_deinit(struct page_owners *owners);
#define _cleanup_page_owners_ __attribute__((cleanup(page_owners_deinit)))

/* "Kernel data", "System RAM: slab", "System RAM: anonymous, mmap" or "no owner". */
void page_owners_format(const struct page_owners *owners, uint64_t address, struct strbuf *into);

#endif
