// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/stat.h"

#include <string.h>

/* Field 3 follows the name; the start time is field 22. */
enum { FIELD_STATE = 3, FIELD_START_TIME = 22 };

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool take_field(const char **at, const char *end, const char **ret, size_t *ret_n)
{
	const char *p = *at;

	while (p < end && is_blank(*p))
		p++;
	if (p == end)
		return false;
	*ret = p;
	while (p < end && !is_blank(*p))
		p++;
	*ret_n = (size_t)(p - *ret);
	*at = p;
	return true;
}

static bool decimal(const char *text, size_t n, uint64_t *ret)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '9' || !mul_fits_u64(value, 10, &value) ||
		    !add_fits_u64(value, (uint64_t)(text[i] - '0'), &value))
			return false;
	}
	*ret = value;
	return n > 0;
}

struct error *proc_stat_parse(const char *text, size_t n, struct proc_stat *ret)
{
	const char *open = n ? memchr(text, '(', n) : NULL;
	const char *close = open ? memrchr(open, ')', (size_t)(text + n - open)) : NULL;
	const char *newline = close ? memchr(close, '\n', (size_t)(text + n - close)) : NULL;
	const char *end = newline ? newline : text + n;
	struct proc_stat stat = { 0 };
	const char *at, *field;
	size_t field_n, comm_n;

	if (!close)
		return base_error(BASE_PARSE, 0, "a stat line without a name in brackets");
	comm_n = (size_t)(close - open) - 1;
	if (comm_n > sizeof(stat.comm) - 1)
		comm_n = sizeof(stat.comm) - 1;
	memcpy(stat.comm, open + 1, comm_n);
	at = close + 1;
	for (int number = FIELD_STATE; number <= FIELD_START_TIME; number++) {
		if (!take_field(&at, end, &field, &field_n))
			return base_error(BASE_PARSE, 0, "a stat line of %d fields, wanted %d",
					  number - 1, FIELD_START_TIME);
		if (number == FIELD_STATE)
			stat.state = *field;
	}
	if (!decimal(field, field_n, &stat.start_time_jiffies))
		return base_error(BASE_PARSE, 0, "start time \"%.*s\" is not a number",
				  (int)(field_n < 32 ? field_n : 32), field);
	*ret = stat;
	return NULL;
}
