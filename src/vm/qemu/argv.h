/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A command line under construction. */
#ifndef KTSTR_VM_QEMU_ARGV_H
#define KTSTR_VM_QEMU_ARGV_H

#include "base/strbuf.h"
#include "base/vec.h"

struct argv {
	VEC(char *) words; /* owned; argv_strings() ends them with NULL */
};

void argv_deinit(struct argv *argv);
void argv_add(struct argv *argv, const char *word);
/* An option and its value: "-m", "512M". */
void argv_option(struct argv *argv, const char *option, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Borrowed, NULL at the end. */
const char *const *argv_strings(struct argv *argv);
/* A text inside a value of several parts, where QEMU wants each comma twice. */
void argv_append_value(struct strbuf *into, const char *text);
/* One line for people and for keys: words joined by spaces. */
void argv_format(const struct argv *argv, struct strbuf *into);

#define _cleanup_argv_ __attribute__((cleanup(argv_deinit)))

#endif
