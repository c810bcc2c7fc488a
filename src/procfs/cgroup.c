// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/cgroup.h"

#include <fcntl.h>

#include "base/slice.h"

static const struct row {
	const char *file, *key;
	enum procfs_cgroup_form form;
	size_t offset;
} rows[] = {
#define CGROUP_VALUE(group, key, form, always, file, ...) \
	{ file, #key, PROCFS_CGROUP_FORM_##form,          \
	  offsetof(struct procfs_cgroup_stats, group##_##key) },
#define CGROUP_TABLE CGROUP_VALUE
#include "procfs/cgroup.def"
};

/* The last line of the key; not known when that is not a number. */
static struct procfs_reading parse_line(struct slice text, const char *key,
					struct procfs_reading before)
{
	struct slice line, word;

	while (slice_take_line(&text, &line))
		if (slice_take_until(&line, ' ', &word) && slice_equal(word, key))
			before = procfs_reading_parse(line.at, line.n);
	return before;
}

static struct procfs_reading parse_period(struct slice text)
{
	struct procfs_reading period = { true, false, PROCFS_CGROUP_DEFAULT_PERIOD_US };
	struct slice quota, word;

	if (!slice_take_word(&text, &quota))
		return (struct procfs_reading){ 0 };
	if (slice_take_word(&text, &word) && !slice_u64(word, &period.value))
		period.value = PROCFS_CGROUP_DEFAULT_PERIOD_US;
	return period;
}

static struct procfs_reading parse_nice(struct slice text)
{
	int64_t nice;

	if (!slice_i32(slice_trim(text), &nice))
		return (struct procfs_reading){ 0 };
	return (struct procfs_reading){ true, false, (uint64_t)nice };
}

static struct procfs_named_readings parse_devices(struct slice rest, struct intern *names)
{
	struct procfs_named_readings readings = { .known = true };
	struct slice value, key;
	size_t words = 0;

	/* A device is a word without '='. The kernel may put two of them on a line. */
	while (slice_take_word(&rest, &value) && words++ < PROCFS_CGROUP_IO_STAT_WORDS) {
		uint64_t number;

		if (!slice_take_until(&value, '=', &key) || key.n == 0 ||
		    !slice_u64(value, &number))
			continue;
		procfs_named_readings_merge(&readings, intern_add_n(names, key.at, key.n), number,
					    0, add_saturating_u64);
	}
	return readings;
}

static void parse_value(const struct row *row, struct slice text, struct intern *names, void *into)
{
	struct procfs_reading *value = into;
	struct slice word;

	switch (row->form) {
	case PROCFS_CGROUP_FORM_LINE:
		*value = parse_line(text, row->key, *value);
		break;
	case PROCFS_CGROUP_FORM_NUMBER:
	case PROCFS_CGROUP_FORM_OPTIONAL:
		*value = procfs_reading_parse(text.at, text.n);
		break;
	case PROCFS_CGROUP_FORM_QUOTA:
		slice_take_word(&text, &word);
		*value = procfs_limit_parse(word.at, word.n);
		break;
	case PROCFS_CGROUP_FORM_PERIOD:
		*value = parse_period(text);
		break;
	case PROCFS_CGROUP_FORM_LIMIT:
	case PROCFS_CGROUP_FORM_FLOOR:
		*value = procfs_limit_parse(text.at, text.n);
		break;
	case PROCFS_CGROUP_FORM_NICE:
		*value = parse_nice(text);
		break;
	case PROCFS_CGROUP_FORM_TEXT:
		value->value = procfs_text_intern(text.at, text.n, names);
		value->known = value->value != 0;
		break;
	case PROCFS_CGROUP_FORM_TABLE:
		procfs_named_readings_parse(text.at, text.n, names, into);
		break;
	case PROCFS_CGROUP_FORM_DEVICES:
		*(struct procfs_named_readings *)into = parse_devices(text, names);
		break;
	}
}

void procfs_cgroup_file_parse(const char *file, const char *text, size_t n, struct intern *names,
			      struct procfs_cgroup_stats *stats)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(rows[i].file, file) == 0)
			parse_value(&rows[i], (struct slice){ text, n }, names,
				    (char *)stats + rows[i].offset);
}

void procfs_cgroup_stats_read(const char *path, struct intern *names,
			      struct procfs_cgroup_stats *ret)
{
	_cleanup_close_ int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct procfs_cgroup_stats stats = { .known = dir >= 0 };

	for (size_t i = 0; dir >= 0 && i < ARRAY_SIZE(rows); i++) {
		if (i && strcmp(rows[i].file, rows[i - 1].file) == 0)
			continue;
		if (procfs_small_file_read(dir, rows[i].file, &text))
			procfs_cgroup_file_parse(rows[i].file, strbuf_str(&text), text.n, names,
						 &stats);
	}
	if (dir >= 0)
		procfs_pressure_read_at(dir, ".pressure", &stats.pressure);
	*ret = stats;
}

void procfs_cgroup_stats_deinit(struct procfs_cgroup_stats *stats)
{
#define CGROUP_VALUE(...)
#define CGROUP_TABLE(group, key, ...) procfs_named_readings_deinit(&stats->group##_##key);
#include "procfs/cgroup.def"
	*stats = (struct procfs_cgroup_stats){ 0 };
}
