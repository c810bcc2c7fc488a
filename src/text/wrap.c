// SPDX-License-Identifier: LGPL-2.1-or-later
#include "text/wrap.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "text/width.h"

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
