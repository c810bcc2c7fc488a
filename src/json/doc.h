/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A parsed document. Strict JSON only: no comments, no trailing commas, no
 * invalid UTF-8, no second value. Numbers keep their text, so 64-bit integers
 * and decimals of any length are exact; objects keep order and duplicate keys.
 * Values and texts are borrowed from the document and end with it.
 */
#ifndef KTSTR_JSON_DOC_H
#define KTSTR_JSON_DOC_H

#include "base/error.h"

struct json_doc;
struct json_value;

enum json_type {
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

/* May hold NUL bytes, so the length counts; `at` is NULL when absent. */
struct json_text {
	const char *at;
	size_t n;
};

/*
 * `label` names the text in errors. BASE_PARSE with byte, line and column;
 * BASE_LIMIT past the limits of size and nesting.
 */
struct error *json_doc_parse(const char *text, size_t n, const char *label,
			     struct json_doc **ret) MUST_CHECK;
void json_doc_free(struct json_doc *doc);
const struct json_value *json_doc_root(const struct json_doc *doc);

DEFINE_CLEANUP(json_doc, struct json_doc *, NULL, json_doc_free);
#define _cleanup_json_doc_ _cleanup_(cleanup_json_doc)

enum json_type json_type_of(const struct json_value *value);
/* Members of an object, elements of an array, 0 for anything else. */
size_t json_length(const struct json_value *value);

/* Absent when the value has another type. */
struct json_text json_string(const struct json_value *value);
struct json_text json_number_text(const struct json_value *value);
/* False, and *ret untouched, when the value is not exactly one of these. */
bool json_get_bool(const struct json_value *value, bool *ret) MUST_CHECK;
bool json_get_u64(const struct json_value *value, uint64_t *ret) MUST_CHECK;
bool json_get_i64(const struct json_value *value, int64_t *ret) MUST_CHECK;
/* The nearest double; false when that would not be finite. */
bool json_get_double(const struct json_value *value, double *ret) MUST_CHECK;

/* First member of that name; NULL when there is none or the value is not an object. */
const struct json_value *json_find(const struct json_value *object, const char *name);
bool json_text_is(struct json_text text, const char *expected);

/*
 *	struct json_iter it = json_iter_over(value);
 *	while (json_iter_next(&it)) use(it.key, it.value);
 */
struct json_iter {
	struct json_text key; /* absent in an array */
	const struct json_value *value;
	size_t index; /* of `value`, from 0 */
	const void *next_;
	size_t left_;
	bool keyed_;
};

struct json_iter json_iter_over(const struct json_value *container);
bool json_iter_next(struct json_iter *it);

/* Every bound of the room, so that hostile text costs at most this much. */

enum {
	/* A document; yyjson needs at most 16 bytes of memory for every two bytes of text. */
	JSON_LIMIT_DOC_BYTES = 64 << 20,
	/* Containers inside each other, when reading and when writing. */
	JSON_LIMIT_NESTING = 512,
	/* Containers inside each other that the leaf walk enters. */
	JSON_LIMIT_WALK_DEPTH = 64,
	JSON_LIMIT_WALK_LEAVES = 1 << 20,
	/* Sum of the lengths of all leaf names. */
	JSON_LIMIT_WALK_NAME_BYTES = 64 << 20,
	/* Opening brackets tried as the start of a document in a program's output. */
	JSON_LIMIT_FIND_ATTEMPTS = 64,
	/* Elements of a list that is read by rows which have no limit of their own. */
	JSON_LIMIT_LIST = 4096,
};

#endif
