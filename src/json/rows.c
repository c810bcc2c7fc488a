// SPDX-License-Identifier: LGPL-2.1-or-later
#include "json/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "json/doc.h"

/* A longer list of names does not help in an error. */
enum { WORDS_SHOWN = 8, WORD_SHOWN_BYTES = 64 };

/* Where a value is: a member of an object, or an element of a list. */
struct place {
	const struct place *up;
	const char *name; /* NULL: an element */
	size_t index;
};

/* How every list of a struct begins; VEC() has its capacity behind it. */
struct list {
	void *at;
	size_t n;
	size_t capacity;
};

static const void *at(const void *of, const struct json_row *row)
{
	return (const char *)of + row->offset;
}

static struct list get_list(const struct json_row *row, const void *of)
{
	struct list list = { 0 };

	memcpy(&list, at(of, row), row->list_size < sizeof(list) ? row->list_size : sizeof(list));
	return list;
}

static void set_list(const struct json_row *row, void *of, const struct list *list)
{
	memcpy((char *)of + row->offset, list,
	       row->list_size < sizeof(*list) ? row->list_size : sizeof(*list));
}

static void format_place(const struct place *place, struct strbuf *into)
{
	if (place->up)
		format_place(place->up, into);
	if (!place->name)
		strbuf_appendf(into, "[%zu]", place->index);
	else
		strbuf_appendf(into, "%s%s", into->n && *place->name ? "." : "", place->name);
}

static struct error *wrong(const struct place *place, enum base_error_kind kind, const char *fmt,
			   ...) PRINTF_LIKE(3, 4);
static struct error *wrong(const struct place *place, enum base_error_kind kind, const char *fmt,
			   ...)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err;
	va_list args;

	format_place(place, &text);
	if (!text.n)
		strbuf_append(&text, "it");
	va_start(args, fmt);
	err = error_newv(&base_error_domain, kind, 0, fmt, args);
	va_end(args);
	/* Without a colon: "owner.pid is missing". */
	strbuf_appendf(&text, " %s", error_message(err));
	error_free(err);
	return base_error(kind, 0, "%s", text.at);
}

static void deinit_row(const struct json_row *row, void *of)
{
	void *member = (char *)of + row->offset;

	if (row->type == JSON_ROW_STRING) {
		free(*(char **)member);
		*(char **)member = NULL;
	} else if (row->type == JSON_ROW_OBJECT) {
		json_rows_deinit(row->rows, member);
	} else if (row->type == JSON_ROW_CUSTOM && row->codec->deinit) {
		row->codec->deinit(member);
	} else if (row->list_size) {
		struct list list = get_list(row, of);

		for (size_t i = 0; i < list.n; i++) {
			if (row->type == JSON_ROW_STRINGS)
				free(((char **)list.at)[i]);
			else if (row->type == JSON_ROW_OBJECTS)
				json_rows_deinit(row->rows,
						 (char *)list.at + i * row->element_size);
		}
		free(list.at);
		set_list(row, of, &(struct list){ 0 });
	}
}

void json_rows_deinit(const struct json_rows *rows, void *of)
{
	for (size_t i = 0; i < rows->n; i++)
		deinit_row(&rows->at[i], of);
}

static struct error *read_object(const struct json_rows *rows, const struct json_value *object,
				 const struct place *place, void *into);

static struct error *read_signed(const struct json_row *row, const struct json_value *value,
				 const struct place *place, int64_t max, int64_t *ret)
{
	if (row->limit && row->limit < (uint64_t)max)
		max = (int64_t)row->limit;
	if (!json_get_i64(value, ret))
		return wrong(place, BASE_PARSE, "is not a whole number");
	if (*ret < row->min || *ret > max)
		return wrong(place, BASE_PARSE, "is not between %lld and %lld", (long long)row->min,
			     (long long)max);
	return NULL;
}

static struct error *read_unsigned(const struct json_row *row, const struct json_value *value,
				   const struct place *place, uint64_t max, uint64_t *ret)
{
	if (row->limit && row->limit < max)
		max = row->limit;
	if (!json_get_u64(value, ret))
		return wrong(place, BASE_PARSE, "is not a whole number of 0 or more");
	if (*ret > max)
		return wrong(place, BASE_PARSE, "is larger than %llu", (unsigned long long)max);
	return NULL;
}

static struct error *read_string(const struct json_value *value, const struct place *place,
				 uint64_t limit, char **ret)
{
	struct json_text text = json_string(value);

	if (!text.at)
		return wrong(place, BASE_PARSE, "is not a string");
	if (limit && text.n > limit)
		return wrong(place, BASE_LIMIT, "is longer than %llu bytes",
			     (unsigned long long)limit);
	/* It would be cut there, and become another path or argument. */
	if (memchr(text.at, '\0', text.n))
		return wrong(place, BASE_PARSE, "holds a NUL byte");
	free(*ret);
	*ret = xstrndup(text.at, text.n);
	return NULL;
}

static struct error *read_word(const struct json_row *row, const struct json_value *value,
			       const struct place *place, unsigned int *ret)
{
	struct json_text text = json_string(value);
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;

	if (!text.at)
		return wrong(place, BASE_PARSE, "is not a string");
	*ret = 0;
	for (size_t i = 0; i < row->n_words; i++) {
		if (!row->words[i])
			continue;
		if (json_text_is(text, row->words[i])) {
			*ret = (unsigned int)i;
			return NULL;
		}
		strbuf_appendf(&names, "%s%s", names.n ? ", " : "", row->words[i]);
	}
	if (row->lenient)
		return NULL;
	if (row->n_words > WORDS_SHOWN)
		return wrong(place, BASE_PARSE, "is '%.*s', a word that this program does not know",
			     (int)(text.n < WORD_SHOWN_BYTES ? text.n : WORD_SHOWN_BYTES), text.at);
	return wrong(place, BASE_PARSE, "is none of: %s", strbuf_str(&names));
}

static struct error *read_element(const struct json_rows *rows, const struct json_row *row,
				  const struct json_value *value, const struct place *place,
				  void *into)
{
	if (row->type == JSON_ROW_OBJECTS)
		return read_object(row->rows, value, place, into);
	if (row->type == JSON_ROW_STRINGS)
		return read_string(value, place, rows->text_limit, into);
	if (!json_get_u64(value, into))
		return wrong(place, BASE_PARSE, "is not a whole number of 0 or more");
	return NULL;
}

static struct error *read_list(const struct json_rows *rows, const struct json_row *row,
			       const struct json_value *value, const struct place *place,
			       void *into)
{
	uint64_t limit = row->limit ? row->limit : rows->list_limit;
	struct list list = { .capacity = json_length(value) + 1 };
	struct json_iter it = json_iter_over(value);
	struct error *err = NULL;

	if (!limit)
		limit = JSON_LIMIT_LIST;
	if (json_type_of(value) != JSON_ARRAY)
		return wrong(place, BASE_PARSE, "is not a list");
	if (json_length(value) > limit)
		return wrong(place, BASE_LIMIT, "has more than %llu elements",
			     (unsigned long long)limit);
	deinit_row(row, into);
	list.at = xcalloc(list.capacity, row->element_size);
	while (!err && json_iter_next(&it)) {
		struct place below = { .up = place, .index = it.index };

		err = read_element(rows, row, it.value, &below,
				   (char *)list.at + list.n * row->element_size);
		/* Also half an element: what was read of it is freed with the list. */
		list.n++;
	}
	set_list(row, into, &list);
	return err;
}

static struct error *read_value(const struct json_rows *rows, const struct json_row *row,
				const struct json_value *value, const struct place *place,
				void *into)
{
	void *member = (char *)into + row->offset;
	uint64_t number = 0;
	int64_t signed_number = 0;
	struct error *err;

	switch (row->type) {
	case JSON_ROW_BOOL:
		return json_get_bool(value, member)
			       ? NULL
			       : wrong(place, BASE_PARSE, "is neither true nor false");
	case JSON_ROW_I32:
		err = read_signed(row, value, place, INT32_MAX, &signed_number);
		*(int32_t *)member = (int32_t)signed_number;
		return err;
	case JSON_ROW_I64:
		return read_signed(row, value, place, INT64_MAX, member);
	case JSON_ROW_U32:
		err = read_unsigned(row, value, place, UINT32_MAX, &number);
		*(uint32_t *)member = (uint32_t)number;
		return err;
	case JSON_ROW_U64:
		return read_unsigned(row, value, place, UINT64_MAX, member);
	case JSON_ROW_DOUBLE:
		return json_get_double(value, member) ? NULL
						      : wrong(place, BASE_PARSE, "is not a number");
	case JSON_ROW_STRING:
		return read_string(value, place, row->limit ? row->limit : rows->text_limit,
				   member);
	case JSON_ROW_WORD:
		return read_word(row, value, place, member);
	case JSON_ROW_OBJECT:
		return read_object(row->rows, value, place, member);
	case JSON_ROW_OBJECTS:
	case JSON_ROW_STRINGS:
	case JSON_ROW_NUMBERS:
		return read_list(rows, row, value, place, into);
	case JSON_ROW_CUSTOM:
		deinit_row(row, into);
		err = row->codec->read(value, member);
		if (err) {
			_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

			format_place(place, &text);
			err = error_wrap(err, "%s", strbuf_str(&text));
		}
		return err;
	}
	return NULL;
}

static const struct json_value *find(const struct json_rows *rows, const struct json_value *object,
				     const char *name)
{
	const struct json_value *value = json_find(object, name);

	return value && rows->null_is_absent && json_type_of(value) == JSON_NULL ? NULL : value;
}

static bool is_required(const struct json_rows *rows, const struct json_row *row,
			const struct json_value *object)
{
	const struct json_value *with = row->with ? find(rows, object, row->with) : object;
	bool flag = true;

	return (row->presence == JSON_REQUIRED || row->presence == JSON_REQUIRED_OR_NULL) && with &&
	       (!json_get_bool(with, &flag) || flag);
}

static bool may_be_null(const struct json_row *row)
{
	return row->presence == JSON_NULLABLE || row->presence == JSON_REQUIRED_OR_NULL;
}

static struct error *read_row(const struct json_rows *rows, const struct json_row *row,
			      const struct json_value *object, const struct place *place,
			      void *into)
{
	const struct json_value *value = find(rows, object, row->name);
	const char *what;
	struct error *err;

	if (!value && row->older_name)
		value = find(rows, object, row->older_name);
	if (!value && is_required(rows, row, object))
		return wrong(place, BASE_PARSE, "is missing");
	if (!value || (may_be_null(row) && json_type_of(value) == JSON_NULL))
		return NULL;
	err = read_value(rows, row, value, place, into);
	if (err)
		return err;
	if (row->has)
		*((bool *)into + row->has - 1) = true;
	what = row->check ? row->check(at(into, row)) : NULL;
	return what ? wrong(place, BASE_PARSE, "%s", what) : NULL;
}

static struct error *check_version(const struct json_rows *rows, const struct json_value *object,
				   const struct place *up)
{
	struct place place = { .up = up, .name = rows->version_name };
	uint64_t oldest = rows->oldest_version ? rows->oldest_version : rows->version;
	uint64_t version = 0;

	if (!json_get_u64(json_find(object, rows->version_name), &version))
		return wrong(&place, BASE_PARSE, "is missing or not a whole number");
	if (version < oldest || version > rows->version)
		return wrong(&place, BASE_PARSE,
			     "is %llu, this program knows %llu: it comes from %s ktstr",
			     (unsigned long long)version, (unsigned long long)rows->version,
			     version < oldest ? "an older" : "a newer");
	return NULL;
}

static struct error *read_object(const struct json_rows *rows, const struct json_value *object,
				 const struct place *place, void *into)
{
	struct error *err = NULL;
	const char *what;

	if (json_type_of(object) != JSON_OBJECT)
		return wrong(place, BASE_PARSE, "is not an object");
	if (rows->version_name)
		err = check_version(rows, object, place);
	for (size_t i = 0; !err && i < rows->n; i++) {
		struct place below = { .up = place, .name = rows->at[i].name };

		err = read_row(rows, &rows->at[i], object, &below, into);
	}
	if (err)
		return err;
	what = rows->check ? rows->check(into) : NULL;
	return what ? wrong(place, BASE_PARSE, "%s", what) : NULL;
}

struct error *json_rows_read(const struct json_rows *rows, const struct json_value *object,
			     const char *place, void *into)
{
	struct place root = { .name = place };

	return read_object(rows, object, &root, into);
}

struct error *json_rows_parse(const struct json_rows *rows, const char *text, size_t n,
			      const char *label, void *into)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct error *err = json_doc_parse(text, n, label, &doc);

	return err ? err
		   : error_wrap(json_rows_read(rows, json_doc_root(doc), "", into), "%s", label);
}

static bool is_there(const struct json_rows *rows, const struct json_row *row, const void *from);

static bool has_members(const struct json_rows *rows, const void *from)
{
	for (size_t i = 0; i < rows->n; i++)
		if (is_there(rows, &rows->at[i], from))
			return true;
	return false;
}

static bool is_zero(const struct json_row *row, const void *from)
{
	const void *member = at(from, row);

	switch (row->type) {
	case JSON_ROW_BOOL:
		return !*(const bool *)member;
	case JSON_ROW_I32:
	case JSON_ROW_U32:
	case JSON_ROW_WORD:
		return *(const uint32_t *)member == 0;
	case JSON_ROW_I64:
	case JSON_ROW_U64:
		return *(const uint64_t *)member == 0;
	case JSON_ROW_OBJECT:
		return !has_members(row->rows, member);
	case JSON_ROW_OBJECTS:
	case JSON_ROW_STRINGS:
	case JSON_ROW_NUMBERS:
		return get_list(row, from).n == 0;
	default:
		return false;
	}
}

/* The companion's own presence, and that it is not false. */
static bool companion_is_there(const struct json_rows *rows, const char *name, const void *from)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct json_row *row = &rows->at[i];

		if (strcmp(row->name, name) == 0)
			return is_there(rows, row, from) &&
			       (row->type != JSON_ROW_BOOL || *(const bool *)at(from, row));
	}
	return false;
}

static bool is_there(const struct json_rows *rows, const struct json_row *row, const void *from)
{
	if (row->has && !*((const bool *)from + row->has - 1))
		return false;
	if (row->with && !companion_is_there(rows, row->with, from))
		return false;
	if (row->type == JSON_ROW_STRING && !*(char *const *)at(from, row))
		return false;
	/* JSON cannot say what is not finite. */
	if (row->type == JSON_ROW_DOUBLE && !isfinite(*(const double *)at(from, row)))
		return false;
	if (row->type == JSON_ROW_CUSTOM && row->codec->is_absent)
		return !row->codec->is_absent(at(from, row));
	return !row->absent_zero || !is_zero(row, from);
}

static void write_list(const struct json_row *row, const void *from, struct json_writer *w)
{
	struct list list = get_list(row, from);

	json_begin_array(w);
	for (size_t i = 0; i < list.n; i++) {
		if (row->type == JSON_ROW_STRINGS)
			json_write_string(w, ((char *const *)list.at)[i]);
		else if (row->type == JSON_ROW_NUMBERS)
			json_write_u64(w, ((const uint64_t *)list.at)[i]);
		else
			json_rows_write(row->rows, (const char *)list.at + i * row->element_size,
					w);
	}
	json_end_array(w);
}

static void write_value(const struct json_row *row, const void *from, struct json_writer *w)
{
	const void *member = at(from, row);

	switch (row->type) {
	case JSON_ROW_BOOL:
		json_write_bool(w, *(const bool *)member);
		break;
	case JSON_ROW_I32:
		json_write_i64(w, *(const int32_t *)member);
		break;
	case JSON_ROW_I64:
		json_write_i64(w, *(const int64_t *)member);
		break;
	case JSON_ROW_U32:
		json_write_u64(w, *(const uint32_t *)member);
		break;
	case JSON_ROW_U64:
		json_write_u64(w, *(const uint64_t *)member);
		break;
	case JSON_ROW_DOUBLE:
		json_write_double(w, *(const double *)member);
		break;
	case JSON_ROW_STRING:
		json_write_string(w, *(char *const *)member);
		break;
	case JSON_ROW_WORD:
		json_write_string(w, row->words[*(const unsigned int *)member]);
		break;
	case JSON_ROW_OBJECT:
		json_rows_write(row->rows, member, w);
		break;
	case JSON_ROW_OBJECTS:
	case JSON_ROW_STRINGS:
	case JSON_ROW_NUMBERS:
		write_list(row, from, w);
		break;
	case JSON_ROW_CUSTOM:
		row->codec->write(member, w);
		break;
	}
}

void json_rows_write_members(const struct json_rows *rows, const void *from, struct json_writer *w)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct json_row *row = &rows->at[i];
		bool there = is_there(rows, row, from);

		if (!there && !may_be_null(row))
			continue;
		json_key(w, row->name);
		if (there)
			write_value(row, from, w);
		else
			json_write_null(w);
	}
}

void json_rows_write(const struct json_rows *rows, const void *from, struct json_writer *w)
{
	json_begin_object(w);
	if (rows->version_name)
		json_add_u64(w, rows->version_name, rows->version);
	json_rows_write_members(rows, from, w);
	json_end_object(w);
}

void json_rows_format(const struct json_rows *rows, const void *from, struct strbuf *into)
{
	struct json_writer w = json_writer_to(into, JSON_PRETTY);

	json_rows_write(rows, from, &w);
	strbuf_append_char(into, '\n');
}
