/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pieces of a borrowed text: lines, words, numbers. Nothing is copied. */
#ifndef KTSTR_BASE_SLICE_H
#define KTSTR_BASE_SLICE_H

#include <string.h>

#include "base/macros.h"

struct slice {
	const char *at;
	size_t n;
};

static inline struct slice slice_of(const char *text)
{
	return (struct slice){ text, strlen(text) };
}

static inline bool slice_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline struct slice slice_trim(struct slice s)
{
	while (s.n && slice_is_blank(s.at[0]))
		s = (struct slice){ s.at + 1, s.n - 1 };
	while (s.n && slice_is_blank(s.at[s.n - 1]))
		s.n--;
	return s;
}

static inline bool slice_equal(struct slice s, const char *text)
{
	return strlen(text) == s.n && memcmp(s.at, text, s.n) == 0;
}

static inline bool slice_starts_with(struct slice s, const char *start)
{
	size_t n = strlen(start);

	return s.n >= n && memcmp(s.at, start, n) == 0;
}

static inline bool slice_ends_with(struct slice s, const char *end)
{
	size_t n = strlen(end);

	return s.n >= n && memcmp(s.at + s.n - n, end, n) == 0;
}

/* Cuts *rest at the first mark, which belongs to neither part; false when there is nothing left. */
static inline bool slice_take_until(struct slice *rest, char mark, struct slice *ret)
{
	const char *found;

	if (rest->n == 0)
		return false;
	found = memchr(rest->at, mark, rest->n);
	*ret = (struct slice){ rest->at, found ? (size_t)(found - rest->at) : rest->n };
	*rest = found ? (struct slice){ found + 1, rest->n - ret->n - 1 }
		      : (struct slice){ rest->at + rest->n, 0 };
	return true;
}

static inline bool slice_take_line(struct slice *rest, struct slice *ret)
{
	return slice_take_until(rest, '\n', ret);
}

/* Takes one character off the front if it is this one. */
static inline bool slice_take_char(struct slice *rest, char c)
{
	if (rest->n == 0 || *rest->at != c)
		return false;
	*rest = (struct slice){ rest->at + 1, rest->n - 1 };
	return true;
}

/* The next word between blanks. */
static inline bool slice_take_word(struct slice *rest, struct slice *ret)
{
	size_t begin = 0, end;

	while (begin < rest->n && slice_is_blank(rest->at[begin]))
		begin++;
	for (end = begin; end < rest->n && !slice_is_blank(rest->at[end]);)
		end++;
	*ret = (struct slice){ rest->at + begin, end - begin };
	*rest = (struct slice){ rest->at + end, rest->n - end };
	return ret->n > 0;
}

/* `key: value`, cut at the first colon and trimmed; false when there is no colon. */
static inline bool slice_split_pair(struct slice line, struct slice *ret_key,
				    struct slice *ret_value)
{
	const char *colon = line.n ? memchr(line.at, ':', line.n) : NULL;
	size_t n = colon ? (size_t)(colon - line.at) : 0;

	if (!colon)
		return false;
	*ret_key = slice_trim((struct slice){ line.at, n });
	*ret_value = slice_trim((struct slice){ colon + 1, line.n - n - 1 });
	return true;
}

/* Digits and nothing else. */
static inline bool slice_u64(struct slice s, uint64_t *ret)
{
	uint64_t value = 0;

	/* 19 digits always fit. */
	for (size_t i = 0; i < s.n; i++) {
		unsigned int digit = (unsigned int)(s.at[i] - '0');

		if (digit > 9)
			return false;
		if (i < 19)
			value = value * 10 + digit;
		else if (!mul_fits_u64(value, 10, &value) || !add_fits_u64(value, digit, &value))
			return false;
	}
	if (s.n == 0)
		return false;
	*ret = value;
	return true;
}

/* The digits at the beginning, taken off *rest; false when there are none or too many. */
static inline bool slice_take_u64(struct slice *rest, uint64_t *ret)
{
	size_t n = 0;

	while (n < rest->n && rest->at[n] >= '0' && rest->at[n] <= '9')
		n++;
	if (!slice_u64((struct slice){ rest->at, n }, ret))
		return false;
	*rest = (struct slice){ rest->at + n, rest->n - n };
	return true;
}

/* Digits that may have a minus in front, of the range an int32_t has. */
static inline bool slice_i32(struct slice s, int64_t *ret)
{
	bool minus = s.n && s.at[0] == '-';
	uint64_t value;

	if (minus)
		s = (struct slice){ s.at + 1, s.n - 1 };
	if (!slice_u64(s, &value) || value > (uint64_t)INT32_MAX + minus)
		return false;
	*ret = minus ? -(int64_t)value : (int64_t)value;
	return true;
}

#endif
