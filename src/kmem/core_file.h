/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ELF files that hold a machine's memory: a vmcore, what QEMU's dump-guest-memory writes,
 * /proc/kcore. Their PT_LOADs become a physmap by p_paddr; one without (-1: vmalloc and modules in
 * /proc/kcore) is reached through the page tables instead. Where two cover the same address, as
 * in /proc/kcore for the kernel's image, the first counts.
 */
#ifndef KTSTR_KMEM_CORE_FILE_H
#define KTSTR_KMEM_CORE_FILE_H

#include <sys/user.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "elf/image.h"
#include "kmem/reader.h"
#include "physmap/physmap.h"

/* The contents of one NT_PRSTATUS. */
struct kmem_core_cpu {
	/* The number of the CPU + 1 (QEMU, ktstr), or of the task that ran there (kdump). */
	uint32_t pid;
	struct user_regs_struct registers; /* rip and rsp are 0: none (/proc/kcore) */
};

struct kmem_core {
	struct physmap *map;		/* reads from the descriptor: the caller keeps it */
	VEC(struct kmem_core_cpu) cpus; /* in the order of the file */
	struct strbuf note;		/* the text of VMCOREINFO */
	bool has_note;
	uint64_t missing_bytes; /* of memory past the end of the file: it was truncated */
};

void kmem_core_deinit(struct kmem_core *core);
#define _cleanup_kmem_core_ _cleanup_(kmem_core_deinit)

/*
 * No ELF at all: ELF_NOT_ELF. Another machine: ELF_ARCH. No core: ELF_MALFORMED. Segments beyond
 * the end of the file are not refused but counted: reading there says KMEM_READ_UNREADABLE.
 */
struct error *kmem_core_read(int fd, const char *label, struct kmem_core *ret) MUST_CHECK;

#endif
