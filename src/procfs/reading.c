// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/reading.h"

#include "procfs/slice.h"

struct reading reading_parse(const char *text, size_t n)
{
	struct reading reading = { 0 };

	reading.known = slice_u64(slice_trim((struct slice){ text, n }), &reading.value);
	return reading;
}

struct limit limit_parse(const char *text, size_t n)
{
	struct slice word = slice_trim((struct slice){ text, n });
	struct limit limit = { 0 };

	if (slice_equal(word, "max"))
		limit.state = LIMIT_NONE;
	else if (slice_u64(word, &limit.value))
		limit.state = LIMIT_VALUE;
	return limit;
}

const struct named_reading *named_readings_find(const struct named_readings *readings,
						uint32_t name)
{
	for (size_t i = 0; i < readings->rows.n; i++)
		if (readings->rows.at[i].name == name)
			return &readings->rows.at[i];
	return NULL;
}

static void take_line(struct slice line, struct intern *names, struct named_readings *ret)
{
	struct named_reading row, *before;
	struct slice key;

	if (!slice_take_until(&line, ' ', &key) || key.n == 0 || memchr(key.at, '\t', key.n) ||
	    !slice_u64(line, &row.value))
		return;
	row.name = intern_add_n(names, key.at, key.n);
	before = (struct named_reading *)named_readings_find(ret, row.name);
	if (before)
		before->value = row.value;
	else if (ret->rows.n < PROCFS_NAMED_READINGS)
		vec_push(&ret->rows, row);
}

void named_readings_parse(const char *text, size_t n, struct intern *names,
			  struct named_readings *ret)
{
	struct named_readings readings = { .known = true };
	struct slice rest = { text, n }, line;

	for (size_t i = 0; i < PROCFS_NAMED_READINGS && slice_take_line(&rest, &line); i++)
		take_line(line, names, &readings);
	*ret = readings;
}

void named_readings_deinit(struct named_readings *readings)
{
	vec_deinit(&readings->rows);
	readings->known = false;
}

uint32_t text_intern(const char *text, size_t n, struct intern *names)
{
	struct slice trimmed = slice_trim((struct slice){ text, n });

	return intern_add_n(names, trimmed.at, trimmed.n);
}
