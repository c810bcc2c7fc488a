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
#ifndef KTSTR_DUMP_VMCORE_H
#define KTSTR_DUMP_VMCORE_H

#include "base/cancel.h"
#include "dump/dump.h"
#include "kmem/core_file.h"
#include "kmem/reader.h"

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

/* The notes of a vmcore: what each CPU did, and VMCOREINFO. */
/* KMEM_BAD_NOTE or KMEM_UNREAD: the kernel's note is not where it was. */
struct error *dump_vmcore_notes(struct kmem *kmem, const struct dump_request *request,
				struct strbuf *into) MUST_CHECK;

/* The registers of CPUs out of the notes of a core file. */
/*
 * By the number of the CPU; those that no note tells of are `unknown`. NULL and *ret_n 0 when there
 * are none at all. A dump of a machine that ran numbers its notes; kdump writes one for each CPU
 * that was online, in their order.
 */
struct physmap_registers *dump_core_registers(const struct kmem *kmem, const struct kmem_core *core,
					      size_t *ret_n) MUST_CHECK;

/*
 * Which memory may be anything but zeros. A file says where it has data. A cloned guest is a
 * process's private copy of files: what it has touched is told by /proc/PID/pagemap, the rest is
 * still what the files hold. Reading everything instead would fill the process with pages of zeros.
 */
struct dump_stretches {
	const struct kmem_reader *reader;
	pid_t pid; /* whose pagemap is open; 0: none was tried */
	int pagemap;
};

void dump_stretches_init(struct dump_stretches *s, const struct kmem_reader *reader);
void dump_stretches_deinit(struct dump_stretches *s);

/* The next one at or after `from` that begins before `end`; false: there is no more. */
bool dump_stretches_next(struct dump_stretches *s, uint64_t from, uint64_t end, uint64_t *ret_start,
			 uint64_t *ret_end) MUST_CHECK;

#endif
