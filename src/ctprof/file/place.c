// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/file/record.h"

#include <inttypes.h>

#include "base/strbuf.h"

static void append_place(struct strbuf *into, const struct ctprof_place *place)
{
	if (place->outer)
		append_place(into, place->outer);
	if (!place->key)
		strbuf_appendf(into, "[%zu]", place->index);
	else
		strbuf_appendf(into, "%s%s", into->n ? "." : "", place->key);
}

struct error *ctprof_place_error(const struct ctprof_place *place, const char *fmt, ...)
{
	_cleanup_strbuf_ struct strbuf where = STRBUF_INIT;
	struct error *err;
	va_list args;

	append_place(&where, place);
	va_start(args, fmt);
	err = error_newv(&base_error_domain, BASE_PARSE, 0, fmt, args);
	va_end(args);
	return error_wrap(err, "%s", strbuf_str(&where));
}

bool ctprof_value_is_there(const struct json_value *value)
{
	return value && json_type_of(value) != JSON_NULL;
}

struct error *ctprof_value_expect(const struct json_value *value, const struct ctprof_place *place,
				  enum json_type type)
{
	static const char *const names[] = {
		[JSON_NULL] = "null",	    [JSON_BOOL] = "true or false",
		[JSON_NUMBER] = "a number", [JSON_STRING] = "a string",
		[JSON_ARRAY] = "an array",  [JSON_OBJECT] = "an object",
	};

	if (!ctprof_value_is_there(value) || json_type_of(value) == type)
		return NULL;
	return ctprof_place_error(place, "expected %s, found %s", names[type],
				  names[json_type_of(value)]);
}

struct error *ctprof_value_u64(const struct json_value *value, const struct ctprof_place *place,
			       uint64_t *ret, bool *ret_there)
{
	struct error *err = ctprof_value_expect(value, place, JSON_NUMBER);
	bool there = ctprof_value_is_there(value);

	if (err)
		return err;
	if (there && !json_get_u64(value, ret))
		return ctprof_place_error(place, "%.*s is not a whole number from 0 to 2^64 - 1",
					  (int)json_number_text(value).n,
					  json_number_text(value).at);
	if (ret_there)
		*ret_there = there;
	return NULL;
}

struct error *ctprof_value_i64(const struct json_value *value, const struct ctprof_place *place,
			       int64_t min, int64_t max, int64_t *ret, bool *ret_there)
{
	struct error *err = ctprof_value_expect(value, place, JSON_NUMBER);
	bool there = ctprof_value_is_there(value);
	int64_t number;

	if (err)
		return err;
	if (there) {
		if (!json_get_i64(value, &number) || number < min || number > max)
			return ctprof_place_error(
				place, "%.*s is not a whole number from %" PRId64 " to %" PRId64,
				(int)json_number_text(value).n, json_number_text(value).at, min,
				max);
		*ret = number;
	}
	if (ret_there)
		*ret_there = there;
	return NULL;
}

struct error *ctprof_value_bool(const struct json_value *value, const struct ctprof_place *place,
				bool *ret, bool *ret_there)
{
	struct error *err = ctprof_value_expect(value, place, JSON_BOOL);

	if (err)
		return err;
	if (ret_there)
		*ret_there = ctprof_value_is_there(value);
	if (ctprof_value_is_there(value) && !json_get_bool(value, ret))
		return ctprof_place_error(place, "expected true or false");
	return NULL;
}

struct error *ctprof_value_reading(const struct json_value *value, const struct ctprof_place *place,
				   struct procfs_reading *ret)
{
	struct procfs_reading reading = { 0 };
	struct error *err = ctprof_value_u64(value, place, &reading.value, &reading.known);

	if (!err)
		*ret = reading;
	return err;
}

struct error *ctprof_value_string(const struct json_value *value, const struct ctprof_place *place,
				  struct intern *strings, uint32_t *ret)
{
	struct error *err = ctprof_value_expect(value, place, JSON_STRING);

	if (err)
		return err;
	*ret = ctprof_value_is_there(value)
		       ? intern_add_n(strings, json_string(value).at, json_string(value).n)
		       : 0;
	return NULL;
}

struct error *ctprof_value_named(const struct json_value *value, const struct ctprof_place *place,
				 struct intern *strings, struct procfs_named_readings *ret)
{
	struct json_iter it = json_iter_over(ctprof_value_is_there(value) ? value : NULL);
	struct procfs_named_readings rows = { .known = ctprof_value_is_there(value) };
	struct error *err = ctprof_value_expect(value, place, JSON_OBJECT);

	if (err)
		return err;
	while (json_iter_next(&it)) {
		struct ctprof_place at = { .outer = place, .key = it.key.at };
		struct procfs_named_reading row = { .name = intern_add_n(strings, it.key.at,
									 it.key.n) };
		bool there;

		err = ctprof_value_u64(it.value, &at, &row.value, &there);
		if (err) {
			vec_deinit(&rows.rows);
			return err;
		}
		if (there)
			vec_push(&rows.rows, row);
	}
	*ret = rows;
	return NULL;
}
