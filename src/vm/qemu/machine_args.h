/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * QEMU's command line. A template and its clones must agree on everything the
 * device state speaks of, so both are made here from one plan; what may differ
 * (where RAM lies and whether it is shared, what is booted, where state comes from) are fields.
 */
#ifndef KTSTR_VM_QEMU_MACHINE_ARGS_H
#define KTSTR_VM_QEMU_MACHINE_ARGS_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "topo/topology.h"
#include "vm/clock.h"
#include "vm/qemu/accel.h"
#include "vm/qemu/qemu_binary.h"

/* A command line under construction. */

struct vm_argv {
	VEC(char *) words; /* owned; vm_argv_strings() ends them with NULL */
};

void vm_argv_deinit(struct vm_argv *argv);
void vm_argv_add(struct vm_argv *argv, const char *word);
/* An option and its value: "-m", "512M". */
void vm_argv_option(struct vm_argv *argv, const char *option, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* Borrowed, NULL at the end. */
const char *const *vm_argv_strings(struct vm_argv *argv);
/* A text inside a value of several parts, where QEMU wants each comma twice. */
void vm_argv_append_value(struct strbuf *into, const char *text);
/* One line for people and for keys: words joined by spaces. */
void vm_argv_format(const struct vm_argv *argv, struct strbuf *into);

#define _cleanup_vm_argv_ __attribute__((cleanup(vm_argv_deinit)))

/* Numbers of the descriptors QEMU inherits. */
enum vm_machine_fd {
	VM_MACHINE_FD_QMP = 10,
	VM_MACHINE_FD_CONTROL = 11, /* to the agent; with a virtual clock to the plugin */
	VM_MACHINE_FD_RING = 12,    /* of events; virtual clock */
	VM_MACHINE_FD_PLUGIN = 13,
	VM_MACHINE_FD_CONSOLE = 14,
	VM_MACHINE_FD_INITRD = 15,
	VM_MACHINE_FD_RAM = 16, /* and one more for each further node */
};

struct vm_machine_plan {
	const struct vm_qemu_binary *qemu;
	const struct vm_accel *accel;
	struct topo topology;
	uint64_t memory_bytes; /* where the topology tells its own: the same, or 0 */
	/* One per node; NULL: the descriptor VM_MACHINE_FD_RAM + node. */
	const char *const *ram_paths;
	bool ram_private;
	/* What a cold machine boots, with VM_MACHINE_FD_INITRD; NULL in a clone. */
	const char *kernel_path;
	const char *kernel_args;
	bool incoming;		    /* a clone: stands still and waits for its state */
	const char *monitor_socket; /* a second monitor for others; NULL: none */
	enum vm_clock_kind clock;
	unsigned int icount_shift; /* virtual: nanoseconds per instruction, as a power of 2 */
	uint64_t seed;		   /* virtual */
};

struct error *vm_machine_args(const struct vm_machine_plan *plan, struct vm_argv *ret) MUST_CHECK;
/*
 * Only what the device state depends on: part of a template's key. The same for a template and
 * its clones.
 */
struct error *vm_machine_args_key(const struct vm_machine_plan *plan,
				  struct strbuf *into) MUST_CHECK;

/*
 * A topology as arguments of QEMU: sockets are nodes, dies are LLCs (an Intel CPU's L3 is
 * shared by a die), and one memory backend for each node.
 */

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
/* Kernel arguments that the topology needs; "" when none. */
const char *vm_qemu_topology_kernel_args(const struct topo *t);

/* Adds -machine -cpu -smp -m -object -numa -device. */
struct error *vm_qemu_topology_args(const struct vm_machine_plan *plan,
				    struct vm_argv *argv) MUST_CHECK;

#endif
