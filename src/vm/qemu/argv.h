/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A command line under construction. */
#ifndef KTSTR_VM_QEMU_ARGV_H
#define KTSTR_VM_QEMU_ARGV_H

#include "base/strbuf.h"
#include "base/vec.h"

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

#endif
