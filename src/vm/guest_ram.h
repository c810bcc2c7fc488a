/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Guest RAM as the host can read it while the guest runs. A machine that booted
 * has it on memory files of ours; a clone's is private to its QEMU and read from there.
 */
#ifndef KTSTR_VM_GUEST_RAM_H
#define KTSTR_VM_GUEST_RAM_H

#include "physmap/physmap.h"
#include "vm/run/run_info.h"
#include "vm/state.h"

/* A clone: where QEMU has mapped the files of the template. Before anything else here. */
struct error *vm_guest_ram_locate(struct vm *vm) MUST_CHECK;
/* The map that reads this guest; the caller owns it, the files in it stay the handle's. */
struct error *vm_guest_ram_map(const struct vm *vm, struct physmap **ret) MUST_CHECK;
/* The same in words for other processes. */
struct error *vm_guest_ram_describe(const struct vm *vm, struct vm_run_info *info) MUST_CHECK;
/*
 * Before a clone runs: its RAM holds the page with the nonce where the template's agent said.
 * VM_CLONE when not.
 */
struct error *vm_guest_ram_check_nonce(const struct vm *vm,
				       const struct vm_template_proof *proof) MUST_CHECK;

#endif
