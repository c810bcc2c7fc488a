// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/qemu/machine_args.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"

void vm_argv_deinit(struct vm_argv *argv)
{
	for (size_t i = 0; i < argv->words.n; i++)
		free(argv->words.at[i]);
	vec_deinit(&argv->words);
}

void vm_argv_add(struct vm_argv *argv, const char *word)
{
	vec_push(&argv->words, xstrdup(word));
}

void vm_argv_option(struct vm_argv *argv, const char *option, const char *fmt, ...)
{
	va_list args;

	vm_argv_add(argv, option);
	va_start(args, fmt);
	vec_push(&argv->words, xvasprintf(fmt, args));
	va_end(args);
}

const char *const *vm_argv_strings(struct vm_argv *argv)
{
	vec_push(&argv->words, NULL);
	argv->words.n--;
	return (const char *const *)argv->words.at;
}

void vm_argv_append_value(struct strbuf *into, const char *text)
{
	for (; *text; text++) {
		if (*text == ',')
			strbuf_append_char(into, ',');
		strbuf_append_char(into, *text);
	}
}

void vm_argv_format(const struct vm_argv *argv, struct strbuf *into)
{
	for (size_t i = 0; i < argv->words.n; i++) {
		if (i)
			strbuf_append_char(into, ' ');
		strbuf_append(into, argv->words.at[i]);
	}
}
