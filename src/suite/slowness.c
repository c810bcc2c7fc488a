// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/system.h"

#include <stdlib.h>

#include "wire/report.h"

struct error *suite_slowness_parse(const char *text, double *ret)
{
	double value = 1;
	char *end;

	if (text) {
		value = strtod(text, &end);
		/* Written so that what is no number is refused, too. */
		if (end == text || *end || !(value >= 1 && value <= 1000))
			return base_error(BASE_PARSE, 0, "%s=%s is not a number from 1 to 1000",
					  WIRE_SLOWNESS_ENV, text);
	}
	*ret = value;
	return NULL;
}

uint64_t suite_slowness_scaled_ms(double slowness, uint64_t ms)
{
	double scaled = (double)ms * slowness;
	uint64_t whole = (uint64_t)scaled;

	return whole + ((double)whole < scaled);
}
