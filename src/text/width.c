// SPDX-License-Identifier: LGPL-2.1-or-later
#include "text/width.h"

#include <locale.h>
#include <string.h>
#include <wchar.h>

#include "base/utf8.h"

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
