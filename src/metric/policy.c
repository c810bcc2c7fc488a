// SPDX-License-Identifier: LGPL-2.1-or-later
#include "metric/format.h"

#include <inttypes.h>
#include <string.h>

#define UNKNOWN_BEGIN "SCHED_UNKNOWN("

#define POLICY_ROW_(number, name) { number, name },
static const struct {
	uint64_t number;
	const char *name;
} policies[] = { METRIC_POLICIES(POLICY_ROW_) };
#undef POLICY_ROW_

void metric_policy_format(uint64_t policy, struct strbuf *into)
{
	for (size_t i = 0; i < ARRAY_SIZE(policies); i++) {
		if (policies[i].number == policy) {
			strbuf_append(into, policies[i].name);
			return;
		}
	}
	strbuf_appendf(into, UNKNOWN_BEGIN "%" PRIu64 ")", policy);
}

bool metric_policy_parse(const char *text, size_t n, uint64_t *ret)
{
	size_t begin = strlen(UNKNOWN_BEGIN);
	uint64_t number = 0;

	for (size_t i = 0; i < ARRAY_SIZE(policies); i++) {
		if (strlen(policies[i].name) == n && memcmp(policies[i].name, text, n) == 0) {
			*ret = policies[i].number;
			return true;
		}
	}
	if (n < begin + 2 || memcmp(text, UNKNOWN_BEGIN, begin) != 0 || text[n - 1] != ')')
		return false;
	for (size_t i = begin; i < n - 1; i++) {
		if (text[i] < '0' || text[i] > '9' || !mul_fits_u64(number, 10, &number) ||
		    !add_fits_u64(number, (uint64_t)(text[i] - '0'), &number))
			return false;
	}
	*ret = number;
	return true;
}
