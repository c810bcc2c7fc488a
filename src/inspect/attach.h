/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel in a source's memory, with the registers of its CPUs. */
#ifndef KTSTR_INSPECT_ATTACH_H
#define KTSTR_INSPECT_ATTACH_H

#include "inspect/source.h"

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
