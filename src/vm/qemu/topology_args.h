/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A topology as arguments of QEMU: sockets are nodes, dies are LLCs (an Intel CPU's L3 is
 * shared by a die), and one memory backend for each node.
 */
#ifndef KTSTR_VM_QEMU_TOPOLOGY_ARGS_H
#define KTSTR_VM_QEMU_TOPOLOGY_ARGS_H

#include "topo/topology.h"
#include "vm/qemu/accel.h"
#include "vm/qemu/argv.h"
#include "vm/qemu/qemu_binary.h"

/* Everything is borrowed. */
struct vm_qemu_topology {
	const struct topo *topology;
	/* Of the whole machine; 0 when the topology tells the memory of its nodes. */
	uint64_t memory_bytes;
	const struct vm_qemu_version *version;
	const struct vm_accel *accel;
	/* The file of each node's RAM; any path QEMU can open, also /proc/self/fd/N. */
	const char *const *ram_paths;
	bool share;		   /* false: writes stay private to this QEMU */
	const char *cpu_extra;	   /* "-rdrand,-rdseed", or NULL */
	const char *machine_extra; /* more of -machine, or NULL */
};

/* Bytes of one node's backend: as told by the topology, else evenly in whole MiB. */
uint64_t vm_qemu_node_bytes(const struct topo *t, uint64_t memory_bytes, unsigned int node);
/* The highest APIC id: dies, cores and threads each take whole bits of it. */
unsigned int vm_qemu_max_apic_id(const struct topo *t);
/* Ids from 255 on need x2APIC and remapped interrupts: an IOMMU joins the machine. */
bool vm_qemu_needs_x2apic(const struct topo *t);
/*
 * The firmware for -bios; NULL is QEMU's own (SeaBIOS). qboot.rom boots faster, but does
 * not switch the CPUs to x2APIC, and a kernel ignores ids from 255 on that
 * it finds in xAPIC mode ("x2apic entry ignored").
 */
const char *vm_qemu_topology_bios(const struct topo *t);
/* What the guest's kernel has to be told because of it; "" when nothing. */
const char *vm_qemu_topology_kernel_args(const struct topo *t);

/* Adds -machine -cpu -smp -m -object -numa -device. */
struct error *vm_qemu_topology_args(const struct vm_qemu_topology *wanted,
				    struct vm_argv *argv) MUST_CHECK;

#endif
