/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Questions about strings that end with NUL; base/slice.h has them for pieces of a text. */
#ifndef KTSTR_BASE_STR_H
#define KTSTR_BASE_STR_H

#include "base/slice.h"

static inline bool str_starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static inline bool str_ends_with(const char *text, const char *end)
{
	return slice_ends_with(slice_of(text), end);
}

/*
 * Decimal digits and nothing else, at most `limit`; *ret is untouched otherwise. strtoull() would
 * accept blanks, a sign, and whatever follows the number.
 */
static inline bool str_parse_u64(const char *text, uint64_t limit, uint64_t *ret)
{
	uint64_t value;

	if (!slice_u64(slice_of(text), &value) || value > limit)
		return false;
	*ret = value;
	return true;
}

#endif
