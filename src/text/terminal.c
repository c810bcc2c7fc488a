// SPDX-License-Identifier: LGPL-2.1-or-later
#include "text/terminal.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/utf8.h"

bool text_terminal_is(int fd)
{
	return isatty(fd) == 1;
}

size_t text_terminal_columns(int fd)
{
	struct winsize size;

	if (!text_terminal_is(fd) || ioctl(fd, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

bool text_terminal_has_colour(int fd)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (!text_terminal_is(fd) || (no_color && *no_color))
		return false;
	return term && *term && strcmp(term, "dumb") != 0;
}

/* 0 for combining marks, 2 for wide ones, -1 if it is not printable. */
static int codepoint_width(uint32_t codepoint)
{
	static locale_t utf8;
	locale_t before;
	int width;

	if (codepoint >= 0x20 && codepoint < 0x7f)
		return 1;
	/* wcwidth() knows nothing beyond ASCII in the C locale, which programs start in. */
	if (!utf8)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
	if (!utf8)
		return codepoint < 0xa0 ? -1 : 1;
	before = uselocale(utf8);
	width = wcwidth((wchar_t)codepoint);
	uselocale(before);
	return width;
}

static size_t next_width(const char *s, size_t n, size_t *ret_bytes)
{
	uint32_t codepoint;
	size_t bytes = utf8_decode(s, n, &codepoint);
	int width = bytes ? codepoint_width(codepoint) : -1;

	*ret_bytes = bytes ? bytes : 1;
	return width < 0 ? 1 : (size_t)width;
}

size_t text_width(const char *s)
{
	size_t n = strlen(s), width = 0, bytes;

	for (size_t i = 0; i < n; i += bytes)
		width += next_width(s + i, n - i, &bytes);
	return width;
}

size_t text_prefix(const char *s, size_t columns)
{
	size_t n = strlen(s), used = 0, i = 0, bytes;

	while (i < n) {
		used += next_width(s + i, n - i, &bytes);
		if (used > columns)
			break;
		i += bytes;
	}
	return i;
}

void text_wrap(struct strbuf *into, const char *text, size_t indent, size_t columns)
{
	size_t at = indent;
	bool line_start = true, indented = true;

	while (*text) {
		_cleanup_free_ char *word = NULL;
		size_t n, width;

		if (*text == '\n') {
			strbuf_append_char(into, '\n');
			at = indent;
			line_start = true;
			indented = false;
			text++;
			continue;
		}
		if (*text == ' ') {
			text++;
			continue;
		}
		n = strcspn(text, " \n");
		word = xstrndup(text, n);
		width = text_width(word);
		if (!line_start && at + 1 + width > columns) {
			strbuf_append_char(into, '\n');
			at = indent;
			line_start = true;
			indented = false;
		}
		if (!line_start) {
			strbuf_append_char(into, ' ');
			at++;
		} else if (!indented) {
			/* Only in front of a word, so that empty lines hold no blanks. */
			strbuf_append_repeated(into, ' ', indent);
			indented = true;
		}
		strbuf_append(into, word);
		at += width;
		line_start = false;
		text += n;
	}
}
