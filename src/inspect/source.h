/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the memory comes from that `ktstr inspect` looks at. */
#ifndef KTSTR_INSPECT_SOURCE_H
#define KTSTR_INSPECT_SOURCE_H

#include "inspect/freeze.h"
#include "kmem/core_file.h"
#include "kmem/kmem.h"

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

#endif
