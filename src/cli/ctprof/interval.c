// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/cmd_capture.h"

#include <string.h>

#include "base/clock.h"

#define SHORTEST_NS NS_PER_MS
#define LONGEST_NS  (24 * 3600 * NS_PER_SEC)

static const struct {
	const char *unit;
	uint64_t ns;
} units[] = {
	{ "ms", NS_PER_MS },
	{ "s", NS_PER_SEC },
	{ "m", 60 * NS_PER_SEC },
	{ "h", 3600 * NS_PER_SEC },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits, of which `fraction` stand behind the point; exact, whatever the unit. */
static bool take_digits(const char **at, uint64_t *number, uint64_t *scale)
{
	bool any = false, point = false;

	for (;; (*at)++) {
		if (**at == '.' && !point && any && is_digit((*at)[1])) {
			point = true;
			continue;
		}
		if (!is_digit(**at))
			return any;
		any = true;
		if (!mul_fits_u64(*number, 10, number) ||
		    !add_fits_u64(*number, (uint64_t)(**at - '0'), number) ||
		    (point && !mul_fits_u64(*scale, 10, scale)))
			return false;
	}
}

bool interval_parse(const char *text, uint64_t *ret_ns)
{
	uint64_t number = 0, scale = 1, ns;

	if (!take_digits(&text, &number, &scale))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(text, units[i].unit) != 0)
			continue;
		if (!mul_fits_u64(number, units[i].ns, &ns))
			return false;
		ns /= scale;
		if (ns < SHORTEST_NS || ns > LONGEST_NS)
			return false;
		*ret_ns = ns;
		return true;
	}
	return false;
}

uint64_t interval_next(uint64_t start_ns, uint64_t interval_ns, uint64_t *slot, uint64_t now_ns,
		       uint64_t *missed)
{
	uint64_t next_ns = start_ns + ++*slot * interval_ns;
	uint64_t over;

	if (next_ns >= now_ns)
		return next_ns;
	over = (now_ns - next_ns + interval_ns - 1) / interval_ns;
	*missed += over;
	*slot += over;
	return next_ns + over * interval_ns;
}
