/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A module of the kernel's package, with those it needs, into a running guest. */
#ifndef KTSTR_VM_LINK_LOAD_MODULE_H
#define KTSTR_VM_LINK_LOAD_MODULE_H

#include "vm/vm.h"

/*
 * modules_dir is the kernel's, NULL when its package has none: then, and when there is no such
 * module, the error says so. One that is built in or loaded already is fine.
 */
struct error *vm_load_module(struct vm *vm, const char *modules_dir, const char *name,
			     const struct cancel *cancel) MUST_CHECK;

#endif
