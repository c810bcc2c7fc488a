/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * QEMU's command line. A template and its clones must agree on everything the
 * device state speaks of, so both are made here from one plan; what may differ
 * (where RAM lies and whether it is shared, what is booted, where state comes from) are fields.
 */
#ifndef KTSTR_VM_QEMU_MACHINE_ARGS_H
#define KTSTR_VM_QEMU_MACHINE_ARGS_H

#include "topo/topology.h"
#include "vm/qemu/accel.h"
#include "vm/qemu/argv.h"
#include "vm/qemu/qemu_binary.h"

/* Numbers of the descriptors QEMU inherits. */
enum vm_machine_fd {
	VM_MACHINE_FD_QMP = 10,
	VM_MACHINE_FD_CONTROL = 11,
	VM_MACHINE_FD_DEBUG = 13,
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
	bool deterministic;
	unsigned int icount_shift; /* deterministic: nanoseconds per instruction, as a power of 2 */
};

struct error *vm_machine_args(const struct vm_machine_plan *plan, struct vm_argv *ret) MUST_CHECK;
/*
 * Only what the device state depends on: part of a template's key. The same for a template and
 * its clones.
 */
struct error *vm_machine_args_key(const struct vm_machine_plan *plan,
				  struct strbuf *into) MUST_CHECK;

#endif
