// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/file/record.h"

#include <inttypes.h>

#include "base/strbuf.h"

static void append_place(struct strbuf *into, const struct ctprof_value *value)
{
	if (value->outer)
		append_place(into, value->outer);
	if (!value->key)
		strbuf_appendf(into, "[%zu]", value->index);
	else
		strbuf_appendf(into, "%s%s", into->n ? "." : "", value->key);
}

struct error *ctprof_value_error(const struct ctprof_value *value, const char *fmt, ...)
{
	_cleanup_strbuf_ struct strbuf where = STRBUF_INIT;
	struct error *err;
	va_list args;

	append_place(&where, value);
	va_start(args, fmt);
	err = error_newv(&base_error_domain, BASE_PARSE, 0, fmt, args);
	va_end(args);
	return error_wrap(err, "%s", strbuf_str(&where));
}

bool ctprof_value_is_there(const struct ctprof_value *value)
{
	return value->json && json_type_of(value->json) != JSON_NULL;
}

struct error *ctprof_value_expect(const struct ctprof_value *value, enum json_type type)
{
	static const char *const names[] = {
		[JSON_NULL] = "null",	    [JSON_BOOL] = "true or false",
		[JSON_NUMBER] = "a number", [JSON_STRING] = "a string",
		[JSON_ARRAY] = "an array",  [JSON_OBJECT] = "an object",
	};

	if (!ctprof_value_is_there(value) || json_type_of(value->json) == type)
		return NULL;
	return ctprof_value_error(value, "expected %s, found %s", names[type],
				  names[json_type_of(value->json)]);
}

struct error *ctprof_value_u64(const struct ctprof_value *value, uint64_t *ret)
{
	struct error *err = ctprof_value_expect(value, JSON_NUMBER);
	struct json_text text = json_number_text(value->json);

	if (err || !ctprof_value_is_there(value) || json_get_u64(value->json, ret))
		return err;
	return ctprof_value_error(value, "%.*s is not a whole number from 0 to 2^64 - 1",
				  (int)text.n, text.at);
}

struct error *ctprof_value_i64(const struct ctprof_value *value, int64_t min, int64_t max,
			       int64_t *ret)
{
	struct error *err = ctprof_value_expect(value, JSON_NUMBER);
	struct json_text text = json_number_text(value->json);
	int64_t number;

	if (err || !ctprof_value_is_there(value))
		return err;
	if (!json_get_i64(value->json, &number) || number < min || number > max)
		return ctprof_value_error(value,
					  "%.*s is not a whole number from %" PRId64 " to %" PRId64,
					  (int)text.n, text.at, min, max);
	*ret = number;
	return NULL;
}

struct error *ctprof_value_bool(const struct ctprof_value *value, bool *ret)
{
	struct error *err = ctprof_value_expect(value, JSON_BOOL);

	if (err || !ctprof_value_is_there(value) || json_get_bool(value->json, ret))
		return err;
	return ctprof_value_error(value, "expected true or false");
}

struct error *ctprof_value_reading(const struct ctprof_value *value, struct procfs_reading *ret)
{
	struct procfs_reading reading = { .known = ctprof_value_is_there(value) };
	struct error *err = ctprof_value_u64(value, &reading.value);

	if (!err)
		*ret = reading;
	return err;
}

struct error *ctprof_value_string(const struct ctprof_value *value, struct intern *strings,
				  uint32_t *ret)
{
	struct error *err = ctprof_value_expect(value, JSON_STRING);
	struct json_text text = json_string(value->json);

	if (!err)
		*ret = text.at ? intern_add_n(strings, text.at, text.n) : 0;
	return err;
}

struct error *ctprof_value_named(const struct ctprof_value *value, struct intern *strings,
				 struct procfs_named_readings *ret)
{
	struct json_iter it = json_iter_over(value->json);
	struct procfs_named_readings rows = { .known = ctprof_value_is_there(value) };
	struct error *err = ctprof_value_expect(value, JSON_OBJECT);

	while (!err && json_iter_next(&it)) {
		struct ctprof_value at = ctprof_value_at(value, &it);
		struct procfs_named_reading row = { .name = intern_add_n(strings, it.key.at,
									 it.key.n) };

		err = ctprof_value_u64(&at, &row.value);
		if (!err && ctprof_value_is_there(&at))
			vec_push(&rows.rows, row);
	}
	if (err)
		vec_deinit(&rows.rows);
	else
		*ret = rows;
	return err;
}
