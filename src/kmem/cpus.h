/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The guest's CPUs and where each keeps its own copy of a per-CPU variable: symbol +
 * __per_cpu_offset[cpu], modulo 2^64, in every version. Entries of CPUs that are not possible hold
 * something all the same: ask the mask.
 */
#ifndef KTSTR_KMEM_CPUS_H
#define KTSTR_KMEM_CPUS_H

#include "kmem/names.h"
#include "kmem/space.h"

struct kmem_cpus {
	uint32_t n; /* nr_cpu_ids: numbers run from 0 to n - 1 */
	uint64_t *offsets;
	uint64_t *possible, *online; /* bit masks */
};

struct error *kmem_cpus_read(struct kmem_space *space, struct kmem_names *names,
			     struct kmem_cpus *ret) MUST_CHECK;
void kmem_cpus_deinit(struct kmem_cpus *cpus);

bool kmem_cpus_is_possible(const struct kmem_cpus *cpus, uint32_t cpu);
bool kmem_cpus_is_online(const struct kmem_cpus *cpus, uint32_t cpu);
/* Of a per-CPU symbol or of a pointer that alloc_percpu() gave. False: no such CPU. */
bool kmem_cpus_address(const struct kmem_cpus *cpus, uint32_t cpu, uint64_t address,
		       uint64_t *ret) MUST_CHECK;

#endif
