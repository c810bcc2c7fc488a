/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Guest RAM as files, one per node. A machine that boots has it on memfds: nothing
 * depends on the size of /dev/shm and nothing is written to disk while it boots.
 */
#ifndef KTSTR_VM_TEMPLATE_RAM_H
#define KTSTR_VM_TEMPLATE_RAM_H

#include "topo/topology.h"
#include "vm/error.h"

/* Enough for the kernel, the agent and the per-CPU areas, unless the topology says. */
uint64_t vm_ram_default_bytes(const struct topo *topology);

struct error *vm_ram_make_memfd(unsigned int node, uint64_t bytes, int *ret_fd) MUST_CHECK;
/*
 * Copies what is not zero; *ret_bytes is what the copy occupies. A full disk is VM_CACHE_FULL
 * with the numbers.
 */
struct error *vm_ram_copy_sparse(int from, int to, const char *to_label,
				 uint64_t *ret_bytes) MUST_CHECK;

#endif
