// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/thread_status.h"

static const struct {
	const char *key;
	enum thread_status_field field;
} counters[] = {
	{ "Threads", THREAD_STATUS_THREADS },
	{ "voluntary_ctxt_switches", THREAD_STATUS_VOLUNTARY_CSW },
	{ "nonvoluntary_ctxt_switches", THREAD_STATUS_NONVOLUNTARY_CSW },
};

static void counter_parse(struct slice key, struct slice value, struct proc_fields *ret)
{
	uint64_t number;

	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		if (slice_equal(key, counters[i].key) && slice_u64(value, &number))
			proc_fields_set(ret, counters[i].field, number);
}

bool thread_status_parse(const char *text, size_t n, struct thread_status *ret)
{
	struct slice rest = { text, n }, line, key, value;

	*ret = (struct thread_status){ .cpus = { text, 0 } };
	while (slice_take_line(&rest, &line)) {
		/* Few of the sixty lines matter; their first letters tell most of the others. */
		if (line.n == 0 || !memchr("SCTvn \t", line.at[0], 7) ||
		    !slice_split_pair(line, &key, &value))
			continue;
		if (slice_equal(key, "State")) {
			if (value.n)
				proc_fields_set(&ret->fields, THREAD_STATUS_STATE,
						(unsigned char)value.at[0]);
		} else if (slice_equal(key, "Cpus_allowed_list")) {
			ret->cpus = value;
		} else {
			counter_parse(key, value, &ret->fields);
		}
	}
	return ret->fields.known || ret->cpus.n;
}
