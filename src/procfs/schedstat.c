// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/schedstat.h"

static bool take_number(const char **at, const char *end, char after, uint64_t *ret)
{
	const char *p = *at;
	uint64_t value = 0;

	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		if (!mul_fits_u64(value, 10, &value) ||
		    !add_fits_u64(value, (uint64_t)(*p - '0'), &value))
			return false;
	}
	if (p == *at || p == end || *p != after)
		return false;
	*at = p + 1;
	*ret = value;
	return true;
}

struct error *proc_schedstat_parse(const char *text, size_t n, struct proc_schedstat *ret)
{
	const char *at = text, *end = text + n;
	struct proc_schedstat stat;

	/* The newline is wanted: without it the last number may have been cut. */
	if (!take_number(&at, end, ' ', &stat.run_time_ns) ||
	    !take_number(&at, end, ' ', &stat.run_delay_ns) ||
	    !take_number(&at, end, '\n', &stat.timeslices) || at != end)
		return base_error(BASE_PARSE, 0, "schedstat is not one line of three numbers");
	*ret = stat;
	return NULL;
}
