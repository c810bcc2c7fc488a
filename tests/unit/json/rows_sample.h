/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A document that has a member of every type. */
#ifndef KTSTR_UNIT_JSON_ROWS_SAMPLE_H
#define KTSTR_UNIT_JSON_ROWS_SAMPLE_H

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "json/rows.h"

enum colour { RED, GREEN, N_COLOURS };
static const char *const colour_names[N_COLOURS] = { "red", "green" };

struct wheel {
	char *name;
	uint32_t bolts;
};

struct sample {
	bool flag;
	int32_t i32;
	int64_t i64;
	uint32_t u32;
	uint64_t u64;
	double ratio;
	char *name;
	const char *note;
	enum colour colour, paint;
	struct wheel wheel;
	char *inner_id;
	uint64_t inner_size;
	VEC(struct wheel) wheels;
	VEC(char *) words;
	struct {
		const char **at;
		size_t n;
	} plain;
	VEC(uint64_t) numbers;
	bool has_gap;
	uint64_t gap;
	unsigned int hex;
};

static const char *check_wheel(const void *of)
{
	return ((const struct wheel *)of)->bolts == 13 ? "has an unlucky number of bolts" : NULL;
}

static const char *check_name(const void *member)
{
	return **(char *const *)member ? NULL : "is empty";
}

static struct error *read_hex(const struct json_value *value, void *member)
{
	struct json_text text = json_string(value);

	if (!text.at)
		return base_error(BASE_PARSE, 0, "not a string of digits");
	*(unsigned int *)member = (unsigned int)strtoul(text.at, NULL, 16);
	return NULL;
}

static bool hex_is_absent(const void *member)
{
	return *(const unsigned int *)member == 0;
}

static void write_hex(const void *member, struct json_writer *w)
{
	_cleanup_free_ char *text = xasprintf("%x", *(const unsigned int *)member);

	json_write_string(w, text);
}

static const struct json_codec hex_codec = {
	.type = "hexadecimal string",
	.read = read_hex,
	.is_absent = hex_is_absent,
	.write = write_hex,
};

static const struct json_row wheel_rows[] = {
	{ JSON_SCALAR(struct wheel, name), .presence = JSON_REQUIRED,
	  .means = "what it is called" },
	{ JSON_SCALAR(struct wheel, bolts), .absent_zero = true, .means = "how many bolts it has" },
};

static const struct json_rows wheel_table = { JSON_TABLE(wheel_rows), .check = check_wheel };

static const struct json_row inner_rows[] = {
	{ JSON_SCALAR_AS(struct sample, inner_id, "id"), .means = "the inner id" },
	{ JSON_SCALAR_AS(struct sample, inner_size, "size"), .presence = JSON_REQUIRED,
	  .with = "id", .means = "the inner size" },
};

static const struct json_rows inner_table = { JSON_TABLE(inner_rows) };

#define S(member) JSON_SCALAR(struct sample, member)

static const struct json_row sample_rows[] = {
	{ S(flag), .means = "a flag" },
	{ S(i32), .min = -5, .means = "a small number" },
	{ S(i64), .min = INT64_MIN, .means = "a large number" },
	{ S(u32), .limit = 100, .means = "a small count" },
	{ S(u64), .means = "a large count" },
	{ S(ratio), .means = "a ratio" },
	{ S(name), .presence = JSON_REQUIRED, .limit = 12, .check = check_name, .means = "a name" },
	{ S(note), .presence = JSON_NULLABLE, .means = "a note" },
	{ JSON_WORD(struct sample, colour, colour_names), .means = "a colour" },
	{ JSON_WORD(struct sample, paint, colour_names), .lenient = true, .absent_zero = true,
	  .means = "a colour or anything" },
	{ JSON_OBJECT_OF(struct sample, wheel, &wheel_table), .absent_zero = true,
	  .means = "a wheel" },
	{ JSON_GROUP("inner", &inner_table), .absent_zero = true, .means = "an object inside" },
	{ JSON_OBJECTS(struct sample, wheels, &wheel_table), .limit = 3, .means = "all wheels" },
	{ JSON_STRINGS(struct sample, words), .means = "words" },
	{ JSON_STRINGS_AS(struct sample, plain, "plain_words"), .absent_zero = true,
	  .means = "more words" },
	{ JSON_NUMBERS(struct sample, numbers), .absent_zero = true, .means = "numbers" },
	{ S(gap), JSON_HAS(struct sample, has_gap), .older_name = "hole", .unit = "ns",
	  .direction = JSON_LOWER_IS_BETTER, .means = "a gap" },
	{ JSON_CUSTOM(struct sample, hex, &hex_codec), .means = "digits" },
};

static const struct json_rows sample_table = {
	JSON_TABLE(sample_rows), .version_name = "format", .version = 3,
	.oldest_version = 2,	 .text_limit = 20,
};

#endif
