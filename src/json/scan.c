// SPDX-License-Identifier: LGPL-2.1-or-later
#include "json/scan.h"

#include "json/limits.h"

/* Offset of the closing quote of the string that opens at `quote`, or n. */
static size_t string_end(const char *text, size_t n, size_t quote)
{
	size_t i = quote + 1;

	while (i < n && text[i] != '"')
		i += text[i] == '\\' ? 2 : 1;
	return i < n ? i : n;
}

enum json_scan_result json_scan_region(const char *text, size_t n, size_t start, size_t *ret_end)
{
	char partners[JSON_LIMIT_NESTING];
	unsigned int depth = 0;

	for (size_t i = start; i < n; i++) {
		switch (text[i]) {
		case '"':
			i = string_end(text, n, i);
			break;
		case '{':
		case '[':
			if (depth == JSON_LIMIT_NESTING) {
				*ret_end = i;
				return JSON_SCAN_TOO_DEEP;
			}
			partners[depth++] = text[i] == '{' ? '}' : ']';
			break;
		case '}':
		case ']':
			if (depth == 0 || partners[depth - 1] != text[i])
				return JSON_SCAN_UNBALANCED;
			if (--depth == 0) {
				*ret_end = i + 1;
				return JSON_SCAN_BALANCED;
			}
			break;
		}
	}
	return JSON_SCAN_UNBALANCED;
}

bool json_scan_member(const char *text, size_t n, size_t index, size_t *ret_start)
{
	size_t i = 0, member = 0, end;

	while (i < n && text[i] != '{')
		i++;
	for (i++; i < n; i++) {
		switch (text[i]) {
		case '"':
			i = string_end(text, n, i);
			break;
		case ',':
			member++;
			break;
		case '{':
		case '[':
			if (member == index) {
				*ret_start = i;
				return true;
			}
			if (json_scan_region(text, n, i, &end) != JSON_SCAN_BALANCED)
				return false;
			i = end - 1;
			break;
		}
		if (member > index)
			return false;
	}
	return false;
}
