/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A guest's memory as an ELF vmcore, for drgn, crash and makedumpfile:
 *
 *	ELF header, program headers
 *	PT_NOTE   one NT_PRSTATUS per CPU whose registers are known, VMCOREINFO
 *	PT_LOAD…  one per range of RAM, p_paddr physical, p_vaddr in the direct map
 *
 * Pages of zeros are holes of the file: they read as the zeros that they are and take no room.
 */
#ifndef KTSTR_DUMP_VMCORE_WRITE_H
#define KTSTR_DUMP_VMCORE_WRITE_H

#include "base/cancel.h"
#include "dump/dump.h"

struct dump_vmcore {
	uint64_t bytes;	     /* of the file, holes included */
	uint64_t data_bytes; /* of memory that was written */
	size_t n_ranges;     /* of RAM */
};

/*
 * Replaces `path` whole or not at all; readable by its owner only. Memory that cannot be read is
 * KMEM_UNREAD with its address: a dump must not claim zeros. `ret` may be NULL.
 */
struct error *dump_vmcore_write(struct kmem *kmem, const struct dump_request *request,
				const struct cancel *cancel, const char *path,
				struct dump_vmcore *ret) MUST_CHECK;

#endif
