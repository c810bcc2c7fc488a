// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/reading.h"

#include <fcntl.h>

#include "base/io.h"
#include "base/slice.h"

struct procfs_reading procfs_reading_parse(const char *text, size_t n)
{
	struct procfs_reading reading = { 0 };

	reading.known = slice_u64(slice_trim((struct slice){ text, n }), &reading.value);
	return reading;
}

struct procfs_reading procfs_limit_parse(const char *text, size_t n)
{
	if (slice_equal(slice_trim((struct slice){ text, n }), "max"))
		return (struct procfs_reading){ .known = true, .unlimited = true };
	return procfs_reading_parse(text, n);
}

const struct procfs_named_reading *procfs_named_readings_find(
	const struct procfs_named_readings *readings, uint32_t name)
{
	for (size_t i = 0; i < readings->rows.n; i++)
		if (readings->rows.at[i].name == name)
			return &readings->rows.at[i];
	return NULL;
}

void procfs_named_readings_merge(struct procfs_named_readings *into, uint32_t name, uint64_t value,
				 size_t hint, uint64_t (*merge)(uint64_t a, uint64_t b))
{
	for (size_t i = 0; i < into->rows.n; i++) {
		struct procfs_named_reading *row = &into->rows.at[(i + hint) % into->rows.n];

		if (row->name == name) {
			row->value = merge(row->value, value);
			return;
		}
	}
	if (into->rows.n < PROCFS_NAMED_READINGS)
		vec_push(&into->rows, (struct procfs_named_reading){ name, value });
}

uint64_t procfs_named_readings_value(const struct procfs_named_readings *readings, uint32_t name)
{
	const struct procfs_named_reading *row = procfs_named_readings_find(readings, name);

	return row ? row->value : 0;
}

/* The later line of a key wins, in the earlier one's place. */
static void set_row(struct procfs_named_readings *readings, struct procfs_named_reading row)
{
	struct procfs_named_reading *before = (struct procfs_named_reading *)
		procfs_named_readings_find(readings, row.name);

	if (before)
		before->value = row.value;
	else if (readings->rows.n < PROCFS_NAMED_READINGS)
		vec_push(&readings->rows, row);
}

static void take_line(struct slice line, struct intern *names, struct procfs_named_readings *ret)
{
	struct procfs_named_reading row;
	struct slice key;

	if (!slice_take_until(&line, ' ', &key) || key.n == 0 || memchr(key.at, '\t', key.n) ||
	    !slice_u64(line, &row.value))
		return;
	row.name = intern_add_n(names, key.at, key.n);
	set_row(ret, row);
}

void procfs_named_readings_parse(const char *text, size_t n, struct intern *names,
				 struct procfs_named_readings *ret)
{
	struct procfs_named_readings readings = { .known = true };
	struct slice rest = { text, n }, line;

	for (size_t i = 0; i < PROCFS_NAMED_READINGS && slice_take_line(&rest, &line); i++)
		take_line(line, names, &readings);
	*ret = readings;
}

void procfs_named_readings_deinit(struct procfs_named_readings *readings)
{
	vec_deinit(&readings->rows);
	readings->known = false;
}

uint32_t procfs_text_intern(const char *text, size_t n, struct intern *names)
{
	struct slice trimmed = slice_trim((struct slice){ text, n });

	return intern_add_n(names, trimmed.at, trimmed.n);
}

/* "55d0-7fff ---p 00000000 00:00 0 [rollup]" holds a colon, and its key these. */
static bool is_kind(struct slice key)
{
	for (size_t i = 0; i < key.n; i++)
		if (key.at[i] == '-' || slice_is_blank(key.at[i]))
			return false;
	return key.n > 0;
}

bool procfs_smaps_rollup_parse(const char *text, size_t n, struct intern *names,
			       struct procfs_named_readings *ret)
{
	struct slice rest = { text, n }, line, key, value, word;
	struct procfs_named_reading row;

	vec_clear(&ret->rows);
	while (ret->rows.n < PROCFS_SMAPS_ROLLUP_ROWS && slice_take_line(&rest, &line)) {
		if (!slice_split_pair(line, &key, &value) || !is_kind(key) ||
		    !slice_take_word(&value, &word) || !slice_u64(word, &row.value))
			continue;
		row.name = intern_add_n(names, key.at, key.n);
		set_row(ret, row);
	}
	ret->known = ret->rows.n > 0;
	return ret->known;
}

bool procfs_small_file_read(int dir, const char *file, struct strbuf *into)
{
	_cleanup_close_ int fd = openat(dir, file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_cleanup_error_ struct error *err = NULL;

	strbuf_clear(into);
	if (fd < 0)
		return false;
	err = io_read_fd(fd, file, PROCFS_SMALL_FILE_BYTES, into);
	return !err;
}

struct procfs_reading procfs_reading_read(int dir, const char *file)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!procfs_small_file_read(dir, file, &text))
		return (struct procfs_reading){ 0 };
	return procfs_reading_parse(strbuf_str(&text), text.n);
}

uint32_t procfs_text_read(int dir, const char *file, struct intern *names)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	return procfs_small_file_read(dir, file, &text)
		       ? procfs_text_intern(strbuf_str(&text), text.n, names)
		       : 0;
}

void procfs_named_readings_read(int dir, const char *file, struct intern *names,
				struct procfs_named_readings *ret)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	*ret = (struct procfs_named_readings){ 0 };
	if (procfs_small_file_read(dir, file, &text))
		procfs_named_readings_parse(strbuf_str(&text), text.n, names, ret);
}
