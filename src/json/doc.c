// SPDX-License-Identifier: LGPL-2.1-or-later
#include "json/doc.h"

#include <math.h>
#include <string.h>
#include <yyjson.h>

#include "base/slice.h"
#include "json/scan.h"

/* Neither type is ever defined: they are yyjson's own, seen from outside. */
static yyjson_val *to_yyjson(const struct json_value *value)
{
	return (yyjson_val *)(uintptr_t)value;
}

static struct error *error_at(enum base_error_kind kind, const char *text, size_t n, size_t at,
			      const char *label, const char *what)
{
	size_t line = 1, column = 1, character;

	yyjson_locate_pos(text, n, at, &line, &column, &character);
	return base_error(kind, 0, "%s: %s at byte %zu (line %zu, column %zu)", label, what, at,
			  line, column);
}

/*
 * Before yyjson, so that a bomb of brackets costs no memory. A document whose
 * first character is not a bracket has no containers, whatever its string may hold.
 */
static struct error *check_nesting(const char *text, size_t n, const char *label)
{
	size_t start = 0, end;

	while (start < n && json_is_blank(text[start]))
		start++;
	if (start == n || (text[start] != '{' && text[start] != '['))
		return NULL;
	if (json_scan_region(text, n, start, &end) == JSON_SCAN_TOO_DEEP)
		return error_at(BASE_LIMIT, text, n, end, label, "too many nested containers");
	return NULL;
}

struct error *json_doc_parse(const char *text, size_t n, const char *label, struct json_doc **ret)
{
	yyjson_read_err failure;
	struct error *err;
	yyjson_doc *doc;

	if (n > JSON_LIMIT_DOC_BYTES)
		return base_error(BASE_LIMIT, 0, "%s: %zu bytes is past the limit of %d", label, n,
				  JSON_LIMIT_DOC_BYTES);
	if (n == 0)
		return base_error(BASE_PARSE, 0, "%s: not JSON: the text is empty", label);
	err = check_nesting(text, n, label);
	if (err)
		return err;
	doc = yyjson_read_opts((char *)(uintptr_t)text, n, YYJSON_READ_NUMBER_AS_RAW, NULL,
			       &failure);
	if (!doc) {
		_cleanup_free_ char *what = NULL;

		if (failure.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION)
			return base_error(BASE_LIMIT, ENOMEM, "%s", label);
		if (asprintf(&what, "not JSON: %s", failure.msg) < 0)
			what = NULL;
		return error_at(BASE_PARSE, text, n, failure.pos, label, what ? what : "not JSON");
	}
	*ret = (struct json_doc *)doc;
	return NULL;
}

void json_doc_free(struct json_doc *doc)
{
	yyjson_doc_free((yyjson_doc *)doc);
}

const struct json_value *json_doc_root(const struct json_doc *doc)
{
	return (const struct json_value *)yyjson_doc_get_root((yyjson_doc *)(uintptr_t)doc);
}

enum json_type json_type_of(const struct json_value *value)
{
	switch (yyjson_get_type(to_yyjson(value))) {
	case YYJSON_TYPE_BOOL:
		return JSON_BOOL;
	case YYJSON_TYPE_RAW:
		return JSON_NUMBER;
	case YYJSON_TYPE_STR:
		return JSON_STRING;
	case YYJSON_TYPE_ARR:
		return JSON_ARRAY;
	case YYJSON_TYPE_OBJ:
		return JSON_OBJECT;
	default:
		return JSON_NULL;
	}
}

size_t json_length(const struct json_value *value)
{
	return yyjson_is_ctn(to_yyjson(value)) ? yyjson_get_len(to_yyjson(value)) : 0;
}

struct json_text json_string(const struct json_value *value)
{
	if (!yyjson_is_str(to_yyjson(value)))
		return (struct json_text){ 0 };
	return (struct json_text){ yyjson_get_str(to_yyjson(value)),
				   yyjson_get_len(to_yyjson(value)) };
}

struct json_text json_number_text(const struct json_value *value)
{
	if (!yyjson_is_raw(to_yyjson(value)))
		return (struct json_text){ 0 };
	return (struct json_text){ yyjson_get_raw(to_yyjson(value)),
				   yyjson_get_len(to_yyjson(value)) };
}

bool json_get_bool(const struct json_value *value, bool *ret)
{
	if (!yyjson_is_bool(to_yyjson(value)))
		return false;
	*ret = yyjson_get_bool(to_yyjson(value));
	return true;
}

bool json_get_u64(const struct json_value *value, uint64_t *ret)
{
	struct json_text text = json_number_text(value);

	return slice_u64((struct slice){ text.at, text.n }, ret);
}

bool json_get_i64(const struct json_value *value, int64_t *ret)
{
	struct json_text text = json_number_text(value);
	bool negative = text.n > 0 && text.at[0] == '-';
	uint64_t magnitude;

	if (negative)
		text = (struct json_text){ text.at + 1, text.n - 1 };
	if (!slice_u64((struct slice){ text.at, text.n }, &magnitude) ||
	    magnitude > (uint64_t)INT64_MAX + negative)
		return false;
	*ret = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
	return true;
}

bool json_get_double(const struct json_value *value, double *ret)
{
	struct json_text text = json_number_text(value);
	yyjson_val number = { 0 };
	double nearest;

	/* What follows the text in yyjson's copy is a separator or a NUL, never part of a number.
	 */
	if (!text.at || !yyjson_read_number(text.at, &number, YYJSON_READ_NOFLAG, NULL, NULL))
		return false;
	nearest = yyjson_get_num(&number);
	if (!isfinite(nearest))
		return false;
	*ret = nearest;
	return true;
}

bool json_text_is(struct json_text text, const char *expected)
{
	return text.at && text.n == strlen(expected) && memcmp(text.at, expected, text.n) == 0;
}

const struct json_value *json_find(const struct json_value *object, const char *name)
{
	struct json_iter it = json_iter_over(object);

	while (json_iter_next(&it)) {
		if (json_text_is(it.key, name))
			return it.value;
	}
	return NULL;
}

struct json_iter json_iter_over(const struct json_value *container)
{
	struct json_iter it = { .left_ = json_length(container) };

	if (it.left_) {
		it.next_ = unsafe_yyjson_get_first(to_yyjson(container));
		it.keyed_ = yyjson_is_obj(to_yyjson(container));
	}
	return it;
}

bool json_iter_next(struct json_iter *it)
{
	if (it->left_ == 0)
		return false;
	it->left_--;
	it->index = it->value ? it->index + 1 : 0;
	it->value = it->next_;
	if (it->keyed_) {
		it->key = json_string(it->next_);
		/* yyjson keeps a member's value right behind its key. */
		it->value = (const struct json_value *)(to_yyjson(it->next_) + 1);
	}
	it->next_ = it->left_ ? unsafe_yyjson_get_next(to_yyjson(it->value)) : NULL;
	return true;
}
