// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/shell_word.h"

#include <string.h>

static bool is_plain(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./:@%+,=";

	/* A first '=' means something to zsh. */
	return *text && *text != '=' && !text[strspn(text, plain)];
}

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

static bool has_control(const char *text)
{
	for (; *text; text++)
		if (is_control(*text))
			return true;
	return false;
}

static void append_escaped(struct strbuf *into, const char *text)
{
	strbuf_append(into, "$'");
	for (; *text; text++) {
		if (is_control(*text))
			strbuf_appendf(into, "\\%03o", (unsigned int)(unsigned char)*text);
		else if (*text == '\'' || *text == '\\')
			strbuf_appendf(into, "\\%c", *text);
		else
			strbuf_append_char(into, *text);
	}
	strbuf_append_char(into, '\'');
}

void shell_append_word(struct strbuf *into, const char *text)
{
	if (is_plain(text)) {
		strbuf_append(into, text);
		return;
	}
	if (has_control(text)) {
		append_escaped(into, text);
		return;
	}
	strbuf_append_char(into, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			strbuf_append(into, "'\\''");
		else
			strbuf_append_char(into, *text);
	}
	strbuf_append_char(into, '\'');
}

void shell_append_path(struct strbuf *into, const char *path)
{
	_cleanup_strbuf_ struct strbuf safe = STRBUF_INIT;

	if (*path == '-')
		strbuf_append(&safe, "./");
	strbuf_append(&safe, path);
	shell_append_word(into, strbuf_str(&safe));
}
