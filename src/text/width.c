// SPDX-License-Identifier: LGPL-2.1-or-later
#include "text/width.h"

#include <locale.h>
#include <string.h>
#include <wchar.h>

size_t utf8_decode(const char *s, size_t n, uint32_t *ret)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const uint8_t *p = (const uint8_t *)s;
	uint32_t value;
	size_t length;

	if (n == 0)
		return 0;
	if (p[0] < 0x80) {
		*ret = p[0];
		return 1;
	}
	if ((p[0] & 0xe0) == 0xc0) {
		length = 2;
		value = p[0] & 0x1f;
	} else if ((p[0] & 0xf0) == 0xe0) {
		length = 3;
		value = p[0] & 0x0f;
	} else if ((p[0] & 0xf8) == 0xf0) {
		length = 4;
		value = p[0] & 0x07;
	} else {
		return 0;
	}
	if (length > n)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (p[i] & 0x3f);
	}
	if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	*ret = value;
	return length;
}

int utf8_codepoint_width(uint32_t codepoint)
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
	int width = bytes ? utf8_codepoint_width(codepoint) : -1;

	*ret_bytes = bytes ? bytes : 1;
	return width < 0 ? 1 : (size_t)width;
}

size_t utf8_width(const char *s)
{
	size_t n = strlen(s), width = 0, bytes;

	for (size_t i = 0; i < n; i += bytes)
		width += next_width(s + i, n - i, &bytes);
	return width;
}

size_t utf8_prefix(const char *s, size_t columns)
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
