// SPDX-License-Identifier: LGPL-2.1-or-later
#include "report/form.h"

#include <string.h>

#include "base/utf8.h"

static void append_codepoint(struct strbuf *into, uint32_t codepoint, const char *bytes, size_t n)
{
	if (codepoint == '<')
		strbuf_append(into, "&lt;");
	else if (codepoint == '>')
		strbuf_append(into, "&gt;");
	else if (codepoint == '&')
		strbuf_append(into, "&amp;");
	else if (codepoint == '"')
		strbuf_append(into, "&quot;");
	/* Bare they would be normalised in an attribute, and a terminal would obey the C1 ones. */
	else if (codepoint == '\t' || codepoint == '\n' || codepoint == '\r' ||
		 (codepoint >= 0x7f && codepoint < 0xa0))
		strbuf_appendf(into, "&#%u;", codepoint);
	else if (codepoint < 0x20 || codepoint == 0xfffe || codepoint == 0xffff)
		strbuf_append(into, "\xef\xbf\xbd");
	else
		strbuf_append_bytes(into, bytes, n);
}

void report_append_xml(struct strbuf *into, const char *text)
{
	size_t n = strlen(text), shown = n < REPORT_LIMIT_TEXT_BYTES ? n : REPORT_LIMIT_TEXT_BYTES;

	for (size_t i = 0; i < shown;) {
		uint32_t codepoint;
		size_t bytes = utf8_decode(text + i, n - i, &codepoint);

		if (bytes)
			append_codepoint(into, codepoint, text + i, bytes);
		else
			strbuf_append(into, "\xef\xbf\xbd");
		i += bytes ? bytes : 1;
	}
	if (shown < n)
		strbuf_appendf(into, " (%zu bytes more)", n - shown);
}

void report_append_xml_attribute(struct strbuf *into, const char *name, const char *text)
{
	strbuf_appendf(into, " %s=\"", name);
	report_append_xml(into, text);
	strbuf_append_char(into, '"');
}
