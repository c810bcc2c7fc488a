/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The registers of CPUs out of the notes of a core file. */
#ifndef KTSTR_DUMP_CORE_REGISTERS_H
#define KTSTR_DUMP_CORE_REGISTERS_H

#include "dump/dump.h"
#include "kmem/core_file.h"

/*
 * By the number of the CPU; those that no note tells of are `unknown`. NULL and *ret_n 0 when there
 * are none at all. A dump of a machine that ran numbers its notes; kdump writes one for each CPU
 * that was online, in their order.
 */
struct physmap_registers *dump_core_registers(const struct kmem *kmem, const struct kmem_core *core,
					      size_t *ret_n) MUST_CHECK;

#endif
