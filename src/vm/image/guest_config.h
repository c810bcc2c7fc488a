/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The configuration of the guest's kernel at /boot/config-RELEASE, where libbpf looks for the
 * values of __kconfig externs and people look for everything else.
 */
#ifndef KTSTR_VM_IMAGE_GUEST_CONFIG_H
#define KTSTR_VM_IMAGE_GUEST_CONFIG_H

#include "kernel/kernel.h"
#include "vm/image/initramfs.h"

struct vm_guest_config {
	char *name; /* NULL: this kernel came without one */
	struct strbuf text;
};

/* *ret is overwritten; release it with vm_guest_config_deinit(). */
struct error *vm_guest_config_read(const struct kernel *kernel,
				   struct vm_guest_config *ret) MUST_CHECK;
void vm_guest_config_deinit(struct vm_guest_config *config);
#define _cleanup_vm_guest_config_ __attribute__((cleanup(vm_guest_config_deinit)))

/* As a file of an archive; only for one that has a name. Borrows. */
struct vm_initramfs_extra vm_guest_config_file(const struct vm_guest_config *config);
/* A line that tells configurations apart, for the key of a template. */
void vm_guest_config_key(const struct kernel *kernel, struct strbuf *into);

#endif
