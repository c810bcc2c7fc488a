/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Private copies of a template, and the template itself when it is the first. */
#ifndef KTSTR_VM_TEMPLATE_CLONE_H
#define KTSTR_VM_TEMPLATE_CLONE_H

#include "vm/state.h"

/* Everything a template depends on, in words; vm->qemu and vm->accel are set. */
struct error *clone_key(const struct vm *vm, const struct vm_spec *spec,
			uint64_t initramfs_identity, struct strbuf *into) MUST_CHECK;
/* Boots a guest, stops it and saves it under the draft. */
struct error *clone_make_template(struct template_draft *draft, struct vm *vm,
				  const struct vm_spec *spec, const struct strbuf *initramfs,
				  const struct cancel *cancel, struct template **ret) MUST_CHECK;
/* What all machines of this handle have in common. */
struct machine_plan clone_plan(const struct vm *vm);
/* Starts QEMU on vm->template, standing still. */
struct error *clone_launch(struct vm *vm) MUST_CHECK;
/* The agent's answer against what the template's said. */
struct error *clone_prove(const struct template_proof *template, const struct wire_ready *ready,
			  unsigned int cpus, uint64_t running_ns) MUST_CHECK;

#endif
