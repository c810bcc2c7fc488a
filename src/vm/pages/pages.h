/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pages of a guest's RAM, for those who look for the difference between two runs. */
#ifndef KTSTR_VM_PAGES_PAGES_H
#define KTSTR_VM_PAGES_PAGES_H

#include "base/bytes.h"
#include "base/vec.h"
#include "vm/vm.h"

/*
 * The pages of a clone that stands still which it has written since it left its template, as text,
 * a line for each: address, hash, owner, which the guest is asked for after its pages were read. It
 * is then no longer what it was.
 */
struct error *vm_pages_format(struct vm *vm, const struct cancel *cancel,
			      struct strbuf *into) MUST_CHECK;

/*
 * Whom a page belongs to, from two files of the guest's kernel: /proc/iomem (image, firmware, RAM)
 * and /proc/kpageflags (what RAM is used for). The bytes are hostile.
 */

enum {
	VM_LIMIT_PAGE_OWNER_RANGES = 4096,
	VM_LIMIT_PAGE_OWNER_DEPTH = 8,
};

struct vm_page_owner_range {
	uint64_t first, last;
	unsigned int depth; /* ranges inside others stand deeper */
	char name[64];
};

struct vm_page_owners {
	VEC(struct vm_page_owner_range) ranges;
	struct bytes flags; /* borrowed; 8 bytes for each page frame, may be empty */
};

/*
 * *ret is overwritten. The text of iomem is read as root: for others all its addresses are zero,
 * which is an error.
 */
struct error *vm_page_owners_parse(const char *iomem, size_t n, struct bytes kpageflags,
				   struct vm_page_owners *ret) MUST_CHECK;
void vm_page_owners_deinit(struct vm_page_owners *owners);
#define _cleanup_vm_page_owners_ __attribute__((cleanup(vm_page_owners_deinit)))

/* "Kernel data", "System RAM: slab", "System RAM: anonymous, mmap" or "no owner". */
void vm_page_owners_format(const struct vm_page_owners *owners, uint64_t address,
			   struct strbuf *into);

#endif
