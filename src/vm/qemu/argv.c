// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/qemu/argv.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"

void argv_deinit(struct argv *argv)
{
	for (size_t i = 0; i < argv->words.n; i++)
		free(argv->words.at[i]);
	vec_deinit(&argv->words);
}

void argv_add(struct argv *argv, const char *word)
{
	vec_push(&argv->words, xstrdup(word));
}

void argv_option(struct argv *argv, const char *option, const char *fmt, ...)
{
	va_list args;

	argv_add(argv, option);
	va_start(args, fmt);
	vec_push(&argv->words, xvasprintf(fmt, args));
	va_end(args);
}

const char *const *argv_strings(struct argv *argv)
{
	vec_push(&argv->words, NULL);
	argv->words.n--;
	return (const char *const *)argv->words.at;
}

void argv_append_value(struct strbuf *into, const char *text)
{
	for (; *text; text++) {
		if (*text == ',')
			strbuf_append_char(into, ',');
		strbuf_append_char(into, *text);
	}
}

void argv_format(const struct argv *argv, struct strbuf *into)
{
	for (size_t i = 0; i < argv->words.n; i++) {
		if (i)
			strbuf_append_char(into, ' ');
		strbuf_append(into, argv->words.at[i]);
	}
}
