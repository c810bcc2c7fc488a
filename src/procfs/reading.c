// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/reading.h"

#include <string.h>

bool decimal_parse(const char *text, size_t n, uint64_t *ret)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++)
		if (text[i] < '0' || text[i] > '9' || !mul_fits_u64(value, 10, &value) ||
		    !add_fits_u64(value, (uint64_t)(text[i] - '0'), &value))
			return false;
	if (n == 0)
		return false;
	*ret = value;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static void trim(const char **text, size_t *n)
{
	while (*n && is_blank((*text)[*n - 1]))
		--*n;
	while (*n && is_blank(**text)) {
		++*text;
		--*n;
	}
}

struct reading reading_parse(const char *text, size_t n)
{
	struct reading reading = { 0 };

	trim(&text, &n);
	reading.known = decimal_parse(text, n, &reading.value);
	return reading;
}

struct limit limit_parse(const char *text, size_t n)
{
	struct limit limit = { 0 };

	trim(&text, &n);
	if (n == 3 && memcmp(text, "max", 3) == 0)
		limit.state = LIMIT_NONE;
	else if (decimal_parse(text, n, &limit.value))
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

static void take_line(const char *line, size_t n, struct intern *names, struct named_readings *ret)
{
	const char *space = memchr(line, ' ', n);
	struct named_reading row, *before;

	if (!space || space == line || memchr(line, '\t', n) ||
	    !decimal_parse(space + 1, n - (size_t)(space + 1 - line), &row.value))
		return;
	row.name = intern_add_n(names, line, (size_t)(space - line));
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
	size_t lines = 0;

	for (const char *at = text, *end = text + n; at < end && lines < PROCFS_NAMED_READINGS;
	     lines++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;

		take_line(at, (size_t)(stop - at), names, &readings);
		at = newline ? newline + 1 : end;
	}
	*ret = readings;
}

void named_readings_deinit(struct named_readings *readings)
{
	vec_deinit(&readings->rows);
	readings->known = false;
}

uint32_t text_intern(const char *text, size_t n, struct intern *names)
{
	trim(&text, &n);
	return intern_add_n(names, text, n);
}
