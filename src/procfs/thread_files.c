// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/thread_files.h"

enum {
	/* Of stat: what follows the name. */
	STAT_FIRST = 3,
	STAT_STATE = 3,
	STAT_START_TIME = 22,
	/* Of a time's fraction; and no thread name can hold a line of so many dashes. */
	FRACTION_DIGITS = 6,
	DASHES_LEAST = 16,
};

static bool starts_with_minus(struct slice s)
{
	return s.n && s.at[0] == '-';
}

enum procfs_dotted_time procfs_dotted_time_parse(struct slice text, uint64_t *ret_ns)
{
	struct slice whole, fraction = slice_trim(text);
	uint64_t ns, part = 0;
	size_t digits;

	if (!slice_take_until(&fraction, '.', &whole))
		return PROCFS_DOTTED_TIME_BAD;
	/* A time between -1 ms and 0 is printed as 0.-000500. */
	if (starts_with_minus(slice_trim(whole)) || starts_with_minus(fraction))
		return PROCFS_DOTTED_TIME_NEGATIVE;
	if (!slice_u64(whole, &ns))
		return PROCFS_DOTTED_TIME_BAD;
	if (fraction.at == whole.at + whole.n) {
		*ret_ns = ns;
		return PROCFS_DOTTED_TIME_OK;
	}
	if (fraction.n > FRACTION_DIGITS)
		fraction.n = FRACTION_DIGITS;
	if (fraction.n && !slice_u64(fraction, &part))
		return PROCFS_DOTTED_TIME_BAD;
	for (digits = fraction.n; digits < FRACTION_DIGITS; digits++)
		part *= 10;
	if (!mul_fits_u64(ns, 1000000, &ns) || !add_fits_u64(ns, part, &ns))
		return PROCFS_DOTTED_TIME_BAD;
	*ret_ns = ns;
	return PROCFS_DOTTED_TIME_OK;
}

static bool value_parse(struct slice text, enum procfs_form form, struct procfs_values *values,
			uint64_t *ret)
{
	enum procfs_dotted_time time;
	int64_t number;

	switch (form) {
	case PROCFS_FORM_NUMBER:
	case PROCFS_FORM_FLAG:
		if (!slice_u64(text, ret))
			return false;
		if (form == PROCFS_FORM_FLAG)
			*ret = *ret != 0;
		return true;
	case PROCFS_FORM_I32:
		if (!slice_i32(text, &number))
			return false;
		*ret = (uint64_t)number;
		return true;
	case PROCFS_FORM_LETTER:
		*ret = text.n ? (unsigned char)text.at[0] : 0;
		return text.n > 0;
	case PROCFS_FORM_TIME:
		time = procfs_dotted_time_parse(text, ret);
		values->negative_times += time == PROCFS_DOTTED_TIME_NEGATIVE;
		return time == PROCFS_DOTTED_TIME_OK;
	}
	return false;
}

static void take_value(struct slice text, const struct procfs_field *field,
		       struct procfs_values *values)
{
	uint64_t value, bit = UINT64_C(1) << field->bit % 64;
	uint64_t *known = field->bit == PROCFS_FIELD_NO_BIT ? NULL
							    : &values->known[field->bit / 64];
	bool is_good = value_parse(text, field->form, values, &value);

	if (is_good)
		memcpy((char *)values->into + field->offset, &value, sizeof(value));
	if (known)
		*known = is_good ? *known | bit : *known & ~bit;
	values->any |= is_good;
}

static void take_words(struct slice line, unsigned int first, struct procfs_fields fields,
		       struct procfs_values *values)
{
	struct slice word;

	for (unsigned int number = first; slice_take_word(&line, &word); number++)
		for (size_t i = 0; i < fields.n; i++)
			if (fields.at[i].number == number)
				take_value(word, &fields.at[i], values);
}

/* The rest of the first line after the name; a newline in the name is before the bracket. */
static bool stat_tail(struct slice text, struct slice *ret)
{
	const char *close = text.n ? memrchr(text.at, ')', text.n) : NULL;

	if (!close)
		return false;
	text = (struct slice){ close + 1, text.n - (size_t)(close + 1 - text.at) };
	if (!slice_take_line(&text, ret))
		*ret = text;
	return true;
}

bool procfs_stat_fields(struct slice text, struct procfs_fields fields,
			struct procfs_values *values)
{
	struct slice line;

	if (!stat_tail(text, &line))
		return false;
	take_words(line, STAT_FIRST, fields, values);
	return true;
}

bool procfs_schedstat_fields(struct slice text, struct procfs_fields fields,
			     struct procfs_values *values)
{
	struct slice line;

	if (slice_take_line(&text, &line))
		take_words(line, 1, fields, values);
	return values->any;
}

/* Few of the sixty lines of status matter; their first letters rule out most of the others. */
static bool may_be_wanted(struct slice line, struct procfs_fields fields)
{
	if (line.n == 0 || slice_is_blank(line.at[0]))
		return line.n > 0;
	for (size_t i = 0; i < fields.n; i++)
		if (fields.at[i].key[0] == line.at[0])
			return true;
	return false;
}

bool procfs_lines_fields(struct slice text, struct procfs_fields fields,
			 struct procfs_values *values)
{
	struct slice line, key, value;

	while (slice_take_line(&text, &line)) {
		if (!may_be_wanted(line, fields) || !slice_split_pair(line, &key, &value))
			continue;
		for (size_t i = 0; i < fields.n; i++)
			if (slice_equal(key, fields.at[i].key))
				take_value(value, &fields.at[i], values);
	}
	return values->any;
}

static bool is_rule(struct slice line)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.at[i] != '-')
			return false;
	return line.n >= DASHES_LEAST;
}

/* Skips the heading: the thread chooses the name in it, which may look like other lines. */
static struct slice without_heading(struct slice text)
{
	struct slice rest = text, line;

	while (slice_take_line(&rest, &line))
		if (is_rule(line))
			return rest;
	return text;
}

bool procfs_sched_fields(struct slice text, struct procfs_fields fields,
			 struct procfs_values *values)
{
	struct slice line, key, value;

	text = without_heading(text);
	while (slice_take_line(&text, &line)) {
		const char *dot;
		struct slice tail;

		if (!slice_split_pair(line, &key, &value))
			continue;
		dot = key.n ? memrchr(key.at, '.', key.n) : NULL;
		tail = dot ? (struct slice){ dot + 1, key.n - (size_t)(dot + 1 - key.at) } : key;
		for (size_t i = 0; i < fields.n; i++)
			if (slice_equal(tail, fields.at[i].key) ||
			    (dot && slice_equal(key, fields.at[i].key)))
				take_value(value, &fields.at[i], values);
	}
	return values->any || values->negative_times;
}

bool procfs_line_find(struct slice text, const char *key, struct slice *ret)
{
	size_t n = strlen(key);
	struct slice line;

	while (slice_take_line(&text, &line)) {
		if (line.n <= n || memcmp(line.at, key, n) != 0 || line.at[n] != ':')
			continue;
		*ret = slice_trim((struct slice){ line.at + n + 1, line.n - n - 1 });
		return true;
	}
	return false;
}

bool procfs_cgroup_parse(struct slice text, struct slice *ret)
{
	static const char v2[] = "0::";
	const size_t v2_n = sizeof(v2) - 1;
	struct slice line;

	while (slice_take_line(&text, &line)) {
		struct slice path;

		if (line.n < v2_n || memcmp(line.at, v2, v2_n) != 0)
			continue;
		path = slice_trim((struct slice){ line.at + v2_n, line.n - v2_n });
		if (path.n) {
			*ret = path;
			return true;
		}
	}
	return false;
}

struct error *procfs_stat_parse(const char *text, size_t n, struct procfs_stat *ret)
{
	const char *open = n ? memchr(text, '(', n) : NULL;
	const char *close = open ? memrchr(open, ')', (size_t)(text + n - open)) : NULL;
	struct procfs_stat stat = { 0 };
	struct slice line, word = { 0 };
	size_t comm_n;

	if (!close)
		return base_error(BASE_PARSE, 0, "a stat line without a name in brackets");
	stat_tail((struct slice){ text, n }, &line);
	comm_n = (size_t)(close - open) - 1;
	if (comm_n > sizeof(stat.comm) - 1)
		comm_n = sizeof(stat.comm) - 1;
	memcpy(stat.comm, open + 1, comm_n);
	for (int number = STAT_FIRST; number <= STAT_START_TIME; number++) {
		if (!slice_take_word(&line, &word))
			return base_error(BASE_PARSE, 0, "a stat line of %d fields, wanted %d",
					  number - 1, STAT_START_TIME);
		if (number == STAT_STATE)
			stat.state = *word.at;
	}
	if (!slice_u64(word, &stat.start_time_jiffies))
		return base_error(BASE_PARSE, 0, "start time \"%.*s\" is not a number",
				  (int)(word.n < 32 ? word.n : 32), word.at);
	*ret = stat;
	return NULL;
}

struct error *procfs_schedstat_parse(const char *text, size_t n, struct procfs_schedstat *ret)
{
	struct slice rest = { text, n }, run, delay, slices;
	struct procfs_schedstat stat;

	/* The newline is wanted: without it the last number may have been cut. */
	if (n == 0 || text[n - 1] != '\n' || !slice_take_until(&rest, ' ', &run) ||
	    !slice_take_until(&rest, ' ', &delay) || !slice_take_line(&rest, &slices) || rest.n ||
	    !slice_u64(run, &stat.run_time_ns) || !slice_u64(delay, &stat.run_delay_ns) ||
	    !slice_u64(slices, &stat.timeslices))
		return base_error(BASE_PARSE, 0, "schedstat is not one line of three numbers");
	*ret = stat;
	return NULL;
}

static bool take_pid(struct slice *rest, pid_t *ret)
{
	struct slice word;
	uint64_t value;

	if (!slice_take_word(rest, &word) || !slice_u64(word, &value) || value > INT32_MAX)
		return false;
	*ret = (pid_t)value;
	return true;
}

struct error *procfs_nspid_parse(const char *text, size_t n, struct procfs_nspid *ret)
{
	struct procfs_nspid nspid = { .n = 0 };
	struct slice ids;

	if (!procfs_line_find((struct slice){ text, n }, "NSpid", &ids))
		return base_error(BASE_ABSENT, 0, "the status file has no NSpid line");
	if (ids.n == 0)
		return base_error(BASE_PARSE, 0, "the NSpid line is empty");
	for (; ids.n; nspid.n++)
		if (nspid.n == PROCFS_NSPID_MAX || !take_pid(&ids, &nspid.ids[nspid.n]))
			return base_error(BASE_PARSE, 0, "the NSpid line is not a list of pids");
	*ret = nspid;
	return NULL;
}

struct error *procfs_status_pid_parse(const char *text, size_t n, const char *name, pid_t *ret)
{
	struct slice value;
	pid_t pid;

	if (!procfs_line_find((struct slice){ text, n }, name, &value))
		return base_error(BASE_ABSENT, 0, "the status file has no line %s", name);
	if (!take_pid(&value, &pid) || value.n)
		return base_error(BASE_PARSE, 0, "the line %s is not a pid", name);
	*ret = pid;
	return NULL;
}
