/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Private copies of a template, and the template itself when it is the first. */
#ifndef KTSTR_VM_TEMPLATE_CLONE_H
#define KTSTR_VM_TEMPLATE_CLONE_H

#include "vm/state.h"

/* Everything a template depends on, in words; vm->qemu and vm->accel are set. */
struct error *vm_clone_key(const struct vm *vm, const struct vm_spec *spec,
			   uint64_t vm_initramfs_identity, struct strbuf *into) MUST_CHECK;
/* Boots a guest, stops it and saves it under the draft. */
struct error *vm_clone_make_template(struct vm_template_draft *draft, struct vm *vm,
				     const struct vm_spec *spec, const struct strbuf *initramfs,
				     const struct cancel *cancel,
				     struct vm_template **ret) MUST_CHECK;
/* What all machines of this handle have in common. */
struct vm_machine_plan vm_clone_plan(const struct vm *vm);
/* Starts QEMU on vm->template, standing still. */
struct error *vm_clone_launch(struct vm *vm) MUST_CHECK;
/* The agent's answer against what the template's said. */
struct error *vm_clone_prove(const struct vm_template_proof *template,
			     const struct wire_ready *ready, unsigned int cpus,
			     uint64_t running_ns) MUST_CHECK;

#endif
