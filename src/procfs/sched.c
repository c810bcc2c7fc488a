// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/sched.h"

enum sched_form { FORM_COUNT, FORM_TIME };

/* Of the fraction; and no thread name can hold a line of so many dashes. */
enum { FRACTION_DIGITS = 6, DASHES_LEAST = 16 };

static const struct {
	const char *key;
	uint8_t n;
	uint8_t form;
} sched_keys[] = {
#define PROC_SCHED_ROW_(id, key_, form_) \
	[PROC_SCHED_##id] = { .key = key_, .n = sizeof(key_) - 1, .form = FORM_##form_ },
	PROC_SCHED_FIELDS(PROC_SCHED_ROW_)
#undef PROC_SCHED_ROW_
};

static bool starts_with_minus(struct slice s)
{
	return s.n && s.at[0] == '-';
}

enum dotted_time dotted_time_parse(struct slice text, uint64_t *ret_ns)
{
	struct slice whole, fraction = slice_trim(text);
	uint64_t ns, part = 0;
	size_t digits;

	if (!slice_take_until(&fraction, '.', &whole))
		return DOTTED_TIME_BAD;
	/* A time between -1 ms and 0 is printed as 0.-000500. */
	if (starts_with_minus(slice_trim(whole)) || starts_with_minus(fraction))
		return DOTTED_TIME_NEGATIVE;
	if (!slice_u64(whole, &ns))
		return DOTTED_TIME_BAD;
	if (fraction.at == whole.at + whole.n) {
		*ret_ns = ns;
		return DOTTED_TIME_OK;
	}
	if (fraction.n > FRACTION_DIGITS)
		fraction.n = FRACTION_DIGITS;
	if (fraction.n && !slice_u64(fraction, &part))
		return DOTTED_TIME_BAD;
	for (digits = fraction.n; digits < FRACTION_DIGITS; digits++)
		part *= 10;
	if (!mul_fits_u64(ns, 1000000, &ns) || !add_fits_u64(ns, part, &ns))
		return DOTTED_TIME_BAD;
	*ret_ns = ns;
	return DOTTED_TIME_OK;
}

static bool key_find(struct slice key, unsigned int *ret)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sched_keys); i++) {
		if (sched_keys[i].n == key.n && memcmp(sched_keys[i].key, key.at, key.n) == 0) {
			*ret = i;
			return true;
		}
	}
	return false;
}

static void time_parse(struct slice value, unsigned int field, struct proc_sched *ret)
{
	uint64_t ns;

	switch (dotted_time_parse(value, &ns)) {
	case DOTTED_TIME_OK:
		proc_fields_set(&ret->fields, field, ns);
		break;
	case DOTTED_TIME_NEGATIVE:
		ret->negative_times++;
		break;
	case DOTTED_TIME_BAD:
		break;
	}
}

static void line_parse(struct slice key, struct slice value, struct proc_sched *ret)
{
	const char *dot;
	unsigned int field;
	uint64_t number;

	if (slice_equal(key, "ext.enabled")) {
		if (slice_u64(value, &number))
			proc_fields_set(&ret->fields, PROC_SCHED_EXT_ENABLED, number != 0);
		return;
	}
	/* "se.statistics.wait_max" until 5.15, "stats.wait_max", and just "wait_max". */
	dot = key.n ? memrchr(key.at, '.', key.n) : NULL;
	if (dot)
		key = (struct slice){ dot + 1, key.n - (size_t)(dot + 1 - key.at) };
	if (!key_find(key, &field))
		return;
	if (sched_keys[field].form == FORM_TIME)
		time_parse(value, field, ret);
	else if (slice_u64(value, &number))
		proc_fields_set(&ret->fields, field, number);
}

static bool is_rule(struct slice line)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.at[i] != '-')
			return false;
	return line.n >= DASHES_LEAST;
}

/* Behind the heading: the name in it is the thread's own choice and may look like lines of ours. */
static struct slice without_heading(struct slice text)
{
	struct slice rest = text, line;

	while (slice_take_line(&rest, &line))
		if (is_rule(line))
			return rest;
	return text;
}

bool proc_sched_parse(const char *text, size_t n, struct proc_sched *ret)
{
	struct slice rest = without_heading((struct slice){ text, n }), line, key, value;

	ret->fields.known = 0;
	ret->negative_times = 0;
	while (slice_take_line(&rest, &line))
		if (slice_split_pair(line, &key, &value))
			line_parse(key, value, ret);
	return ret->fields.known || ret->negative_times;
}
