// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/record.h"

#define WORD_(id, word) word,
static const char *const resource_words[] = { PRESSURE_RESOURCES(WORD_) };
#undef WORD_

static void write_half(const char *key, const struct pressure_half *half, struct json_writer *w)
{
	json_key(w, key);
	json_begin_object(w);
	json_add_u64(w, "avg10", half->avg10);
	json_add_u64(w, "avg60", half->avg60);
	json_add_u64(w, "avg300", half->avg300);
	json_add_u64(w, "total_usec", half->total_usec);
	json_end_object(w);
}

static void write_absent(const char *resource, const char *half, struct json_writer *w)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	strbuf_appendf(&name, "%s%s%s", resource, half ? "." : "", half ? half : "");
	json_write_string(w, strbuf_str(&name));
}

void pressure_write(const struct pressure *pressure, struct json_writer *w)
{
	json_begin_object(w);
	for (int i = 0; i < N_PRESSURE_RESOURCES; i++) {
		json_key(w, resource_words[i]);
		json_begin_object(w);
		write_half("some", &pressure->resources[i].some, w);
		write_half("full", &pressure->resources[i].full, w);
		json_end_object(w);
	}
	json_key(w, "absent");
	json_begin_array(w);
	for (int i = 0; i < N_PRESSURE_RESOURCES; i++) {
		const struct pressure_file *file = &pressure->resources[i];

		if (!file->known)
			write_absent(resource_words[i], NULL, w);
		if (!file->some.known)
			write_absent(resource_words[i], "some", w);
		if (!file->full.known)
			write_absent(resource_words[i], "full", w);
	}
	json_end_array(w);
	json_end_object(w);
}

bool absent_lists(const struct json_value *object, const char *name)
{
	struct json_iter it = json_iter_over(json_find(object, "absent"));

	while (json_iter_next(&it)) {
		if (json_text_is(json_string(it.value), name))
			return true;
	}
	return false;
}

static struct error *load_half(const struct json_value *value, const struct place *place,
			       struct pressure_half *half)
{
	const struct {
		const char *key;
		uint16_t *into;
	} averages[] = { { "avg10", &half->avg10 },
			 { "avg60", &half->avg60 },
			 { "avg300", &half->avg300 } };
	struct place total = { .outer = place, .key = "total_usec" };
	struct error *err = value_expect(value, place, JSON_OBJECT);

	for (size_t i = 0; i < ARRAY_SIZE(averages) && !err; i++) {
		struct place at = { .outer = place, .key = averages[i].key };
		int64_t number = 0;

		err = value_i64(json_find(value, averages[i].key), &at, 0, UINT16_MAX, &number,
				NULL);
		*averages[i].into = (uint16_t)number;
	}
	if (!err)
		err = value_u64(json_find(value, "total_usec"), &total, &half->total_usec, NULL);
	half->known = value_is_there(value);
	return err;
}

struct error *pressure_load(const struct json_value *value, const struct place *place,
			    struct pressure *ret)
{
	struct error *err = value_expect(value, place, JSON_OBJECT);
	struct pressure pressure = { 0 };

	for (int i = 0; i < N_PRESSURE_RESOURCES && !err; i++) {
		const struct json_value *resource = json_find(value, resource_words[i]);
		struct pressure_file *file = &pressure.resources[i];
		struct place at = { .outer = place, .key = resource_words[i] };
		struct {
			const char *key;
			struct pressure_half *half;
		} halves[] = { { "some", &file->some }, { "full", &file->full } };

		err = value_expect(resource, &at, JSON_OBJECT);
		file->known = value_is_there(resource) && !absent_lists(value, resource_words[i]);
		for (size_t j = 0; j < ARRAY_SIZE(halves) && !err; j++) {
			struct place here = { .outer = &at, .key = halves[j].key };
			_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

			err = load_half(json_find(resource, halves[j].key), &here, halves[j].half);
			strbuf_appendf(&name, "%s.%s", resource_words[i], halves[j].key);
			if (absent_lists(value, strbuf_str(&name)))
				*halves[j].half = (struct pressure_half){ 0 };
		}
	}
	if (!err)
		*ret = pressure;
	return err;
}
