// SPDX-License-Identifier: LGPL-2.1-or-later
#include "text/escape.h"

#include <string.h>

#include "base/utf8.h"

static bool is_control(uint32_t codepoint)
{
	return codepoint < 0x20 || (codepoint >= 0x7f && codepoint < 0xa0);
}

/* Direction marks and overrides, line and paragraph separators, the byte order mark. */
static bool moves_text(uint32_t codepoint)
{
	return codepoint == 0x61c || (codepoint >= 0x200e && codepoint <= 0x200f) ||
	       (codepoint >= 0x2028 && codepoint <= 0x202e) ||
	       (codepoint >= 0x2066 && codepoint <= 0x2069) || codepoint == 0xfeff;
}

void text_escape_bytes(struct strbuf *into, const char *foreign, size_t n)
{
	for (size_t i = 0; i < n;) {
		uint32_t codepoint;
		size_t bytes = utf8_decode(foreign + i, n - i, &codepoint);

		if (bytes == 0) {
			strbuf_appendf(into, "\\x%02x", (uint8_t)foreign[i]);
			i++;
			continue;
		}
		if (codepoint == '\n')
			strbuf_append(into, "\\n");
		else if (codepoint == '\t')
			strbuf_append(into, "\\t");
		else if (codepoint == '\r')
			strbuf_append(into, "\\r");
		else if (is_control(codepoint))
			strbuf_appendf(into, "\\x%02x", codepoint);
		else if (moves_text(codepoint))
			strbuf_appendf(into, "\\u%04x", codepoint);
		else
			strbuf_append_bytes(into, foreign + i, bytes);
		i += bytes;
	}
}

void text_escape(struct strbuf *into, const char *foreign)
{
	text_escape_bytes(into, foreign, strlen(foreign));
}

static void append_bytes(struct strbuf *into, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		strbuf_appendf(into, "\\x%02x", (uint8_t)bytes[i]);
}

static bool stands_for_itself(uint32_t codepoint)
{
	return codepoint >= 0x20 && (codepoint < 0x7f || codepoint >= 0xa0) &&
	       codepoint != 0x2028 && codepoint != 0x2029 && codepoint != 0xfffe &&
	       codepoint != 0xffff;
}

void text_escape_name(struct strbuf *into, const char *name, const char *forbidden)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < n;) {
		bool edge = i == 0 || i + 1 == n;
		uint32_t codepoint;
		size_t bytes = utf8_decode(name + i, n - i, &codepoint);

		if (bytes == 0)
			append_bytes(into, name + i, bytes = 1);
		else if (codepoint == '\\')
			strbuf_append(into, "\\\\");
		else if (codepoint == '\n')
			strbuf_append(into, "\\n");
		else if (!stands_for_itself(codepoint) || (codepoint == ' ' && edge) ||
			 (codepoint == '-' && i == 0) ||
			 (codepoint < 0x80 && strchr(forbidden, (int)codepoint)))
			append_bytes(into, name + i, bytes);
		else
			strbuf_append_bytes(into, name + i, bytes);
		i += bytes;
	}
}
