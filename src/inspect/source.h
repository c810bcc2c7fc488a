/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the memory comes from that `ktstr inspect` looks at. */
#ifndef KTSTR_INSPECT_SOURCE_H
#define KTSTR_INSPECT_SOURCE_H

#include "base/error.h"
#include "kmem/core_file.h"
#include "kmem/kmem.h"
#include "vm/qemu/qmp.h"
#include "vm/run/run.h"

/* Freezes a VM of another process while it is inspected, through its second monitor. */
struct inspect_freeze {
	struct vm_qmp *qmp;
	bool stopped; /* by us, or by one that was killed */
	struct vm_run_freeze mark;
	struct vm_register_list registers;
};
#define INSPECT_FREEZE_NONE ((struct inspect_freeze){ .mark = VM_RUN_FREEZE_NONE })

struct inspect_source {
	struct physmap *map;
	struct physmap *files;	      /* of a clone: what it was copied from */
	struct kmem_core core;	      /* of a core file */
	int fd;			      /* that the core reads from; -1: none */
	struct inspect_freeze freeze; /* of a VM, if asked for */
	struct kmem_reader reader;
	struct bytes note; /* VMCOREINFO, when the source has it; borrowed from `core` */
};

/*
 *	vm:ID		a VM of `ktstr vm list`, or the beginning of its id
 *	DIR, *.json	a template, or what a VM's vm.json tells of its RAM
 *	FILE		ELF: a core file or /proc/kcore; else RAM of a machine with one node,
 *			or one of the files of a template
 */
struct error *inspect_open(const char *text, bool freeze, struct inspect_source *ret) MUST_CHECK;
/* A guest that was frozen here runs on. */
void inspect_close(struct inspect_source *source);
#define _cleanup_inspect_source_ __attribute__((cleanup(inspect_close)))
#define INSPECT_SOURCE_NONE	 ((struct inspect_source){ .fd = -1, .freeze = INSPECT_FREEZE_NONE })

/* The kernel in a source's memory, with the registers of its CPUs. */
struct inspect_kernel {
	struct kmem *kmem;
	/* By the number of the CPU: of a frozen VM or of a core file; NULL: unknown. */
	struct physmap_registers *registers;
	size_t n_registers;
	char *cache; /* directory; NULL: none is used */
};

/* The source outlives the kernel. The cache holds what was learnt of kernels that were seen. */
struct error *inspect_attach(const struct inspect_source *source, bool use_cache,
			     struct inspect_kernel *ret) MUST_CHECK;
/* What was learnt goes to the cache; one that cannot be written costs time, nothing else. */
void inspect_detach(struct inspect_kernel *kernel);
#define _cleanup_inspect_kernel_ __attribute__((cleanup(inspect_detach)))

#endif
