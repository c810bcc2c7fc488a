// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/cgroup_files.h"

#include "procfs/slice.h"

void cgroup_cpu_stat_parse(const char *text, size_t n, struct cgroup_stats *stats)
{
	const struct {
		const char *key;
		struct reading *into;
	} keys[] = {
		{ "usage_usec", &stats->cpu.usage_usec },
		{ "user_usec", &stats->cpu.user_usec },
		{ "system_usec", &stats->cpu.system_usec },
		{ "nr_periods", &stats->cpu.nr_periods },
		{ "nr_throttled", &stats->cpu.nr_throttled },
		{ "throttled_usec", &stats->cpu.throttled_usec },
		{ "nr_bursts", &stats->cpu.nr_bursts },
		{ "burst_usec", &stats->cpu.burst_usec },
	};

	struct slice rest = { text, n }, line, key;

	while (slice_take_line(&rest, &line)) {
		if (!slice_take_until(&line, ' ', &key))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
			if (slice_equal(key, keys[i].key))
				*keys[i].into = reading_parse(line.at, line.n);
	}
}

void cgroup_cpu_max_parse(const char *text, size_t n, struct cgroup_stats *stats)
{
	struct slice rest = { text, n }, quota, period;

	if (!slice_take_word(&rest, &quota))
		return;
	stats->cpu.max_quota_us = limit_parse(quota.at, quota.n);
	stats->cpu.max_period_us = (struct reading){ true, CGROUP_DEFAULT_PERIOD_US };
	if (slice_take_word(&rest, &period) && !slice_u64(period, &stats->cpu.max_period_us.value))
		stats->cpu.max_period_us.value = CGROUP_DEFAULT_PERIOD_US;
}

static void add_saturating(struct named_readings *readings, uint32_t name, uint64_t value)
{
	for (size_t i = 0; i < readings->rows.n; i++) {
		struct named_reading *row = &readings->rows.at[i];

		if (row->name != name)
			continue;
		if (!add_fits_u64(row->value, value, &row->value))
			row->value = UINT64_MAX;
		return;
	}
	if (readings->rows.n < PROCFS_NAMED_READINGS)
		vec_push(&readings->rows, (struct named_reading){ name, value });
}

void cgroup_io_stat_parse(const char *text, size_t n, struct intern *names,
			  struct named_readings *ret)
{
	struct named_readings readings = { .known = true };
	struct slice rest = { text, n }, value, key;
	size_t words = 0;

	/* A device is a word without '='. The kernel may put two of them on a line. */
	while (slice_take_word(&rest, &value) && words++ < CGROUP_IO_STAT_WORDS) {
		uint64_t number;

		if (!slice_take_until(&value, '=', &key) || key.n == 0 ||
		    !slice_u64(value, &number))
			continue;
		add_saturating(&readings, intern_add_n(names, key.at, key.n), number);
	}
	*ret = readings;
}

bool cgroup_nice_parse(const char *text, size_t n, int32_t *ret)
{
	int64_t nice;

	if (!slice_i32(slice_trim((struct slice){ text, n }), &nice))
		return false;
	*ret = (int32_t)nice;
	return true;
}
