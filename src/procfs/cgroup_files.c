// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/cgroup_files.h"

#include <string.h>

/* What the kernel takes when only a quota is written. */
enum { DEFAULT_PERIOD_US = 100000 };

/* The next word of a text, and the rest; false at the end. */
static bool next_word(const char **at, const char *end, const char **ret, size_t *ret_n)
{
	while (*at < end && strchr(" \t\n", **at))
		++*at;
	*ret = *at;
	while (*at < end && !strchr(" \t\n", **at))
		++*at;
	*ret_n = (size_t)(*at - *ret);
	return *ret_n > 0;
}

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

	for (const char *at = text, *end = text + n; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;

		for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
			size_t key_n = strlen(keys[i].key);

			if ((size_t)(stop - at) > key_n && memcmp(at, keys[i].key, key_n) == 0 &&
			    at[key_n] == ' ')
				*keys[i].into = reading_parse(at + key_n,
							      (size_t)(stop - at) - key_n);
		}
		at = newline ? newline + 1 : end;
	}
}

void cgroup_cpu_max_parse(const char *text, size_t n, struct cgroup_stats *stats)
{
	const char *at = text, *end = text + n, *quota, *period;
	size_t quota_n, period_n;

	if (!next_word(&at, end, &quota, &quota_n))
		return;
	stats->cpu.max_quota_us = limit_parse(quota, quota_n);
	stats->cpu.max_period_us = (struct reading){ true, DEFAULT_PERIOD_US };
	if (next_word(&at, end, &period, &period_n) &&
	    !decimal_parse(period, period_n, &stats->cpu.max_period_us.value))
		stats->cpu.max_period_us.value = DEFAULT_PERIOD_US;
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
	const char *at = text, *word;
	size_t word_n, words = 0;

	/* A device is a word without '='. The kernel may put two of them on a line. */
	while (next_word(&at, text + n, &word, &word_n) && words++ < CGROUP_IO_STAT_WORDS) {
		const char *equals = memchr(word, '=', word_n);
		uint64_t value;

		if (!equals || equals == word ||
		    !decimal_parse(equals + 1, word_n - (size_t)(equals + 1 - word), &value))
			continue;
		add_saturating(&readings, intern_add_n(names, word, (size_t)(equals - word)),
			       value);
	}
	*ret = readings;
}

bool cgroup_nice_parse(const char *text, size_t n, int32_t *ret)
{
	const char *at = text, *word;
	uint64_t value;
	size_t word_n;
	bool negative;

	if (!next_word(&at, text + n, &word, &word_n))
		return false;
	negative = *word == '-';
	if (!decimal_parse(word + negative, word_n - negative, &value) || value > INT32_MAX)
		return false;
	*ret = negative ? -(int32_t)value : (int32_t)value;
	return true;
}
