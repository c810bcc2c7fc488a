// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/metrics.h"

#include <string.h>

/* Past this an exponent moves any number that matters out of reach. */
#define EXPONENT_BOUND ((int64_t)1 << 40)

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* From the "e" on; nothing there is 0. */
static int64_t parse_exponent(const char *at, const char *end)
{
	bool negative = false;
	int64_t value = 0;

	if (at < end)
		at++;
	if (at < end && (*at == '+' || *at == '-'))
		negative = *at++ == '-';
	for (; at < end && is_digit(*at); at++)
		if (value < EXPONENT_BOUND)
			value = value * 10 + (*at - '0');
	return negative ? -value : value;
}

static bool times_ten_fits(uint64_t *value, unsigned int digit)
{
	uint64_t next;

	if (!mul_fits_u64(*value, 10, &next) || !add_fits_u64(next, digit, &next) ||
	    next > SUITE_METRICS_WHOLE_MAX)
		return false;
	*value = next;
	return true;
}

bool suite_metrics_whole_number(struct json_text number, uint64_t *ret)
{
	const char *end = number.at + number.n, *at = number.at, *mantissa_end;
	int64_t exponent, zeros = 0;
	bool negative = at < end && *at == '-', behind_dot = false;
	uint64_t value = 0;

	at += negative;
	for (mantissa_end = at; mantissa_end < end && *mantissa_end != 'e' && *mantissa_end != 'E';)
		mantissa_end++;
	exponent = parse_exponent(mantissa_end, end);
	/*
	 * Zeros wait until a digit follows: those at the end belong to the exponent, and the
	 * value before them is what must fit.
	 */
	for (; at < mantissa_end; at++) {
		if (*at == '.') {
			behind_dot = true;
			continue;
		}
		if (!is_digit(*at))
			return false;
		exponent -= behind_dot;
		if (*at == '0') {
			zeros += value != 0;
			continue;
		}
		for (; zeros; zeros--)
			if (!times_ten_fits(&value, 0))
				return false;
		if (!times_ten_fits(&value, (unsigned int)(*at - '0')))
			return false;
	}
	exponent += zeros;
	if (value == 0) {
		*ret = 0;
		return true;
	}
	if (negative || exponent < 0)
		return false;
	for (; exponent; exponent--)
		if (!times_ten_fits(&value, 0))
			return false;
	*ret = value;
	return true;
}
