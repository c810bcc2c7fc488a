/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of a machine's devices, out of QEMU and into it; RAM stays in its own files. */
#ifndef KTSTR_VM_TEMPLATE_DEVICE_STATE_H
#define KTSTR_VM_TEMPLATE_DEVICE_STATE_H

#include "vm/state.h"

/* The guest stands still. Returns when the file is complete. */
struct error *vm_state_save(struct vm *vm, const char *path,
			    const struct cancel *cancel) MUST_CHECK;
/*
 * Begins to load; QEMU does the rest while we go on. A state that does not fit ends QEMU. Told to
 * run while it loads, QEMU may forget it: wait for vm->loaded.
 */
struct error *vm_state_load(struct vm *vm, const char *path) MUST_CHECK;

#endif
