// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/utf8.h"

/* Unicode table 3-7: the second byte's range depends on the first, the others are 80..BF. */
static const struct row {
	uint8_t first_low, first_high;
	uint8_t second_low, second_high;
	uint8_t length;
} rows[] = {
	{ 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
	{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
	{ 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

static size_t match(const struct row *row, const uint8_t *at, size_t n)
{
	size_t i = 1;

	if (n < 2 || at[1] < row->second_low || at[1] > row->second_high)
		return 1;
	for (i = 2; i < row->length && i < n; i++) {
		if (at[i] < 0x80 || at[i] > 0xbf)
			break;
	}
	return i;
}

size_t utf8_sequence(const char *bytes, size_t n, bool *ret_valid)
{
	const uint8_t *at = (const uint8_t *)bytes;

	*ret_valid = at[0] < 0x80;
	for (size_t i = 0; !*ret_valid && i < ARRAY_SIZE(rows); i++) {
		if (at[0] >= rows[i].first_low && at[0] <= rows[i].first_high) {
			size_t length = match(&rows[i], at, n);

			*ret_valid = length == rows[i].length;
			return length;
		}
	}
	return 1;
}

size_t utf8_decode(const char *bytes, size_t n, uint32_t *ret)
{
	/* What the first byte adds to the code point, by the length of the sequence. */
	static const uint8_t first_mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	bool valid = false;
	size_t length = n ? utf8_sequence(bytes, n, &valid) : 0;
	uint32_t value;

	if (!valid)
		return 0;
	value = (uint8_t)bytes[0] & first_mask[length];
	for (size_t i = 1; i < length; i++)
		value = value << 6 | ((uint8_t)bytes[i] & 0x3f);
	*ret = value;
	return length;
}

size_t utf8_cut(const char *bytes, size_t n, size_t limit)
{
	size_t at = limit;

	if (n <= limit)
		return n;
	while (at && limit - at < 4 && ((uint8_t)bytes[at] & 0xc0) == 0x80)
		at--;
	/* Four continuation bytes in a row are not UTF-8 at all: cut anywhere. */
	return limit - at < 4 ? at : limit;
}
